//! Why a run has its status, as a code and a sentence.

use jiff::Timestamp;

use super::classify::{BlockingRun, Classifier, WithoutJob};
use super::retention::PossibleRemoval;
use super::retention::evidence_ends;
use super::run::RunReason;
use super::schedule_changes::ScheduleChange;
use crate::diagnose::{Facts, JobRemoval, action_time, last_run_skipped_by, local};
use cronjob_controller::controller::MissedCause;
use cronjob_text::duration::exact;
use cronjob_text::text::{AddToText, LocalTime, Text};
use kube_model::{PastOutage, StoredRun};

/// The cause of runs that were missed while the controller was down.
pub(super) const CONTROLLER_DOWN: &str = "controllerDown";

const KNOWN_FROM_EVENTS: &str = "events";

impl RunReason {
    fn new(code: &'static str, detail: impl Into<Text>) -> Self {
        RunReason {
            code: code.into(),
            detail: detail.into(),
            is_open: false,
        }
    }

    /// Marks the reason as that of a run that the controller may still start.
    fn open(self) -> Self {
        RunReason {
            is_open: true,
            ..self
        }
    }

    fn of(cause: MissedCause, detail: impl Into<Text>) -> Self {
        RunReason::new(cause.as_str(), detail)
    }

    /// `failed`: it is known that the run did not succeed.
    pub(super) fn removed(facts: &Facts<'_>, removed: JobRemoval, failed: bool) -> Self {
        let at = removed.at().map(|at| local(facts, at));
        let (code, detail) = match removed {
            JobRemoval::Somehow => (
                KNOWN_FROM_EVENTS,
                "known from events; its Job is gone".into(),
            ),
            JobRemoval::Deleted(_) => {
                let detail = text!(
                    "known from events; the controller deleted its Job at {}",
                    at
                );
                (KNOWN_FROM_EVENTS, detail)
            }
            JobRemoval::Replaced(_) => {
                let detail = text!("still running when the next run was due; deleted at {}", at);
                ("replaced", detail)
            }
            JobRemoval::Missing(_) if facts.input.can_lose_successes() => (
                KNOWN_FROM_EVENTS,
                text!("known from events; its Job was gone at {}", at),
            ),
            JobRemoval::Missing(_) => (
                "jobMissing",
                text!(
                    "its Job was deleted while active, as the controller noticed at {}",
                    at
                ),
            ),
        };
        let first = if failed { "did not succeed; " } else { "" };
        RunReason::new(code, text!("{}{}", first, detail))
    }

    /// Whether a run was not started in time, and it is not known why.
    pub(super) fn is_without_cause(&self) -> bool {
        [MissedCause::Unknown, MissedCause::Deadline]
            .iter()
            .any(|cause| self.code == cause.as_str())
    }

    /// Whether it says how a run is known whose Job is gone.
    pub fn is_known_from_events(&self) -> bool {
        self.code == KNOWN_FROM_EVENTS
    }

    pub fn failure(failure: &Text) -> Self {
        RunReason::new("jobFailed", failure)
    }

    pub(super) fn silent(detail: Text) -> Self {
        RunReason::new("nodeNotResponding", detail)
    }

    pub(super) fn waited(facts: &Facts<'_>, blocker: &BlockingRun) -> Self {
        let BlockingRun {
            job_name, until, ..
        } = blocker;
        let detail = match until {
            Some(until) => text!(
                "started after {} finished at {}",
                job_name,
                local(facts, *until)
            ),
            None => text!("waited for {}", job_name),
        };
        RunReason::of(MissedCause::Forbid, detail)
    }

    pub(super) fn backfilled() -> Self {
        RunReason::of(
            MissedCause::Backfilled,
            "backfilled: its Job was not created by the controller",
        )
    }

    /// What a recorder stored; `None` if there was nothing to say.
    pub(super) fn stored(stored: &StoredRun) -> Option<Self> {
        Some(RunReason {
            code: stored.cause.clone()?.into(),
            detail: stored.reason.clone().unwrap_or_default().into(),
            is_open: false,
        })
    }

    fn controller_down(facts: &Facts<'_>, outage: PastOutage) -> Self {
        RunReason::new(CONTROLLER_DOWN, facts.missed_because(outage))
    }

    fn unexplained() -> Self {
        RunReason::of(MissedCause::Unknown, "not started, reason unknown")
    }

    fn not_recorded() -> Self {
        let detail = "the recorder was not watching, and no other evidence is left";
        RunReason::new("notRecorded", detail)
    }

    /// The Job of a run that was running when the recorder saw it last is gone.
    pub(super) fn end_not_recorded() -> Self {
        RunReason::new(
            "jobGone",
            "its Job is gone, and the recorder did not see its end",
        )
    }

