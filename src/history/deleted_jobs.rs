//! Jobs that no longer exist: what events record of them, and which of them nothing explains.
//!
//! The controller names the Job in its events, and the name contains the scheduled time. A Job that
//! no history limit removed was deleted by another client, or the snapshot is incomplete: the same may have
//! happened to every older Job.

use std::collections::{BTreeMap, HashSet};

use jiff::Timestamp;

use super::retention::Retention;
use super::run::{self, JobRemoval, RecordedRun, RunResult};
use crate::diagnose::{Facts, local, time_in_name};
use crate::model::{ConcurrencyPolicy, Event, JobResult};

/// How the event recorder begins the message of an event that stands for several: it is that of
/// the last of them.
const COMBINED: &str = "(combined from similar events): ";

/// Longer after a scheduled time nothing is deleted for it.
const REPLACED_WITHIN: i64 = 30;

/// What the events remember of a Job.
#[derive(Clone, Debug)]
pub(super) struct EventJob {
    pub(super) job_name: String,
    pub(super) scheduled_time: Timestamp,
    pub(super) created: Option<Timestamp>,
    pub(super) finished: Option<Timestamp>,
    pub(super) result: Option<RunResult>,
    pub(super) removed: JobRemoval,
}

/// What the events remember, by the name of the Job.
pub(super) struct EventJobs {
    by_name: BTreeMap<String, EventJob>,
    existing: HashSet<String>,
}

impl RecordedRun {
    pub(super) fn of_event_job(event_job: &EventJob) -> Self {
        let between = |from: Timestamp, to: Timestamp| to.as_second() - from.as_second();
        let created = event_job.created;
        RecordedRun {
            job_name: event_job.job_name.clone(),
            started_at: created,
            finished_at: event_job.finished,
            result: event_job.result,
            delay_seconds: created.map(|created| between(event_job.scheduled_time, created)),
            duration_seconds: created
                .zip(event_job.finished)
                .map(|(created, finished)| between(created, finished).max(0)),
            failure: None,
            removed: Some(event_job.removed),
            backfilled: false,
        }
    }
}

impl EventJobs {
    pub(super) fn of(facts: &Facts<'_>) -> Self {
        let mut event_jobs = EventJobs {
            by_name: BTreeMap::new(),
            existing: facts
                .jobs
                .iter()
                .filter(|job| job.namespace == facts.cron_job.namespace)
                .map(|job| job.name.clone())
                .collect(),
        };
        for event in &facts.events {
            event_jobs.take(facts, event);
        }
        for event_job in event_jobs.by_name.values_mut() {
            if let Some(at) = replaced(facts, event_job) {
                event_job.removed = JobRemoval::Replaced(at);
            }
        }
        event_jobs
    }

    /// The Jobs that are gone, by scheduled time.
    pub(super) fn removed(&self) -> impl Iterator<Item = &EventJob> {
        self.by_name
            .values()
            .filter(|event_job| !self.existing.contains(&event_job.job_name))
    }

    fn take(&mut self, facts: &Facts<'_>, event: &Event) {
        let (message, at) = match event.message.strip_prefix(COMBINED) {
            Some(message) => (message, event.last_seen()),
            None => (event.message.as_str(), event.first_seen()),
        };
        let Some(at) = at else { return };
        match event.reason.as_str() {
            "SuccessfulCreate" => {
                if let Some(event_job) = self.named(facts, message.strip_prefix("Created job ")) {
                    event_job.created.get_or_insert(at);
                }
            }
            "SawCompletedJob" => {
                let Some(rest) = message.strip_prefix("Saw completed job: ") else {
                    return;
                };
                let (name, ending) = rest.split_once(", ").unwrap_or((rest, ""));
                let word = ending.split_once(": ").map(|(_, word)| word);
                let result = word.and_then(JobResult::of_condition).map(RunResult::from);
                if let Some(event_job) = self.named(facts, Some(name)) {
                    event_job.finished.get_or_insert(at);
                    event_job.result = event_job.result.or(result);
                }
            }
            "SuccessfulDelete" => {
                if let Some(event_job) = self.named(facts, message.strip_prefix("Deleted job ")) {
                    event_job.removed = JobRemoval::Deleted(at);
                }
            }
            "MissingJob" => {
                let name = message.strip_prefix("Active job went missing: ");
                if let Some(event_job) = self.named(facts, name) {
                    event_job.removed = JobRemoval::Missing(at);
                }
            }
            _ => {}
        }
    }

