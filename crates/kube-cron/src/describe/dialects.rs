//! Expressions that mean different things in different versions of the library.

use jiff::Timestamp;
use jiff::civil::Date;

use super::days::{DayRule, rule};
use crate::civil::{DAY, Date as Day};
use crate::dialect::Dialect;
use crate::never::civil_date;
use crate::parse::Expression;
use crate::timetable::floor;
use crate::zone::BundledZones;
use crate::{Schedule, fields::Fields};

/// How an expression changed its meaning with Kubernetes 1.22.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DialectDifference {
    /// The first time, in UTC, at which only one of the two runs.
    pub at: Timestamp,
    /// The date of that time.
    pub date: Date,
    /// Whether it runs at that time since 1.22 and did not before, or the other way round.
    pub runs_since: bool,
    /// The days up to 1.21.
    pub before: DayRule,
    /// The days from 1.22 on.
    pub since: DayRule,
}

/// How the meaning of an expression changed with Kubernetes 1.22, with the first difference after a
/// given time.
///
/// Up to 1.21 `*/2` counts as an asterisk in a day field, so the other day field must match as well;
/// since then a match of either is enough. `None` if the meaning is the same, if one of the two rejects
/// the expression, or if there is no difference within five years.
///
/// ```
/// use kube_cron::means_something_else_before_1_22;
///
/// let from = "2026-01-01T12:00:00Z".parse().unwrap();
/// let difference = means_something_else_before_1_22("0 0 */2 * 1", from).unwrap();
/// assert_eq!(difference.date.to_string(), "2026-01-03", "an odd day, but a Saturday");
/// assert!(difference.runs_since);
/// assert_eq!(means_something_else_before_1_22("0 0 13 * 5", from), None);
/// ```
pub fn means_something_else_before_1_22(text: &str, after: Timestamp) -> Option<DialectDifference> {
    let old = fields_of(text, Dialect::V1_1)?;
    let new = fields_of(text, Dialect::V3_0)?;
    if old == new {
        return None;
    }
    let since = first_only_in(&new, &old, floor(after)).map(|at| (at, true));
    let before = first_only_in(&old, &new, floor(after)).map(|at| (at, false));
    let (at, runs_since) = since.into_iter().chain(before).min()?;
    Some(DialectDifference {
        at: Timestamp::from_second(at).ok()?,
        date: civil_date(at.div_euclid(DAY))?,
        runs_since,
        before: rule(&old),
        since: rule(&new),
    })
}

fn fields_of(text: &str, dialect: Dialect) -> Option<Fields> {
    match Schedule::parse(text, dialect, &BundledZones)
        .ok()?
        .expression
    {
        Expression::Fields(fields) => Some(fields),
        Expression::Every(_) => None,
    }
}

/// The first time after a second on a day that only one of the two matches.
///
/// Both match the same times of day.
fn first_only_in(one: &Fields, other: &Fields, after: i64) -> Option<i64> {
    let today = after.div_euclid(DAY);
    let last_year = Day::of_day(today).year + 5;
    let mut day = one.day_after(today - 1, last_year)?;
    loop {
        let from = if day == today {
            after.rem_euclid(DAY) + 1
        } else {
            0
        };
        if !other.allows_day(day)
            && let Some(time) = one.time_at_or_after(from)
        {
            return Some(day * DAY + time);
        }
        day = one.day_after(day, last_year)?;
    }
}
