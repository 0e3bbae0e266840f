//! What the controller would do, as data.

use jiff::Timestamp;

use super::unmet::Class;

/// What the controller would do if it synced a `CronJob` now, and what that leads to.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision {
    /// In one word.
    pub outcome: Outcome,
    /// The scheduled time that is started, or would be but for what `outcome` says.
    pub scheduled_time: Option<Timestamp>,
    /// The name of the Job for that time.
    pub job_name: Option<String>,
    /// The annotation that tells the Job its scheduled time, in the releases that have it.
    pub scheduled_timestamp: Option<String>,
    /// The Jobs that are deleted, in order.
    pub deleted_jobs: Vec<String>,
    /// The events that are recorded, in order.
    pub events: Vec<RecordedEvent>,
    /// The conditions that the controller sets in the status, in order. Those inside Kubernetes
    /// have none.
    pub conditions: Vec<Condition>,
    /// In how many nanoseconds the controller syncs again by itself; the past is possible, and
    /// `None` means never.
    pub requeue_after: Option<i64>,
    /// Whether the status is written.
    pub updates_status: bool,
    /// The status afterwards.
    pub status_after: StatusAfter,
    /// The error that the sync ends with; the controller then tries again, later and later.
    pub error: Option<String>,
    /// The controller's own steps.
    pub steps: Vec<Step>,
    /// What it found out about missed starts, where it came to that.
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

/// What the controller would do, in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// It starts a Job.
    Start,
    /// It deletes the running Jobs and starts one.
    Replace,
    /// No scheduled time is due.
    Wait,
    /// `spec.suspend` is set.
    Suspended,
    /// The `CronJob` is being deleted.
    Deleted,
    /// The time zone is not known.
    UnknownTimeZone,
    /// The schedule cannot be read.
    UnparseableSchedule,
    /// The schedule never runs.
    InvalidSchedule,
    /// The scheduled time was started before.
    AlreadyProcessed,
    /// A Job is running, and the policy is Forbid. Or, with the kubebuilder book's controller, so
    /// many run that the status cannot list them.
    Blocked,
    /// The scheduled time is older than the deadline allows.
    DeadlineExceeded,
    /// More than 100 scheduled times were missed, and this release gives up.
    TooManyMissed,
    /// Scheduled times were missed, and this release finds none of them.
    NoSlotFound,
    /// There is a Job of that name already.
    NameTaken,
    /// The search for the scheduled time never ends.
    Hangs,
    /// The parser panics, and the controller manager with it.
    Panics,
}

impl Outcome {
    /// The word for it in documents.
    pub fn as_str(self) -> &'static str {
        match self {
            Outcome::Start => "start",
            Outcome::Replace => "replace",
            Outcome::Wait => "wait",
            Outcome::Suspended => "suspended",
            Outcome::Deleted => "deleted",
            Outcome::UnknownTimeZone => "unknownTimeZone",
            Outcome::UnparseableSchedule => "unparseableSchedule",
            Outcome::InvalidSchedule => "invalidSchedule",
            Outcome::AlreadyProcessed => "alreadyProcessed",
            Outcome::Blocked => "blocked",
            Outcome::DeadlineExceeded => "deadlineExceeded",
            Outcome::TooManyMissed => "tooManyMissed",
            Outcome::NoSlotFound => "noSlotFound",
            Outcome::NameTaken => "nameTaken",
            Outcome::Hangs => "hangs",
            Outcome::Panics => "panics",
        }
    }
}

/// An event that the controller records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedEvent {
    /// Whether it is a warning.
    pub warning: bool,
    /// The reason, in one word.
    pub reason: &'static str,
    /// The message, in that release's own words.
    pub message: String,
}

impl RecordedEvent {
    /// `Normal` or `Warning`.
    pub fn kind(&self) -> &'static str {
        if self.warning { "Warning" } else { "Normal" }
    }
}

/// A condition that the controller sets in the status.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// What it is about.
    pub r#type: &'static str,
    /// `True` or `False`.
    pub status: &'static str,
    /// The reason, in one word.
    pub reason: &'static str,
    /// The message.
    pub message: String,
}

/// The status after the sync.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StatusAfter {
    /// The names of the Jobs that count as running.
    pub active: Vec<String>,
    /// The last scheduled time that was started.
    pub last_schedule_time: Option<Timestamp>,
    /// When a Job last succeeded.
    pub last_successful_time: Option<Timestamp>,
}

/// One of the controller's own steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// What is checked.
    pub check: &'static str,
    /// What comes of it.
    pub verdict: Verdict,
    /// With which values.
    pub detail: String,
}

/// What comes of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The controller goes on.
    Pass,
    /// The controller stops here.
    Stop,
    /// The controller goes on, and something is worth knowing.
    Note,
}

impl Verdict {
    /// The word for it in documents.
    pub fn as_str(self) -> &'static str {
        match self {
            Verdict::Pass => "pass",
            Verdict::Stop => "stop",
            Verdict::Note => "note",
        }
    }
}

/// What the controller believes to have missed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Missed {
    /// Scheduled times after this moment count.
    pub since: Option<Timestamp>,
    /// How many it believes were missed, where it computes a number.
    pub estimate: Option<i64>,
    /// None, few or many.
    pub class: Class,
    /// The scheduled time that it found.
    pub slot: Option<Timestamp>,
}
