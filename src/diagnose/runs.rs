//! The Jobs that belong to a `CronJob`, and how they went.

use jiff::Timestamp;

use crate::controller::SCHEDULED_TIME_ANNOTATION;
use crate::model::{CronJob, Job, JobCondition, JobResult, MANUAL_ANNOTATION};

/// A Job that belongs to the `CronJob`.
#[derive(Clone, Copy, Debug)]
pub struct PastRun<'a> {
    /// The Job.
    pub job: &'a Job,
    /// The scheduled time it was started for; `None` for a manually created Job.
    pub scheduled_time: Option<Timestamp>,
    /// Whether the controller counts it as its own.
    pub controlled: bool,
    /// Whether it was created for a missed run, but not by the controller.
    pub backfilled: bool,
}

/// The annotation of Jobs that `backfill` makes.
pub const BACKFILLED: &str = "cronjob-doctor/backfilled";

impl<'a> PastRun<'a> {
    /// The condition that it ended with; `None` while it is not finished.
    pub fn ending(&self) -> Option<&'a JobCondition> {
        self.job.ending()
    }

    /// The condition that it failed with.
    pub fn failure(&self) -> Option<&'a JobCondition> {
        self.job.failure()
    }

    /// Whether it succeeded.
    pub fn succeeded(&self) -> bool {
        self.job.result() == Some(JobResult::Succeeded)
    }

    /// When it ended.
    pub fn finished_at(&self) -> Option<Timestamp> {
        self.job.finished_at()
    }

    /// How long it took from its creation to its end, in seconds.
    pub fn duration_seconds(&self) -> Option<i64> {
        self.job.duration_seconds()
    }

    /// How long it ran, without the time in which it was suspended, in seconds.
    pub fn run_seconds(&self) -> Option<i64> {
        self.job.run_seconds()
    }

    /// How long after its scheduled time the controller created it, in seconds.
    pub fn delay_seconds(&self) -> Option<i64> {
        let created = self.job.creation_timestamp?;
        self.is_by_controller()
            .then_some(created.as_second() - self.scheduled_time?.as_second())
    }

    /// Whether the controller started it.
    pub fn is_by_controller(&self) -> bool {
        self.controlled && !self.backfilled && !self.is_manual()
    }

    /// Whether it was created manually from the `CronJob`.
    pub fn is_manual(&self) -> bool {
        let made = self.job.annotations.get(MANUAL_ANNOTATION);
        made.is_some_and(|value| value == "manual") || self.scheduled_time.is_none()
    }
}

/// Whether a Job has finished.
pub(super) fn is_finished(job: &Job) -> bool {
    job.ending().is_some()
}

/// The Jobs of a `CronJob`, oldest first.
pub(crate) fn past_runs<'a>(cron_job: &CronJob, jobs: &'a [Job]) -> Vec<PastRun<'a>> {
    let mut runs: Vec<PastRun<'a>> = jobs
        .iter()
        .filter(|job| job.namespace == cron_job.namespace)
        .filter_map(|job| {
            let owner = job.owner_references.iter().find(|owner| {
                owner.kind == "CronJob"
                    && owner.name == cron_job.name
                    && (cron_job.uid.is_empty() || owner.uid == cron_job.uid)
            })?;
            let mut run = PastRun {
                job,
                scheduled_time: scheduled_time_of(cron_job, job),
                controlled: owner.controller == Some(true),
                backfilled: false,
            };
            let by_another = job.annotations.contains(BACKFILLED) || job.by_kubectl;
            run.backfilled = run.controlled && by_another && !run.is_manual();
            Some(run)
        })
        .collect();
    runs.sort_by_key(|run| (run.job.creation_timestamp, run.scheduled_time));
    runs
}

/// The scheduled time of a Job: its annotation, or else the number at the end of its name.
fn scheduled_time_of(cron_job: &CronJob, job: &Job) -> Option<Timestamp> {
    if let Some(scheduled_time) = job.annotations.get(SCHEDULED_TIME_ANNOTATION) {
        return scheduled_time.parse().ok();
    }
    // The number can be another one, such as the date and time of a manually created Job.
    let created = job.creation_timestamp;
    let in_time = |time: &Timestamp| created.is_none_or(|created| *time <= later(created));
    time_in_name(&cron_job.name, &job.name).filter(in_time)
}

/// A day later: clocks may differ, but not by that much.
fn later(time: Timestamp) -> Timestamp {
    const DAY: i64 = 86_400;
    let later = time.as_second().saturating_add(DAY);
    Timestamp::from_second(later).unwrap_or(Timestamp::MAX)
}

/// The scheduled time that the name of a Job ends with.
pub(crate) fn time_in_name(cron_job: &str, job: &str) -> Option<Timestamp> {
    let number = job.strip_prefix(cron_job)?.strip_prefix('-')?;
    let digits = number.bytes().all(|byte| byte.is_ascii_digit());
    let number: i64 = number.parse().ok().filter(|_| digits)?;
    // Minutes have eight digits for a long time to come, seconds have ten.
    let seconds = if number < 1_000_000_000 {
        number.checked_mul(60)?
    } else {
        number
    };
    Timestamp::from_second(seconds).ok()
}
