//! Markdown for a comment on a pull request or a chat: tables, and details folded.
//!
//! Names and values come from manifests and from a cluster. Each is shown as text, inside `<code>`, where
//! neither Markdown nor mentions nor links are recognized, and with entities for everything that could end
//! the element or begin something else.

use std::io::{self, Write};

use cronjob_text::printable::{printable, shortened};

/// GitHub accepts 65,536 characters.
const LONGEST: usize = 60_000;
/// Details may need what a table leaves.
const LONGEST_TABLE: usize = LONGEST / 2;
const MOST_ROWS: usize = 50;
const LONGEST_TEXT: usize = 400;
/// So are longer paragraphs in details.
const LONGEST_PARAGRAPH: usize = 1_500;

/// A comment. What does not fit is counted.
pub(super) struct MarkdownPage(String);

impl MarkdownPage {
    /// A page with a heading, which is Markdown.
    pub(super) fn new(heading: &str) -> Self {
        MarkdownPage(format!("### {heading}\n"))
    }

    pub(super) fn paragraph(&mut self, markdown: &str) {
        self.0.push_str(&format!("\n{markdown}\n"));
    }

    /// Adds a table of cells of Markdown; nothing if there are no rows.
    pub(super) fn table(&mut self, headings: &[&str], rows: impl IntoIterator<Item = Vec<String>>) {
        self.0.push_str(&table(headings, rows));
    }

    /// Adds blocks of Markdown that are folded; nothing if there are none.
    pub(super) fn details(&mut self, title: &str, blocks: impl IntoIterator<Item = String>) {
        let mut details = String::new();
        let mut left_out = 0;
        for block in blocks {
            if self.0.len() + details.len() + block.len() > LONGEST {
                left_out += 1;
            } else {
                details.push_str(&block);
            }
        }
        if left_out > 0 {
            details.push_str(&format!("\nand {left_out} more\n"));
        }
        if !details.is_empty() {
            self.0.push_str(&format!(
                "\n<details><summary>{title}</summary>\n{details}\n</details>\n"
            ));
        }
    }

    /// Adds a sentence in small print.
    pub(super) fn small_print(&mut self, text: &str) {
        self.paragraph(&format!("<sub>{}</sub>", sentence(text)));
    }

    pub(super) fn write(self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(self.0.as_bytes())
    }
}

/// A table of cells of Markdown; empty if there are no rows.
pub(super) fn table(headings: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let rows: Vec<Vec<String>> = rows.into_iter().collect();
    if rows.is_empty() {
        return String::new();
    }
    let mut text = format!("\n| {} |\n|", headings.join(" | "));
    text.push_str(&"---|".repeat(headings.len()));
    text.push('\n');
    let mut shown = 0;
    for row in rows.iter().take(MOST_ROWS) {
        let row = format!("| {} |\n", row.join(" | "));
        if text.len() + row.len() > LONGEST_TABLE {
            break;
        }
        text.push_str(&row);
        shown += 1;
    }
    if let Some(more) = rows.len().checked_sub(shown).filter(|more| *more > 0) {
        text.push_str(&format!("\nand {more} more\n"));
    }
    text
}

/// Markdown that stands out where it matters.
pub(super) fn emphasized(matters: bool, markdown: String) -> String {
    if matters {
        format!("**{markdown}**")
    } else {
        markdown
    }
}

/// `shop/nightly`
pub(super) fn named(namespace: &str, name: &str) -> String {
    code(&format!("{namespace}/{name}"))
}

/// A sentence in which every word that could be more than a word stands inside `<code>`.
pub(super) fn sentence(text: &str) -> String {
    of_words(text, LONGEST_TEXT)
}

pub(super) fn sentences(text: &str) -> String {
    of_words(text, LONGEST_PARAGRAPH)
}

fn of_words(text: &str, longest: usize) -> String {
    let text = shortened(&printable(text), longest);
    let words = quoted_words(&text).map(|word| {
        // Punctuation that belongs to the sentence stays outside.
        let rest = word.trim_start_matches('(');
        let core = rest.trim_end_matches(['.', ',', ';', ':', ')']);
        let (begin, _) = word.split_at(word.len() - rest.len());
        let (core, end) = rest.split_at(core.len());
        if is_word(core) || core.is_empty() && end.len() <= 1 {
            word.to_owned()
        } else {
            format!("{begin}{}{end}", code(core))
        }
    });
    words.collect::<Vec<_>>().join(" ")
}

