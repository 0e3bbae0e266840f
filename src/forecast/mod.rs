//! What the controller will do if nothing changes.
//!
//! The controller is run forward from the state as it was found, with its queue as the evidence
//! shows it: the wake-up of the schedule, that of an earlier schedule after an edit, or the back-off
//! after failed attempts. What depends on something that cannot be known, such as when a Job ends, is
//! conditional.

mod edit;
mod retry;
mod run;
mod words;

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

use crate::controller::{
    Controller, Decision, Generation, NameTaken, Outcome, counts_from_sync, edit_effect,
    wake_after_edit,
};
use crate::model::{ConcurrencyPolicy, CronJob, Event, Job};
use crate::schedule::Timetable;
pub(crate) use edit::Edit;
pub(crate) use retry::Failures;
use retry::PendingRetry;
use run::{ControllerRun, ForecastStep};
use serde::Serialize;
pub(crate) use words::SyncInWords;

pub(crate) struct Situation<'a> {
    pub controller: &'a Controller<'a>,
    /// The `CronJob`.
    pub cron_job: &'a CronJob,
    pub jobs: &'a [Job],
    /// The events about the `CronJob` itself.
    pub events: &'a [&'a Event],
    pub now: Timestamp,
    pub as_of: Timestamp,
    /// Whether Jobs were read; otherwise those in `status.active` stand for themselves.
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
            (_, Some(SyncReason::Edited(_))) => (NextState::Waiting, at),
            _ if next.retry => (NextState::Retry, at),
            (Some(SyncCondition::EstimatedTime), _) if self.is_after_failure(next) => {
                (NextState::Retry, at)
            }
            (Some(SyncCondition::EstimatedTime), _) if next.is_late() => (NextState::Start, at),
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

    /// Whether it comes so long after the scheduled time that this is worth a word.
    pub fn is_late(&self) -> bool {
        let late = self.at.zip(self.scheduled_time);
        late.is_some_and(|(at, due)| at.as_second() - due.as_second() > PROMPT)
    }

    /// Whether it needs a sync before the next one that is known.
    fn is_probably_skipped(&self) -> bool {
        matches!(
            self.condition,
            Some(SyncCondition::Unknown(Uncertainty::EarlierWakeUp(Some(_))))
        )
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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Uncertainty {
    /// The run is overdue, and nothing explains it.
    Overdue,
    /// The evidence ends at a moment before the run was due.
    EvidenceEnds(Timestamp),
    /// The wake-up of the schedule before the edit is still queued; when it comes is not known. That of the new
    /// one comes at this moment, and is about a later run.
    EarlierWakeUp(Option<Timestamp>),
    /// Creating Jobs failed, and what is known of the attempts does not show when the next one is made.
    BackOff,
    /// It is some seconds late: the controller may be busy, or the spec was edited.
    Late,
    /// Jobs were not read: whether those in `status.active` still run is not known.
    JobsNotRead,
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
    /// The Job that blocks it finishes.
    JobFinished {
        job: String,
    },
    /// The scheduled time is older than `startingDeadlineSeconds` allows.
    TooLate {
        deadline: i64,
    },
}

/// What is further ahead is left out of explanations, except for the next run.
const DAY: SignedDuration = SignedDuration::from_hours(24);
/// A start that is late by no more than this needs no explanation.
const PROMPT: i64 = 10;
/// A busy controller is some seconds late; after a minute something is wrong.
const OVERDUE: i64 = 60;
/// The controller wakes up a little after the scheduled time.
const AFTER_SCHEDULED: SignedDuration = SignedDuration::from_millis(100);

/// What the controller will do next, up to a number of runs.
pub(crate) fn forecast(situation: &Situation<'_>, runs: usize) -> Forecast {
    let forward = Forward { situation, runs };
    let mut syncs = match PendingRetry::of(situation) {
        Some(PendingRetry::At(failures)) => forward.after_failures(&failures),
        Some(PendingRetry::SomeTime) => forward.at_some_time(),
        None => forward.after_decision(),
    };
    let refused = situation.quota_is_full;
    for sync in syncs.iter_mut().filter(|sync| refused && sync.starts()) {
        let is_doubtful = matches!(
            sync.condition,
            Some(SyncCondition::EstimatedTime | SyncCondition::Unknown(_))
        );
        if !is_doubtful {
            // Whether a Job runs matters less than that the next one is refused.
            sync.condition = Some(SyncCondition::CreationSucceeds);
        }
    }
    let facts = syncs.iter_mut().filter(|sync| sync.condition.is_none());
    let fails = retry::last_attempt_failed(situation);
    for sync in facts.filter(|sync| sync.starts()) {
        sync.condition = if fails {
            Some(SyncCondition::CreationSucceeds)
        } else {
            syncs_in_time(situation, sync)
        };
    }
    let own = situation.timetable.and_then(Timetable::zone);
    let zone = own.unwrap_or(&situation.controller.local);
    Forecast {
        syncs,
        now: situation.now,
        zone: Some((zone.time_zone().clone(), zone.name().to_owned())),
    }
}

/// A start that a busy controller may come too late for.
fn syncs_in_time(situation: &Situation<'_>, sync: &Sync) -> Option<SyncCondition> {
    let deadline = situation.cron_job.spec.starting_deadline_seconds?;
    let before = sync.scheduled_time?.checked_add(seconds(deadline)).ok()?;
    let longest_delay = seconds(situation.longest_delay.max(PROMPT));
    (run::later(sync.at?, longest_delay) > before)
        .then_some(SyncCondition::SyncsInTime { deadline, before })
}

struct Forward<'s, 'a> {
    situation: &'s Situation<'a>,
    runs: usize,
}

impl Forward<'_, '_> {
    fn after_decision(&self) -> Vec<Sync> {
        let decision = self.situation.decision;
        match decision.outcome {
            Outcome::Suspended
            | Outcome::Deleted
            | Outcome::UnknownTimeZone
            | Outcome::UnparseableSchedule
            | Outcome::InvalidSchedule
            | Outcome::Hangs
            | Outcome::Panics => vec![Self::sync(decision, None)],
            Outcome::NameTaken => self.name_taken(),
            Outcome::Blocked => self.blocked(),
            Outcome::Start | Outcome::Replace => self.due(),
            Outcome::TooManyMissed => {
                let mut syncs = vec![Self::sync(decision, None)];
                syncs.extend(self.after_wake());
                syncs
            }
            Outcome::Wait
            | Outcome::AlreadyProcessed
            | Outcome::DeadlineExceeded
            | Outcome::NoRunFound => self.after_wake(),
        }
    }

    /// The controller has nothing to do before its next wake-up.
    fn after_wake(&self) -> Vec<Sync> {
        match self.wake() {
            Some(wake) => self.merged(&self.both(|run| run.forward(wake, self.runs))),
            None => Vec::new(),
        }
    }

    /// When the controller syncs next after a sync at this moment.
    fn wake(&self) -> Option<Timestamp> {
        let situation = self.situation;
        let Situation { decision, now, .. } = *situation;
        let queued =
            run::wake_of_queue(situation, now).filter(|_| decision.requeue_after.is_some());
        queued.or_else(|| run::next_wake(situation, situation.cron_job.anchor(), decision, now))
    }

    /// A run is due, and starts at a wake-up that counts from the sync before it: the first one from then on, or
    /// at most a period later if the controller was restarted. `None` if both are past.
    fn wake_of_due(&self) -> Option<Timestamp> {
        let situation = self.situation;
        let timetable = situation.timetable?;
        let first = timetable.next(situation.cron_job.anchor()?).ok()??;
        let wake = run::wake_of_queue(situation, first)?;
        let latest = run::later(timetable.next(first).ok()??, seconds(-1));
        let mut wakes = [wake, latest].into_iter();
        let wake = wakes.find(|wake| self.is_ahead(*wake))?;
        Some(wake.max(situation.now))
    }

    /// Whether a wake-up is still to come, or so recent that the controller may not have synced yet.
    fn is_ahead(&self, wake: Timestamp) -> bool {
        run::later(wake, seconds(PROMPT)) >= self.situation.now
    }

    fn due(&self) -> Vec<Sync> {
        let situation = self.situation;
        let decision = situation.decision;
        let Some(scheduled) = decision.scheduled_time else {
            return Vec::new();
        };
        let seconds_since = |at: Timestamp| at.as_second().saturating_sub(scheduled.as_second());
        let late = seconds_since(situation.now);
        let edit = Edit::after(situation, scheduled).filter(|_| !situation.syncs_now);
        if let Some(edit) = edit {
            return self.edited(edit);
        }
        if !situation.jobs_read && !situation.cron_job.status.active.is_empty() {
            return self.doubtful(Some(situation.now), Uncertainty::JobsNotRead);
        }
        if !situation.syncs_now
            && let Some(wake) = self.wake_of_due()
        {
            return self.merged(&self.both(|run| run.forward(wake, self.runs)));
        }
        let ends = Uncertainty::EvidenceEnds(situation.as_of);
        let is_old = situation.now.as_second() - situation.as_of.as_second() > OVERDUE;
        if late > PROMPT && situation.syncs_now && is_old {
            return self.doubtful(Some(situation.now), ends);
        }
        if late <= PROMPT || situation.syncs_now {
            return self.merged(&self.both(|run| run.sync_now(situation.now, self.runs)));
        }
        if seconds_since(situation.as_of) <= OVERDUE {
            if is_old {
                return self.doubtful(Some(situation.now), ends);
            }
            let mut syncs = self.merged(&self.both(|run| run.sync_now(situation.now, self.runs)));
            if let Some(first) = syncs.first_mut() {
                // The removal of a field leaves no trace but the generation.
                first.condition = Some(if situation.cron_job.generation == Some(1) {
                    SyncCondition::EstimatedTime
                } else {
                    SyncCondition::Unknown(Uncertainty::Late)
                });
            }
            return syncs;
        }
        self.doubtful(None, Uncertainty::Overdue)
    }

    /// The run that is due now, as far as anything can be said of it, and the runs after it.
    fn doubtful(&self, at: Option<Timestamp>, doubt: Uncertainty) -> Vec<Sync> {
        let situation = self.situation;
        let mut syncs = self.merged(&self.both(|run| run.sync_now(situation.now, self.runs)));
        let mut syncs_of_now = true;
        for sync in &mut syncs {
            syncs_of_now &= sync.at == Some(situation.now);
            if syncs_of_now {
                sync.at = at;
            }
            // An overdue run means that the controller may not be running at all.
            if syncs_of_now || doubt == Uncertainty::Overdue {
                sync.condition = Some(SyncCondition::Unknown(doubt));
            }
        }
        syncs
    }

    /// A run is due, but the schedule was edited after its scheduled time: an edit alone does not make the
    /// controller sync before the next wake-up in its queue.
    fn edited(&self, edit: Edit) -> Vec<Sync> {
        let situation = self.situation;
        let (controller, cron_job) = (situation.controller, situation.cron_job);
        let latest = wake_after_edit(controller, cron_job, edit.at);
        let before = edit.before.as_ref().filter(|_| !edit.may_have_resumed);
        let known = before.and_then(|before| {
            let mut old = cron_job.clone();
            old.spec.schedule.clone_from(&before.schedule);
            old.spec.time_zone.clone_from(&before.time_zone);
            edit_effect(controller, &old, cron_job, situation.jobs, edit.at).syncs_at
        });
        let known = known.filter(|wake| self.is_ahead(*wake));
        let first = known.or(latest).filter(|wake| self.is_ahead(*wake));
        let Some(first) = first else {
            return self.doubtful(None, Uncertainty::Overdue);
        };
        let first = first.max(situation.now);
        let mut syncs = self.merged(&self.both(|run| run.forward(first, self.runs)));
        let because = SyncReason::Edited(edit);
        if known.is_some() {
            if let Some(sync) = syncs.first_mut() {
                sync.because = Some(because);
            }
        } else {
            let mut sync = Self::sync(situation.decision, None);
            let is_later = syncs
                .first()
                .is_some_and(|next| next.scheduled_time != sync.scheduled_time);
            let before = latest.filter(|_| is_later);
            sync.condition = Some(SyncCondition::Unknown(Uncertainty::EarlierWakeUp(before)));
            sync.because = Some(because);
            if let Some(job) = &sync.job_name
                && run::jobs_matter(situation)
            {
                self.consider_pending(job, &mut syncs);
            }
            syncs.insert(0, sync);
        }
        syncs
    }

    /// A run that may start at any moment may be running when the next one is due.
    fn consider_pending(&self, job: &str, syncs: &mut Vec<Sync>) {
        let Some(next) = syncs.first_mut() else {
            return;
        };
        if next.condition.is_none() {
            next.condition = Some(SyncCondition::JobFinishesFirst {
                job: job.to_owned(),
                before: next.at,
                likely: None,
            });
        }
        if self.situation.cron_job.spec.concurrency_policy != ConcurrencyPolicy::Replace {
            return;
        }
        let replaced = Sync {
            outcome: Outcome::Replace,
            condition: Some(SyncCondition::JobStillRuns {
                job: job.to_owned(),
                likely: None,
            }),
            ..next.clone()
        };
        let is_later = |sync: &Sync| sync.at != replaced.at;
        let place = syncs.iter().position(is_later).unwrap_or(syncs.len());
        syncs.insert(place, replaced);
    }

    /// A run is due, and a running Job blocks it.
    fn blocked(&self) -> Vec<Sync> {
        let situation = self.situation;
        let decision = situation.decision;
        let Some(wake) = self.wake() else {
            return vec![Self::sync(decision, None)];
        };
        let blocker = decision.status_after.active.first();
        let deadline = situation.cron_job.spec.starting_deadline_seconds;
        // The run that waits is not among those to come.
        let (now, runs) = (situation.now, self.runs);
        let mut finished = ControllerRun::new(situation, true);
        let caught_up = finished.catch_up(now);
        let mut running = ControllerRun::new(situation, false);
        let mut syncs = Vec::new();
        if let (Some(job), Some(scheduled)) = (blocker, decision.scheduled_time) {
            let too_late =
                deadline.and_then(|deadline| scheduled.checked_add(seconds(deadline)).ok());
            let is_taken = caught_up == Some(Outcome::NameTaken);
            let is_known = !self.counts_from_deadline();
            let due = Self::sync(decision, None);
            let because = match &due.job_name {
                Some(name) if is_taken => SyncReason::NameTaken { job: name.clone() },
                _ => SyncReason::JobFinished { job: job.clone() },
            };
            syncs.push(Sync {
                outcome: if is_taken {
                    Outcome::NameTaken
                } else {
                    Outcome::Start
                },
                scheduled_time: due.scheduled_time.filter(|_| is_known),
                job_name: due.job_name.clone().filter(|_| is_known),
                condition: Some(SyncCondition::JobFinishesFirst {
                    job: job.clone(),
                    before: Some(too_late.map_or(wake, |late| late.min(wake))),
                    likely: self.likely_finished(self.since(job), wake),
                }),
                because: Some(because),
                ..due
            });
        }
        let fails = finished.failures > 0;
        let worlds = [finished.forward(wake, runs), running.forward(wake, runs)];
        let mut later = self.merged(&worlds);
        for sync in later.iter_mut().filter(|_| fails) {
            // Attempts that begin at a time that is not known delay what follows.
            if matches!(sync.condition, Some(SyncCondition::JobFinishesFirst { .. })) {
                sync.condition = Some(SyncCondition::Unknown(Uncertainty::BackOff));
            }
        }
        syncs.extend(later);
        syncs
    }

    /// A Job has the name of the one that is due.
    fn name_taken(&self) -> Vec<Sync> {
        let situation = self.situation;
        let decision = situation.decision;
        let Some(scheduled) = decision.scheduled_time else {
            return Vec::new();
        };
        let in_vain = situation.controller.behavior().name_taken == NameTaken::MeansToAdopt;
        if !in_vain && decision.error.is_none() {
            let mut syncs = vec![Self::sync(decision, None)];
            syncs.extend(self.after_wake());
            return syncs;
        }
        if let Some(edit) = Edit::after(situation, scheduled) {
            return self.name_taken_after(&edit);
        }
        let first = run::later(scheduled, AFTER_SCHEDULED);
        let written = edit::last_write_of_spec(situation.cron_job);
        let (failures, next) = retry::next_attempt(first, written, situation.now);
        let both = self.both(|run| {
            run.failures = failures;
            run.forward(next, self.runs)
        });
        let mut syncs = self.merged(&both);
        let is_in_vain = syncs.first().is_none_or(|sync| sync.at != Some(next));
        if let (true, Some(job)) = (is_in_vain, &decision.job_name) {
            let attempt = Sync {
                condition: Some(SyncCondition::EstimatedTime),
                because: Some(SyncReason::NameTaken { job: job.clone() }),
                ..Self::sync(decision, Some(next))
            };
            syncs.insert(0, attempt);
        }
        syncs
    }

    /// With the schedule as it was before, the controller may not have reached that run yet.
    fn name_taken_after(&self, edit: &Edit) -> Vec<Sync> {
        let situation = self.situation;
        let decision = situation.decision;
        let job = decision.job_name.clone().unwrap_or_default();
        let attempt = Sync {
            because: Some(SyncReason::NameTaken { job }),
            ..Self::sync(decision, None)
        };
        let mut syncs = vec![attempt];
        let wake = wake_after_edit(situation.controller, situation.cron_job, edit.at);
        if let Some(wake) = wake.filter(|wake| *wake > situation.now) {
            syncs.extend(self.merged(&self.both(|run| run.forward(wake, self.runs))));
        }
        // If it has, an attempt may delay the next run.
        for sync in syncs.iter_mut().take(2) {
            sync.condition = Some(SyncCondition::Unknown(Uncertainty::EarlierWakeUp(None)));
        }
        syncs
    }

    /// The creation of the Job failed, and is tried again with back-off.
    fn after_failures(&self, failures: &Failures) -> Vec<Sync> {
        let both = self.both(|run| run.forward(failures.next, self.runs));
        let mut syncs = self.merged(&both);
        for sync in &mut syncs {
            if sync.at == Some(failures.next) && sync.starts() {
                sync.retry = true;
                sync.because = Some(SyncReason::BackOff(failures.clone()));
                sync.condition = Some(SyncCondition::EstimatedTime);
            } else if sync.condition.is_none() {
                sync.condition = Some(SyncCondition::CreationSucceeds);
            }
        }
        syncs
    }

    /// An attempt will be made that nothing shows the time of, and scheduled times until then may pass.
    fn at_some_time(&self) -> Vec<Sync> {
        let situation = self.situation;
        let mut syncs = self.after_wake();
        for sync in &mut syncs {
            sync.condition = Some(SyncCondition::Unknown(Uncertainty::BackOff));
        }
        if situation.decision.starts() {
            let attempt = Sync {
                retry: true,
                condition: Some(SyncCondition::Unknown(Uncertainty::BackOff)),
                ..Self::sync(situation.decision, None)
            };
            syncs.insert(0, attempt);
        }
        syncs
    }

    /// What happens if every Job finishes before the next sync, and what if none ever does. Where that makes
    /// no difference the second is left out.
    fn both(
        &self,
        forward: impl Fn(&mut ControllerRun<'_, '_>) -> Vec<ForecastStep>,
    ) -> [Vec<ForecastStep>; 2] {
        let situation = self.situation;
        let finished = forward(&mut ControllerRun::new(situation, true));
        let running = if run::jobs_matter(situation) {
            forward(&mut ControllerRun::new(situation, false))
        } else {
            Vec::new()
        };
        [finished, running]
    }

    /// What is the same in both worlds is a fact; the rest is conditional.
    fn merged(&self, [finished, running]: &[Vec<ForecastStep>; 2]) -> Vec<Sync> {
        let depends = run::jobs_matter(self.situation);
        let end = finished.last().map(|step| step.at);
        let mut syncs = Vec::new();
        let mut others = running
            .iter()
            .filter(|step| end.is_none_or(|end| step.at <= end))
            .peekable();
        for step in finished {
            while let Some(other) = others.next_if(|other| other.at < step.at) {
                syncs.push(self.if_running(other, None));
            }
            let other = others.next_if(|other| other.at == step.at);
            match other {
                Some(other) if step.is_same(other) => syncs.push(self.fact(step)),
                None if !depends => syncs.push(self.fact(step)),
                other => {
                    let job = other.and_then(|other| other.active.first());
                    let job = job.or_else(|| running.last()?.active.first());
                    let likely = job.and_then(|job| self.likely_finished(job.since, step.at));
                    let job = job.map(|job| job.name.clone()).unwrap_or_default();
                    syncs.push(Sync {
                        condition: Some(SyncCondition::JobFinishesFirst {
                            job,
                            before: Some(step.at),
                            likely,
                        }),
                        ..self.fact(step)
                    });
                    if let Some(other) = other {
                        let still = self.if_running(other, likely.map(|likely| !likely));
                        // The likelier one comes first.
                        let place = syncs.len() - usize::from(likely == Some(false));
                        syncs.insert(place, still);
                    }
                }
            }
        }
        syncs.extend(others.map(|other| self.if_running(other, None)));
        syncs
    }

    fn if_running(&self, step: &ForecastStep, likely: Option<bool>) -> Sync {
        let job = step.active.first();
        let job = job.map(|job| job.name.clone()).unwrap_or_default();
        Sync {
            condition: Some(SyncCondition::JobStillRuns { job, likely }),
            ..self.fact(step)
        }
    }

    fn fact(&self, step: &ForecastStep) -> Sync {
        let situation = self.situation;
        let polls = situation.controller.behavior().generation == Generation::V1;
        let counts = |all: &Timetable| counts_from_sync(situation.controller, all);
        let estimated = polls || step.estimated || situation.timetable.is_some_and(counts);
        let deadline = situation.cron_job.spec.starting_deadline_seconds;
        let because = match (step.outcome, &step.job_name) {
            (Outcome::DeadlineExceeded, _) => {
                deadline.map(|deadline| SyncReason::TooLate { deadline })
            }
            (Outcome::NameTaken, Some(job)) if step.failed => {
                Some(SyncReason::NameTaken { job: job.clone() })
            }
            _ => None,
        };
        let is_known = !(self.counts_from_deadline() && step.outcome == Outcome::Blocked);
        Sync {
            at: Some(step.at),
            outcome: step.outcome,
            retry: false,
            scheduled_time: step.scheduled_time.filter(|_| is_known),
            job_name: step.job_name.clone().filter(|_| is_known),
            condition: estimated.then_some(SyncCondition::EstimatedTime),
            because,
        }
    }

    /// Whether scheduled times are counted from the deadline before each sync, as those of `@every` are: the
    /// run that starts in the end is then another than the one that was blocked.
    fn counts_from_deadline(&self) -> bool {
        let every = |all: &Timetable| all.zone().is_none();
        let spec = &self.situation.cron_job.spec;
        self.situation.timetable.is_some_and(every) && spec.starting_deadline_seconds.is_some()
    }

    fn sync(decision: &Decision, at: Option<Timestamp>) -> Sync {
        Sync {
            at,
            outcome: decision.outcome,
            retry: false,
            scheduled_time: decision.scheduled_time,
            job_name: decision.job_name.clone(),
            condition: None,
            because: None,
        }
    }

    fn since(&self, name: &str) -> Option<Timestamp> {
        let job = self.situation.jobs.iter().find(|job| job.name == name)?;
        job.start_time.or(job.creation_timestamp)
    }

    /// Whether a Job has probably finished by a moment, going by earlier runs. One that has run longer
    /// than they did is not expected to end soon; without any, one that has run for some time is expected
    /// to run as long again.
    fn likely_finished(&self, since: Option<Timestamp>, by: Timestamp) -> Option<bool> {
        let (since, now) = (since?, self.situation.now);
        match self.situation.usual_seconds {
            Some(usual) => {
                let end = run::later(since, seconds(usual));
                Some(end >= now && end < by)
            }
            None => (since <= now).then(|| run::later(now, now.duration_since(since)) < by),
        }
    }
}

fn seconds(seconds: i64) -> SignedDuration {
    SignedDuration::from_secs(seconds)
}
