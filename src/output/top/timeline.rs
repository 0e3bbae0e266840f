//! The runs of the next hours, drawn.

use jiff::Timestamp;

use super::canvas::{Canvas, width};
use super::columns::Placed;
use super::look;
use crate::survey::Row;
use crate::top::App;

/// Cells between two labels, at least.
const APART: i64 = 9;
/// Distances of labels that people can reckon with, in seconds.
const STEPS: [i64; 12] = [
    600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400, 172_800, 604_800, 1_209_600,
];
const DAY: i64 = 86_400;

/// The hours above the runs, in UTC as the clock at the top.
pub(super) fn axis(canvas: &mut Canvas<'_>, app: &App, placed: Placed, y: u16) {
    let cell = app.timeline().cell();
    let step = STEPS.into_iter().find(|step| *step >= APART * cell);
    let step = step.unwrap_or(4 * 7 * DAY);
    let mut free = placed.x;
    for offset in 0..placed.width {
        let second = app.timeline().start() + i64::from(offset) * cell;
        let x = placed.x + offset;
        let Ok(at) = Timestamp::from_second(second) else {
            continue;
        };
        if second.rem_euclid(step) != 0 || x < free {
            continue;
        }
        let label = if second.rem_euclid(DAY) == 0 {
            at.strftime("%a %d").to_string()
        } else {
            at.strftime("%H:%M").to_string()
        };
        let label = format!("│{label}");
        if x + width(&label) <= placed.x + placed.width {
            free = canvas.put(x, y, &label, look::STRONG) + 1;
        }
    }
}

/// A sign for each cell: nothing, a run, so many runs.
pub(super) fn runs(canvas: &mut Canvas<'_>, app: &App, row: &Row, placed: Placed, y: u16) {
    if row.next_state.is_none() {
        return;
    }
    let place = (row.namespace.clone(), row.name.clone());
    let counts = app.timeline().counts(&place);
    for (offset, count) in (0..placed.width).zip(counts) {
        let (sign, style) = match count {
            0 => ("·".to_owned(), look::FAINT),
            1 => ("•".to_owned(), look::STRONG),
            2..10 => (count.to_string(), look::STRONG),
            _ => ("#".to_owned(), look::STRONG),
        };
        canvas.put(placed.x + offset, y, &sign, style);
    }
}
