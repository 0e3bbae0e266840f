//! Text in cells.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::theme;
use crate::printable::printable;
use crate::top::{Line, ObjectKey};

/// A screen that text is put on. What has no room is cut.
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

    /// Puts text somewhere, and says where it ends.
    pub(super) fn put(&mut self, x: u16, y: u16, text: &str, style: Style) -> u16 {
        self.put_within(x, y, text, self.width().saturating_sub(x), style)
    }

    /// The same in so many columns; a sign shows that there is more.
    pub(super) fn put_within(
        &mut self,
        x: u16,
        y: u16,
        text: &str,
        room: u16,
        style: Style,
    ) -> u16 {
        if y >= self.height() || x >= self.width() || room == 0 {
            return x;
        }
        let text = printable(text);
        let room = room.min(self.width() - x);
        let fits = width(&text) <= room;
        let most = usize::from(if fits { room } else { room - 1 });
        let (end, _) = self.buffer.set_stringn(x, y, &text, most, style);
        if fits {
            return end;
        }
        let (end, _) = self.buffer.set_stringn(end, y, "…", 1, style);
        end
    }

    /// Puts text at the right edge, and says where it begins.
    pub(super) fn put_right(&mut self, y: u16, text: &str, style: Style) -> u16 {
        let x = self.width().saturating_sub(width(&printable(text)));
        self.put(x, y, text, style);
        x
    }

    /// Puts a line in pieces.
    pub(super) fn put_line(&mut self, y: u16, line: &Line) {
        let mut x = 0;
        for piece in line {
            x = self.put(x, y, &piece.text, theme::of_ink(piece.ink));
        }
    }

    /// A rule with a title in it.
    pub(super) fn rule(&mut self, y: u16, title: &str) {
        let rule = "─".repeat(usize::from(self.width()));
        self.put(0, y, &rule, theme::FAINT);
        let room = self.width().saturating_sub(4);
        self.put_within(2, y, &format!(" {title} "), room, theme::STRONG);
    }

    /// Makes lines empty.
    pub(super) fn clear(&mut self, from: u16, to: u16) {
        for y in from..to.min(self.height()) {
            let blank = " ".repeat(usize::from(self.width()));
            self.put(0, y, &blank, Style::reset());
        }
    }

    /// Gives cells another style on top of the one they have.
    pub(super) fn restyle(&mut self, x: u16, y: u16, columns: u16, style: Style) {
        let area = Rect::new(x, y, columns, 1);
        self.buffer
            .set_style(area.intersection(self.buffer.area), style);
    }
}

/// How many columns text takes.
pub(super) fn width(text: &str) -> u16 {
    u16::try_from(crate::printable::width(text)).unwrap_or(u16::MAX)
}

/// `shop/nightly`
pub(super) fn name_of(place: &ObjectKey) -> String {
    format!("{}/{}", place.0, place.1)
}
