//! Runs the real binary, without the environment of this machine.

use std::ffi::OsStr;
use std::fmt;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::LazyLock;

use serde_json::Value;
use test_requirements::TERMINAL;

use super::command_line::CommandLine;
use super::files::root;
use super::folder::Folder;
use super::json::list;

/// The output and the exit code of a call.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Ran {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) code: i32,
}

/// Calls `kubectl cronjob-doctor` in the project's folder.
pub(crate) fn doctor(line: impl CommandLine) -> Ran {
    doctor_with_stdin(line, "")
}

/// Calls `kubectl cronjob-doctor` in another folder, so that its output does not contain the path of that folder.
pub(crate) fn doctor_in(folder: &Folder, line: impl CommandLine) -> Ran {
    run(Path::new(folder.path()), line, "")
}

/// Calls `kubectl cronjob-doctor` in the project's folder, with text on stdin.
pub(crate) fn doctor_with_stdin(line: impl CommandLine, stdin: &str) -> Ran {
    run(root(), line, stdin)
}

/// Calls `kubectl cronjob-doctor` in the project's folder, with a list of objects on stdin.
pub(crate) fn doctor_with_objects(line: impl CommandLine, objects: &[Value]) -> Ran {
    doctor_with_stdin(line, &list(objects))
}

/// The program as it was when the tests began, so that it can be built again while they run.
pub(crate) fn binary() -> &'static str {
    static LINK: LazyLock<String> = LazyLock::new(|| {
        let built = env!("CARGO_BIN_EXE_kubectl-cronjob_doctor");
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let left = fs::read_dir(folder).into_iter().flatten().flatten();
        for link in left.map(|link| link.path()) {
            let process = link.extension().and_then(OsStr::to_str).unwrap_or_default();
            let is_link = link.file_stem() == Some(OsStr::new("program"));
            if is_link && !Path::new("/proc").join(process).exists() {
                let _ = fs::remove_dir_all(&link);
            }
        }
        let folder = folder.join(format!("program.{}", std::process::id()));
        let _ = fs::create_dir_all(&folder);
        let link = folder.join(Path::new(built).file_name().unwrap());
        // The linker replaces the file, and does not write into it.
        match fs::hard_link(built, &link) {
            Ok(()) if cfg!(target_os = "linux") => link.to_str().unwrap().to_owned(),
            _ => built.to_owned(),
        }
    });
    &LINK
}

/// The program, to be called in the project's folder.
pub(crate) fn program() -> Command {
    let mut command = Command::new(binary());
    command.current_dir(root()).env_clear();
    // Without it, the home folder would be that of the password file, which may contain a kubeconfig.
    command.env("HOME", "/no/such/folder");
    command
}

fn run(folder: &Path, line: impl CommandLine, stdin: &str) -> Ran {
    let mut child = program()
        .args(line.arguments())
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A call that does not read may have ended already.
    let _ = child.stdin.take().unwrap().write_all(stdin.as_bytes());
    let output = child.wait_with_output().unwrap();
    Ran::of(output)
}

/// Whether the command that creates a terminal is installed. Without it, a test is skipped.
#[cfg(unix)]
pub(crate) fn has_terminal() -> bool {
    let version = Command::new("script").arg("--version").output();
    let is_there = version.is_ok_and(|output| output.status.success());
    if !is_there {
        TERMINAL.skip();
    }
    is_there
}

/// What a successful call writes to a terminal with this many columns, without colors; `None` if there is no terminal.
#[cfg(target_os = "linux")]
pub(crate) fn doctor_in_terminal(columns: usize, line: impl CommandLine) -> Option<String> {
    if !has_terminal() {
        return None;
    }
    let binary = binary();
    let words = line.arguments();
    let words = shlex::try_join(words.iter().map(String::as_str)).unwrap();
    let commands = format!("stty rows 24 cols {columns}; {binary} {words}");
    let output = Command::new("script")
        .args(["--quiet", "--return", "--command", &commands, "/dev/null"])
        .current_dir(root())
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap())
        .env("HOME", "/no/such/folder")
        .env("SHELL", "/bin/sh")
        .env("NO_COLOR", "1")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    Some(text.replace("\r\n", "\n"))
}

