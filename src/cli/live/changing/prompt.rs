//! Questions at the terminal, or in the dashboard.

use std::io::{self, BufRead as _, IsTerminal as _, Write as _};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use anyhow::Context as _;

use crate::cli::live::busy::Busy;
use crate::cli::live::frontend;
use crate::cli::stdio;

/// How often to check for a signal.
const SIGNAL_POLL: Duration = Duration::from_millis(50);

/// Whether there is a terminal or a dashboard to ask at.
pub(crate) fn can_ask() -> bool {
    stdio::has_frontend() || (io::stdin().is_terminal() && io::stderr().is_terminal())
}

/// Asks until one of the choices is given, by its word or its first letter. An empty line, the end of the
/// input, and a signal during a change select `default`, the choice that does the least.
pub(crate) fn ask<T: Copy>(
    question: &str,
    choices: &[(&str, T)],
    default: T,
    busy: Option<&Busy>,
) -> anyhow::Result<T> {
    let words: Vec<&str> = choices.iter().map(|(word, _)| *word).collect();
    if stdio::has_frontend() {
        let answer = frontend::ask(question, &words);
        let chosen = answer.and_then(|answer| choices.get(answer));
        return Ok(chosen.map_or(default, |(_, choice)| *choice));
    }
    loop {
        let mut stderr = stdio::stderr();
        write!(stderr, "{question} [{}] ", words.join("/"))
            .and_then(|()| stderr.flush())
            .context("cannot ask")?;
        drop(stderr);
        let line = read_line(busy).context("cannot read the answer")?;
        let answer = line.trim().to_ascii_lowercase();
        if answer.is_empty() {
            return Ok(default);
        }
        let means = |word: &str| word == answer || word.get(..1) == Some(answer.as_str());
        if let Some((_, choice)) = choices.iter().find(|(word, _)| means(word)) {
            return Ok(*choice);
        }
    }
}

/// The line that is typed; empty if a signal comes first. A blocking read cannot be canceled, so that a
/// thread of its own does it.
fn read_line(busy: Option<&Busy>) -> io::Result<String> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        let mut line = String::new();
        let read = io::stdin().lock().read_line(&mut line);
        // A signal may have ended the wait.
        let _ = sender.send(read.map(|_| line));
    });
    while !busy.is_some_and(Busy::is_interrupted) {
        match receiver.recv_timeout(SIGNAL_POLL) {
            Ok(read) => return read,
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    Ok(String::new())
}

/// Asks whether to continue. A signal during a change counts as no.
pub(crate) fn confirm(question: &str, busy: Option<&Busy>) -> anyhow::Result<bool> {
    ask(question, &[("yes", true), ("no", false)], false, busy)
}
