//! Which extra runs a moved schedule causes when it is applied.
//!
//! The controller counts from the last start under the old schedule. If each run is moved some minutes
//! later, the new time of the last run is after that start: either it is still to come, and the run is
//! repeated, or it is past, and the controller starts it late.

use std::borrow::Cow;
use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;

use super::first_start::FirstStart;
use crate::diagnose::with_just_started;
use crate::load::ScheduleSuggestion;
use cronjob_controller::controller::{Controller, decide, edit_effect, marks_of_run};
use cronjob_controller::upcoming::timetable;
use cronjob_text::duration::whole_second;
use cronjob_text::text::{LocalTime, Text};
use kube_model::{CronJob, CronJobEvidence, Job};

/// A `CronJob`, and a new schedule by which each of its runs starts later.
#[derive(Clone, Debug)]
pub struct MovedSchedule<'a> {
    pub cron_job: Cow<'a, CronJob>,
    pub jobs: Cow<'a, [Job]>,
    pub schedule: &'a str,
    pub minutes: u32,
}

/// An extra run that is started because the schedule is moved.
#[derive(Clone, Debug, JsonSchema, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ExtraRun {
    /// Why: it already ran at the old time (`repeated`), or the new time is past (`retroactive`).
    pub kind: ExtraKind,
    /// The scheduled time in the new schedule.
    pub scheduled_time: Timestamp,
    /// The name of its Job.
    pub job_name: String,
    /// When it starts at the latest.
    pub starts_at: Timestamp,
    /// The running Jobs; when one finishes, the run may start earlier.
    pub running: Vec<String>,
}

string_enum! {
    /// Why there is an extra run.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum ExtraKind {
        /// It ran at the old time, and runs again at the new one.
        Repeated = "repeated",
        /// The new time is past, and the controller starts the run late.
        Retroactive = "retroactive",
    }
}

/// The effect of applying a proposal now.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Application {
    /// The number of suggestions for `CronJob`s of a cluster. The others are for manifests, and it is unknown
    /// when those are applied.
    pub in_cluster: usize,
    /// The number of these without a deadline: waiting hardly avoids their extra runs.
    pub without_deadline: usize,
    /// The extra runs, by the index of their suggestion.
    pub extra_runs: BTreeMap<usize, ExtraRun>,
    /// A time without extra runs, if there are extra runs now and such a time was found.
    pub quiet_at: Option<Timestamp>,
}

impl Application {
    /// Predicts the extra runs of all suggestions. `evidence_of` returns the evidence of a member.
    pub fn of<'a>(
        controller: &Controller,
        evidence_of: impl Fn(usize) -> Option<&'a CronJobEvidence>,
        suggestions: &'a [ScheduleSuggestion],
        now: Timestamp,
    ) -> Self {
        let later = |(place, suggestion): (usize, &'a ScheduleSuggestion)| {
            let evidence = evidence_of(suggestion.member)?;
            let in_cluster = !evidence.cron_job.not_in_cluster;
            in_cluster.then(|| {
                (
                    place,
                    MovedSchedule::of(controller, evidence, suggestion, now),
                )
            })
        };
        let all: Vec<_> = suggestions.iter().enumerate().filter_map(later).collect();
        let extra = |(place, later): &(usize, MovedSchedule<'_>)| {
            Some((*place, extra_run(controller, later, now)?))
        };
        let extra_runs: BTreeMap<usize, ExtraRun> = all.iter().filter_map(extra).collect();
        Application {
            in_cluster: all.len(),
            without_deadline: all
                .iter()
                .filter(|(_, later)| !later.has_deadline())
                .count(),
            quiet_at: (!extra_runs.is_empty())
                .then(|| quiet_at(controller, &all, now))
                .flatten(),
            extra_runs,
        }
    }

    pub fn count(&self, kind: ExtraKind) -> usize {
        let all = self.extra_runs.values();
        all.filter(|run| run.kind == kind).count()
    }
}

