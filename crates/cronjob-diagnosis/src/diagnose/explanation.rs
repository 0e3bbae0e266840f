//! The explanation of one `CronJob`.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    Expectations, Facts, Finding, LastRun, LastSuccess, LogTail, MissedFor, MissedRuns, PodState,
    ScheduleEdit, SinceSuccess, SuspensionRecord, UsualDuration, causes, diagnose, verdict,
};
use cronjob_controller::controller::{Controller, Decision, EditEffect, Outcome, Release, decide};
use cronjob_controller::forecast::{Sync, SyncInWords};
use cronjob_controller::upcoming::{UpcomingRun, coming_runs, timetable};
use cronjob_text::text::Text;
use kube_model::{CronJob, Job, ManagedBy};

/// How many of the next runs are shown.
const NEXT_RUNS: usize = 5;

/// The explanation of one `CronJob`.
#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Explanation<'a> {
    /// What is known.
    #[serde(skip)]
    pub facts: Facts<'a>,
    /// The state of the `CronJob`, as a sentence.
    pub verdict: Text,
    /// What happened to the last run; null if there was none since the creation.
    pub last_run: Option<LastRun>,
    /// What happened to the last run of the schedule; null if there was none since the creation.
    pub last_scheduled_run: Option<LastRun>,
    /// The last success; null if none is known.
    pub last_success: Option<LastSuccess>,
    /// What has changed since the last success, if the last run of the schedule failed, is stuck or could not be
    /// started; null otherwise, and where the whole Jobs were not read: they are read from files, and from a cluster
    /// for one named `CronJob`.
    pub since_success: Option<SinceSuccess>,
    /// How many runs were due since the last success, or since the creation, and did not succeed. Runs during a
    /// suspension or before a change of the schedule do not count, nor those that may still succeed; null if
    /// unknown.
    pub runs_since_success: Option<u64>,
    /// The schedule, and what it means.
    pub schedule: ExplainedSchedule,
    /// The tool that manages the `CronJob`; null if none is known.
    pub managed_by: Option<ManagedBy>,
    /// The last change of the schedule since the creation, if it was made in the last three days or since the
    /// last run; null otherwise, and if none is known.
    pub schedule_edit: Option<ScheduleEdit>,
    /// Who suspended the `CronJob`, when, why and until when; null if it is not suspended.
    pub suspension: Option<SuspensionRecord>,
    /// What the `CronJob` states that is expected of it; null if it states nothing.
    pub expectations: Option<Expectations>,
    /// How long its runs usually take; null if fewer than five successful runs are known.
    pub usual_duration: Option<UsualDuration>,
    /// When the next success is due; null while the `CronJob` is suspended, and if nothing is scheduled.
    pub success_due: Option<Timestamp>,
    /// What the controller would do if it synced now.
    pub decision: Decision,
    /// What will happen if nothing changes: the next syncs that have an effect, in order, up to the fifth
    /// run or 24 hours.
    #[schemars(with = "Vec<SyncInWords>")]
    pub forecast: Vec<Sync>,
    /// The missed runs; null if the schedule cannot be parsed.
    pub missed: Option<ExplainedMissedRuns>,
    /// The next runs.
    pub next_runs: Vec<UpcomingRun>,
    /// Problems and risks.
    pub findings: Vec<Finding>,
    /// The pods of its Jobs, if pods were read.
    pub pods: Vec<PodState<'a>>,
    /// What would happen after the changes given with `--what-if`; omitted without them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub what_if: Option<WhatIf>,
    /// What other versions of Kubernetes would do, with `--compare`; omitted without it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub compared: Vec<Compared>,
    /// The last lines of the log of the pod that failed or runs, with `--logs`; omitted without them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub logs: Vec<LogTail>,
}

/// A schedule, and what it means.
#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ExplainedSchedule {
    /// `spec.schedule`
    pub expression: String,
    /// `spec.timeZone`
    pub time_zone: Option<String>,
    /// The schedule in words.
    pub description: Option<String>,
    /// The parse error, as the controller words it.
    pub error: Option<String>,
}

/// The missed runs, and why they were missed.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "Missed")]
pub struct ExplainedMissedRuns {
    /// The missed runs.
    #[serde(flatten)]
    pub runs: MissedRuns,
    /// Why they were missed.
    pub causes: Vec<MissedFor>,
}

/// What would happen if some fields of the `CronJob` were changed.
#[derive(JsonSchema, Serialize)]
pub struct WhatIf {
    /// The changes, as given.
    pub changes: Vec<String>,
    /// What would happen, as a sentence.
    pub verdict: Text,
    /// What the controller would do if it synced right after the change.
    pub decision: Decision,
    /// The effect of the change itself.
    pub effect: EditEffect,
}

