//! Calls of the real binary that can reach a cluster, without any other settings of this machine.

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
    /// The binary with these arguments, without a kubeconfig or a home directory.
    pub(crate) fn new(arguments: impl CommandLine) -> Call<'s> {
        let mut command = Command::new(crate::support::run::binary());
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

    /// Starts it in a folder, so that its output names files without the folder's path. Replacing the
    /// path afterwards would be too late, because lines are wrapped by their length.
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

    /// Sets an environment variable.
    pub(crate) fn variable(mut self, name: &str, value: &str) -> Self {
        self.command.env(name, value);
        self
    }

    /// Uses this server and kubeconfig.
    pub(crate) fn with(self, server: &'s ApiServer, config: &Kubeconfig) -> Self {
        let path = server.kubeconfig(config);
        self.masking(server)
            .variable("KUBECONFIG", path.to_str().unwrap())
    }

    /// Replaces the server's address in the output with `SERVER`, and the path of its files with `FOLDER`.
    pub(crate) fn masking(mut self, server: &'s ApiServer) -> Self {
        self.server = Some(server);
        self
    }

    pub(crate) fn stdout(mut self, stdout: Stdio) -> Self {
        self.command.stdout(stdout);
        self
    }

    pub(crate) fn stderr(mut self, stderr: Stdio) -> Self {
        self.command.stderr(stderr);
        self
    }

    /// The server whose address is replaced in the output.
    pub(crate) fn server(&self) -> Option<&'s ApiServer> {
        self.server
    }

    /// Starts it without waiting for its end.
    pub(crate) fn start(mut self) -> std::process::Child {
        self.command.spawn().unwrap()
    }

    /// Runs it to its end, and returns its output with replaced addresses.
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

/// The text without what differs between runs: the address, and the numbers of files.
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

/// Calls as a user who may read everything, at the time of the scene.
pub(crate) fn view(server: &ApiServer, arguments: impl CommandLine) -> Ran {
    ask(server, "viewer", arguments)
}

/// Calls as a user of the server, at the time of the scene.
pub(crate) fn ask(server: &ApiServer, user: &str, arguments: impl CommandLine) -> Ran {
    call_as_at_now(server, user, arguments).run()
}

/// A call by a user who may do everything, at the time of the scene.
pub(crate) fn call_at_now(server: &ApiServer, arguments: impl CommandLine) -> Call<'_> {
    call_as_at_now(server, "admin", arguments)
}

fn call_as_at_now<'s>(server: &'s ApiServer, user: &str, arguments: impl CommandLine) -> Call<'s> {
    Call::by(server, user, (arguments, crate::live::scene::NOW))
}
