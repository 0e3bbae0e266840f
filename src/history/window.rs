//! Which stretch of time is looked at.

use jiff::Timestamp;

use super::run;
use super::traces::Traces;
use crate::diagnose::Facts;

/// So many slots are looked at where nobody says from when on.
pub const DEFAULT_SLOTS: usize = 100;

/// What is asked for; what is not said is chosen by the evidence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Window {
    /// From when on.
    pub since: Option<Timestamp>,
    /// Until when; never later than now.
    pub until: Option<Timestamp>,
}

/// Why a window begins where it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// Somebody asked for it.
    Asked,
    /// It is the time of the oldest run that is known.
    OldestRun,
    /// The `CronJob` was created then, and no Job has been removed since, or none is known.
    Creation,
    /// Nothing is known.
    Nothing,
}

impl Basis {
    /// The word for it in documents.
    pub fn as_str(self) -> &'static str {
        match self {
            Basis::Asked => "asked",
            Basis::OldestRun => "oldestRun",
            Basis::Creation => "creation",
            Basis::Nothing => "nothing",
        }
    }
}

/// The window as it is looked at.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span {
    pub(super) since: Timestamp,
    pub(super) until: Timestamp,
    pub(super) basis: Basis,
    /// Whether it ends before now because the evidence does.
    pub(super) ends_with_evidence: bool,
}

pub(super) fn resolve(
    facts: &Facts<'_>,
    traces: &Traces,
    reaches_back: bool,
    window: &Window,
) -> Span {
    let as_of = evidence_ends(facts);
    let known = as_of < facts.now;
    let until = match window.until {
        Some(until) => until.min(facts.now),
        None if known => as_of,
        None => facts.now,
    };
    let created = facts.cron_job.creation_timestamp;
    let (since, basis) = match (window.since, oldest_run(facts, traces), created) {
        (Some(since), _, _) => (since, Basis::Asked),
        (None, Some(oldest), Some(created)) if reaches_back && created <= oldest => {
            (created, Basis::Creation)
        }
        (None, Some(oldest), _) => (oldest, Basis::OldestRun),
        (None, None, Some(created)) => (created, Basis::Creation),
        (None, None, None) => (until, Basis::Nothing),
    };
    Span {
        since,
        until,
        basis,
        ends_with_evidence: window.until.is_none() && known,
    }
}

/// Until when the evidence reaches; evidence without any times is about now.
pub(super) fn evidence_ends(facts: &Facts<'_>) -> Timestamp {
    let as_of = Some(facts.coverage.as_of).filter(|as_of| *as_of > Timestamp::MIN);
    as_of.unwrap_or(facts.now)
}

/// The time that the oldest run was started for, or at.
fn oldest_run(facts: &Facts<'_>, traces: &Traces) -> Option<Timestamp> {
    let of_jobs = facts
        .runs
        .iter()
        .filter_map(|run| run::slot(run).or(run.job.creation_timestamp));
    let of_events = traces.gone().map(|trace| trace.slot);
    of_jobs.chain(of_events).min()
}
