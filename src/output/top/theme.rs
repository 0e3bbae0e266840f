//! Colors and signs, and their replacements.

use ratatui::buffer::Buffer;
use ratatui::style::{Color, Modifier, Style};

use crate::output::scan;
use crate::output::style::{Meaning, styled};
use crate::top::StyledText;
use cronjob_diagnosis::survey::Health;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capabilities {
    pub colors: bool,
    /// Whether it supports only ASCII characters.
    pub ascii: bool,
}

pub(super) const PLAIN: Style = Style::new();
pub(super) const STRONG: Style = Style::new().add_modifier(Modifier::BOLD);
pub(super) const FAINT: Style = Style::new().add_modifier(Modifier::DIM);
pub(super) const CHOSEN: Style = Style::new().add_modifier(Modifier::REVERSED);

/// The style of a meaning, as in all other output.
pub(super) fn of(meaning: Meaning) -> Style {
    let line = StyledText::of(&styled(meaning, "x"), 1).line();
    line.first().map_or(PLAIN, |piece| piece.style)
}

pub(super) fn of_health(health: Health) -> Style {
    of(scan::meaning(health))
}

impl Capabilities {
    /// Replaces what the terminal cannot show.
    pub(super) fn translate(self, buffer: &mut Buffer) {
        for cell in &mut buffer.content {
            if !self.colors {
                cell.set_fg(Color::Reset).set_bg(Color::Reset);
            }
            if self.ascii && !cell.symbol().is_ascii() {
                let sign = plain_sign(cell.symbol());
                cell.set_symbol(sign);
            }
        }
    }
}

/// The ASCII replacement of a sign.
fn plain_sign(symbol: &str) -> &'static str {
    match symbol {
        "─" | "–" => "-",
        "│" => "|",
        "▸" | "→" => ">",
        "▾" => "v",
        "▴" => "^",
        "·" => ".",
        "•" => "o",
        "▒" => "x",
        "…" => "~",
        _ => "?",
    }
}
