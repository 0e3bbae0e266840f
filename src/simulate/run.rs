//! A simulated run: what happens at a scheduled time, and why.

use std::sync::Arc;

use jiff::Timestamp;

/// What became of a slot, or of a start for what is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SimulatedRun {
    /// The time it was for.
    pub scheduled_time: Timestamp,
    /// What became of it.
    pub status: SimulatedStatus,
    /// When its Job was created.
    pub started_at: Option<Timestamp>,
    /// When its Job ended or was deleted, if that was before the end of the simulation.
    pub finished_at: Option<Timestamp>,
    /// How its Job ended.
    pub result: Option<JobEnding>,
    /// The name of its Job.
    pub job_name: Option<Arc<str>>,
    /// The Job that was deleted to make room.
    pub replaced: Option<Arc<str>>,
    /// Why it did not start in time.
    pub reason: Option<DelayReason>,
}

/// What became of a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SimulatedStatus {
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
    impl SimulatedStatus {
        Started = "started",
        Late = "late",
        Lost = "lost",
        Blocked = "blocked",
        Phantom = "phantom",
    }
}

/// How a Job ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum JobEnding {
    /// It is complete.
    Succeeded,
    /// It failed.
    Failed,
    /// It was deleted to make room for the next one.
    Replaced,
}

string_enum! {
    impl JobEnding {
        Succeeded = "succeeded",
        Failed = "failed",
        Replaced = "replaced",
    }
}

/// Why a slot did not start in time, or not at all.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DelayReason {
    /// What kept it from starting at its time.
    pub cause: DelayCause,
    /// What became of it then.
    pub outcome: DelayOutcome,
    /// The event that told so; without one it happened silently.
    pub event: Option<&'static str>,
}

/// What kept a slot from starting at its time.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum DelayCause {
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
    BeforeStart,
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
    impl DelayCause {
        Outage = "outage",
        Suspended = "suspended",
        Forbid = "forbid",
        Deadline = "deadline",
        Arithmetic = "arithmetic",
        TooMany = "tooMany",
        NameTaken = "nameTaken",
        NotAwake = "notAwake",
        ScheduleChanged = "scheduleChanged",
        BeforeStart = "before",
        Hangs = "hangs",
        Panics = "panics",
        NoSchedule = "noSchedule",
        StatusRefused = "statusRefused",
        Deleted = "deleted",
    }
}

/// What became of a slot that did not start at its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DelayOutcome {
    /// It was started late.
    StartedLate,
    /// A later slot was started instead.
    Superseded(Timestamp),
    /// When the controller looked, it was older than the deadline allows.
    PastDeadline,
    /// When the controller looked, its estimate found no slot.
    NotFound,
    /// When the controller looked, more than 100 were missed, and it gave up.
    Refused,
    /// Nothing had been decided at the end of the simulation.
    Undecided,
}

impl SimulatedRun {
    /// Why it did not start in time, or what else is remarkable about it. `shown` writes a moment.
    pub fn reason(&self, shown: &dyn Fn(Timestamp) -> String) -> Option<String> {
        if self.status == SimulatedStatus::Phantom {
            return Some(
                "no time of the schedule: this release reckons as if all gaps were equal"
                    .to_owned(),
            );
        }
        let reason = self.reason.as_ref()?;
        Some(match self.started_at {
            Some(started) => waited(&reason.cause, &shown(started)),
            None => format!(
                "{}{}",
                kept(&reason.cause),
                then(&reason.cause, reason.outcome, shown)
            ),
        })
    }
}

/// Why it started late.
fn waited(cause: &DelayCause, started: &str) -> String {
    match cause {
        DelayCause::Outage => format!("the controller was down until {started}"),
        DelayCause::Suspended => format!("it was suspended until {started}"),
        DelayCause::Forbid(job) => format!("it waited until {job} had ended, since the policy is Forbid"),
        DelayCause::ScheduleChanged => {
            "the schedule was changed after this time, and the new one is measured from the last start".to_owned()
        }
        DelayCause::BeforeStart => "missed before the simulation began".to_owned(),
        DelayCause::NotAwake => "nothing made the controller look earlier".to_owned(),
        other => kept(other),
    }
}

/// What kept it from starting.
fn kept(cause: &DelayCause) -> String {
    match cause {
        DelayCause::Outage => "the controller was down".to_owned(),
        DelayCause::Suspended => "it was suspended".to_owned(),
        DelayCause::Forbid(job) => format!("{job} was running, and the policy is Forbid"),
        DelayCause::Deadline => {
            "it was older than startingDeadlineSeconds when the controller looked".to_owned()
        }
        DelayCause::Arithmetic => "the estimate of this release found no slot".to_owned(),
        DelayCause::TooMany => {
            "more than 100 starts were missed, and this release starts nothing then".to_owned()
        }
        DelayCause::NameTaken => "there was a Job of its name".to_owned(),
        DelayCause::NotAwake => "nothing made the controller look at its time".to_owned(),
        DelayCause::ScheduleChanged => "the schedule was changed".to_owned(),
        DelayCause::BeforeStart => "it was before the simulation began".to_owned(),
        DelayCause::Hangs => "the controller's search for the slot never ends".to_owned(),
        DelayCause::Panics => "the controller's parser panics".to_owned(),
        DelayCause::NoSchedule => "the controller cannot use the schedule".to_owned(),
        DelayCause::StatusRefused => {
            "so many Jobs ran that the status could not list them".to_owned()
        }
        DelayCause::Deleted => "the CronJob was being deleted".to_owned(),
    }
}

/// What became of it then.
fn then(cause: &DelayCause, outcome: DelayOutcome, shown: &dyn Fn(Timestamp) -> String) -> String {
    match (outcome, cause) {
        (DelayOutcome::Superseded(scheduled_time), _) => {
            format!(
                "; then the run of {} was started instead",
                shown(scheduled_time)
            )
        }
        (DelayOutcome::PastDeadline, DelayCause::Deadline)
        | (DelayOutcome::NotFound, DelayCause::Arithmetic)
        | (DelayOutcome::Refused, DelayCause::TooMany)
        | (DelayOutcome::StartedLate | DelayOutcome::Undecided, _) => String::new(),
        (DelayOutcome::PastDeadline, _) => {
            "; then it was older than startingDeadlineSeconds".to_owned()
        }
        (DelayOutcome::NotFound, _) => {
            "; then the estimate of this release found no slot".to_owned()
        }
        (DelayOutcome::Refused, _) => {
            "; then more than 100 starts were missed, and this release starts nothing".to_owned()
        }
    }
}