/// The words of a text without dates and time zones, which a page has once.
pub(crate) fn undated(text: &str) -> String {
    const DAYS: [&str; 7] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
    let is_date = |word: &str| word.len() == 10 && word.parse::<jiff::civil::Date>().is_ok();
    let is_zone = |word: &str| word == "UTC" || word.contains('/') && !word.contains(['=', '.']);
    let bare = text
        .split_whitespace()
        .map(|word| word.trim_matches(['(', ')', ',', '.', ';', ':']));
    let kept = bare
        .filter(|word| !matches!(*word, "" | "#"))
        .filter(|word| !(DAYS.contains(word) || is_date(word) || is_zone(word)));
    let text = kept.collect::<Vec<_>>().join(" ");
    text.replace("for the run scheduled at ", "for ")
}

/// The text without line breaks and comment signs.
pub(crate) fn words(text: &str) -> String {
    let words = text.split_whitespace().filter(|word| *word != "#");
    let words = words.map(|word| word.trim_end_matches(';'));
    words.collect::<Vec<_>>().join(" ")
}

impl Ran {
    /// What a call printed, whose documents must match the schemas.
    pub(crate) fn of(output: Output) -> Ran {
        let stdout = String::from_utf8(output.stdout).unwrap();
        super::schemas::check(&stdout);
        Ran {
            stdout,
            stderr: String::from_utf8(output.stderr).unwrap(),
            code: output.status.code().unwrap(),
        }
    }

    /// Replaces a text that differs from run to run with a placeholder.
    pub(crate) fn replacing(self, text: &str, placeholder: &str) -> Ran {
        Ran {
            stdout: self.stdout.replace(text, placeholder),
            stderr: self.stderr.replace(text, placeholder),
            ..self
        }
    }

    /// Asserts that `lint` found nothing: it prints only a summary, on stderr.
    pub(crate) fn assert_no_problems(&self) {
        let summary = self.stderr.ends_with(": no problems\n") && self.stderr.lines().count() == 1;
        assert!(
            self.code == 0 && self.stdout.is_empty() && summary,
            "{self:?}"
        );
    }

    /// Asserts the exit code and all output.
    #[track_caller]
    pub(crate) fn assert(&self, code: i32, stdout: &str, stderr: &str) {
        let ran = (self.code, self.stdout.as_str(), self.stderr.as_str());
        assert_eq!(ran, (code, stdout, stderr));
    }

    /// The document of a call that succeeded and printed nothing to stderr.
    #[track_caller]
    pub(crate) fn document(self) -> Value {
        self.assert(0, &self.stdout, "");
        self.json()
    }

    /// The first item of that document.
    #[track_caller]
    pub(crate) fn item(self) -> Value {
        self.document()["items"][0].take()
    }

    /// The document on stdout.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self}"))
    }

    /// The output of a call that succeeded and printed nothing to stderr.
    pub(crate) fn fine(self) -> String {
        assert_eq!((self.code, self.stderr.as_str()), (0, ""), "{self:?}");
        self.stdout
    }

    /// The error of a call that failed and printed nothing to stdout.
    pub(crate) fn refused(self) -> String {
        assert_eq!((self.code, self.stdout.as_str()), (2, ""), "{self:?}");
        self.stderr
    }
}

impl fmt::Display for Ran {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Ran {
            stdout,
            stderr,
            code,
        } = self;
        write!(
            f,
            "---- stdout\n{stdout}---- stderr\n{stderr}---- exit {code}\n"
        )
    }
}

/// Asserts the exit code of a call, and what it wrote to stdout if that is given, and compares all
/// its output with a snapshot.
macro_rules! assert_ran {
    ($ran:expr, $code:expr, $stdout:expr) => {{
        let ran = &$ran;
        assert_eq!(ran.stdout, $stdout);
        assert_ran!(ran, $code);
    }};
    ($ran:expr, $code:expr) => {{
        let ran = &$ran;
        assert_eq!(ran.code, $code, "{ran}");
        insta::assert_snapshot!(ran);
    }};
}
