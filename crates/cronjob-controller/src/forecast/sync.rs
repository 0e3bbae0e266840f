//! A coming sync: when it is, what it does, what has to hold for it, and why it is then.

use jiff::Timestamp;
use serde::Serialize;

use super::words::SyncInWords;
use super::{Edit, Failures, Forecast, PROMPT};
use crate::controller::Outcome;

/// A sync of a forecast: when it happens, and what the controller does then.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(into = "SyncInWords")]
pub struct Sync {
    /// When; `None` where that is not known.
    pub at: Option<Timestamp>,
    pub outcome: Outcome,
    /// Whether an attempt that failed before is made again.
    pub retry: bool,
    /// The scheduled time that it is about.
    pub scheduled_time: Option<Timestamp>,
    /// The name of the Job for that time.
    pub job_name: Option<String>,
    /// What has to hold for it; `None` for a fact.
    pub condition: Option<SyncCondition>,
    /// Why then, where it is not simply the schedule.
    pub because: Option<SyncReason>,
}

impl Sync {
    pub fn starts(&self) -> bool {
        matches!(self.outcome, Outcome::Start | Outcome::Replace)
    }

    /// Whether it is what happens if a Job still runs.
    pub(super) fn is_if_job_runs(&self) -> bool {
        matches!(self.condition, Some(SyncCondition::JobStillRuns { .. }))
    }

    /// Whether it is what happens if a Job has finished.
    pub(super) fn is_if_job_finishes(&self) -> bool {
        matches!(self.condition, Some(SyncCondition::JobFinishesFirst { .. }))
    }

    /// Whether its time is an estimate.
    pub fn is_estimated(&self) -> bool {
        self.condition == Some(SyncCondition::EstimatedTime)
    }

    /// `about` before a time that is estimated, and `at` before one that is known.
    pub fn at_or_about(&self) -> &'static str {
        if self.is_estimated() { "about" } else { "at" }
    }

    /// Whether it comes so long after the scheduled time that this is worth a word.
    pub fn is_late(&self) -> bool {
        let late = self.at.zip(self.scheduled_time);
        late.is_some_and(|(at, due)| at.as_second() - due.as_second() > PROMPT)
    }

    /// Whether it needs a sync before the next one that is known.
    pub(super) fn is_probably_skipped(&self) -> bool {
        matches!(
            self.condition,
            Some(SyncCondition::Unknown(Uncertainty::EarlierWakeUp(Some(_))))
        )
    }

    /// Whether attempts to start the run before may delay the same run.
    pub fn may_be_delayed_in(&self, forecast: &Forecast) -> bool {
        let delayed = SyncCondition::Unknown(Uncertainty::NameTaken);
        let mut others = forecast.syncs.iter();
        others.any(|sync| {
            sync.scheduled_time == self.scheduled_time && sync.condition.as_ref() == Some(&delayed)
        })
    }

    /// Whether the same run replaces the Job if that is still running.
    pub fn replaces_in(&self, forecast: &Forecast) -> bool {
        let mut others = forecast.syncs.iter();
        others.any(|sync| {
            sync.outcome == Outcome::Replace && sync.scheduled_time == self.scheduled_time
        })
    }
}

/// The condition for the outcome of a sync.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SyncCondition {
    /// No Job of the `CronJob` is running any more by then.
    JobFinishesFirst {
        /// The Job that runs now, or that the run before starts.
        job: String,
        /// Whether that Job is still to be started. It is then the last of all that have to finish.
        is_to_come: bool,
        /// By when, where it is too late afterwards.
        before: Option<Timestamp>,
        /// Whether that is likely, going by how long earlier runs took.
        likely: Option<bool>,
    },
    /// The Job is still running then.
    JobStillRuns {
        job: String,
        /// Whether that is likely, going by how long earlier runs took.
        likely: Option<bool>,
    },
    /// The API server accepts the Job this time.
    CreationSucceeds,
    /// The controller syncs before the run is too late.
    SyncsInTime {
        /// `startingDeadlineSeconds`.
        deadline: i64,
        before: Timestamp,
    },
    EstimatedTime,
    Unknown(Uncertainty),
}

impl SyncCondition {
    /// By when it has to hold.
    pub fn until(&self) -> Option<Timestamp> {
        match self {
            SyncCondition::JobFinishesFirst { before, .. } => *before,
            SyncCondition::SyncsInTime { before, .. } => Some(*before),
            _ => None,
        }
    }

    pub fn likely(&self) -> Option<bool> {
        match self {
            SyncCondition::JobFinishesFirst { likely, .. }
            | SyncCondition::JobStillRuns { likely, .. } => *likely,
            _ => None,
        }
    }

    /// The Job that it is about.
    pub fn job(&self) -> Option<&str> {
        match self {
            SyncCondition::JobFinishesFirst { job, .. }
            | SyncCondition::JobStillRuns { job, .. } => Some(job),
            _ => None,
        }
    }
}

string_enum! {
    impl pub SyncCondition {
        JobFinishesFirst = "jobFinishesFirst",
        JobStillRuns = "jobStillRuns",
        CreationSucceeds = "creationSucceeds",
        SyncsInTime = "syncsInTime",
        EstimatedTime = "estimatedTime",
        Unknown = "unknown",
    }
}

/// Why the time of a sync is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Uncertainty {
    /// The run is overdue, and nothing explains it.
    Overdue,
    /// The controller starts nothing anywhere: it has to run by then.
    ControllerDown,
    /// The evidence ends at a moment before the run was due.
    EvidenceEnds(Timestamp),
    /// The wake-up of the schedule before the edit is still queued; when it comes is not known. That of the new
    /// one comes at this moment, and is about a later run.
    EarlierWakeUp(Option<Timestamp>),
    /// Creating Jobs failed, and what is known of the attempts does not show when the next one is made.
    BackOff,
    /// A Job has, or may have, the name of the run before, and since when the controller has tried to start that run in
    /// vain is not known: the attempts delay what follows.
    NameTaken,
    /// It is some seconds late: the controller may be busy, or the spec was edited.
    Late,
    /// Jobs were not read: whether those in `status.active` still run is not known.
    JobsNotRead,
    /// Its times count from the deadline before each sync, so that a run that is blocked before moves it.
    TimesMove,
}

/// Why a sync comes when it comes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SyncReason {
    /// The schedule was edited, and the wake-up of the earlier one comes first.
    Edited(Edit),
    BackOff(Failures),
    /// A Job of that name exists, and each attempt fails.
    NameTaken {
        job: String,
    },
    /// Nothing shows why the run was not started. If attempts have failed, the next one is due then.
    MayBeRepeated {
        at: Timestamp,
    },
    /// The Job that blocks it finishes.
    JobFinished {
        job: String,
    },
    /// The scheduled time is older than `startingDeadlineSeconds` allows.
    TooLate {
        deadline: i64,
    },
}
