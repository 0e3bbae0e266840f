//! A text with escape sequences for colors, broken into lines of a width, and scrolled.

use crate::printable;

/// A text in lines.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StyledText {
    text: String,
    width: usize,
    lines: Vec<Line>,
    /// How many lines are above the first that is seen.
    scroll: usize,
}

/// A line in pieces that look alike.
pub(crate) type Line = Vec<StyledSpan>;

/// Text that looks alike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StyledSpan {
    /// The text.
    pub text: String,
    /// How it looks.
    pub ink: TextStyle,
}

/// How text looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TextStyle {
    /// Bold.
    pub bold: bool,
    /// Faint.
    pub faint: bool,
    /// In a color.
    pub color: Option<TextColor>,
}

/// The colors in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are those of the colors")]
pub enum TextColor {
    Red,
    Yellow,
    Cyan,
}

impl StyledText {
    /// An empty one.
    pub fn new(width: usize) -> Self {
        StyledText {
            width,
            ..StyledText::default()
        }
    }

    /// One with a text.
    pub fn of(text: &str, width: usize) -> Self {
        let mut paper = StyledText::new(width);
        paper.set(text);
        paper
    }

    /// Replaces the text; what is seen of it stays where it is.
    pub fn set(&mut self, text: &str) {
        if self.text != text {
            text.clone_into(&mut self.text);
            self.lay_out();
        }
    }

    /// Adds to the text.
    pub fn add(&mut self, text: &str) {
        self.text.push_str(text);
        self.lay_out();
    }

    /// Breaks the lines anew.
    pub fn set_width(&mut self, width: usize) {
        if self.width != width {
            self.width = width;
            self.lay_out();
        }
    }

    fn lay_out(&mut self) {
        let lines = self.text.lines().map(pieces);
        self.lines = lines.flat_map(|line| broken(line, self.width)).collect();
    }

    /// All lines.
    pub fn lines(&self) -> &[Line] {
        &self.lines
    }

    /// The lines that are seen where there is room for so many, and how many are above them.
    pub fn seen(&self, room: usize) -> (&[Line], usize) {
        let first = self.scroll.min(self.lines.len().saturating_sub(room));
        let end = (first + room).min(self.lines.len());
        (self.lines.get(first..end).unwrap_or_default(), first)
    }

    /// Moves up or down; `room` is how many lines are seen at a time.
    pub fn scroll_by(&mut self, lines: isize, room: usize) {
        let last = self.lines.len().saturating_sub(room);
        let from = self.scroll.min(last);
        self.scroll = from.saturating_add_signed(lines).min(last);
    }

    /// The last line that says something, without colors.
    pub fn last_words(&self) -> Option<String> {
        let plain = |line: &str| -> String {
            let pieces = pieces(line);
            pieces.into_iter().map(|piece| piece.text).collect()
        };
        let mut lines = self.text.lines().map(plain);
        lines.rfind(|line| !line.trim().is_empty())
    }
}

/// A line of text with escape sequences, in pieces.
fn pieces(line: &str) -> Line {
    let mut pieces = Line::new();
    let mut ink = TextStyle::default();
    let mut rest = line;
    while !rest.is_empty() {
        let (text, after) = rest.split_once("\x1b[").unwrap_or((rest, ""));
        if !text.is_empty() {
            pieces.push(StyledSpan {
                text: text.to_owned(),
                ink,
            });
        }
        // Only sequences of the form `1;31m` are written here.
        let (codes, after) = after.split_once('m').unwrap_or(("", after));
        for code in codes.split(';').filter(|code| !code.is_empty()) {
            ink = ink.after(code);
        }
        rest = after;
    }
    pieces
}

impl TextStyle {
    fn after(self, code: &str) -> TextStyle {
        match code {
            "0" => TextStyle::default(),
            "1" => TextStyle { bold: true, ..self },
            "2" => TextStyle {
                faint: true,
                ..self
            },
            "31" => self.colored(TextColor::Red),
            "33" => self.colored(TextColor::Yellow),
            "36" => self.colored(TextColor::Cyan),
            _ => self,
        }
    }

    fn colored(self, color: TextColor) -> TextStyle {
        TextStyle {
            color: Some(color),
            ..self
        }
    }
}

