//! Lines of text output: headings, labels, wrapped text.

use std::borrow::Cow;
use std::io::{self, Write};
use std::sync::atomic::{AtomicUsize, Ordering};

use textwrap::{Options, WordSplitter};

use super::style::{Meaning, styled};
use crate::kubectl::Remedy;
use crate::printable::{printable, shortened, width};

/// The width of an unknown terminal.
const USUAL: usize = 80;
/// Longer lines are hard to read, however wide the terminal is.
const WIDEST: usize = 100;
const LONGEST_WORD: usize = 1_000;
const LONGEST_COMMAND: usize = 4_000;

static WIDTH: AtomicUsize = AtomicUsize::new(USUAL);

/// Wraps lines at the width of the terminal from now on, within a limit.
pub(crate) fn set_width(terminal: usize) {
    WIDTH.store(terminal.min(WIDEST), Ordering::Relaxed);
}

/// Lines are broken before this column.
pub(super) fn line_width() -> usize {
    WIDTH.load(Ordering::Relaxed)
}

/// The title of an item, such as its name.
pub(super) fn title(out: &mut dyn Write, text: &str) -> io::Result<()> {
    hanging(out, 0, &styled(Meaning::Strong, printable(text)))
}

/// The heading of a section, after an empty line.
pub(super) fn heading(out: &mut dyn Write, text: &str) -> io::Result<()> {
    writeln!(out)?;
    title(out, text)
}

pub(super) fn entry(out: &mut dyn Write, label: &str, text: &str) -> io::Result<()> {
    write!(out, "  {}", styled(Meaning::Faint, format!("{label:<12}")))?;
    hanging(out, 14, text)
}

pub(super) fn paragraph(out: &mut dyn Write, indent: usize, text: &str) -> io::Result<()> {
    write!(out, "{:indent$}", "")?;
    hanging(out, indent, text)
}

/// A remedy after an arrow. Commands are not wrapped, so that they can be pasted. A comment that does not
/// fit beside its command is below it.
pub(super) fn remedy(out: &mut dyn Write, indent: usize, remedy: &Remedy) -> io::Result<()> {
    let arrow = styled(Meaning::Help, "->");
    write!(out, "{:indent$}{arrow} ", "")?;
    let indent = indent + 3;
    let Some(alone) = &remedy.command else {
        return hanging(out, indent, &printable(&remedy.text));
    };
    let fits = |text: &str| indent + width(text) <= line_width();
    let whole = command(&remedy.text);
    if remedy.notes.is_empty() || fits(&whole) {
        return writeln!(out, "{whole}");
    }
    writeln!(out, "{}", command(alone))?;
    for note in &remedy.notes {
        let end = note.command.as_deref().map(command);
        let line = printable(&format!("# {note}"));
        if end.is_some() && fits(&line) {
            writeln!(out, "{:indent$}{line}", "")?;
            continue;
        }
        let colon = if end.is_some() { ":" } else { "" };
        for line in wrapped(indent + 2, &printable(&format!("{}{colon}", note.text))) {
            writeln!(out, "{:indent$}# {line}", "")?;
        }
        if let Some(end) = end {
            writeln!(out, "{:indent$}# {end}", "")?;
        }
    }
    Ok(())
}

/// A command as it is shown.
pub(super) fn command(text: &str) -> String {
    shortened(&printable(text), LONGEST_COMMAND)
}

/// Writes wrapped text whose first line already has content up to the indent.
pub(super) fn hanging(out: &mut dyn Write, indent: usize, text: &str) -> io::Result<()> {
    let lines = wrapped(indent, text);
    writeln!(out, "{}", lines.join(&format!("\n{:indent$}", "")))
}

/// The lines of wrapped text that begins at a column.
pub(super) fn wrapped(indent: usize, text: &str) -> Vec<String> {
    let words = text.split(' ').map(|word| shortened(word, LONGEST_WORD));
    let text = words.collect::<Vec<_>>().join(" ");
    let options = Options::new(line_width().saturating_sub(indent))
        .break_words(false)
        .word_splitter(WordSplitter::NoHyphenation);
    let lines = textwrap::wrap(&text, options).into_iter();
    lines.map(Cow::into_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hung(text: &str) -> String {
        let mut out = Vec::new();
        hanging(&mut out, 2, text).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn lines_are_broken_by_the_columns_that_words_take() {
        let words = |word: &str, count| vec![word; count].join(" ");
        // 2 + 26 * 3 = 80, of which no blank ends the line.
        let lines: Vec<usize> = hung(&words("夜", 30))
            .lines()
            .map(|line| width(line.trim()))
            .collect();
        assert_eq!(lines, [77, 11]);
        let styled: Vec<String> = (0..30).map(|_| styled(Meaning::Odd, "ab")).collect();
        let lines = hung(&styled.join(" "));
        let lines: Vec<usize> = lines.lines().map(|line| width(line.trim())).collect();
        assert_eq!(lines, [77, 11]);
    }

    #[test]
    fn words_without_end_are_cut() {
        assert!(hung(&"x".repeat(100_000)).len() < 1_100);
    }
}
