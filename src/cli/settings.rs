//! What the common flags come to.

use std::sync::Arc;

use anyhow::bail;
use jiff::Timestamp;

use super::args::{Global, WhatIf};
use crate::controller::{Controller, Model, Release};
use crate::output::next_runs::ControllerDocument;
use crate::schedule::{Location, Zone, ZoneError, load_location, suggest_zone};
use crate::tzdb::Database;

/// The clock, the zones and the controller that a call is about.
pub(super) struct Settings {
    pub(super) now: Timestamp,
    pub(super) zones: Database,
    model: Model,
    release: Release,
    release_given: bool,
    local: Arc<Zone>,
    local_given: bool,
}

impl Settings {
    pub(super) fn new(global: &Global, what_if: &WhatIf) -> anyhow::Result<Self> {
        let zones = Database::open(global.tzdb.into())?;
        let local = match &what_if.controller_time_zone {
            Some(name) => zone_of_flag("--controller-time-zone", name, &zones)?,
            None => Zone::utc(),
        };
        let release = what_if.kubernetes_version.unwrap_or(Release::NEWEST);
        if release.is_beyond_newest() && !global.quiet {
            super::warn(&format!(
                "Kubernetes {release} is newer than this program knows; it is taken to do what {} does",
                Release::NEWEST
            ));
        }
        Ok(Settings {
            now: what_if.now.unwrap_or_else(read_clock),
            zones,
            model: what_if.controller.into(),
            release,
            release_given: what_if.kubernetes_version.is_some(),
            local,
            local_given: what_if.controller_time_zone.is_some(),
        })
    }

    pub(super) fn controller(&self) -> Controller<'_> {
        Controller {
            model: self.model,
            release: self.release,
            local: Arc::clone(&self.local),
            zones: &self.zones,
        }
    }

    /// By which library schedules are read, in a few words.
    pub(super) fn read_by(&self, zone: &Zone) -> String {
        let library = self.model.dialect(self.release).version();
        let reader = match self.model {
            Model::Kubernetes => format!("Kubernetes {}", self.release),
            Model::Kubebuilder => "the kubebuilder tutorial".to_owned(),
        };
        let newest = if self.release_given {
            ""
        } else {
            " (the newest known)"
        };
        format!("{reader}{newest}, robfig/cron {library}, {}", zone.name())
    }

    pub(super) fn controller_document(&self) -> ControllerDocument {
        let source = |given: bool| if given { "flag" } else { "default" };
        ControllerDocument {
            model: self.model.name(self.release),
            kubernetes_version: self.release.to_string(),
            source: source(self.release_given),
            time_zone: self.local.name().to_owned(),
            time_zone_source: source(self.local_given),
        }
    }
}

/// A zone that a flag names.
pub(super) fn zone_of_flag(flag: &str, name: &str, zones: &Database) -> anyhow::Result<Arc<Zone>> {
    match load_location(name, zones) {
        Ok(Location::Zone(zone)) if !name.is_empty() => Ok(zone),
        Ok(_) => bail!("{flag}: name a zone of the tz database, such as Europe/Berlin"),
        Err(error) => bail!("{flag}: {}", with_suggestion(name, &error)),
    }
}

/// The error, and the zone that was probably meant.
fn with_suggestion(name: &str, error: &ZoneError) -> String {
    match suggest_zone(name) {
        Some(zone) => format!("{error}; did you mean {zone}?"),
        None => error.to_string(),
    }
}

/// The only place that reads the machine's clock.
#[allow(
    clippy::disallowed_methods,
    reason = "the one place; `now` is an argument everywhere else"
)]
fn read_clock() -> Timestamp {
    Timestamp::now()
}
