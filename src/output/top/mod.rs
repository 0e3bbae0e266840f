//! The dashboard as it looks: an [`App`] becomes the cells of a screen.
//!
//! Everything is drawn with box characters, in colours; where the terminal has neither, the finished
//! screen is translated. Whatever a colour says is said in words or signs, too.

mod canvas;
mod columns;
mod detail;
mod dialog;
mod findings;
mod foot;
mod head;
mod help;
mod look;
mod table;
mod timeline;

use ratatui::buffer::Buffer;

use crate::top::{App, Page, Size};
use canvas::Canvas;

pub use help::documentation;
pub use look::Look;

/// Draws the dashboard.
pub fn draw(buffer: &mut Buffer, app: &App, look: Look) {
    let size = Size {
        width: buffer.area.width,
        height: buffer.area.height,
    };
    let mut canvas = Canvas::new(buffer);
    if size.is_enough() {
        page(&mut canvas, app, size);
    } else {
        too_small(&mut canvas, size);
    }
    look.translate(buffer);
}

fn page(canvas: &mut Canvas<'_>, app: &App, size: Size) {
    head::draw(canvas, app);
    match app.page() {
        Page::List => {
            table::draw(canvas, app, Size::HEAD);
            findings::draw(canvas, app, size.height - 1 - size.findings());
        }
        Page::Detail { place, paper } => {
            detail::draw(canvas, &canvas::name_of(place), paper, size);
        }
        Page::Help(paper) => detail::draw(canvas, "keys", paper, size),
    }
    foot::draw(canvas, app, size.height - 1);
    if let Some(talk) = app.talk() {
        dialog::draw(canvas, talk, size);
    }
}

fn too_small(canvas: &mut Canvas<'_>, size: Size) {
    let least = Size::LEAST;
    let text = format!(
        "too small: {}x{}, and {}x{} are needed",
        size.width, size.height, least.width, least.height
    );
    let width = usize::from(size.width.max(1));
    let characters: Vec<char> = text.chars().collect();
    for (y, line) in (0..size.height).zip(characters.chunks(width)) {
        let line: String = line.iter().collect();
        canvas.put(0, y, &line, look::PLAIN);
    }
}
