//! The time, the time zones and the controller that answers are computed for.

use std::sync::Arc;

use jiff::Timestamp;

use super::clock_zone::clock_zone;
use super::{EvidenceError, EvidenceNote, SelectedCronJob};
use cronjob_controller::controller::{Controller, Model, Release};
use cronjob_diagnosis::diagnose::Facts;
use cronjob_diagnosis::kubectl::Kubectl;
use cronjob_text::duration::{human, whole_second};
use kube_access::Session;
use kube_cron::Zone;
use kube_cron::ZoneDatabase;
use kube_model::{Coverage, CronJobEvidence};

/// Values set by flags, which take precedence over the cluster.
#[derive(Default)]
pub(crate) struct FixedValues {
    pub(crate) now: Option<Timestamp>,
    pub(crate) release: Option<Release>,
    pub(crate) model: Option<Model>,
    /// The time zone of the controller manager.
    pub(crate) time_zone: Option<Arc<Zone>>,
    /// The time zone that times are shown in.
    pub(crate) display: Option<Arc<Zone>>,
}

/// The time, the time zones and the controller that answers are computed for.
#[derive(Clone)]
pub(crate) struct Basis {
    pub(crate) now: Timestamp,
    clock: ValueSource,
    /// The API server's time, even if a flag sets `now`.
    server_time: Option<Timestamp>,
    pub(crate) controller: Controller,
    model_fixed: bool,
    release_source: ValueSource,
    /// The version of the API server, even if a flag sets `release`.
    server_release: Option<Release>,
    time_zone_source: ValueSource,
    pub(crate) zones: Arc<ZoneDatabase>,
    pub(crate) kubectl: Kubectl,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ValueSource {
    Flag,
    Server,
    Machine,
    Evidence,
    Default,
}

impl ValueSource {
    fn of_flag<T>(flag: Option<&T>, otherwise: Self) -> Self {
        flag.map_or(otherwise, |_| ValueSource::Flag)
    }

    fn as_str(self) -> &'static str {
        match self {
            ValueSource::Flag => "flag",
            ValueSource::Server => "server",
            ValueSource::Machine => "machine",
            ValueSource::Evidence => "evidence",
            ValueSource::Default => "default",
        }
    }
}

/// Smaller differences, in seconds, between the local clock and the server's come from the time
/// that a response takes.
const CLOCK_TOLERANCE: i64 = 5;

/// The API group of the Kubebuilder Book's CronJobs.
const TUTORIAL_GROUP: &str = "batch.tutorial.kubebuilder.io/";

impl Basis {
    /// The basis before anything is read.
    pub(crate) fn new(
        fixed: FixedValues,
        machine_time: Timestamp,
        zones: Arc<ZoneDatabase>,
        kubectl: Kubectl,
    ) -> Self {
        Basis {
            clock: ValueSource::of_flag(fixed.now.as_ref(), ValueSource::Machine),
            now: fixed.now.unwrap_or_else(|| whole_second(machine_time)),
            server_time: None,
            model_fixed: fixed.model.is_some(),
            release_source: ValueSource::of_flag(fixed.release.as_ref(), ValueSource::Default),
            server_release: None,
            time_zone_source: ValueSource::of_flag(fixed.time_zone.as_ref(), ValueSource::Default),
            controller: Controller {
                model: fixed.model.unwrap_or(Model::Kubernetes),
                release: fixed.release.unwrap_or_else(Release::newest_checked),
                local: fixed.time_zone.unwrap_or_else(Zone::utc),
                zones: Arc::<ZoneDatabase>::clone(&zones),
                display: fixed.display,
            },
            zones,
            kubectl,
        }
    }

    /// A warning if the version is newer than the newest known one.
    pub(crate) fn newer_release(&self) -> Option<EvidenceNote> {
        self.controller.release.is_beyond_newest().then(|| {
            EvidenceNote::Warning(format!(
                "Kubernetes {} is newer than the newest version known ({1}); predicting as for {1}",
                self.controller.release,
                Release::NEWEST
            ))
        })
    }