/// The words of a text. A quoted value is one, with the spaces in it.
fn quoted_words(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let left = rest?;
        let inner = left.trim_start_matches('(').strip_prefix('"');
        let closing = inner.and_then(|inner| {
            let at = left.len() - inner.len() + inner.find('"')? + 1;
            let is_end = left.get(at..)?.starts_with([' ', '.', ',', ';', ':', ')']);
            (is_end || at == left.len()).then_some(at)
        });
        let from = closing.unwrap_or_default();
        let end = left.get(from..)?.find(' ').map(|space| from + space);
        let (word, after) = left.split_at(end.unwrap_or(left.len()));
        rest = end.and_then(|_| after.get(1..));
        Some(word)
    })
}

/// Whether a word is shown as it is by every dialect of Markdown: letters, a small number, a date, a time
/// of day or a duration.
fn is_word(word: &str) -> bool {
    let looks_like_commit = word.len() >= 7 && word.chars().all(|c| c.is_ascii_hexdigit());
    let letters = word.chars().all(|c| c.is_ascii_alphabetic()) && !looks_like_commit;
    let numbers = word.split(['-', ':']).all(|part| {
        let digits = part.bytes().take_while(u8::is_ascii_digit).count();
        let is_duration = part.len() <= 6 && part.ends_with(|c: char| "smhdy".contains(c));
        digits > 0 && digits <= 4 && (digits == part.len() || is_duration)
    });
    let plain = |c: char| c.is_ascii_alphanumeric() || "-:".contains(c);
    !word.is_empty() && (letters || (numbers && word.chars().all(plain)))
}

/// Foreign text, shown as it is.
pub(super) fn code(text: &str) -> String {
    let text = shortened(&printable(text), LONGEST_TEXT);
    let mut escaped = String::with_capacity(text.len() + 13);
    escaped.push_str("<code>");
    for c in text.chars() {
        match c {
            // A comment between the characters keeps addresses from being recognized.
            '@' | ':' | '.' if c != '.' || escaped.ends_with('w') => {
                escaped.push_str(&format!("&#{};<!-- -->", u32::from(c)));
            }
            c if c.is_ascii_punctuation() && !"-/,.".contains(c) => {
                escaped.push_str(&format!("&#{};", u32::from(c)));
            }
            c => escaped.push(c),
        }
    }
    escaped.push_str("</code>");
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_text_is_code() {
        assert_eq!(code("shop/nightly-1"), "<code>shop/nightly-1</code>");
        assert_eq!(
            code("<b>|`*_[x](y)"),
            "<code>&#60;b&#62;&#124;&#96;&#42;&#95;&#91;x&#93;&#40;y&#41;</code>"
        );
        assert_eq!(code("@a\n"), "<code>&#64;<!-- -->a&#92;n</code>");
        assert_eq!(
            code("https://www.x.y"),
            "<code>https&#58;<!-- -->//www&#46;<!-- -->x.y</code>"
        );
    }

    #[test]
    fn words_of_sentences_stay_and_the_rest_is_code() {
        for plain in [
            "Starts immediately (4h late).",
            "The run scheduled at Sat 2026-11-21 14:00 UTC",
            "3h7m",
        ] {
            assert_eq!(sentence(plain), plain);
        }
        assert_eq!(
            sentence("Deletes @team, x-1 and deadbeef."),
            "Deletes <code>&#64;<!-- -->team</code>, <code>x-1</code> and <code>deadbeef</code>."
        );
        assert_eq!(
            sentence("1234567 #1"),
            "<code>1234567</code> <code>&#35;1</code>"
        );
        let value = code("\"0 25 * * *\"");
        assert_eq!(
            sentence("Invalid value: \"0 25 * * *\": end (\"a b\") of \"c d"),
            format!(
                "Invalid value: {value}: end ({}) of {} d",
                code("\"a b\""),
                code("\"c")
            )
        );
        assert_eq!(sentence("a  b "), "a  b ");
    }
}
