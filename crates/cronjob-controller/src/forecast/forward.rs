//! What the controller does from the state as it was found, for each kind of decision that it would make now.
//!
//! When a Job ends cannot be known, so the controller is run forward twice ([`TwoRuns`]): once as if every Job finished
//! before the next sync, and once as if none ever did. Merged, what is the same in both runs is a fact, and the rest
//! has the condition that a Job finishes first, or still runs (`merge_after`).

use std::iter::once;

use jiff::Timestamp;
use kube_cron::Timetable;

use super::doubts::make_uncertain;
use super::pace::Pace;
use super::retry::{self, Failures};
use super::run::{self, ControllerRun, ForecastStep};
use super::sync::{Sync, SyncCondition, SyncReason, Uncertainty};
use super::{AFTER_SCHEDULED, Edit, PROMPT, Situation, edit, seconds};
use crate::controller::{
    Generation, NameTaken, Outcome, counts_from_sync, decide, edit_effect, wake_after_edit,
};
use kube_model::{ConcurrencyPolicy, Job};

/// A busy controller is some seconds late; after a minute something is wrong.
const OVERDUE: i64 = 60;

/// Two forecasts of one time: all Jobs finish, or none does.
struct TwoRuns {
    /// What the controller does if every Job finishes before the next sync.
    jobs_finish: Vec<ForecastStep>,
    /// What it does if none ever does. Empty where that makes no difference.
    jobs_keep_running: Vec<ForecastStep>,
}

pub(super) struct Forward<'s, 'a> {
    pub(super) situation: &'s Situation<'a>,
    pub(super) runs: usize,
}

impl Forward<'_, '_> {
    pub(super) fn after_decision(&self) -> Vec<Sync> {
        match self.situation.decision.outcome {
            Outcome::Suspended
            | Outcome::Deleted
            | Outcome::UnknownTimeZone
            | Outcome::UnparseableSchedule
            | Outcome::InvalidSchedule
            | Outcome::Hangs
            | Outcome::Panics => vec![self.sync(None)],
            Outcome::NameTaken => self.name_taken(),
            Outcome::Blocked => self.blocked(),
            Outcome::Start | Outcome::Replace => self.due(),
            Outcome::TooManyMissed => once(self.sync(None)).chain(self.after_wake()).collect(),
            Outcome::AlreadyProcessed => self.wake().map_or_else(Vec::new, |at| self.processed(at)),
            Outcome::Wait | Outcome::DeadlineExceeded | Outcome::NoRunFound => self.after_wake(),
        }
    }

    /// The controller has nothing to do before its next wake-up.
    fn after_wake(&self) -> Vec<Sync> {
        let wake = self.wake();
        wake.map_or_else(Vec::new, |wake| self.syncs_from(wake))
    }

    /// The syncs from a wake-up on.
    fn syncs_from(&self, wake: Timestamp) -> Vec<Sync> {
        self.merge(&self.run_twice(|run| run.forward(wake, self.runs)))
    }

