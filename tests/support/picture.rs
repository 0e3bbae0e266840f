//! A terminal as a picture: SVG that needs nothing but itself, and has its own paper, so that it can be read
//! on a light page and on a dark one.

use std::fmt::Write as _;

/// A cell, in the units of the picture.
const WIDTH: u32 = 8;
const HEIGHT: u32 = 17;
/// Around the screen.
const MARGIN: u32 = 14;
const PAPER: &str = "#0d1117";
const INK: &str = "#e6edf3";
/// What separates the paper from a page that is as dark.
const EDGE: &str = "#30363d";

/// The colours that the program uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Ink {
    #[default]
    Usual,
    Red,
    Yellow,
    Cyan,
}

/// How a cell looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Look {
    pub(crate) ink: Ink,
    pub(crate) bold: bool,
    pub(crate) dim: bool,
    pub(crate) reversed: bool,
}

/// What is in a cell, and how it looks.
pub(crate) struct Cell {
    pub(crate) text: String,
    pub(crate) look: Look,
}

/// The picture of a screen of so many columns, with what it shows in words.
pub(crate) fn svg(label: &str, columns: usize, lines: &[Vec<Cell>]) -> String {
    let width = units(columns) * WIDTH + 2 * MARGIN;
    let height = units(lines.len()) * HEIGHT + 2 * MARGIN;
    let (right, bottom) = (width - 1, height - 1);
    let label = escaped(label);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{label}\">\n\
         <style>text{{font:13.2px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',\
         monospace;white-space:pre;fill:{INK}}}.b{{font-weight:700}}.d{{opacity:.6}}</style>\n\
         <rect x=\".5\" y=\".5\" width=\"{right}\" height=\"{bottom}\" rx=\"8\" fill=\"{PAPER}\" \
         stroke=\"{EDGE}\"/>\n"
    );
    for (y, line) in lines.iter().enumerate() {
        let mut x = 0;
        for alike in line.chunk_by(|one, next| one.look == next.look) {
            let text: String = alike.iter().map(|cell| cell.text.as_str()).collect();
            run(&mut svg, (x, y), &text, alike[0].look);
            x += alike.len();
        }
    }
    svg.push_str("</svg>\n");
    svg
}

/// Cells that look alike, from a place on.
fn run(svg: &mut String, (x, y): (usize, usize), text: &str, look: Look) {
    let left = MARGIN + units(x) * WIDTH;
    let top = MARGIN + units(y) * HEIGHT;
    let width = length(text);
    let ink = match look.ink {
        Ink::Usual => INK,
        Ink::Red => "#ff7b72",
        Ink::Yellow => "#e3b341",
        Ink::Cyan => "#56d4dd",
    };
    if look.reversed {
        let box_ = format!("x=\"{left}\" y=\"{top}\" width=\"{width}\" height=\"{HEIGHT}\"");
        writeln!(svg, "<rect {box_} fill=\"{ink}\"/>").unwrap();
    }
    let shown = text.trim();
    if shown.is_empty() {
        return;
    }
    let blanks = text.len() - text.trim_start().len();
    let left = left + units(blanks) * WIDTH;
    let length = length(shown);
    let class = match (look.bold, look.dim) {
        (false, false) => "",
        (true, false) => " class=\"b\"",
        (false, true) => " class=\"d\"",
        (true, true) => " class=\"b d\"",
    };
    let ink = if look.reversed { PAPER } else { ink };
    let fill = if ink == INK {
        String::new()
    } else {
        format!(" style=\"fill:{ink}\"")
    };
    let shown = escaped(shown);
    let base = top + 13;
    writeln!(
        svg,
        "<text x=\"{left}\" y=\"{base}\" textLength=\"{length}\" lengthAdjust=\"spacingAndGlyphs\"{class}{fill}>{shown}</text>"
    )
    .unwrap();
}

/// How wide a text is.
fn length(text: &str) -> u32 {
    units(text.chars().count()) * WIDTH
}

fn units(count: usize) -> u32 {
    u32::try_from(count).unwrap()
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}
