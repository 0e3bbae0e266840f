//! Stretches of time with one offset, and how safely a search may step over their borders.
//!
//! Upstream's search walks in steps of a month, a day and an hour, and near some changes of the
//! offset that walk goes wrong in ways that depend on where it began. Where it cannot go wrong the
//! answer is simply the next matching time on the clock, which bit scans find at once. This table
//! tells the two apart, once for each zone.

use jiff::tz::{TimeZone, TimeZoneTransition};
use jiff::{Timestamp, ToSpan as _};

use super::civil::{DAY, Date, HOUR, days_in_month};

/// A stretch of time with one offset.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window {
    /// The first second of it.
    pub(crate) start: i64,
    /// The first second after it.
    pub(crate) end: i64,
    /// Seconds east of UTC.
    pub(crate) offset: i64,
    /// How many irregular changes lie at or before its start.
    pub(crate) irregular_before: u32,
    /// A search from here on, beginning on an allowed day, is not touched by the change before.
    pub(crate) plain_from: i64,
    /// A search from here on, beginning on a day that is not allowed, is not touched by the change before. Upstream
    /// begins it again at the first second of that day or of its month.
    pub(crate) reset_from: i64,
    /// `reset_from` of the latest irregular change so far; the least number if there was none.
    pub(crate) touched_until: i64,
    /// A search that ends before here is not touched by the change after.
    pub(crate) plain_until: i64,
}

impl Window {
    /// Whether the moment lies in it.
    pub(crate) fn contains(&self, second: i64) -> bool {
        self.start <= second && second < self.end
    }
}

/// The windows of a zone, and an index by time so that finding one costs a few nanoseconds.
#[derive(Debug)]
pub(crate) struct OffsetTable {
    windows: Vec<Window>,
    /// For each bucket of time since `FIRST_BUCKET`, the window that contains its first second.
    buckets: Vec<u16>,
    end: i64,
}

/// A bucket is 2^23 seconds, about 97 days: shorter than almost every window.
const BUCKET_BITS: u32 = 23;
/// The year 1853; whatever is older is searched from the first window on.
const FIRST_BUCKET: i64 = -440;

/// Windows shorter than this could confuse upstream's guess of an offset; none exists.
const SHORTEST: i64 = 2 * DAY;

impl OffsetTable {
    /// The windows of a zone that begin before `end`.
    pub(crate) fn of(zone: &TimeZone, end: i64) -> OffsetTable {
        let mut windows = vec![open_window(i64::MIN, first_offset(zone))];
        let changes = std::iter::successors(change_after(zone, Timestamp::MIN), |change| {
            change_after(zone, change.timestamp())
        });
        for change in changes {
            let at = change.timestamp().as_second();
            let offset = i64::from(change.offset().seconds());
            if at >= end {
                break;
            }
            let Some(last) = windows.last_mut() else {
                break;
            };
            if offset != last.offset {
                last.end = at;
                windows.push(open_window(at, offset));
            }
        }
        mark_borders(&mut windows);
        let buckets = index(&windows, end);
        OffsetTable {
            windows,
            buckets,
            end,
        }
    }

    /// Where the table ends; what lies beyond is not in it.
    pub(crate) fn end(&self) -> i64 {
        self.end
    }

    /// The position of the window that contains a moment.
    pub(crate) fn position(&self, second: i64) -> usize {
        let bucket = (second >> BUCKET_BITS) - FIRST_BUCKET;
        let known = usize::try_from(bucket).ok();
        let start = known.map_or(0, |bucket| {
            self.buckets
                .get(bucket)
                .or(self.buckets.last())
                .copied()
                .unwrap_or(0)
        });
        advance(&self.windows, usize::from(start), second)
    }

    /// The window at a position; past the last one, the last.
    pub(crate) fn window(&self, position: usize) -> Window {
        let last = self.windows.len() - 1;
        self.windows
            .get(position.min(last))
            .copied()
            .unwrap_or(open_window(i64::MIN, 0))
    }

    /// The window that contains a moment.
    pub(crate) fn window_at(&self, second: i64) -> Window {
        self.window(self.position(second))
    }

