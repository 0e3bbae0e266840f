//! A call at a terminal, and a user who answers its questions.

use std::io::{Read as _, Write as _};
use std::process::{ChildStdin, Command, Stdio};

use crate::support::apiserver::{ApiServer, Kubeconfig};
use crate::support::command_line::CommandLine;
use crate::support::run::has_terminal;

/// Returns the session of [`at_terminal`]. Without a terminal the test ends here.
macro_rules! asked {
    ($($argument:expr),+ $(,)?) => {
        match crate::changing::terminal::at_terminal($($argument),+) {
            Some(session) => session,
            None => return,
        }
    };
}

/// The text on the screen, and the exit code.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Session {
    pub(crate) screen: String,
    pub(crate) code: i32,
}

/// Runs a call at a terminal, and gives the answers one after the other, each as soon as a question is on
/// the screen. `before_answer` runs before the first answer. `None` if there is no terminal.
pub(crate) fn at_terminal(
    server: &ApiServer,
    arguments: impl CommandLine,
    answers: &[&str],
    before_answer: impl FnOnce(),
) -> Option<Session> {
    if !has_terminal() {
        return None;
    }
    let config = server.kubeconfig(&Kubeconfig::user("admin").namespace("shop"));
    let mut command = vec![crate::support::run::binary()];
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
    let mut before_answer = Some(before_answer);
    let mut screen = String::new();
    let mut bytes = [0; 1024];
    loop {
        let count = stdout.read(&mut bytes).unwrap();
        if count == 0 {
            break;
        }
        screen.push_str(std::str::from_utf8(&bytes[..count]).unwrap());
        if screen.ends_with("] ") {
            if let Some(before_answer) = before_answer.take() {
                before_answer();
            }
            answer(
                &mut stdin,
                answers.next().expect("a question without an answer"),
            );
        }
    }
    assert_eq!(
        answers.next(),
        None,
        "an answer without a question:\n{screen}"
    );
    drop(stdin);
    let code = child.wait().unwrap().code().unwrap();
    let screen = screen.replace("\r\n", "\n");
    Some(Session { screen, code })
}

/// A key that sends a signal is pressed without Enter.
fn answer(stdin: &mut ChildStdin, text: &str) {
    stdin.write_all(text.as_bytes()).unwrap();
    if text != "\x03" {
        stdin.write_all(b"\n").unwrap();
    }
    stdin.flush().unwrap();
}
