//! Why a run has its status, as a code and a sentence.

use jiff::Timestamp;

use super::classify::{BlockingRun, Classifier, WithoutJob};
use super::retention::PossibleRemoval;
use super::retention::evidence_ends;
use super::run::{JobRemoval, RunReason};
use super::schedule_changes::ScheduleChange;
use crate::diagnose::MissedCause;
use crate::duration::exact;

impl RunReason {
    fn new(code: &'static str, detail: impl Into<String>) -> Self {
        RunReason {
            code,
            detail: detail.into(),
        }
    }

    pub(super) fn removed(removed: JobRemoval) -> Self {
        match removed {
            JobRemoval::Somehow => RunReason::new("events", "its Job is gone; told by its events"),
            JobRemoval::Deleted(at) => RunReason::new(
                "events",
                format!("the controller deleted its Job at {at}; told by its events"),
            ),
            JobRemoval::Replaced(at) => RunReason::new(
                "replaced",
                format!("it still ran when the next one was due, and was deleted at {at}"),
            ),
            JobRemoval::Missing(at) => RunReason::new(
                "jobMissing",
                format!("its Job was deleted while it counted as running, by {at}"),
            ),
        }
    }

    pub(super) fn failure(reason: &str, message: &str) -> Self {
        let detail = match (reason, message) {
            ("", "") => "its Job does not say why".to_owned(),
            (text, "") | ("", text) => text.to_owned(),
            (reason, message) => format!("{reason}: {message}"),
        };
        RunReason::new("jobFailed", detail)
    }

    pub(super) fn waited(blocker: &BlockingRun) -> Self {
        let detail = format!("it waited until {}", ran(blocker));
        RunReason::new(MissedCause::Forbid.as_str(), detail)
    }

    pub(super) fn backfilled() -> Self {
        RunReason::new(
            MissedCause::Backfilled.as_str(),
            "its Job was not created by the controller",
        )
    }

    pub(super) fn second() -> Self {
        RunReason::new("secondJob", "another Job was started for the same slot")
    }

    pub(super) fn no_scheduled_times() -> Self {
        RunReason::new("noSlots", "the slots of the schedule cannot be computed")
    }

    pub(super) fn off_schedule_run(schedule_change: ScheduleChange, time: Timestamp) -> Self {
        match schedule_change {
            ScheduleChange::AtCreation => {
                RunReason::new("phantom", "not in the schedule, which was never changed")
            }
            ScheduleChange::UpTo(moment) if time <= moment => RunReason::new(
                MissedCause::ScheduleChanged.as_str(),
                format!("not in today's schedule, which may be younger: written at {moment}"),
            ),
            ScheduleChange::UpTo(moment) => RunReason::new(
                "phantom",
                format!("not in the schedule, which was written at {moment}"),
            ),
            ScheduleChange::SomeTime { .. } | ScheduleChange::Unknown => RunReason::new(
                "notInSchedule",
                "not in today's schedule; whether that was another then is not known",
            ),
        }
    }
}

