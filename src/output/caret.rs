//! An expression with a caret under the part that is wrong.

use std::ops::Range;

use super::style::{Meaning, styled};
use cronjob_text::printable::{printable, shortened, width, width_of};

/// Two indented lines: the text, and carets under a range of its bytes.
pub(crate) fn underline(text: &str, range: Range<usize>) -> String {
    // What is shown may be wider than what was written, so columns are counted in what is shown.
    let part = |range: Range<usize>| printable(text.get(range).unwrap_or_default());
    let (before, wrong, after) = (
        part(0..range.start),
        part(range.start..range.end),
        part(range.end..text.len()),
    );
    let before = ending(&before);
    let carets = width(&wrong).clamp(1, MARKED);
    let (marks, indent) = (
        styled(Meaning::Bad, "^".repeat(carets)),
        " ".repeat(width(&before)),
    );
    let (wrong, after) = (shortened(&wrong, MARKED), shortened(&after, AROUND));
    format!("  {before}{wrong}{after}\n  {indent}{marks}")
}

/// How many characters are shown before and after the marked part.
const AROUND: usize = 120;
/// How many characters of the marked part are shown.
const MARKED: usize = 120;

/// The end of a text that is too long.
fn ending(text: &str) -> String {
    let mut columns = 0;
    let fits = text.char_indices().rev().find(|(_, c)| {
        columns += width_of(*c);
        columns >= AROUND
    });
    match fits {
        Some((index, _)) if index > 0 => format!("…{}", text.get(index..).unwrap_or_default()),
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::underline;

    fn plain(text: &str, range: std::ops::Range<usize>) -> String {
        anstream::adapter::strip_str(&underline(text, range)).to_string()
    }

    #[test]
    fn carets_stand_below_wide_and_hidden_characters() {
        assert_eq!(plain("夜 7", 4..5), "  夜 7\n     ^");
        assert_eq!(
            plain("e\u{301}\u{200b}7", 6..7),
            "  e\u{301}\\u{200b}7\n           ^"
        );
        assert_eq!(plain("夜", 0..3), "  夜\n  ^^");
    }

    #[test]
    fn long_text_is_cut_around_what_is_wrong() {
        let text = ["0,".repeat(50_000), "61".to_owned(), ",0".repeat(50_000)].concat();
        let shown = plain(&text, 100_000..100_002);
        let (line, marks) = shown.split_once('\n').unwrap();
        assert!(
            line.starts_with("  …") && line.ends_with('…') && line.len() < 300,
            "{line}"
        );
        assert_eq!(marks.trim_start(), "^^");
        assert_eq!(line.chars().nth(marks.find('^').unwrap()), Some('6'));
        assert!(plain(&"x".repeat(100_000), 0..100_000).len() < 300);
    }
}
