//! The next run after a given time.
//!
//! Unless a change of the offset can disturb upstream's search, its result is the next matching local
//! time, which bit scans find. Otherwise upstream's steps are repeated one by one.

use super::civil::{DAY, Date, first_day};
use super::clockwork::Clockwork;
use super::walk::{self, SearchResult};
use super::window::OffsetTable;
use super::zone;

/// The next run strictly after a second.
pub(crate) fn after(clockwork: &Clockwork, after: i64) -> SearchResult {
    let shift = zone::fold(after);
    let table = clockwork.zone.table_at(after - shift);
    match search(clockwork, table, after - shift + 1) {
        SearchResult::At(second) => SearchResult::At(second + shift),
        nothing => nothing,
    }
}

/// Detects runs that repeat in a circle.
///
/// A run that upstream's walk found by mistake need not be followed by a later one: the walk goes
/// back to the beginning of the hour or the day, and may end where it began. `53 3 * * *` in
/// Pacific/Chatham does so at the end of every summer.
#[derive(Clone, Debug, Default)]
pub(crate) struct Progress {
    latest: Option<i64>,
    last: Option<i64>,
    steps_since: u32,
}

/// More runs than any month has: a search is never set back by more.
const LONGEST_WAY_ROUND: u32 = 31 * 24 * 60;

impl Progress {
    /// Takes note of a run; whether the chain may still get on from there.
    pub(crate) fn is_made(&mut self, run: i64) -> bool {
        if self.last.replace(run) == Some(run) {
            return false;
        }
        if self.latest.is_none_or(|latest| latest < run) {
            self.latest = Some(run);
            self.steps_since = 0;
        } else {
            self.steps_since += 1;
        }
        self.steps_since <= LONGEST_WAY_ROUND
    }
}

fn search(clockwork: &Clockwork, table: &OffsetTable, start: i64) -> SearchResult {
    // Upstream looks at every minute of five years, or goes round on a day that is skipped.
    let end = start.saturating_add(6 * 366 * DAY);
    if clockwork.fields.has_empty_field() && !table.skips_a_day(start, end) {
        return SearchResult::Never;
    }
    match plain(clockwork, table, start) {
        Some(found) => found,
        None => walk::search(&clockwork.fields, &clockwork.traits, table, start),
    }
}

/// What is left of a day after a time of it.
enum RestOfDay {
    /// The next matching time.
    Run(i64),
    /// Nothing; the day that follows it on the clock is next.
    Nothing,
    /// The walk would come near an irregular change.
    Irregular,
}

/// The answer where it is plain; `None` where only the walk knows.
fn plain(clockwork: &Clockwork, table: &OffsetTable, start: i64) -> Option<SearchResult> {
    let fields = &clockwork.fields;
    let position = table.position(start);
    let window = table.window(position);
    if start < window.plain_from {
        return None;
    }
    let wall = start + window.offset;
    let today = wall.div_euclid(DAY);
    if fields.allows_day(today) {
        match rest_of_day(clockwork, table, position, start) {
            RestOfDay::Run(second) => return Some(SearchResult::At(second)),
            RestOfDay::Nothing => {}
            RestOfDay::Irregular => return None,
        }
    } else if start < window.reset_from {
        return None;
    }
    let last_year = || Date::of_day(today).year + 5;
    let mut day = today;
    let mut offset = window.offset;
    while !fields.has_empty_field() {
        // Where every day is allowed, a day with a run comes long before the limit.
        let next = if fields.every_day() {
            Some(day + 1)
        } else {
            fields.day_after(day, last_year())
        };
        let Some(next) = next else {
            break;
        };
        if (next + 1) * DAY - window.offset <= window.plain_until
            && let Some(time) = fields.time_at_or_after(0)
        {
            return Some(SearchResult::At(next * DAY + time - window.offset));
        }
        let there = table.position_of_wall(next * DAY, offset)?;
        let arrival = table.window(there);
        if arrival.irregular_before != window.irregular_before {
            return None;
        }
        match rest_of_day(clockwork, table, there, next * DAY - arrival.offset) {
            RestOfDay::Run(second) => return Some(SearchResult::At(second)),
            RestOfDay::Nothing => (day, offset) = (next, arrival.offset),
            RestOfDay::Irregular => return None,
        }
    }
    // Nothing until the limit: true unless an irregular change on the way does something odd.
    let limit = (first_day(last_year() + 1, 1) + 1) * DAY;
    let same = table.window_at(limit).irregular_before == window.irregular_before;
    same.then_some(SearchResult::Never)
}

