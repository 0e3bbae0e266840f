//! The health of a `CronJob`, and which of its findings come first.

use std::sync::Arc;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use crate::diagnose::{
    ControllerOutage, Expectations, Facts, Finding, LastRun, LastSuccess, Severity,
    SuspensionRecord, UsualDuration, diagnose, verdict,
};
use crate::history::Reliability;
use crate::kubectl::Kubectl;
use cronjob_controller::controller::Controller;
use cronjob_controller::forecast::NextState;
use kube_model::{Coverage, CronJobEvidence, ManagedBy, ObjectKey};

/// The health of a `CronJob`.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
#[schemars(rename = "Health")]
#[serde(rename_all = "camelCase")]
pub struct Row {
    /// The API version of the object.
    pub api_version: String,
    /// The namespace of the `CronJob`.
    pub namespace: String,
    /// The name of the `CronJob`.
    pub name: String,
    /// `spec.schedule`
    pub schedule: String,
    /// `spec.timeZone`
    pub time_zone: Option<String>,
    /// The schedule in words.
    pub description: Option<String>,
    /// Whether it is in a cluster. A manifest that is not is treated as created now.
    pub in_cluster: bool,
    /// Whether it is suspended.
    pub suspended: bool,
    /// Why it is suspended, if that is recorded.
    pub suspend_reason: Option<String>,
    /// Who suspended it, when, why and until when; null if it is not suspended.
    pub suspension: Option<Box<SuspensionRecord>>,
    /// The tool that manages it; null if none is known.
    pub managed_by: Option<ManagedBy>,
    /// When the next run or the next attempt is due; null if that is unknown, or if nothing starts until
    /// the `CronJob` changes.
    pub next_run: Option<Timestamp>,
    /// What to expect of the next run; null if nothing starts until the `CronJob` changes.
    pub next_state: Option<NextState>,
    /// `status.lastScheduleTime`
    pub last_schedule_time: Option<Timestamp>,
    /// What `@every` counts from.
    #[serde(skip)]
    pub anchor: Option<Timestamp>,
    /// `status.lastSuccessfulTime`
    pub last_successful_time: Option<Timestamp>,
    /// What the `CronJob` states that is expected of it; null if it states nothing.
    pub expectations: Option<Box<Expectations>>,
    /// How long its runs usually take; null if fewer than five successful runs are known.
    pub usual_duration: Option<UsualDuration>,
    /// What happened to the last run; null if there was none since the creation.
    pub last_run: Option<Arc<LastRun>>,
    /// What happened to the last run of the schedule; null if there was none since the creation.
    pub last_scheduled_run: Option<Arc<LastRun>>,
    /// The last success; null if none is known.
    pub last_success: Option<Box<LastSuccess>>,
    /// How many runs were due since the last success, or since the creation, and did not succeed. Runs during a
    /// suspension or before a change of the schedule do not count, nor those that may still succeed; null if
    /// unknown.
    pub runs_since_success: Option<u64>,
    /// Whether the last finished run that is known succeeded, and how long it ran, in seconds.
    #[serde(skip)]
    pub last_finished: Option<(bool, Option<i64>)>,
    /// When the running Job started that has been running longest; null if none is running.
    pub running_since: Option<Timestamp>,
    /// How many of the runs of the last 28 days succeeded in time; only with --recorder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reliability: Option<Box<Reliability>>,
    /// When the next success is due; null while the `CronJob` is suspended, and if nothing is scheduled.
    pub success_due: Option<Timestamp>,
    /// The number of Jobs in `status.active`.
    pub active: usize,
    /// The exact number of runs that were missed and not backfilled; null if the schedule cannot be
    /// parsed.
    pub missed: Option<u64>,
    /// The severity of its most severe finding.
    pub health: Health,
    /// The state of the `CronJob`, as a sentence.
    pub verdict: String,
    /// Problems and risks, most urgent first.
    pub findings: Vec<Finding>,
    /// That the controller seems to be down, if that was judged by this `CronJob` and others.
    #[serde(skip)]
    pub outage: Option<Arc<ControllerOutage>>,
    /// Who changed the Job template last, and when.
    #[serde(skip)]
    pub(super) template_change: Option<(Box<str>, Timestamp)>,
}

impl Row {
    /// The namespace and the name.
    pub fn key(&self) -> ObjectKey {
        ObjectKey::new(self.namespace.as_str(), self.name.as_str())
    }

    /// Examines a `CronJob`.
    pub fn of(
        controller: &Controller,
        kubectl: &Kubectl,
        evidence: &CronJobEvidence,
        coverage: Coverage,
        now: Timestamp,
    ) -> Self {
        let facts = Facts::of(controller, kubectl, evidence, coverage, now);
        Row::of_facts(&facts, evidence.cron_job.anchor())
    }

