//! How far back the Jobs of a `CronJob` remember.
//!
//! Beyond each history limit the controller deletes the finished Jobs that started first. So while
//! fewer than the limit are newer than a slot, the limit cannot have removed the Job of that slot.

use jiff::Timestamp;

use super::window::evidence_ends;
use crate::controller::{Behaviour, Generation};
use crate::diagnose::Facts;
use crate::model::{ConcurrencyPolicy, CronJobSpec};

/// What the API server fills in.
const DEFAULT_LIMITS: (i32, i32) = (3, 1);

/// How far back the Jobs remember.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    /// Runs that succeeded.
    pub successes: Remembers,
    /// Runs that failed.
    pub failures: Remembers,
    /// `ttlSecondsAfterFinished`: Jobs go so long after their end.
    pub ttl_seconds: Option<i64>,
    /// `successfulJobsHistoryLimit`, or what it is if it is not given.
    pub successful_limit: Option<i32>,
    /// `failedJobsHistoryLimit`, or what it is if it is not given.
    pub failed_limit: Option<i32>,
    /// The next start deletes what still runs.
    pub(super) replaces: bool,
    /// The evidence ends here.
    pub(super) as_of: i64,
}

/// Since when every Job of a kind must still be there, as far as its history limit goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remembers {
    /// The limit has removed none.
    All,
    /// The limit may have removed those that were started up to this moment.
    After(Timestamp),
    /// The limit removes them as soon as they are finished.
    Nothing,
}

/// What may have removed the Job of a slot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Removal {
    pub(super) if_succeeded: bool,
    pub(super) if_failed: bool,
    pub(super) after_ttl: bool,
    pub(super) replaced: bool,
}

impl Memory {
    pub(super) fn of(facts: &Facts<'_>) -> Self {
        let spec = &facts.cron_job.spec;
        let (successful_limit, failed_limit) = limits(spec, facts.behaviour());
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
        let ttl = spec.job_template.pointer("/spec/ttlSecondsAfterFinished");
        Memory {
            successes: Remembers::by(successful_limit, &starts(true)),
            failures: Remembers::by(failed_limit, &starts(false)),
            ttl_seconds: ttl.and_then(serde_json::Value::as_i64),
            successful_limit,
            failed_limit,
            replaces: spec.concurrency_policy == ConcurrencyPolicy::Replace,
            as_of: evidence_ends(facts).as_second(),
        }
    }

    /// What may have removed the Job of a slot. A start after it is needed to replace it.
    pub(super) fn removal(&self, slot: i64, followed: bool) -> Removal {
        let ttl = self.ttl_seconds.map(|ttl| ttl.max(0));
        Removal {
            if_succeeded: self.successes.may_have_removed(slot),
            if_failed: self.failures.may_have_removed(slot),
            after_ttl: ttl.is_some_and(|ttl| slot.saturating_add(ttl) <= self.as_of),
            replaced: self.replaces && followed,
        }
    }
}

impl Remembers {
    /// By a limit and the starts of what is kept, oldest first.
    fn by(limit: Option<i32>, kept: &[Timestamp]) -> Self {
        let Some(limit) = limit else {
            return Remembers::All;
        };
        let Some(beyond) = usize::try_from(limit)
            .ok()
            .and_then(|limit| limit.checked_sub(1))
        else {
            return Remembers::Nothing;
        };
        match kept.iter().rev().nth(beyond) {
            Some(oldest) => Remembers::After(*oldest),
            None => Remembers::All,
        }
    }

    /// A Job is started at its slot or later, so that one of a later slot is newer.
    fn may_have_removed(self, slot: i64) -> bool {
        match self {
            Remembers::All => false,
            Remembers::After(moment) => slot <= moment.as_second(),
            Remembers::Nothing => true,
        }
    }
}

impl Removal {
    pub(super) fn is_possible(self) -> bool {
        self != Removal::default()
    }
}

fn limits(spec: &CronJobSpec, behaviour: Behaviour) -> (Option<i32>, Option<i32>) {
    let given = (
        spec.successful_jobs_history_limit,
        spec.failed_jobs_history_limit,
    );
    // No API server knows what the tutorial's controller would like to have filled in.
    if behaviour.generation == Generation::Tutorial {
        return given;
    }
    let (successful, failed) = DEFAULT_LIMITS;
    (given.0.or(Some(successful)), given.1.or(Some(failed)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    #[test]
    fn a_limit_that_is_not_reached_has_removed_nothing() {
        let kept = [at(100), at(200)];
        assert_eq!(Remembers::by(Some(3), &kept), Remembers::All);
        assert_eq!(Remembers::by(None, &kept), Remembers::All);
        assert!(!Remembers::All.may_have_removed(0));
    }

    /// Three are kept: a fourth that was older than all of them would be gone.
    #[test]
    fn a_limit_that_is_reached_remembers_as_far_as_what_it_keeps() {
        let kept = [at(100), at(200), at(300)];
        let remembers = Remembers::by(Some(3), &kept);
        assert_eq!(remembers, Remembers::After(at(100)));
        assert!(remembers.may_have_removed(40));
        assert!(!remembers.may_have_removed(160));
        // The limit was lowered, and nothing deleted yet.
        assert_eq!(Remembers::by(Some(1), &kept), Remembers::After(at(300)));
    }

    #[test]
    fn a_limit_of_zero_remembers_nothing() {
        for limit in [0, -1, i32::MIN] {
            assert_eq!(Remembers::by(Some(limit), &[]), Remembers::Nothing);
        }
        assert!(Remembers::Nothing.may_have_removed(i64::MAX));
    }
}
