//! The intervals between the times of a schedule.

use std::collections::BTreeMap;

use super::civil::{self, DAY, Date, HOUR};
use super::fields::{Fields, members};
use super::parse::Expression;
use super::{FieldName, Schedule};

/// The intervals between consecutive times of a schedule, in seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Period {
    /// The shortest interval.
    pub shortest: i64,
    /// The longest interval.
    pub longest: i64,
    /// The most frequent interval; the shorter of two that are equally frequent.
    pub typical: i64,
    /// How the intervals follow each other.
    pub rhythm: Rhythm,
}

/// How the intervals between runs follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rhythm {
    /// All intervals are the same.
    Even,
    /// Two intervals alternate.
    Alternating {
        /// The first interval of a day or a year, in seconds.
        first: i64,
        /// The other interval.
        second: i64,
    },
    /// More than half of the intervals are the typical one.
    Mostly,
    /// No interval occurs in more than half of the cases.
    Mixed,
}

impl Period {
    /// Whether an interval is at least twice as long as another, which is more than the different lengths
    /// of months cause.
    pub fn has_pauses(self) -> bool {
        self.longest >= 2 * self.shortest
    }
}

impl Schedule {
    /// The intervals between the times of this schedule; `None` if it has no times.
    ///
    /// The intervals are those of a calendar without clock changes. They are exact for the 400 years after
    /// which the calendar repeats, including rare dates: the longest interval of a schedule for February 29
    /// is eight years, although upstream gives up after five.
    ///
    /// ```
    /// use kube_cron::{BundledZones, Dialect, Rhythm, Schedule};
    ///
    /// let uneven = Schedule::parse("*/7 * * * *", Dialect::V3_0, &BundledZones).unwrap();
    /// let period = uneven.period().unwrap();
    /// assert_eq!((period.shortest, period.longest, period.typical), (4 * 60, 7 * 60, 7 * 60));
    /// assert_eq!(period.rhythm, Rhythm::Mostly);
    /// ```
    pub fn period(&self) -> Option<Period> {
        match &self.expression {
            Expression::Every(delay) => Some(Period {
                shortest: *delay,
                longest: *delay,
                typical: *delay,
                rhythm: Rhythm::Even,
            }),
            Expression::Fields(fields) => of_fields(fields),
        }
    }
}

/// How often each distance occurs, in seconds.
type Distances = BTreeMap<i64, u64>;

fn of_fields(fields: &Fields) -> Option<Period> {
    let between_days = day_distances(fields);
    let mut times = between_days.values().sum::<u64>() * fields.times_a_day();
    let mut distances = Distances::new();
    let mut add = |distance: i64, times: u64| *distances.entry(distance).or_default() += times;
    // From the first to the last time of a minute, of an hour, and of a day.
    let mut within = 0;
    let units = [
        (FieldName::Second, 1),
        (FieldName::Minute, 60),
        (FieldName::Hour, HOUR),
    ];
    for (field, unit) in units {
        let values: Vec<i64> = members(fields.bits(field)).map(i64::from).collect();
        let (first, last) = (values.first()?, values.last()?);
        times /= values.len() as u64;
        for (one, next) in values.iter().zip(values.iter().skip(1)) {
            add((next - one) * unit - within, times);
        }
        within += (last - first) * unit;
    }
    for (distance, times) in between_days {
        add(distance * DAY - within, times);
    }
    let (typical, _) = distances.iter().rev().max_by_key(|(_, times)| **times)?;
    Some(Period {
        shortest: *distances.keys().next()?,
        longest: *distances.keys().next_back()?,
        typical: *typical,
        rhythm: rhythm(fields, &distances),
    })
}

/// How the distances follow each other.
fn rhythm(fields: &Fields, distances: &Distances) -> Rhythm {
    let all: u64 = distances.values().sum();
    let most = distances.values().copied().max().unwrap_or(0);
    if distances.len() < 2 {
        Rhythm::Even
    } else if 2 * most > all {
        Rhythm::Mostly
    } else {
        let turns = (distances.len() == 2)
            .then(|| alternating(fields))
            .flatten();
        turns.unwrap_or(Rhythm::Mixed)
    }
}

