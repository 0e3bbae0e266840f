//! What the controller would do, as data.

use std::collections::HashSet;

use jiff::Timestamp;
use serde::Serialize;

use super::behavior::{Behavior, NameTaken};
use super::unmet::MissedClass;
use kube_model::CronJob;

/// What the controller would do if it synced a `CronJob` at a given time, and the consequences.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Decision {
    /// What the controller does.
    pub outcome: Outcome,
    /// The scheduled time of the run that it starts, or would start if `outcome` did not prevent it.
    pub scheduled_time: Option<Timestamp>,
    /// The name of the Job for that run.
    pub job_name: Option<String>,
    /// The value of the Job's annotation `batch.kubernetes.io/cronjob-scheduled-timestamp`, in versions
    /// that set it.
    pub scheduled_timestamp: Option<String>,
    /// The running Jobs that it deletes first.
    pub deleted_jobs: Vec<String>,
    /// The events that it records, in order.
    pub events: Vec<RecordedEvent>,
    /// The conditions that the controller sets in the status, in order. Those inside Kubernetes
    /// have none.
    #[serde(skip)]
    pub conditions: Vec<StatusCondition>,
    /// After how many nanoseconds the controller syncs again without a change; the past is possible, and
    /// `None` means never.
    #[serde(skip)]
    pub requeue_after: Option<i64>,
    /// When it syncs again if nothing changes; null if it does not. In some versions this is in the past.
    pub wakes_at: Option<Timestamp>,
    /// Whether the status is written.
    #[serde(skip)]
    pub updates_status: bool,
    /// The status of the `CronJob` afterwards.
    pub status_after: StatusAfter,
    /// The error that the sync ends with; the controller then retries with back-off.
    pub error: Option<String>,
    /// The checks, in order.
    pub steps: Vec<DecisionStep>,
    /// How many missed starts it found, where it counted them.
    #[serde(skip)]
    pub missed: Option<Missed>,
}

impl Decision {
    /// Whether it starts a Job, be it in the place of another.
    pub fn starts(&self) -> bool {
        matches!(self.outcome, Outcome::Start | Outcome::Replace)
    }

    /// Whether the sync fails, so that it is repeated: the API server rejects the lookup of the Job that the controller
    /// tries to adopt, for example.
    pub fn fails(&self, behavior: &Behavior) -> bool {
        let is_refused =
            self.outcome == Outcome::NameTaken && behavior.name_taken == NameTaken::MeansToAdopt;
        self.error.is_some() || is_refused
    }

    /// The running Jobs that it replaces, and not the finished ones that it deletes, too.
    pub fn replaced(&self, cron_job: &CronJob) -> Vec<String> {
        let active = cron_job.status.active.iter();
        let active: HashSet<&str> = active.map(|active| active.name.as_str()).collect();
        let is_running = |job: &&String| active.contains(job.as_str());
        let running = self.deleted_jobs.iter().filter(is_running);
        running.cloned().collect()
    }

    /// Notes that the Jobs it went by are those in `status.active`, which may have finished.
    pub fn jobs_were_not_read(&mut self, active: usize) {
        for step in self.steps.iter_mut().filter(|step| step.check == "Jobs") {
            step.verdict = Verdict::Note;
            step.detail = format!("not read; {active} in status.active may still be running");
        }
    }
}

string_enum! {
    /// What the controller would do.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum Outcome {
        /// It starts a Job.
        Start = "start",
        /// It deletes the running Jobs and starts one.
        Replace = "replace",
        /// No scheduled time is due.
        Wait = "wait",
        /// `spec.suspend` is set.
        Suspended = "suspended",
        /// The `CronJob` is being deleted.
        Deleted = "deleted",
        /// The time zone is unknown.
        UnknownTimeZone = "unknownTimeZone",
        /// The schedule cannot be parsed.
        UnparseableSchedule = "unparseableSchedule",
        /// The schedule never runs.
        InvalidSchedule = "invalidSchedule",
        /// The run was already started.
        AlreadyProcessed = "alreadyProcessed",
        /// A Job is active under `concurrencyPolicy: Forbid`. Or, with the controller of the kubebuilder
        /// book, more Jobs are active than the status can list.
        Blocked = "blocked",
        /// The run is later than `startingDeadlineSeconds` allows.
        DeadlineExceeded = "deadlineExceeded",
        /// More than 100 runs were missed, and this version gives up.
        TooManyMissed = "tooManyMissed",
        /// Runs were missed, and this version finds none of them.
        NoRunFound = "noRunFound",
        /// A Job with that name already exists.
        NameTaken = "nameTaken",
        /// The search for the next run never ends.
        Hangs = "hangs",
        /// The parser panics, which crashes the controller manager.
        Panics = "panics",
    }
}

impl Outcome {
    /// The outcome for people, in a table or in parentheses.
    pub fn in_words(self) -> &'static str {
        match self {
            Outcome::Start => "starts",
            Outcome::Replace => "replaces the running Job",
            Outcome::Wait => "no run is due",
            Outcome::Suspended => "suspended",
            Outcome::Deleted => "being deleted",
            Outcome::UnknownTimeZone => "unknown time zone",
            Outcome::UnparseableSchedule => "schedule cannot be parsed",
            Outcome::InvalidSchedule => "schedule never runs",
            Outcome::AlreadyProcessed => "already started",
            Outcome::Blocked => "blocked",
            Outcome::DeadlineExceeded => "past its deadline",
            Outcome::TooManyMissed => "too many missed runs",
            Outcome::NoRunFound => "finds no missed run",
            Outcome::NameTaken => "Job name is taken",
            Outcome::Hangs => "hangs",
            Outcome::Panics => "crashes",
        }
    }
}

/// An event that the controller records.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "Event")
)]
pub struct RecordedEvent {
    /// The event type.
    pub r#type: EventType,
    /// The reason.
    pub reason: &'static str,
    /// The message, as that version of Kubernetes writes it.
    pub message: String,
}

string_enum! {
    /// How serious an event is.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum EventType {
        /// For information.
        Normal = "Normal",
        /// Something went wrong.
        Warning = "Warning",
    }
}

/// A condition that the controller sets in the status.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatusCondition {
    /// What it is about.
    pub r#type: &'static str,
    /// `True` or `False`.
    pub status: &'static str,
    pub reason: &'static str,
    pub message: String,
}

/// The status after a sync.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "Status")
)]
#[serde(rename_all = "camelCase")]
pub struct StatusAfter {
    /// The names of the Jobs in `status.active`.
    pub active: Vec<String>,
    /// `status.lastScheduleTime`
    pub last_schedule_time: Option<Timestamp>,
    /// `status.lastSuccessfulTime`
    pub last_successful_time: Option<Timestamp>,
}

/// One check of the controller.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "Step")
)]
pub struct DecisionStep {
    /// What is checked.
    pub check: &'static str,
    /// Whether the controller continues.
    pub verdict: Verdict,
    /// The result.
    pub detail: String,
}

string_enum! {
    /// The result of a check.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Verdict {
        /// The controller continues.
        Pass = "pass",
        /// The controller stops here.
        Stop = "stop",
        /// The controller continues, and the detail is worth knowing.
        Note = "note",
    }
}

/// What the controller believes to have missed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Missed {
    /// Runs scheduled after this time count.
    pub since: Option<Timestamp>,
    /// How many it believes were missed, where it computes a number.
    pub estimate: Option<i64>,
    pub class: MissedClass,
    /// The scheduled time that it found.
    pub scheduled_time: Option<Timestamp>,
}