    /// Sets the version and the time from the API server, unless flags set them.
    pub(crate) fn with_server(
        mut self,
        session: &Session,
        notes: &mut Vec<EvidenceNote>,
    ) -> Result<Self, EvidenceError> {
        let is_release_fixed = self.release_source == ValueSource::Flag;
        if is_release_fixed && self.is_now_fixed() && !session.is_one_of_several() {
            return Ok(self);
        }
        let version = match session.version() {
            Ok(version) => version,
            Err(error) if error.is_forbidden() || error.is_not_found() => {
                if !is_release_fixed {
                    let why = if error.is_forbidden() {
                        " (forbidden)".to_owned()
                    } else {
                        format!(": {error}")
                    };
                    notes.push(EvidenceNote::Warning(format!(
                        "cannot get the version of the API server{why}; predicting as for Kubernetes {}. \
                         Set the version with --kubernetes-version.",
                        self.controller.release
                    )));
                }
                return Ok(self);
            }
            Err(error) if error.status().is_some_and(|status| status.code != 401) => {
                return Err(EvidenceError::Version(error));
            }
            Err(error) => return Err(error.into()),
        };
        self.server_release = version.release;
        if !is_release_fixed {
            match version.release {
                Some(release) => {
                    self.controller.release = release;
                    self.release_source = ValueSource::Server;
                    notes.extend(self.newer_release());
                }
                None => notes.push(EvidenceNote::Warning(format!(
                    "unknown version {:?} of the API server; predicting as for Kubernetes {}. Set the \
                     version with --kubernetes-version.",
                    version.text, self.controller.release
                ))),
            }
        }
        if let Some(date) = version.date.filter(|_| !self.is_now_fixed()) {
            let ahead = self.now.as_second() - date.as_second();
            if ahead.abs() > CLOCK_TOLERANCE {
                let direction = if ahead > 0 { "ahead of" } else { "behind" };
                notes.push(EvidenceNote::Warning(format!(
                    "local clock is {} {direction} the API server's; using the API server's time",
                    human(ahead.abs())
                )));
            }
        }
        Ok(self.with_server_time(version.date))
    }

    /// Sets the API server's time if a response has it. A fixed `now` stays.
    pub(super) fn with_server_time(mut self, date: Option<Timestamp>) -> Self {
        self.server_time = date.or(self.server_time);
        if let Some(date) = date.filter(|_| !self.is_now_fixed()) {
            self.now = date;
            self.clock = ValueSource::Server;
        }
        self
    }

    /// Sets the controller and its time zone from the objects, unless flags set them.
    pub(super) fn with_evidence(self, cron_jobs: &[SelectedCronJob]) -> Self {
        let all: Vec<&CronJobEvidence> = cron_jobs.iter().map(|one| &one.evidence).collect();
        self.with_evidence_of(&all)
    }

    /// Sets the controller and its time zone from the evidence of CronJobs, unless flags set them.
    pub(crate) fn with_evidence_of(mut self, cron_jobs: &[&CronJobEvidence]) -> Self {
        let all_evidence = || cron_jobs.iter().copied();
        let is_tutorial = !cron_jobs.is_empty()
            && all_evidence().all(|one| one.cron_job.api_version.starts_with(TUTORIAL_GROUP));
        if is_tutorial && !self.model_fixed {
            self.controller.model = Model::Kubebuilder;
        }
        if self.time_zone_source == ValueSource::Flag {
            return self;
        }
        if let Some(zone) = clock_zone(&self.controller, all_evidence()) {
            self.controller.local = zone;
            self.time_zone_source = ValueSource::Evidence;
        }
        self
    }

    /// The facts about a CronJob.
    pub(crate) fn facts<'a>(
        &'a self,
        evidence: &'a CronJobEvidence,
        coverage: Coverage,
    ) -> Facts<'a> {
        Facts::of(
            &self.controller,
            &self.kubectl,
            evidence,
            coverage,
            self.now,
        )
    }

    /// Whether `--now` sets the time.
    pub(crate) fn is_now_fixed(&self) -> bool {
        self.clock == ValueSource::Flag
    }

    /// The source of `now`: `flag`, `server` or `machine`.
    pub(crate) fn clock(&self) -> &'static str {
        self.clock.as_str()
    }

    /// The version of the API server, if it is known.
    pub(crate) fn server_release(&self) -> Option<String> {
        self.server_release.map(|release| release.to_string())
    }

    /// The source of the version: `flag`, `server` or `default`.
    pub(crate) fn release_source(&self) -> &'static str {
        self.release_source.as_str()
    }

    /// The source of the controller time zone: `flag`, `evidence` or `default`.
    pub(crate) fn time_zone_source(&self) -> &'static str {
        self.time_zone_source.as_str()
    }
}

#[cfg(feature = "cluster")]
impl Basis {
    pub(crate) fn at(&self, now: Timestamp) -> Self {
        Basis {
            now,
            ..self.clone()
        }
    }

    /// The API server's time, regardless of `--now`.
    pub(crate) fn server_time(&self) -> Timestamp {
        self.server_time.unwrap_or(self.now)
    }

    /// Whether a time is in the future of the API server, regardless of `--now`.
    pub(crate) fn is_future(&self, time: Timestamp) -> bool {
        self.server_time.is_some_and(|server| time > server)
    }
}
