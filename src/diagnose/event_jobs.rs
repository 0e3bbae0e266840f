//! Jobs that no longer exist, as far as events record them.
//!
//! The controller names the Job in its events, and the name contains the scheduled time.

use std::collections::{BTreeMap, HashSet};

use jiff::Timestamp;

use super::Facts;
use super::runs::time_in_name;
use crate::model::{ConcurrencyPolicy, Event, JobResult};

/// How the event recorder begins the message of an event that stands for several: it is that of
/// the last of them.
const COMBINED: &str = "(combined from similar events): ";

/// Longer after a scheduled time nothing is deleted for it.
const REPLACED_WITHIN: i64 = 30;

/// What the events remember of a Job.
#[derive(Clone, Debug)]
pub(crate) struct EventJob {
    pub(crate) job_name: String,
    pub(crate) scheduled_time: Timestamp,
    pub(crate) created: Option<Timestamp>,
    pub(crate) finished: Option<Timestamp>,
    pub(crate) result: Option<JobResult>,
    pub(crate) removed: JobRemoval,
}

/// What the events remember, by the name of the Job.
pub(crate) struct EventJobs {
    by_name: BTreeMap<String, EventJob>,
    existing: HashSet<String>,
}

impl EventJobs {
    pub(crate) fn of(facts: &Facts<'_>) -> Self {
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
    pub(crate) fn removed(&self) -> impl Iterator<Item = &EventJob> {
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
                let result = word.and_then(JobResult::of_condition);
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

/// What removed a Job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JobRemoval {
    Somehow,
    Deleted(Timestamp),
    /// The controller deleted it while it ran, for the next one.
    Replaced(Timestamp),
    /// The controller noticed that it was gone while it was in `status.active`.
    Missing(Timestamp),
}

impl JobRemoval {
    /// The moment at which it is known to have been gone.
    pub(crate) fn at(self) -> Option<Timestamp> {
        match self {
            JobRemoval::Somehow => None,
            JobRemoval::Deleted(at) | JobRemoval::Replaced(at) | JobRemoval::Missing(at) => {
                Some(at)
            }
        }
    }
}
