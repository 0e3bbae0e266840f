//! A screen as a picture: SVG that needs nothing but itself.

use std::fmt::Write as _;

use ratatui::buffer::{Buffer, Cell};
use ratatui::style::{Color, Modifier};

/// A cell, in the units of the picture.
const WIDTH: f64 = 8.0;
const HEIGHT: f64 = 17.0;
/// Around the screen.
const MARGIN: f64 = 14.0;
const PAPER: &str = "#0d1117";
const INK: &str = "#e6edf3";

/// The picture of a screen.
pub(crate) fn svg(buffer: &Buffer) -> String {
    let width = f64::from(buffer.area.width) * WIDTH + 2.0 * MARGIN;
    let height = f64::from(buffer.area.height) * HEIGHT + 2.0 * MARGIN;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" role=\"img\" \
         aria-label=\"The dashboard: rows of CronJobs with countdowns, their health, and a timeline\">\n\
         <style>text{{font:13.2px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',\
         monospace;white-space:pre;fill:{INK}}}.b{{font-weight:700}}.d{{opacity:.6}}</style>\n\
         <rect width=\"{width}\" height=\"{height}\" rx=\"8\" fill=\"{PAPER}\"/>\n"
    );
    for y in 0..buffer.area.height {
        let mut x = 0;
        while x < buffer.area.width {
            let first = &buffer[(x, y)];
            let alike =
                (x..buffer.area.width).take_while(|x| looks(&buffer[(*x, y)]) == looks(first));
            let end = x + u16::try_from(alike.count()).unwrap();
            let text: String = (x..end).map(|x| buffer[(x, y)].symbol()).collect();
            run(&mut svg, (x, y), &text, first);
            x = end;
        }
    }
    svg.push_str("</svg>\n");
    svg
}

fn looks(cell: &Cell) -> (Color, Modifier) {
    (cell.fg, cell.modifier)
}

/// Cells that look alike, from a place on.
fn run(svg: &mut String, (x, y): (u16, u16), text: &str, cell: &Cell) {
    let reversed = cell.modifier.contains(Modifier::REVERSED);
    let left = MARGIN + f64::from(x) * WIDTH;
    let top = MARGIN + f64::from(y) * HEIGHT;
    let width = f64::from(u16::try_from(text.chars().count()).unwrap()) * WIDTH;
    let ink = match cell.fg {
        Color::Red => "#ff7b72",
        Color::Yellow => "#e3b341",
        Color::Cyan => "#56d4dd",
        _ => INK,
    };
    if reversed {
        let box_ = format!("x=\"{left}\" y=\"{top}\" width=\"{width}\" height=\"{HEIGHT}\"");
        writeln!(svg, "<rect {box_} fill=\"{ink}\"/>").unwrap();
    }
    let shown = text.trim_end();
    if shown.trim().is_empty() {
        return;
    }
    let blanks = shown.chars().take_while(|c| *c == ' ').count();
    let shown = shown.trim_start();
    let left = left + f64::from(u16::try_from(blanks).unwrap()) * WIDTH;
    let length = f64::from(u16::try_from(shown.chars().count()).unwrap()) * WIDTH;
    let mut class = String::new();
    if cell.modifier.contains(Modifier::BOLD) {
        class.push('b');
    }
    if cell.modifier.contains(Modifier::DIM) {
        class.push('d');
    }
    let class = if class.is_empty() {
        class
    } else {
        format!(" class=\"{class}\"")
    };
    let ink = if reversed { PAPER } else { ink };
    let fill = if ink == INK {
        String::new()
    } else {
        format!(" style=\"fill:{ink}\"")
    };
    let escaped = shown
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;");
    let base = top + 13.0;
    writeln!(
        svg,
        "<text x=\"{left}\" y=\"{base}\" textLength=\"{length}\" lengthAdjust=\"spacingAndGlyphs\"{class}{fill}>{escaped}</text>"
    )
    .unwrap();
}
