//! Conditions and reasons as sentences.

use cronjob_text::duration::whole_second;
use cronjob_text::text::{LocalTime, Text};
use cronjob_text::words::counted;
use jiff::Timestamp;
use serde::Serialize;

use super::{Forecast, Sync, SyncCondition, SyncReason, Uncertainty};
use crate::controller::Outcome;

/// A coming sync: its condition and its reason are sentences.
#[derive(Serialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "Sync")
)]
#[serde(rename_all = "camelCase")]
pub struct SyncInWords {
    /// When the controller will sync the `CronJob`; null if that is unknown.
    at: Option<Timestamp>,
    /// What the controller does then: an outcome of a decision, or `retry` if it repeats a failed
    /// attempt.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = outcomes())))]
    outcome: &'static str,
    /// The scheduled time of the run.
    scheduled_time: Option<Timestamp>,
    /// The name of the Job for that run.
    job_name: Option<String>,
    /// The condition for this, as a sentence; null if it is unconditional.
    condition: Option<Text>,
    /// The kind of the condition; null if there is none.
    #[cfg_attr(feature = "schema", schemars(with = "Option<SyncCondition>"))]
    condition_kind: Option<&'static str>,
    /// The Job that the condition depends on.
    condition_job: Option<String>,
    /// When the condition must be met.
    condition_until: Option<Timestamp>,
    /// Whether the condition is likely, judged by the duration of earlier runs; null if unknown.
    likely: Option<bool>,
    /// Why the controller syncs then, as a sentence; null if the schedule is the only reason.
    because: Option<Text>,
}

/// The Job that a run waits for.
fn running(job: &str) -> Text {
    Text::job(job, "its running Job")
}

/// The Job whose name a run would have.
fn in_the_way(job: &str) -> Text {
    Text::job(&format!("the Job {job}"), "a Job with its name")
}

/// As documents have times.
fn in_utc(at: &Timestamp) -> Text {
    at.to_string().into()
}

const RETRY: &str = "retry";

#[cfg(feature = "schema")]
fn outcomes() -> Vec<&'static str> {
    let outcomes = Outcome::STRINGS.iter().copied();
    outcomes.chain([RETRY]).collect()
}

impl From<Sync> for SyncInWords {
    fn from(sync: Sync) -> Self {
        let condition = sync.condition.as_ref();
        SyncInWords {
            at: sync.at,
            outcome: if sync.retry {
                RETRY
            } else {
                sync.outcome.as_str()
            },
            scheduled_time: sync.scheduled_time,
            condition: sync.condition_in_words(in_utc),
            condition_kind: condition.map(SyncCondition::as_str),
            condition_job: condition.and_then(SyncCondition::job).map(str::to_owned),
            condition_until: condition.and_then(SyncCondition::until),
            likely: condition.and_then(SyncCondition::likely),
            because: sync.reason_in_words(in_utc),
            job_name: sync.job_name,
        }
    }
}

impl Forecast {
    /// The first run that is scheduled after `now`, where one may start.
    pub fn next_scheduled(&self, now: Timestamp) -> Option<Timestamp> {
        let starts = self.syncs.iter().filter(|sync| sync.starts());
        let scheduled = starts.filter_map(|sync| sync.scheduled_time);
        scheduled.filter(|scheduled| *scheduled > now).min()
    }

