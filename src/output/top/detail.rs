//! The explanation of one, on a page of its own.

use super::canvas::{Canvas, name_of};
use super::look;
use crate::top::{Paper, Place, Size};

pub(super) fn draw(canvas: &mut Canvas<'_>, place: &Place, paper: &Paper, size: Size) {
    canvas.rule(Size::HEAD, &name_of(place));
    let (lines, above) = paper.seen(size.page());
    for (y, line) in (Size::HEAD + 1..).zip(lines) {
        canvas.put_line(y, line);
    }
    let below = paper.lines().len() - above - lines.len();
    if above + below > 0 {
        let end = above + lines.len();
        let text = format!(" {}-{end} of {} ", above + 1, paper.lines().len());
        canvas.put_right(Size::HEAD, &text, look::FAINT);
    }
}
