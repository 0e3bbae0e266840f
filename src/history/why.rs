//! Why a slot is what it is, in a word and in a sentence.

use jiff::Timestamp;

use super::blockers::Blocker;
use super::changes::Written;
use super::judge::{Fate, Judge};
use super::memory::Removal;
use super::run::Gone;
use super::window::evidence_ends;
use crate::diagnose::MissedCause;

/// Why a slot is what it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// In a word that does not change.
    pub code: &'static str,
    /// What shows it.
    pub detail: String,
}

impl Reason {
    fn new(code: &'static str, detail: impl Into<String>) -> Self {
        Reason {
            code,
            detail: detail.into(),
        }
    }

    pub(super) fn gone(gone: Gone) -> Self {
        match gone {
            Gone::Somehow => Reason::new("events", "its Job is gone; told by its events"),
            Gone::Deleted(at) => Reason::new(
                "events",
                format!("the controller deleted its Job at {at}; told by its events"),
            ),
            Gone::Replaced(at) => Reason::new(
                "replaced",
                format!("it still ran when the next one was due, and was deleted at {at}"),
            ),
            Gone::Missing(at) => Reason::new(
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
        Reason::new("jobFailed", detail)
    }

    pub(super) fn waited(blocker: &Blocker) -> Self {
        let detail = format!("it waited until {}", ran(blocker));
        Reason::new(MissedCause::Forbid.as_str(), detail)
    }

    pub(super) fn backfilled() -> Self {
        Reason::new("backfilled", "its Job was not created by the controller")
    }

    pub(super) fn second() -> Self {
        Reason::new("secondJob", "another Job was started for the same slot")
    }

    pub(super) fn no_slots() -> Self {
        Reason::new("noSlots", "the slots of the schedule cannot be computed")
    }

    pub(super) fn stray(written: Written, time: Timestamp) -> Self {
        match written {
            Written::AtCreation => {
                Reason::new("phantom", "not in the schedule, which was never changed")
            }
            Written::UpTo(moment) if time <= moment => Reason::new(
                "scheduleChanged",
                format!("not in today's schedule, which may be younger: written at {moment}"),
            ),
            Written::UpTo(moment) => Reason::new(
                "phantom",
                format!("not in the schedule, which was written at {moment}"),
            ),
            Written::SomeTime { .. } | Written::Unknown => Reason::new(
                "notInSchedule",
                "not in today's schedule; whether that was another then is not known",
            ),
        }
    }
}

impl Judge<'_> {
    /// Why a slot without a Job is what it is.
    pub(super) fn reason(&self, fate: Fate) -> Reason {
        match fate {
            Fate::AfterEvidence => Reason::new(
                "afterEvidence",
                format!("nothing was seen later than {}", evidence_ends(self.facts)),
            ),
            Fate::NotCreated => {
                let created = self.facts.cron_job.creation_timestamp;
                let created = created.map_or_else(String::new, |created| created.to_string());
                Reason::new(
                    "notCreated",
                    format!("the CronJob was created at {created}"),
                )
            }
            Fate::StartedAndGone => Reason::new(
                "jobGone",
                if self.facts.coverage.jobs_read {
                    "it was started, as status.lastScheduleTime says, and its Job is gone"
                } else {
                    "it was started, as status.lastScheduleTime says; no Jobs were read"
                },
            ),
            Fate::ScheduleChanged => Reason::new("scheduleChanged", self.schedule_changed()),
            Fate::Due => {
                let (facts, due) = (self.facts, self.facts.decision.scheduled_time);
                let when = due.and_then(|due| facts.outlook().pending_when(due, facts.now));
                let when = when.unwrap_or_else(|| "starts when the controller syncs".to_owned());
                Reason::new("due", format!("not started yet; it {when}"))
            }
            Fate::Missed(index) => self.missed_for(index, ""),
            Fate::Waits(index) => self.missed_for(
                index,
                "; when that ends, this slot is started, unless a later one has come",
            ),
            Fate::Blocked(index) => {
                let blocker = self.blockers.get(index);
                let detail = blocker.map_or_else(String::new, |blocker| {
                    let policy = "and the policy is Forbid";
                    match blocker.until {
                        Some(until) => {
                            let Blocker { job_name, from, .. } = blocker;
                            format!("{job_name} ran from {from} to {until}, {policy}")
                        }
                        None => format!("{}, {policy}", ran(blocker)),
                    }
                });
                Reason::new(MissedCause::Forbid.as_str(), detail)
            }
            Fate::SaidToBeBlocked(at) => Reason::new(
                MissedCause::Forbid.as_str(),
                format!("a run was in the way, as the controller said at {at} (JobAlreadyActive)"),
            ),
            Fate::NoJobs => Reason::new("noJobs", "no Jobs were read"),
            Fate::Removable(removal) => self.removed(removal),
            Fate::Lost => {
                let evidence = self.loss.as_ref().map_or("", |loss| &loss.evidence);
                Reason::new(
                    "jobsDeleted",
                    format!(
                        "if it ran, its Job was deleted by somebody, as {evidence} was: no limit \
                         removed that"
                    ),
                )
            }
            Fate::NotCreatable(index) => {
                let event = self.failures.get(index);
                let message = event.map_or_else(String::new, |event| event.message.clone());
                Reason::new(MissedCause::CreationFailed.as_str(), message)
            }
            Fate::TooLate => Reason::new(
                MissedCause::Deadline.as_str(),
                "it was past its deadline, as the controller said (MissSchedule)",
            ),
            Fate::BeforeResume => {
                let (who, at) = self.resumed.unwrap_or_default();
                Reason::new(
                    MissedCause::Unknown.as_str(),
                    format!("{who} resumed it at {at}; since when it was suspended is not known"),
                )
            }
            Fate::Unexplained => Reason::new(
                MissedCause::Unknown.as_str(),
                "not started, and nothing shows why",
            ),
        }
    }

    fn missed_for(&self, index: usize, then: &str) -> Reason {
        match self.causes.get(index) {
            Some(cause) => {
                let detail = format!("{}{then}", cause.evidence);
                Reason::new(cause.cause.as_str(), detail)
            }
            None => Reason::new(MissedCause::Unknown.as_str(), ""),
        }
    }

    fn schedule_changed(&self) -> String {
        match self.written {
            Written::UpTo(moment) => {
                format!("until {moment} the schedule may have been another")
            }
            _ => String::new(),
        }
    }

    fn removed(&self, removal: Removal) -> Reason {
        let memory = self.memory();
        let limit = |limit: Option<i32>| limit.unwrap_or_default();
        let (succeeded, failed) = (limit(memory.successful_limit), limit(memory.failed_limit));
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
            let ttl = memory.ttl_seconds.unwrap_or_default();
            format!("if it ran, its Job was removed {ttl} seconds after its end (ttlSecondsAfterFinished)")
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
        Reason::new(code, all.join("; "))
    }
}

fn ran(blocker: &Blocker) -> String {
    let Blocker { job_name, from, .. } = blocker;
    match blocker.until {
        Some(until) => format!("{job_name} ended at {until}"),
        None => format!("{job_name} runs since {from}"),
    }
}
