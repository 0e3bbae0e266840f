//! A call at a terminal, with somebody who reads the question and answers it.

use std::io::{Read as _, Write as _};
use std::process::{ChildStdin, Command, Stdio};

use crate::support::apiserver::{ApiServer, Kubeconfig};
use crate::support::command_line::CommandLine;
use crate::support::run::has_terminal;

/// What [`at_terminal`] returns; a test without a terminal ends here.
macro_rules! asked {
    ($($argument:expr),+ $(,)?) => {
        match crate::changing::terminal::at_terminal($($argument),+) {
            Some(session) => session,
            None => return,
        }
    };
}

/// What was on the screen, and the exit code.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Session {
    pub(crate) screen: String,
    pub(crate) code: i32,
}

/// Calls at a terminal, and gives the answers one after the other, each as soon as a question is
/// seen; before that, what `meanwhile` does happens. `None` where there is no terminal to be had.
pub(crate) fn at_terminal(
    server: &ApiServer,
    arguments: impl CommandLine,
    answers: &[&str],
    meanwhile: impl FnOnce(),
) -> Option<Session> {
    if !has_terminal() {
        return None;
    }
    let config = server.kubeconfig(&Kubeconfig::user("admin").namespace("shop"));
    let mut command = vec![env!("CARGO_BIN_EXE_kubectl-cronjob_doctor")];
    let arguments = arguments.arguments();
    command.extend(arguments.iter().map(String::as_str));
    command.push(crate::live::scene::NOW);
    let command: Vec<String> = command.iter().map(|word| format!("'{word}'")).collect();
    let mut child = Command::new("script")
        .args([
            "--quiet",
            "--return",
            "--command",
            &command.join(" "),
            "/dev/null",
        ])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env("KUBECONFIG", config)
        .env("HOME", "/no/such/folder")
        .env("NO_COLOR", "1")
        .env("TERM", "dumb")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = child.stdout.take().unwrap();
    let mut answers = answers.iter();
    let mut meanwhile = Some(meanwhile);
    let mut screen = String::new();
    let mut bytes = [0; 1024];
    loop {
        let count = stdout.read(&mut bytes).unwrap();
        if count == 0 {
            break;
        }
        screen.push_str(std::str::from_utf8(&bytes[..count]).unwrap());
        if screen.ends_with("] ") {
            if let Some(meanwhile) = meanwhile.take() {
                meanwhile();
            }
            answer(&mut stdin, answers.next().expect("a question too many"));
        }
    }
    assert_eq!(answers.next(), None, "nobody asked:\n{screen}");
    drop(stdin);
    let code = child.wait().unwrap().code().unwrap();
    let screen = screen.replace("\r\n", "\n");
    Some(Session { screen, code })
}

/// A key that makes a signal is pressed alone.
fn answer(stdin: &mut ChildStdin, text: &str) {
    stdin.write_all(text.as_bytes()).unwrap();
    if text != "\x03" {
        stdin.write_all(b"\n").unwrap();
    }
    stdin.flush().unwrap();
}
