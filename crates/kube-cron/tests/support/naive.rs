//! The slow reference: `SpecSchedule.Next` of robfig/cron, ported from its Go source line by line,
//! with jiff's offsets and without any code of kube-cron.
//!
//! It uses the names of the Go source, so that the two can be read side by side. It supports only
//! schedules that follow a clock: neither expressions with a zone in front of them nor `@every`.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use kube_cron::Dialect;

use super::moments::at;

/// `SpecSchedule`, its seconds always being 0.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spec {
    minute: u64,
    hour: u64,
    dom: u64,
    month: u64,
    dow: u64,
    /// Whether `Next` repairs a midnight that does not exist, as it does from version 3 on.
    repairs_midnight: bool,
}

/// The result of `Next`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// A time, in Unix seconds.
    At(i64),
    /// Go's zero time.
    Never,
    /// Nothing: its loop does not end.
    Hangs,
}

const STAR_BIT: u64 = 1 << 63;
const HOUR: i64 = 3600;
const MINUTE: i64 = 60;
const EPOCH: Date = Date::constant(1970, 1, 1);

/// The search ends within a little more than five years, so that more steps of a day or longer than these
/// are an endless loop.
const MOST_DAYS: u32 = 20_000;

/// `bounds`: the smallest value, the largest, and the names.
struct Bounds(u64, u64, &'static [&'static str]);

const MONTHS: [&str; 12] = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
];
const WEEKDAYS: [&str; 7] = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

impl Spec {
    /// `ParseStandard`, for five fields of ASCII and the words for them; `None` for all else.
    pub(crate) fn parse(text: &str, dialect: Dialect) -> Option<Spec> {
        let text = match text {
            "@yearly" | "@annually" => "0 0 1 1 *",
            "@monthly" => "0 0 1 * *",
            "@weekly" => "0 0 * * 0",
            "@daily" | "@midnight" => "0 0 * * *",
            "@hourly" => "0 * * * *",
            other => other,
        };
        let fields: Vec<&str> = text.split_whitespace().collect();
        let [minute, hour, dom, month, dow] = fields[..] else {
            return None;
        };
        let newer = dialect == Dialect::V3_0;
        Some(Spec {
            minute: get_field(minute, &Bounds(0, 59, &[]), newer)?,
            hour: get_field(hour, &Bounds(0, 23, &[]), newer)?,
            dom: get_field(dom, &Bounds(1, 31, &[]), newer)?,
            month: get_field(month, &Bounds(1, 12, &MONTHS), newer)?,
            dow: get_field(dow, &Bounds(0, 6, &WEEKDAYS), newer)?,
            repairs_midnight: newer,
        })
    }

    /// Whether the search would step minute by minute or hour by hour through five years.
    pub(crate) fn is_hopeless(&self) -> bool {
        self.minute & !STAR_BIT == 0 || self.hour & !STAR_BIT == 0
    }

    /// `SpecSchedule.Next`.
    pub(crate) fn next(&self, after: i64, zone: &TimeZone) -> Next {
        let mut t = Time::unix(after + 1, zone);
        let mut added = false;
        let mut steps = 0;
        let year_limit = t.year() + 5;
        'wrap: loop {
            if t.year() > year_limit {
                return Next::Never;
            }
            while self.month & (1 << t.month()) == 0 {
                if !added {
                    added = true;
                    t = Time::date(t.year(), t.month(), 1, (0, 0, 0), zone);
                }
                t = t.add_date(1, 0);
                steps += 1;
                if steps > MOST_DAYS {
                    return Next::Hangs;
                }
                if t.month() == 1 {
                    continue 'wrap;
                }
            }
            while !self.day_matches(&t) {
                if !added {
                    added = true;
                    t = Time::date(t.year(), t.month(), t.day(), (0, 0, 0), zone);
                }
                t = t.add_date(0, 1);
                steps += 1;
                if steps > MOST_DAYS {
                    return Next::Hangs;
                }
                if self.repairs_midnight && t.hour() != 0 {
                    if t.hour() > 12 {
                        t = t.add((24 - t.hour()) * HOUR);
                    } else {
                        t = t.add(-t.hour() * HOUR);
                    }
                }
                if t.day() == 1 {
                    continue 'wrap;
                }
            }
            while self.hour & (1 << t.hour()) == 0 {
                if !added {
                    added = true;
                    t = Time::date(t.year(), t.month(), t.day(), (t.hour(), 0, 0), zone);
                }
                t = t.add(HOUR);
                if t.hour() == 0 {
                    continue 'wrap;
                }
            }
            while self.minute & (1 << t.minute()) == 0 {
                if !added {
                    added = true;
                    t = t.truncate_to_minute();
                }
                t = t.add(MINUTE);
                if t.minute() == 0 {
                    continue 'wrap;
                }
            }
            // The field for seconds is 0 in every schedule of five fields.
            while t.second() != 0 {
                // `Truncate(time.Second)` would be here; there are no fractions at this point.
                added = true;
                t = t.add(1);
                if t.second() == 0 {
                    continue 'wrap;
                }
            }
            return Next::At(t.unix);
        }
    }

    /// Whether the local time matches every field.
    pub(crate) fn matches(&self, unix: i64, zone: &TimeZone) -> bool {
        let t = Time::unix(unix, zone);
        self.month & (1 << t.month()) != 0
            && self.day_matches(&t)
            && self.hour & (1 << t.hour()) != 0
            && self.minute & (1 << t.minute()) != 0
            && t.second() == 0
    }

    fn day_matches(&self, t: &Time<'_>) -> bool {
        let day_of_month = self.dom & (1 << t.day()) != 0;
        let day_of_week = self.dow & (1 << t.weekday()) != 0;
        if self.dom & STAR_BIT != 0 || self.dow & STAR_BIT != 0 {
            day_of_month && day_of_week
        } else {
            day_of_month || day_of_week
        }
    }
}

