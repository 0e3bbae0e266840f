//! Text for terminals and CI logs: whatever a name or a message contains, nothing is written that a terminal or
//! a runner would execute.

use std::io::{self, Write};

use anstream::ColorChoice;

use cronjob_text::printable::is_hidden;

/// A writer that lets text, line ends, tabs and the colors of [`style`](super::style) pass, and writes
/// everything else that is not shown as it is as an escape. The same goes for what GitHub's runner takes for
/// a workflow command: `::` at the beginning of a line, and `##[` anywhere.
pub(crate) struct Filtered<W: Write> {
    inner: W,
    /// The beginning of a character or sequence that is not complete yet.
    pending: Vec<u8>,
    filter: Filter,
}

impl<W: Write> Filtered<W> {
    /// Filters what is written to `inner`, with or without colors.
    pub(crate) fn new(inner: W, colors: ColorChoice) -> Self {
        Filtered {
            inner,
            pending: Vec::new(),
            filter: Filter {
                is_plain: colors == ColorChoice::Never,
                ..Filter::default()
            },
        }
    }
}

impl<W: Write> Write for Filtered<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.pending.is_empty() {
            let plain = self.filter.plain(bytes);
            if plain > 0 {
                self.inner
                    .write_all(bytes.get(..plain).unwrap_or_default())?;
                return Ok(plain);
            }
        }
        self.pending.extend_from_slice(bytes);
        let complete = match std::str::from_utf8(&self.pending) {
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            _ => self.pending.len(),
        };
        let rest = self.pending.split_off(complete);
        let text = String::from_utf8_lossy(&self.pending);
        let mut shown = String::with_capacity(text.len());
        let left = self.filter.pass(&text, &mut shown);
        self.pending = [left.as_bytes(), &rest].concat();
        self.inner.write_all(shown.as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

impl<W: Write> Drop for Filtered<W> {
    fn drop(&mut self) {
        let mut shown = String::new();
        for c in String::from_utf8_lossy(&self.pending).chars() {
            if is_hidden(c) {
                self.filter.escape(c, &mut shown);
            } else {
                self.filter.show(c, &mut shown);
            }
        }
        // There is no way to report an error here.
        let _ = self.inner.write_all(shown.as_bytes());
    }
}

#[derive(Default)]
struct Filter {
    /// Without colors.
    is_plain: bool,
    line: Line,
    /// How many `#` were written last.
    hashes: usize,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Line {
    #[default]
    Blank,
    Colon,
    Text,
}

impl Filter {
    /// Adds to what is shown, and returns the end of the text if it is not complete.
    fn pass<'t>(&mut self, text: &'t str, shown: &mut String) -> &'t str {
        let mut rest = text;
        while let Some(c) = rest.chars().next() {
            let plain = self.plain(rest.as_bytes());
            let taken = match c {
                _ if plain > 0 => {
                    shown.push_str(rest.get(..plain).unwrap_or_default());
                    plain
                }
                '\x1b' => match style(rest) {
                    Style::Ours(length) => {
                        let shows = rest.get(..length).filter(|_| !self.is_plain);
                        shown.push_str(shows.unwrap_or_default());
                        length
                    }
                    Style::Incomplete => return rest,
                    Style::Other => self.escape(c, shown),
                },
                '\r' if rest.len() == 1 => return rest,
                '\r' if rest.starts_with("\r\n") => self.show(c, shown),
                '\n' | '\t' => self.show(c, shown),
                c if is_hidden(c) => self.escape(c, shown),
                ':' if self.line == Line::Colon => self.escape(c, shown),
                '[' if self.hashes > 1 => self.escape(c, shown),
                c => self.show(c, shown),
            };
            rest = rest.get(taken..).unwrap_or_default();
        }
        rest
    }

    /// How many bytes pass without further checks: almost all.
    fn plain(&mut self, bytes: &[u8]) -> usize {
        if self.hashes > 0 {
            return 0;
        }
        let mut line = self.line;
        let special = |(index, byte): (usize, &u8)| {
            line = match byte {
                b'\n' => Line::Blank,
                b'\r' if bytes.get(index + 1) == Some(&b'\n') => line,
                b' ' => line,
                b'#' => return true,
                b':' if line != Line::Text => return true,
                b'!'..=b'~' => Line::Text,
                _ => return true,
            };
            false
        };
        let plain = bytes.iter().enumerate().position(special);
        let plain = plain.unwrap_or(bytes.len());
        self.line = line;
        plain
    }

    fn show(&mut self, c: char, shown: &mut String) -> usize {
        shown.push(c);
        self.line = match c {
            '\n' => Line::Blank,
            ':' if self.line == Line::Blank => Line::Colon,
            c if c.is_whitespace() => self.line,
            _ => Line::Text,
        };
        self.hashes = if c == '#' { self.hashes + 1 } else { 0 };
        c.len_utf8()
    }

    fn escape(&mut self, c: char, shown: &mut String) -> usize {
        if c.is_ascii_control() {
            shown.extend(c.escape_default());
        } else {
            shown.extend(c.escape_unicode());
        }
        (self.line, self.hashes) = (Line::Text, 0);
        c.len_utf8()
    }
}

