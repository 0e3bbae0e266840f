//! A question to whoever sits at the terminal.

use std::io::{self, BufRead as _, IsTerminal as _, Write as _};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use anyhow::Context as _;

use crate::cli::interrupt::Busy;
use crate::cli::stdio;

/// A signal is noticed so soon.
const MOMENT: Duration = Duration::from_millis(50);

/// Whether there is somebody to ask.
pub(in crate::cli) fn can_ask() -> bool {
    stdio::has_frontend() || (io::stdin().is_terminal() && io::stderr().is_terminal())
}

/// Asks until one of the choices is given, by its word or its first letter. Nothing at all, and the
/// end of the input, is the one that does the least; a signal while something is under way, too.
pub(in crate::cli) fn ask<T: Copy>(
    question: &str,
    choices: &[(&str, T)],
    least: T,
    busy: Option<&Busy>,
) -> anyhow::Result<T> {
    let words: Vec<&str> = choices.iter().map(|(word, _)| *word).collect();
    if stdio::has_frontend() {
        let answer = stdio::ask(question, &words);
        let chosen = answer.and_then(|answer| choices.get(answer));
        return Ok(chosen.map_or(least, |(_, choice)| *choice));
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
            return Ok(least);
        }
        let means = |word: &str| word == answer || word.get(..1) == Some(answer.as_str());
        if let Some((_, choice)) = choices.iter().find(|(word, _)| means(word)) {
            return Ok(*choice);
        }
    }
}

/// What somebody types; nothing if a signal comes first. Who reads cannot be told to stop: another
/// thread does, until the end.
fn read_line(busy: Option<&Busy>) -> io::Result<String> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        let mut line = String::new();
        let read = io::stdin().lock().read_line(&mut line);
        // Nobody may be waiting any more.
        let _ = sender.send(read.map(|_| line));
    });
    while !busy.is_some_and(Busy::is_interrupted) {
        match receiver.recv_timeout(MOMENT) {
            Ok(read) => return read,
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    Ok(String::new())
}

/// Asks whether to go on. While something is under way a signal is as good as a no.
pub(in crate::cli) fn confirm(question: &str, busy: Option<&Busy>) -> anyhow::Result<bool> {
    ask(question, &[("yes", true), ("no", false)], false, busy)
}
