//! A change of what is asked of a `CronJob`.

use super::{ConcurrencyPolicy, CronJobSpec};

/// Another value for a field of the spec.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SpecChange {
    /// `spec.schedule`
    Schedule(String),
    /// `spec.timeZone`
    TimeZone(Option<String>),
    /// `spec.startingDeadlineSeconds`
    StartingDeadlineSeconds(Option<i64>),
    /// `spec.concurrencyPolicy`
    ConcurrencyPolicy(ConcurrencyPolicy),
    /// `spec.suspend`
    Suspend(Option<bool>),
    /// `spec.successfulJobsHistoryLimit`
    SuccessfulJobsHistoryLimit(Option<i32>),
    /// `spec.failedJobsHistoryLimit`
    FailedJobsHistoryLimit(Option<i32>),
}

impl SpecChange {
    pub fn apply(&self, spec: &mut CronJobSpec) {
        match self {
            Self::Schedule(schedule) => spec.schedule = schedule.clone(),
            Self::TimeZone(zone) => spec.time_zone = zone.clone(),
            Self::StartingDeadlineSeconds(seconds) => spec.starting_deadline_seconds = *seconds,
            Self::ConcurrencyPolicy(policy) => spec.concurrency_policy = policy.clone(),
            Self::Suspend(suspend) => spec.suspend = *suspend,
            Self::SuccessfulJobsHistoryLimit(limit) => spec.successful_jobs_history_limit = *limit,
            Self::FailedJobsHistoryLimit(limit) => spec.failed_jobs_history_limit = *limit,
        }
    }
}
