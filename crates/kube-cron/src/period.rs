//! The intervals between the times of a schedule.

use std::collections::BTreeMap;

use super::Schedule;
use super::civil::{self, DAY, Date, HOUR};
use super::fields::Fields;
use super::parse::Expression;

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
    let (seconds, minutes, hours) = (fields.seconds, fields.minutes, u64::from(fields.hours));
    if seconds == 0 || minutes == 0 || hours == 0 {
        return None;
    }
    let between_days = day_distances(fields);
    let days: u64 = between_days.values().sum();
    let mut distances = Distances::new();
    let mut add = |distance: i64, times: u64| *distances.entry(distance).or_default() += times;

    let hours_in_all = days * u64::from(hours.count_ones());
    let minutes_in_all = hours_in_all * u64::from(minutes.count_ones());
    for step in steps(seconds) {
        add(step, minutes_in_all);
    }
    let in_minute = last_bit(seconds) - first_bit(seconds);
    for step in steps(minutes) {
        add(step * 60 - in_minute, hours_in_all);
    }
    let in_hour = (last_bit(minutes) - first_bit(minutes)) * 60 + in_minute;
    for step in steps(hours) {
        add(step * HOUR - in_hour, days);
    }
    let in_day = (last_bit(hours) - first_bit(hours)) * HOUR + in_hour;
    for (distance, times) in between_days {
        add(distance * DAY - in_day, times);
    }

    let shortest = *distances.keys().next()?;
    let longest = *distances.keys().next_back()?;
    let (typical, _) = distances
        .iter()
        .rev()
        .max_by_key(|(_, times)| **times)
        .map(|(d, t)| (*d, t))?;
    Some(Period {
        shortest,
        longest,
        typical,
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
    let mut days = allowed_days(fields);
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

/// The allowed days of the calendar's cycle.
fn allowed_days(fields: &Fields) -> impl Iterator<Item = i64> + '_ {
    let months = (FIRST_YEAR..FIRST_YEAR + YEARS).flat_map(|year| {
        (1..=12).map(move |month| Date {
            year,
            month,
            day: 1,
        })
    });
    months.flat_map(|first| {
        let day = first.to_day();
        let allowed = fields.days_of_month(first.year, first.month, civil::weekday(day));
        (1..=31_i64)
            .filter(move |number| allowed & (1 << number) != 0)
            .map(move |number| day + number - 1)
    })
}

fn first_bit(bits: u64) -> i64 {
    i64::from(bits.trailing_zeros())
}

fn last_bit(bits: u64) -> i64 {
    63 - i64::from(bits.leading_zeros())
}

/// The distances from one bit to the next.
fn steps(bits: u64) -> impl Iterator<Item = i64> {
    let mut rest = bits;
    std::iter::from_fn(move || {
        let here = rest.trailing_zeros();
        rest &= rest.wrapping_sub(1);
        (rest != 0).then(|| i64::from(rest.trailing_zeros()) - i64::from(here))
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
        let mut ends: Option<(i64, i64)> = None;
        let mut counts = [0_u64; 367];
        let mut first_of_month = january;
        for month in 1..=12 {
            let mut allowed = fields.days_of_month(year, month, civil::weekday(first_of_month));
            while allowed != 0 {
                let day = first_of_month - january + i64::from(allowed.trailing_zeros()) - 1;
                allowed &= allowed - 1;
                let count = ends.and_then(|(_, last)| {
                    usize::try_from(day - last)
                        .ok()
                        .and_then(|distance| counts.get_mut(distance))
                });
                if let Some(count) = count {
                    *count += 1;
                }
                ends = Some((ends.map_or(day, |(first, _)| first), day));
            }
            first_of_month += i64::from(civil::days_in_month(year, month));
        }
        let distances = (0..)
            .zip(counts)
            .filter(|(_, times)| *times > 0)
            .collect::<Distances>();
        YearKind {
            years: 0,
            ends,
            distances,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BundledZones, Dialect};

    fn period(text: &str) -> Option<(i64, i64, i64)> {
        let schedule = Schedule::parse(text, Dialect::V3_0, &BundledZones).unwrap();
        let period = schedule.period()?;
        assert_eq!(
            period.rhythm == Rhythm::Even,
            period.shortest == period.longest
        );
        Some((period.shortest, period.longest, period.typical))
    }

    #[test]
    fn even_ones() {
        assert_eq!(period("* * * * *"), Some((60, 60, 60)));
        assert_eq!(period("*/15 * * * *"), Some((900, 900, 900)));
        assert_eq!(period("5/15 * * * *"), Some((900, 900, 900)));
        assert_eq!(period("0 */6 * * *"), Some((6 * 3600, 6 * 3600, 6 * 3600)));
        assert_eq!(period("@daily"), Some((DAY, DAY, DAY)));
        assert_eq!(period("@weekly"), Some((7 * DAY, 7 * DAY, 7 * DAY)));
        assert_eq!(period("@every 90s"), Some((90, 90, 90)));
    }

    #[test]
    fn uneven_ones() {
        assert_eq!(period("*/40 * * * *"), Some((1200, 2400, 1200)));
        assert_eq!(period("0 9-17 * * 1-5"), Some((3600, 64 * 3600, 3600)));
        assert_eq!(period("0 0 1 * *"), Some((28 * DAY, 31 * DAY, 31 * DAY)));
        assert_eq!(period("0 0 31 * *"), Some((31 * DAY, 61 * DAY, 61 * DAY)));
        assert_eq!(period("0 0 */2 * *"), Some((DAY, 2 * DAY, 2 * DAY)));
        assert_eq!(period("@yearly"), Some((365 * DAY, 366 * DAY, 365 * DAY)));
        // 97 of 400 years are leap years; from 2096 to 2104 there is none.
        assert_eq!(
            period("0 0 29 2 *"),
            Some((1461 * DAY, 2921 * DAY, 1461 * DAY))
        );
    }

    #[test]
    fn rhythms() {
        let rhythm = |text: &str| {
            let schedule = Schedule::parse(text, Dialect::V3_0, &BundledZones).unwrap();
            schedule.period().unwrap().rhythm
        };
        let turns = |first, second| Rhythm::Alternating { first, second };
        assert_eq!(rhythm("*/45 * * * *"), turns(2700, 900));
        assert_eq!(rhythm("0 8,14 * * *"), turns(6 * 3600, 18 * 3600));
        assert_eq!(rhythm("0 3 * * 1,4"), turns(3 * DAY, 4 * DAY));
        // 10, 10, 20 and 20 minutes: as many of each, but not by turns.
        assert_eq!(rhythm("0,10,20,40 * * * *"), Rhythm::Mixed);
        assert_eq!(rhythm("0 9-10 * * 1-5"), Rhythm::Mixed);
        assert_eq!(rhythm("*/7 * * * *"), Rhythm::Mostly);
        assert_eq!(rhythm("*/15 * * * *"), Rhythm::Even);
        assert_eq!(rhythm("0 0 1 * *"), Rhythm::Mostly);
    }

    #[test]
    fn periods_with_seconds() {
        let period = |text: &str| {
            let schedule = Schedule::parse(text, Dialect::V1_2Seconds, &BundledZones).unwrap();
            let period = schedule.period().unwrap();
            (period.shortest, period.longest, period.typical)
        };
        assert_eq!(period("0 2 * * *"), (3600, 3600, 3600));
        assert_eq!(period("0 0 2 * * *"), (DAY, DAY, DAY));
        assert_eq!(period("*/15 * * * * *"), (15, 15, 15));
        assert_eq!(period("0,40 0 2 * * *"), (40, DAY - 40, 40));
    }

    #[test]
    fn none_without_a_time() {
        for text in [
            ", * * * *",
            "0 , * * *",
            "0 0 , * *",
            "0 0 31 2 *",
            "0 0 * , *",
        ] {
            assert_eq!(period(text), None, "{text}");
        }
    }

    /// February 29 is a Saturday or a Sunday in 27 of 400 years: mostly 12 years apart, but 28 from
    /// 2088 to 2116 and from 2184 to 2212, since 2100 and 2200 have no leap day.
    #[test]
    fn leap_days_at_weekends() {
        let schedule = Schedule::parse("0 0 29 2 */6", Dialect::V1_1, &BundledZones).unwrap();
        let period = schedule.period().unwrap();
        let expected = Period {
            shortest: 4382 * DAY,
            longest: 10_226 * DAY,
            typical: 4383 * DAY,
            rhythm: Rhythm::Mixed,
        };
        assert_eq!(period, expected);
    }
}
