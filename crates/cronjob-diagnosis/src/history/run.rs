//! A past run: its Job, or what events record of a Job that is gone, and its status.

use std::borrow::Cow;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use super::RunSource;
use crate::diagnose::{EventJob, Facts, JobRemoval, failure_reason, local_time};
use cronjob_text::text::Text;
use kube_model::{JobIdentity, PastRun, RunKind, RunPhases, RunResult, RunStatus, StoredRun};

/// A run, by its Job or by what the events remember of it.
#[derive(Clone, Debug, JsonSchema, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RecordedRun {
    /// The Job.
    pub job_name: String,
    /// When the Job was created.
    pub started_at: Option<Timestamp>,
    /// When the Job finished.
    pub finished_at: Option<Timestamp>,
    /// The result; null if it is unknown, or nothing of the Job runs yet.
    pub result: Option<RunResult>,
    /// When the result was decided, if a pod of the Job has not ended yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ending_since: Option<Timestamp>,
    /// What the Job waits for, if none of its containers has started.
    #[serde(rename = "waitingFor", skip_serializing_if = "Option::is_none")]
    pub awaited: Option<Text>,
    /// How late the run started, in seconds.
    pub delay_seconds: Option<i64>,
    /// How long the run took, or has been running, in seconds.
    pub duration_seconds: Option<i64>,
    /// Where the time went; only if its pods were read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phases: Option<RunPhases>,
    /// What the template of the Job is recognized by: another value is another template. Omitted if unknown.
    #[serde(
        rename = "templateFingerprint",
        skip_serializing_if = "Option::is_none"
    )]
    pub template: Option<String>,
    /// The digests of the images that ran: `main=sha256:…`, separated by commas. Omitted if unknown.
    #[serde(rename = "imageDigests", skip_serializing_if = "Option::is_none")]
    pub images: Option<String>,
    /// Whether the template differs from that of the last run before whose template is known.
    #[serde(skip)]
    pub has_new_template: bool,
    /// The exit code of the container that failed, if a recorder stored it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// Where the run is known from; only with --recorder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<RunSource>,
    /// The UID of the Job; not known if it is known from events, or from a recorder in the cluster.
    #[serde(skip)]
    pub job_uid: Option<String>,
    /// Why it is unknown whether it runs, if the nodes of its pods do not respond.
    #[serde(skip)]
    pub silence: Option<RunReason>,
    /// Why it failed.
    #[serde(skip)]
    pub failure: Option<Text>,
    /// What removed the Job, if it is gone: then the rest comes from events.
    #[serde(skip)]
    pub removed: Option<JobRemoval>,
    /// Whether it is known that it did not succeed, although its result is not.
    #[serde(skip)]
    pub is_unsuccessful: bool,
    /// Whether the Job was created for its scheduled time, but not by the controller.
    #[serde(skip)]
    pub backfilled: bool,
}

/// A Job for a time that is not in the schedule.
#[derive(Clone, Debug, JsonSchema, PartialEq, Eq, Serialize)]
#[schemars(rename = "OffSchedule")]
#[serde(rename_all = "camelCase")]
pub struct OffScheduleRun {
    /// The time that the Job was started for.
    pub scheduled_time: Timestamp,
    /// That time in the time zone of the schedule.
    pub local_time: String,
    /// The run.
    #[schemars(with = "RecordedRun")]
    #[serde(flatten, serialize_with = "as_known")]
    pub run: RecordedRun,
    /// Why a Job was started for that time.
    #[serde(flatten)]
    pub reason: RunReason,
}

/// Why a run has its status.
#[derive(Clone, Debug, JsonSchema, PartialEq, Eq, Serialize)]
pub struct RunReason {
    /// The cause, as a stable code.
    #[serde(rename = "cause")]
    pub code: Cow<'static, str>,
    /// The cause as a sentence.
    #[serde(rename = "reason")]
    pub detail: Text,
    /// Whether the controller may still start the run.
    #[serde(skip)]
    pub is_open: bool,
}

impl OffScheduleRun {
    pub(super) fn new(
        scheduled_time: Timestamp,
        zone: &TimeZone,
        run: RecordedRun,
        reason: RunReason,
    ) -> Self {
        OffScheduleRun {
            scheduled_time,
            local_time: local_time(scheduled_time, zone),
            run,
            reason,
        }
    }

    /// Another Job of a run.
    pub(super) fn second(scheduled_time: Timestamp, zone: &TimeZone, run: RecordedRun) -> Self {
        OffScheduleRun::new(scheduled_time, zone, run, RunReason::second())
    }
}