    /// Whether the clock is turned by a day or so in a span of time.
    pub(crate) fn skips_a_day(&self, from: i64, until: i64) -> bool {
        let windows = self.windows.get(self.position(from)..).unwrap_or_default();
        windows
            .windows(2)
            .take_while(|pair| pair.first().is_some_and(|before| before.end <= until))
            .any(|pair| match pair {
                [before, after] => (after.offset - before.offset).abs() >= DAY - HOUR,
                _ => false,
            })
    }

    /// The position of the window whose clock shows this wall time, where it shows it just once.
    pub(crate) fn position_of_wall(&self, wall: i64, guess: i64) -> Option<usize> {
        let near = self.position(wall - guess);
        [near, near.saturating_sub(1), near + 1]
            .into_iter()
            .find(|position| {
                self.windows
                    .get(*position)
                    .is_some_and(|window| window.contains(wall - window.offset))
            })
    }
}

fn open_window(start: i64, offset: i64) -> Window {
    Window {
        start,
        end: i64::MAX,
        offset,
        irregular_before: 0,
        plain_from: start,
        reset_from: start,
        touched_until: i64::MIN,
        plain_until: i64::MAX,
    }
}

/// The first change after a moment.
///
/// jiff repeats the last change of a zone without a rule for later years, and those before its first
/// timestamp. Asked again one second later, it finds the next change or none.
fn change_after(zone: &TimeZone, moment: Timestamp) -> Option<TimeZoneTransition<'_>> {
    let later = |moment| {
        let change = zone.following(moment).next()?;
        (change.timestamp() > moment).then_some(change)
    };
    later(moment).or_else(|| later(moment.checked_add(1.second()).ok()?))
}

fn first_offset(zone: &TimeZone) -> i64 {
    i64::from(zone.to_offset(Timestamp::MIN).seconds())
}

/// The position of the first window from a position on that ends after a moment.
fn advance(windows: &[Window], position: usize, second: i64) -> usize {
    let later = windows.iter().skip(position);
    position + later.take_while(|window| window.end <= second).count()
}

fn index(windows: &[Window], end: i64) -> Vec<u16> {
    let mut position = 0;
    (FIRST_BUCKET..=(end >> BUCKET_BITS))
        .map(|bucket| {
            let second = bucket << BUCKET_BITS;
            position = advance(windows, position, second);
            u16::try_from(position.min(windows.len() - 1)).unwrap_or(0)
        })
        .collect()
}

/// Marks for each change how far its irregularity reaches to both sides.
fn mark_borders(windows: &mut [Window]) {
    let mut irregular = 0;
    for position in 1..windows.len() {
        let Some([before, after]) = windows.get_mut(position - 1..=position) else {
            return;
        };
        if is_regular(before, after) {
            before.plain_until = before.end;
            after.touched_until = before.touched_until;
        } else {
            irregular += 1;
            mark_irregular(before, after);
            after.touched_until = after.reset_from;
        }
        after.irregular_before = irregular;
    }
}

/// Whether upstream's walk finds just the matching times of the clock across a change.
///
/// It does where whole hours of the clock are skipped or one is repeated, without touching a
/// midnight: every step of an hour then lands on a full hour, and every day has one beginning.
fn is_regular(before: &Window, after: &Window) -> bool {
    let change = after.start;
    let shift = after.offset - before.offset;
    let (from, to) = (change + before.offset, change + after.offset);
    let whole_minutes = before.offset % 60 == 0 && after.offset % 60 == 0;
    let whole_hours = from.rem_euclid(HOUR) == 0 && to.rem_euclid(HOUR) == 0;
    let short = (-HOUR..=3 * HOUR).contains(&shift);
    let long_windows = change.saturating_sub(before.start) >= SHORTEST
        && after.end.saturating_sub(change) >= SHORTEST;
    whole_minutes && whole_hours && short && long_windows && midnight_in(from, to).is_none()
}

/// The midnight that the clock skips or repeats when it is turned from one wall time to another.
fn midnight_in(from: i64, to: i64) -> Option<i64> {
    let (low, high) = (from.min(to), from.max(to));
    let midnight = -(-low).div_euclid(DAY) * DAY;
    (midnight < high).then_some(midnight)
}