impl<'a> MovedSchedule<'a> {
    /// A `CronJob` and its suggestion. If no Jobs were read, the running ones are taken from its status.
    pub fn of(
        controller: &Controller,
        evidence: &'a CronJobEvidence,
        suggestion: &'a ScheduleSuggestion,
        now: Timestamp,
    ) -> Self {
        MovedSchedule {
            cron_job: with_just_started(controller, &evidence.cron_job, &evidence.jobs, now),
            jobs: match evidence.jobs.as_slice() {
                [] => Cow::Owned(evidence.cron_job.assumed_jobs()),
                jobs => Cow::Borrowed(jobs),
            },
            schedule: &suggestion.schedule,
            minutes: suggestion.minutes_later,
        }
    }

    fn has_deadline(&self) -> bool {
        self.cron_job.spec.starting_deadline_seconds.is_some()
    }

    fn moved(&self) -> CronJob {
        let mut moved = self.cron_job.clone().into_owned();
        self.schedule.clone_into(&mut moved.spec.schedule);
        moved
    }
}

impl ExtraRun {
    /// `runs a second time at Sat 2026-11-21 00:49 UTC (nightly-29921809)`.
    pub fn in_words(&self, local: &dyn Fn(Timestamp) -> LocalTime) -> Text {
        let ExtraRun {
            kind,
            scheduled_time,
            job_name,
            starts_at,
            running,
        } = self;
        match kind {
            ExtraKind::Repeated => text!(
                "runs a second time at {} ({})",
                local(*scheduled_time),
                job_name
            ),
            ExtraKind::Retroactive => {
                let sooner = match running.as_slice() {
                    [] => Text::default(),
                    names => text!("when {} finishes, or ", names.join(" or ")),
                };
                text!(
                    "starts {} late {}, {}at {} at the latest",
                    job_name,
                    Text::for_run(local(*scheduled_time)),
                    sooner,
                    local(*starts_at)
                )
            }
        }
    }
}

/// The extra run that the controller starts if a schedule is moved now.
pub fn extra_run(
    controller: &Controller,
    later: &MovedSchedule<'_>,
    now: Timestamp,
) -> Option<ExtraRun> {
    let (cron_job, jobs) = (&*later.cron_job, later.jobs.as_ref());
    let starts_nothing = cron_job.spec.suspend == Some(true)
        || cron_job.deletion_timestamp.is_some()
        || !controller.has_time_to_start(&cron_job.spec);
    // A run that is late under the old schedule is late under the new one, too.
    if starts_nothing || late_run(controller, cron_job, jobs, now, now).is_some() {
        return None;
    }
    let moved = later.moved();
    let effect = edit_effect(controller, cron_job, &moved, jobs, now);
    let mut running: Vec<String> = Vec::new();
    let at_its_end = if cron_job.status.active.is_empty() {
        None
    } else {
        let active = cron_job.status.active.iter();
        running.extend(active.map(|job| job.name.clone()));
        late_run(controller, &moved, jobs, now, now)
    };
    let syncs_at = effect.syncs_at.unwrap_or(now);
    let by_itself = late_run(controller, &moved, jobs, syncs_at, now);
    if let Some((scheduled_time, job_name)) = at_its_end.or(by_itself) {
        return Some(ExtraRun {
            kind: ExtraKind::Retroactive,
            scheduled_time,
            job_name,
            starts_at: whole_second(syncs_at),
            running,
        });
    }
    let next = timetable(controller, &moved).ok()?.next(now).ok()??;
    let minutes = SignedDuration::from_mins(i64::from(later.minutes));
    let before = next.checked_sub(minutes).ok()?;
    let has_run = before <= now && cron_job.status.last_schedule_time >= Some(before);
    has_run.then(|| ExtraRun {
        kind: ExtraKind::Repeated,
        scheduled_time: next,
        job_name: marks_of_run(controller, &moved, next).job_name,
        starts_at: next,
        running: Vec::new(),
    })
}

/// The run scheduled at or before `past` that the controller starts at a sync, or once the Jobs that run
/// then have finished.
fn late_run(
    controller: &Controller,
    cron_job: &CronJob,
    jobs: &[Job],
    syncs_at: Timestamp,
    past: Timestamp,
) -> Option<(Timestamp, String)> {
    let decision = decide(controller, cron_job, jobs, syncs_at);
    match FirstStart::of(controller, cron_job, jobs, &decision, syncs_at) {
        FirstStart::Late(late) if late.scheduled_time <= past => {
            Some((late.scheduled_time, late.job_name))
        }
        _ => None,
    }
}

