//! The keys.

use super::canvas::Canvas;
use super::look;
use crate::top::{KEYS, Size};

/// The widest names of keys.
const NAMES: u16 = 26;

pub(super) fn draw(canvas: &mut Canvas<'_>) {
    canvas.rule(Size::HEAD, "keys");
    let bottom = canvas.height() - 1;
    for (y, (keys, what)) in (Size::HEAD + 1..bottom).zip(KEYS) {
        canvas.put(1, y, keys, look::STRONG);
        canvas.put(NAMES, y, what, look::PLAIN);
    }
}

/// The keys as a table of Markdown, for the documents.
pub fn documentation() -> String {
    let mut text = "| key | what it does |\n|---|---|\n".to_owned();
    for (keys, what) in KEYS {
        text.push_str(&format!("| {keys} | {what} |\n"));
    }
    text
}
