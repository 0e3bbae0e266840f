//! Lines for a person at a terminal: headings, labels, text that is broken between words.

use std::io::{self, Write};

use super::style::{Meaning, styled};

/// Lines are broken before this column.
pub(super) const WIDTH: usize = 80;

/// A line that begins a part, after an empty one.
pub(super) fn heading(out: &mut dyn Write, text: &str) -> io::Result<()> {
    writeln!(out, "\n{}", styled(Meaning::Strong, text))
}

/// A line with a label in front.
pub(super) fn entry(out: &mut dyn Write, label: &str, text: &str) -> io::Result<()> {
    write!(out, "  {}", styled(Meaning::Faint, format!("{label:<12}")))?;
    hanging(out, 14, text)
}

/// Text below an indent.
pub(super) fn paragraph(out: &mut dyn Write, indent: usize, text: &str) -> io::Result<()> {
    write!(out, "{:indent$}", "")?;
    hanging(out, indent, text)
}

/// Writes text of which the first line is begun at a column already, broken between words.
pub(super) fn hanging(out: &mut dyn Write, indent: usize, text: &str) -> io::Result<()> {
    let mut column = indent;
    for (index, word) in text.split(' ').enumerate() {
        let width = word.chars().count();
        if index > 0 && column + 1 + width > WIDTH {
            write!(out, "\n{:indent$}", "")?;
            column = indent;
        } else if index > 0 {
            write!(out, " ")?;
            column += 1;
        }
        write!(out, "{word}")?;
        column += width;
    }
    writeln!(out)
}