    fn named(&mut self, facts: &Facts<'_>, name: Option<&str>) -> Option<&mut EventJob> {
        let name = name?.trim();
        let scheduled_time = time_in_name(&facts.cron_job.name, name)?;
        let event_job = self.by_name.entry(name.to_owned());
        Some(event_job.or_insert_with(|| EventJob {
            job_name: name.to_owned(),
            scheduled_time,
            created: None,
            finished: None,
            result: None,
            removed: JobRemoval::Somehow,
        }))
    }
}

/// When a Job was deleted because the next one was due: with Replace, just then.
fn replaced(facts: &Facts<'_>, event_job: &EventJob) -> Option<Timestamp> {
    let JobRemoval::Deleted(at) = event_job.removed else {
        return None;
    };
    let timetable = facts.timetable.as_ref()?;
    let next = timetable.next(event_job.scheduled_time).ok()??;
    let just_then = (0..=REPLACED_WITHIN).contains(&(at.as_second() - next.as_second()));
    let replaces = facts.cron_job.spec.concurrency_policy == ConcurrencyPolicy::Replace;
    (replaces && event_job.finished.is_none() && just_then).then_some(at)
}

/// A Job that should still be there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct UnexplainedDeletion {
    /// Its scheduled time, or its end where the scheduled time is not known.
    pub(super) at: i64,
    pub(super) evidence: String,
}

/// The youngest Job that is gone without a reason.
pub(super) fn latest_unexplained_deletion(
    facts: &Facts<'_>,
    event_jobs: &EventJobs,
    retention: &Retention,
) -> Option<UnexplainedDeletion> {
    let of_events = event_jobs
        .removed()
        .filter_map(|event_job| of_event_job(retention, event_job));
    let of_status = [
        last_success(facts, retention),
        last_start(facts, event_jobs, retention),
    ];
    of_status
        .into_iter()
        .flatten()
        .chain(of_events)
        .max_by_key(|deletion| deletion.at)
}

/// The Job that succeeded last, by the status.
fn last_success(facts: &Facts<'_>, retention: &Retention) -> Option<UnexplainedDeletion> {
    let last = facts.lost_success()?;
    let removal = retention.removal(last.as_second(), false);
    let explained = removal.if_succeeded || removal.after_ttl;
    (!explained).then(|| UnexplainedDeletion {
        at: last.as_second(),
        evidence: format!("the Job that succeeded at {}", local(facts, last)),
    })
}

/// The Job that was started last, by the status.
fn last_start(
    facts: &Facts<'_>,
    event_jobs: &EventJobs,
    retention: &Retention,
) -> Option<UnexplainedDeletion> {
    let last = facts.cron_job.status.last_schedule_time?;
    let mut known = facts.runs.iter().filter_map(run::scheduled_time);
    let is_known = known.any(|scheduled_time| scheduled_time == last)
        || event_jobs
            .removed()
            .any(|event_job| event_job.scheduled_time == last);
    let explained = retention.removal(last.as_second(), false).is_possible();
    (!is_known && !explained).then(|| UnexplainedDeletion {
        at: last.as_second(),
        evidence: format!("the Job of the run scheduled at {}", local(facts, last)),
    })
}

fn of_event_job(retention: &Retention, event_job: &EventJob) -> Option<UnexplainedDeletion> {
    let scheduled_time = event_job.scheduled_time.as_second();
    // It may have started late, and so have been younger than its scheduled time.
    let started = event_job
        .created
        .map_or(scheduled_time, Timestamp::as_second);
    let removal = retention.removal(started, true);
    let by_limit = match event_job.result {
        Some(RunResult::Succeeded) => removal.if_succeeded,
        Some(RunResult::Failed) => removal.if_failed,
        Some(RunResult::Running) | None => removal.if_succeeded || removal.if_failed,
    };
    let by_controller = matches!(
        event_job.removed,
        JobRemoval::Deleted(_) | JobRemoval::Replaced(_)
    );
    let explained = by_limit || by_controller || removal.after_ttl || removal.replaced;
    (!explained).then(|| UnexplainedDeletion {
        at: scheduled_time,
        evidence: event_job.job_name.clone(),
    })
}
