//! Counting runs without enumerating them.
//!
//! Unless an irregular change of the offset is near, the runs are the matching local times, which are
//! counted: whole months by the bits of their days, days by their times. Near irregular changes, the runs
//! are searched one by one, as upstream does.

use jiff::Timestamp;

use super::civil::DAY;
use super::clockwork::{Clockwork, Endless};
use super::fields::Fields;
use super::walk::{SearchResult, matches};
use super::window::OffsetTable;
use super::{next, zone};

/// The number of runs in an interval, with the first and the last. In whole seconds (`i64`), these are not limited to
/// the years of timestamps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunCount<T = Timestamp> {
    /// The number of runs.
    pub count: u64,
    /// The first run.
    pub first: Option<T>,
    /// The last run.
    pub last: Option<T>,
    /// Whether upstream's search gives up before the end of the interval.
    pub gave_up: bool,
}

const NOTHING: RunCount<i64> = RunCount {
    count: 0,
    first: None,
    last: None,
    gave_up: false,
};

/// The runs of `@every` in `(after, until]`.
pub(crate) fn every(delay: i64, after: i64, until: i64) -> RunCount<i64> {
    let count = until.saturating_sub(after).div_euclid(delay);
    if count <= 0 {
        return NOTHING;
    }
    RunCount {
        count: u64::try_from(count).unwrap_or(0),
        first: Some(after + delay),
        last: Some(after + count * delay),
        gave_up: false,
    }
}

/// The runs of a clock in `(after, until]`.
pub(crate) fn clock(
    clockwork: &Clockwork,
    after: i64,
    until: i64,
) -> Result<RunCount<i64>, Endless> {
    let first = match step(clockwork, after, until)? {
        SweepStep::Run(first) => first,
        SweepStep::Later => return Ok(NOTHING),
        SweepStep::GaveUp => {
            return Ok(RunCount {
                gave_up: true,
                ..NOTHING
            });
        }
    };
    let countable = clockwork.fields.has_day_in_every_year();
    let mut count = 1;
    let mut last = first;
    let mut progress = next::Progress::default();
    let mut singles = 0;
    while progress.is_made(last) && singles < MOST_SINGLES {
        singles += 1;
        if countable {
            let stretch = plain_stretch(clockwork, last, until);
            count += stretch.count;
            last = stretch.last;
        }
        let gave_up = match step(clockwork, last, until)? {
            SweepStep::Run(run) => {
                last = run;
                count += 1;
                continue;
            }
            SweepStep::Later => false,
            SweepStep::GaveUp => true,
        };
        return Ok(RunCount {
            count,
            first: Some(first),
            last: Some(last),
            gave_up,
        });
    }
    Err(Endless)
}

/// More runs than this are not examined one by one: only searches through the centuries before
/// there were standard times have that many, and upstream would be busy with them for hours.
const MOST_SINGLES: u32 = 100_000;

enum SweepStep {
    Run(i64),
    /// The next run lies beyond the interval.
    Later,
    GaveUp,
}

fn step(clockwork: &Clockwork, after: i64, until: i64) -> Result<SweepStep, Endless> {
    match next::after(clockwork, after) {
        SearchResult::At(run) if run <= until => Ok(SweepStep::Run(run)),
        SearchResult::At(_) => Ok(SweepStep::Later),
        SearchResult::Never => Ok(SweepStep::GaveUp),
        SearchResult::Endless => Err(Endless),
    }
}

struct SweepSpan {
    count: u64,
    last: i64,
}

/// Windows without a single run, one after the other, may not add up to more than this: upstream
/// gives up after five years, and where that could come near, runs are searched one by one.
const LONGEST_SILENCE: i64 = 3 * 365 * DAY;

/// Counts the runs after a run and up to `until`, as far as they are plain.
fn plain_stretch(clockwork: &Clockwork, run: i64, until: i64) -> SweepSpan {
    let shift = zone::fold(run);
    let table = clockwork.zone.table_at(run - shift);
    let stretch = count_windows(clockwork, table, run - shift, until - shift);
    SweepSpan {
        count: stretch.count,
        last: stretch.last + shift,
    }
}

fn count_windows(clockwork: &Clockwork, table: &OffsetTable, run: i64, until: i64) -> SweepSpan {
    let fields = &clockwork.fields;
    let mut position = table.position(run);
    let mut window = table.window(position);
    let mut stretch = SweepSpan {
        count: 0,
        last: run,
    };
    if run < window.plain_from || !matches(fields, window.offset, run) {
        return stretch;
    }
    let mut silent_since = run;
    let mut from = run + 1;
    let end = until.saturating_add(1).min(table.end());
    while from < end {
        let to = window.plain_until.min(end);
        let (low, high) = (
            from.saturating_add(window.offset),
            to.saturating_add(window.offset),
        );
        let count = count_walls(fields, low, high);
        if count > 0 {
            if from - silent_since > LONGEST_SILENCE {
                return stretch;
            }
            stretch.count += count;
            stretch.last = last_wall(fields, low, high).map_or(run, |wall| wall - window.offset);
            silent_since = to;
        }
        position += 1;
        let following = table.window(position);
        if following.irregular_before != window.irregular_before || clockwork.traits.runs_after_gap
        {
            return stretch;
        }
        from = window.end;
        window = following;
    }
    stretch
}

/// How many matching times the clock shows in `low..high`.
fn count_walls(fields: &Fields, low: i64, high: i64) -> u64 {
    if low >= high {
        return 0;
    }
    let (first_day, last_day) = (low.div_euclid(DAY), high.div_euclid(DAY));
    let before = |wall: i64| {
        let today = fields.allows_day(wall.div_euclid(DAY));
        if today {
            fields.times_before(wall.rem_euclid(DAY))
        } else {
            0
        }
    };
    fields.count_days(first_day, last_day) * fields.times_a_day() + before(high) - before(low)
}

/// The last matching time that the clock shows in `low..high`.
pub(crate) fn last_wall(fields: &Fields, low: i64, high: i64) -> Option<i64> {
    let today = high.div_euclid(DAY);
    let in_day = |day: i64, time: i64| fields.time_before(time).map(|time| day * DAY + time);
    let found = if fields.allows_day(today) {
        in_day(today, high.rem_euclid(DAY))
    } else {
        None
    };
    found
        .or_else(|| {
            let first_year = super::civil::Date::of_day(low.div_euclid(DAY)).year;
            in_day(fields.day_before(today, first_year)?, DAY)
        })
        .filter(|wall| *wall >= low)
}
