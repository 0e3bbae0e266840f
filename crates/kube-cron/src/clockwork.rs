//! The input of the searches, and how they fail.

use std::sync::Arc;

use super::dialect::Traits;
use super::fields::Fields;
use super::zone::Zone;

/// The fields, and the zone whose clock they are compared with.
#[derive(Clone, Debug)]
pub(crate) struct Clockwork {
    pub(crate) fields: Fields,
    pub(crate) traits: Traits,
    pub(crate) zone: Arc<Zone>,
}

/// A search that never ends.
///
/// Upstream's loop never leaves a day that the zone skips completely, or it finds the same run again and
/// again near a clock change. A worker of the controller would hang indefinitely.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the search for the next run never ends: it cannot get past a clock change in the zone")]
pub struct Endless;

#[cfg(test)]
pub(crate) mod testing {
    use jiff::Timestamp;

    use super::Clockwork;
    use crate::timetable::RunRule;
    use crate::{BundledZones, Dialect, Schedule, Zones as _};

    /// The clockwork of six fields, of which the first is that for seconds.
    pub(crate) fn clockwork(expression: &str, zone: &str) -> Clockwork {
        let zone = BundledZones.load(zone).unwrap();
        let schedule = Schedule::parse(expression, Dialect::V1_2Seconds, &BundledZones).unwrap();
        match schedule.in_zone(&zone).rule {
            RunRule::Clock(clockwork) => clockwork,
            RunRule::Every(_) => panic!("{expression} has no fields"),
        }
    }

    pub(crate) fn second(text: &str) -> i64 {
        text.parse::<Timestamp>().unwrap().as_second()
    }
}
