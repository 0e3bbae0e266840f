//! A terminal as a picture: a self-contained SVG. It is light or dark as the reader prefers, and shows several screens
//! one after the other, unless the reader prefers reduced motion.

use std::fmt::Write as _;

/// A cell, in the units of the picture.
const WIDTH: u32 = 8;
const HEIGHT: u32 = 17;
/// The margin around the screen.
const MARGIN: u32 = 14;
/// The colors of the background, its border and the text, and the colors that the program uses.
const LIGHT: &str =
    "--paper:#fff;--edge:#d1d9e0;--ink:#1f2328;--red:#b42318;--yellow:#7a5b00;--cyan:#0b6b74";
const DARK: &str =
    "--paper:#0d1117;--edge:#30363d;--ink:#e6edf3;--red:#ff7b72;--yellow:#e3b341;--cyan:#56d4dd";
/// How long a screen is shown, in seconds.
const SHOWN: usize = 7;

/// The colors that the program uses.
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

/// The picture of screens of some columns, one after the other, with what they show in words.
pub(crate) fn svg(label: &str, columns: usize, screens: &[Vec<Vec<Cell>>]) -> String {
    let lines = screens.iter().map(Vec::len).max().unwrap_or_default();
    let width = units(columns) * WIDTH + 2 * MARGIN;
    let height = units(lines) * HEIGHT + 2 * MARGIN;
    let (right, bottom) = (width - 1, height - 1);
    let label = escaped(label);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{label}\">\n\
         <style>svg{{{LIGHT}}}@media(prefers-color-scheme:dark){{svg{{{DARK}}}}}\
         text{{font:13.2px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',\
         monospace;white-space:pre;fill:var(--ink)}}.b{{font-weight:700}}.d{{opacity:.65}}{}</style>\n\
         <rect x=\".5\" y=\".5\" width=\"{right}\" height=\"{bottom}\" rx=\"8\" style=\"fill:var(--paper);stroke:var(--edge)\"/>\n",
        motion(screens.len())
    );
    for (number, screen) in screens.iter().enumerate() {
        if screens.len() > 1 {
            writeln!(svg, "<g class=\"s s{number}\">").unwrap();
        }
        for (y, line) in screen.iter().enumerate() {
            let mut x = 0;
            for alike in line.chunk_by(|one, next| one.look == next.look) {
                let text: String = alike.iter().map(|cell| cell.text.as_str()).collect();
                run(&mut svg, (x, y), &text, alike[0].look);
                x += alike.len();
            }
        }
        if screens.len() > 1 {
            svg.push_str("</g>\n");
        }
    }
    svg.push_str("</svg>\n");
    svg
}

/// The style that shows one of several screens at a time, or only the first one for reduced motion.
fn motion(count: usize) -> String {
    if count < 2 {
        return String::new();
    }
    let (all, share) = (count * SHOWN, 100 / count);
    let mut style = format!(
        ".s{{visibility:hidden}}.s0{{visibility:visible}}@keyframes s{{0%{{visibility:visible}}\
         {share}%,100%{{visibility:hidden}}}}@media(prefers-reduced-motion:no-preference){{\
         .s{{animation:s {all}s step-end infinite}}"
    );
    for number in 1..count {
        write!(style, ".s{number}{{animation-delay:{}s}}", number * SHOWN).unwrap();
    }
    style.push('}');
    style
}

/// Writes cells that look alike, starting at a position.
fn run(svg: &mut String, (x, y): (usize, usize), text: &str, look: Look) {
    let left = MARGIN + units(x) * WIDTH;
    let top = MARGIN + units(y) * HEIGHT;
    let width = length(text);
    let ink = match look.ink {
        Ink::Usual => "var(--ink)",
        Ink::Red => "var(--red)",
        Ink::Yellow => "var(--yellow)",
        Ink::Cyan => "var(--cyan)",
    };
    if look.reversed {
        let box_ = format!("x=\"{left}\" y=\"{top}\" width=\"{width}\" height=\"{HEIGHT}\"");
        writeln!(svg, "<rect {box_} style=\"fill:{ink}\"/>").unwrap();
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
    let ink = if look.reversed { "var(--paper)" } else { ink };
    let fill = if ink == "var(--ink)" {
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