    pub(super) fn of_facts(facts: &Facts<'_>, anchor: Option<Timestamp>) -> Self {
        let mut findings = diagnose(facts);
        sort_by_urgency(&mut findings);
        let schedule = facts.schedule.as_ref().ok();
        let next = facts.outlook().next();
        let cron_job = &*facts.input.cron_job;
        let suspension = SuspensionRecord::of(cron_job);
        let scheduled = facts.last_scheduled_run().cloned().map(Arc::new);
        let manual = facts.newer_manual_run().cloned().map(Arc::new);
        let (spec, status) = (&cron_job.spec, &cron_job.status);
        Row {
            api_version: cron_job.api_version.clone(),
            namespace: cron_job.namespace.clone(),
            name: cron_job.name.clone(),
            schedule: spec.schedule.clone(),
            time_zone: spec.time_zone.clone(),
            description: schedule.map(|schedule| schedule.describe().sentence),
            in_cluster: !cron_job.not_in_cluster,
            suspended: facts.input.is_suspended(),
            suspend_reason: suspension.as_ref().and_then(|record| record.reason.clone()),
            suspension: suspension.map(Box::new),
            managed_by: cron_job.managed_by(),
            next_run: next.and_then(|(_, at)| at),
            next_state: next.map(|(state, _)| state),
            last_schedule_time: status.last_schedule_time,
            anchor,
            last_successful_time: status.last_successful_time,
            expectations: facts.input.expectations().clone().stated().map(Box::new),
            usual_duration: facts.durations().usual(),
            last_run: manual.or_else(|| scheduled.clone()),
            last_scheduled_run: scheduled,
            last_success: LastSuccess::of(facts).map(Box::new),
            runs_since_success: facts.runs_since_success(),
            last_finished: last_finished(facts),
            running_since: facts.longest_running().map(|(_, since)| since),
            reliability: None,
            success_due: facts.success_due(),
            active: status.active.len(),
            missed: facts.not_run(),
            template_change: (cron_job.template_change())
                .and_then(|change| Some((change.manager.as_str().into(), change.time?))),
            health: Health::of(&findings),
            verdict: verdict(facts).into(),
            findings,
            outage: facts.input.outage.map(|outage| {
                let display = facts.input.controller.display.as_deref();
                Arc::new(ControllerOutage::of(outage, facts.input.kubectl, display))
            }),
        }
    }

    /// When a Job last succeeded: the status does not say it up to 1.21.
    pub fn last_success_at(&self) -> Option<Timestamp> {
        self.last_success
            .as_ref()
            .map(|success| success.finished_at)
    }

    pub fn foremost(&self) -> Option<&Finding> {
        self.findings.first()
    }

    /// `cronjob.batch/NAME`, as kubectl's `-o name` has it.
    pub fn resource_name(&self) -> String {
        let group = self.api_version.split_once('/').map(|(group, _)| group);
        format!("cronjob.{}/{}", group.unwrap_or("batch"), self.name)
    }
}

string_enum! {
    /// The health of a `CronJob`: the severity of its most severe finding.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Health {
        /// No findings.
        Ok = "ok",
        /// A finding worth knowing.
        Info = "info",
        /// Runs are missed, or will be.
        Warning = "warning",
        /// The `CronJob` does not work.
        Error = "error",
    }
}

impl Health {
    pub fn of(findings: &[Finding]) -> Self {
        let worst = findings.iter().map(|finding| finding.severity).max();
        worst.map_or(Health::Ok, Health::from)
    }

    pub fn is_problem(self) -> bool {
        self >= Health::Warning
    }
}

impl From<Severity> for Health {
    fn from(severity: Severity) -> Self {
        match severity {
            Severity::Info => Health::Info,
            Severity::Warning => Health::Warning,
            Severity::Error => Health::Error,
        }
    }
}

/// Sorts findings by severity; of equal severity, those about manually created Jobs come last, and current problems
/// before future ones. Otherwise the order of the rules stays.
fn sort_by_urgency(findings: &mut [Finding]) {
    findings.sort_by_key(|finding| {
        let severity = std::cmp::Reverse(finding.severity);
        (severity, finding.is_manual, finding.rule.is_future)
    });
}

/// The Job of a success may be gone, and that of a failure before it may still exist.
fn last_finished(facts: &Facts<'_>) -> Option<(bool, Option<i64>)> {
    let (run, end) = facts.last_finished()?;
    if facts.last_success() > Some(end) {
        return Some((true, None));
    }
    Some((run.succeeded(), run.run_seconds()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::FindingDetails;
    use cronjob_manifest::rules::{self, Rule};

    fn finding(rule: &'static Rule, severity: Severity) -> Finding {
        Finding::new(rule, FindingDetails::new("").severity(severity)).unwrap()
    }

    #[test]
    fn current_problems_come_before_future_ones_of_the_same_severity() {
        let mut findings = [
            finding(&rules::CLOCK_CHANGE_REPEATS_RUN, Severity::Info),
            finding(&rules::SUSPENDED_LONG, Severity::Warning),
            finding(&rules::TOO_MANY_MISSED, Severity::Warning),
            finding(&rules::CLOCK_SKEW, Severity::Warning),
            finding(&rules::LAST_RUN_FAILED, Severity::Error),
        ];
        sort_by_urgency(&mut findings);
        let codes = findings.map(|finding| finding.code);
        let expected = [
            "last-run-failed",
            "too-many-missed",
            "clock-skew",
            "suspended-long",
            "clock-change-repeats-run",
        ];
        assert_eq!(codes, expected);
    }
}