/// The first run from a moment to the end of its day, across regular changes of the offset.
fn rest_of_day(
    clockwork: &Clockwork,
    table: &OffsetTable,
    mut position: usize,
    start: i64,
) -> RestOfDay {
    let mut window = table.window(position);
    let wall = start + window.offset;
    let day = wall.div_euclid(DAY);
    let mut time = wall.rem_euclid(DAY);
    loop {
        let found = clockwork.fields.time_at_or_after(time);
        let moment = day * DAY + found.unwrap_or(DAY) - window.offset;
        if moment < window.plain_until {
            return found.map_or(RestOfDay::Nothing, |_| RestOfDay::Run(moment));
        }
        if window.plain_until < window.end || clockwork.traits.runs_after_gap {
            return RestOfDay::Irregular;
        }
        position += 1;
        let following = table.window(position);
        if following.irregular_before != window.irregular_before {
            return RestOfDay::Irregular;
        }
        window = following;
        let wall = window.start + window.offset;
        if wall.div_euclid(DAY) != day {
            return RestOfDay::Nothing;
        }
        time = wall.rem_euclid(DAY);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clockwork::testing::{clockwork, second};

    /// The walk is only for what is near an irregular change of the offset. Elsewhere it finds the same.
    #[test]
    fn plain_runs_are_found_without_a_walk_and_by_one() {
        for (expression, zone, from, expected) in [
            ("5,30 * * * * *", "UTC", "00:00:10", "2026-03-09T00:00:30Z"),
            ("5,30 * * * * *", "UTC", "00:00:30", "2026-03-09T00:00:30Z"),
            ("5,30 * * * * *", "UTC", "00:00:31", "2026-03-09T00:01:05Z"),
            ("0 30 9 * * *", "UTC", "09:30:00", "2026-03-09T09:30:00Z"),
            ("0 30 9 * * *", "UTC", "09:30:01", "2026-03-10T09:30:00Z"),
            ("0 30 9 1 1 *", "UTC", "09:30:01", "2027-01-01T09:30:00Z"),
            ("0 0 0 1 1 *", "UTC", "00:00:00", "2027-01-01T00:00:00Z"),
            ("0 0 0 29 2 *", "UTC", "00:00:00", "2028-02-29T00:00:00Z"),
            // Midnight is 18:30 in UTC.
            (
                "0 0 0 * * *",
                "Asia/Kolkata",
                "18:30:01",
                "2026-03-10T18:30:00Z",
            ),
            (
                "0 0 0 1 * *",
                "Asia/Kolkata",
                "00:00:00",
                "2026-03-31T18:30:00Z",
            ),
            // Across the change of the clocks on the 29th at 01:00 in UTC.
            (
                "0 30 9 1 * *",
                "Europe/Berlin",
                "12:00:00",
                "2026-04-01T07:30:00Z",
            ),
        ] {
            let clockwork = clockwork(expression, zone);
            let start = second(&format!("2026-03-09T{from}Z"));
            let table = clockwork.zone.table_at(start);
            let expected = SearchResult::At(second(expected));
            let found = plain(&clockwork, table, start);
            assert_eq!(found, Some(expected), "{expression} from {from}");
            let walked = walk::search(&clockwork.fields, &clockwork.traits, table, start);
            assert_eq!(walked, expected, "{expression} from {from}");
        }
        let never = clockwork("0 0 0 31 2 *", "UTC");
        let start = second("2026-03-09T00:00:00Z");
        let found = plain(&never, never.zone.table_at(start), start);
        assert_eq!(found, Some(SearchResult::Never));
    }

    #[test]
    fn run_that_follows_itself_gets_nowhere() {
        let mut progress = Progress::default();
        assert!(progress.is_made(100));
        assert!(!progress.is_made(100));
    }

    /// A search may be set back by as many runs as a month has minutes, and not by one more.
    #[test]
    fn runs_in_a_circle_get_nowhere_after_a_month_of_them() {
        for circle in [[50, 60], [50, 100]] {
            let mut progress = Progress::default();
            assert!(progress.is_made(100));
            let runs = circle.into_iter().cycle();
            let made = runs.take_while(|run| progress.is_made(*run)).count();
            assert_eq!(made, 31 * 24 * 60, "{circle:?}");
            // Any later run counts from the beginning.
            assert!(progress.is_made(101));
            assert!(progress.is_made(50));
        }
    }
}
