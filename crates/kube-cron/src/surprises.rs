//! The effects of clock changes on a schedule.
//!
//! Around each change, the times that the fields match are compared with the results of the search.
//! Nothing is derived from how the search works, so its errors are found as well.

use jiff::Timestamp;
use jiff::civil::{Date, DateTime};

use super::civil::{self, DAY, HOUR};
use super::clockwork::Clockwork;
use super::fields::Fields;
use super::never::civil_date;
use super::timetable::{RunRule, Timetable, floor};
use super::walk::SearchResult;
use super::zone::OffsetChange;
use super::{next, previous};

/// How a change of a zone's offset affects the runs of one day.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Surprise {
    /// The change that causes it: the one that skips or repeats the local times, or else the last one
    /// before them that disturbs upstream's search.
    pub change: OffsetChange,
    /// What happens.
    pub kind: SurpriseKind,
    /// The day that the local times belong to.
    pub date: Date,
    /// The affected local times, in order, at most [`Surprise::LISTED`].
    pub local_times: Vec<DateTime>,
    /// The number of affected local times, including those that are not listed.
    pub count: usize,
}

impl Surprise {
    /// The maximum number of local times that are listed.
    pub const LISTED: usize = 12;

    /// The affected local times in words: `02:00, 02:15, 02:30, 02:45 and 3 more`.
    pub fn times(&self) -> String {
        const SHOWN: usize = 4;
        let shown = self.local_times.iter().take(SHOWN);
        let shown: Vec<String> = shown
            .map(|local| local.strftime("%H:%M").to_string())
            .collect();
        let shown = shown.join(", ");
        match self.count.saturating_sub(SHOWN) {
            0 => shown,
            more => format!("{shown} and {more} more"),
        }
    }
}

/// How the runs differ from the fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SurpriseKind {
    /// There is no run at a local time that the fields match: the clock skips it, or upstream's search
    /// misses it.
    Lost,
    /// There are two runs at the same local time.
    Doubled,
    /// There is a run at a local time that the fields do not match.
    Additional,
}

impl Timetable {
    /// The effects of the changes of the offset after `from` and up to `until`, in order.
    ///
    /// A schedule that matches every hour, and whose minutes are the same before and after a change, keeps
    /// its interval: a skipped or repeated hour is not a surprise for it. `@every` does not depend on a
    /// clock and has no surprises.
    ///
    /// ```
    /// use kube_cron::{BundledZones, Dialect, Schedule, SurpriseKind, Zones};
    ///
    /// let new_york = BundledZones.load("America/New_York").unwrap();
    /// let nightly = Schedule::parse("30 2 * * *", Dialect::V3_0, &BundledZones).unwrap();
    /// let from = "2026-01-01T00:00:00Z".parse().unwrap();
    /// let until = "2027-01-01T00:00:00Z".parse().unwrap();
    /// let surprises = nightly.in_zone(&new_york).surprises(from, until);
    /// assert_eq!(surprises.len(), 1);
    /// assert_eq!(surprises[0].kind, SurpriseKind::Lost);
    /// assert_eq!(surprises[0].local_times[0].to_string(), "2026-03-08T02:30:00");
    /// ```
    pub fn surprises(&self, from: Timestamp, until: Timestamp) -> Vec<Surprise> {
        let RunRule::Clock(clockwork) = &self.rule else {
            return Vec::new();
        };
        if clockwork.fields.has_empty_field() {
            return Vec::new();
        }
        let asked = clockwork.zone.changes(from, until);
        let mut found = Vec::new();
        let mut stretch: Option<Stretch<'_>> = None;
        for change in &asked {
            if Turn::of(change).is_ignored_by(clockwork) {
                continue;
            }
            let (start, end) = reach(clockwork, change);
            match &mut stretch {
                Some(stretch) if start < stretch.stop => stretch.extend(end),
                earlier => {
                    if let Some(stretch) = earlier.take() {
                        stretch.compare(&asked, &mut found);
                    }
                    *earlier = Some(Stretch::new(clockwork, start, end));
                }
            }
        }
        if let Some(stretch) = stretch {
            stretch.compare(&asked, &mut found);
        }
        group(found)
    }
}

