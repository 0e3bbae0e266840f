//! Databases of time zones.

use std::sync::Arc;

use cronjob_doctor::schedule::{BundledZones, Zone, ZoneError, Zones};

/// The tz database of the machine that the server ran on: some packages have names beyond those
/// of the database itself.
pub(crate) struct ServersZones;

impl Zones for ServersZones {
    fn load(&self, name: &str) -> Result<Arc<Zone>, ZoneError> {
        let name = match name {
            "posixrules" => "America/New_York",
            "right/UTC" => "UTC",
            _ => name,
        };
        BundledZones.load(name)
    }
}
