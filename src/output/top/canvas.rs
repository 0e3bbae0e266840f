//! Text on the screen.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::theme;
use crate::top::Line;
use cronjob_text::printable::printable;

/// A screen to write text on. Text that does not fit is cut.
pub(super) struct Canvas<'b> {
    buffer: &'b mut Buffer,
}

impl<'b> Canvas<'b> {
    pub(super) fn new(buffer: &'b mut Buffer) -> Self {
        buffer.reset();
        Canvas { buffer }
    }

    pub(super) fn width(&self) -> u16 {
        self.buffer.area.width
    }

    pub(super) fn height(&self) -> u16 {
        self.buffer.area.height
    }

    /// Writes text, and returns the column after it.
    pub(super) fn put(&mut self, x: u16, y: u16, text: &str, style: Style) -> u16 {
        self.put_within(x, y, text, self.width().saturating_sub(x), style)
    }

    /// Writes text into at most `columns` columns. An ellipsis shows that it was cut.
    pub(super) fn put_within(
        &mut self,
        x: u16,
        y: u16,
        text: &str,
        columns: u16,
        style: Style,
    ) -> u16 {
        if y >= self.height() || x >= self.width() || columns == 0 {
            return x;
        }
        let text = printable(text);
        let columns = columns.min(self.width() - x);
        let fits = width(&text) <= columns;
        let most = usize::from(if fits { columns } else { columns - 1 });
        let (end, _) = self.buffer.set_stringn(x, y, &text, most, style);
        if fits {
            return end;
        }
        let (end, _) = self.buffer.set_stringn(end, y, "…", 1, style);
        end
    }

    /// Writes text at the right edge, and returns its first column.
    pub(super) fn put_right(&mut self, y: u16, text: &str, style: Style) -> u16 {
        let x = self.width().saturating_sub(width(&printable(text)));
        self.put(x, y, text, style);
        x
    }

    /// Writes a line of styled text between two columns.
    pub(super) fn put_line(&mut self, x: u16, y: u16, end: u16, line: &Line) {
        let mut x = x;
        for piece in line {
            let columns = end.saturating_sub(x);
            x = self.put_within(x, y, &piece.content, columns, piece.style);
        }
    }

    pub(super) fn put_lines(&mut self, top: u16, lines: &[Line]) {
        for (y, line) in (top..).zip(lines) {
            self.put_line(0, y, self.width(), line);
        }
    }

    /// Draws a horizontal line with a title.
    pub(super) fn rule(&mut self, y: u16, title: &str) {
        let rule = "─".repeat(usize::from(self.width()));
        self.put(0, y, &rule, theme::FAINT);
        let columns = self.width().saturating_sub(4);
        self.put_within(2, y, &format!(" {title} "), columns, theme::STRONG);
    }

    pub(super) fn clear(&mut self, from: u16, to: u16) {
        for y in from..to.min(self.height()) {
            let blank = " ".repeat(usize::from(self.width()));
            self.put(0, y, &blank, Style::reset());
        }
    }

    pub(super) fn restyle(&mut self, x: u16, y: u16, columns: u16, style: Style) {
        let area = Rect::new(x, y, columns, 1);
        self.buffer
            .set_style(area.intersection(self.buffer.area), style);
    }
}

/// The width of text in columns.
pub(super) fn width(text: &str) -> u16 {
    u16::try_from(cronjob_text::printable::width(text)).unwrap_or(u16::MAX)
}