/// A line in lines that are no wider than that, broken between words where there are any; the ones
/// after the first are indented as the first is.
fn broken(line: Line, width: usize) -> Vec<Line> {
    let taken: usize = line.iter().map(|piece| printable::width(&piece.text)).sum();
    if taken <= width || width == 0 {
        return vec![line];
    }
    let characters: Vec<(char, TextStyle)> = line
        .iter()
        .flat_map(|piece| piece.text.chars().map(|c| (c, piece.ink)))
        .collect();
    let blanks = characters.iter().take_while(|(c, _)| *c == ' ').count();
    let indent = blanks.min(width / 2);
    let mut lines = Vec::new();
    let mut rest = characters.as_slice();
    while !rest.is_empty() {
        let first = lines.is_empty();
        let room = if first { width } else { width - indent };
        let fits = fitting(rest, room);
        let (taken, after) = if fits == rest.len() {
            (rest, &[] as &[_])
        } else {
            let gap = rest.iter().take(fits + 1).rposition(|(c, _)| *c == ' ');
            // A gap within the indent would leave an empty line.
            let gap = gap.filter(|gap| *gap > if first { blanks } else { 0 });
            // What is wider than the line is put into it all the same.
            let at = gap.unwrap_or(fits.max(1));
            let (taken, after) = rest.split_at_checked(at).unwrap_or((rest, &[]));
            let skipped = after.iter().take_while(|(c, _)| *c == ' ').count();
            (taken, after.get(skipped..).unwrap_or_default())
        };
        let margin = if first { 0 } else { indent };
        lines.push(joined(margin, taken));
        rest = after;
    }
    lines
}

/// How many characters fit into so many columns.
fn fitting(characters: &[(char, TextStyle)], columns: usize) -> usize {
    let mut taken = 0;
    let fits = characters.iter().take_while(|(c, _)| {
        taken += printable::width_of(*c);
        taken <= columns
    });
    fits.count()
}

/// Characters as pieces, after so many blanks.
fn joined(margin: usize, characters: &[(char, TextStyle)]) -> Line {
    let mut line = Line::new();
    if margin > 0 {
        line.push(StyledSpan {
            text: " ".repeat(margin),
            ink: TextStyle::default(),
        });
    }
    for (c, ink) in characters {
        match line.last_mut() {
            Some(piece) if piece.ink == *ink => piece.text.push(*c),
            _ => line.push(StyledSpan {
                text: c.to_string(),
                ink: *ink,
            }),
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::style::{Meaning, styled};

    fn plain(paper: &StyledText) -> Vec<String> {
        let text = |line: &Line| line.iter().map(|piece| piece.text.as_str()).collect();
        paper.lines().iter().map(text).collect()
    }

    #[test]
    fn colours_of_the_house_are_read() {
        let text = format!(
            "{} and {}",
            styled(Meaning::Bad, "no"),
            styled(Meaning::Odd, "hm")
        );
        let paper = StyledText::of(&text, 80);
        let inks: Vec<_> = paper.lines()[0].iter().map(|piece| piece.ink).collect();
        let red = TextStyle {
            bold: true,
            color: Some(TextColor::Red),
            ..TextStyle::default()
        };
        let yellow = TextStyle {
            color: Some(TextColor::Yellow),
            ..TextStyle::default()
        };
        assert_eq!(inks, [red, TextStyle::default(), yellow]);
        assert_eq!(plain(&paper), ["no and hm"]);
        for meaning in [Meaning::Strong, Meaning::Faint, Meaning::Help] {
            let line = pieces(&styled(meaning, "x"));
            assert_ne!(line[0].ink, TextStyle::default(), "{meaning:?}");
        }
    }

    #[test]
    fn long_lines_are_broken_between_words() {
        let paper = StyledText::of("  one two three\nshort\n\nabcdefghijklm", 10);
        let lines = ["  one two", "  three", "short", "", "abcdefghij", "klm"];
        assert_eq!(plain(&paper), lines);
        let narrow = StyledText::of("             far", 8);
        assert_eq!(plain(&narrow), ["        ", "    far"]);
    }

    #[test]
    fn wide_characters_take_two_columns() {
        let paper = StyledText::of("  夜間 夜間 夜間夜間夜間", 10);
        assert_eq!(plain(&paper), ["  夜間", "  夜間", "  夜間夜間", "  夜間"]);
        assert_eq!(plain(&StyledText::of("夜", 1)), ["夜"]);
        assert_eq!(plain(&StyledText::of("夜間", 1)), ["夜", "間"]);
    }

    #[test]
    fn it_scrolls_within_its_lines() {
        let mut paper = StyledText::of("1\n2\n3\n4\n5", 10);
        let seen = |paper: &StyledText| paper.seen(3).1;
        paper.scroll_by(1, 3);
        assert_eq!(seen(&paper), 1);
        paper.scroll_by(10, 3);
        assert_eq!(seen(&paper), 2);
        paper.scroll_by(-1, 3);
        assert_eq!(seen(&paper), 1);
        paper.set("1\n2\n3");
        assert_eq!(seen(&paper), 0, "there is no more to see");
        assert_eq!(paper.last_words().as_deref(), Some("3"));
    }
}
