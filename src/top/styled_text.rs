//! Text with escape sequences for colors, wrapped and scrolled.

use ratatui::style::Style;
use ratatui::text::Span;

use cronjob_text::printable;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct StyledText {
    text: String,
    width: usize,
    lines: Vec<Line>,
    /// The number of lines above the first visible one.
    scroll: usize,
}

/// A line in parts of one style.
pub(crate) type Line = Vec<Span<'static>>;

impl StyledText {
    pub fn new(width: usize) -> Self {
        StyledText {
            width,
            ..StyledText::default()
        }
    }

    pub fn of(text: &str, width: usize) -> Self {
        let mut paper = StyledText::new(width);
        paper.set(text);
        paper
    }

    /// Replaces the text, but keeps the scroll position.
    pub fn set(&mut self, text: &str) {
        if self.text != text {
            text.clone_into(&mut self.text);
            self.wrap();
        }
    }

    pub fn add(&mut self, text: &str) {
        self.text.push_str(text);
        self.wrap();
    }

    /// Wraps the text for another width.
    pub fn set_width(&mut self, width: usize) {
        if self.width != width {
            self.width = width;
            self.wrap();
        }
    }

    fn wrap(&mut self) {
        let lines = self.text.lines().map(pieces);
        self.lines = lines.flat_map(|line| wrapped(line, self.width)).collect();
    }

    pub fn lines(&self) -> &[Line] {
        &self.lines
    }

    /// The first line, of a text that has only one.
    pub fn line(self) -> Line {
        self.lines.into_iter().next().unwrap_or_default()
    }

    /// The visible lines, and the number of lines above them.
    pub fn visible(&self, height: usize) -> (&[Line], usize) {
        let first = self.scroll.min(self.lines.len().saturating_sub(height));
        let end = (first + height).min(self.lines.len());
        (self.lines.get(first..end).unwrap_or_default(), first)
    }

    /// Scrolls; `height` is the number of visible lines.
    pub fn scroll_by(&mut self, lines: isize, height: usize) {
        let last = self.lines.len().saturating_sub(height);
        let from = self.scroll.min(last);
        self.scroll = from.saturating_add_signed(lines).min(last);
    }

    /// The last line that is not empty, without colors.
    pub fn last_line(&self) -> Option<String> {
        let plain = |line: &str| -> String {
            let pieces = pieces(line);
            pieces.into_iter().map(|piece| piece.content).collect()
        };
        let mut lines = self.text.lines().map(plain);
        lines.rfind(|line| !line.trim().is_empty())
    }
}

/// Splits a line at its escape sequences.
fn pieces(line: &str) -> Line {
    let mut pieces = Line::new();
    let mut style = Style::new();
    let mut rest = line;
    while !rest.is_empty() {
        let (text, after) = rest.split_once("\x1b[").unwrap_or((rest, ""));
        if !text.is_empty() {
            pieces.push(Span::styled(text.to_owned(), style));
        }
        // The program writes only sequences of the form `1;31m`.
        let (codes, after) = after.split_once('m').unwrap_or(("", after));
        for code in codes.split(';').filter(|code| !code.is_empty()) {
            style = styled_by(style, code);
        }
        rest = after;
    }
    pieces
}

fn styled_by(style: Style, code: &str) -> Style {
    match code {
        "0" => Style::new(),
        "1" => style.bold(),
        "2" => style.dim(),
        "31" => style.red(),
        "32" => style.green(),
        "33" => style.yellow(),
        "36" => style.cyan(),
        _ => style,
    }
}

/// Wraps a line, between words if possible. Continuation lines are indented like the first line.
fn wrapped(line: Line, width: usize) -> Vec<Line> {
    let taken: usize = line
        .iter()
        .map(|piece| printable::width(&piece.content))
        .sum();
    if taken <= width || width == 0 {
        return vec![line];
    }
    let characters: Vec<(char, Style)> = line
        .iter()
        .flat_map(|piece| piece.content.chars().map(|c| (c, piece.style)))
        .collect();
    let blanks = characters.iter().take_while(|(c, _)| *c == ' ').count();
    let indent = blanks.min(width / 2);
    let mut lines = Vec::new();
    let mut rest = characters.as_slice();
    while !rest.is_empty() {
        let first = lines.is_empty();
        let columns = if first { width } else { width - indent };
        let fits = fitting(rest, columns);
        let (taken, after) = if fits == rest.len() {
            (rest, &[] as &[_])
        } else {
            let gap = rest.iter().take(fits + 1).rposition(|(c, _)| *c == ' ');
            // Wrapping within the indentation would leave an empty line.
            let gap = gap.filter(|gap| *gap > if first { blanks } else { 0 });
            // A character wider than the line still needs a line.
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

/// The number of characters that fit into the columns.
fn fitting(characters: &[(char, Style)], columns: usize) -> usize {
    let mut taken = 0;
    let fits = characters.iter().take_while(|(c, _)| {
        taken += printable::width_of(*c);
        taken <= columns
    });
    fits.count()
}

/// Joins characters of one style, after a margin.
fn joined(margin: usize, characters: &[(char, Style)]) -> Line {
    let mut line = Line::new();
    if margin > 0 {
        line.push(Span::raw(" ".repeat(margin)));
    }
    for (c, style) in characters {
        match line.last_mut() {
            Some(piece) if piece.style == *style => piece.content.to_mut().push(*c),
            _ => line.push(Span::styled(c.to_string(), *style)),
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::style::{Meaning, styled};

    fn plain(paper: &StyledText) -> Vec<String> {
        let text = |line: &Line| line.iter().map(|piece| &*piece.content).collect();
        paper.lines().iter().map(text).collect()
    }

    #[test]
    fn colors_of_the_program_are_read() {
        let text = format!(
            "{} and {}",
            styled(Meaning::Bad, "no"),
            styled(Meaning::Odd, "hm")
        );
        let paper = StyledText::of(&text, 80);
        let styles: Vec<_> = paper.lines()[0].iter().map(|piece| piece.style).collect();
        let (red, yellow) = (Style::new().bold().red(), Style::new().yellow());
        assert_eq!(styles, [red, Style::new(), yellow]);
        assert_eq!(plain(&paper), ["no and hm"]);
        for meaning in [
            Meaning::Strong,
            Meaning::Faint,
            Meaning::Good,
            Meaning::Help,
        ] {
            let line = pieces(&styled(meaning, "x"));
            assert_ne!(line[0].style, Style::new(), "{meaning:?}");
        }
    }

    #[test]
    fn long_lines_are_wrapped_between_words() {
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
    fn scrolling_stays_within_the_lines() {
        let mut paper = StyledText::of("1\n2\n3\n4\n5", 10);
        let seen = |paper: &StyledText| paper.visible(3).1;
        paper.scroll_by(1, 3);
        assert_eq!(seen(&paper), 1);
        paper.scroll_by(10, 3);
        assert_eq!(seen(&paper), 2);
        paper.scroll_by(-1, 3);
        assert_eq!(seen(&paper), 1);
        paper.set("1\n2\n3");
        assert_eq!(seen(&paper), 0, "there is no more to see");
        assert_eq!(paper.last_line().as_deref(), Some("3"));
    }
}
