//! Which run was in the way of a slot, where the policy is Forbid.

use jiff::Timestamp;

use super::run;
use super::traces::{Trace, Traces};
use crate::diagnose::{Facts, PastRun};
use crate::model::ConcurrencyPolicy;

/// A run of which is known from when to when it counted as running.
#[derive(Clone, Debug)]
pub(super) struct Blocker {
    pub(super) job_name: String,
    pub(super) from: Timestamp,
    /// `None` while it is not finished.
    pub(super) until: Option<Timestamp>,
    slot: i64,
}

/// The runs that can have been in the way, by start.
#[derive(Default)]
pub(super) struct Blockers {
    all: Vec<Blocker>,
    /// Of the first so many, the one that ended last.
    longest: Vec<usize>,
}

impl Blockers {
    pub(super) fn of(facts: &Facts<'_>, traces: &Traces) -> Self {
        if facts.cron_job.spec.concurrency_policy != ConcurrencyPolicy::Forbid {
            return Blockers::default();
        }
        let of_jobs = facts.runs.iter().filter_map(of_job);
        let of_events = traces.gone().filter_map(of_trace);
        let mut all: Vec<Blocker> = of_jobs.chain(of_events).collect();
        all.sort_by_key(|blocker| blocker.from);
        let mut longest: Vec<usize> = Vec::with_capacity(all.len());
        for (index, blocker) in all.iter().enumerate() {
            let before = longest.last().copied();
            let ends_later = before
                .and_then(|before| all.get(before))
                .is_some_and(|before| before.end() >= blocker.end());
            longest.push(before.filter(|_| ends_later).unwrap_or(index));
        }
        Blockers { all, longest }
    }

    /// The run that was still going at a slot, and not for that slot.
    pub(super) fn at(&self, slot: i64) -> Option<usize> {
        let started = self
            .all
            .partition_point(|blocker| blocker.from.as_second() <= slot);
        let index = *self.longest.get(started.checked_sub(1)?)?;
        let blocker = self.all.get(index)?;
        (blocker.end() > slot && blocker.slot < slot).then_some(index)
    }

    pub(super) fn get(&self, index: usize) -> Option<&Blocker> {
        self.all.get(index)
    }
}

impl Blocker {
    /// The second in which it ended; never, as long as it has not.
    pub(super) fn end(&self) -> i64 {
        self.until.map_or(i64::MAX, Timestamp::as_second)
    }
}

fn of_job(run: &PastRun<'_>) -> Option<Blocker> {
    let until = match run.ending() {
        Some(_) => Some(run.finished_at()?),
        None => None,
    };
    Some(Blocker {
        job_name: run.job.name.clone(),
        from: run.job.creation_timestamp?,
        until,
        slot: run::started_slot(run)?.as_second(),
    })
}

fn of_trace(trace: &Trace) -> Option<Blocker> {
    Some(Blocker {
        job_name: trace.job_name.clone(),
        from: trace.created?,
        until: Some(trace.finished?),
        slot: trace.slot.as_second(),
    })
}