fn as_known<S: Serializer>(run: &RecordedRun, serializer: S) -> Result<S::Ok, S::Error> {
    let result = run.known_result();
    let known = RecordedRun {
        result,
        ..run.clone()
    };
    known.serialize(serializer)
}

impl RecordedRun {
    pub(super) fn of_event_job(facts: &Facts<'_>, event_job: &EventJob) -> Self {
        let (created, finished) = (event_job.created, event_job.finished);
        RecordedRun {
            job_name: event_job.job_name.clone(),
            started_at: created,
            finished_at: finished,
            result: event_job.result.map(RunResult::from),
            ending_since: None,
            awaited: None,
            delay_seconds: seconds_between(Some(event_job.scheduled_time), created),
            duration_seconds: seconds_between(created, finished).map(|seconds| seconds.max(0)),
            phases: None,
            template: None,
            images: None,
            has_new_template: false,
            exit_code: None,
            source: None,
            job_uid: None,
            silence: None,
            failure: None,
            removed: Some(event_job.removed),
            is_unsuccessful: event_job.result.is_none()
                && event_job.is_over()
                && facts.cannot_have_succeeded(event_job.scheduled_time),
            backfilled: false,
        }
    }

    /// A run that a recorder stored, if it has a Job. One that was running then, and whose Job is gone, has ended.
    pub fn of_stored(stored: &StoredRun) -> Option<Self> {
        let (started_at, finished_at) = (stored.started_at, stored.finished_at);
        let backfilled = stored.status == Some(RunStatus::Backfilled);
        let by_controller = stored.kind != RunKind::Manual && !backfilled;
        let scheduled_time = Some(stored.at).filter(|_| by_controller);
        Some(RecordedRun {
            job_name: stored.job_name.clone()?,
            started_at,
            finished_at,
            result: stored.result.filter(|result| *result != RunResult::Running),
            ending_since: None,
            awaited: None,
            delay_seconds: seconds_between(scheduled_time, started_at),
            duration_seconds: seconds_between(started_at, finished_at)
                .map(|seconds| seconds.max(0)),
            phases: stored.phases,
            template: stored.template.clone(),
            images: stored.images.clone(),
            has_new_template: false,
            exit_code: stored.exit_code,
            source: Some(RunSource::Recorder),
            job_uid: stored.job_uid.clone(),
            silence: None,
            failure: None,
            removed: None,
            is_unsuccessful: false,
            backfilled,
        })
    }

    pub fn of(facts: &Facts<'_>, run: &PastRun<'_>) -> Self {
        let decided = run.job.decided_result();
        let result = decided.map_or(RunResult::Running, RunResult::from);
        let verdict = run.job.verdict().map(|(_, condition)| condition);
        RecordedRun {
            job_name: run.job.name.clone(),
            started_at: run.job.creation_timestamp,
            finished_at: run.finished_at(),
            result: Some(result),
            ending_since: verdict.and_then(|verdict| verdict.last_transition_time),
            awaited: facts.what_it_awaits(run.job),
            delay_seconds: scheduled_time(run).and(run.delay_seconds()),
            duration_seconds: run.duration_seconds(),
            phases: facts.input.phases(run.job),
            template: run.job.template.clone(),
            images: facts.input.image_digests(run.job),
            has_new_template: false,
            exit_code: None,
            source: None,
            job_uid: Some(run.job.uid.clone()).filter(|uid| !uid.is_empty()),
            silence: facts.silence_of(run.job).map(RunReason::silent),
            failure: failure_reason(facts, run),
            removed: None,
            is_unsuccessful: false,
            backfilled: run.backfilled,
        }
    }
}

impl RecordedRun {
    pub(crate) fn job(&self) -> JobIdentity<'_> {
        JobIdentity {
            name: &self.job_name,
            uid: self.job_uid.as_deref(),
            created: self.started_at,
        }
    }

    /// The result that is shown: none while its node does not respond, or nothing of its Job runs yet.
    pub fn known_result(&self) -> Option<RunResult> {
        self.result
            .filter(|_| self.silence.is_none() && self.awaited.is_none())
    }
}

fn seconds_between(from: Option<Timestamp>, to: Option<Timestamp>) -> Option<i64> {
    Some(to?.as_second() - from?.as_second())
}

/// The scheduled time of a run; `None` for a manually created Job.
pub(super) fn scheduled_time(run: &PastRun<'_>) -> Option<Timestamp> {
    run.scheduled_time
        .filter(|_| run.controlled && !run.is_manual())
}

/// The scheduled time that the controller started a run for.
pub(super) fn started_time(run: &PastRun<'_>) -> Option<Timestamp> {
    run.scheduled_time.filter(|_| run.is_by_controller())
}
