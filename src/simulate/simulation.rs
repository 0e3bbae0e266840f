//! What a simulation came to.

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::plan::Plan;
use super::run::{Ending, Run, Status};

/// What a simulation came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Simulation {
    /// Its beginning.
    pub from: Timestamp,
    /// Its end.
    pub to: Timestamp,
    /// What became of each slot, in order, and the starts for what is none.
    pub runs: Vec<Run>,
    /// How many slots the controller had not looked at yet.
    pub pending: u64,
    /// How often each event was recorded, by its type and reason.
    pub events: BTreeMap<(&'static str, &'static str), u64>,
    /// When the controller looked over and over again without a pause.
    pub spins: Vec<(Timestamp, Timestamp)>,
    /// The sums.
    pub summary: Summary,
}

/// The sums of a simulation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Slots whose fate is known.
    pub slots: u64,
    /// Started in time.
    pub started: u64,
    /// Started later than that.
    pub late: u64,
    /// Never started.
    pub lost: u64,
    /// Never started because another run was in the way.
    pub blocked: u64,
    /// Starts for times that are no slots.
    pub phantom: u64,
    /// Jobs that were deleted to make room.
    pub replaced: u64,
    /// Jobs that failed.
    pub failed: u64,
    /// Of those lost and blocked, how many of which no event told.
    pub silent: u64,
    /// By how much the latest one was late, in seconds.
    pub max_delay_seconds: Option<i64>,
}

impl Simulation {
    pub(super) fn new(
        plan: &Plan,
        runs: Vec<Run>,
        pending: u64,
        events: BTreeMap<(&'static str, &'static str), u64>,
        spins: Vec<(Timestamp, Timestamp)>,
    ) -> Self {
        let mut summary = Summary::default();
        for run in &runs {
            summary.add(run);
        }
        Simulation {
            from: plan.from,
            to: plan.to,
            runs,
            pending,
            events,
            spins,
            summary,
        }
    }
}

impl Run {
    /// How long after its slot its Job was created, in seconds.
    pub fn delay_seconds(&self) -> Option<i64> {
        Some(self.started_at?.as_second() - self.slot.as_second())
    }
}

impl Summary {
    fn add(&mut self, run: &Run) {
        let count = match run.status {
            Status::Started => &mut self.started,
            Status::Late => &mut self.late,
            Status::Lost => &mut self.lost,
            Status::Blocked => &mut self.blocked,
            Status::Phantom => &mut self.phantom,
        };
        *count += 1;
        let told = run.why.as_ref().and_then(|why| why.told);
        self.silent += u64::from(run.started_at.is_none() && told.is_none());
        self.replaced += u64::from(run.result == Some(Ending::Replaced));
        self.failed += u64::from(run.result == Some(Ending::Failed));
        if run.status != Status::Phantom {
            self.slots += 1;
            self.max_delay_seconds = self.max_delay_seconds.max(run.delay_seconds());
        }
    }
}