impl Classifier<'_> {
    /// Why a scheduled time without a Job is what it is.
    pub(super) fn reason(&self, case: WithoutJob) -> RunReason {
        match case {
            WithoutJob::AfterEvidence => RunReason::new(
                "afterEvidence",
                format!("nothing was seen later than {}", evidence_ends(self.facts)),
            ),
            WithoutJob::NotCreated => {
                let created = self.facts.cron_job.creation_timestamp;
                let created = created.map_or_else(String::new, |created| created.to_string());
                RunReason::new(
                    "notCreated",
                    format!("the CronJob was created at {created}"),
                )
            }
            WithoutJob::StartedAndGone => RunReason::new(
                "jobGone",
                if self.facts.coverage.jobs_read {
                    "it was started, as status.lastScheduleTime says, and its Job is gone"
                } else {
                    "it was started, as status.lastScheduleTime says; no Jobs were read"
                },
            ),
            WithoutJob::ScheduleChanged => RunReason::new(
                MissedCause::ScheduleChanged.as_str(),
                self.schedule_changed(),
            ),
            WithoutJob::Due => {
                let (facts, due) = (self.facts, self.facts.decision.scheduled_time);
                let when = due.and_then(|due| facts.outlook().pending_when(due, facts.now));
                let when = when.unwrap_or_else(|| "starts when the controller syncs".to_owned());
                RunReason::new(
                    MissedCause::Due.as_str(),
                    format!("not started yet; it {when}"),
                )
            }
            WithoutJob::Missed(index) => self.missed_for(index, ""),
            WithoutJob::Waits(index) => self.missed_for(
                index,
                "; when that ends, this slot is started, unless a later one has come",
            ),
            WithoutJob::Blocked(index) => {
                let blocker = self.blockers.get(index);
                let detail = blocker.map_or_else(String::new, |blocker| {
                    let policy = "and the policy is Forbid";
                    match blocker.until {
                        Some(until) => {
                            let BlockingRun { job_name, from, .. } = blocker;
                            format!("{job_name} ran from {from} to {until}, {policy}")
                        }
                        None => format!("{}, {policy}", ran(blocker)),
                    }
                });
                RunReason::new(MissedCause::Forbid.as_str(), detail)
            }
            WithoutJob::SaidToBeBlocked(at) => RunReason::new(
                MissedCause::Forbid.as_str(),
                format!("a run was in the way, as the controller said at {at} (JobAlreadyActive)"),
            ),
            WithoutJob::NoJobs => RunReason::new("noJobs", "no Jobs were read"),
            WithoutJob::Removable(removal) => self.removed(removal),
            WithoutJob::MaybeDeleted => {
                let evidence = self
                    .deletion
                    .as_ref()
                    .map_or("", |deletion| &deletion.evidence);
                RunReason::new(
                    "jobsDeleted",
                    format!(
                        "if it ran, its Job was deleted by somebody, as {evidence} was: no limit \
                         removed that"
                    ),
                )
            }
            WithoutJob::NotCreatable(index) => {
                let event = self.failures.get(index);
                let message = event.map_or_else(String::new, |event| event.message.clone());
                RunReason::new(MissedCause::CreationFailed.as_str(), message)
            }
            WithoutJob::TooLate => RunReason::new(
                MissedCause::Deadline.as_str(),
                "it was past its deadline, as the controller said (MissSchedule)",
            ),
            WithoutJob::BeforeResume => {
                let (who, at) = self.resumed.unwrap_or_default();
                RunReason::new(
                    MissedCause::Unknown.as_str(),
                    format!("{who} resumed it at {at}; since when it was suspended is not known"),
                )
            }
            WithoutJob::Unexplained => RunReason::new(
                MissedCause::Unknown.as_str(),
                "not started, and nothing shows why",
            ),
        }
    }

    fn missed_for(&self, index: usize, then: &str) -> RunReason {
        match self.causes.get(index) {
            Some(cause) => {
                let detail = format!("{}{then}", cause.evidence);
                RunReason::new(cause.cause.as_str(), detail)
            }
            None => RunReason::new(MissedCause::Unknown.as_str(), ""),
        }
    }

    fn schedule_changed(&self) -> String {
        match self.schedule_change {
            ScheduleChange::UpTo(moment) => {
                format!("until {moment} the schedule may have been another")
            }
            _ => String::new(),
        }
    }

    fn removed(&self, removal: PossibleRemoval) -> RunReason {
        let retention = self.retention();
        let limit = |limit: Option<i32>| limit.unwrap_or_default();
        let (succeeded, failed) = (
            limit(retention.successful_jobs_history_limit),
            limit(retention.failed_jobs_history_limit),
        );
        let by_limits = match (removal.if_succeeded, removal.if_failed) {
            (true, true) => Some(format!(
                "if it ran, the history limits removed its Job (they keep {succeeded} that \
                 succeeded and {failed} that failed)"
            )),
            (true, false) => Some(format!(
                "if it ran and succeeded, successfulJobsHistoryLimit {succeeded} removed its Job; \
                 a failed one would still be there"
            )),
            (false, true) => Some(format!(
                "if it ran and failed, failedJobsHistoryLimit {failed} removed its Job; one that \
                 succeeded would still be there"
            )),
            (false, false) => None,
        };
        let by_ttl = removal.after_ttl.then(|| {
            let ttl = retention.ttl_seconds_after_finished.unwrap_or_default();
            format!(
                "if it ran, its Job was removed {} after its end (ttlSecondsAfterFinished)",
                exact(ttl)
            )
        });
        let by_next = removal
            .replaced
            .then(|| "if it still ran when the next one was due, it was replaced".to_owned());
        let code = match (&by_limits, &by_ttl) {
            (Some(_), _) => "historyLimit",
            (None, Some(_)) => "ttl",
            (None, None) => "mayBeReplaced",
        };
        let all: Vec<String> = [by_limits, by_ttl, by_next].into_iter().flatten().collect();
        RunReason::new(code, all.join("; "))
    }
}

fn ran(blocker: &BlockingRun) -> String {
    let BlockingRun { job_name, from, .. } = blocker;
    match blocker.until {
        Some(until) => format!("{job_name} ended at {until}"),
        None => format!("{job_name} runs since {from}"),
    }
}
