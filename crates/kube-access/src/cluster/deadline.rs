//! How long requests may take: each of them, and all requests about one of several contexts together.

use std::time::Duration;

use tokio::time::Instant;

pub(super) use crate::error::TimeLimit;

/// The default request timeout.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);

impl TimeLimit {
    pub(super) fn of_request(given: Option<Duration>) -> Option<Self> {
        let duration = given.unwrap_or(REQUEST_TIMEOUT);
        (!duration.is_zero()).then_some(TimeLimit {
            duration,
            flag: "--request-timeout",
        })
    }

    pub(super) fn of_context(given: Option<Duration>) -> Option<Self> {
        let duration = given.filter(|duration| !duration.is_zero())?;
        Some(TimeLimit {
            duration,
            flag: "--context-timeout",
        })
    }

    /// The end of what begins now; `None` if no clock reaches it.
    pub(super) fn deadline(self) -> Option<Deadline> {
        let end = Instant::now().checked_add(self.duration)?;
        Some(Deadline { end, limit: self })
    }
}

/// The end of a time limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Deadline {
    pub(super) end: Instant,
    pub(super) limit: TimeLimit,
}

impl Deadline {
    /// The time that is left.
    pub(super) fn left(self) -> Duration {
        self.end.saturating_duration_since(Instant::now())
    }

    /// The earlier one.
    pub(super) fn earliest(deadlines: [Option<Self>; 2]) -> Option<Self> {
        let deadlines = deadlines.into_iter().flatten();
        deadlines.min_by_key(|deadline| deadline.end)
    }
}
