//! A text on a page of its own: an explanation, or the keys.

use super::canvas::Canvas;
use super::look;
use crate::top::{Paper, Size};

pub(super) fn draw(canvas: &mut Canvas<'_>, title: &str, paper: &Paper, size: Size) {
    canvas.rule(Size::HEAD, title);
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
