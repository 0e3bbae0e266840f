//! From bytes to text.

use super::finding::Found;
use crate::document::{Place, Span, wide_encoding};

/// The text that bytes are. What is no text is told of if it could have been a manifest.
pub(super) fn of(bytes: &[u8]) -> Result<&str, Option<Box<Found>>> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(text),
        Err(error) => Err(explain(bytes, error.valid_up_to()).map(Box::new)),
    }
}

/// The encoding of a manifest that is not in UTF-8 but in wider units.
pub fn wide_manifest(bytes: &[u8]) -> Option<&'static str> {
    let encoding = wide_encoding(bytes)?;
    // In each of these encodings an ASCII character is its own byte between zeros.
    let ascii: Vec<u8> = bytes.iter().copied().filter(|byte| *byte != 0).collect();
    holds(&ascii, KIND).then_some(encoding)
}

const KIND: &[u8] = b"CronJob";

fn explain(bytes: &[u8], offset: usize) -> Option<Found> {
    if !holds(bytes, KIND) {
        return None;
    }
    let (before, rest) = bytes.split_at_checked(offset)?;
    let start = before.iter().rposition(|byte| *byte == b'\n');
    let in_line = before.get(start.map_or(0, |newline| newline + 1)..)?;
    let narrow = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    let lines = before.split(|byte| *byte == b'\n').count();
    let characters = in_line.iter().filter(|byte| **byte & 0xC0 != 0x80).count();
    let at = narrow(offset);
    let place = Place {
        span: Span { start: at, end: at },
        line: narrow(lines),
        column: narrow(characters + 1),
    };
    let byte = rest.first()?;
    let message = format!("byte {offset} (0x{byte:02x}) is not UTF-8: save the file as UTF-8");
    Some(Found::new("", place, message))
}

fn holds(bytes: &[u8], wanted: &[u8]) -> bool {
    bytes.windows(wanted.len()).any(|window| window == wanted)
}