    /// What is to be said of the run of a scheduled time, if it does not simply start.
    pub fn note(&self, scheduled: Timestamp) -> Option<Text> {
        let is_it = |sync: &&Sync| sync.scheduled_time == Some(scheduled);
        let Some(sync) = self.syncs.iter().find(is_it) else {
            return self.passes(scheduled);
        };
        let others = || self.syncs.iter().filter(|other| other.starts());
        let start = others().find(is_it);
        let is_first = others().next() == start;
        match (&sync.condition, &sync.because) {
            _ if sync.outcome == Outcome::NameTaken => {
                let job = sync.job_name.as_deref().unwrap_or_default();
                Some(text!("not started: {} is in the way", in_the_way(job)))
            }
            (_, Some(SyncReason::TooLate { .. })) => {
                let is_first = self.syncs.first() == Some(sync);
                sync.reason_in_words(|at| self.shown(*at))
                    .filter(|_| is_first)
            }
            (None, _) => None,
            (Some(condition), _) => match condition {
                SyncCondition::JobFinishesFirst { job, .. }
                | SyncCondition::JobStillRuns { job, .. }
                    if start.is_some_and(|start| start.replaces_in(self)) =>
                {
                    is_first.then(|| text!("replaces {} if it is still running", running(job)))
                }
                SyncCondition::JobStillRuns { job, .. } => {
                    Some(match self.scheduled_time_of(job) {
                        Some(at) => {
                            let at = self.shown(at);
                            text!("blocked if the run scheduled at {} is still running", at)
                        }
                        None => text!("not before {} finishes", running(job)),
                    })
                }
                SyncCondition::JobFinishesFirst {
                    job,
                    is_to_come: true,
                    ..
                } => (self.scheduled_time_of(job).is_none() || self.depends_on_running_job())
                    .then(|| "if every earlier run has finished by then".into()),
                SyncCondition::JobFinishesFirst { job, .. } => {
                    Some(text!("if {} has finished by then", running(job)))
                }
                SyncCondition::Unknown(
                    Uncertainty::Overdue | Uncertainty::BackOff | Uncertainty::NameTaken,
                ) => Some("may start late or be skipped".into()),
                SyncCondition::Unknown(Uncertainty::TimesMove) => {
                    let mut moving = self.syncs.iter();
                    let first = moving.find(|other| other.condition == sync.condition);
                    (first == Some(sync)).then(|| "if no earlier run is blocked".into())
                }
                SyncCondition::EstimatedTime => {
                    let at = sync.at.filter(|_| sync.retry || sync.is_late())?;
                    Some(text!("starts about {}", self.shown(at)))
                }
                _ => sync.condition_in_words(|at| self.shown(*at)),
            },
        }
    }

    /// The scheduled time of a Job that does not exist yet.
    fn scheduled_time_of(&self, job: &str) -> Option<Timestamp> {
        let mut starts = self.syncs.iter().filter(|sync| sync.starts());
        let sync = starts.find(|sync| sync.job_name.as_deref() == Some(job))?;
        sync.scheduled_time.filter(|at| *at > self.now)
    }

    /// Whether a Job that runs now must finish before anything starts.
    fn depends_on_running_job(&self) -> bool {
        let condition = self.next_start().and_then(|sync| sync.condition.as_ref());
        matches!(
            condition,
            Some(SyncCondition::JobFinishesFirst {
                is_to_come: false,
                ..
            })
        )
    }

    /// What is to be said of a run that was due before `now` and has not started.
    pub fn pending(&self, now: Timestamp) -> Option<Text> {
        let next = self.next_start()?;
        let scheduled = next.scheduled_time?;
        let job = next.job_name.as_deref()?;
        let when = self.pending_when(scheduled, now)?;
        Some(text!(
            "before it, {} (scheduled at {}) {}",
            Text::job(job, "its Job"),
            self.shown(scheduled),
            when
        ))
    }

    /// When the run of a scheduled time starts that was due before `now`, as the end of a sentence.
    pub fn pending_when(&self, scheduled: Timestamp, now: Timestamp) -> Option<Text> {
        let next = self.next_start()?;
        if scheduled > now {
            return None;
        }
        if next.scheduled_time != Some(scheduled) {
            let at = next.at.filter(|_| next.retry)?;
            return Some(self.skipped(at));
        }
        Some(match (&next.condition, next.at) {
            (Some(SyncCondition::JobFinishesFirst { job: blocker, .. }), _) => {
                match self.waits_until() {
                    Some(until) => {
                        text!(
                            "starts if {} finishes before {}",
                            running(blocker),
                            self.shown(until)
                        )
                    }
                    None => text!("starts when {} finishes", running(blocker)),
                }
            }
            (Some(SyncCondition::Unknown(Uncertainty::EvidenceEnds(_))), _) => return None,
            (
                Some(SyncCondition::Unknown(Uncertainty::Overdue | Uncertainty::ControllerDown)),
                _,
            ) => "is overdue".into(),
            (Some(SyncCondition::Unknown(Uncertainty::BackOff)), _) => {
                "is retried at an unknown time".into()
            }
            (Some(SyncCondition::Unknown(Uncertainty::NameTaken)), _) => {
                "may start late or be skipped".into()
            }
            (Some(SyncCondition::Unknown(Uncertainty::EarlierWakeUp(Some(before)))), _) => {
                text!(
                    "is skipped unless the controller syncs before {}",
                    self.shown(*before)
                )
            }
            (Some(SyncCondition::Unknown(Uncertainty::EarlierWakeUp(None))), _) => {
                "starts at the wake-up of the previous schedule".into()
            }
            (_, Some(at)) if next.retry && next.is_estimated() => {
                text!("is retried about {}", self.shown(at))
            }
            (_, Some(at)) if at > now => {
                text!("starts {} {}", next.at_or_about(), self.shown(at))
            }
            _ => "starts now".into(),
        })
    }

