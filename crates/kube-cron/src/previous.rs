//! The last run before a given time.

use super::civil::{DAY, Date, days_in_month};
use super::clockwork::Clockwork;
use super::sweep::last_wall;
use super::walk::SearchResult;
use super::window::Window;
use super::{next, zone};

/// How far back the search goes; the rarest schedules run every forty years.
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
    let mut earliest = None;
    let mut doubtful = 0;
    while before - high < FARTHEST {
        let window = table.window(position);
        plain_so_far &= high <= window.plain_until;
        if let Some(run) = last_in_window(clockwork, &window, high.min(window.plain_until)) {
            if is_settled(clockwork, &window, run) {
                if plain_so_far && !clockwork.traits.runs_after_gap {
                    return Some(run);
                }
                return Some(forward(clockwork, run, before));
            }
            earliest = Some(run);
            plain_so_far = false;
            doubtful += 1;
        }
        if position == 0 || doubtful == ENOUGH_DOUBTFUL {
            break;
        }
        position -= 1;
        plain_so_far &= table.window(position).irregular_before == window.irregular_before;
        high = window.start;
    }
    Some(forward(clockwork, earliest?, before))
}

/// An irregular change may cost upstream whole days: its walk reaches them at an hour that they do
/// not begin with, or to an allowed month on a later day than the first. When that month is over it
/// is back in step after this number of allowed days.
const BACK_IN_STEP: u64 = 5;

/// Searches from several runs in different windows end in the same runs.
const ENOUGH_DOUBTFUL: u32 = 4;

/// Whether a search that began long ago finds this run too, whatever irregular change it met.
fn is_settled(clockwork: &Clockwork, window: &Window, run: i64) -> bool {
    let touched = window.touched_until;
    if touched == i64::MIN || run.saturating_sub(touched) > FARTHEST / 4 {
        return true;
    }
    let day = |second: i64| (second + window.offset).div_euclid(DAY);
    let (mut from, to) = (day(touched), day(run));
    if !clockwork.fields.every_month() {
        let last_year = Date::of_day(to).year;
        let Some(allowed) = clockwork.fields.day_after(from - 1, last_year) else {
            return false;
        };
        let Date { year, month, day } = Date::of_day(allowed);
        from = allowed + i64::from(days_in_month(year, month)) - i64::from(day) + 1;
    }
    let enough = |from: i64| clockwork.fields.count_days(from, to) >= BACK_IN_STEP;
    enough(from.max(to - 62)) || enough(from)
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

/// The last run before a moment that a search finds when it begins at an earlier run; where the
/// search goes round in a circle, the latest run of it.
fn forward(clockwork: &Clockwork, run: i64, before: i64) -> i64 {
    let mut progress = next::Progress::default();
    let (mut at, mut run) = (run, run);
    while let SearchResult::At(following) = next::after(clockwork, at) {
        if following >= before || !progress.is_made(following) {
            break;
        }
        (at, run) = (following, run.max(following));
    }
    run
}
