//! The slots that were missed: how many really, which, and when the controller will find it many.

use jiff::Timestamp;

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
    /// How many there are, exactly.
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