    /// The sync at this moment, and those after it.
    fn syncs_from_now(&self) -> Vec<Sync> {
        self.merge(&self.run_twice(|run| run.sync_now(self.situation.now, self.runs)))
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

    /// The runs of the minute of the last start have its name, and the controller has synced for them without a start:
    /// it wakes up for the run after them. `None` unless times count from the deadline.
    fn wake_after_processed(&self) -> Option<Timestamp> {
        let situation = self.situation;
        let has_minutes = situation.controller.behavior().generation == Generation::V2;
        let timetable = situation.timetable?;
        let last = situation.cron_job.status.last_schedule_time?;
        let mut next = timetable.next(last).ok()??;
        let minute = |time: Timestamp| time.as_second().div_euclid(60);
        let is_processed = has_minutes && minute(next) == minute(last);
        let counts_from_sync = run::wake_of_queue(situation, next).is_some();
        if !self.counts_from_deadline() || !is_processed || counts_from_sync {
            return None;
        }
        while minute(next) == minute(last) {
            next = timetable.next(next).ok()??;
        }
        let wake = run::later(next, AFTER_SCHEDULED);
        self.is_ahead(wake).then_some(wake.max(situation.now))
    }

    /// A Job that runs has the name of the run that is due, and the controller has synced for that run without a start.
    /// It syncs again at a wake-up, or when that Job ends: then it tries to start the run in vain, or starts another one.
    fn processed(&self, wake: Timestamp) -> Vec<Sync> {
        let mut finished = ControllerRun::if_jobs_finish(self.situation);
        let tried = finished.catch_up(self.situation.now);
        let mut syncs = self.syncs_from(wake);
        let why = match tried {
            Some(step) if step.failed => Uncertainty::NameTaken,
            Some(step) if step.starts() => Uncertainty::TimesMove,
            _ => return syncs,
        };
        make_uncertain(&mut syncs, why, |sync| !sync.is_if_job_runs());
        syncs
    }

    /// When the controller first tried to start a run whose name a Job has: it waits for the end of that Job if it is
    /// its own, and under `Forbid` for the end of all that are.
    fn first_attempt(&self, scheduled: Timestamp, name: Option<&String>) -> Timestamp {
        let cron_job = self.situation.cron_job;
        let waits_for_all = cron_job.spec.concurrency_policy == ConcurrencyPolicy::Forbid;
        let jobs = self.situation.jobs.iter();
        let waited_for = jobs.filter(|job| {
            let is_earlier = job.creation_timestamp <= Some(scheduled);
            job.owner() == Some(&cron_job.name)
                && (Some(&job.name) == name || waits_for_all && is_earlier)
        });
        let ended = waited_for.filter_map(Job::finished_at).max();
        let due = run::later(scheduled, AFTER_SCHEDULED);
        ended.map_or(due, |ended| ended.max(due))
    }

    /// Whether a wake-up is still to come, or so recent that the controller may not have synced yet.
    fn is_ahead(&self, wake: Timestamp) -> bool {
        run::later(wake, seconds(PROMPT)) >= self.situation.now
    }

    fn due(&self) -> Vec<Sync> {
        let situation = self.situation;
        let Some(scheduled) = situation.decision.scheduled_time else {
            return Vec::new();
        };
        if situation.controller_is_down {
            return self.uncertain(None, Uncertainty::ControllerDown);
        }
        let seconds_since = |at: Timestamp| at.as_second().saturating_sub(scheduled.as_second());
        let late = seconds_since(situation.now);
        // Times that count from the deadline are due again at every moment.
        let first = situation.cron_job.anchor().zip(situation.timetable);
        let first = first.filter(|_| self.counts_from_deadline());
        let first = first.and_then(|(anchor, all)| all.next(anchor).ok()?);
        let due = first.map_or(scheduled, |first| first.min(scheduled));
        let edit = Edit::after(situation, due).filter(|_| !situation.syncs_now);
        if let Some(edit) = edit {
            return self.edited(edit);
        }
        if !situation.jobs_read && !situation.cron_job.status.active.is_empty() {
            return self.uncertain(Some(situation.now), Uncertainty::JobsNotRead);
        }
        if !situation.syncs_now
            && let Some(wake) = self.wake_of_due()
        {
            return self.syncs_from(wake);
        }
        if !situation.syncs_now
            && let Some(wake) = self.wake_after_processed()
        {
            return self.processed(wake);
        }
        if !situation.syncs_now
            && let Some(syncs) = self.after_taken_name(scheduled)
        {
            return syncs;
        }
        let ends = Uncertainty::EvidenceEnds(situation.as_of);
        let is_old = situation.now.as_second() - situation.as_of.as_second() > OVERDUE;
        if late > PROMPT && situation.syncs_now && is_old {
            return self.uncertain(Some(situation.now), ends);
        }
        // The controller may be down, although the last run has just become due.
        let as_of = situation.as_of.as_second();
        let passed_over_since = situation.passed_over_since.filter(|since| {
            !situation.syncs_now && as_of.saturating_sub(since.as_second()) > OVERDUE
        });
        let is_passed_over = passed_over_since.is_some();
        if !is_passed_over && (late <= PROMPT || situation.syncs_now) {
            return self.syncs_from_now();
        }
        if !is_passed_over && seconds_since(situation.as_of) <= OVERDUE {
            if is_old {
                return self.uncertain(Some(situation.now), ends);
            }
            let mut syncs = self.syncs_from_now();
            if let Some(first) = syncs.first_mut() {
                // The removal of a field leaves no trace but the generation.
                first.condition = Some(if situation.cron_job.is_unchanged() {
                    SyncCondition::EstimatedTime
                } else {
                    SyncCondition::Unknown(Uncertainty::Late)
                });
                first.because = self.may_be_repeated(scheduled);
            }
            return syncs;
        }
        let mut syncs = self.uncertain(None, Uncertainty::Overdue);
        if let Some(first) = syncs.first_mut() {
            first.because = self.may_be_repeated(passed_over_since.unwrap_or(scheduled));
        }
        syncs
    }

    /// A Job had the name of the run before the one that is due: attempts that failed then are still repeated.
    fn after_taken_name(&self, scheduled: Timestamp) -> Option<Vec<Sync>> {
        let Situation {
            controller,
            cron_job,
            jobs,
            ..
        } = *self.situation;
        let before = scheduled.checked_sub(seconds(1)).ok()?;
        let failed = decide(controller, cron_job, jobs, before);
        let taken = failed
            .scheduled_time
            .filter(|_| run::is_failure(controller.behavior(), &failed))?;
        let first = self.first_attempt(taken, failed.job_name.as_ref());
        let updated = edit::last_write_of_spec(cron_job).filter(|updated| *updated >= taken);
        let (failures, next) = retry::next_attempt(first, updated, scheduled);
        // An update makes one more attempt, unless it edits the schedule, which moves the runs.
        if updated.is_some() {
            let delayed = self.is_ahead(next);
            return delayed
                .then(|| self.uncertain(Some(self.situation.now), Uncertainty::NameTaken));
        }
        let at = next.max(self.situation.now);
        self.is_ahead(next).then(|| {
            let both = self.run_twice(|run| {
                run.failures = failures;
                run.forward(at, self.runs)
            });
            self.merge(&both)
        })
    }

    /// When the attempt to start an overdue run is repeated, if attempts have failed since it was due.
    fn may_be_repeated(&self, scheduled: Timestamp) -> Option<SyncReason> {
        let Situation {
            controller,
            cron_job,
            now,
            ..
        } = *self.situation;
        if controller.behavior().generation != Generation::V2 {
            return None;
        }
        let first = run::later(scheduled, AFTER_SCHEDULED);
        let written = edit::last_write_of_spec(cron_job);
        let (_, at) = retry::next_attempt(first, written, now);
        Some(SyncReason::MayBeRepeated { at })
    }

    /// The run that is due now, as far as anything can be said of it, and the runs after it.
    fn uncertain(&self, at: Option<Timestamp>, why: Uncertainty) -> Vec<Sync> {
        let situation = self.situation;
        let mut syncs = self.syncs_from_now();
        let of_now = syncs.iter();
        let of_now = of_now.take_while(|sync| sync.at == Some(situation.now));
        let of_now = of_now.count();
        for sync in syncs.iter_mut().take(of_now) {
            sync.at = at;
        }
        // An overdue run means that the controller may not be running at all.
        let is_of_all = why == Uncertainty::Overdue;
        let doubtful = if is_of_all { syncs.len() } else { of_now };
        make_uncertain(syncs.iter_mut().take(doubtful), why, |_| true);
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
            return self.uncertain(None, Uncertainty::Overdue);
        };
        let first = first.max(situation.now);
        let mut syncs = self.syncs_from(first);
        let because = SyncReason::Edited(edit);
        if known.is_some() {
            if let Some(sync) = syncs.first_mut() {
                sync.because = Some(because);
                // The run is due: whatever changes of a Job makes the controller sync before that wake-up.
                if sync.condition.is_none() && self.has_unfinished_jobs() {
                    sync.condition = Some(SyncCondition::EstimatedTime);
                }
            }
        } else {
            let mut sync = self.sync(None);
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

    fn has_unfinished_jobs(&self) -> bool {
        let Situation { cron_job, jobs, .. } = *self.situation;
        let mut own = jobs.iter().filter(|job| cron_job.created(job));
        own.any(|job| job.ending().is_none())
    }

    /// A run that may start at any moment may be running when the next one is due.
    fn consider_pending(&self, job: &str, syncs: &mut Vec<Sync>) {
        let Some(next) = syncs.first_mut() else {
            return;
        };
        if next.condition.is_none() {
            next.condition = Some(SyncCondition::JobFinishesFirst {
                job: job.to_owned(),
                is_to_come: true,
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
            return vec![self.sync(None)];
        };
        let blocker = decision.status_after.active.first();
        let deadline = situation.cron_job.spec.starting_deadline_seconds;
        // The run that waits is not among those to come.
        let (now, runs) = (situation.now, self.runs);
        let mut finished = ControllerRun::if_jobs_finish(situation);
        let caught_up = finished.catch_up(now);
        let mut running = ControllerRun::if_jobs_keep_running(situation);
        let mut syncs = Vec::new();
        if let (Some(job), Some(scheduled)) = (blocker, decision.scheduled_time) {
            let too_late =
                deadline.and_then(|deadline| scheduled.checked_add(seconds(deadline)).ok());
            let is_taken = caught_up.as_ref();
            let is_taken = is_taken.is_some_and(|step| step.outcome == Outcome::NameTaken);
            let before = too_late.map_or(wake, |late| late.min(wake));
            let (before, is_multiplied) = self.found_before(scheduled, before);
            let is_known = !self.counts_from_deadline() && !is_multiplied;
            let due = self.sync(None);
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
                    is_to_come: false,
                    before: Some(before),
                    likely: Pace::running(situation, self.since(job)).is_idle(before),
                }),
                because: Some(because),
                ..due
            });
        }
        let fails = finished.failures > 0;
        let starts = |step: ForecastStep| step.starts().then_some(step.job_name).flatten();
        let waiting = caught_up.and_then(starts);
        let both = TwoRuns {
            jobs_finish: finished.forward(wake, runs),
            jobs_keep_running: running.forward(wake, runs),
        };
        let mut later = self.merge_after(waiting, &both);
        if fails {
            // Attempts that begin at a time that is not known delay what follows.
            make_uncertain(&mut later, Uncertainty::NameTaken, Sync::is_if_job_finishes);
        }
        syncs.extend(later);
        syncs
    }

