//! A simulated run: what happens at a scheduled time, and why.

use std::sync::Arc;

use jiff::Timestamp;

use crate::controller::MissedCause;
use kube_model::JobResult;

/// What happened at a scheduled time, or a start for a time that was not scheduled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SimulatedRun {
    pub scheduled_time: Timestamp,
    pub status: SimulatedStatus,
    pub started_at: Option<Timestamp>,
    /// When its Job finished or was deleted, if that was before the end of the simulation.
    pub finished_at: Option<Timestamp>,
    pub result: Option<JobEnding>,
    pub job_name: Option<Arc<str>>,
    pub replaced: Option<Arc<str>>,
    /// Why it did not start on time.
    pub reason: Option<DelayReason>,
}

string_enum! {
    /// What happened at a scheduled time.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum SimulatedStatus {
        /// A Job was started on time.
        Started = "started",
        Late = "late",
        Lost = "lost",
        /// No Job was started, because another one was running and the policy is Forbid.
        Blocked = "blocked",
        /// A Job was started for a time that is not scheduled.
        Phantom = "phantom",
    }
}

string_enum! {
    /// How the Job of a simulated run ended.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum JobEnding {
        Succeeded = "succeeded",
        Failed = "failed",
        /// It was deleted and replaced by the next one.
        Replaced = "replaced",
    }
}

impl From<JobResult> for JobEnding {
    fn from(result: JobResult) -> Self {
        match result {
            JobResult::Succeeded => JobEnding::Succeeded,
            JobResult::Failed => JobEnding::Failed,
        }
    }
}

/// Why a run did not start on time, or not at all.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DelayReason {
    /// Why it did not start at its scheduled time.
    pub cause: MissedCause,
    /// The Job that was running, if the cause is [`MissedCause::Forbid`].
    pub blocker: Option<Arc<str>>,
    pub outcome: DelayOutcome,
    /// The event that reported it, if any.
    pub event: Option<&'static str>,
}

impl DelayReason {
    fn blocker(&self) -> &str {
        self.blocker.as_deref().unwrap_or_default()
    }
}

/// What happened to a run that did not start at its scheduled time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DelayOutcome {
    StartedLate,
    /// A later run was started instead.
    Superseded(Timestamp),
    /// At the next sync, it was past the deadline.
    PastDeadline,
    /// At the next sync, the controller's estimate found no run to start.
    NotFound,
    /// At the next sync, more than 100 runs had been missed, and the controller gave up.
    Refused,
    /// It was still open at the end of the simulation.
    Undecided,
}

impl SimulatedRun {
    /// Whether the `CronJob` was suspended at its scheduled time.
    pub fn is_suspended(&self) -> bool {
        let reason = self.reason.as_ref();
        reason.is_some_and(|reason| reason.cause == MissedCause::Suspended)
    }

    /// Why it did not start on time, or why it started at all. `shown` formats a time.
    pub fn reason(&self, shown: &dyn Fn(Timestamp) -> String) -> Option<String> {
        if self.status == SimulatedStatus::Phantom {
            let why = "not a scheduled time: this version estimates as if all intervals were equal";
            return Some(why.to_owned());
        }
        let reason = self.reason.as_ref()?;
        Some(match self.started_at {
            Some(started) => started_late(reason, &shown(started)),
            None => not_started(reason) + &later(reason.cause, reason.outcome, shown),
        })
    }
}

fn started_late(reason: &DelayReason, started: &str) -> String {
    let blocker = reason.blocker();
    let why: &str = match reason.cause {
        MissedCause::Outage => &format!("the controller was down until {started}"),
        MissedCause::Suspended => &format!("suspended until {started}"),
        MissedCause::Forbid => {
            &format!("waited for {blocker} to finish (concurrencyPolicy: Forbid)")
        }
        MissedCause::ScheduleChanged => {
            "it became a scheduled time only afterwards, and the controller counts from the last start"
        }
        MissedCause::BeforeStart => "missed before the simulation began",
        MissedCause::NotAwake => "nothing triggered an earlier sync",
        _ => &not_started(reason),
    };
    why.to_owned()
}

/// Why it did not start at its scheduled time.
fn not_started(reason: &DelayReason) -> String {
    let blocker = reason.blocker();
    let why: &str = match reason.cause {
        MissedCause::Outage => "the controller was down",
        MissedCause::Suspended => "suspended",
        MissedCause::Forbid => &format!("{blocker} was running (concurrencyPolicy: Forbid)"),
        MissedCause::Deadline => "past startingDeadlineSeconds when the controller synced",
        MissedCause::Arithmetic => "this version's estimate found no run to start",
        MissedCause::TooMany => STARTS_NOTHING,
        MissedCause::NameTaken => "a Job with its name already existed",
        MissedCause::NotAwake => "nothing triggered a sync at that time",
        MissedCause::ScheduleChanged => "the schedule was changed",
        MissedCause::BeforeStart => "before the simulation began",
        MissedCause::Hangs => "the controller's search for the scheduled time never ends",
        MissedCause::Panics => "the controller's parser panics",
        MissedCause::NoSchedule => "the controller cannot use the schedule",
        MissedCause::StatusRefused => "too many Jobs were running for status.active to list them",
        MissedCause::Deleted => "the CronJob was being deleted",
        // These need evidence from a cluster.
        MissedCause::CreationFailed
        | MissedCause::ScheduleEdited
        | MissedCause::Due
        | MissedCause::Backfilled
        | MissedCause::Unknown => "not started",
    };
    why.to_owned()
}

const STARTS_NOTHING: &str = "more than 100 runs were missed, and this version then starts nothing";

fn later(cause: MissedCause, outcome: DelayOutcome, shown: &dyn Fn(Timestamp) -> String) -> String {
    match (outcome, cause) {
        (DelayOutcome::Superseded(other), _) => {
            format!(
                "; the run scheduled at {} was started instead",
                shown(other)
            )
        }
        (DelayOutcome::PastDeadline, MissedCause::Deadline)
        | (DelayOutcome::NotFound, MissedCause::Arithmetic)
        | (DelayOutcome::Refused, MissedCause::TooMany)
        | (DelayOutcome::StartedLate | DelayOutcome::Undecided, _) => String::new(),
        (DelayOutcome::PastDeadline, _) => {
            "; at the next sync it was past startingDeadlineSeconds".to_owned()
        }
        (DelayOutcome::NotFound, _) => {
            "; this version's estimate then found no run to start".to_owned()
        }
        (DelayOutcome::Refused, _) => format!("; by then {STARTS_NOTHING}"),
    }
}
