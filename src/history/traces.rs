//! What the events remember of Jobs that are gone.
//!
//! The controller names the Job in its events, and the name tells the slot.

use std::collections::{BTreeMap, HashSet};

use jiff::Timestamp;

use super::run::{Gone, Run, RunResult};
use crate::diagnose::{Facts, slot_in_name};
use crate::model::{ConcurrencyPolicy, Event, JobResult};

/// How the event recorder begins the message of an event that stands for several: it is that of
/// the last of them.
const COMBINED: &str = "(combined from similar events): ";

/// Longer after a slot nothing is deleted for it.
const REPLACED_WITHIN: i64 = 30;

/// What the events remember of a Job.
#[derive(Clone, Debug)]
pub(super) struct Trace {
    pub(super) job_name: String,
    pub(super) slot: Timestamp,
    pub(super) created: Option<Timestamp>,
    pub(super) finished: Option<Timestamp>,
    pub(super) result: Option<RunResult>,
    pub(super) gone: Gone,
}

/// What the events remember, by the name of the Job.
pub(super) struct Traces {
    by_name: BTreeMap<String, Trace>,
    existing: HashSet<String>,
}

impl Run {
    pub(super) fn of_trace(trace: &Trace) -> Self {
        let between = |from: Timestamp, to: Timestamp| to.as_second() - from.as_second();
        let created = trace.created;
        Run {
            job_name: trace.job_name.clone(),
            started_at: created,
            finished_at: trace.finished,
            result: trace.result,
            delay_seconds: created.map(|created| between(trace.slot, created)),
            duration_seconds: created
                .zip(trace.finished)
                .map(|(created, finished)| between(created, finished).max(0)),
            failure: None,
            gone: Some(trace.gone),
            backfilled: false,
        }
    }
}

impl Traces {
    pub(super) fn of(facts: &Facts<'_>) -> Self {
        let mut traces = Traces {
            by_name: BTreeMap::new(),
            existing: facts
                .jobs
                .iter()
                .filter(|job| job.namespace == facts.cron_job.namespace)
                .map(|job| job.name.clone())
                .collect(),
        };
        for event in &facts.events {
            traces.take(facts, event);
        }
        for trace in traces.by_name.values_mut() {
            if let Some(at) = replaced(facts, trace) {
                trace.gone = Gone::Replaced(at);
            }
        }
        traces
    }

    /// The Jobs that are gone, by slot.
    pub(super) fn gone(&self) -> impl Iterator<Item = &Trace> {
        self.by_name
            .values()
            .filter(|trace| !self.existing.contains(&trace.job_name))
    }

    fn take(&mut self, facts: &Facts<'_>, event: &Event) {
        let (message, at) = match event.message.strip_prefix(COMBINED) {
            Some(message) => (message, event.last_seen()),
            None => (event.message.as_str(), event.first_seen()),
        };
        let Some(at) = at else { return };
        match event.reason.as_str() {
            "SuccessfulCreate" => {
                if let Some(trace) = self.named(facts, message.strip_prefix("Created job ")) {
                    trace.created.get_or_insert(at);
                }
            }
            "SawCompletedJob" => {
                let Some(rest) = message.strip_prefix("Saw completed job: ") else {
                    return;
                };
                let (name, ending) = rest.split_once(", ").unwrap_or((rest, ""));
                let word = ending.split_once(": ").map(|(_, word)| word);
                let result = word.and_then(JobResult::of_condition).map(RunResult::from);
                if let Some(trace) = self.named(facts, Some(name)) {
                    trace.finished.get_or_insert(at);
                    trace.result = trace.result.or(result);
                }
            }
            "SuccessfulDelete" => {
                if let Some(trace) = self.named(facts, message.strip_prefix("Deleted job ")) {
                    trace.gone = Gone::Deleted(at);
                }
            }
            "MissingJob" => {
                let name = message.strip_prefix("Active job went missing: ");
                if let Some(trace) = self.named(facts, name) {
                    trace.gone = Gone::Missing(at);
                }
            }
            _ => {}
        }
    }

    fn named(&mut self, facts: &Facts<'_>, name: Option<&str>) -> Option<&mut Trace> {
        let name = name?.trim();
        let slot = slot_in_name(&facts.cron_job.name, name)?;
        let trace = self.by_name.entry(name.to_owned());
        Some(trace.or_insert_with(|| Trace {
            job_name: name.to_owned(),
            slot,
            created: None,
            finished: None,
            result: None,
            gone: Gone::Somehow,
        }))
    }
}

/// When a Job was deleted because the next one was due: with Replace, just then.
fn replaced(facts: &Facts<'_>, trace: &Trace) -> Option<Timestamp> {
    let Gone::Deleted(at) = trace.gone else {
        return None;
    };
    let next = facts.timetable.as_ref()?.next(trace.slot).ok()??;
    let just_then = (0..=REPLACED_WITHIN).contains(&(at.as_second() - next.as_second()));
    let replaces = facts.cron_job.spec.concurrency_policy == ConcurrencyPolicy::Replace;
    (replaces && trace.finished.is_none() && just_then).then_some(at)
}
