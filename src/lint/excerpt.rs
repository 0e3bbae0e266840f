//! A line of a text, as far as it is worth showing.

use crate::document::Place;

/// The line that a place begins on. Of a very long line, as JSON likes to have them, only what is
/// around the place is kept.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Excerpt {
    /// What is kept, without the end of the line.
    pub text: Box<str>,
    /// How many bytes of it stand before the place.
    pub before: usize,
    /// Whether more stands before it on its line.
    pub cut_before: bool,
    /// Whether more stands behind it on its line.
    pub cut_after: bool,
}

/// So many bytes are kept before a place, and as many behind its beginning.
const REACH: usize = 120;

impl Excerpt {
    /// What stands around the beginning of a place.
    pub fn of(text: &str, place: Place) -> Self {
        let at = boundary(text, place.span.range().start);
        let low = boundary(text, at.saturating_sub(REACH));
        let high = boundary(text, at.saturating_add(REACH));
        let before = text.get(low..at).unwrap_or_default();
        let after = text.get(at..high).unwrap_or_default();
        let (before, cut_before) = match before.rsplit_once('\n') {
            Some((_, before)) => (before, false),
            None => (before, low > 0),
        };
        let (after, cut_after) = match after.split_once('\n') {
            Some((after, _)) => (after, false),
            None => (after, high < text.len()),
        };
        let before = before.trim_start_matches('\u{feff}');
        Excerpt {
            text: format!("{before}{}", after.trim_end_matches('\r')).into(),
            before: before.len(),
            cut_before,
            cut_after,
        }
    }
}

/// The last beginning of a character that is no further than an offset.
fn boundary(text: &str, offset: usize) -> usize {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    offset
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Span;

    fn around(text: &str, at: u32) -> Excerpt {
        let span = Span { start: at, end: at };
        Excerpt::of(
            text,
            Place {
                span,
                ..Place::START
            },
        )
    }

    #[test]
    fn a_line_without_its_end() {
        let found = around("one\r\ntwo three\r\nfour", 9);
        assert_eq!((&*found.text, found.before), ("two three", 4));
        assert!(!found.cut_before && !found.cut_after);
        assert_eq!(&*around("\u{feff}a: 1", 3).text, "a: 1");
        assert_eq!(&*around("", 7).text, "");
    }

    #[test]
    fn of_a_long_line_only_the_surroundings() {
        let found = around(&"é".repeat(1000), 1001);
        assert!(found.cut_before && found.cut_after);
        // Two bytes each: 120 before the character that holds byte 1001, and 120 behind.
        assert_eq!((found.before, found.text.len()), (120, 240));
    }
}
