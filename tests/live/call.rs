//! A call of the real binary that can reach a cluster, with nothing else of this machine in it.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::support::apiserver::{ApiServer, Kubeconfig};
use crate::support::prelude::*;

/// A call under construction.
pub(crate) struct Call<'s> {
    command: Command,
    server: Option<&'s ApiServer>,
}

impl<'s> Call<'s> {
    /// The binary with these arguments, no kubeconfig and no home.
    pub(crate) fn new(arguments: impl CommandLine) -> Call<'s> {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kubectl-cronjob_doctor"));
        command
            .args(arguments.arguments())
            .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")))
            .env_clear()
            .env("HOME", "/no/such/folder")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        Call {
            command,
            server: None,
        }
    }

    /// A call by a user of a server, whose kubeconfig chooses the namespace `shop`.
    pub(crate) fn by(server: &'s ApiServer, user: &str, arguments: impl CommandLine) -> Self {
        Call::new(arguments).with(server, &Kubeconfig::user(user).namespace("shop"))
    }

    /// Starts it in a folder, so that its outputs name files without the folder's path. Lines are wrapped
    /// by their length, which a path replaced afterwards would have changed.
    pub(crate) fn in_folder(mut self, folder: &Folder) -> Self {
        self.command.current_dir(folder.path());
        self
    }

    /// Starts another program with it as the last arguments.
    pub(crate) fn through(mut self, program: &[&str]) -> Self {
        let mut command = Command::new(program[0]);
        command
            .args(&program[1..])
            .arg(self.command.get_program())
            .args(self.command.get_args())
            .env_clear()
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        for (name, value) in self.command.get_envs() {
            command.env(name, value.unwrap());
        }
        command.current_dir(self.command.get_current_dir().unwrap());
        self.command = command;
        self
    }

    /// A variable of the environment.
    pub(crate) fn variable(mut self, name: &str, value: &str) -> Self {
        self.command.env(name, value);
        self
    }

    /// Asks this server, with that kubeconfig.
    pub(crate) fn with(self, server: &'s ApiServer, config: &Kubeconfig) -> Self {
        let path = server.kubeconfig(config);
        self.masking(server)
            .variable("KUBECONFIG", path.to_str().unwrap())
    }

    /// The outputs say `SERVER` in place of its address, and `FOLDER` in place of that of its files.
    pub(crate) fn masking(mut self, server: &'s ApiServer) -> Self {
        self.server = Some(server);
        self
    }

    /// Writes its results somewhere else.
    pub(crate) fn stdout(mut self, stdout: Stdio) -> Self {
        self.command.stdout(stdout);
        self
    }

    /// Writes everything but its results somewhere else.
    pub(crate) fn stderr(mut self, stderr: Stdio) -> Self {
        self.command.stderr(stderr);
        self
    }

    /// The server that is asked, if it was named.
    pub(crate) fn server(&self) -> Option<&'s ApiServer> {
        self.server
    }

    /// Starts it, and leaves the rest to the caller.
    pub(crate) fn start(mut self) -> std::process::Child {
        self.command.spawn().unwrap()
    }

    /// Waits for its end.
    pub(crate) fn run(self) -> Ran {
        let server = self.server;
        let output = self.start().wait_with_output().unwrap();
        let mut ran = Ran::of(output);
        if let Some(server) = server {
            ran.stdout = plain(&ran.stdout, server);
            ran.stderr = plain(&ran.stderr, server);
        }
        ran
    }
}

/// The text without what is another with every run: the address, and the numbers of files.
fn plain(text: &str, server: &ApiServer) -> String {
    let folder = server.file("probe", "");
    let folder = format!("{}/", folder.parent().unwrap().display());
    let text = text.replace(&server.url(), "SERVER");
    let mut parts = text.split(&folder);
    let mut plain = parts.next().unwrap().to_owned();
    for part in parts {
        let numbered = part.trim_start_matches(|c: char| c.is_ascii_digit());
        plain.push_str("FOLDER/");
        plain.push_str(numbered.strip_prefix('-').unwrap_or(part));
    }
    plain
}

/// Calls as somebody who may read everything, at the moment of the scene.
pub(crate) fn view(server: &ApiServer, arguments: impl CommandLine) -> Ran {
    ask(server, "viewer", arguments)
}

/// Calls as a user of the server, at the moment of the scene.
pub(crate) fn ask(server: &ApiServer, user: &str, arguments: impl CommandLine) -> Ran {
    call_as_at_now(server, user, arguments).run()
}

/// A call by somebody who may do everything, at the moment of the scene.
pub(crate) fn call_at_now(server: &ApiServer, arguments: impl CommandLine) -> Call<'_> {
    call_as_at_now(server, "admin", arguments)
}

fn call_as_at_now<'s>(server: &'s ApiServer, user: &str, arguments: impl CommandLine) -> Call<'s> {
    Call::by(server, user, (arguments, crate::live::scene::NOW))
}
