//! How far back the Jobs of a `CronJob` show what happened.
//!
//! Beyond each history limit the controller deletes the finished Jobs that started first. So while
//! fewer than the limit are newer than a scheduled time, the limit cannot have removed the Job of that scheduled time.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use crate::diagnose::{Facts, Input};
use cronjob_controller::controller::{Behavior, Generation};
use kube_model::{ConcurrencyPolicy, CronJobSpec};

/// What the API server fills in.
const DEFAULT_LIMITS: (i32, i32) = (3, 1);

/// How far back the Jobs show what happened.
#[derive(Clone, Copy, Debug, JsonSchema, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Retention {
    /// `spec.successfulJobsHistoryLimit`, or its default.
    pub successful_jobs_history_limit: Option<i32>,
    /// `spec.failedJobsHistoryLimit`, or its default.
    pub failed_jobs_history_limit: Option<i32>,
    /// `ttlSecondsAfterFinished` of the Job template.
    pub ttl_seconds_after_finished: Option<i64>,
    /// The history limit may have removed successful Jobs that were started up to this time; null if it
    /// has removed none.
    pub successes_since: Option<Timestamp>,
    /// The history limit may have removed failed Jobs that were started up to this time; null if it has removed
    /// none.
    pub failures_since: Option<Timestamp>,
    /// The next start deletes what still runs.
    #[serde(skip)]
    pub(super) replaces: bool,
    /// The evidence ends here.
    #[serde(skip)]
    pub(super) as_of: i64,
}

/// What may have removed the Job of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct PossibleRemoval {
    pub(super) if_succeeded: bool,
    pub(super) if_failed: bool,
    pub(super) after_ttl: bool,
    pub(super) replaced: bool,
}

impl Retention {
    pub(super) fn of(facts: &Facts<'_>) -> Self {
        let spec = &facts.input.cron_job.spec;
        let (successful_limit, failed_limit) = limits(spec, facts.input.behavior());
        let starts = |succeeded: bool| {
            let finished = facts.runs.iter().filter(|run| run.controlled);
            let finished =
                finished.filter(|run| run.ending().is_some() && run.succeeded() == succeeded);
            let mut starts: Vec<Timestamp> = finished
                .filter_map(|run| run.job.start_time.or(run.job.creation_timestamp))
                .collect();
            starts.sort_unstable();
            starts
        };
        Retention {
            successes_since: removed_up_to(successful_limit, &starts(true)),
            failures_since: removed_up_to(failed_limit, &starts(false)),
            ttl_seconds_after_finished: spec.job_setting("ttlSecondsAfterFinished"),
            successful_jobs_history_limit: successful_limit,
            failed_jobs_history_limit: failed_limit,
            replaces: spec.concurrency_policy == ConcurrencyPolicy::Replace,
            as_of: evidence_ends(&facts.input).as_second(),
        }
    }

    /// For documents: what the limits remove immediately is removed up to the end of the window.
    pub(super) fn up_to(mut self, until: Timestamp) -> Self {
        for since in [&mut self.successes_since, &mut self.failures_since] {
            if *since == Some(Timestamp::MAX) {
                *since = Some(until);
            }
        }
        self
    }

    /// What may have removed the Job of a run. A later start is needed to replace it.
    pub(super) fn removal(&self, scheduled_time: i64, followed: bool) -> PossibleRemoval {
        // A Job starts at its scheduled time or later, so that one of a later time is newer.
        let may_be_removed = |since: Option<Timestamp>| {
            since.is_some_and(|since| scheduled_time <= since.as_second())
        };
        let ttl = self.ttl_seconds_after_finished.map(|ttl| ttl.max(0));
        PossibleRemoval {
            if_succeeded: may_be_removed(self.successes_since),
            if_failed: may_be_removed(self.failures_since),
            after_ttl: ttl.is_some_and(|ttl| scheduled_time.saturating_add(ttl) <= self.as_of),
            replaced: self.replaces && followed,
        }
    }
}

/// Up to when a limit may have removed Jobs, by the starts of those it has kept, oldest first; without
/// an end where it keeps none.
fn removed_up_to(limit: Option<i32>, kept: &[Timestamp]) -> Option<Timestamp> {
    let Some(beyond) = usize::try_from(limit?)
        .ok()
        .and_then(|limit| limit.checked_sub(1))
    else {
        return Some(Timestamp::MAX);
    };
    kept.iter().rev().nth(beyond).copied()
}

impl PossibleRemoval {
    pub(super) fn is_possible(self) -> bool {
        self != PossibleRemoval::default()
    }
}

fn limits(spec: &CronJobSpec, behavior: Behavior) -> (Option<i32>, Option<i32>) {
    let given = (
        spec.successful_jobs_history_limit,
        spec.failed_jobs_history_limit,
    );
    // No API server knows what the tutorial's controller would like to have filled in.
    if behavior.generation == Generation::Tutorial {
        return given;
    }
    let (successful, failed) = DEFAULT_LIMITS;
    (given.0.or(Some(successful)), given.1.or(Some(failed)))
}

/// Until when the evidence reaches; evidence without any times is about now.
pub(super) fn evidence_ends(input: &Input<'_>) -> Timestamp {
    let as_of = Some(input.coverage.as_of).filter(|as_of| *as_of > Timestamp::MIN);
    as_of.unwrap_or(input.now)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    #[test]
    fn limit_that_is_not_reached_has_removed_nothing() {
        let kept = [at(100), at(200)];
        assert_eq!(removed_up_to(Some(3), &kept), None);
        assert_eq!(removed_up_to(None, &kept), None);
    }
}
