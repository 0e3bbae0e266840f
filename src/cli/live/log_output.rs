//! Writes a log, and the lines about it to stderr.

use std::io::{self, BufWriter, IsTerminal, Write};

use crate::cli::{is_quiet, stdio};
use crate::output::logs;
use cronjob_text::printable::is_hidden;

/// The longest escape sequence of a color.
const LONGEST_COLOR: usize = 32;

/// The stream that a log is written to.
pub(super) struct LogOutput {
    out: BufWriter<Box<dyn Write>>,
    /// On a terminal, what could steer it is escaped. In a pipe, the log is as the container wrote it.
    terminal: Option<Escaping>,
    is_in_line: bool,
}

impl LogOutput {
    pub(super) fn to_stdout() -> Self {
        LogOutput::to(io::stdout())
    }

    pub(super) fn to_stderr() -> Self {
        LogOutput::to(io::stderr())
    }

    fn to(out: impl Write + IsTerminal + 'static) -> Self {
        LogOutput {
            terminal: out.is_terminal().then(Escaping::default),
            out: BufWriter::new(Box::new(out)),
            is_in_line: false,
        }
    }

    /// Writes a piece of the log.
    pub(super) fn write(&mut self, text: &[u8]) -> io::Result<()> {
        if let Some(end) = text.last() {
            self.is_in_line = *end != b'\n';
        }
        match &mut self.terminal {
            Some(escaping) => self.out.write_all(escaping.push(text).as_bytes())?,
            None => self.out.write_all(text)?,
        }
        self.out.flush()
    }

    /// Ends the log, so that something else can be written to the terminal.
    pub(super) fn end(&mut self) -> io::Result<()> {
        if let Some(escaping) = &mut self.terminal {
            self.out.write_all(escaping.end().as_bytes())?;
            if std::mem::take(&mut self.is_in_line) {
                self.out.write_all(b"\n")?;
            }
        }
        self.out.flush()
    }
}

/// Writes what is not a part of the log to stderr.
pub(super) fn note(text: &str) {
    if !is_quiet() {
        // An error of a closed stderr changes nothing.
        let _ = writeln!(stdio::stderr(), "{}", logs::between(text));
    }
}

/// Escapes what could steer a terminal: everything hidden but line ends, tabs and colors.
#[derive(Default)]
struct Escaping {
    /// The beginning of a character or of a color that is not complete.
    held: Vec<u8>,
    is_colored: bool,
}

impl Escaping {
    fn push(&mut self, piece: &[u8]) -> String {
        self.held.extend_from_slice(piece);
        self.take(false)
    }

    /// What is left, and the end of its colors.
    fn end(&mut self) -> String {
        let mut shown = self.take(true);
        if std::mem::take(&mut self.is_colored) {
            shown.push_str("\u{1b}[0m");
        }
        shown
    }

    fn take(&mut self, is_end: bool) -> String {
        let bytes = std::mem::take(&mut self.held);
        let mut shown = String::with_capacity(bytes.len());
        let mut chunks = bytes.utf8_chunks().peekable();
        while let Some(chunk) = chunks.next() {
            let is_last = chunks.peek().is_none() && !is_end;
            let may_continue = is_last && chunk.invalid().is_empty();
            let rest = self.escape(chunk.valid(), may_continue, &mut shown);
            self.held.extend_from_slice(rest.as_bytes());
            if is_last && chunk.invalid().len() < 4 {
                self.held.extend_from_slice(chunk.invalid());
            } else if !chunk.invalid().is_empty() {
                shown.push(char::REPLACEMENT_CHARACTER);
            }
        }
        shown
    }

    /// Returns the end of a text that may continue.
    fn escape<'t>(&mut self, text: &'t str, may_continue: bool, shown: &mut String) -> &'t str {
        let mut rest = text;
        while let Some(c) = rest.chars().next() {
            let color = color(rest);
            if may_continue && (rest == "\r" || color == Some(0)) {
                return rest;
            }
            let length = match color {
                Some(length) if length > 0 => {
                    self.is_colored = true;
                    length
                }
                _ => c.len_utf8(),
            };
            let (part, after) = rest.split_at(length);
            match c {
                '\r' if after.starts_with('\n') => {}
                '\n' | '\t' => shown.push(c),
                _ if length == c.len_utf8() && is_hidden(c) => shown.extend(c.escape_default()),
                _ => shown.push_str(part),
            }
            rest = after;
        }
        rest
    }
}

/// The length of the color that a text begins with; 0 if it may be one that is not complete.
fn color(text: &str) -> Option<usize> {
    let rest = text.strip_prefix('\u{1b}')?;
    let Some(parameters) = rest.strip_prefix('[') else {
        return rest.is_empty().then_some(0);
    };
    let end = parameters.find(|c: char| !c.is_ascii_digit() && c != ';');
    match end {
        Some(end) => parameters
            .get(end..)?
            .starts_with('m')
            .then_some("\u{1b}[m".len() + end),
        None => (text.len() < LONGEST_COLOR).then_some(0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a terminal gets of these pieces.
    fn shown(pieces: &[&[u8]]) -> String {
        let mut escaping = Escaping::default();
        let mut shown: String = pieces.iter().map(|piece| escaping.push(piece)).collect();
        shown.push_str(&escaping.end());
        shown
    }

    #[test]
    fn what_could_steer_a_terminal_is_escaped() {
        for (text, expected) in [
            ("plain\tä\r\n", "plain\tä\n"),
            ("\u{1b}]0;title\u{7}", "\\u{1b}]0;title\\u{7}"),
            ("\u{1b}[2J\u{1b}[1;1H", "\\u{1b}[2J\\u{1b}[1;1H"),
            ("50%\r100%", "50%\\r100%"),
            ("\u{9b}2J \u{202e}", "\\u{9b}2J \\u{202e}"),
            ("\u{1b}[31mred\u{1b}[0m", "\u{1b}[31mred\u{1b}[0m\u{1b}[0m"),
            ("\u{1b}[38;5;1m", "\u{1b}[38;5;1m\u{1b}[0m"),
            ("end\u{1b}", "end\\u{1b}"),
            ("\u{1b}[1", "\\u{1b}[1"),
        ] {
            assert_eq!(shown(&[text.as_bytes()]), expected, "{text:?}");
            // The same if each byte comes alone.
            let bytes: Vec<&[u8]> = text.as_bytes().chunks(1).collect();
            assert_eq!(shown(&bytes), expected, "{text:?}");
        }
        assert_eq!(
            shown(&[b"a\xff\xc3", b"\xa4\xe2\x82"]),
            "a\u{fffd}ä\u{fffd}"
        );
    }

    #[test]
    fn what_is_held_back_is_short() {
        let mut escaping = Escaping::default();
        escaping.push(b"\x1b[");
        for _ in 0..1000 {
            escaping.push(b"1;");
            assert!(escaping.held.len() < LONGEST_COLOR);
        }
    }
}
