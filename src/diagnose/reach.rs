//! How far the evidence reaches.

use jiff::Timestamp;

use crate::model::{CronJob, Event, Job, Sighting};

/// How far the evidence reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reach {
    /// Whether the Jobs were read. A snapshot without a single Job proves nothing about Jobs.
    pub jobs_read: bool,
    /// Whether the events were read.
    pub events_read: bool,
    /// Until when it reaches: an old snapshot says nothing about what came after.
    pub as_of: Timestamp,
}

impl Reach {
    /// What files show: up to the newest time in them that is not later than `now`. Events and Jobs
    /// of other `CronJob`s count too: they show when somebody looked.
    pub fn of_files<'a>(
        cron_jobs: impl IntoIterator<Item = &'a CronJob>,
        seen: &Sighting,
        now: Timestamp,
    ) -> Self {
        let own = cron_jobs.into_iter().flat_map(times_of_cron_job);
        Self::up_to(own, &seen.jobs, &seen.events, now)
    }

    pub(super) fn up_to(
        own: impl IntoIterator<Item = Timestamp>,
        jobs: &[Job],
        events: &[Event],
        now: Timestamp,
    ) -> Self {
        let of_jobs = jobs.iter().flat_map(times_of_job);
        let of_events = events.iter().filter_map(Event::last_seen);
        let all = own.into_iter().chain(of_jobs).chain(of_events);
        Reach {
            jobs_read: !jobs.is_empty(),
            events_read: !events.is_empty(),
            as_of: all
                .filter(|time| *time <= now)
                .max()
                .unwrap_or(Timestamp::MIN),
        }
    }
}

pub(super) fn times_of_cron_job(cron_job: &CronJob) -> impl Iterator<Item = Timestamp> {
    let status = &cron_job.status;
    let managed = cron_job.managed_fields.iter().map(|field| field.time);
    let own = [
        cron_job.creation_timestamp,
        status.last_schedule_time,
        status.last_successful_time,
    ];
    own.into_iter().chain(managed).flatten()
}

fn times_of_job(job: &Job) -> impl Iterator<Item = Timestamp> {
    let changed = job.conditions.iter();
    let changed = changed.map(|condition| condition.last_transition_time);
    let own = [job.creation_timestamp, job.start_time, job.completion_time];
    changed.chain(own).flatten()
}
