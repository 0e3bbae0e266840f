//! Jobs that are gone although no limit removed them: somebody deleted them, or the snapshot is
//! not whole. What happened to one may have happened to every older one.

use jiff::Timestamp;

use super::memory::Memory;
use super::run::{self, Gone, RunResult};
use super::traces::{Trace, Traces};
use crate::diagnose::Facts;

/// A Job that should still be there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Loss {
    /// Its slot, or its end where the slot is not known.
    pub(super) at: i64,
    /// What shows it.
    pub(super) evidence: String,
}

/// The youngest Job that is gone without a reason.
pub(super) fn youngest_loss(facts: &Facts<'_>, traces: &Traces, memory: &Memory) -> Option<Loss> {
    let of_events = traces.gone().filter_map(|trace| of_trace(memory, trace));
    let of_status = [
        last_success(facts, memory),
        last_start(facts, traces, memory),
    ];
    of_status
        .into_iter()
        .flatten()
        .chain(of_events)
        .max_by_key(|loss| loss.at)
}

/// The Job that succeeded last, by the status.
fn last_success(facts: &Facts<'_>, memory: &Memory) -> Option<Loss> {
    let last = facts.lost_success()?;
    let removal = memory.removal(last.as_second(), false);
    let explained = removal.if_succeeded || removal.after_ttl;
    (!explained).then(|| Loss {
        at: last.as_second(),
        evidence: format!("the Job that succeeded at {last}"),
    })
}

/// The Job that was started last, by the status.
fn last_start(facts: &Facts<'_>, traces: &Traces, memory: &Memory) -> Option<Loss> {
    let last = facts.cron_job.status.last_schedule_time?;
    let mut slots = facts.runs.iter().filter_map(run::slot);
    let is_known = slots.any(|slot| slot == last) || traces.gone().any(|trace| trace.slot == last);
    let explained = memory.removal(last.as_second(), false).is_possible();
    (!is_known && !explained).then(|| Loss {
        at: last.as_second(),
        evidence: format!("the Job of the slot {last}"),
    })
}

fn of_trace(memory: &Memory, trace: &Trace) -> Option<Loss> {
    let slot = trace.slot.as_second();
    // It may have started late, and so have been younger than its slot.
    let started = trace.created.map_or(slot, Timestamp::as_second);
    let removal = memory.removal(started, true);
    let by_limit = match trace.result {
        Some(RunResult::Succeeded) => removal.if_succeeded,
        Some(RunResult::Failed) => removal.if_failed,
        Some(RunResult::Running) | None => removal.if_succeeded || removal.if_failed,
    };
    let by_controller = matches!(trace.gone, Gone::Deleted(_) | Gone::Replaced(_));
    let explained = by_limit || by_controller || removal.after_ttl || removal.replaced;
    (!explained).then(|| Loss {
        at: slot,
        evidence: trace.job_name.clone(),
    })
}
