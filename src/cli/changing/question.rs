//! A question to whoever sits at the terminal.

use std::io::{self, BufRead as _, IsTerminal as _, Write as _};

use anyhow::Context as _;

use crate::cli::voice;

/// Whether there is somebody to ask.
pub(in crate::cli) fn can_ask() -> bool {
    voice::has_partner() || (io::stdin().is_terminal() && io::stderr().is_terminal())
}

/// Asks until one of the choices is given, by its word or its first letter. Nothing at all, and the
/// end of the input, is the one that does the least.
pub(in crate::cli) fn ask<T: Copy>(
    question: &str,
    choices: &[(&str, T)],
    least: T,
) -> anyhow::Result<T> {
    let words: Vec<&str> = choices.iter().map(|(word, _)| *word).collect();
    if voice::has_partner() {
        let answer = voice::ask(question, &words);
        let chosen = answer.and_then(|answer| choices.get(answer));
        return Ok(chosen.map_or(least, |(_, choice)| *choice));
    }
    loop {
        let mut stderr = voice::stderr();
        write!(stderr, "{question} [{}] ", words.join("/"))
            .and_then(|()| stderr.flush())
            .context("cannot ask")?;
        drop(stderr);
        let mut line = String::new();
        let read = io::stdin().lock().read_line(&mut line);
        let read = read.context("cannot read the answer")?;
        let answer = line.trim().to_ascii_lowercase();
        if read == 0 || answer.is_empty() {
            return Ok(least);
        }
        let means = |word: &str| word == answer || word.get(..1) == Some(answer.as_str());
        if let Some((_, choice)) = choices.iter().find(|(word, _)| means(word)) {
            return Ok(*choice);
        }
    }
}

/// Asks whether to go on.
pub(in crate::cli) fn confirm(question: &str) -> anyhow::Result<bool> {
    ask(question, &[("yes", true), ("no", false)], false)
}
