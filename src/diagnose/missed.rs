//! The slots that were missed: how many really, which, and when the controller will find it many.

use std::collections::BTreeSet;

use jiff::Timestamp;

use super::{Facts, PastRun};
use crate::controller::{Controller, crosses_limit_at};
use crate::model::CronJob;
use crate::schedule::Timetable;

/// The slots that were missed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MissedSlots {
    /// Slots after this moment count: the last start, or the creation.
    pub since: Timestamp,
    /// Up to this moment.
    pub until: Timestamp,
    /// How many there are, exactly: those, too, that were backfilled since, which the controller
    /// does not know of.
    pub count: u64,
    /// The first.
    pub first: Option<Timestamp>,
    /// The last.
    pub last: Option<Timestamp>,
    /// The slot with which more than 100 are missed, if nothing is started until then.
    pub crosses_limit_at: Option<Timestamp>,
}

/// Counts the slots that a `CronJob` missed.
pub fn missed(
    controller: &Controller<'_>,
    cron_job: &CronJob,
    timetable: &Timetable,
    now: Timestamp,
) -> MissedSlots {
    let since = cron_job
        .status
        .last_schedule_time
        .or(cron_job.creation_timestamp)
        .unwrap_or(now);
    let counted = timetable.count(since, now).ok();
    let deadline = cron_job.spec.starting_deadline_seconds;
    MissedSlots {
        since,
        until: now,
        count: counted.map_or(0, |counted| counted.count),
        first: counted.and_then(|counted| counted.first),
        last: counted.and_then(|counted| counted.last),
        crosses_limit_at: crosses_limit_at(controller.behaviour(), timetable, since, deadline),
    }
}

impl<'a> Facts<'a> {
    /// The runs of missed slots that somebody else than the controller started, oldest first.
    pub fn backfilled(&self) -> impl Iterator<Item = &PastRun<'a>> {
        let counts = move |run: &&PastRun<'_>| {
            let (Some(missed), Some(slot)) = (self.missed, run.slot) else {
                return false;
            };
            run.backfilled && missed.since < slot && slot <= missed.until
        };
        self.runs.iter().filter(counts)
    }

    /// The last missed slot that has no run.
    pub fn last_not_run(&self) -> Option<Timestamp> {
        let run: BTreeSet<Timestamp> = self.backfilled().filter_map(|run| run.slot).collect();
        let missed = self.missed?;
        let mut last = missed.last?;
        while run.contains(&last) {
            last = self.timetable.as_ref()?.previous(last)?;
        }
        (last > missed.since).then_some(last)
    }

    /// How many missed slots have no run.
    pub fn not_run(&self) -> Option<u64> {
        let backfilled = u64::try_from(self.backfilled().count()).unwrap_or(u64::MAX);
        Some(self.missed?.count.saturating_sub(backfilled))
    }
}
