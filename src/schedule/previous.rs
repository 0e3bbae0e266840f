//! The last run before a moment.

use super::civil::DAY;
use super::sweep::last_wall;
use super::timetable::Clockwork;
use super::walk::Found;
use super::window::Window;
use super::{next, zone};

/// How far back a run is looked for; the rarest schedules run every forty years.
const FARTHEST: i64 = 100 * 366 * DAY;

/// The last run strictly before a second.
///
/// Upstream knows no way back. Where changes of the offset are regular the runs are the matching
/// times of the clock, and the last one is found by bit scans. Otherwise a search begins at a run
/// that nothing irregular touches, and goes forward to the moment asked for.
pub(crate) fn before(clockwork: &Clockwork, before: i64) -> Option<i64> {
    let shift = zone::fold(before);
    let found = search(clockwork, before - shift);
    found.map(|second| second + shift)
}

fn search(clockwork: &Clockwork, before: i64) -> Option<i64> {
    let table = clockwork.zone.table_at(before);
    let mut position = table.position(before - 1);
    let mut plain_so_far = true;
    let mut high = before;
    while before - high < FARTHEST {
        let window = table.window(position);
        plain_so_far &= high <= window.plain_until;
        if let Some(run) = last_in_window(clockwork, &window, high.min(window.plain_until)) {
            if plain_so_far {
                return Some(run);
            }
            return forward(clockwork, run, before);
        }
        if position == 0 {
            return None;
        }
        position -= 1;
        plain_so_far &= table.window(position).irregular_before == window.irregular_before;
        high = window.start;
    }
    None
}

/// The last matching time of a window before a moment, if nothing irregular touches it.
fn last_in_window(clockwork: &Clockwork, window: &Window, high: i64) -> Option<i64> {
    // Beginning at a day of its own: upstream may have stepped over the day of the change.
    let low = window.reset_from.max(high.saturating_sub(FARTHEST));
    if low >= high {
        return None;
    }
    let wall = last_wall(&clockwork.fields, low + window.offset, high + window.offset)?;
    Some(wall - window.offset)
}

/// The last run before a moment that a search finds when it begins at an earlier run.
fn forward(clockwork: &Clockwork, mut run: i64, before: i64) -> Option<i64> {
    while let Found::At(following) = next::after(clockwork, run) {
        if following >= before {
            break;
        }
        run = following;
    }
    Some(run)
}
