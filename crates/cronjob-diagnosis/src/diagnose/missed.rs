//! The runs that were missed: how many, why, and how many the controller believes.

use std::collections::{BTreeSet, HashSet};

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::suspension::SuspensionRecord;
use super::{Facts, Input, action_time, local};
use cronjob_controller::controller::{
    Controller, LIMIT, Missed, MissedCause, MissedClass, Outcome, crosses_limit_at, start_after,
};
use cronjob_controller::forecast::SyncReason;
use cronjob_text::text::Text;
use cronjob_text::words::some_of;
use kube_cron::Timetable;
use kube_model::{ConcurrencyPolicy, CronJob, Event, PastRun};

/// The missed runs.
#[derive(Clone, Copy, Debug, JsonSchema, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MissedRuns {
    /// Only runs scheduled after this time count: the last start, or the creation.
    pub since: Timestamp,
    /// Only runs scheduled up to this time count.
    pub until: Timestamp,
    /// The exact number, including runs that were backfilled since.
    pub count: u64,
    /// The first of them.
    pub first: Option<Timestamp>,
    /// The last of them.
    pub last: Option<Timestamp>,
    /// How many this version of Kubernetes estimates; null if it computes no number.
    pub controller_estimate: Option<i64>,
    /// Whether this version treats that as none, few or many.
    pub controller_class: MissedClass,
    /// The controller treats more than this number as too many.
    pub limit: i64,
    /// When the count exceeds the limit if no run starts.
    pub crosses_limit_at: Option<Timestamp>,
}

/// Counts the runs that a `CronJob` missed, beside what the controller `believes`.
pub(super) fn missed(
    controller: &Controller,
    cron_job: &CronJob,
    timetable: &Timetable,
    believes: Option<Missed>,
    now: Timestamp,
) -> MissedRuns {
    let last = cron_job.status.last_schedule_time;
    let since = last.or(cron_job.creation_timestamp).unwrap_or(now);
    let counted = timetable.count(since, now).ok();
    let deadline = cron_job.spec.starting_deadline_seconds;
    MissedRuns {
        since,
        until: now,
        count: counted.map_or(0, |counted| counted.count),
        first: counted.and_then(|counted| counted.first),
        last: counted.and_then(|counted| counted.last),
        controller_estimate: believes.and_then(|missed| missed.estimate),
        controller_class: believes.map_or(MissedClass::None, |missed| missed.class),
        limit: LIMIT,
        crosses_limit_at: crosses_limit_at(controller.behavior(), timetable, since, deadline),
    }
}

impl<'a> Facts<'a> {
    /// The missed runs that were backfilled, oldest first.
    pub fn backfilled(&self) -> impl Iterator<Item = &PastRun<'a>> {
        let counts = move |run: &&PastRun<'_>| {
            let (Some(missed), Some(scheduled_time)) = (self.missed, run.scheduled_time) else {
                return false;
            };
            run.backfilled && missed.since < scheduled_time && scheduled_time <= missed.until
        };
        self.runs.iter().filter(counts)
    }

    /// The last missed run that was not backfilled.
    pub fn last_not_run(&self) -> Option<Timestamp> {
        let run: BTreeSet<Timestamp> = self
            .backfilled()
            .filter_map(|run| run.scheduled_time)
            .collect();
        let missed = self.missed?;
        let mut last = missed.last?;
        while run.contains(&last) {
            last = self.timetable.as_ref()?.previous(last)?;
        }
        (last > missed.since).then_some(last)
    }

    /// How many missed runs are never started if the controller first starts one for this time. From Kubernetes 1.21 to
    /// 1.27.3 it may be an earlier one, or one that is not in the schedule; a later one can start after it.
    pub(crate) fn never_started(&self, first: Option<Timestamp>) -> u64 {
        const MOST_STARTS: usize = 100;
        let (Some(missed), Some(timetable)) = (self.missed, &self.timetable) else {
            return 0;
        };
        let starts = std::iter::successors(first, |start| {
            let is_last = missed.last.is_none_or(|last| *start >= last);
            let Input {
                controller,
                cron_job,
                now,
                ..
            } = &self.input;
            let next = || start_after(controller, cron_job, Some(*start), *now);
            (!is_last).then(next).flatten()
        });
        let starts = starts.take(MOST_STARTS);
        let scheduled = starts.filter(|start| timetable.is_scheduled(*start));
        missed.count.saturating_sub(scheduled.count() as u64)
    }

    /// How many missed runs were not backfilled.
    pub fn not_run(&self) -> Option<u64> {
        let backfilled = u64::try_from(self.backfilled().count()).unwrap_or(u64::MAX);
        Some(self.missed?.count.saturating_sub(backfilled))
    }
}

