//! What happened to the runs of a `CronJob`, as far as its evidence shows it now.
//!
//! Each scheduled time is judged by the spec of that time. So the times before an edit are judged by the earlier spec,
//! and those after it by the present one. A run whose Job ends is judged again.

use std::borrow::Cow;
use std::collections::HashSet;

use jiff::{SignedDuration, Timestamp};

use super::following::{FollowedCronJob, RecordingBasis};
use super::known_runs::end;
use super::rows::{ClassifiedRuns, UndecidedPolicy, runs_outside};
use super::store::StoredSpec;
use cronjob_diagnosis::diagnose::Facts;
use cronjob_diagnosis::history::{CronJobHistory, HistoryWindow, SETTLED_AFTER};
use kube_model::{CronJobEvidence, RunResult, StoredRun, past_runs};

/// The longest time between two judgments of a `CronJob`, in seconds.
const JUDGE_EVERY: i64 = 3600;
/// What was missed before the start of the recorder is judged so far back, in seconds.
const LOOK_BACK: i64 = 7 * 86_400;

/// The evidence of a `CronJob` that has changed or is due.
#[derive(Clone, Debug)]
pub struct ChangedCronJob<'e> {
    pub evidence: Cow<'e, CronJobEvidence>,
    /// The UIDs of its Jobs that are gone: the evidence has what they were last.
    pub removed_jobs: HashSet<String>,
    /// When it was deleted, if it was.
    pub deleted_at: Option<Timestamp>,
}

impl<'e> From<&'e CronJobEvidence> for ChangedCronJob<'e> {
    fn from(evidence: &'e CronJobEvidence) -> Self {
        ChangedCronJob {
            evidence: Cow::Borrowed(evidence),
            removed_jobs: HashSet::new(),
            deleted_at: None,
        }
    }
}

/// What was found of a `CronJob`.
pub(super) struct Judgment {
    pub(super) runs: Vec<StoredRun>,
    /// What is stored may have changed since this time.
    pub(super) since: Timestamp,
    pub(super) judged_until: Timestamp,
    /// When it is judged again even if it does not change.
    pub(super) due: Timestamp,
}

/// What a `CronJob` is judged by.
pub(super) struct Judge<'a> {
    basis: &'a RecordingBasis<'a>,
    changed: &'a ChangedCronJob<'a>,
    known: Option<&'a FollowedCronJob>,
    /// Until when the recorder was watching: until now, or until it was interrupted. An edit was made by then.
    watched_until: Timestamp,
    /// `None` if nothing is stored yet: then all that is left is judged.
    judged_until: Option<Timestamp>,
    is_watched: bool,
    now: Timestamp,
}

impl<'a> Judge<'a> {
    /// `is_watching`: whether the recorder has been watching until now.
    pub(super) fn new(
        basis: &'a RecordingBasis<'a>,
        changed: &'a ChangedCronJob<'a>,
        known: Option<&'a FollowedCronJob>,
        watched_until: Timestamp,
        is_watching: bool,
    ) -> Self {
        let now = basis.clocks.now();
        // Nothing happened to a deleted one after that.
        let end = changed.deleted_at.map(|at| {
            if is_watching {
                at
            } else {
                at.min(watched_until)
            }
        });
        let judged_until = known.map(|known| known.judged_until);
        let judged_until = judged_until.map(|judged| judged.max(earlier(now, LOOK_BACK)));
        let is_watched = known.is_some_and(|known| known.is_watched);
        let now = end.unwrap_or(now).min(now);
        Judge {
            basis,
            changed,
            known,
            watched_until: if is_watched { now } else { watched_until },
            judged_until,
            is_watched,
            now,
        }
    }

    pub(super) fn judge(&self) -> Judgment {
        let mut runs = self.when_jobs_end();
        // Events may show why a Job is gone.
        let first = runs.iter().map(|run| earlier(run.at, 1)).min();
        let since = self
            .judged_until
            .map(|judged| first.unwrap_or(judged).min(judged));
        let edited = self.spec_before_edit();
        let after = match edited {
            Some(spec) => {
                runs.extend(self.before_edit(since, spec));
                Some(self.watched_until)
            }
            None => since,
        };
        let (found, judged_until, due) = self.after_edit(after, edited.is_some());
        runs.extend(found);
        let removed = &self.changed.removed_jobs;
        let is_deleted = self.changed.deleted_at.is_some();
        let is_gone = |uid: &String| is_deleted || removed.contains(uid);
        for run in &mut runs {
            if run.job_uid.as_ref().is_some_and(is_gone) {
                end_unseen(run);
            }
        }
        Judgment {
            runs,
            since: since.unwrap_or(Timestamp::MIN),
            judged_until,
            due,
        }
    }

