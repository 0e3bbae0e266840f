//! The first step of every sync: which Jobs run, which are finished, which are gone.

use std::collections::{HashMap, HashSet};

use super::behavior::{Generation, Success};
use super::decision::Verdict;
use super::sync::{Child, SyncContext};
use kube_model::{Job, JobResult, ObjectReference};

/// Compares the Jobs that are there with those that the status lists as active.
pub(super) fn reconcile(sync: &mut SyncContext<'_>) {
    let children = std::mem::take(&mut sync.children);
    let mut running = 0;
    // Usually borrowed.
    let active = sync.active.clone();
    let mut active = Listed::new(&active, |active| &active.uid);
    let mut finished = HashSet::new();
    for Child { job, finish } in &children {
        let listed = active.has(&job.uid) && !finished.contains(job.uid.as_str());
        let Some(finish) = *finish else {
            running += 1;
            if !listed {
                let name = &job.name;
                sync.warning(
                    "UnexpectedJob",
                    format_args!("Saw a job that the controller did not create or forgot: {name}"),
                );
            }
            continue;
        };
        if listed {
            finished.insert(job.uid.as_str());
            sync.updates_status = true;
            let (name, condition) = (&job.name, finish.condition());
            let reason = "SawCompletedJob";
            match sync.behavior.wording.completed {
                "" => sync.normal(reason, format_args!("Saw completed job: {name}")),
                label => sync.normal(
                    reason,
                    format_args!("Saw completed job: {name}, {label}: {condition}"),
                ),
            }
        }
        note_success(sync, job, finish == JobResult::Succeeded, listed);
    }
    sync.forget(&finished);
    remove_missing(sync, &children);
    sync.children = children;
    let (known, active) = (sync.children.len(), sync.active.len());
    sync.step(
        "Jobs",
        Verdict::Pass,
        format_args!("{}, {active} in status.active", counts(known, running)),
    );
}

/// `owns 2 Jobs: 1 unfinished`.
pub(super) fn counts(owned: usize, unfinished: usize) -> String {
    match owned {
        1 => format!("owns 1 Job: {unfinished} unfinished"),
        _ => format!("owns {owned} Jobs: {unfinished} unfinished"),
    }
}

fn note_success(sync: &mut SyncContext<'_>, job: &Job, succeeded: bool, listed: bool) {
    let counts = match sync.behavior.success {
        Success::Never => false,
        Success::FinishedEarlier => !listed,
        Success::SucceededEarlier => !listed && succeeded,
        Success::Succeeded => succeeded,
    };
    if !counts {
        return;
    }
    // The very first is noted even if it has no time of completion, as a failed one has none.
    if sync.last_successful_time.is_none() {
        sync.last_successful_time = job.completion_time;
        sync.updates_status = true;
    }
    if job.completion_time > sync.last_successful_time {
        sync.last_successful_time = job.completion_time;
        sync.updates_status = true;
    }
}

/// Active Jobs that are gone no longer count; the second generation asks for each by name first.
fn remove_missing(sync: &mut SyncContext<'_>, children: &[Child<'_>]) {
    if sync.active.is_empty() {
        return;
    }
    let asks = sync.behavior.generation == Generation::V2;
    let mut known = Listed::new(children, |child| &child.job.uid);
    let mut named: Option<HashSet<&str>> = None;
    let mut gone = Vec::new();
    for active in sync.active.iter() {
        let is_there = known.has(&active.uid)
            || asks && {
                let names = || sync.jobs_there().map(|job| job.name.as_str()).collect();
                named
                    .get_or_insert_with(names)
                    .contains(active.name.as_str())
            };
        if !is_there {
            gone.push(active.clone());
        }
    }
    for ObjectReference { name, .. } in &gone {
        sync.normal(
            "MissingJob",
            format_args!("Active job went missing: {name}"),
        );
        sync.updates_status = true;
    }
    sync.forget(&gone.iter().map(|active| active.uid.as_str()).collect());
}

/// Finds one after the other in a list that is mostly in the same order. Where thousands of Jobs run,
/// to compare each with each takes longer than all the rest.
struct Listed<'a, T> {
    list: &'a [T],
    uid: fn(&T) -> &str,
    /// Where the next one is likely to be.
    place: usize,
    misses: u32,
    index: Option<HashMap<&'a str, usize>>,
}

/// The number of linear searches before an index pays off.
const FEW: u32 = 8;

impl<'a, T> Listed<'a, T> {
    fn new(list: &'a [T], uid: fn(&T) -> &str) -> Self {
        Listed {
            list,
            uid,
            place: 0,
            misses: 0,
            index: None,
        }
    }

    fn has(&mut self, uid: &str) -> bool {
        let own = self.uid;
        let found = if self.list.get(self.place).is_some_and(|one| own(one) == uid) {
            Some(self.place)
        } else if self.misses < FEW {
            self.misses += 1;
            self.list.iter().position(|one| own(one) == uid)
        } else {
            let list = self.list;
            let index = || list.iter().map(own).zip(0..).collect();
            self.index.get_or_insert_with(index).get(uid).copied()
        };
        self.place = found.map_or(self.place, |place| place + 1);
        found.is_some()
    }
}
