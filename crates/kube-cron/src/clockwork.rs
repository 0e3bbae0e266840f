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
