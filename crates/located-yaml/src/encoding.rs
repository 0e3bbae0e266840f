//! Encodings that are not UTF-8.

use super::node::{Place, Span, narrow};

/// The first byte of a text that is not UTF-8.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvalidByte {
    pub byte: u8,
    /// Its place, in characters as far as the text is valid.
    pub place: Place,
}

impl InvalidByte {
    pub fn at(bytes: &[u8], offset: usize) -> Self {
        let (before, rest) = bytes.split_at_checked(offset).unwrap_or((bytes, &[]));
        let lines = before.split(|byte| *byte == b'\n');
        let in_line = lines.clone().next_back().unwrap_or_default();
        let characters = in_line.iter().filter(|byte| **byte & 0xC0 != 0x80).count();
        InvalidByte {
            byte: rest.first().copied().unwrap_or_default(),
            place: Place {
                span: Span::new(offset, offset),
                line: narrow(lines.count()),
                column: narrow(characters + 1),
            },
        }
    }
}

/// Detects UTF-16 and UTF-32 by the byte order mark, or by the zeros beside the first ASCII
/// characters.
pub fn wide_encoding(bytes: &[u8]) -> Option<&'static str> {
    const ASCII: std::ops::RangeInclusive<u8> = 1..=0x7F;
    match bytes {
        [0xFF, 0xFE, 0, 0, ..] | [0, 0, 0xFE, 0xFF, ..] => Some("UTF-32"),
        [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] => Some("UTF-16"),
        [0, 0, 0, a, ..] | [a, 0, 0, 0, ..] if ASCII.contains(a) => Some("UTF-32"),
        [0, a, 0, b, ..] | [a, 0, b, 0, ..] if ASCII.contains(a) && ASCII.contains(b) => {
            Some("UTF-16")
        }
        _ => None,
    }
}
