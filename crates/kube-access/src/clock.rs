//! The API server's time between responses.

use std::time::Instant;

use jiff::{SignedDuration, Timestamp};

/// The API server's time, advanced by the local monotonic clock.
#[derive(Debug, Clone, Copy)]
pub struct ServerClock {
    date: Timestamp,
    since: Instant,
}

impl ServerClock {
    /// A clock set to a `Date` header now. The header has whole seconds, so the clock is half a
    /// second behind on average.
    pub fn showing(date: Timestamp) -> Self {
        let half = SignedDuration::from_millis(500);
        ServerClock {
            date: date.checked_add(half).unwrap_or(date),
            since: Instant::now(),
        }
    }

    pub fn now(&self) -> Timestamp {
        let passed = SignedDuration::try_from(self.since.elapsed());
        let now = passed.map(|passed| self.date.checked_add(passed));
        now.ok().and_then(Result::ok).unwrap_or(self.date)
    }
}
