//! What the common flags come to.

use std::sync::Arc;

use anyhow::{Context as _, bail};
use jiff::Timestamp;

use super::args::{Connection, Global, WhatIf};
use crate::cluster::Session;
use crate::controller::{Controller, Model, Release};
use crate::diagnose::clock_zone;
use crate::duration::exact;
use crate::kubectl::Kubectl;
use crate::model::{CronJob, CronJobEvidence};
use crate::output::controller::ControllerDocument;
use crate::schedule::{Location, Zone, ZoneError, load_location, suggest_zone};
use crate::tzdb::Database;

/// The clock, the zones and the controller that a call is about.
#[derive(Clone)]
pub(super) struct Settings {
    pub(super) now: Timestamp,
    pub(super) zones: Arc<Database>,
    now_given: bool,
    /// Whether the server told what time it is.
    clock_told: bool,
    /// The server's clock, as far as it told, whatever moment is taken for now.
    server_time: Option<Timestamp>,
    model: Model,
    model_given: bool,
    release: Release,
    release_source: Source,
    local: Arc<Zone>,
    local_source: Source,
    pub(super) kubectl: Kubectl,
}

/// Where something is known from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    Flag,
    Server,
    Evidence,
    Default,
}

impl Source {
    fn of_flag(given: bool) -> Self {
        if given { Source::Flag } else { Source::Default }
    }

    fn as_str(self) -> &'static str {
        match self {
            Source::Flag => "flag",
            Source::Server => "server",
            Source::Evidence => "evidence",
            Source::Default => "default",
        }
    }
}

/// The server's clock and this machine's may differ by so much: their answers take time.
const CLOCK_TOLERANCE: i64 = 5;

impl Settings {
    pub(super) fn new(
        global: &Global,
        connection: &Connection,
        what_if: &WhatIf,
    ) -> anyhow::Result<Self> {
        let zones = Arc::new(Database::open(global.tzdb.into())?);
        let local = match &what_if.controller_time_zone {
            Some(name) => zone_of_flag("--controller-time-zone", name, &zones)?,
            None => Zone::utc(),
        };
        let release = what_if.kubernetes_version.unwrap_or(Release::NEWEST);
        let settings = Settings {
            now: what_if.now.unwrap_or_else(|| to_second(read_clock())),
            zones,
            now_given: what_if.now.is_some(),
            clock_told: false,
            server_time: None,
            model: what_if.controller.map_or(Model::Kubernetes, Model::from),
            model_given: what_if.controller.is_some(),
            release,
            release_source: Source::of_flag(what_if.kubernetes_version.is_some()),
            local,
            local_source: Source::of_flag(what_if.controller_time_zone.is_some()),
            kubectl: Kubectl::from(connection),
        };
        settings.warn_of_newer_release(global);
        Ok(settings)
    }

    fn warn_of_newer_release(&self, global: &Global) {
        if self.release.is_beyond_newest() && !global.quiet {
            super::warn(&format!(
                "Kubernetes {} is newer than this program knows; it is taken to do what {} does",
                self.release,
                Release::NEWEST
            ));
        }
    }

    /// Takes the server's release and its clock, unless flags say otherwise.
    pub(super) fn ask_server(&mut self, session: &Session, global: &Global) -> anyhow::Result<()> {
        if self.release_source == Source::Flag && self.now_given {
            return Ok(());
        }
        let version = match session.version() {
            Ok(version) => version,
            Err(error) if error.is_forbidden() || error.is_not_found() => {
                if !global.quiet && self.release_source != Source::Flag {
                    super::warn(&format!(
                        "the server does not tell its version, so that {} is modelled ({error}); \
                         --kubernetes-version names another",
                        self.release
                    ));
                }
                return Ok(());
            }
            Err(error) if error.status().is_some_and(|status| status.code != 401) => {
                return Err(error).context("cannot ask the server for its version");
            }
            Err(error) => return Err(error.into()),
        };
        if self.release_source != Source::Flag {
            match version.release {
                Some(release) => {
                    self.release = release;
                    self.release_source = Source::Server;
                    self.warn_of_newer_release(global);
                }
                None if !global.quiet => super::warn(&format!(
                    "the server's version {:?} cannot be read, so that {} is modelled; \
                     --kubernetes-version names another",
                    version.text, self.release
                )),
                None => {}
            }
        }
        if let Some(date) = version.date.filter(|_| !self.now_given) {
            let ahead = self.now.as_second() - date.as_second();
            if ahead.abs() > CLOCK_TOLERANCE && !global.quiet {
                let direction = if ahead > 0 { "ahead of" } else { "behind" };
                super::warn(&format!(
                    "this machine's clock is {} {direction} the server's, which counts",
                    exact(ahead.abs())
                ));
            }
        }
        self.set_server_time(version.date);
        Ok(())
    }

