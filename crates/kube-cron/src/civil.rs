//! Days and dates of the proleptic Gregorian calendar, as plain integers.
//!
//! The searches check millions of days; these few functions are all the calendar they need, and take a
//! few nanoseconds each. A day is the number of days since 1970-01-01.

/// Seconds in a civil day without a zone change.
pub(crate) const DAY: i64 = 86_400;
/// Seconds in an hour.
pub(crate) const HOUR: i64 = 3_600;
/// The calendar repeats, weekdays included, after 400 years.
pub(crate) const CYCLE: i64 = 146_097 * DAY;

/// A date: the year, the month (1 to 12) and the day of the month (1 to 31).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Date {
    pub(crate) year: i64,
    pub(crate) month: u32,
    pub(crate) day: u32,
}

impl Date {
    /// The date of a day. The calculation lets the year begin in March, so that the leap day comes last.
    pub(crate) fn of_day(day: i64) -> Self {
        let shifted = day + 719_468;
        let era = shifted.div_euclid(146_097);
        let day_of_era = shifted.rem_euclid(146_097);
        let year_of_era =
            (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let month_from_march = (5 * day_of_year + 2) / 153;
        let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
        let month = if month_from_march < 10 {
            month_from_march + 3
        } else {
            month_from_march - 9
        };
        Date {
            year: year_of_era + era * 400 + i64::from(month <= 2),
            month: narrow(month),
            day: narrow(day),
        }
    }

    /// The day of this date. The day of the month may exceed the month: the days then continue.
    pub(crate) fn to_day(self) -> i64 {
        let year = self.year - i64::from(self.month <= 2);
        let era = year.div_euclid(400);
        let year_of_era = year.rem_euclid(400);
        let month_from_march = i64::from((self.month + 9) % 12);
        let day_of_year = (153 * month_from_march + 2) / 5 + i64::from(self.day) - 1;
        era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year
            - 719_468
    }

    /// The first of this date's month.
    pub(crate) fn first_of_month(self) -> Self {
        Date { day: 1, ..self }
    }
}

/// The first day of a month.
pub(crate) fn first_day(year: i64, month: u32) -> i64 {
    let day = 1;
    Date { year, month, day }.to_day()
}

/// Whether February has 29 days.
pub(crate) fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

/// The number of days in a month.
pub(crate) fn days_in_month(year: i64, month: u32) -> u32 {
    match month {
        2 => 28 + u32::from(is_leap(year)),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Day of the week, Sunday being 0, as cron counts.
pub(crate) fn weekday(day: i64) -> u32 {
    narrow((day + 4).rem_euclid(7))
}

/// Parts of a date and of a clock are small and not negative by construction.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
pub(crate) fn narrow(part: i64) -> u32 {
    part as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::ToSpan as _;

    /// From 1799 on, for more than a cycle.
    #[test]
    fn dates_and_weekdays_are_those_of_jiff() {
        let epoch = jiff::civil::date(1970, 1, 1);
        for day in -62_092..85_000 {
            let expected = epoch + day.days();
            let date = Date::of_day(day);
            let shown = (date.year, date.month, date.day);
            let month = narrow(expected.month().into());
            let number = narrow(expected.day().into());
            assert_eq!(shown, (expected.year().into(), month, number));
            assert_eq!(date.to_day(), day);
            let sunday_first = expected.weekday().to_sunday_zero_offset();
            assert_eq!(weekday(day), narrow(sunday_first.into()));
            let length = narrow(expected.days_in_month().into());
            assert_eq!(days_in_month(date.year, date.month), length);
        }
        assert_eq!(CYCLE / DAY % 7, 0);
    }
}
