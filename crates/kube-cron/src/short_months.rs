//! Months that are too short for the days of a schedule.

use std::fmt;

use super::civil::days_in_month;
use super::words::{join, month_name};
use super::{DayRule, FieldName, Schedule};

/// The last day that every month has.
const LAST_OF_ALL: u32 = 28;

/// A leap year and a common year.
const YEARS: [i64; 2] = [2024, 2023];

/// Months in which a schedule has no run at the end of the month, because they do not have its last
/// days; `Display` explains it in English.
///
/// ```
/// use kube_cron::{BundledZones, Dialect, Schedule};
///
/// let said = |text: &str| {
///     let schedule = Schedule::parse(text, Dialect::V3_0, &BundledZones).unwrap();
///     schedule.short_months().map(|short| short.to_string())
/// };
/// let june = "June and September have no day 31: it runs in 2 of 4 months";
/// assert_eq!(said("0 0 31 3,6,9,12 *").as_deref(), Some(june));
/// assert_eq!(said("0 0 28-31 * *"), None);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShortMonths {
    /// The days after the 28th that the schedule matches, in order.
    pub days: Vec<u32>,
    /// The days that every month has.
    pub others: Vec<u32>,
    /// The months that have none of the days, in order; February alone may have one in leap years.
    pub months: Vec<u32>,
    /// Whether a leap year has the day.
    pub only_common_years: bool,
    /// The number of months that the schedule matches.
    pub allowed: usize,
}

impl Schedule {
    /// The months that are too short for a schedule that only the day of the month restricts. `None` if
    /// each of its months has a run after the 27th, as with 28-31, if the days come from a step, or if no
    /// date, or only February 29, is left.
    pub fn short_months(&self) -> Option<ShortMonths> {
        let DayRule::DayOfMonth { days } = self.describe().days else {
            return None;
        };
        let is_day = |field: FieldName| field == FieldName::DayOfMonth;
        if days.contains(&LAST_OF_ALL) || self.steps().iter().any(|step| is_day(step.field)) {
            return None;
        }
        let (others, days): (Vec<u32>, Vec<u32>) =
            days.into_iter().partition(|day| *day < LAST_OF_ALL);
        let first = days.first().copied()?;
        let allowed = self.allowed(FieldName::Month);
        let [leap, common] = YEARS.map(|year| {
            let ends_before = |month: &&u32| days_in_month(year, **month) < first;
            let short = allowed.iter().filter(ends_before);
            short.copied().collect::<Vec<u32>>()
        });
        let only_common_years = leap.is_empty();
        let never = others.is_empty() && common.len() == allowed.len();
        (!common.is_empty() && !never).then_some(ShortMonths {
            days,
            others,
            months: if only_common_years { common } else { leap },
            only_common_years,
            allowed: allowed.len(),
        })
    }
}

impl fmt::Display for ShortMonths {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let numbers = |days: &[u32], word: &str| join(days.iter().map(u32::to_string), word);
        let months = self
            .months
            .iter()
            .map(|month| month_name(*month).to_owned());
        let (months, days) = (join(months, "and"), numbers(&self.days, "or"));
        if self.only_common_years {
            write!(
                f,
                "{months} has day {days} only in leap years: in other years "
            )?;
        } else {
            let verb = if self.months.len() == 1 {
                "has"
            } else {
                "have"
            };
            write!(f, "{months} {verb} no day {days}: ")?;
        }
        if self.others.is_empty() {
            let left = self.allowed.saturating_sub(self.months.len());
            return write!(f, "it runs in {left} of {} months", self.allowed);
        }
        let plural = if self.others.len() == 1 { "" } else { "s" };
        let others = numbers(&self.others, "and");
        write!(f, "it runs only on day{plural} {others} there")
    }
}

#[cfg(test)]
mod tests {
    use crate::{BundledZones, Dialect, Schedule, Zone};

    fn said(text: &str) -> Option<String> {
        let schedule = Schedule::parse(text, Dialect::V3_0, &BundledZones).unwrap();
        schedule.short_months().map(|short| short.to_string())
    }

    #[test]
    fn months_without_the_last_days() {
        for (text, expected) in [
            (
                "0 0 31 * *",
                "February, April, June, September and November have no day 31: it runs in 7 of 12 \
                 months",
            ),
            (
                "0 0 30 * *",
                "February has no day 30: it runs in 11 of 12 months",
            ),
            (
                "*/5 * 30,31 * *",
                "February has no day 30 or 31: it runs in 11 of 12 months",
            ),
            (
                "0 0 29 * *",
                "February has day 29 only in leap years: in other years it runs in 11 of 12 months",
            ),
            (
                "0 0 29-31 * *",
                "February has day 29, 30 or 31 only in leap years: in other years it runs in 11 of \
                 12 months",
            ),
            (
                "0 0 15,30 * *",
                "February has no day 30: it runs only on day 15 there",
            ),
            (
                "0 0 1,15,31 3,4 *",
                "April has no day 31: it runs only on days 1 and 15 there",
            ),
            (
                "0 0 31 1-2 *",
                "February has no day 31: it runs in 1 of 2 months",
            ),
            (
                "0 0 31 */3 *",
                "April has no day 31: it runs in 3 of 4 months",
            ),
        ] {
            assert_eq!(said(text).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn other_days_are_in_every_month() {
        for text in [
            "0 0 28 * *",
            "0 0 28-31 * *",
            "0 0 28,29,30,31 * *",
            "0 0 1-31 * *",
            "0 0 1-30 * *",
            "0 0 * * *",
            "0 0 */2 * *",
            "0 0 */10 * *",
            "0 0 1-31/3 * *",
            // Each month that is named has it.
            "0 0 31 1,3,5,7,8,10,12 *",
            "0 0 30 4,6,9,11 *",
            "0 0 29 1 *",
            // The other field decides as well.
            "0 0 31 * 1",
            "0 0 31 * */2",
            "0 0 31 * 0-6",
            // No month is left, or only in leap years, which is meant.
            "0 0 31 2,4 *",
            "0 0 29 2 *",
            "@monthly",
            "@every 744h",
        ] {
            assert_eq!(said(text), None, "{text}");
        }
    }

    /// The months that are left are those in which the schedule really runs.
    #[test]
    fn the_runs_of_two_years_are_in_the_other_months() {
        for (day, runs) in [(29, 23), (30, 22), (31, 14)] {
            let text = format!("0 0 {day} * *");
            let schedule = Schedule::parse(&text, Dialect::V3_0, &BundledZones).unwrap();
            let short = schedule.short_months().unwrap();
            let start = "2022-12-31T00:00:00Z".parse().unwrap();
            let end = "2024-12-31T00:00:00Z".parse().unwrap();
            let count = schedule.in_zone(&Zone::utc()).count(start, end).unwrap();
            assert_eq!(count.count, runs, "{text}");
            let years = if short.only_common_years { 1 } else { 2 };
            assert_eq!(24 - years * short.months.len() as u64, runs, "{text}");
        }
    }
}