/// `time.Time`: a moment, and the clock that it is read from.
#[derive(Clone, Copy)]
struct Time<'a> {
    unix: i64,
    /// What the clock shows, as seconds since 1970 began on it.
    abs: i64,
    date: Date,
    zone: &'a TimeZone,
}

impl<'a> Time<'a> {
    /// `time.Unix(unix, 0).In(zone)`.
    fn unix(unix: i64, zone: &'a TimeZone) -> Self {
        let abs = unix + lookup(unix, zone);
        let days = jiff::SignedDuration::from_hours(24 * abs.div_euclid(86_400));
        let date = EPOCH + days;
        Time {
            unix,
            abs,
            date,
            zone,
        }
    }

    /// `time.Date`, which takes days and months that are out of range.
    fn date(year: i64, month: i64, day: i64, clock: (i64, i64, i64), zone: &'a TimeZone) -> Self {
        let months = year * 12 + month - 1;
        let (year, month) = (months.div_euclid(12), months.rem_euclid(12) + 1);
        let first = jiff::civil::date(small(year), small(month), 1);
        let days = EPOCH.duration_until(first).as_hours() / 24 + day - 1;
        let unix = days * 86_400 + clock.0 * HOUR + clock.1 * MINUTE + clock.2;
        // "in the hope that it will not be too close to a zone transition"
        let guess = lookup(unix, zone);
        let offset = lookup(unix - guess, zone);
        Time::unix(unix - offset, zone)
    }

    /// `AddDate` without years, which are never added.
    fn add_date(&self, months: i64, days: i64) -> Self {
        let clock = (self.hour(), self.minute(), self.second());
        Time::date(
            self.year(),
            self.month() + months,
            self.day() + days,
            clock,
            self.zone,
        )
    }

    /// `Add`.
    fn add(&self, seconds: i64) -> Self {
        Time::unix(self.unix + seconds, self.zone)
    }

    /// `Truncate(time.Minute)`: of the moment, not of what the clock shows.
    fn truncate_to_minute(&self) -> Self {
        self.add(-self.unix.rem_euclid(MINUTE))
    }

    fn year(&self) -> i64 {
        i64::from(self.date.year())
    }

    fn month(&self) -> i64 {
        i64::from(self.date.month())
    }

    fn day(&self) -> i64 {
        i64::from(self.date.day())
    }

    fn weekday(&self) -> i64 {
        i64::from(self.date.weekday().to_sunday_zero_offset())
    }

    fn hour(&self) -> i64 {
        self.abs.rem_euclid(86_400) / HOUR
    }

    fn minute(&self) -> i64 {
        self.abs.rem_euclid(HOUR) / MINUTE
    }

    fn second(&self) -> i64 {
        self.abs.rem_euclid(MINUTE)
    }
}

/// Seconds east of UTC at a moment.
fn lookup(unix: i64, zone: &TimeZone) -> i64 {
    i64::from(zone.to_offset(at(unix)).seconds())
}

fn small<T: TryFrom<i64>>(part: i64) -> T {
    match T::try_from(part) {
        Ok(part) => part,
        Err(_) => unreachable!("{part} is not a part of a date"),
    }
}

/// `getField`.
fn get_field(field: &str, bounds: &Bounds, newer: bool) -> Option<u64> {
    let ranges = field.split(',').filter(|range| !range.is_empty());
    ranges
        .map(|range| get_range(range, bounds, newer))
        .try_fold(0, |bits, more| Some(bits | more?))
}

/// `getRange`.
fn get_range(text: &str, bounds: &Bounds, newer: bool) -> Option<u64> {
    let range_and_step: Vec<&str> = text.split('/').collect();
    let low_and_high: Vec<&str> = range_and_step[0].split('-').collect();
    let single_digit = low_and_high.len() == 1;
    let (start, mut end, mut extra);
    if low_and_high[0] == "*" || low_and_high[0] == "?" {
        (start, end, extra) = (bounds.0, bounds.1, STAR_BIT);
    } else {
        start = parse_int_or_name(low_and_high[0], bounds)?;
        extra = 0;
        end = match low_and_high.len() {
            1 => start,
            2 => parse_int_or_name(low_and_high[1], bounds)?,
            _ => return None,
        };
    }
    let step = match range_and_step.len() {
        1 => 1,
        2 => {
            if single_digit {
                end = bounds.1;
            }
            parse_int(range_and_step[1])?
        }
        _ => return None,
    };
    if newer && step > 1 {
        extra = 0;
    }
    if start < bounds.0 || end > bounds.1 || start > end || step == 0 {
        return None;
    }
    let mut bits = extra;
    let mut value = start;
    while value <= end {
        bits |= 1 << value;
        value = value.saturating_add(step);
    }
    Some(bits)
}

fn parse_int_or_name(text: &str, bounds: &Bounds) -> Option<u64> {
    let named = bounds
        .2
        .iter()
        .position(|name| name.eq_ignore_ascii_case(text));
    match named {
        Some(position) => Some(bounds.0 + position as u64),
        None => parse_int(text),
    }
}

/// `mustParseInt`: an `int` of Go that is not negative.
fn parse_int(text: &str) -> Option<u64> {
    text.parse::<i64>()
        .ok()
        .and_then(|number| u64::try_from(number).ok())
}
