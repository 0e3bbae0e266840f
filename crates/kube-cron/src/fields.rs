//! The fields of an expression as sets of bits, and the days that match them.

use super::civil::{self, Date, narrow};
use super::field_name::FieldName;

/// What the fields of an expression match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fields {
    /// Bits 0 to 59; only bit 0 without a field for seconds.
    pub(crate) seconds: u64,
    /// Bits 0 to 59.
    pub(crate) minutes: u64,
    /// Bits 0 to 23.
    pub(crate) hours: u32,
    /// Bits 1 to 31.
    pub(crate) days: u32,
    /// Bits 1 to 12.
    pub(crate) months: u32,
    /// Bits 0 (Sunday) to 6.
    pub(crate) weekdays: u32,
    /// Whether the day of the month counts as an asterisk when the two day fields are combined.
    pub(crate) days_star: bool,
    /// Whether the day of the week counts as an asterisk when the two day fields are combined.
    pub(crate) weekdays_star: bool,
    /// For each weekday that a month may begin with, the days (bits 1 to 31) that are allowed.
    day_masks: [u32; 7],
    every_day: bool,
    /// The days that are allowed in some month, whatever weekday it begins with.
    any_days: u32,
}

/// All days of the longest month, bits 1 to 31.
const ALL_DAYS: u32 = 0xffff_fffe;

/// All months, bits 1 to 12.
const ALL_MONTHS: u32 = 0b1_1111_1111_1110;

/// One asterisk, or the lists of two fields, in the order of the constructor's arguments.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Set {
    pub(crate) bits: u64,
    pub(crate) star: bool,
}

impl Fields {
    #[allow(clippy::cast_possible_truncation)] // the parser sets no bit above the field's maximum
    pub(crate) fn new(
        seconds: u64,
        minutes: u64,
        hours: u64,
        days: Set,
        months: u64,
        weekdays: Set,
    ) -> Self {
        let mut fields = Fields {
            seconds,
            minutes,
            hours: hours as u32,
            days: days.bits as u32,
            months: months as u32,
            weekdays: weekdays.bits as u32,
            days_star: days.star,
            weekdays_star: weekdays.star,
            day_masks: [0; 7],
            every_day: false,
            any_days: 0,
        };
        fields.day_masks =
            [0, 1, 2, 3, 4, 5, 6].map(|first| fields.mask_for_month_beginning_on(first));
        fields.every_day =
            fields.every_month() && fields.day_masks.iter().all(|mask| *mask == ALL_DAYS);
        fields.any_days = fields.day_masks.iter().fold(0, |any, mask| any | mask);
        fields
    }

    /// The numbers that a field matches, as bits.
    pub(crate) fn bits(&self, field: FieldName) -> u64 {
        match field {
            FieldName::Second => self.seconds,
            FieldName::Minute => self.minutes,
            FieldName::Hour => self.hours.into(),
            FieldName::DayOfMonth => self.days.into(),
            FieldName::Month => self.months.into(),
            FieldName::DayOfWeek => self.weekdays.into(),
        }
    }

    /// Whether a day must match both day fields (one is an asterisk), and not only one of them.
    pub(crate) fn both_day_fields(&self) -> bool {
        self.days_star || self.weekdays_star
    }

    fn mask_for_month_beginning_on(&self, first: u32) -> u32 {
        // The seven weekdays over and over; the first of the month is shifted to bit 1.
        let row = u64::from(self.weekdays) * 0x8_1020_4081;
        #[allow(clippy::cast_possible_truncation)] // a month has less than 32 days
        let in_weekdays = (row >> first << 1) as u32 & ALL_DAYS;
        let in_days = self.days & ALL_DAYS;
        if self.both_day_fields() {
            in_days & in_weekdays
        } else {
            in_days | in_weekdays
        }
    }

    /// The allowed days of a month, as bits 1 to 31; none if the month itself is not allowed.
    pub(crate) fn days_of_month(&self, year: i64, month: u32, first_weekday: u32) -> u32 {
        if self.months & (1 << month) == 0 {
            return 0;
        }
        let in_month = low_bits(civil::days_in_month(year, month) + 1);
        self.days_from(first_weekday) & in_month
    }

    /// Whether nothing restricts the date.
    pub(crate) fn every_day(&self) -> bool {
        self.every_day
    }

    /// Whether nothing restricts the month.
    pub(crate) fn every_month(&self) -> bool {
        self.months == ALL_MONTHS
    }

    /// Whether month and day of the date are allowed.
    pub(crate) fn allows_day(&self, day: i64) -> bool {
        if self.every_day {
            return true;
        }
        let date = Date::of_day(day);
        self.months & (1 << date.month) != 0 && self.allows_day_of_month(date, day)
    }

    /// Whether the day is allowed, its month aside.
    pub(crate) fn allows_day_of_month(&self, date: Date, day: i64) -> bool {
        let first_weekday = (civil::weekday(day) + 35 - (date.day - 1)) % 7;
        self.days_from(first_weekday) & (1 << date.day) != 0
    }