    /// Until when a run is started if the Jobs finish, at most until `before`, and whether it may be another one:
    /// the arithmetic of some versions finds times that are not in the schedule, and that of later ones finds
    /// nothing once the run is too old for the interval between the first missed ones.
    fn found_before(&self, scheduled: Timestamp, before: Timestamp) -> (Timestamp, bool) {
        let now = self.situation.now;
        let found = |at: Timestamp| {
            let step = ControllerRun::if_jobs_finish(self.situation).catch_up(at);
            step.and_then(|step| step.scheduled_time)
        };
        if let Some(last) = found(run::later(before, AFTER_SCHEDULED * -2).max(now)) {
            return (before, last != scheduled);
        }
        // Scheduled times and their intervals are whole seconds.
        let (mut known, mut lost) = (now.as_second(), before.as_second());
        while lost - known > 1 {
            let middle = known.midpoint(lost);
            let at = Timestamp::from_second(middle).unwrap_or(now);
            if found(at).is_some() {
                known = middle;
            } else {
                lost = middle;
            }
        }
        (Timestamp::from_second(lost).unwrap_or(before), false)
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
            return once(self.sync(None)).chain(self.after_wake()).collect();
        }
        if let Some(edit) = Edit::after(situation, scheduled) {
            return self.name_taken_after(&edit);
        }
        let first = self.first_attempt(scheduled, decision.job_name.as_ref());
        let written = edit::last_write_of_spec(situation.cron_job);
        let (failures, next) = retry::next_attempt(first, written, situation.now);
        let both = self.run_twice(|run| {
            run.failures = failures;
            run.forward(next, self.runs)
        });
        let mut syncs = self.merge(&both);
        let is_in_vain = syncs.first().is_none_or(|sync| sync.at != Some(next));
        if let (true, Some(job)) = (is_in_vain, &decision.job_name) {
            let attempt = Sync {
                condition: Some(SyncCondition::EstimatedTime),
                because: Some(SyncReason::NameTaken { job: job.clone() }),
                ..self.sync(Some(next))
            };
            syncs.insert(0, attempt);
        }
        syncs
    }

    /// With the schedule as it was before, the controller may not have reached that run yet.
    fn name_taken_after(&self, edit: &Edit) -> Vec<Sync> {
        let situation = self.situation;
        let job = situation.decision.job_name.clone().unwrap_or_default();
        let attempt = Sync {
            because: Some(SyncReason::NameTaken { job }),
            ..self.sync(None)
        };
        let wake = wake_after_edit(situation.controller, situation.cron_job, edit.at);
        let wake = wake.filter(|wake| *wake > situation.now).into_iter();
        let later = wake.flat_map(|wake| self.syncs_from(wake));
        let mut syncs: Vec<Sync> = once(attempt).chain(later).collect();
        // If it has, an attempt may delay the next run.
        let first = syncs.iter_mut().take(2);
        make_uncertain(first, Uncertainty::EarlierWakeUp(None), |_| true);
        syncs
    }

    /// The creation of the Job failed, and is tried again with back-off.
    pub(super) fn after_failures(&self, failures: &Failures) -> Vec<Sync> {
        let mut syncs = self.syncs_from(failures.next);
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
    pub(super) fn at_some_time(&self) -> Vec<Sync> {
        let attempt = self.situation.decision.starts().then(|| Sync {
            retry: true,
            ..self.sync(None)
        });
        let mut syncs: Vec<Sync> = attempt.into_iter().chain(self.after_wake()).collect();
        make_uncertain(&mut syncs, Uncertainty::BackOff, |_| true);
        syncs
    }

    /// Runs the controller under both assumptions.
    fn run_twice(
        &self,
        forward: impl Fn(&mut ControllerRun<'_, '_>) -> Vec<ForecastStep>,
    ) -> TwoRuns {
        let situation = self.situation;
        let jobs_finish = forward(&mut ControllerRun::if_jobs_finish(situation));
        let jobs_keep_running = if run::jobs_matter(situation) {
            forward(&mut ControllerRun::if_jobs_keep_running(situation))
        } else {
            Vec::new()
        };
        TwoRuns {
            jobs_finish,
            jobs_keep_running,
        }
    }

    /// What is the same in both runs is a fact; the rest is conditional.
    fn merge(&self, both: &TwoRuns) -> Vec<Sync> {
        self.merge_after(None, both)
    }

    /// Merges both runs. The Job of a run that is `waiting` for another one to end has to end, too, before another
    /// one starts.
    fn merge_after(&self, waiting: Option<String>, both: &TwoRuns) -> Vec<Sync> {
        let (finished, running) = (&both.jobs_finish, &both.jobs_keep_running);
        let depends = run::jobs_matter(self.situation);
        let end = finished.last().map(|step| step.at);
        let blocker = running.first().and_then(|step| step.active.first());
        let mut pace = match blocker {
            Some(job) => Pace::running(self.situation, job.since),
            None => Pace::idle(self.situation),
        };
        if waiting.is_some() {
            pace = pace.with_waiting();
        }
        // The Job of the last run that starts in between, if one does.
        let mut to_come = waiting;
        // The last run of which it is certain that none is blocked before it.
        let mut certain = self.situation.cron_job.anchor();
        let mut may_be_blocked =
            to_come.is_some() || self.moves_if_blocked(certain, self.situation.now);
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
                    let running_job = job.map(|job| job.name.clone());
                    let likely = pace.is_idle(step.at);
                    let moves = may_be_blocked && self.moves_if_blocked(certain, step.at);
                    may_be_blocked = true;
                    let condition = if moves {
                        SyncCondition::Unknown(Uncertainty::TimesMove)
                    } else if step.estimated {
                        // The end of the Job makes the controller sync before the attempt that is due.
                        SyncCondition::Unknown(Uncertainty::NameTaken)
                    } else {
                        SyncCondition::JobFinishesFirst {
                            is_to_come: to_come.is_some(),
                            job: to_come.clone().or(running_job).unwrap_or_default(),
                            before: Some(step.at),
                            likely,
                        }
                    };
                    syncs.push(Sync {
                        condition: Some(condition),
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
            if step.starts() {
                if !may_be_blocked {
                    certain = step.scheduled_time;
                }
                pace.start(step.at);
                to_come.clone_from(&step.job_name);
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
        let spec = &self.situation.cron_job.spec;
        self.situation.timetable.is_some_and(Timetable::is_every)
            && spec.starting_deadline_seconds.is_some()
    }

    /// Whether the time of a run is another one if a run between the `last` one and it is blocked: as soon as the last
    /// one is older than the deadline, every sync moves the times.
    fn moves_if_blocked(&self, last: Option<Timestamp>, at: Timestamp) -> bool {
        let spec = &self.situation.cron_job.spec;
        let oldest = spec
            .starting_deadline_seconds
            .filter(|_| spec.concurrency_policy == ConcurrencyPolicy::Forbid)
            .and_then(|deadline| at.checked_sub(seconds(deadline)).ok());
        self.counts_from_deadline() && last < oldest
    }

    /// The sync of the present decision.
    fn sync(&self, at: Option<Timestamp>) -> Sync {
        let decision = self.situation.decision;
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
}
