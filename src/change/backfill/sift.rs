//! What is run of the slots that are asked for, and what is left out.

use std::collections::{HashMap, HashSet};

use jiff::Timestamp;

use super::taken::{self, Way};
use super::{Candidate, Choice, LeftOut, Step, Why};
use crate::controller::{SlotMarks, marks_of_slot};
use crate::diagnose::{Facts, PastRun, local_time};
use crate::history::{HistoryEntry, RecordedRun, RunResult, RunStatus};
use crate::model::Job;

/// What is run, and what is left out, both in order.
pub(super) fn sift(
    facts: &Facts<'_>,
    choice: &Choice,
    candidates: Vec<Candidate>,
) -> (Vec<Step>, Vec<LeftOut>) {
    let mut sieve = Sieve::new(facts, choice.include_unknown);
    let (mut kept, mut left_out) = (Vec::new(), Vec::new());
    for candidate in candidates {
        let marks = marks_of_slot(facts.controller, facts.cron_job, candidate.slot);
        if let Some(left) = sieve.holds_back(&candidate, &marks) {
            add(&mut left_out, left);
        } else {
            sieve.names.insert(marks.job_name.clone());
            kept.push((candidate, marks));
        }
    }
    if let Some(last) = choice.last.filter(|_| choice.slots.is_empty()) {
        let others = kept.len().saturating_sub(last);
        kept.drain(..others);
        // What lies before the first one was not asked for.
        let first = kept.first().map(|(candidate, _)| candidate.slot);
        left_out.retain(|left| first.is_none_or(|first| left.last >= first));
    }
    for (beyond, _) in kept.drain(choice.max.min(kept.len())..) {
        let detail = format!("--max {} allows no more", choice.max);
        add(
            &mut left_out,
            LeftOut::new(&beyond.slot, Why::BeyondMax, detail),
        );
    }
    left_out.sort_by_key(|left| left.first);
    let steps = kept.into_iter();
    let steps = steps.map(|(candidate, marks)| step(facts, &candidate, marks));
    (steps.collect(), left_out)
}

fn step(facts: &Facts<'_>, candidate: &Candidate, marks: SlotMarks) -> Step {
    Step {
        slot: candidate.slot,
        local_time: local_time(candidate.slot, facts.zone().time_zone()),
        job_name: marks.job_name,
        scheduled_timestamp: marks.scheduled_timestamp,
        missed: candidate.entry.reason.clone(),
        may_have_run: candidate.entry.status == RunStatus::Unknown,
    }
}

/// Puts neighbours with one reason together.
fn add(left_out: &mut Vec<LeftOut>, left: LeftOut) {
    match left_out.last_mut() {
        Some(before) if before.is_like(&left) => {
            before.last = left.last;
            before.count += left.count;
        }
        _ => left_out.push(left),
    }
}

impl LeftOut {
    pub(super) fn new(slot: &Timestamp, why: Why, detail: impl Into<String>) -> Self {
        LeftOut {
            first: *slot,
            last: *slot,
            count: 1,
            job_name: None,
            why,
            detail: detail.into(),
        }
    }

    fn by(self, job_name: &str) -> Self {
        LeftOut {
            job_name: Some(job_name.to_owned()),
            ..self
        }
    }

    fn is_like(&self, other: &LeftOut) -> bool {
        self.why == other.why
            && self.detail == other.detail
            && self.job_name.is_none()
            && other.job_name.is_none()
    }
}

/// What keeps slots from being run.
struct Sieve<'f, 'a> {
    facts: &'f Facts<'a>,
    include_unknown: bool,
    /// The runs by the second of their slot, whoever made them.
    runs: HashMap<i64, &'f PastRun<'a>>,
    /// The Jobs of the namespace by name.
    jobs: HashMap<&'a str, &'a Job>,
    /// The names that are given already.
    names: HashSet<String>,
    /// When something succeeded of which the Job is gone.
    gone: Option<Timestamp>,
}

