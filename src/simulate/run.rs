//! What became of a slot in a simulation.

use std::sync::Arc;

use jiff::Timestamp;

/// What became of a slot, or of a start for what is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// The time it was for.
    pub slot: Timestamp,
    /// What became of it.
    pub status: Status,
    /// When its Job was created.
    pub started_at: Option<Timestamp>,
    /// When its Job ended or was deleted, if that was before the end of the simulation.
    pub finished_at: Option<Timestamp>,
    /// How its Job ended.
    pub result: Option<Ending>,
    /// The name of its Job.
    pub job_name: Option<Arc<str>>,
    /// The Job that was deleted to make room.
    pub replaced: Option<Arc<str>>,
    /// Why it did not start in time.
    pub why: Option<Why>,
}

/// What became of a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    /// A Job was started for it in time.
    Started,
    /// A Job was started for it later than that.
    Late,
    /// No Job was started for it.
    Lost,
    /// No Job was started for it, because another one was running and the policy is Forbid.
    Blocked,
    /// A Job was started for a time that the schedule does not contain.
    Phantom,
}

string_enum! {
    impl Status {
        Started = "started",
        Late = "late",
        Lost = "lost",
        Blocked = "blocked",
        Phantom = "phantom",
    }
}

/// How a Job ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ending {
    /// It is complete.
    Succeeded,
    /// It failed.
    Failed,
    /// It was deleted to make room for the next one.
    Replaced,
}

string_enum! {
    impl Ending {
        Succeeded = "succeeded",
        Failed = "failed",
        Replaced = "replaced",
    }
}

/// Why a slot did not start in time, or not at all.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Why {
    /// What kept it from starting at its time.
    pub cause: Cause,
    /// What became of it then.
    pub fate: Fate,
    /// The event that told so; without one it happened silently.
    pub told: Option<&'static str>,
}

/// What kept a slot from starting at its time.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Cause {
    /// The controller was down.
    Outage,
    /// `spec.suspend` was set.
    Suspended,
    /// A Job was running, and the policy is Forbid.
    Forbid(Arc<str>),
    /// It was past the deadline when the controller looked.
    Deadline,
    /// The release's estimate did not find it.
    Arithmetic,
    /// More than 100 starts were missed, and the release gives up.
    TooMany,
    /// There was a Job of its name.
    NameTaken,
    /// The controller did not look in time.
    NotAwake,
    /// The schedule did not contain it when its time came.
    ScheduleChanged,
    /// It was before the beginning of the simulation.
    Before,
    /// The controller's search for the slot never ended.
    Hangs,
    /// The controller's parser panicked.
    Panics,
    /// The schedule or its zone cannot be read, or never runs.
    NoSchedule,
    /// So many Jobs ran that the status could not list them.
    StatusRefused,
    /// The `CronJob` was being deleted.
    Deleted,
}

string_enum! {
    impl Cause {
        Outage = "outage",
        Suspended = "suspended",
        Forbid = "forbid",
        Deadline = "deadline",
        Arithmetic = "arithmetic",
        TooMany = "tooMany",
        NameTaken = "nameTaken",
        NotAwake = "notAwake",
        ScheduleChanged = "scheduleChanged",
        Before = "before",
        Hangs = "hangs",
        Panics = "panics",
        NoSchedule = "noSchedule",
        StatusRefused = "statusRefused",
        Deleted = "deleted",
    }
}

/// What became of a slot that did not start at its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fate {
    /// It was started late.
    MadeUpFor,
    /// A later slot was started instead.
    Superseded(Timestamp),
    /// When the controller looked, it was older than the deadline allows.
    PastDeadline,
    /// When the controller looked, its estimate found no slot.
    NotFound,
    /// When the controller looked, more than 100 were missed, and it gave up.
    Refused,
    /// Nothing had been decided at the end of the simulation.
    Open,
}
