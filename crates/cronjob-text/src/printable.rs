//! Text as it can be shown safely, and how many columns it takes.
//!
//! Names, schedules and messages come from files and clusters. A terminal executes some characters instead
//! of showing them, others are invisible or reorder what stands around them. All of these are shown as
//! escapes, such as `\u{1b}`.

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// Whether a character is shown as an escape: a control character, one that changes the direction of text,
/// or one that cannot be seen.
pub fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}')
}

/// The text in one line, with escapes for what is hidden.
pub fn printable(text: &str) -> String {
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return text.to_owned();
    }
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if is_hidden(c) {
            shown.extend(c.escape_default());
        } else {
            shown.push(c);
        }
    }
    shown
}

/// The last character boundary at or before an offset.
pub fn floor_char_boundary(text: &str, offset: usize) -> usize {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    offset
}

/// The most lines of a text that are shown below each other.
const MOST_LINES: usize = 40;
/// The most columns of such a line.
const LONGEST_LINE: usize = 1_000;

/// The lines of a text, where several can be shown: each with escapes for what is hidden. Of a very long
/// text the first lines are shown.
pub fn printable_lines(text: &str) -> Vec<String> {
    let text = text.trim_end();
    let mut lines: Vec<String> = text
        .lines()
        .take(MOST_LINES)
        .map(|line| shortened(&printable(&line.replace('\t', "    ")), LONGEST_LINE))
        .collect();
    if text.lines().nth(MOST_LINES).is_some() {
        lines.push("…".to_owned());
    }
    lines
}

/// A message from the cluster in one line, without control characters.
pub fn one_line(message: &str) -> String {
    const LONGEST: usize = 300;
    let plain = message.replace(char::is_control, " ");
    let plain = plain.trim();
    let mut short: String = plain.chars().take(LONGEST).collect();
    if short.len() < plain.len() {
        short.push('…');
    }
    short
}

/// How many columns a text takes. Escape sequences for colors take none.
pub fn width(text: &str) -> usize {
    parts(text).map(|(shown, _)| shown.width()).sum()
}

/// How many columns a character takes by itself.
pub fn width_of(c: char) -> usize {
    c.width().unwrap_or(0)
}

/// The text, or as much of it as takes no more columns than that. Escape sequences for colors are kept, so
/// that a color that begins also ends.
pub fn clipped(text: &str, columns: usize) -> String {
    let mut clipped = String::new();
    let mut columns_left = columns;
    for (shown, sequence) in parts(text) {
        let (fits, rest) = shown.split_at(end_of(shown, columns_left));
        clipped.push_str(fits);
        columns_left = if rest.is_empty() {
            columns_left.saturating_sub(fits.width())
        } else {
            0
        };
        clipped.push_str(sequence);
    }
    clipped
}

/// The text, or as much of it as fits together with a sign that there is more.
pub fn shortened(text: &str, columns: usize) -> String {
    if text.len() <= columns || width(text) <= columns {
        return text.to_owned();
    }
    format!("{}…", clipped(text, columns.saturating_sub(1)).trim_end())
}

/// Text up to an escape sequence for colors, and the sequence.
fn parts(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let start = rest.find("\x1b[").unwrap_or(rest.len());
        let (shown, after) = rest.split_at(start);
        let end = after.find(|c: char| c.is_ascii_alphabetic());
        let (sequence, after) = after.split_at(end.map_or(after.len(), |end| end + 1));
        rest = after;
        Some((shown, sequence))
    })
}

/// Where a text has to be cut to take no more columns than that. Nothing is cut from the marks that belong to
/// a character.
fn end_of(text: &str, columns: usize) -> usize {
    /// Marks beyond these bytes make a character no wider.
    const LONGEST: usize = 32;
    // Where the character begins that the marks belong to, the columns before it, and its own.
    let (mut begin, mut before, mut own) = (0, 0, 0);
    for (index, c) in text.char_indices() {
        let is_mark = width_of(c) == 0 || matches!(c, '\u{1f3fb}'..='\u{1f3ff}');
        if !is_mark {
            before += own;
            begin = index;
        }
        let character = text.get(begin..index + c.len_utf8()).unwrap_or_default();
        if character.len() <= LONGEST {
            own = character.width();
        }
        if before + own > columns {
            return begin;
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::{clipped, one_line, printable, printable_lines, shortened, width};

    #[test]
    fn lines_stay_lines_and_the_rest_is_escaped_once() {
        let text = "password authentication failed\r\n\thint: \u{1b}[31mred \\n\n";
        assert_eq!(
            printable_lines(text),
            [
                "password authentication failed",
                r"    hint: \u{1b}[31mred \n"
            ]
        );
        assert_eq!(printable_lines("\n"), [""; 0]);
        let many = printable_lines(&"line\n".repeat(100_000));
        assert_eq!((many.len(), many.last().unwrap().as_str()), (41, "…"));
        assert_eq!(
            printable_lines(&"x".repeat(1 << 20))[0].chars().count(),
            1_000
        );
    }

    #[test]
    fn one_line_has_no_control_characters_and_an_end() {
        assert_eq!(one_line(" a\nb\u{1b}[31m "), "a b [31m");
        assert_eq!(one_line(&"é".repeat(400)).chars().count(), 301);
    }

    #[test]
    fn hidden_characters_are_shown_as_escapes() {
        assert_eq!(printable("grün 夜 👍🏽"), "grün 夜 👍🏽");
        assert_eq!(
            printable("a\u{1b}[31mb\r\n\t\u{7f}\u{9b}"),
            r"a\u{1b}[31mb\r\n\t\u{7f}\u{9b}"
        );
        for c in "\u{202a}\u{202e}\u{2066}\u{2069}\u{200e}\u{200f}\u{61c}\u{200b}\u{200d}\u{2060}\u{feff}\
                  \u{2028}\u{2029}"
            .chars()
        {
            let expected = format!("<\\u{{{:x}}}>", u32::from(c));
            assert_eq!(printable(&format!("<{c}>")), expected);
        }
    }

    #[test]
    fn width_of_wide_and_combined_characters_and_of_styled_text() {
        assert_eq!(width("nightly"), 7);
        assert_eq!(width("夜間"), 4);
        assert_eq!(width("e\u{301}"), 1);
        assert_eq!(width("👍🏽"), 2);
        assert_eq!(width("❤\u{fe0f}"), 2);
        assert_eq!(width("\x1b[1m\x1b[31mno\x1b[0m"), 2);
    }

    #[test]
    fn clipped_text_keeps_colors_and_whole_characters() {
        assert_eq!(clipped("short", 10), "short");
        assert_eq!(clipped("much too long", 8), "much too");
        assert_eq!(
            clipped("\x1b[1mbold and long\x1b[0m", 4),
            "\x1b[1mbold\x1b[0m"
        );
        assert_eq!(clipped("grün", 3), "grü");
        assert_eq!(clipped("夜間", 3), "夜");
        assert_eq!(clipped("e\u{301}e\u{301}", 1), "e\u{301}");
        assert_eq!(clipped("a❤\u{fe0f}b", 2), "a");
        assert_eq!(clipped("\x1b[1m夜\x1b[0mabc", 1), "\x1b[1m\x1b[0m");
    }

    #[test]
    fn shortened_text_shows_that_there_is_more() {
        assert_eq!(shortened("just fits", 9), "just fits");
        assert_eq!(shortened("does not fit", 9), "does not…");
        assert_eq!(shortened("夜間夜間", 8), "夜間夜間");
        assert_eq!(shortened("夜間夜間", 7), "夜間夜…");
    }
}
