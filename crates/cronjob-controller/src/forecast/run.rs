//! The controller run forward, sync by sync.

use std::collections::{HashMap, HashSet};

use jiff::{SignedDuration, Timestamp};
use kube_cron::Timetable;

use super::{AFTER_SCHEDULED, Situation};
use crate::controller::{
    Behavior, Decision, Generation, Outcome, POLL, RepeatedSync, counts_from_sync, next_minute,
    past_deadline, retry_pause, start_after, wake_after_syncs,
};
pub(super) use cronjob_text::duration::later;
use kube_model::{ConcurrencyPolicy, CronJob, Job, JobResult, ObjectReference};

/// More syncs than these are not followed: retries with back-off are the most frequent, and reach their
/// longest pause after 18.
const MOST_SYNCS: usize = 256;

#[derive(Clone, Debug)]
pub(super) struct Active {
    pub(super) name: String,
    pub(super) since: Option<Timestamp>,
}

#[derive(Clone, Debug)]
pub(super) struct ForecastStep {
    pub(super) at: Timestamp,
    pub(super) outcome: Outcome,
    pub(super) scheduled_time: Option<Timestamp>,
    pub(super) job_name: Option<String>,
    /// The Jobs that count as running before it.
    pub(super) active: Vec<Active>,
    /// Whether its time follows from a back-off.
    pub(super) estimated: bool,
    /// Whether it fails, so that it is retried with back-off.
    pub(super) failed: bool,
}

impl ForecastStep {
    pub(super) fn starts(&self) -> bool {
        matches!(self.outcome, Outcome::Start | Outcome::Replace)
    }

    pub(super) fn is_same(&self, other: &ForecastStep) -> bool {
        (self.outcome, self.scheduled_time, &self.job_name)
            == (other.outcome, other.scheduled_time, &other.job_name)
    }
}

/// A controller that is run forward for one `CronJob`.
pub(super) struct ControllerRun<'s, 'a> {
    situation: &'s Situation<'a>,
    controller_sync: RepeatedSync<'a>,
    cron_job: CronJob,
    jobs: Vec<Job>,
    /// Whether Jobs finish before the next sync; otherwise they run on.
    finishes: bool,
    /// How many attempts in a row have failed.
    pub(super) failures: u32,
}

impl<'s, 'a> ControllerRun<'s, 'a> {
    /// As if every Job finished before the next sync.
    pub(super) fn if_jobs_finish(situation: &'s Situation<'a>) -> Self {
        Self::new(situation, true)
    }

    /// As if no Job ever finished.
    pub(super) fn if_jobs_keep_running(situation: &'s Situation<'a>) -> Self {
        Self::new(situation, false)
    }

    fn new(situation: &'s Situation<'a>, finishes: bool) -> Self {
        ControllerRun {
            situation,
            controller_sync: RepeatedSync::new(situation.controller),
            cron_job: situation.cron_job.clone(),
            jobs: situation.jobs.to_vec(),
            finishes,
            failures: 0,
        }
    }

    /// The sync that is due at this very moment, with the Jobs as they are, and those after it.
    pub(super) fn sync_now(&mut self, now: Timestamp, runs: usize) -> Vec<ForecastStep> {
        let finishes = std::mem::replace(&mut self.finishes, false);
        let (first, wake) = self.sync(now);
        // An entry that is already in the queue keeps its time.
        let queued = wake_of_queue(self.situation, now);
        let wake = wake.map(|wake| queued.map_or(wake, |queued| queued.min(wake)));
        self.finishes = finishes;
        let mut steps: Vec<ForecastStep> = first.into_iter().collect();
        // The run that is due is not among those to come.
        let is_one_enough = runs == 1 && count_starts(&steps) == 1;
        if let (Some(wake), false) = (wake, is_one_enough) {
            steps.extend(self.forward(wake, runs));
        }
        steps
    }

    /// The Jobs finish, and the controller starts what they blocked, if it can.
    pub(super) fn catch_up(&mut self, now: Timestamp) -> Option<ForecastStep> {
        self.sync(now).0
    }

    /// The syncs from a wake-up on, up to a number of runs. Where nothing finishes, up to as many syncs.
    pub(super) fn forward(&mut self, wake: Timestamp, runs: usize) -> Vec<ForecastStep> {
        let mut steps = Vec::new();
        let mut wake = wake;
        for _ in 0..MOST_SYNCS {
            let (step, next) = self.sync(wake);
            steps.extend(step);
            let enough = if self.finishes {
                count_starts(&steps)
            } else {
                steps.len()
            };
            match next {
                Some(next) if next > wake && enough < runs => wake = next,
                _ => break,
            }
        }
        steps
    }