/// Two distances that take turns, if no distance follows itself.
fn alternating(fields: &Fields) -> Option<Rhythm> {
    let later = |time: &i64| fields.time_at_or_after(time + 1);
    let times = std::iter::successors(fields.time_at_or_after(0), later);
    let times: Vec<i64> = times.collect();
    let overnight = times.last()? - times.first()?;
    let pairs = times.iter().zip(times.iter().skip(1));
    let within: Vec<i64> = pairs.map(|(one, next)| next - one).collect();
    if within
        .iter()
        .zip(within.iter().skip(1))
        .any(|(one, next)| one == next)
    {
        return None;
    }
    let years = FIRST_YEAR..FIRST_YEAR + YEARS;
    let mut days = years.flat_map(|year| days_of_year(fields, year));
    let mut day = days.next()?;
    let mut before = within.last().copied();
    let mut shown: Vec<i64> = within.iter().take(2).copied().collect();
    for next in days {
        let night = (next - day) * DAY - overnight;
        if before == Some(night) || within.first() == Some(&night) {
            return None;
        }
        if shown.len() < 2 {
            shown.push(night);
        }
        before = within.last().copied().or(Some(night));
        day = next;
    }
    match shown.as_slice() {
        [first, second] => Some(Rhythm::Alternating {
            first: *first,
            second: *second,
        }),
        _ => None,
    }
}

/// The allowed days of a year.
fn days_of_year(fields: &Fields, year: i64) -> impl Iterator<Item = i64> + '_ {
    (1..=12).flat_map(move |month| {
        let first = Date {
            year,
            month,
            day: 1,
        }
        .to_day();
        let allowed = fields.days_of_month(year, month, civil::weekday(first));
        members(allowed).map(move |number| first + i64::from(number) - 1)
    })
}

/// The calendar repeats after as many years; any of them may be the first.
const YEARS: i64 = 400;
const FIRST_YEAR: i64 = 2000;

/// How often each distance between allowed days occurs in the calendar's cycle.
fn day_distances(fields: &Fields) -> Distances {
    let cycle = civil::CYCLE / DAY;
    if fields.every_day() {
        return Distances::from([(1, cycle.unsigned_abs())]);
    }
    let mut kinds: [Option<YearKind>; 14] = [const { None }; 14];
    let mut distances = Distances::new();
    let mut first_of_all = None;
    let mut last = None;
    for year in FIRST_YEAR..FIRST_YEAR + YEARS {
        let january = Date {
            year,
            month: 1,
            day: 1,
        }
        .to_day();
        let kind = civil::weekday(january) * 2 + u32::from(civil::is_leap(year));
        let Some(kind) = kinds.get_mut(kind as usize) else {
            continue;
        };
        let kind = kind.get_or_insert_with(|| YearKind::of(fields, year, january));
        kind.years += 1;
        let Some((first, final_day)) = kind.ends else {
            continue;
        };
        first_of_all = first_of_all.or(Some(january + first));
        if let Some(last) = last {
            *distances.entry(january + first - last).or_default() += 1;
        }
        last = Some(january + final_day);
    }
    if let (Some(first), Some(last)) = (first_of_all, last) {
        *distances.entry(first + cycle - last).or_default() += 1;
    }
    for kind in kinds.iter().flatten() {
        for (distance, times) in &kind.distances {
            *distances.entry(*distance).or_default() += times * kind.years;
        }
    }
    distances
}

/// All years that begin with the same weekday and are as long as each other have the same days.
struct YearKind {
    years: u64,
    /// The first and the last allowed day, counted from January 1.
    ends: Option<(i64, i64)>,
    distances: Distances,
}

impl YearKind {
    fn of(fields: &Fields, year: i64, january: i64) -> Self {
        let days: Vec<i64> = days_of_year(fields, year).collect();
        let ends = days.first().zip(days.last());
        let mut distances = Distances::new();
        for (one, next) in days.iter().zip(days.iter().skip(1)) {
            *distances.entry(next - one).or_default() += 1;
        }
        YearKind {
            years: 0,
            ends: ends.map(|(first, last)| (first - january, last - january)),
            distances,
        }
    }
}