fn mark_irregular(before: &mut Window, after: &mut Window) {
    let change = after.start;
    let (from, to) = (change + before.offset, change + after.offset);
    let (low, high) = (from.min(to), from.max(to));
    // Before: the last moment whose wall time is not shown again, and on an hour of its own.
    before.plain_until = before
        .plain_until
        .min(low.div_euclid(HOUR) * HOUR - before.offset);
    // After: the next full hour that the change did not touch.
    let hour = -(-high).div_euclid(HOUR) * HOUR;
    after.plain_from = hour - after.offset;
    // A search that is reset to the beginning of its day, or of its month, may meet the change.
    let touched = midnight_in(from, to).map_or(high, |midnight| midnight.max(high));
    let mut reset = (touched.div_euclid(DAY) + 1) * DAY;
    if let Some(midnight) = midnight_in(from, to) {
        let date = Date::of_day(midnight.div_euclid(DAY));
        if date.day == 1 {
            let length = i64::from(days_in_month(date.year, date.month));
            reset = midnight + length * DAY;
        }
    }
    after.reset_from = reset - after.offset;
    let odd_offset = |offset: i64| offset % 60 != 0;
    if odd_offset(before.offset) {
        before.plain_until = before.start;
    }
    if odd_offset(after.offset) {
        after.plain_from = after.end;
        after.reset_from = after.end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clockwork::testing::second;
    use crate::{BundledZones, Zones};

    /// The windows before and after a change of a zone.
    fn around(zone: &str, change: &str) -> [Window; 2] {
        let (zone, change) = (BundledZones.load(zone).unwrap(), second(change));
        let table = zone.table_at(change);
        let windows = [table.window_at(change - 1), table.window_at(change)];
        assert_eq!(windows.map(|window| window.contains(change)), [false, true]);
        windows
    }

    #[test]
    fn bucket_has_the_window_of_its_first_second() {
        let zone = BundledZones.load("Europe/Berlin").unwrap();
        let table = zone.table_at(0);
        let last = table.end() >> BUCKET_BITS;
        let buckets = usize::try_from(last - FIRST_BUCKET + 1).unwrap();
        assert_eq!(table.buckets.len(), buckets);
        for (bucket, position) in (FIRST_BUCKET..).zip(&table.buckets) {
            let window = table.window(usize::from(*position));
            assert!(window.contains(bucket << BUCKET_BITS), "{bucket}");
        }
    }

    /// At a full hour to a full hour, at most one back or three ahead, without touching a midnight.
    #[test]
    fn search_may_step_over_a_regular_change() {
        for (zone, change) in [
            ("Europe/Berlin", "2026-03-29T01:00:00Z"),
            ("Europe/Berlin", "2026-10-25T01:00:00Z"),
            ("America/New_York", "2026-03-08T07:00:00Z"),
            // Back from midnight, which is shown once.
            ("Africa/Cairo", "2026-10-29T21:00:00Z"),
            // Two hours ahead.
            ("Antarctica/Troll", "2026-03-29T01:00:00Z"),
        ] {
            let [before, after] = around(zone, change);
            assert_eq!(before.irregular_before, after.irregular_before, "{zone}");
            assert_eq!(
                (before.plain_until, after.plain_from),
                (second(change), second(change))
            );
            assert_eq!(before.touched_until, after.touched_until, "{zone}");
        }
    }

    #[test]
    fn change_is_irregular_where_a_step_could_go_astray() {
        for (zone, change) in [
            // Half an hour back.
            ("Australia/Lord_Howe", "2026-04-04T15:00:00Z"),
            // At a quarter to the hour.
            ("Pacific/Chatham", "2026-04-04T14:00:00Z"),
            // A quarter of an hour ahead.
            ("Asia/Kathmandu", "1985-12-31T18:30:00Z"),
            // Without a midnight, with two of them, and without a day.
            ("Africa/Cairo", "2026-04-23T22:00:00Z"),
            ("America/Havana", "2026-11-01T05:00:00Z"),
            ("Pacific/Apia", "2011-12-30T10:00:00Z"),
            // Two hours back.
            ("Antarctica/Troll", "2026-10-25T01:00:00Z"),
            // From local mean time, which is 53 minutes and 28 seconds ahead.
            ("Europe/Berlin", "1893-03-31T23:06:32Z"),
        ] {
            let [before, after] = around(zone, change);
            assert_eq!(
                after.irregular_before,
                before.irregular_before + 1,
                "{zone} {change}"
            );
            assert_eq!(after.touched_until, after.reset_from, "{zone} {change}");
        }
    }

    /// Until which second, and from which seconds on, a search is not touched by an irregular change.
    #[test]
    fn irregular_change_reaches_to_full_hours_days_and_months() {
        let reach = |zone: &str, change: &str| {
            let [before, after] = around(zone, change);
            let seconds = [before.plain_until, after.plain_from, after.reset_from];
            seconds.map(|second| Timestamp::from_second(second).unwrap().to_string())
        };
        // The clock goes from 00:00 to 01:00, and the next day begins at 21:00 in UTC.
        let cairo = [
            "2026-04-23T22:00:00Z",
            "2026-04-23T22:00:00Z",
            "2026-04-24T21:00:00Z",
        ];
        assert_eq!(reach("Africa/Cairo", cairo[0]), cairo);
        // From 03:45 to 02:45: the hours from 02:00 to 04:00 are touched, and the 5th of April.
        let chatham = [
            "2026-04-04T12:15:00Z",
            "2026-04-04T15:15:00Z",
            "2026-04-05T11:15:00Z",
        ];
        assert_eq!(reach("Pacific/Chatham", "2026-04-04T14:00:00Z"), chatham);
        // From the 30th of December to the 31st, at midnight.
        let apia = [
            "2011-12-30T10:00:00Z",
            "2011-12-30T10:00:00Z",
            "2011-12-31T10:00:00Z",
        ];
        assert_eq!(reach("Pacific/Apia", apia[0]), apia);
        // From 00:00 to 01:00 on the first of April: a search that is reset to the month meets it until May.
        let havana = [
            "2012-04-01T05:00:00Z",
            "2012-04-01T05:00:00Z",
            "2012-05-01T04:00:00Z",
        ];
        assert_eq!(reach("America/Havana", havana[0]), havana);
        // Beside an offset with seconds nothing is plain.
        let [before, _] = around("Europe/Berlin", "1893-03-31T23:06:32Z");
        assert_eq!(before.plain_until, before.start);
    }

    #[test]
    fn day_is_skipped_only_where_the_clock_goes_a_day_ahead() {
        let skips = |zone: &str, from: &str, until: &str| {
            let zone = BundledZones.load(zone).unwrap();
            let table = zone.table_at(second(from));
            table.skips_a_day(second(from), second(until))
        };
        let december = "2011-12-01T00:00:00Z";
        assert!(skips("Pacific/Apia", december, "2012-01-15T00:00:00Z"));
        assert!(skips("Pacific/Apia", december, "2011-12-30T10:00:00Z"));
        assert!(!skips("Pacific/Apia", december, "2011-12-30T09:59:59Z"));
        assert!(!skips(
            "Pacific/Apia",
            "2012-01-01T00:00:00Z",
            "2020-01-01T00:00:00Z"
        ));
        assert!(!skips(
            "Africa/Cairo",
            "2026-01-01T00:00:00Z",
            "2027-01-01T00:00:00Z"
        ));
    }

    #[test]
    fn local_time_is_in_the_window_that_shows_it() {
        let berlin = BundledZones.load("Europe/Berlin").unwrap();
        let table = berlin.table_at(second("2026-07-01T00:00:00Z"));
        // The wall time as if it were UTC, and offsets of which one is right.
        let offset = |wall: &str, guess: i64| {
            let found = table.position_of_wall(second(wall), guess);
            found.map(|position| table.window(position).offset)
        };
        for guess in [0, HOUR, 2 * HOUR] {
            assert_eq!(offset("2026-07-01T00:00:00Z", guess), Some(2 * HOUR));
            assert_eq!(offset("2026-01-01T00:00:00Z", guess), Some(HOUR));
            assert_eq!(offset("2026-03-29T01:59:59Z", guess), Some(HOUR));
            assert_eq!(offset("2026-03-29T02:30:00Z", guess), None);
            assert_eq!(offset("2026-03-29T03:00:00Z", guess), Some(2 * HOUR));
        }
    }
}