    /// One sync: what it did, if anything, and when the next one is.
    fn sync(&mut self, at: Timestamp) -> (Option<ForecastStep>, Option<Timestamp>) {
        if self.finishes {
            self.finish_jobs(at);
        }
        let active = self.active();
        let decision = self.controller_sync.decide(&self.cron_job, &self.jobs, at);
        let estimated = self.failures > 0;
        let failed = self.is_failure(&decision);
        let next = if failed {
            let pause = retry_pause(self.failures);
            self.failures = self.failures.saturating_add(1);
            Some(later(at, pause))
        } else {
            self.failures = 0;
            let last = decision.status_after.last_schedule_time;
            let base = last.or_else(|| self.cron_job.anchor());
            next_wake(self.situation, base, &decision, at)
        };
        let step = |outcome, scheduled_time, job_name| ForecastStep {
            at,
            outcome,
            scheduled_time,
            job_name,
            active,
            estimated,
            failed,
        };
        let step = match decision.outcome {
            Outcome::Wait | Outcome::AlreadyProcessed => {
                let expired = self.expired(at);
                expired.map(|scheduled| step(Outcome::DeadlineExceeded, Some(scheduled), None))
            }
            // Of attempts in a row only the first is worth a word.
            _ if failed && estimated => None,
            outcome => Some(step(
                outcome,
                decision.scheduled_time,
                decision.job_name.clone(),
            )),
        };
        if !failed {
            self.apply(&decision, at);
        }
        (step, next)
    }

    fn active(&self) -> Vec<Active> {
        let listed = self.cron_job.status.active.iter();
        if listed.len() == 0 {
            return Vec::new();
        }
        let jobs = self.jobs.iter().rev();
        let jobs: HashMap<&str, &Job> = jobs.map(|job| (job.name.as_str(), job)).collect();
        listed
            .filter_map(|active| {
                let job = jobs.get(active.name.as_str());
                let is_finished = job.is_some_and(|job| job.ending().is_some());
                (!is_finished).then(|| Active {
                    name: active.name.clone(),
                    since: job.and_then(|job| job.start_time.or(job.creation_timestamp)),
                })
            })
            .collect()
    }

    fn is_failure(&self, decision: &Decision) -> bool {
        is_failure(self.situation.controller.behavior(), decision)
    }

    /// A scheduled time for which the controller woke up, and which is too old for the deadline.
    fn expired(&self, at: Timestamp) -> Option<Timestamp> {
        let deadline = self.cron_job.spec.starting_deadline_seconds?;
        let timetable = self.situation.timetable?;
        let last = self.cron_job.status.last_schedule_time;
        let base = last.or(self.cron_job.creation_timestamp)?;
        let (scheduled, is_too_old) = if timetable.zone().is_some() {
            let scheduled = timetable.previous(later(at, SignedDuration::from_nanos(1)))?;
            let seen = at.as_second().saturating_sub(deadline);
            (scheduled, scheduled.as_second() <= seen)
        } else {
            // The times of `@every` count from the deadline, so that one is found in time, or none ever is.
            let scheduled = timetable.search_start(base, at);
            let has_time = self
                .situation
                .controller
                .has_time_to_start(&self.cron_job.spec);
            (scheduled, !has_time)
        };
        (scheduled > base && is_too_old).then_some(scheduled)
    }

    fn finish_jobs(&mut self, at: Timestamp) {
        let owner = &self.cron_job.name;
        for job in &mut self.jobs {
            let ours = job.owner_references.iter().any(|one| one.name == *owner);
            if ours && job.ending().is_none() {
                job.finish(JobResult::Succeeded, at);
            }
        }
    }

    fn apply(&mut self, decision: &Decision, at: Timestamp) {
        let deleted: HashSet<&String> = decision.deleted_jobs.iter().collect();
        self.jobs.retain(|job| !deleted.contains(&job.name));
        let cron_job = &mut self.cron_job;
        if decision.starts()
            && let (Some(name), Some(scheduled)) = (&decision.job_name, decision.scheduled_time)
        {
            self.jobs.push(started(cron_job, name, at));
            if self.situation.controller.behavior().generation == Generation::Tutorial
                && let Some(job) = self.jobs.last_mut()
            {
                let annotation = self.situation.controller.scheduled_time_annotation();
                job.annotations = [(annotation, scheduled.to_string())].into_iter().collect();
            }
        }
        let status = &mut cron_job.status;
        let known = std::mem::take(&mut status.active).into_iter();
        let mut known: HashMap<String, ObjectReference> =
            known.map(|active| (active.name.clone(), active)).collect();
        for name in &decision.status_after.active {
            let same = known.remove(name);
            status.active.push(same.unwrap_or_else(|| ObjectReference {
                kind: "Job".to_owned(),
                namespace: cron_job.namespace.clone(),
                name: name.clone(),
                uid: name.clone(),
            }));
        }
        status.last_schedule_time = decision.status_after.last_schedule_time;
        status.last_successful_time = decision.status_after.last_successful_time;
    }
}

/// Whether a sync fails, so that it is retried with back-off.
pub(super) fn is_failure(behavior: Behavior, decision: &Decision) -> bool {
    behavior.generation == Generation::V2 && decision.fails(&behavior)
}

