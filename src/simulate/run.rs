//! A simulated run: what happens at a scheduled time, and why.

use std::sync::Arc;

use jiff::Timestamp;

use crate::diagnose::MissedCause;

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
    impl pub SimulatedStatus {
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
    impl pub JobEnding {
        Succeeded = "succeeded",
        Failed = "failed",
        Replaced = "replaced",
    }
}

/// Why a slot did not start in time, or not at all.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DelayReason {
    /// What kept it from starting at its time.
    pub cause: MissedCause,
    /// The Job that was running, where the cause is [`MissedCause::Forbid`].
    pub blocker: Option<Arc<str>>,
    /// What became of it then.
    pub outcome: DelayOutcome,
    /// The event that told so; without one it happened silently.
    pub event: Option<&'static str>,
}

impl DelayReason {
    fn blocker(&self) -> &str {
        self.blocker.as_deref().unwrap_or_default()
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
            Some(started) => waited(reason, &shown(started)),
            None => format!(
                "{}{}",
                kept(reason),
                then(reason.cause, reason.outcome, shown)
            ),
        })
    }
}

/// Why it started late.
fn waited(reason: &DelayReason, started: &str) -> String {
    match reason.cause {
        MissedCause::Outage => format!("the controller was down until {started}"),
        MissedCause::Suspended => format!("it was suspended until {started}"),
        MissedCause::Forbid => format!("it waited until {} had ended, since the policy is Forbid", reason.blocker()),
        MissedCause::ScheduleChanged => {
            "the schedule was changed after this time, and the new one is measured from the last start".to_owned()
        }
        MissedCause::BeforeStart => "missed before the simulation began".to_owned(),
        MissedCause::NotAwake => "nothing made the controller look earlier".to_owned(),
        _ => kept(reason),
    }
}

/// What kept it from starting.
fn kept(reason: &DelayReason) -> String {
    match reason.cause {
        MissedCause::Outage => "the controller was down".to_owned(),
        MissedCause::Suspended => "it was suspended".to_owned(),
        MissedCause::Forbid => {
            format!("{} was running, and the policy is Forbid", reason.blocker())
        }
        MissedCause::Deadline => {
            "it was older than startingDeadlineSeconds when the controller looked".to_owned()
        }
        MissedCause::Arithmetic => "the estimate of this release found no slot".to_owned(),
        MissedCause::TooMany => {
            "more than 100 starts were missed, and this release starts nothing then".to_owned()
        }
        MissedCause::NameTaken => "there was a Job of its name".to_owned(),
        MissedCause::NotAwake => "nothing made the controller look at its time".to_owned(),
        MissedCause::ScheduleChanged => "the schedule was changed".to_owned(),
        MissedCause::BeforeStart => "it was before the simulation began".to_owned(),
        MissedCause::Hangs => "the controller's search for the slot never ends".to_owned(),
        MissedCause::Panics => "the controller's parser panics".to_owned(),
        MissedCause::NoSchedule => "the controller cannot use the schedule".to_owned(),
        MissedCause::StatusRefused => {
            "so many Jobs ran that the status could not list them".to_owned()
        }
        MissedCause::Deleted => "the CronJob was being deleted".to_owned(),
        // These are found in evidence only, of which a simulation has none.
        MissedCause::CreationFailed
        | MissedCause::ScheduleEdited
        | MissedCause::Due
        | MissedCause::Backfilled
        | MissedCause::Unknown => "it was not started".to_owned(),
    }
}

/// What became of it then.
fn then(cause: MissedCause, outcome: DelayOutcome, shown: &dyn Fn(Timestamp) -> String) -> String {
    match (outcome, cause) {
        (DelayOutcome::Superseded(scheduled_time), _) => {
            format!(
                "; then the run of {} was started instead",
                shown(scheduled_time)
            )
        }
        (DelayOutcome::PastDeadline, MissedCause::Deadline)
        | (DelayOutcome::NotFound, MissedCause::Arithmetic)
        | (DelayOutcome::Refused, MissedCause::TooMany)
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
