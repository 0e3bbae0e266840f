//! The same schedule, some minutes later in each of its hours.

use super::fields::members;
use super::parse::Expression;
use super::{FieldMeaning, Schedule};

/// The last minute of an hour.
const LAST_MINUTE: u32 = 59;

impl Schedule {
    /// How many minutes later each run can be without leaving its hour.
    ///
    /// Zero with a field for seconds, and for `@every`, which counts from the previous run and not by the minutes of a clock.
    pub fn minutes_to_spare(&self) -> u32 {
        match &self.expression {
            Expression::Fields(fields)
                if fields.minutes != 0 && !self.dialect.traits().seconds_field =>
            {
                LAST_MINUTE.saturating_sub(fields.minutes.ilog2())
            }
            _ => 0,
        }
    }

    /// The schedule that runs a number of minutes later, in the same hours of the same days; `None` if
    /// no cron expression describes it.
    ///
    /// All runs move by the same time, so their intervals do not change.
    ///
    /// ```
    /// use kube_cron::{BundledZones, Dialect, Schedule};
    ///
    /// let later = |text: &str, minutes| {
    ///     let schedule = Schedule::parse(text, Dialect::V3_0, &BundledZones).unwrap();
    ///     schedule.later(minutes).map(|later| later.text().to_owned())
    /// };
    /// assert_eq!(later("@daily", 17).unwrap(), "17 0 * * *");
    /// assert_eq!(later("*/15 9-17 * * mon-fri", 4).unwrap(), "4-59/15 9-17 * * mon-fri");
    /// assert_eq!(later("0,10 * * * *", 5).unwrap(), "5,15 * * * *");
    /// assert_eq!(later("*/15 * * * *", 15), None);
    /// ```
    #[must_use]
    pub fn later(&self, minutes: u32) -> Option<Schedule> {
        let Expression::Fields(mut fields) = self.expression else {
            return None;
        };
        if minutes > self.minutes_to_spare() {
            return None;
        }
        fields.minutes <<= minutes;
        let mut text = written(fields.minutes);
        for FieldMeaning { text: field, .. } in self.describe().fields.iter().skip(1) {
            text.push(' ');
            text.push_str(field);
        }
        Some(Schedule {
            expression: Expression::Fields(fields),
            text,
            location: self.location.clone(),
            dialect: self.dialect,
        })
    }
}

/// A minute field that matches only these minutes: with a step if possible, else a list.
fn written(minutes: u64) -> String {
    let all: Vec<u32> = members(minutes).collect();
    if let [first, second, _, ..] = all.as_slice() {
        let step = second - first;
        let stepped: Vec<u32> = (*first..=LAST_MINUTE).step_by(step as usize).collect();
        if stepped == all {
            return match first {
                0 => format!("*/{step}"),
                first => format!("{first}-{LAST_MINUTE}/{step}"),
            };
        }
    }
    let list: Vec<String> = all.iter().map(ToString::to_string).collect();
    list.join(",")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::{BundledZones, Dialect, Schedule};

    fn parsed(text: &str) -> Schedule {
        Schedule::parse(text, Dialect::V3_0, &BundledZones).unwrap()
    }

    #[test]
    fn what_has_no_minute_to_spare() {
        for text in [
            "* * * * *",
            "59 * * * *",
            "@every 5m",
            ", * * * *",
            "*/1 2 * * *",
        ] {
            assert_eq!(parsed(text).minutes_to_spare(), 0, "{text}");
            assert!(parsed(text).later(1).is_none(), "{text}");
        }
        assert_eq!(parsed("0 2 * * *").minutes_to_spare(), 59);
        assert_eq!(parsed("*/7 * * * *").minutes_to_spare(), 3);
    }

    #[test]
    fn a_zone_in_front_stays_where_it_is() {
        let berlin = parsed("CRON_TZ=Europe/Berlin  @weekly");
        let later = berlin.later(30).unwrap();
        assert_eq!(later.text(), "30 0 * * 0");
        assert_eq!(later.own_zone().unwrap().name(), "Europe/Berlin");
    }

    proptest! {
        #[test]
        fn the_text_says_what_the_schedule_does(minutes in 1_u64..(1 << 60), by in 0_u32..60) {
            let list: Vec<String> = (0..60).filter(|m| minutes & (1 << m) != 0).map(|m| m.to_string()).collect();
            let schedule = parsed(&format!("{} 3,4 1-7 * */2", list.join(",")));
            if let Some(later) = schedule.later(by) {
                prop_assert_eq!(&parsed(later.text()), &later);
                let (was, is) = (schedule.period().unwrap(), later.period().unwrap());
                prop_assert_eq!(was, is);
            }
        }
    }
}