/// Consecutive missed runs with one likely cause.
#[derive(Clone, Debug, JsonSchema, PartialEq, Eq, Serialize)]
pub struct MissedFor {
    /// The cause.
    #[schemars(extend("enum" = MissedCause::in_evidence()))]
    pub cause: MissedCause,
    /// How many runs.
    pub count: u64,
    /// The first of them.
    pub first: Timestamp,
    /// The last of them.
    pub last: Timestamp,
    /// The evidence for it.
    pub evidence: Text,
}

/// A cause, and since when it lasts.
struct CausePeriod {
    from: Timestamp,
    cause: MissedCause,
    evidence: Text,
}

/// The missed runs by likely cause, oldest first.
///
/// Each cause lasts from some time until now. Where several overlap, the one that began last explains the
/// runs after its beginning.
pub fn causes(facts: &Facts<'_>) -> Vec<MissedFor> {
    let (Some(missed), Some(timetable)) = (&facts.missed, &facts.timetable) else {
        return Vec::new();
    };
    // What remains comes first, so that a cause that began at the same moment is preferred.
    let mut periods = vec![rest(facts, missed.since)];
    let others = [suspension(facts), forbid(facts), failing(facts)];
    periods.extend(others.into_iter().flatten());
    periods.sort_by_key(|period| period.from);
    let backfilled: Vec<&PastRun<'_>> = facts.backfilled().collect();
    let mut found = Vec::new();
    for (index, period) in periods.iter().enumerate() {
        let from = period.from.max(missed.since);
        let until = periods
            .get(index + 1)
            .map_or(facts.input.now, |next| next.from.min(facts.input.now));
        // A scheduled time at the very moment belongs to what begins then.
        let edge = |at: Timestamp| Timestamp::from_second(at.as_second() - 1).unwrap_or(at);
        let after = if index == 0 {
            from
        } else {
            edge(from).max(missed.since)
        };
        let until = if index + 1 == periods.len() {
            until
        } else {
            edge(until)
        };
        let Ok(counted) = timetable.count(after, until) else {
            continue;
        };
        if let (Some(first), Some(last)) = (counted.first, counted.last) {
            let (cause, evidence) = (period.cause, period.evidence.clone());
            let run_since = scheduled_times_of(&backfilled)
                .filter(|scheduled_time| (first..=last).contains(scheduled_time));
            let run_since = u64::try_from(run_since.count()).unwrap_or(u64::MAX);
            found.push(MissedFor {
                cause,
                count: counted.count.saturating_sub(run_since),
                first,
                last,
                evidence,
            });
        }
    }
    found.retain(|cause| cause.count > 0);
    found.extend(of_backfilled(&backfilled));
    found
}

