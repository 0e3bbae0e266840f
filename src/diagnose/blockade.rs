//! A Job that keeps a `CronJob` from starting another one.

use jiff::Timestamp;

use super::{Facts, PastRun};
use crate::controller::Outcome;
use crate::model::{ConcurrencyPolicy, Job};

/// Runs that were not started although they were due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Unstarted {
    /// How many there are.
    pub(super) count: u64,
    /// When the first was due.
    pub(super) first: Timestamp,
    /// When the last was due.
    pub(super) last: Timestamp,
}

/// Two runs in a row within less time than this are too few to call it an error.
const HOUR: i64 = 3_600;

impl Unstarted {
    /// The runs that were due after a moment, up to another.
    pub(super) fn between(facts: &Facts<'_>, after: Timestamp, until: Timestamp) -> Option<Self> {
        let timetable = facts.timetable.as_ref().filter(|_| after < until)?;
        let counted = timetable.count(after, until).ok()?;
        Some(Unstarted {
            count: counted.count,
            first: counted.first?,
            last: counted.last?,
        })
    }

    /// Whether more than a period has gone by without a start, and an hour at least.
    pub(super) fn is_lasting(self, facts: &Facts<'_>) -> bool {
        self.count > 1 && facts.ago(self.first) >= HOUR
    }
}

/// A Job that keeps a `CronJob` from starting another one.
pub(super) struct Blockade<'a> {
    /// Its name, as the controller knows it.
    pub(super) name: &'a str,
    /// The Job, if it was read.
    pub(super) job: Option<&'a Job>,
    /// The runs that were due since it started.
    pub(super) unstarted: Unstarted,
}

impl Facts<'_> {
    /// The Job that keeps others from being started, if a run was due since it was created: whether
    /// that run could still be started does not matter.
    pub(super) fn blockade(&self) -> Option<Blockade<'_>> {
        let active = &self.decision.status_after.active;
        let forbids = self.cron_job.spec.concurrency_policy == ConcurrencyPolicy::Forbid;
        let is_blocked = self.decision.outcome == Outcome::Blocked;
        let starts_nothing = self.is_suspended()
            || self.cron_job.deletion_timestamp.is_some()
            || !self.has_time_to_start();
        if starts_nothing || !(forbids || is_blocked) {
            return None;
        }
        let known = active.iter().map(|name| (name, self.job_named(name)));
        let oldest = known.min_by_key(|(_, job)| job.and_then(|job| job.creation_timestamp));
        let (name, job) = oldest?;
        let missed_since = self.missed?.since;
        let created = job.and_then(|job| job.creation_timestamp);
        let since = created.map_or(missed_since, |created| created.max(missed_since));
        let unstarted = Unstarted::between(self, since, self.now)?;
        Some(Blockade {
            name,
            job,
            unstarted,
        })
    }

    /// How long the longest run took that has finished, in seconds.
    pub(super) fn longest_run(&self) -> Option<i64> {
        let runs = self.runs.iter();
        runs.filter_map(PastRun::duration_seconds).max()
    }
}
