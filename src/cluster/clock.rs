//! The server's clock, between its answers.

use std::time::Instant;

use jiff::{SignedDuration, Timestamp};

/// The server's clock, carried on by this machine's stopwatch.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ServerClock {
    date: Timestamp,
    since: Instant,
}

impl ServerClock {
    /// A clock that shows a time of a `Date` header now. The header has whole seconds, so that on
    /// average it is half a second behind.
    pub(crate) fn showing(date: Timestamp) -> Self {
        let half = SignedDuration::from_millis(500);
        ServerClock {
            date: date.checked_add(half).unwrap_or(date),
            since: Instant::now(),
        }
    }

    /// What it shows.
    pub(crate) fn now(&self) -> Timestamp {
        let passed = SignedDuration::try_from(self.since.elapsed());
        let now = passed.map(|passed| self.date.checked_add(passed));
        now.ok().and_then(Result::ok).unwrap_or(self.date)
    }
}
