//! Why a schedule never runs again.

use std::fmt;

use jiff::Timestamp;

use super::FieldName;
use super::civil::{DAY, Date, days_in_month};
use super::clockwork::{Clockwork, Endless};
use super::fields::{Fields, low_bits, members};
use super::timetable::{RunRule, Timetable, floor};
use super::words::{join, month_name, weekday_name};

/// Why a schedule never runs after a given time; `Display` explains it in English.
///
/// ```
/// use kube_cron::{BundledZones, Dialect, Schedule, Zone};
///
/// let schedule = Schedule::parse("0 0 31 4,6 *", Dialect::V3_0, &BundledZones).unwrap();
/// let why = schedule.in_zone(&Zone::utc()).why_never("2026-01-01T00:00:00Z".parse().unwrap());
/// assert_eq!(why.unwrap().to_string(), "April 31 and June 31 do not exist");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Never {
    /// A field matches nothing, such as a lone comma.
    EmptyField(FieldName),
    /// A match of either day field is enough, but neither matches a day.
    EmptyDayFields,
    /// None of the dates exists in any year.
    NoSuchDate {
        /// The days of the month, in order.
        days: Vec<u32>,
        /// The months, 1 to 12, in order; none of them has any of these days.
        months: Vec<u32>,
    },
    /// The only date is February 29, and upstream gives up before the next leap year.
    NoLeapDay {
        /// The year of the next February 29.
        next: i16,
    },
    /// The dates exist, but they fall on an allowed weekday too rarely for upstream's search.
    NoSuchWeekday {
        /// The weekdays, Sunday being 0, in order.
        weekdays: Vec<u32>,
        /// The next date that would match; `None` if there is none at all.
        next: Option<jiff::civil::Date>,
    },
    /// The calendar has a matching date within five years, but upstream's search misses it because of
    /// changes of the zone's offset.
    LostToTheZone {
        /// The next date that would match.
        next: jiff::civil::Date,
    },
    /// Upstream's search never ends.
    Endless,
    /// The next run is after the year 9999.
    EndOfTime,
}

impl fmt::Display for Never {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Never::EmptyField(field) => write!(f, "the {field} field matches nothing"),
            Never::EmptyDayFields => f.write_str(
                "neither the day of month field nor the day of week field matches a day",
            ),
            Never::NoSuchDate { days, months } => {
                let single = days.len() == 1 && months.len() == 1;
                let dates = months.iter().flat_map(|month| {
                    let month = month_name(*month);
                    days.iter().map(move |day| format!("{month} {day}"))
                });
                let verb = if single { "does" } else { "do" };
                write!(f, "{} {verb} not exist", join(dates, "and"))
            }
            Never::NoLeapDay { next } => write!(
                f,
                "there is no February 29 within five years (the next is in {next})"
            ),
            Never::NoSuchWeekday { weekdays, next } => {
                let weekdays = weekdays
                    .iter()
                    .map(|number| weekday_name(*number).to_owned());
                let weekdays = join(weekdays, "or");
                write!(
                    f,
                    "no matching day of the month is a {weekdays} within five years"
                )?;
                match next {
                    Some(next) => write!(f, " (the next is {next})"),
                    None => f.write_str(" or later"),
                }
            }
            Never::LostToTheZone { next } => write!(
                f,
                "{next} would match, but the search misses it because of a clock change in the zone"
            ),
            Never::Endless => write!(f, "{Endless}"),
            Never::EndOfTime => f.write_str("the next run would be after the year 9999"),
        }
    }
}

impl Timetable {
    /// Why there is no run after a given time; `None` if there is one.
    pub fn why_never(&self, after: Timestamp) -> Option<Never> {
        match self.next(after) {
            Ok(Some(_)) => None,
            Err(Endless) => Some(Never::Endless),
            Ok(None) => Some(match &self.rule {
                RunRule::Every(_) => Never::EndOfTime,
                RunRule::Clock(clockwork) => reason(clockwork, floor(after)),
            }),
        }
    }
}

/// Why fields match no date in any year.
pub(crate) fn impossible(fields: &Fields) -> Option<Never> {
    let both = fields.both_day_fields();
    let is_empty = |field: &FieldName| {
        let is_day = matches!(field, FieldName::DayOfMonth | FieldName::DayOfWeek);
        fields.bits(*field) == 0 && (both || !is_day)
    };
    let mut names = FieldName::WITH_SECONDS.into_iter();
    if let Some(field) = names.find(is_empty) {
        return Some(Never::EmptyField(field));
    }
    if fields.days == 0 && fields.weekdays == 0 {
        return Some(Never::EmptyDayFields);
    }
    let days_decide = both || fields.weekdays == 0;
    let exists = |month: u32| fields.days & low_bits(days_in_month(LEAP_YEAR, month) + 1) & !1 != 0;
    (days_decide && !members(fields.months).any(exists)).then(|| Never::NoSuchDate {
        days: members(fields.days).collect(),
        months: members(fields.months).collect(),
    })
}

/// Any leap year.
const LEAP_YEAR: i64 = 2000;

fn reason(clockwork: &Clockwork, after: i64) -> Never {
    let fields = &clockwork.fields;
    if let Some(never) = impossible(fields) {
        return never;
    }
    let offset = clockwork.zone.offset_at(after);
    let today = (after + offset).div_euclid(DAY);
    // The rest of today did not match.
    let year = Date::of_day(today).year;
    let Some(day) = fields.day_after(today, year + 400) else {
        return Never::NoSuchWeekday {
            weekdays: members(fields.weekdays).collect(),
            next: None,
        };
    };
    let Some((date, next)) = Some(Date::of_day(day)).zip(civil_date(day)) else {
        return Never::EndOfTime;
    };
    if date.year <= year + 5 {
        return Never::LostToTheZone { next };
    }
    if fields.weekdays == 0b111_1111 {
        return Never::NoLeapDay { next: next.year() };
    }
    Never::NoSuchWeekday {
        weekdays: members(fields.weekdays).collect(),
        next: Some(next),
    }
}

/// A day as a civil date, if it is in the supported range.
pub(crate) fn civil_date(day: i64) -> Option<jiff::civil::Date> {
    let date = Date::of_day(day);
    jiff::civil::Date::new(
        i16::try_from(date.year).ok()?,
        i8::try_from(date.month).ok()?,
        i8::try_from(date.day).ok()?,
    )
    .ok()
}
