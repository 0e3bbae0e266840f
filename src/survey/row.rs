//! What is kept of a `CronJob` that was looked at.

use jiff::Timestamp;

use super::health::Health;
use super::urgency;
use crate::controller::Controller;
use crate::diagnose::{Facts, Finding, Reach, diagnose, suspend_reason, verdict};
use crate::forecast::NextState;
use crate::model::Dossier;

/// What is kept of a `CronJob` that was looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The API group and version that it was read in.
    pub api_version: String,
    /// The namespace.
    pub namespace: String,
    /// The name.
    pub name: String,
    /// The cron expression.
    pub schedule: String,
    /// `spec.timeZone`.
    pub time_zone: Option<String>,
    /// What the schedule means, if it can be read.
    pub description: Option<String>,
    /// Whether it is in a cluster, and not a manifest that never was.
    pub in_cluster: bool,
    /// `spec.suspend`.
    pub suspended: bool,
    /// Why, if somebody wrote it down.
    pub suspend_reason: Option<String>,
    /// When the next run is due, or the next attempt; `None` if that is not known, or if nothing will
    /// start until something is changed.
    pub next_run: Option<Timestamp>,
    /// What to expect of it; `None` if nothing will start until something is changed.
    pub next_state: Option<NextState>,
    /// The slot of the last run that was started.
    pub last_schedule_time: Option<Timestamp>,
    /// When a Job last succeeded.
    pub last_successful_time: Option<Timestamp>,
    /// How many Jobs the controller believes to be running, as kubectl's list has it.
    pub active: usize,
    /// How many slots were missed and not backfilled since, exactly; `None` if the schedule cannot be
    /// read.
    pub missed: Option<u64>,
    /// How it is.
    pub health: Health,
    /// One sentence.
    pub verdict: String,
    /// What is wrong or risky, the most urgent first.
    pub findings: Vec<Finding>,
}

impl Row {
    /// Looks at a `CronJob` at a moment.
    pub fn of(
        controller: &Controller<'_>,
        dossier: &Dossier,
        reach: Reach,
        now: Timestamp,
    ) -> Self {
        let facts = Facts::of(controller, dossier, reach, now);
        let mut findings = diagnose(&facts);
        urgency::sort(&mut findings);
        let schedule = facts.schedule.as_ref().ok();
        let next = facts.outlook().next();
        let (spec, status) = (&dossier.cron_job.spec, &dossier.cron_job.status);
        Row {
            api_version: dossier.cron_job.api_version.clone(),
            namespace: dossier.cron_job.namespace.clone(),
            name: dossier.cron_job.name.clone(),
            schedule: spec.schedule.clone(),
            time_zone: spec.time_zone.clone(),
            description: schedule.map(|schedule| schedule.describe().sentence),
            in_cluster: !dossier.cron_job.not_in_cluster,
            suspended: facts.is_suspended(),
            suspend_reason: suspend_reason(&dossier.cron_job),
            next_run: next.and_then(|(_, at)| at),
            next_state: next.map(|(state, _)| state),
            last_schedule_time: status.last_schedule_time,
            last_successful_time: status.last_successful_time,
            active: status.active.len(),
            missed: facts.not_run(),
            health: Health::of(&findings),
            verdict: verdict(&facts),
            findings,
        }
    }

    /// What to see first of what was found.
    pub fn foremost(&self) -> Option<&Finding> {
        self.findings.first()
    }

    /// `cronjob.batch/NAME`, as kubectl's `-o name` has it.
    pub fn resource_name(&self) -> String {
        let group = self.api_version.split_once('/').map(|(group, _)| group);
        format!("cronjob.{}/{}", group.unwrap_or("batch"), self.name)
    }

    pub(super) fn place(&self) -> (&str, &str) {
        (&self.namespace, &self.name)
    }
}
