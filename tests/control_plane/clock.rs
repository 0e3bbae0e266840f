//! Schedules around the moment of a test: no run is so near that the test could run into it.

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

/// The moment at which a test began, on the server's clock.
#[derive(Clone, Copy)]
pub(crate) struct Clock(pub(crate) Timestamp);

impl Clock {
    /// The beginning of the minute that began so many minutes ago, or a little more.
    pub(crate) fn minutes_ago(self, minutes: i64) -> Timestamp {
        let begin = self.0.as_second().div_euclid(60) * 60;
        Timestamp::from_second(begin - minutes * 60).unwrap()
    }

    /// Hours before that.
    pub(crate) fn hours_and_minutes_ago(self, hours: i64, minutes: i64) -> Timestamp {
        self.minutes_ago(hours * 60 + minutes)
    }

    /// The minute of the hour, so many minutes ago.
    pub(crate) fn minute(self, minutes_ago: i64) -> i64 {
        self.minutes_ago(minutes_ago).as_second().div_euclid(60) % 60
    }

    /// A schedule whose last run in each hour's cycle was so many minutes ago.
    pub(crate) fn hourly(self, minutes_ago: i64) -> String {
        format!("{} * * * *", self.minute(minutes_ago))
    }

    /// A zone in which it is this hour now. All hours have one.
    pub(crate) fn zone_where_it_is(self, hour: i64) -> Local {
        let ahead = (hour - self.0.as_second().div_euclid(3600)).rem_euclid(24);
        let ahead = if ahead > 12 { ahead - 24 } else { ahead };
        // The names have the sign the wrong way round.
        Local {
            name: format!("Etc/GMT{:+}", -ahead),
            ahead,
            clock: self,
        }
    }
}

/// A clock on the wall, whole hours ahead of UTC.
pub(crate) struct Local {
    pub(crate) name: String,
    ahead: i64,
    clock: Clock,
}

impl Local {
    /// The full hour of the present day there.
    pub(crate) fn today_at(&self, hour: i8) -> Timestamp {
        let ahead = SignedDuration::from_hours(self.ahead);
        let midnight = (self.clock.0 + ahead)
            .to_zoned(TimeZone::UTC)
            .start_of_day()
            .unwrap()
            .timestamp();
        midnight - ahead + SignedDuration::from_hours(i64::from(hour))
    }
}
