//! What the controller will do if nothing changes.
//!
//! The controller is run forward from the state as it was found, with its queue as the evidence
//! shows it: the wake-up of the schedule, that of an earlier schedule after an edit, or the back-off
//! after failed attempts. What depends on something that cannot be known, such as when a Job ends, is
//! conditional.

mod doubts;
mod edit;
mod forward;
mod pace;
mod retry;
mod run;
mod sync;
mod words;

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use kube_cron::Timetable;

use crate::controller::{Controller, Decision, Outcome};
use doubts::DOUBTS;
pub use edit::Edit;
use forward::Forward;
use kube_model::{CronJob, Event, Job};
pub(crate) use retry::Failures;
use retry::PendingRetry;
pub use sync::{Sync, SyncCondition, SyncReason, Uncertainty};
pub use words::SyncInWords;

/// What a forecast starts from: a `CronJob`, what is known about it, and the next sync.
pub struct Situation<'a> {
    pub controller: &'a Controller,
    /// The `CronJob`.
    pub cron_job: &'a CronJob,
    pub jobs: &'a [Job],
    /// The events about the `CronJob` itself.
    pub events: &'a [&'a Event],
    pub now: Timestamp,
    pub as_of: Timestamp,
    /// Whether Jobs were read; otherwise `jobs` are those in `status.active`.
    pub jobs_read: bool,
    /// What the controller would do if it synced now.
    pub decision: &'a Decision,
    /// The schedule in its zone, if it can be read.
    pub timetable: Option<&'a Timetable>,
    /// How long a run usually takes, in seconds.
    pub usual_seconds: Option<i64>,
    /// Whether a quota allows no other Job.
    pub quota_is_full: bool,
    /// How late starts are because others are due at the same time, in seconds, as far as that is known.
    pub longest_delay: i64,
    /// Whether something makes the controller sync now.
    pub syncs_now: bool,
    /// Whether the controller starts nothing anywhere.
    pub controller_is_down: bool,
    /// When a run was due first since the controller last did anything, if that is a minute ago.
    pub passed_over_since: Option<Timestamp>,
}

/// The coming syncs that do something, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Forecast {
    pub syncs: Vec<Sync>,
    /// The moment that they are predicted at.
    now: Timestamp,
    /// The time zone for times in sentences, and its name.
    zone: Option<(TimeZone, String)>,
}

string_enum! {
    /// What to expect of the next run, in short.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum NextState {
        /// It starts.
        Start = "start",
        /// It starts if the running Job has finished by then, which is likely.
        StartIfFinished = "startIfFinished",
        /// A running Job blocks it.
        Blocked = "blocked",
        /// An attempt that failed before is made again.
        Retry = "retry",
        /// It starts when an earlier wake-up comes.
        Waiting = "waiting",
        /// It is overdue.
        Overdue = "overdue",
    }
}

impl Forecast {
    /// The next sync that creates a Job, if any does.
    pub fn next_start(&self) -> Option<&Sync> {
        self.syncs.iter().find(|sync| sync.starts())
    }

    /// When a run that waits for a Job can no longer start, if nothing else is due by then.
    pub fn waits_until(&self) -> Option<Timestamp> {
        let waiting = self.syncs.first().filter(|sync| sync.at.is_none())?;
        let until = waiting.condition.as_ref()?.until()?;
        let wake = self.syncs.iter().find_map(|sync| sync.at);
        wake.is_none_or(|wake| until < wake).then_some(until)
    }

    /// What to expect of the next run, and when, as far as that is known; `None` if nothing will start
    /// until something is changed.
    pub fn next(&self) -> Option<(NextState, Option<Timestamp>)> {
        let mut starts = self.syncs.iter().filter(|sync| sync.starts());
        let next = starts.find(|sync| !sync.is_probably_skipped())?;
        let at = next.at;
        let scheduled = next.scheduled_time.filter(|_| at.is_some());
        Some(match (&next.condition, &next.because) {
            (Some(SyncCondition::JobFinishesFirst { .. }), _) if next.replaces_in(self) => {
                (NextState::Start, scheduled)
            }
            (Some(SyncCondition::JobFinishesFirst { likely, .. }), _) => {
                if at.is_some() && *likely != Some(false) {
                    (NextState::StartIfFinished, scheduled)
                } else {
                    (NextState::Blocked, None)
                }
            }
            (Some(SyncCondition::Unknown(Uncertainty::Overdue)), _) => (NextState::Overdue, None),
            (Some(SyncCondition::Unknown(Uncertainty::ControllerDown)), _) => match scheduled {
                Some(_) => (NextState::Start, scheduled),
                None => (NextState::Overdue, None),
            },
            (_, Some(SyncReason::Edited(_))) => (NextState::Waiting, at),
            _ if next.retry => (NextState::Retry, at),
            (Some(SyncCondition::EstimatedTime), _) if self.is_after_failure(next) => {
                (NextState::Retry, at)
            }
            (Some(SyncCondition::EstimatedTime), _) if next.is_late() => (NextState::Start, at),
            (None, _) if next.is_late() && at > Some(self.now) => (NextState::Start, at),
            _ => (NextState::Start, scheduled),
        })
    }

    /// The syncs until a day from `now`, and in any case the next run and the sync after it.
    pub fn within_a_day(self, now: Timestamp) -> Vec<Sync> {
        let horizon = now.checked_add(DAY).unwrap_or(Timestamp::MAX);
        let next = self.syncs.iter().position(Sync::starts).unwrap_or_default();
        let syncs = self.syncs.into_iter().enumerate();
        let shown = syncs.take_while(|(index, sync)| {
            *index <= next + 1 || sync.at.is_none_or(|at| at <= horizon)
        });
        shown.map(|(_, sync)| sync).collect()
    }

    /// Whether the attempts before a sync fail because of a name that is taken.
    fn is_after_failure(&self, next: &Sync) -> bool {
        let mut before = self.syncs.iter().take_while(|sync| *sync != next);
        before.any(|sync| sync.outcome == Outcome::NameTaken)
    }
}

/// What is further ahead is left out of explanations, except for the next run.
const DAY: SignedDuration = SignedDuration::from_hours(24);
/// A start that is late by no more than this needs no explanation.
const PROMPT: i64 = 10;
/// The controller wakes up a little after the scheduled time.
const AFTER_SCHEDULED: SignedDuration = SignedDuration::from_millis(100);

/// What the controller will do next, up to a number of runs.
pub fn forecast(situation: &Situation<'_>, runs: usize) -> Forecast {
    let forward = Forward { situation, runs };
    let retry = PendingRetry::of(situation).filter(|_| !situation.controller_is_down);
    let mut syncs = match retry {
        Some(PendingRetry::At(failures)) => forward.after_failures(&failures),
        Some(PendingRetry::SomeTime) => forward.at_some_time(),
        None => forward.after_decision(),
    };
    for doubt in DOUBTS {
        doubt(situation, &mut syncs);
    }
    let zone = situation.controller.display_zone_of(situation.timetable);
    Forecast {
        syncs,
        now: situation.now,
        zone: Some((zone.time_zone().clone(), zone.name().to_owned())),
    }
}

fn seconds(seconds: i64) -> SignedDuration {
    SignedDuration::from_secs(seconds)
}