enum Style {
    /// A sequence of ours, and its length.
    Ours(usize),
    Other,
    /// One of ours, or another one.
    Incomplete,
}

fn style(text: &str) -> Style {
    /// Those of [`style`](super::style), and those of clap's help.
    const OURS: [&str; 9] = [
        "\x1b[0m",
        "\x1b[1m",
        "\x1b[2m",
        "\x1b[4m",
        "\x1b[31m",
        "\x1b[31;1m",
        "\x1b[32m",
        "\x1b[33m",
        "\x1b[36;1m",
    ];
    match OURS.iter().find(|ours| text.starts_with(**ours)) {
        Some(ours) => Style::Ours(ours.len()),
        None if OURS.iter().any(|ours| ours.starts_with(text)) => Style::Incomplete,
        None => Style::Other,
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use anstream::ColorChoice;

    use super::Filtered;
    use crate::output::style::{Meaning, styled};

    /// The filtered text, whatever pieces it is written in.
    fn filtered(text: &str) -> String {
        let written = |size: usize| {
            let mut out = Vec::new();
            let mut filtered = Filtered::new(&mut out, ColorChoice::Always);
            for piece in text.as_bytes().chunks(size) {
                filtered.write_all(piece).unwrap();
                filtered.flush().unwrap();
            }
            drop(filtered);
            String::from_utf8(out).unwrap()
        };
        let whole = written(text.len().max(1));
        for size in 1..text.len() {
            assert_eq!(written(size), whole, "in pieces of {size}");
        }
        whole
    }

    #[test]
    fn text_line_ends_and_own_colors_pass() {
        use Meaning::{Bad, Faint, Help, Odd, Plain, Strong};
        for meaning in [Plain, Strong, Faint, Bad, Odd, Help] {
            let text = styled(meaning, "grün 夜\t👍");
            assert_eq!(filtered(&text), text);
        }
        let lines = "a: b\r\n\n  c # d ## e\n:f :: g\n";
        assert_eq!(filtered(lines), lines);
    }

    #[test]
    fn what_a_terminal_executes_is_escaped() {
        assert_eq!(
            filtered("a\x1b[8mb\x1b]0;c\x07\x1b[2Jd\re\u{9b}31m\u{202e}\u{200b}\u{2028}"),
            r"a\u{1b}[8mb\u{1b}]0;c\u{7}\u{1b}[2Jd\re\u{9b}31m\u{202e}\u{200b}\u{2028}"
        );
        assert_eq!(filtered("a\x1b[3"), r"a\u{1b}[3");
        assert_eq!(filtered("a\r"), r"a\r");
    }

    #[test]
    fn what_a_runner_executes_is_escaped() {
        assert_eq!(
            filtered("::error::x\n \u{a0}::stop-commands::y\n\x1b[1m::add-mask::z"),
            ":\\u{3a}error::x\n \u{a0}:\\u{3a}stop-commands::y\n\x1b[1m:\\u{3a}add-mask::z"
        );
        let debug = filtered("a ##[debug]b ###[c");
        assert_eq!(debug, r"a ##\u{5b}debug]b ###\u{5b}c");
    }

    #[test]
    fn bytes_that_are_not_utf_8_do_not_pass() {
        let mut out = Vec::new();
        let mut filtered = Filtered::new(&mut out, ColorChoice::Always);
        filtered.write_all(b"a\x9b31m\xff\xe2").unwrap();
        drop(filtered);
        let text = String::from_utf8(out).unwrap();
        assert_eq!(text, "a\u{fffd}31m\u{fffd}\u{fffd}");
    }
}
