//! Schedules relative to the time of a test, whose next runs are not due while the test runs.

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

/// The moment at which a test began, on the server's clock.
#[derive(Clone, Copy)]
pub(crate) struct Clock(pub(crate) Timestamp);

impl Clock {
    /// The start of a minute that many minutes ago, or up to a minute earlier.
    pub(crate) fn minutes_ago(self, minutes: i64) -> Timestamp {
        let begin = self.0.as_second().div_euclid(60) * 60;
        Timestamp::from_second(begin - minutes * 60).unwrap()
    }

    /// That moment, some hours earlier.
    pub(crate) fn hours_and_minutes_ago(self, hours: i64, minutes: i64) -> Timestamp {
        self.minutes_ago(hours * 60 + minutes)
    }

    /// The minute of the hour at that moment.
    pub(crate) fn minute(self, minutes_ago: i64) -> i64 {
        self.minutes_ago(minutes_ago).as_second().div_euclid(60) % 60
    }

    /// A schedule that runs once an hour, and ran last that many minutes ago.
    pub(crate) fn hourly(self, minutes_ago: i64) -> String {
        format!("{} * * * *", self.minute(minutes_ago))
    }

    /// A time zone in which it is this hour now. Every hour has one.
    pub(crate) fn zone_where_it_is(self, hour: i64) -> Local {
        let ahead = (hour - self.0.as_second().div_euclid(3600)).rem_euclid(24);
        let ahead = if ahead > 12 { ahead - 24 } else { ahead };
        // The names of these zones have the opposite sign.
        Local {
            name: format!("Etc/GMT{:+}", -ahead),
            ahead,
            clock: self,
        }
    }
}

/// The local time of a zone that is whole hours ahead of UTC.
pub(crate) struct Local {
    pub(crate) name: String,
    ahead: i64,
    clock: Clock,
}

impl Local {
    /// This full hour of the current day in that zone.
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