/// How many minutes ahead a time without extra runs is searched.
const MINUTES: usize = 24 * 60;
/// How many minutes must be without extra runs, since applying takes time.
const QUIET: usize = 5;
/// The maximum number of predictions. Between two scheduled times the prediction does not change.
const QUESTIONS: usize = 20_000;

/// A time at which no moved schedule has an extra run, whatever triggers a sync, if runs start on time and
/// finish before the next.
fn quiet_at(
    controller: &Controller,
    all: &[(usize, MovedSchedule<'_>)],
    now: Timestamp,
) -> Option<Timestamp> {
    let first = now.as_second().div_euclid(60) + 1;
    let mut minutes = vec![true; MINUTES];
    let mut questions = QUESTIONS;
    let mut order: Vec<&MovedSchedule<'_>> = all.iter().map(|(_, later)| later).collect();
    // Those without a deadline first, since they rule out most minutes.
    order.sort_by_key(|later| later.has_deadline());
    for later in order {
        rule_out(controller, later, first, &mut minutes, &mut questions)?;
    }
    let quiet = minutes
        .windows(QUIET + 1)
        .position(|minutes| minutes.iter().all(|quiet| *quiet))?;
    // In the first of these minutes a run may just be starting.
    let minute = first + i64::try_from(quiet).ok()? + 1;
    Timestamp::from_second(minute * 60).ok()
}

/// Rules out the minutes in which a moved schedule has an extra run; `None` once none is left, or after too
/// many predictions.
fn rule_out(
    controller: &Controller,
    later: &MovedSchedule<'_>,
    first: i64,
    minutes: &mut [bool],
    questions: &mut usize,
) -> Option<()> {
    let mut then = later.cron_job.clone().into_owned();
    then.status.active.clear();
    let mut moved = later.moved();
    moved.status.active.clear();
    let end = i64::try_from(minutes.len()).ok()?;
    // The minutes in which runs are due, shifted by a number of seconds.
    let times = |cron_job: &CronJob, seconds: i64| -> Option<Vec<i64>> {
        let begin = Timestamp::from_second((first * 60 - 1).checked_sub(seconds)?).ok()?;
        let timetable = timetable(controller, cron_job).ok()?;
        let runs = timetable.after(begin).map_while(Result::ok);
        let minute = |run: Timestamp| (run.as_second() + seconds + 59).div_euclid(60) - first;
        let of_minute = runs.take(MINUTES).map(minute);
        Some(of_minute.take_while(|minute| *minute < end).collect())
    };
    let deadline = moved.spec.starting_deadline_seconds;
    let (old, new) = (times(&then, 0)?, times(&moved, 0)?);
    let expired = deadline.and_then(|deadline| times(&moved, deadline));
    let expired = expired.unwrap_or_default();
    let (mut known, mut has_extra) = (None, false);
    for (place, quiet) in (0_i64..).zip(minutes.iter_mut()) {
        let up_to_here = |runs: &[i64]| runs.partition_point(|run| *run <= place);
        let passed = up_to_here(&old);
        let state = (passed, up_to_here(&new), up_to_here(&expired));
        if !*quiet {
            continue;
        }
        if known != Some(state) {
            *questions = questions.checked_sub(1)?;
            if let Some(last) = passed.checked_sub(1).and_then(|last| old.get(last)) {
                let last = Timestamp::from_second((first + last) * 60).ok();
                then.status.last_schedule_time = last;
                moved.status.last_schedule_time = last;
            }
            let middle = Timestamp::from_second((first + place) * 60 + 30).ok()?;
            let later = MovedSchedule {
                cron_job: Cow::Borrowed(&then),
                jobs: Cow::Borrowed(&[]),
                ..later.clone()
            };
            has_extra = extra_run(controller, &later, middle).is_some()
                || late_run(controller, &moved, &[], middle, middle).is_some();
            known = Some(state);
        }
        *quiet = !has_extra;
    }
    minutes.contains(&true).then_some(())
}
