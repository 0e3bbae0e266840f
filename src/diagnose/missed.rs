//! The runs that were missed: how many and which, and how many the controller believes.

use std::collections::BTreeSet;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::{Facts, PastRun};
use crate::controller::{Class, Controller, LIMIT, Missed, crosses_limit_at};
use crate::model::CronJob;
use crate::schedule::Timetable;

/// The runs that were missed.
#[derive(Clone, Copy, Debug, JsonSchema, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MissedRuns {
    /// Runs scheduled after this moment count: the last start, or the creation.
    pub since: Timestamp,
    /// Runs scheduled up to this moment count.
    pub until: Timestamp,
    /// How many there are, exactly, including those that were backfilled since.
    pub count: u64,
    /// The first of them.
    pub first: Option<Timestamp>,
    /// The last of them.
    pub last: Option<Timestamp>,
    /// How many this release estimates; null where it computes no number.
    pub controller_estimate: Option<i64>,
    /// Whether this release considers that none, few or many.
    pub controller_class: Class,
    /// More than this many are too many.
    pub limit: i64,
    /// When there will be more than that if nothing starts.
    pub crosses_limit_at: Option<Timestamp>,
}

/// Counts the runs that a `CronJob` missed, beside what the controller `believes`.
pub(super) fn missed(
    controller: &Controller<'_>,
    cron_job: &CronJob,
    timetable: &Timetable,
    believes: Option<Missed>,
    now: Timestamp,
) -> MissedRuns {
    let since = cron_job
        .status
        .last_schedule_time
        .or(cron_job.creation_timestamp)
        .unwrap_or(now);
    let counted = timetable.count(since, now).ok();
    let deadline = cron_job.spec.starting_deadline_seconds;
    MissedRuns {
        since,
        until: now,
        count: counted.map_or(0, |counted| counted.count),
        first: counted.and_then(|counted| counted.first),
        last: counted.and_then(|counted| counted.last),
        controller_estimate: believes.and_then(|missed| missed.estimate),
        controller_class: believes.map_or(Class::None, |missed| missed.class),
        limit: LIMIT,
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