impl WhatIf {
    /// The decision that the verdict is about: that of a later sync if the change does not cause one.
    pub fn first_decision(&self, now: Timestamp) -> &Decision {
        let is_later = self.effect.syncs_at.is_some_and(|at| at > now) && self.decision.starts();
        let then = self.effect.decision_then.as_ref().filter(|_| is_later);
        then.unwrap_or(&self.decision)
    }
}

/// What another version of Kubernetes would do.
#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Compared {
    /// The version.
    #[schemars(with = "String")]
    #[serde(rename = "kubernetesVersion")]
    pub release: Release,
    /// What its controller would do.
    pub decision: Decision,
    /// The next scheduled times, as it reads the schedule.
    pub next_runs: Vec<Timestamp>,
}

impl Compared {
    /// What the controller of another version would do.
    pub fn of(controller: &Controller, cron_job: &CronJob, jobs: &[Job], now: Timestamp) -> Self {
        let decision = decide(controller, cron_job, jobs, now);
        let given_up = decision.outcome == Outcome::InvalidSchedule;
        let timetable = timetable(controller, cron_job).ok().filter(|_| !given_up);
        let next_runs = timetable.map_or_else(Vec::new, |timetable| {
            let start = timetable.search_start(cron_job.anchor().unwrap_or(now), now);
            let next = timetable.after(start).take(NEXT_RUNS);
            next.map_while(Result::ok).collect()
        });
        Compared {
            release: controller.release,
            decision,
            next_runs,
        }
    }
}

/// What matters of a decision: Jobs have other names since 1.21, and events other texts.
fn essence(decision: &Decision) -> impl PartialEq + use<'_> {
    let warnings = decision.events.iter();
    let warnings = warnings.filter(|event| event.r#type.as_str() == "Warning");
    (
        decision.outcome,
        decision.scheduled_time,
        &decision.deleted_jobs,
        warnings.map(|event| event.reason).collect::<Vec<_>>(),
        decision.requeue_after.is_some_and(|after| after < 0),
    )
}

impl<'a> Explanation<'a> {
    /// Whether one of the compared versions does something else now, or has other next runs.
    pub fn differs(&self) -> bool {
        self.compared.iter().any(|other| {
            let next_runs = self.next_runs.iter().map(|run| run.scheduled_time);
            essence(&other.decision) != essence(&self.decision)
                || !next_runs.eq(other.next_runs.iter().copied())
        })
    }

    /// Explains the facts as they are: without changes, and without other releases.
    pub fn of(facts: Facts<'a>) -> Self {
        // What the controller has given up on has no next run.
        let given_up = facts.decision.outcome == Outcome::InvalidSchedule;
        let timetable = facts.timetable.as_ref().filter(|_| !given_up);
        let mut next_runs = timetable.map_or_else(Vec::new, |timetable| {
            let anchor = facts.input.cron_job.anchor();
            coming_runs(timetable, facts.zone(), anchor, facts.input.now, NEXT_RUNS)
        });
        let forecast = facts.forecast(NEXT_RUNS);
        for run in &mut next_runs {
            run.notes.extend(forecast.note(run.scheduled_time));
        }
        let (spec, schedule) = (&facts.input.cron_job.spec, facts.schedule.as_ref());
        let findings = diagnose(&facts);
        Explanation {
            verdict: verdict(&facts),
            last_run: facts.last_run().cloned(),
            last_scheduled_run: facts.last_scheduled_run().cloned(),
            last_success: LastSuccess::of(&facts),
            since_success: SinceSuccess::of(&facts, &findings),
            runs_since_success: facts.runs_since_success(),
            schedule: ExplainedSchedule {
                expression: spec.schedule.clone(),
                time_zone: spec.time_zone.clone(),
                description: (schedule.ok()).map(|schedule| schedule.describe().sentence),
                error: schedule.err().map(ToString::to_string),
            },
            managed_by: facts.input.cron_job.managed_by(),
            schedule_edit: ScheduleEdit::of(&facts.input),
            suspension: SuspensionRecord::of(&facts.input.cron_job),
            expectations: facts.input.expectations().clone().stated(),
            usual_duration: facts.durations().usual(),
            success_due: facts.success_due(),
            decision: facts.decision.clone(),
            forecast: forecast.within_a_day(facts.input.now),
            missed: facts.missed.map(|runs| ExplainedMissedRuns {
                runs,
                causes: causes(&facts),
            }),
            next_runs,
            findings,
            pods: facts.input.pods.iter().map(PodState::of).collect(),
            what_if: None,
            compared: Vec::new(),
            logs: Vec::new(),
            facts,
        }
    }
}