    /// A scheduled time for which the controller does not sync.
    fn passes(&self, scheduled: Timestamp) -> Option<Text> {
        let next = self.next_start()?;
        let at = next.at.filter(|at| *at > scheduled)?;
        let waits = next.retry || next.is_estimated();
        waits.then(|| self.skipped(at))
    }

    fn skipped(&self, next_attempt: Timestamp) -> Text {
        text!(
            "skipped: the next attempt is due about {}",
            self.shown(next_attempt)
        )
    }

    /// A time in the time zone of the schedule.
    fn shown(&self, at: Timestamp) -> Text {
        let at = whole_second(at);
        match &self.zone {
            Some((zone, name)) => LocalTime::new(at, zone, name).into(),
            None => at.to_string().into(),
        }
    }
}

impl Uncertainty {
    fn in_words(&self, shown: impl Fn(&Timestamp) -> Text) -> Text {
        let text = match self {
            Uncertainty::Overdue => {
                "overdue: either an attempt failed and is repeated, or the controller manager is not running"
            }
            Uncertainty::ControllerDown => {
                "if kube-controller-manager, which seems to be down, is running by then"
            }
            Uncertainty::EvidenceEnds(at) => {
                return text!("if nothing has changed since {}", shown(at));
            }
            Uncertainty::EarlierWakeUp(Some(before)) => {
                return text!(
                    "if the controller syncs before {}, when it starts a later run: the wake-up of the \
                     previous schedule is unknown",
                    shown(&whole_second(*before))
                );
            }
            Uncertainty::EarlierWakeUp(None) => {
                "at the wake-up of the previous schedule, whose time is unknown"
            }
            Uncertainty::BackOff => {
                "Job creation fails; the next attempt, whose time is unknown, starts the latest run \
                 due by then"
            }
            Uncertainty::NameTaken => {
                "late or not at all if a Job has the name of the run before: attempts to start that run delay it"
            }
            Uncertainty::Late => "late: the controller may be busy, or the spec was edited",
            Uncertainty::JobsNotRead => {
                "Jobs were not read, so whether the Job in status.active is still running is unknown"
            }
            Uncertainty::TimesMove => {
                "if no earlier run is blocked: each sync of a blocked run moves the times of @every"
            }
        };
        text.into()
    }
}

impl Sync {
    /// What has to hold for it, as a sentence.
    pub(crate) fn condition_in_words(&self, shown: impl Fn(&Timestamp) -> Text) -> Option<Text> {
        let text = match self.condition.as_ref()? {
            SyncCondition::JobFinishesFirst {
                job,
                is_to_come,
                before: Some(before),
                ..
            } => text!(
                "if {} has finished by {}",
                if *is_to_come {
                    "every earlier run".into()
                } else {
                    running(job)
                },
                shown(&whole_second(*before))
            ),
            SyncCondition::JobFinishesFirst { job, .. } => text!("when {} finishes", running(job)),
            SyncCondition::JobStillRuns { job, .. } => {
                text!("if {} is still running", running(job))
            }
            SyncCondition::SyncsInTime { deadline, .. } => {
                text!(
                    "if the controller syncs within {}s (startingDeadlineSeconds)",
                    deadline
                )
            }
            SyncCondition::CreationSucceeds => "if the API server accepts the Job by then".into(),
            SyncCondition::EstimatedTime => "the time is an estimate".into(),
            SyncCondition::Unknown(doubt) => doubt.in_words(shown),
        };
        Some(text)
    }

    /// Why it comes when it comes, as a sentence.
    pub(crate) fn reason_in_words(&self, shown: impl Fn(&Timestamp) -> Text) -> Option<Text> {
        let text = match self.because.as_ref()? {
            SyncReason::Edited(edit) => {
                let was = edit.before.as_ref();
                let was = was.map(|before| text!(" (was {})", before.schedule));
                text!(
                    "{} edited the schedule at {}{}, which does not trigger a sync: the wake-up of \
                     the previous schedule comes first",
                    edit.manager,
                    shown(&edit.at),
                    was.unwrap_or_default()
                )
            }
            SyncReason::BackOff(failures) => text!(
                "{} failed, the last at {}",
                counted(failures.count, "attempt"),
                shown(&failures.last)
            ),
            SyncReason::NameTaken { job } => text!("{} is in the way", in_the_way(job)),
            SyncReason::MayBeRepeated { at } => text!(
                "an attempt that has failed is repeated about {}",
                shown(&whole_second(*at))
            ),
            SyncReason::JobFinished { job } => {
                text!("the controller syncs as soon as {} finishes", running(job))
            }
            SyncReason::TooLate { deadline } => {
                text!("too late (startingDeadlineSeconds: {})", deadline)
            }
        };
        Some(text)
    }
}
