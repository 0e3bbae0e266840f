//! What the searches work with, and how they fail.

use std::sync::Arc;

use super::dialect::Traits;
use super::fields::Fields;
use super::zone::Zone;

/// Fields, and the clock that they are compared with.
#[derive(Clone, Debug)]
pub(crate) struct Clockwork {
    pub(crate) fields: Fields,
    pub(crate) traits: Traits,
    pub(crate) zone: Arc<Zone>,
}

/// A search that never ends.
///
/// Upstream's loop does not leave a day that the zone skipped as a whole, or finds the same run over
/// and over near a change of the clock. The controller's worker would hang for good.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the search for the next run never ends: it cannot get past a change of the zone's clock")]
pub struct Endless;

/// How many runs lie in an interval, and which: in whole seconds, also beyond the years that timestamps have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CountSeconds {
    /// How many there are.
    pub count: u64,
    /// The first.
    pub first: Option<i64>,
    /// The last.
    pub last: Option<i64>,
    /// Whether upstream's search gives up before the end of the interval.
    pub gave_up: bool,
}
