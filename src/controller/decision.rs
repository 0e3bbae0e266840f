//! What the controller would do, as data.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::unmet::MissedClass;

/// What the controller would do if it synced a `CronJob` at a moment, and what that leads to.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Decision {
    /// What the controller does.
    pub outcome: Outcome,
    /// The scheduled time of the run that it starts, or would start but for what `outcome` says.
    pub scheduled_time: Option<Timestamp>,
    /// The name of the Job for that scheduled time.
    pub job_name: Option<String>,
    /// The Job's annotation `batch.kubernetes.io/cronjob-scheduled-timestamp`, from those releases
    /// that write it.
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
    /// When it syncs again without a change. Null: not until something changes. In some releases this
    /// is before now.
    pub wakes_at: Option<Timestamp>,
    /// Whether the status is written.
    #[serde(skip)]
    pub updates_status: bool,
    /// The status of the `CronJob` afterwards.
    pub status_after: StatusAfter,
    /// The error that the sync ends with; the controller then retries with back-off.
    pub error: Option<String>,
    /// What it checks, in order.
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

    /// Notes that the Jobs it went by are those in `status.active`, which may have finished.
    pub fn jobs_were_not_read(&mut self, active: usize) {
        for step in self.steps.iter_mut().filter(|step| step.check == "Jobs") {
            step.verdict = Verdict::Note;
            step.detail = format!("not read; {active} in status.active may still be running");
        }
    }
}

string_enum! {
    /// What the controller would do, in one word.
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
        /// The time zone is not known.
        UnknownTimeZone = "unknownTimeZone",
        /// The schedule cannot be read.
        UnparseableSchedule = "unparseableSchedule",
        /// The schedule never runs.
        InvalidSchedule = "invalidSchedule",
        /// The scheduled time was started before.
        AlreadyProcessed = "alreadyProcessed",
        /// A Job is running, and the policy is Forbid. Or, with the kubebuilder book's controller, so
        /// many run that the status cannot list them.
        Blocked = "blocked",
        /// The scheduled time is older than the deadline allows.
        DeadlineExceeded = "deadlineExceeded",
        /// More than 100 slots were missed, and this release gives up.
        TooManyMissed = "tooManyMissed",
        /// Slots were missed, and this release finds none of them.
        NoSlotFound = "noSlotFound",
        /// There is a Job of that name already.
        NameTaken = "nameTaken",
        /// The search for the scheduled time never ends.
        Hangs = "hangs",
        /// The parser panics, and the controller manager with it.
        Panics = "panics",
    }
}

/// An event that the controller records.
#[derive(Clone, Debug, JsonSchema, PartialEq, Eq, Serialize)]
#[schemars(rename = "Event")]
pub struct RecordedEvent {
    /// How serious it is.
    pub r#type: EventType,
    /// The reason, in one word.
    pub reason: &'static str,
    /// The message, in that release's own words.
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
    /// The reason, in one word.
    pub reason: &'static str,
    /// The message.
    pub message: String,
}

/// The status after a sync.
#[derive(Clone, Debug, Default, JsonSchema, PartialEq, Eq, Serialize)]
#[schemars(rename = "Status")]
#[serde(rename_all = "camelCase")]
pub struct StatusAfter {
    /// The names of the Jobs that count as running.
    pub active: Vec<String>,
    /// `status.lastScheduleTime`
    pub last_schedule_time: Option<Timestamp>,
    /// `status.lastSuccessfulTime`
    pub last_successful_time: Option<Timestamp>,
}

/// One of the controller's own steps.
#[derive(Clone, Debug, JsonSchema, PartialEq, Eq, Serialize)]
#[schemars(rename = "Step")]
pub struct DecisionStep {
    /// What is checked.
    pub check: &'static str,
    /// Whether the controller continues.
    pub verdict: Verdict,
    /// What was found.
    pub detail: String,
}

string_enum! {
    /// What comes of a step.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Verdict {
        /// The controller goes on.
        Pass = "pass",
        /// The controller stops here.
        Stop = "stop",
        /// The controller goes on, and something is worth knowing.
        Note = "note",
    }
}

/// What the controller believes to have missed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Missed {
    /// Slots after this moment count.
    pub since: Option<Timestamp>,
    /// How many it believes were missed, where it computes a number.
    pub estimate: Option<i64>,
    /// None, few or many.
    pub class: MissedClass,
    /// The scheduled time that it found.
    pub scheduled_time: Option<Timestamp>,
}