impl<'f, 'a> Sieve<'f, 'a> {
    fn new(facts: &'f Facts<'a>, include_unknown: bool) -> Self {
        let by_slot = |run: &'f PastRun<'a>| Some((run.slot?.as_second(), run));
        let jobs: &'a [Job] = facts.jobs;
        let own = jobs
            .iter()
            .filter(|job| job.namespace == facts.cron_job.namespace);
        Sieve {
            facts,
            include_unknown,
            runs: facts.runs.iter().filter_map(by_slot).collect(),
            jobs: own.map(|job| (job.name.as_str(), job)).collect(),
            names: HashSet::new(),
            gone: facts.lost_success(),
        }
    }

    /// Why a slot is not run, if it is not.
    fn holds_back(&self, candidate: &Candidate, marks: &SlotMarks) -> Option<LeftOut> {
        let slot = &candidate.slot;
        let left = |why, detail: String| Some(LeftOut::new(slot, why, detail));
        let HistoryEntry {
            status,
            run,
            reason,
            ..
        } = &*candidate.entry;
        if let Some(run) = run {
            return Some(of_run(slot, run));
        }
        if let Some(run) = self.runs.get(&slot.as_second()) {
            let name = &run.job.name;
            let (why, verb) = match run.ending() {
                Some(_) => (Why::Ran, "ran"),
                None => (Why::Running, "runs"),
            };
            return left(why, format!("{name} {verb} for it")).map(|left| left.by(name));
        }
        if let Some(job) = self.jobs.get(marks.job_name.as_str()) {
            let detail = taken::whose(self.facts, job);
            return left(Why::NameTaken, detail).map(|left| left.by(&job.name));
        }
        if self.names.contains(&marks.job_name) {
            let detail = format!(
                "{} is the Job of another slot of that minute",
                marks.job_name
            );
            return left(Why::NameTaken, detail);
        }
        if candidate.named {
            return None;
        }
        let code = reason.as_ref().map(|reason| reason.code);
        let detail = || {
            reason
                .as_ref()
                .map_or_else(String::new, |reason| reason.detail.clone())
        };
        if code == Some("notCreated") && !self.counts_as_missed(*slot) {
            return left(Why::NotCreated, detail());
        }
        if code == Some("due") || self.is_next_of_controller(*slot) {
            return left(Why::ControllerStarts, taken::controller_starts(self.facts));
        }
        if self.include_unknown {
            return None;
        }
        if *status == RunStatus::Unknown {
            return left(Why::MayHaveRun, detail());
        }
        let gone = self.gone.filter(|gone| *slot < *gone)?;
        left(
            Why::MayHaveRun,
            format!("a Job of it succeeded at {gone} and is gone; it may have been this slot's"),
        )
    }

    /// Whether a slot is later than the last start. One before the creation can be, where somebody
    /// has written the status.
    fn counts_as_missed(&self, slot: Timestamp) -> bool {
        self.facts.missed.is_some_and(|missed| slot > missed.since)
    }

    /// Whether the controller starts a slot as soon as it looks, or as soon as nothing is in the way.
    fn is_next_of_controller(&self, slot: Timestamp) -> bool {
        !self.facts.is_suspended()
            && matches!(
                taken::next_of(&self.facts.decision),
                Some((next, Way::Starts | Way::Waits)) if next == slot
            )
    }
}

fn of_run(slot: &Timestamp, run: &RecordedRun) -> LeftOut {
    let (why, how) = match run.result {
        Some(RunResult::Running) => (Why::Running, "it runs".to_owned()),
        Some(RunResult::Succeeded) => (Why::Ran, "it ran, and succeeded".to_owned()),
        Some(RunResult::Failed) => {
            let again = match run.removed {
                None => "; to run it again, delete its Job first",
                Some(_) => "",
            };
            (Why::Ran, format!("it ran, and failed{again}"))
        }
        None => (Why::Ran, "it ran".to_owned()),
    };
    LeftOut::new(slot, why, how).by(&run.job_name)
}
