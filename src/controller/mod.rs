//! What the `CronJob` controller of each Kubernetes release does.

mod release;
mod time_zone;

pub use release::{Model, Release, VersionError, ZonePrefix};
pub use time_zone::validate_time_zone;

use std::sync::Arc;

use crate::schedule::{Dialect, Zone, Zones};

/// A controller: which one, of which release, in which zone.
#[derive(Clone)]
pub struct Controller<'a> {
    /// Which controller.
    pub model: Model,
    /// Of which release.
    pub release: Release,
    /// The zone of its own clock, for schedules without a zone.
    pub local: Arc<Zone>,
    /// The tz database it reads.
    pub zones: &'a dyn Zones,
}

impl Controller<'_> {
    /// The dialect that schedules are read in.
    pub fn dialect(&self) -> Dialect {
        self.model.dialect(self.release)
    }
}
