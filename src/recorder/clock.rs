//! The time of a record.
//!
//! Each clock can be wrong: that of the API server, the local one, or both, as on a machine that was just started. The
//! earlier of the two is the time of the record: nothing is judged beyond it. So one that is ahead has no effect, and
//! one that is behind delays. What both of them invented is removed when they are right again.

use std::fmt;

use jiff::Timestamp;

use cronjob_text::duration::{human, whole_second};

/// A shorter delay, in seconds, is not reported.
const DELAY: i64 = 60;

/// What the clocks show at a moment.
#[derive(Clone, Copy, Debug)]
pub struct ClockReading {
    /// The API server's time.
    pub server: Timestamp,
    /// The local time.
    pub local: Timestamp,
}

impl ClockReading {
    /// The time of the record.
    pub fn now(self) -> Timestamp {
        whole_second(self.server.min(self.local))
    }

    /// Nothing has happened after this time, whichever clock is right.
    pub(super) fn latest(self) -> Timestamp {
        whole_second(self.server.max(self.local))
    }

    /// Why runs are recorded late, if they are. `recorded` is the time up to which runs were recorded.
    pub(super) fn delay(self, recorded: Timestamp) -> Option<RecordDelay> {
        let ClockReading { server, local } = self;
        let now = self.now();
        if seconds_between(server, local) > DELAY {
            Some(RecordDelay::Clocks { server, local })
        } else if recorded > now && seconds_between(recorded, now) > DELAY {
            Some(RecordDelay::Record { recorded, now })
        } else {
            None
        }
    }
}

/// Why runs are recorded late.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordDelay {
    /// One of the clocks is behind the other one.
    Clocks { server: Timestamp, local: Timestamp },
    /// Both clocks are behind what was recorded.
    Record { recorded: Timestamp, now: Timestamp },
}

impl fmt::Display for RecordDelay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RecordDelay::Clocks { server, local } => {
                let apart = human(seconds_between(*server, *local));
                write!(
                    f,
                    "the API server's time ({server:.0}) and the local time ({local:.0}) are {apart} apart: runs are \
                     recorded up to the earlier one"
                )
            }
            RecordDelay::Record { recorded, now } => {
                let behind = human(seconds_between(*recorded, *now));
                write!(
                    f,
                    "the clocks ({now:.0}) are {behind} behind the time that was recorded last ({recorded:.0}): runs \
                     that did not start are not recorded until then"
                )
            }
        }
    }
}

fn seconds_between(one: Timestamp, other: Timestamp) -> i64 {
    (one.as_second() - other.as_second()).abs()
}
