//! Predicts what happens when a `CronJob` is resumed.

use jiff::{SignedDuration, Timestamp};

use super::first_start::{FirstStart, NoStart};
use super::next_run;
use crate::controller::{Decision, EditEffect, decide, edit_effect};
use crate::diagnose::{Facts, SkippedRuns, SuspensionRecord};
use crate::model::CronJob;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CatchUp {
    /// They are left to the controller.
    Run,
    /// They are skipped: `status.lastScheduleTime` is set to this scheduled time.
    Status(Timestamp),
    /// They are skipped: `startingDeadlineSeconds` is set, and older runs are past it.
    Deadline(i64),
}

/// The prediction for a resumed `CronJob`.
#[derive(Clone, Debug, PartialEq)]
pub struct Resumption {
    pub catch_up: CatchUp,
    pub first_start: FirstStart,
    /// The number of missed runs, counted exactly.
    pub missed: u64,
    /// The scheduled time of the last of them.
    pub last_missed: Option<Timestamp>,
    /// The number of them that are not started.
    pub skipped: u64,
    /// The runs that are certainly not started, to be recorded.
    pub(crate) skipped_runs: Option<SkippedRuns>,
    /// The first run that is scheduled after now, if one may start.
    pub next_run: Option<Timestamp>,
    /// What that run depends on, as the end of a sentence.
    pub next_run_note: Option<String>,
    /// The decision of the first sync.
    pub decision: Decision,
    /// When the first sync happens, and why.
    pub effect: EditEffect,
}

impl Resumption {
    /// Asks the controller about a `CronJob` that is suspended.
    pub fn of(facts: &Facts<'_>, catch_up: CatchUp) -> Self {
        let (before, after) = resumed(&facts.cron_job, catch_up);
        let (controller, now) = (facts.controller, facts.now);
        let effect = edit_effect(controller, &before, &after, &facts.controller_jobs, now);
        let decision = effect
            .decision_then
            .clone()
            .unwrap_or_else(|| decide(controller, &after, &facts.controller_jobs, now));
        let missed = facts.missed.map_or(0, |missed| missed.count);
        let last_missed = facts.missed.and_then(|missed| missed.last);
        let deadline = after.spec.starting_deadline_seconds;
        // The newer releases do not report runs that are past the deadline.
        let is_past =
            |scheduled_time| deadline.is_some_and(|deadline| facts.ago(scheduled_time) > deadline);
        let first_start =
            match FirstStart::of(controller, &after, &facts.controller_jobs, &decision, now) {
                FirstStart::NoStart(NoStart::NoneMissed) if last_missed.is_some_and(is_past) => {
                    FirstStart::NoStart(NoStart::PastDeadline)
                }
                // The old releases treat a schedule that never runs as one with too many missed runs.
                FirstStart::NoStart(NoStart::TooManyMissed) if missed == 0 => {
                    FirstStart::NoStart(NoStart::Impossible(decision.outcome))
                }
                first_start => first_start,
            };
        // Some releases start a run for a time that was not scheduled; then all missed runs are skipped.
        let starts_last = last_missed.is_some() && first_start.late_time() == last_missed;
        let forecast = facts.changed(&after).forecast_with_sync(2);
        let next_run = next_run(facts, &forecast);
        Resumption {
            skipped_runs: skipped_runs(facts, catch_up),
            catch_up,
            missed,
            last_missed,
            skipped: missed.saturating_sub(u64::from(starts_last)),
            next_run_note: next_run.and_then(|next| forecast.note(next)),
            next_run,
            first_start,
            decision,
            effect,
        }
    }

    /// For how long the late run is late, in seconds.
    pub fn late_by(&self, now: Timestamp) -> Option<i64> {
        let scheduled_time = self.first_start.late_time()?;
        Some(now.as_second() - scheduled_time.as_second())
    }
}

/// The runs that nothing starts any more. The latest one may be started unless it is skipped.
fn skipped_runs(facts: &Facts<'_>, catch_up: CatchUp) -> Option<SkippedRuns> {
    let missed = facts.missed?;
    let last = match catch_up {
        CatchUp::Run => facts.timetable.as_ref()?.previous(missed.last?)?,
        CatchUp::Status(_) | CatchUp::Deadline(_) => missed.last?,
    };
    let first = missed.first.filter(|first| *first <= last)?;
    Some(SkippedRuns {
        first,
        last,
        suspended_at: SuspensionRecord::of(&facts.cron_job).and_then(|record| record.at),
        resumed_at: facts.now,
    })
}

/// The `CronJob` right before it is resumed, and after.
fn resumed(cron_job: &CronJob, catch_up: CatchUp) -> (CronJob, CronJob) {
    let mut before = cron_job.clone();
    if let CatchUp::Status(scheduled_time) = catch_up {
        before.status.last_schedule_time = Some(scheduled_time);
    }
    let mut after = before.clone();
    after.spec.suspend = Some(false);
    if let CatchUp::Deadline(seconds) = catch_up {
        after.spec.starting_deadline_seconds = Some(seconds);
    }
    (before, after)
}

/// The longest common deadline with which resuming starts no run late, even if some seconds pass until
/// then. A short one misses runs if the controller is slow.
pub fn quiet_deadline(facts: &Facts<'_>) -> Option<i64> {
    const CHOICES: [i64; 6] = [3_600, 600, 300, 120, 60, 30];
    const SLACK: i64 = 30;
    let is_late = |decision: &Decision| {
        let starts = decision.starts();
        starts
            && decision
                .scheduled_time
                .is_some_and(|scheduled_time| scheduled_time <= facts.now)
    };
    let starts_nothing = |seconds: &i64| {
        // A shorter deadline can start a run that a longer one does not: if the intervals of a schedule are
        // uneven, the newer releases may not find one missed run among many. So each second is checked.
        let with = |seconds| Resumption::of(facts, CatchUp::Deadline(seconds)).first_start;
        let now = [*seconds, seconds + SLACK].map(with);
        let (_, after) = resumed(&facts.cron_job, CatchUp::Deadline(*seconds));
        let later = |wait: i64| {
            let then = facts
                .now
                .checked_add(SignedDuration::from_secs(wait))
                .ok()?;
            Some(decide(
                facts.controller,
                &after,
                &facts.controller_jobs,
                then,
            ))
        };
        let mut later = (1..=SLACK).filter_map(later);
        now.iter()
            .all(|first_start| first_start.late_time().is_none())
            && !later.any(|then| is_late(&then))
    };
    CHOICES.into_iter().find(starts_nothing)
}
