//! What of a history is stored.

use std::collections::HashMap;

use jiff::Timestamp;

use cronjob_diagnosis::diagnose::Facts;
use cronjob_diagnosis::history::{CronJobHistory, RecordedRun, RunReason, run_status};
use kube_model::{Job, RunKind, RunStatus, StoredRun};

/// The longest reason that is stored, in characters.
const LONGEST_REASON: usize = 300;

/// What to do with runs that the controller has still to decide.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum UndecidedPolicy {
    /// They are judged later.
    Wait,
    /// The spec was edited: they will not start, or their Jobs show it.
    Keep,
    /// The spec was edited unseen: how they were decided is unknown.
    Forget,
}

/// The cause of a run that could not be followed.
pub(super) const NOT_RECORDED: &str = "notRecorded";

/// The causes that say nothing about a run.
const UNINFORMATIVE: [&str; 4] = ["afterEvidence", "notCreated", "noJobs", NOT_RECORDED];

/// The runs of a history that are known. Of those without a Job, only the ones up to `until`: later ones may start.
pub(super) struct ClassifiedRuns {
    pub(super) runs: Vec<StoredRun>,
    /// The first run without a Job that the controller has still to decide.
    pub(super) undecided: Option<Timestamp>,
}

impl ClassifiedRuns {
    /// `watched_until`: until when the recorder was watching, so that what is unknown stays unknown.
    pub(super) fn of(
        item: &CronJobHistory<'_>,
        until: Timestamp,
        watched_until: Timestamp,
        undecided: UndecidedPolicy,
    ) -> Self {
        let jobs = Jobs::of(&item.facts);
        let history = &item.history;
        let mut known = ClassifiedRuns {
            runs: Vec::new(),
            undecided: None,
        };
        let last = history.runs.iter().last().map(|(at, _)| at);
        for (at, entry) in history.runs.iter() {
            let mut stored = StoredRun {
                at,
                status: Some(entry.status),
                ..StoredRun::default()
            };
            if let Some(run) = &entry.run {
                stored = jobs.with(stored, run);
            } else {
                let reason = entry.reason.as_ref();
                // The last suspended run starts if the CronJob is resumed before the next one is due.
                let is_open = reason.is_some_and(|reason| {
                    reason.is_open || reason.code == "suspended" && last == Some(at)
                });
                if is_open {
                    known.undecided.get_or_insert(at);
                    match undecided {
                        UndecidedPolicy::Wait => continue,
                        UndecidedPolicy::Keep => {}
                        UndecidedPolicy::Forget => {
                            stored.status = Some(RunStatus::Unknown);
                            stored.cause = Some(NOT_RECORDED.to_owned());
                            known.runs.push(stored);
                            continue;
                        }
                    }
                }
                let is_uninformative =
                    reason.is_some_and(|reason| UNINFORMATIVE.contains(&&*reason.code));
                let is_guess = entry.status == RunStatus::Unknown && at > watched_until;
                if at > until || is_uninformative || is_guess {
                    continue;
                }
            }
            known.runs.push(with_reason(stored, entry.reason.as_ref()));
        }
        for stray in &history.off_schedule {
            let stored = unscheduled(RunKind::OffSchedule, stray.scheduled_time);
            let stored = jobs.with(stored, &stray.run);
            known.runs.push(with_reason(stored, Some(&stray.reason)));
        }
        let manual = history
            .manual
            .iter()
            .filter_map(|run| Some((run.started_at?, run)));
        known
            .runs
            .extend(manual.map(|(at, run)| jobs.with(unscheduled(RunKind::Manual, at), run)));
        known
    }
}

/// The runs whose Jobs are left and that are not due between two times: their results may be new.
pub(super) fn runs_outside(
    facts: &Facts<'_>,
    since: Timestamp,
    until: Timestamp,
) -> Vec<StoredRun> {
    let jobs = Jobs::of(facts);
    let runs = facts.runs.iter().filter_map(|run| {
        let recorded = RecordedRun::of(facts, run);
        let is_manual = recorded.delay_seconds.is_none() && !recorded.backfilled;
        let stored = if is_manual {
            unscheduled(RunKind::Manual, run.job.creation_timestamp?)
        } else {
            StoredRun {
                at: run.scheduled_time?,
                status: Some(run_status(&recorded)),
                ..StoredRun::default()
            }
        };
        let failure = recorded.failure.as_ref();
        let reason = failure.map(RunReason::failure);
        Some(with_reason(jobs.with(stored, &recorded), reason.as_ref()))
    });
    runs.filter(|run| run.at < since || run.at > until)
        .collect()
}

fn unscheduled(kind: RunKind, at: Timestamp) -> StoredRun {
    StoredRun {
        kind,
        at,
        ..StoredRun::default()
    }
}

fn with_reason(stored: StoredRun, reason: Option<&RunReason>) -> StoredRun {
    let text = reason.and_then(|reason| reason.detail.lines().next());
    StoredRun {
        cause: reason.map(|reason| reason.code.clone().into_owned()),
        reason: text.map(|text| text.chars().take(LONGEST_REASON).collect()),
        ..stored
    }
}

/// The Jobs of a `CronJob`, by UID.
struct Jobs<'a> {
    facts: &'a Facts<'a>,
    by_uid: HashMap<&'a str, &'a Job>,
}

impl<'a> Jobs<'a> {
    fn of(facts: &'a Facts<'a>) -> Self {
        let jobs = facts.runs.iter().map(|run| (&*run.job.uid, run.job));
        Jobs {
            facts,
            by_uid: jobs.collect(),
        }
    }

    fn with(&self, stored: StoredRun, run: &RecordedRun) -> StoredRun {
        let uid = run.job_uid.as_deref();
        let job = uid.and_then(|uid| self.by_uid.get(uid));
        StoredRun {
            result: run.result,
            job_name: Some(run.job_name.clone()),
            job_uid: run.job_uid.clone(),
            started_at: run.started_at,
            finished_at: run.finished_at,
            exit_code: job.and_then(|job| self.facts.exit_code(job)),
            // Those of a run that is not over change all the time.
            phases: run.phases.filter(|_| run.finished_at.is_some()),
            template: run.template.clone(),
            images: run.images.clone(),
            ..stored
        }
    }
}