/// A Job that the controller created.
fn started(cron_job: &CronJob, name: &str, at: Timestamp) -> Job {
    Job {
        creation_timestamp: Some(at),
        ..cron_job.job_named(name.to_owned(), name.to_owned())
    }
}

fn count_starts(steps: &[ForecastStep]) -> usize {
    steps.iter().filter(|step| step.starts()).count()
}

/// Whether it makes a difference if a Job is running.
pub(super) fn jobs_matter(situation: &Situation<'_>) -> bool {
    matches!(
        situation.cron_job.spec.concurrency_policy,
        ConcurrencyPolicy::Forbid | ConcurrencyPolicy::Replace
    )
}

/// The first wake-up from a moment on, if it counts from the sync before it.
pub(super) fn wake_of_queue(situation: &Situation<'_>, from: Timestamp) -> Option<Timestamp> {
    let counts = |all: &&Timetable| counts_from_sync(situation.controller, all);
    let timetable = situation.timetable.filter(counts)?;
    wake_after_syncs(timetable, situation.cron_job, situation.jobs, from)
}

/// When the controller syncs next after a sync that went well. `@every` counts from `base`.
pub(super) fn next_wake(
    situation: &Situation<'_>,
    base: Option<Timestamp>,
    decision: &Decision,
    at: Timestamp,
) -> Option<Timestamp> {
    let next_scheduled = || {
        let timetable = situation.timetable?;
        let start = timetable.search_start(base.unwrap_or(at), at);
        timetable.next(start).ok().flatten()
    };
    let idle = || IdleSyncs::new(situation, base, decision);
    let generation = situation.controller.behavior().generation;
    let leaves_later_runs = decision.starts() && {
        let next = base.and_then(|started| situation.timetable?.next(started).ok()?);
        next.is_some_and(|next| next <= at)
    };
    let another = || start_after(situation.controller, situation.cron_job, base, at);
    if leaves_later_runs && another().is_some() {
        // What it changes makes it sync again.
        let pause = match generation {
            Generation::V1 => POLL,
            Generation::V2 | Generation::Tutorial => AFTER_SCHEDULED,
        };
        return Some(later(at, pause));
    }
    match generation {
        // It syncs every ten seconds, of which few make a difference.
        Generation::V1 => {
            let next = next_scheduled().filter(|next| *next > at);
            idle().start_before(next, at).or(next)
        }
        Generation::V2 | Generation::Tutorial => {
            let after = decision.requeue_after?;
            if after > 0 {
                return at.checked_add(SignedDuration::from_nanos(after)).ok();
            }
            // A wake-up in the past: it syncs over and over until something is due.
            let next = next_scheduled().map(|next| later(next, AFTER_SCHEDULED));
            idle().start_before(next, at).or(next)
        }
    }
}

/// Syncs that follow each other immediately or within seconds. While nothing changes, each has the same result; but a
/// missed run that the deadline excludes by and by, or the number of minutes since, can change what the controller finds.
struct IdleSyncs<'s, 'a> {
    situation: &'s Situation<'a>,
    decision: &'s Decision,
    cron_job: CronJob,
}

impl<'s, 'a> IdleSyncs<'s, 'a> {
    fn new(situation: &'s Situation<'a>, last: Option<Timestamp>, decision: &'s Decision) -> Self {
        let mut cron_job = situation.cron_job.clone();
        cron_job.status.last_schedule_time = last;
        cron_job.status.active.clear();
        IdleSyncs {
            situation,
            decision,
            cron_job,
        }
    }

    /// The first of them that starts a run, if that is before the next scheduled time.
    fn start_before(&self, next: Option<Timestamp>, at: Timestamp) -> Option<Timestamp> {
        const MOST_SEARCHED: usize = 10_000;
        let finds_nothing = matches!(
            self.decision.outcome,
            Outcome::TooManyMissed
                | Outcome::NoRunFound
                | Outcome::DeadlineExceeded
                | Outcome::Wait
        );
        let mut since = self.decision.missed.filter(|_| finds_nothing)?.since?;
        let mut syncs = RepeatedSync::new(self.situation.controller);
        let behavior = self.situation.controller.behavior();
        let mut now = at;
        for _ in 0..MOST_SEARCHED {
            let changes = [self.leaves_window(since, now), next_minute(&behavior, now)];
            now = changes.into_iter().flatten().min()?;
            if next.is_some_and(|next| next <= now) {
                return None;
            }
            let decision = syncs.decide(&self.cron_job, &[], now);
            if decision.starts() {
                return Some(now);
            }
            since = decision.missed?.since?;
        }
        None
    }

    /// When the oldest missed run that the controller sees will be past the deadline.
    fn leaves_window(&self, since: Timestamp, now: Timestamp) -> Option<Timestamp> {
        let first = self.situation.timetable?.next(since).ok()??;
        past_deadline(first, self.cron_job.spec.starting_deadline_seconds, now)
    }
}