    /// Takes the server's clock, as far as an answer tells it; what is now stays what a flag says.
    /// Its lists tell the moment that they show.
    pub(super) fn set_server_time(&mut self, date: Option<Timestamp>) {
        self.server_time = date.or(self.server_time);
        if let Some(date) = date.filter(|_| !self.now_given) {
            self.now = date;
            self.clock_told = true;
        }
    }

    /// Whose clock says what time it is: `flag`, `server` or `machine`.
    pub(super) fn clock(&self) -> &'static str {
        match (self.now_given, self.clock_told) {
            (true, _) => "flag",
            (false, true) => "server",
            (false, false) => "machine",
        }
    }

    /// Whether a moment is yet to come, although it may be past by the moment taken for now.
    pub(super) fn is_yet_to_come(&self, moment: Timestamp) -> bool {
        self.server_time.is_some_and(|server| moment > server)
    }

    /// Takes the kubebuilder book's controller for objects of its group.
    pub(super) fn choose_model<'a>(&mut self, cron_jobs: impl Iterator<Item = &'a CronJob>) {
        if self.model_given {
            return;
        }
        let mut cron_jobs = cron_jobs.peekable();
        let are_tutorial = cron_jobs.peek().is_some()
            && cron_jobs.all(|cron_job| cron_job.api_version.starts_with(TUTORIAL_GROUP));
        if are_tutorial {
            self.model = Model::Kubebuilder;
        }
    }

    /// Takes the zone that past runs show, unless a flag says otherwise.
    pub(super) fn infer_zone<'a>(
        &mut self,
        all_evidence: impl Iterator<Item = &'a CronJobEvidence>,
    ) {
        if self.local_source == Source::Flag {
            return;
        }
        if let Some(zone) = clock_zone(&self.controller(), all_evidence) {
            self.local = zone;
            self.local_source = Source::Evidence;
        }
    }

    pub(super) fn controller(&self) -> Controller<'_> {
        Controller {
            model: self.model,
            release: self.release,
            local: Arc::clone(&self.local),
            zones: &*self.zones,
            kubectl: &self.kubectl,
        }
    }

    /// By which library schedules are read, in a few words.
    pub(super) fn read_by(&self, zone: &Zone) -> String {
        let library = self.model.dialect(self.release).version();
        let reader = match self.model {
            Model::Kubernetes => format!("Kubernetes {}", self.release),
            Model::Kubebuilder => "the kubebuilder tutorial".to_owned(),
        };
        let newest = if self.release_source == Source::Default {
            " (the newest known)"
        } else {
            ""
        };
        format!("{reader}{newest}, robfig/cron {library}, {}", zone.name())
    }

    pub(super) fn controller_document(&self) -> ControllerDocument {
        ControllerDocument {
            model: self.model.name(self.release),
            kubernetes_version: self.release.to_string(),
            source: self.release_source.as_str(),
            time_zone: self.local.name().to_owned(),
            time_zone_source: self.local_source.as_str(),
        }
    }
}

/// The group of the kubebuilder book's CronJobs.
const TUTORIAL_GROUP: &str = "batch.tutorial.kubebuilder.io/";

/// A zone that a flag names.
pub(super) fn zone_of_flag(flag: &str, name: &str, zones: &Database) -> anyhow::Result<Arc<Zone>> {
    match load_location(name, zones) {
        Ok(Location::Zone(zone)) if !name.is_empty() => Ok(zone),
        Ok(_) => bail!("{flag}: {NAME_A_ZONE}"),
        Err(error) => {
            let way_out = zone_instead(name);
            match error {
                // This one says which.
                ZoneError::Unknown(_) => bail!("{flag}: {error}; {way_out}"),
                _ => bail!("{flag}: {name:?}: {error}; {way_out}"),
            }
        }
    }
}

const NAME_A_ZONE: &str = "name a zone of the tz database, such as Europe/Berlin";

/// What to write in place of a name that is no zone's.
pub(super) fn zone_instead(name: &str) -> String {
    match suggest_zone(name) {
        Some(zone) => format!("did you mean {zone}?"),
        None => NAME_A_ZONE.to_owned(),
    }
}

/// A moment without its fraction, as servers tell theirs.
fn to_second(moment: Timestamp) -> Timestamp {
    Timestamp::from_second(moment.as_second()).unwrap_or(moment)
}

/// The only place that reads the machine's clock.
#[allow(
    clippy::disallowed_methods,
    reason = "the one place; `now` is an argument everywhere else"
)]
pub(super) fn read_clock() -> Timestamp {
    Timestamp::now()
}