    pub fn second() -> Self {
        RunReason::new("secondJob", "another Job was started for the same run")
    }

    pub(super) fn no_scheduled_times() -> Self {
        RunReason::new("noScheduledTimes", "the scheduled times cannot be computed")
    }

    pub(super) fn off_schedule_run(
        facts: &Facts<'_>,
        schedule_change: ScheduleChange,
        time: Timestamp,
    ) -> Self {
        let when = |moment| action_time(&facts.input, moment);
        match schedule_change {
            ScheduleChange::AtCreation => {
                RunReason::new("phantom", "not in the schedule, which never changed")
            }
            ScheduleChange::UpTo(moment) if time <= moment => {
                let when = when(moment);
                let detail = text!(
                    "not in the current schedule, which may have been changed at {}",
                    when
                );
                RunReason::of(MissedCause::ScheduleChanged, detail)
            }
            ScheduleChange::UpTo(moment) => {
                let when = when(moment);
                let detail = text!("not in the schedule, which has not changed since {}", when);
                RunReason::new("phantom", detail)
            }
            ScheduleChange::SomeTime { .. } | ScheduleChange::Unknown => RunReason::new(
                "notInSchedule",
                "not in the current schedule; whether it was different then is unknown",
            ),
        }
    }
}

impl Classifier<'_> {
    /// Why a run without a Job has its status.
    pub(super) fn reason(&self, case: WithoutJob) -> RunReason {
        match case {
            WithoutJob::AfterEvidence => {
                let end = self.local(evidence_ends(&self.facts.input));
                RunReason::new(
                    "afterEvidence",
                    text!("after the end of the evidence, {}", end),
                )
            }
            WithoutJob::NotCreated => {
                let created = self.facts.input.cron_job.creation_timestamp;
                let created = created.map(|created| self.local(created));
                RunReason::new(
                    "notCreated",
                    text!("the CronJob was created at {}", created),
                )
            }
            WithoutJob::StartedAndGone => RunReason::new(
                "jobGone",
                if !self.facts.input.coverage.jobs_read {
                    "started, according to status.lastScheduleTime; Jobs were not read"
                } else if self.last_did_not_succeed() {
                    "started, according to status.lastScheduleTime; did not succeed, and its Job is gone"
                } else {
                    "started, according to status.lastScheduleTime; its Job is gone"
                },
            ),
            WithoutJob::SkippedByResume(was_suspended) => self.skipped_by_resume(was_suspended),
            WithoutJob::SkippedByStatus => self.skipped_by_status(),
            WithoutJob::ScheduleChanged => {
                RunReason::of(MissedCause::ScheduleChanged, self.schedule_changed())
            }
            WithoutJob::Due => {
                let (facts, due) = (self.facts, self.facts.decision.scheduled_time);
                let when = due.and_then(|due| facts.outlook().pending_when(due, facts.input.now));
                let when = when.unwrap_or_else(|| "starts at the next sync".into());
                RunReason::of(MissedCause::Due, text!("not started yet; {}", when)).open()
            }
            WithoutJob::Missed(index) => self.missed_for(index, ""),
            WithoutJob::Waits(index) => self.waits(index),
            WithoutJob::Blocked(index) => {
                RunReason::of(MissedCause::Forbid, self.blocked_by(index))
            }
            WithoutJob::NotStartedAfter(index) => {
                let active = self.blocked_by(index);
                let detail = text!("{}; not started after that, reason unknown", active);
                RunReason::of(MissedCause::Unknown, detail)
            }
            WithoutJob::SaidToBeBlocked(at) => RunReason::of(
                MissedCause::Forbid,
                text!(
                    "a Job was active, according to the JobAlreadyActive event at {}",
                    self.local(at)
                ),
            ),
            WithoutJob::NotRecorded => RunReason::not_recorded(),
            WithoutJob::NoJobs => RunReason::new("noJobs", "Jobs were not read"),
            WithoutJob::Removable(removal) => self.removed(removal),
            WithoutJob::MaybeDeleted => {
                let evidence = self
                    .deletion
                    .as_ref()
                    .map_or("", |deletion| &deletion.evidence);
                RunReason::new(
                    "jobsDeleted",
                    text!(
                        "if it ran, its Job was deleted by another client, as {} was: no history limit \
                         explains that",
                        evidence
                    ),
                )
            }
            WithoutJob::NotCreatable(index) => {
                let event = self.failures.get(index);
                let message =
                    event.map_or_else(Text::default, |event| event.message.as_str().into());
                RunReason::of(MissedCause::CreationFailed, message)
            }
            WithoutJob::TooLate => RunReason::of(
                MissedCause::Deadline,
                "past its deadline, according to the MissSchedule event",
            ),
            WithoutJob::SameName => RunReason::new(
                "sameName",
                "another run of the same minute was started; its Job has the name that this one would have",
            ),
            WithoutJob::BeforeResume => {
                let (who, at) = self.resumed.unwrap_or_default();
                RunReason::of(
                    MissedCause::Unknown,
                    text!(
                        "{} resumed the CronJob at {}; the start of the suspension is unknown",
                        who,
                        action_time(&self.facts.input, at)
                    ),
                )
            }
            WithoutJob::ControllerDown(outage) => RunReason::controller_down(self.facts, outage),
            WithoutJob::Unexplained => RunReason::unexplained(),
        }
    }

    fn last_did_not_succeed(&self) -> bool {
        let last = self.facts.input.cron_job.status.last_schedule_time;
        last.is_some_and(|last| self.facts.cannot_have_succeeded(last))
    }

    /// What the blocking run of an index was, and when it was active.
    fn blocked_by(&self, index: usize) -> Text {
        let Some(blocker) = self.blockers.get(index) else {
            return Text::default();
        };
        let BlockingRun { job_name, from, .. } = blocker;
        let from = self.local(*from);
        let active = match blocker.until {
            Some(until) => text!("was active from {} to {}", from, self.local(until)),
            None => text!("has been active since {}", from),
        };
        text!("{} {} (concurrencyPolicy: Forbid)", job_name, active)
    }

    fn skipped_by_status(&self) -> RunReason {
        let who = last_run_skipped_by(&self.facts.input.cron_job).unwrap_or_default();
        let detail = format!("skipped: {who} set status.lastScheduleTime, not the controller");
        RunReason::new("skipped", detail)
    }

    fn skipped_by_resume(&self, was_suspended: bool) -> RunReason {
        let resumed_at = self.skipped.map(|skipped| self.local(skipped.resumed_at));
        let suspended_at = self.skipped.and_then(|skipped| skipped.suspended_at);
        match suspended_at.filter(|_| was_suspended) {
            Some(at) => RunReason::of(
                MissedCause::Suspended,
                text!("suspended from {} until {}", self.local(at), resumed_at),
            ),
            None => RunReason::new(
                "skipped",
                text!("skipped when the CronJob was resumed at {}", resumed_at),
            ),
        }
    }

    fn local(&self, at: Timestamp) -> LocalTime {
        local(self.facts, at)
    }

    fn missed_for(&self, index: usize, then: impl AddToText) -> RunReason {
        match self.causes.get(index) {
            Some(cause) => {
                let detail = text!("{}{}", cause.evidence, then);
                RunReason::new(cause.cause.as_str(), detail)
            }
            None => RunReason::of(MissedCause::Unknown, ""),
        }
    }

    fn waits(&self, index: usize) -> RunReason {
        let when = match self.facts.outlook().waits_until() {
            Some(until) => text!("if that Job finishes before {}", self.local(until)),
            None => "when that Job finishes, unless a later run is due by then".into(),
        };
        let then = text!("; this run starts {}", when);
        self.missed_for(index, then).open()
    }

    fn schedule_changed(&self) -> Text {
        match self.schedule_change {
            ScheduleChange::UpTo(moment) => {
                text!(
                    "the schedule may have been different until {}",
                    action_time(&self.facts.input, moment)
                )
            }
            _ => Text::default(),
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
            (true, true) => Some(text!(
                "if it ran, the history limits removed its Job (successfulJobsHistoryLimit: \
                 {}, failedJobsHistoryLimit: {})",
                succeeded,
                failed
            )),
            (true, false) => Some(text!(
                "if it ran, it succeeded: a failed Job would still exist (successfulJobsHistoryLimit: {})",
                succeeded
            )),
            (false, true) => Some(text!(
                "if it ran, it failed: a successful Job would still exist (failedJobsHistoryLimit: {})",
                failed
            )),
            (false, false) => None,
        };
        let by_ttl = removal.after_ttl.then(|| {
            let ttl = retention.ttl_seconds_after_finished.unwrap_or_default();
            text!(
                "if it ran, its Job was deleted {} after it finished (ttlSecondsAfterFinished)",
                exact(ttl)
            )
        });
        let by_next = removal
            .replaced
            .then(|| "if it was still running when the next run was due, it was replaced".into());
        let code = match (&by_limits, &by_ttl) {
            (Some(_), _) => "historyLimit",
            (None, Some(_)) => "ttl",
            (None, None) => "mayBeReplaced",
        };
        let all = [by_limits, by_ttl, by_next].into_iter().flatten();
        RunReason::new(code, Text::join(all, "; "))
    }
}