/// A change of the offset in the seconds of the searches.
#[derive(Clone, Copy)]
struct Turn {
    at: i64,
    shift: i64,
    /// The local times that are skipped or repeated: from here...
    low: i64,
    /// ... up to, but without, this one.
    high: i64,
}

impl Turn {
    fn of(change: &OffsetChange) -> Self {
        let at = floor(change.at);
        Turn {
            at,
            shift: change.after - change.before,
            low: at + change.before.min(change.after),
            high: at + change.before.max(change.after),
        }
    }

    /// Whether the schedule looks the same by the old clock and by the new one.
    fn keeps_pace(&self, fields: &Fields) -> bool {
        let every_hour = fields.hours == ALL_HOURS;
        let short = self.shift.abs() < DAY / 2 || fields.every_day();
        every_hour && short && {
            let seconds = self.shift.rem_euclid(HOUR);
            seconds % 60 == 0
                && rotate(fields.minutes, civil::narrow(seconds / 60)) == fields.minutes
        }
    }

    /// Whether nothing can happen: the pace is kept, and the search does not go astray.
    fn is_ignored_by(&self, clockwork: &Clockwork) -> bool {
        self.keeps_pace(&clockwork.fields) && self.is_regular(clockwork)
    }

    /// Whether the clock skips or repeats a local time.
    fn moves(&self, wall: i64) -> bool {
        self.low <= wall && wall < self.high
    }

    /// Whether upstream's search is known to find just what the clock shows.
    fn is_regular(&self, clockwork: &Clockwork) -> bool {
        let table = clockwork.zone.table_at(self.at);
        let (before, after) = (table.window_at(self.at - 1), table.window_at(self.at));
        before.irregular_before == after.irregular_before
    }
}

const ALL_HOURS: u32 = 0xff_ffff;

/// The minutes of an hour, turned by some minutes.
fn rotate(minutes: u64, by: u32) -> u64 {
    let all = (1_u64 << 60) - 1;
    if by == 0 {
        return minutes;
    }
    ((minutes << by) | (minutes >> (60 - by))) & all
}

/// From which run on, and how far, the runs must be examined to see all effects of a change.
fn reach(clockwork: &Clockwork, change: &OffsetChange) -> (i64, i64) {
    let turn = Turn::of(change);
    let width = turn.shift.abs();
    // Runs on the day of an irregular change may be strange, and lead to a strange one again.
    let after = if turn.is_regular(clockwork) {
        width
    } else {
        width + DAY
    };
    let before = turn.at - width;
    let start = previous::before(clockwork, before).unwrap_or(before - DAY);
    (start, turn.at + after)
}

/// The runs around one change, or around several whose effects cannot be distinguished otherwise.
struct Stretch<'a> {
    clockwork: &'a Clockwork,
    start: i64,
    runs: Vec<i64>,
    /// The last run that was examined; the end of the stretch where there is none any more.
    stop: i64,
}

impl<'a> Stretch<'a> {
    fn new(clockwork: &'a Clockwork, start: i64, end: i64) -> Self {
        let mut stretch = Stretch {
            clockwork,
            start,
            runs: Vec::new(),
            stop: start,
        };
        stretch.extend(end);
        stretch
    }

    /// Continues with the first run at or after a moment.
    fn extend(&mut self, end: i64) {
        while self.stop < end {
            match next::after(self.clockwork, self.stop) {
                SearchResult::At(run) if run > self.stop => {
                    self.runs.push(run);
                    self.stop = run;
                }
                _ => self.stop = end,
            }
        }
    }

    fn wall(&self, second: i64) -> i64 {
        second + self.clockwork.zone.offset_at(second)
    }