    /// The allowed days of a month that begins with this weekday.
    fn days_from(&self, first_weekday: u32) -> u32 {
        let days = self.day_masks.get(first_weekday as usize);
        days.copied().unwrap_or(0)
    }

    /// Whether no time of day, no month or no day can ever match.
    pub(crate) fn has_empty_field(&self) -> bool {
        self.seconds == 0
            || self.minutes == 0
            || self.hours == 0
            || self.months == 0
            || self.any_days == 0
    }

    /// Whether every single year has an allowed day, whatever weekday its months begin with.
    pub(crate) fn has_day_in_every_year(&self) -> bool {
        members(self.months).any(|month| {
            let in_month = low_bits(civil::days_in_month(2001, month) + 1);
            self.day_masks.iter().all(|mask| mask & in_month != 0)
        })
    }

    /// The first allowed time of day (in seconds) at or after another one.
    pub(crate) fn time_at_or_after(&self, time: i64) -> Option<i64> {
        let (here, second) = (time / 60, narrow(time % 60));
        let rest = self.seconds & (u64::MAX << second);
        let minute_of_day = self.minute_at_or_after(narrow(here + i64::from(rest == 0)))?;
        let seconds = if minute_of_day == here {
            rest
        } else {
            self.seconds
        };
        (seconds != 0).then(|| minute_of_day * 60 + i64::from(seconds.trailing_zeros()))
    }

    /// The first allowed minute of a day at or after another one.
    fn minute_at_or_after(&self, minute_of_day: u32) -> Option<i64> {
        let (hour, minute) = (minute_of_day / 60, minute_of_day % 60);
        if hour > 23 {
            return None;
        }
        if self.hours & (1 << hour) != 0 {
            let rest = self.minutes & (u64::MAX << minute);
            if rest != 0 {
                return Some(minute_of(hour, rest.trailing_zeros()));
            }
        }
        let later = self.hours & high_bits(hour + 1);
        (later != 0 && self.minutes != 0)
            .then(|| minute_of(later.trailing_zeros(), self.minutes.trailing_zeros()))
    }

    /// The last allowed time of day (in seconds) before another one.
    pub(crate) fn time_before(&self, time: i64) -> Option<i64> {
        let (here, second) = (time / 60, narrow(time % 60));
        let rest = self.seconds & low_bits_u64(second);
        let minute_of_day = self.minute_before(narrow(here + i64::from(rest != 0)))?;
        let seconds = if minute_of_day == here {
            rest
        } else {
            self.seconds
        };
        (seconds != 0).then(|| minute_of_day * 60 + i64::from(seconds.ilog2()))
    }

    /// The last allowed minute of a day before another one.
    fn minute_before(&self, minute_of_day: u32) -> Option<i64> {
        let (hour, minute) = (minute_of_day / 60, minute_of_day % 60);
        if self.minutes == 0 {
            return None;
        }
        if hour <= 23 && self.hours & (1 << hour) != 0 {
            let earlier = self.minutes & low_bits_u64(minute);
            if earlier != 0 {
                return Some(minute_of(hour, earlier.ilog2()));
            }
        }
        let earlier = self.hours & low_bits(hour.min(24));
        (earlier != 0).then(|| minute_of(earlier.ilog2(), self.minutes.ilog2()))
    }

    /// How many allowed times lie before a time of day.
    pub(crate) fn times_before(&self, time: i64) -> u64 {
        let (minute_of_day, second) = (narrow(time / 60), narrow(time % 60));
        let (hour, minute) = (minute_of_day / 60, minute_of_day % 60);
        let hours_before = (self.hours & low_bits(hour.min(24))).count_ones();
        let mut minutes = hours_before * self.minutes.count_ones();
        let mut seconds = 0;
        if hour <= 23 && self.hours & (1 << hour) != 0 {
            minutes += (self.minutes & low_bits_u64(minute)).count_ones();
            if self.minutes & (1 << minute) != 0 {
                seconds = (self.seconds & low_bits_u64(second)).count_ones();
            }
        }
        u64::from(minutes * self.seconds.count_ones() + seconds)
    }

    /// How many allowed times a day has.
    pub(crate) fn times_a_day(&self) -> u64 {
        u64::from(self.hours.count_ones() * self.minutes.count_ones() * self.seconds.count_ones())
    }

    /// The first allowed day after another one, up to the last day of a year.
    pub(crate) fn day_after(&self, day: i64, last_year: i64) -> Option<i64> {
        if self.every_day {
            return (Date::of_day(day + 1).year <= last_year).then_some(day + 1);
        }
        let date = Date::of_day(day);
        let mut year = date.year;
        let mut month = date.month;
        let mut first = day - i64::from(date.day) + 1;
        let mut allowed =
            self.days_of_month(year, month, civil::weekday(first)) & high_bits(date.day + 1);
        loop {
            if year > last_year {
                return None;
            }
            if allowed != 0 {
                return Some(first + i64::from(allowed.trailing_zeros()) - 1);
            }
            let later = self.months & high_bits(month + 1);
            if later & (1 << (month + 1)) != 0 {
                first += i64::from(civil::days_in_month(year, month));
                month += 1;
            } else if later != 0 {
                month = later.trailing_zeros();
                first = civil::first_day(year, month);
            } else if self.months != 0 {
                year += 1;
                month = self.months.trailing_zeros();
                first = civil::first_day(year, month);
            } else {
                return None;
            }
            allowed = self.days_of_month(year, month, civil::weekday(first));
        }
    }

