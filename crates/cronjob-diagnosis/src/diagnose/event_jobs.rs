//! Jobs that no longer exist, as far as events record them.
//!
//! The controller names the Job in its events, and the name contains the scheduled time.

use std::collections::{BTreeMap, HashSet};

use jiff::Timestamp;

use super::{Facts, Input};
use kube_model::{ConcurrencyPolicy, Event, JobResult, time_of_named_job};

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

impl EventJob {
    /// Whether it is gone for another reason than that it was in the way.
    pub(crate) fn is_over(&self) -> bool {
        matches!(self.removed, JobRemoval::Somehow | JobRemoval::Deleted(_))
    }
}

/// What the events remember, by the name of the Job.
pub(crate) struct EventJobs {
    by_name: BTreeMap<String, EventJob>,
    existing: HashSet<String>,
}

impl EventJobs {
    pub(crate) fn of(facts: &Facts<'_>) -> Self {
        let jobs = facts.input.jobs.iter();
        // How a stored run ended is known, and its scheduled time to the second.
        let stored = facts.input.record.iter().flat_map(|record| &record.runs);
        let recorded = stored
            .filter(|run| run.is_over())
            .map(|run| run.job_name.clone());
        let existing = jobs.filter(|job| job.namespace == facts.input.cron_job.namespace);
        let mut event_jobs = EventJobs {
            by_name: BTreeMap::new(),
            existing: existing
                .map(|job| job.name.clone())
                .chain(recorded.flatten())
                .collect(),
        };
        for event in &facts.own_events {
            event_jobs.take(&facts.input, event);
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

    /// The scheduled times of the Jobs that are gone.
    pub(crate) fn removed_times(&self) -> impl Iterator<Item = Timestamp> {
        self.removed().map(|event_job| event_job.scheduled_time)
    }

    /// Takes down what an event says; `None` if it is not about a Job of the schedule.
    fn take(&mut self, input: &Input<'_>, event: &Event) -> Option<()> {
        let message = event.own_message();
        let at = if message.len() < event.message.len() {
            event.last_seen()?
        } else {
            event.first_seen()?
        };
        let begins = match event.reason.as_str() {
            "SuccessfulCreate" => "Created job ",
            "SawCompletedJob" => "Saw completed job: ",
            "SuccessfulDelete" => "Deleted job ",
            "MissingJob" => "Active job went missing: ",
            _ => return None,
        };
        let rest = message.strip_prefix(begins)?;
        let (name, ending) = rest.split_once(", ").unwrap_or((rest, ""));
        let event_job = self.named(input, name.trim())?;
        match event.reason.as_str() {
            "SuccessfulCreate" => event_job.created = event_job.created.or(Some(at)),
            "SuccessfulDelete" => event_job.removed = JobRemoval::Deleted(at),
            "MissingJob" => event_job.removed = JobRemoval::Missing(at),
            _ => {
                let word = ending.split_once(": ").map(|(_, word)| word);
                let result = word.and_then(JobResult::of_condition);
                event_job.finished = event_job.finished.or(Some(at));
                event_job.result = event_job.result.or(result);
            }
        }
        Some(())
    }

    fn named(&mut self, input: &Input<'_>, name: &str) -> Option<&mut EventJob> {
        let scheduled_time = time_of_named_job(&input.cron_job, name, None)?;
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
    let replaces = facts.input.cron_job.spec.concurrency_policy == ConcurrencyPolicy::Replace;
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
