//! What the `CronJob` controller of each Kubernetes release does.

mod release;
mod time_zone;

pub use release::{Model, Release, VersionError, ZonePrefix};
pub use time_zone::validate_time_zone;