    /// Compares what the fields promise with the runs.
    fn compare(&self, asked: &[OffsetChange], found: &mut Vec<Difference>) {
        let fields = &self.clockwork.fields;
        let turns = self.turns().into_iter();
        let turns = turns.map(|turn| (turn, turn.is_regular(self.clockwork)));
        let turns: Vec<(Turn, bool)> = turns.collect();
        let mut report = |kind: SurpriseKind, wall: i64| {
            let to_blame = blame(&turns, wall);
            let Some(turn) = to_blame else { return };
            let mut asked = asked.iter().copied();
            let change = asked.find(|change| floor(change.at) == turn.at);
            let expected = turn.moves(wall) && turn.keeps_pace(fields);
            let change = change.filter(|_| kind == SurpriseKind::Additional || !expected);
            found.extend(change.map(|change| Difference { change, kind, wall }));
        };
        let mut walls: Vec<i64> = self.runs.iter().map(|run| self.wall(*run)).collect();
        walls.sort_unstable();
        let mut rest = walls.as_slice();
        let (first, last) = (self.wall(self.start), self.wall(self.stop));
        for promised in promises(fields, first, last) {
            let earlier = rest.partition_point(|wall| *wall < promised);
            let (unpromised, later) = rest.split_at_checked(earlier).unwrap_or((&[], rest));
            for wall in unpromised.iter().filter(|wall| **wall > first) {
                report(SurpriseKind::Additional, *wall);
            }
            let times = later.partition_point(|wall| *wall == promised);
            rest = later.get(times..).unwrap_or(&[]);
            match times {
                0 => report(SurpriseKind::Lost, promised),
                1 => {}
                _ => report(SurpriseKind::Doubled, promised),
            }
        }
        for wall in rest.iter().filter(|wall| **wall > first) {
            report(SurpriseKind::Additional, *wall);
        }
    }

    /// All changes in the stretch, whether they were asked for or not.
    fn turns(&self) -> Vec<Turn> {
        let moment = |second: i64| Timestamp::from_second(second).ok();
        let span = moment(self.start).zip(moment(self.stop));
        let changes = span.map(|(start, stop)| self.clockwork.zone.changes(start, stop));
        changes.unwrap_or_default().iter().map(Turn::of).collect()
    }
}

/// Which of the changes (regular ones marked) makes a local time what it is.
fn blame(turns: &[(Turn, bool)], wall: i64) -> Option<Turn> {
    let earlier = || turns.iter().rev().filter(|(turn, _)| turn.low <= wall);
    let found = earlier()
        .find(|(turn, _)| turn.moves(wall))
        .or_else(|| earlier().find(|(_, regular)| !regular))
        .or_else(|| earlier().next())
        .or(turns.first());
    found.map(|(turn, _)| *turn)
}

/// The local times that fields allow after one local time and up to another.
fn promises(fields: &Fields, after: i64, until: i64) -> impl Iterator<Item = i64> + '_ {
    let last_year = civil::Date::of_day(until.div_euclid(DAY)).year;
    let mut day = after.div_euclid(DAY);
    let mut time = after.rem_euclid(DAY) + 1;
    let mut allowed = fields.allows_day(day);
    std::iter::from_fn(move || {
        loop {
            if allowed && let Some(found) = fields.time_at_or_after(time) {
                time = found + 1;
                return Some(day * DAY + found);
            }
            day = fields.day_after(day, last_year)?;
            allowed = true;
            time = 0;
        }
    })
    .take_while(move |wall| *wall <= until)
}

/// One local time at which something happens.
struct Difference {
    change: OffsetChange,
    kind: SurpriseKind,
    wall: i64,
}

/// One surprise for each change, kind and day.
fn group(mut found: Vec<Difference>) -> Vec<Surprise> {
    found.sort_by_key(|one| (one.change.at, one.wall.div_euclid(DAY), one.kind, one.wall));
    let mut surprises: Vec<Surprise> = Vec::new();
    for one in found {
        let Some(date) = civil_date(one.wall.div_euclid(DAY)) else {
            continue;
        };
        let local_time = local_time(date, one.wall.rem_euclid(DAY));
        match surprises.last_mut() {
            Some(last) if (last.change, last.kind, last.date) == (one.change, one.kind, date) => {
                last.count += 1;
                if last.local_times.len() < Surprise::LISTED {
                    last.local_times.push(local_time);
                }
            }
            _ => surprises.push(Surprise {
                change: one.change,
                kind: one.kind,
                date,
                local_times: vec![local_time],
                count: 1,
            }),
        }
    }
    surprises
}

fn local_time(date: Date, time: i64) -> DateTime {
    let part = |number: i64| i8::try_from(number).unwrap_or(0);
    let (hour, minute, second) = (time / HOUR, time / 60 % 60, time % 60);
    DateTime::from_parts(
        date,
        jiff::civil::time(part(hour), part(minute), part(second), 0),
    )
}