    /// The last allowed day before another one, down to the first day of a year.
    pub(crate) fn day_before(&self, day: i64, first_year: i64) -> Option<i64> {
        if self.every_day {
            return (Date::of_day(day - 1).year >= first_year).then_some(day - 1);
        }
        let Date {
            mut year,
            mut month,
            day: today,
        } = Date::of_day(day);
        let mut first = day - i64::from(today) + 1;
        let mut allowed = self.days_of_month(year, month, civil::weekday(first)) & low_bits(today);
        loop {
            if allowed != 0 {
                return Some(first + i64::from(allowed.ilog2()) - 1);
            }
            if month == 1 {
                year -= 1;
                month = 12;
            } else {
                month -= 1;
            }
            if year < first_year || self.months == 0 {
                return None;
            }
            first -= i64::from(civil::days_in_month(year, month));
            allowed = self.days_of_month(year, month, civil::weekday(first));
        }
    }

    /// How many allowed days lie in `from..to`.
    pub(crate) fn count_days(&self, from: i64, to: i64) -> u64 {
        if from >= to {
            return 0;
        }
        if self.every_day {
            return u64::try_from(to - from).unwrap_or(0);
        }
        let Date {
            mut year,
            mut month,
            day,
        } = Date::of_day(from);
        let mut first = from - i64::from(day) + 1;
        let mut weekday = civil::weekday(first);
        let mut allowed = high_bits(day);
        let mut count = 0;
        loop {
            let length = civil::days_in_month(year, month);
            allowed &= self.days_of_month(year, month, weekday);
            let next = first + i64::from(length);
            if next >= to {
                allowed &= low_bits(narrow(to - first) + 1);
                return count + u64::from(allowed.count_ones());
            }
            count += u64::from(allowed.count_ones());
            allowed = u32::MAX;
            first = next;
            weekday = (weekday + length) % 7;
            month += 1;
            if month == 13 {
                month = 1;
                year += 1;
            }
        }
    }
}

/// The numbers of the bits that are set.
pub(crate) fn members(bits: impl Into<u64>) -> impl Iterator<Item = u32> {
    let mut rest = bits.into();
    std::iter::from_fn(move || {
        let next = (rest != 0).then(|| rest.trailing_zeros());
        rest &= rest.wrapping_sub(1);
        next
    })
}

fn minute_of(hour: u32, minute: u32) -> i64 {
    i64::from(hour * 60 + minute)
}

/// Bits 0 to `n - 1`.
pub(crate) fn low_bits(n: u32) -> u32 {
    1_u32.checked_shl(n).map_or(u32::MAX, |bit| bit - 1)
}

/// Bits 0 to `n - 1`.
fn low_bits_u64(n: u32) -> u64 {
    1_u64.checked_shl(n).map_or(u64::MAX, |bit| bit - 1)
}

/// Bits `n` and above.
fn high_bits(n: u32) -> u32 {
    u32::MAX.checked_shl(n).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clockwork::testing::clockwork;

    fn days(expression: &str) -> Fields {
        clockwork(&format!("0 0 0 {expression}"), "UTC").fields
    }

    #[test]
    fn year_has_an_allowed_day_unless_all_are_leap_days_or_left_to_weekdays() {
        for expression in ["* * *", "28 2 *", "31 * *", "* 4 1", "31 1 1"] {
            let fields = days(expression);
            assert!(fields.has_day_in_every_year(), "{expression}");
        }
        for expression in ["29 2 *", "31 4 *", "30,31 2 *"] {
            let fields = days(expression);
            assert!(!fields.has_day_in_every_year(), "{expression}");
        }
    }

    #[test]
    fn days_end_with_the_last_year_and_begin_with_the_first() {
        let day = |year, month, day| Date { year, month, day }.to_day();
        let (new_year, silvester) = (day(2026, 1, 1), day(2026, 12, 31));
        let every_day = days("* * *");
        assert_eq!(every_day.day_after(silvester, 2026), None);
        assert_eq!(every_day.day_after(silvester, 2027), Some(silvester + 1));
        assert_eq!(every_day.day_before(new_year, 2026), None);
        assert_eq!(every_day.day_before(new_year, 2025), Some(new_year - 1));
        // The same of a schedule with days of its own.
        let first = days("1 1,12 *");
        assert_eq!(first.day_after(new_year, 2026), Some(day(2026, 12, 1)));
        assert_eq!(first.day_after(silvester, 2026), None);
        assert_eq!(first.day_after(silvester, 2027), Some(day(2027, 1, 1)));
        assert_eq!(first.day_before(new_year, 2026), None);
        assert_eq!(first.day_before(new_year, 2025), Some(day(2025, 12, 1)));
    }
}
