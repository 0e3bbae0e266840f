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
/// let sentence = |text: &str| {
///     let schedule = Schedule::parse(text, Dialect::V3_0, &BundledZones).unwrap();
///     schedule.short_months().map(|short| short.to_string())
/// };
/// let june = "June and September have no day 31: it runs in 2 of 4 months";
/// assert_eq!(sentence("0 0 31 3,6,9,12 *").as_deref(), Some(june));
/// assert_eq!(sentence("0 0 28-31 * *"), None);
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
