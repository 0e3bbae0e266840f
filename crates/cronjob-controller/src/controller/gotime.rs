//! Moments and durations as Go computes with them, saturation included.

use jiff::Timestamp;
use kube_cron::{Endless, Timetable};

/// A moment: nanoseconds since 1970, wide enough for all that Go's `time.Time` is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct GoTime(i128);

const SECOND: i128 = 1_000_000_000;

impl GoTime {
    /// Go's zero time, 1 January of the year 1, which stands for "never".
    pub(super) const ZERO: GoTime = GoTime::of_seconds(-62_135_596_800);

    pub(super) const fn of_seconds(seconds: i64) -> Self {
        GoTime(seconds as i128 * SECOND)
    }

    pub(super) fn of(timestamp: Timestamp) -> Self {
        GoTime(timestamp.as_nanosecond())
    }

    /// The second that it lies in.
    pub(super) fn second(self) -> i64 {
        // Nearly every moment fits into 64 bits, where a division costs a fraction.
        match i64::try_from(self.0) {
            Ok(nanoseconds) => nanoseconds.div_euclid(1_000_000_000),
            Err(_) => i64::try_from(self.0.div_euclid(SECOND)).unwrap_or(i64::MAX),
        }
    }

    pub(super) fn timestamp(self) -> Option<Timestamp> {
        let rest = self.0 - i128::from(self.second()) * SECOND;
        Timestamp::new(self.second(), i32::try_from(rest).ok()?).ok()
    }

    /// Later by a duration in nanoseconds.
    pub(super) fn add(self, duration: i64) -> Self {
        GoTime(self.0 + i128::from(duration))
    }

    /// The distance from an earlier moment. Go's durations end after 292 years.
    pub(super) fn since(self, earlier: GoTime) -> i64 {
        let distance = self.0 - earlier.0;
        i64::try_from(distance).unwrap_or(if distance < 0 { i64::MIN } else { i64::MAX })
    }

    /// The next run of a timetable; the zero time where upstream finds none.
    pub(super) fn next(self, timetable: &Timetable) -> Result<Self, Endless> {
        let found = timetable.next_after_second(self.second())?;
        Ok(found.map_or(GoTime::ZERO, GoTime::of_seconds))
    }
}

/// `time.Duration(seconds) * time.Second`, which wraps around as Go's multiplication does.
pub(super) fn seconds(count: i64) -> i64 {
    count.wrapping_mul(1_000_000_000)
}

/// `int64(d.Round(time.Second).Seconds())`.
pub(super) fn rounded_seconds(duration: i64) -> i64 {
    let (whole, rest) = (duration / 1_000_000_000, duration % 1_000_000_000);
    whole
        + if rest >= 500_000_000 {
            1
        } else {
            -i64::from(rest <= -500_000_000)
        }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By Go's `Duration.Round`: half a second is rounded away from zero.
    #[test]
    fn seconds_are_rounded_as_by_go() {
        let milliseconds = [0, 499, 500, 1_499, 1_500, -499, -500, -1_499, -1_500];
        let rounded = milliseconds.map(|count| rounded_seconds(count * 1_000_000));
        assert_eq!(rounded, [0, 0, 1, 1, 2, 0, -1, -1, -2]);
    }

    #[test]
    fn distance_ends_after_292_years_as_in_go() {
        let century = 36_525 * 86_400;
        let now = GoTime::of_seconds(0);
        assert_eq!(
            GoTime::of_seconds(century).since(now),
            century * 1_000_000_000
        );
        assert_eq!(GoTime::of_seconds(3 * century).since(now), i64::MAX);
        assert_eq!(GoTime::of_seconds(-3 * century).since(now), i64::MIN);
    }
}