fn scheduled_times_of<'r>(runs: &'r [&PastRun<'_>]) -> impl Iterator<Item = Timestamp> + 'r {
    runs.iter().filter_map(|run| run.scheduled_time)
}

/// The missed runs that were backfilled. Why they were missed no longer matters.
fn of_backfilled(runs: &[&PastRun<'_>]) -> Option<MissedFor> {
    const SHOWN: usize = 3;
    let names: Vec<&str> = runs.iter().map(|run| run.job.name.as_str()).collect();
    let evidence = text!("backfilled by {}", some_of(&names, SHOWN));
    Some(MissedFor {
        cause: MissedCause::Backfilled,
        count: u64::try_from(runs.len()).unwrap_or(u64::MAX),
        first: scheduled_times_of(runs).min()?,
        last: scheduled_times_of(runs).max()?,
        evidence,
    })
}

fn suspension(facts: &Facts<'_>) -> Option<CausePeriod> {
    let record = SuspensionRecord::of(&facts.input.cron_job)?;
    let missed_since = || facts.missed.map(|missed| missed.since);
    let from = record.since(&facts.input).or_else(missed_since)?;
    Some(CausePeriod {
        from,
        cause: MissedCause::Suspended,
        evidence: record
            .by_whom(
                &facts.input.cron_job,
                facts.input.controller.display.as_deref(),
            )
            .unwrap_or_else(|| "since an unknown time (spec.suspend: true)".into()),
    })
}

fn forbid(facts: &Facts<'_>) -> Option<CausePeriod> {
    if facts.input.cron_job.spec.concurrency_policy != ConcurrencyPolicy::Forbid {
        return None;
    }
    let active = facts.decision.status_after.active.iter();
    let active: HashSet<&String> = active.collect();
    let namespace = &facts.input.cron_job.namespace;
    let mut jobs = facts.input.jobs.iter();
    let job = jobs.find(|job| job.namespace == *namespace && active.contains(&job.name))?;
    let from = job.start_time.or(job.creation_timestamp)?;
    Some(CausePeriod {
        from,
        cause: MissedCause::Forbid,
        evidence: text!("{} has been active since {}", job.name, local(facts, from)),
    })
}

fn failing(facts: &Facts<'_>) -> Option<CausePeriod> {
    let failures = || facts.events_with("FailedCreate");
    let from = failures().filter_map(Event::first_seen).min()?;
    let last = failures().max_by_key(|event| event.last_seen())?;
    // If a Job was started since, that is over.
    let mut runs = facts.runs.iter();
    let over = runs.any(|run| run.job.creation_timestamp > last.last_seen());
    (!over).then(|| CausePeriod {
        from,
        cause: MissedCause::CreationFailed,
        evidence: last.message.clone().into(),
    })
}

fn rest(facts: &Facts<'_>, from: Timestamp) -> CausePeriod {
    let release = facts.input.controller.release;
    let deadline = facts.input.cron_job.spec.starting_deadline_seconds;
    let (cause, evidence) = match (facts.decision.outcome, deadline) {
        (Outcome::NoRunFound, _) => {
            let evidence = text!(
                "the intervals differ, and the estimate of Kubernetes {} misses these runs",
                release
            );
            (MissedCause::Arithmetic, evidence)
        }
        (Outcome::TooManyMissed, _) => {
            let evidence = text!("Kubernetes {} gives up above 100", release);
            (MissedCause::TooMany, evidence)
        }
        (Outcome::Wait, Some(deadline)) => {
            let evidence = text!("startingDeadlineSeconds: {} has passed", deadline);
            (MissedCause::Deadline, evidence)
        }
        (Outcome::NameTaken | Outcome::AlreadyProcessed, _) if !facts.adopts() => {
            let name = facts.decision.job_name.as_deref().unwrap_or_default();
            let evidence = text!("a Job named {} already exists", name);
            (MissedCause::NameTaken, evidence)
        }
        _ => next_start(facts),
    };
    CausePeriod {
        from,
        cause,
        evidence,
    }
}

/// What the forecast knows of a run that is due.
fn next_start(facts: &Facts<'_>) -> (MissedCause, Text) {
    let next = facts.outlook().next_start();
    let next = next.filter(|next| next.scheduled_time.is_some_and(|at| at <= facts.input.now));
    match next.map(|next| (&next.because, &next.condition)) {
        Some((Some(SyncReason::Edited(edit)), _)) => (
            MissedCause::ScheduleEdited,
            text!(
                "{} edited the schedule at {}, and the controller has not synced since",
                edit.manager,
                action_time(&facts.input, edit.at)
            ),
        ),
        Some((Some(SyncReason::BackOff(failures)), _)) => {
            (MissedCause::CreationFailed, failures.message.clone().into())
        }
        Some((_, None)) if facts.missed.is_some_and(|missed| missed.count == 1) => {
            (MissedCause::Due, "about to start".into())
        }
        _ if facts.input.jobs_are_unknown() => (MissedCause::Unknown, "Jobs were not read".into()),
        _ => (
            MissedCause::Unknown,
            "no evidence found; the controller may have been down".into(),
        ),
    }
}
