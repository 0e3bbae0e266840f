//! The line at the bottom: what has just happened, or else the keys.

use super::canvas::Canvas;
use super::look;
use crate::top::{App, Page};

pub(super) fn draw(canvas: &mut Canvas<'_>, app: &App, y: u16) {
    if let Some(note) = app.noted() {
        let last = note.lines().rev().find(|line| !line.trim().is_empty());
        let paper = crate::top::Paper::of(last.unwrap_or_default(), usize::MAX);
        let mut x = 1;
        for piece in paper.lines().iter().flatten() {
            x = canvas.put(x, y, &piece.text, look::of_ink(piece.ink));
        }
        return;
    }
    if let Some(lost) = app.lost() {
        canvas.put(1, y, &lost.why, look::PLAIN);
        return;
    }
    canvas.put(1, y, &keys(app), look::FAINT);
}

/// The keys that lead on from here.
fn keys(app: &App) -> String {
    let suspended = app.subject().and_then(|place| app.row(place));
    let suspended = suspended.is_some_and(|row| row.suspended);
    let suspend = if suspended { "s resume" } else { "s suspend" };
    let changes = if app.about().read_only {
        String::new()
    } else {
        format!("{suspend}  t trigger  ")
    };
    match app.page() {
        _ if app.is_typing() => {
            "a part of a name, !warning, !finding-code  enter keep  esc no filter".to_owned()
        }
        Page::List => {
            let view = if app.is_timeline_alone() {
                "v table"
            } else {
                "v timeline"
            };
            format!("? help  / filter  enter explain  {changes}{view}  q quit")
        }
        Page::Detail { .. } => format!("esc back  j k scroll  {changes}? help"),
        Page::Help(_) => "esc back  j k scroll".to_owned(),
    }
}