    /// What the spec was when it was judged last, if it was edited since.
    fn spec_before_edit(&self) -> Option<&'a StoredSpec> {
        let known = &self.known?.spec;
        (*known != StoredSpec::of(&self.changed.evidence.cron_job)).then_some(known)
    }

    /// The runs that were running and whose Jobs are gone: how they ended was not seen.
    fn when_jobs_end(&self) -> Vec<StoredRun> {
        let evidence = &self.changed.evidence;
        let left = past_runs(&evidence.cron_job, &evidence.jobs);
        let is_left =
            |uid: &Option<String>| left.iter().any(|run| Some(&run.job.uid) == uid.as_ref());
        let running = self.known.iter().flat_map(|known| &known.running);
        let gone = running.filter(|run| !is_left(&run.job_uid)).cloned();
        gone.map(|mut run| {
            end_unseen(&mut run);
            run
        })
        .collect()
    }

    /// What was due before an edit, by the spec of that time.
    fn before_edit(&self, since: Option<Timestamp>, spec: &StoredSpec) -> Vec<StoredRun> {
        let edited = self.watched_until;
        let mut evidence = self.changed.evidence.clone();
        spec.apply(&mut evidence.to_mut().cron_job.spec);
        evidence.to_mut().cron_job.is_watched = true;
        let undecided = if edited == self.now {
            UndecidedPolicy::Keep
        } else {
            UndecidedPolicy::Forget
        };
        let item = history(self.basis.facts(&evidence, self.now), since, Some(edited));
        ClassifiedRuns::of(&item, edited, edited, undecided).runs
    }

    /// What was due after a time by the present spec, the Jobs that are left of other times, until when all is judged,
    /// and when it is judged again.
    fn after_edit(
        &self,
        after: Option<Timestamp>,
        is_edited: bool,
    ) -> (Vec<StoredRun>, Timestamp, Timestamp) {
        let mut evidence = Cow::Borrowed(&*self.changed.evidence);
        if self.is_watched && !evidence.cron_job.is_unchanged() {
            // While it was watched, the spec was the same all the time.
            evidence.to_mut().cron_job.is_watched = true;
        }
        let is_deleted = self.changed.deleted_at.is_some();
        let (settled, undecided) = if is_deleted {
            (self.now, UndecidedPolicy::Keep)
        } else {
            (earlier(self.now, SETTLED_AFTER), UndecidedPolicy::Wait)
        };
        let item = history(self.basis.facts(&evidence, self.now), after, None);
        let known = ClassifiedRuns::of(&item, settled, self.watched_until, undecided);
        // Only Jobs show what was due after an edit whose time is not known.
        let is_uncertain = is_edited && !self.is_watched;
        let undecided = known.undecided.filter(|_| !is_uncertain && !is_deleted);
        let judged = undecided.map_or(settled, |first| settled.min(earlier(first, 1)));
        let judged_until = after.map_or(judged, |after| judged.max(after));
        let runs = known.runs.into_iter();
        let mut runs: Vec<StoredRun> = runs
            .filter(|run| !is_uncertain || run.job_name.is_some())
            .collect();
        let first = after.unwrap_or(judged_until);
        runs.extend(runs_outside(&item.facts, first, self.now));
        (runs, judged_until, self.due(&item.facts, judged_until))
    }

    /// When it is judged again: what is undecided changes with its Job, or when the next run is due.
    fn due(&self, facts: &Facts<'_>, judged_until: Timestamp) -> Timestamp {
        let settled = judged_until.max(earlier(self.now, SETTLED_AFTER));
        let timetable = facts.timetable.as_ref();
        let next = timetable.and_then(|timetable| timetable.next(settled).ok().flatten());
        let next = next.map_or(i64::MAX, |next| {
            next.as_second().saturating_add(SETTLED_AFTER + 1)
        });
        let now = self.now.as_second();
        let due = next.clamp(now + 1, now + JUDGE_EVERY);
        Timestamp::from_second(due).unwrap_or(Timestamp::MAX)
    }
}

/// The history since a time, or of all that is left. It begins a second early, because a run at that very time is not
/// among those outside ([`runs_outside`]): what is found out about it later would be lost.
fn history(
    facts: Facts<'_>,
    since: Option<Timestamp>,
    until: Option<Timestamp>,
) -> CronJobHistory<'_> {
    let window = HistoryWindow {
        since: since.map(|since| earlier(since, 1)),
        until,
    };
    CronJobHistory::of(facts, &window)
}

/// The Job of a run that was running is gone.
pub(super) fn end_unseen(run: &mut StoredRun) {
    if run.result == Some(RunResult::Running) {
        run.result = None;
        end(run);
    }
}

pub(super) fn earlier(at: Timestamp, seconds: i64) -> Timestamp {
    at.checked_sub(SignedDuration::from_secs(seconds))
        .unwrap_or(Timestamp::MIN)
}
