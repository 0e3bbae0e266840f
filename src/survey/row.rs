//! What is kept of a `CronJob` that was looked at.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::health::Health;
use super::urgency;
use crate::controller::Controller;
use crate::diagnose::{Facts, Finding, Reach, diagnose, suspend_reason, verdict};
use crate::forecast::NextState;
use crate::model::Dossier;

/// The health of a `CronJob` at a moment.
#[derive(Clone, Debug, JsonSchema, PartialEq, Eq, Serialize)]
#[schemars(rename = "Health")]
#[serde(rename_all = "camelCase")]
pub struct Row {
    /// The API version that it was read as.
    pub api_version: String,
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// `spec.schedule`
    pub schedule: String,
    /// `spec.timeZone`
    pub time_zone: Option<String>,
    /// What the schedule means, in words.
    pub description: Option<String>,
    /// Whether it is in a cluster; a manifest that never was counts as created now.
    pub in_cluster: bool,
    /// Whether it is suspended.
    pub suspended: bool,
    /// Why it is suspended, where that is recorded.
    pub suspend_reason: Option<String>,
    /// When the next run is due, or the next attempt; null where that is not known, or where nothing
    /// will start until something changes.
    pub next_run: Option<Timestamp>,
    /// What to expect of it; null where nothing will start until something changes.
    pub next_state: Option<NextState>,
    /// `status.lastScheduleTime`
    pub last_schedule_time: Option<Timestamp>,
    /// `status.lastSuccessfulTime`
    pub last_successful_time: Option<Timestamp>,
    /// How many Jobs count as running.
    pub active: usize,
    /// How many runs were missed and not backfilled since, exactly; null where the schedule cannot
    /// be read.
    pub missed: Option<u64>,
    /// Its health: that of its most severe finding.
    pub health: Health,
    /// The state of the `CronJob`, in a sentence.
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
