//! Which runs a moved schedule adds when it is applied.
//!
//! The controller goes on from the last start under the old schedule. If each run is to start some
//! minutes later, the new time of the last run lies after that start: either it is still to come, and
//! the run is repeated, or it is past, and the controller makes up for it.

use std::borrow::Cow;
use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use super::first_start::FirstStart;
use crate::controller::{Controller, decide, edit_effect, marks_of_run};
use crate::load::ScheduleSuggestion;
use crate::model::{CronJob, CronJobEvidence, Job};
use crate::schedule::Timetable;
use crate::upcoming::{Subject, read};

/// A `CronJob`, and a schedule by which each of its runs starts later.
#[derive(Clone, Debug)]
pub struct Later<'a> {
    /// As it is in the cluster.
    pub cron_job: &'a CronJob,
    /// Its Jobs.
    pub jobs: Cow<'a, [Job]>,
    /// The new schedule.
    pub schedule: &'a str,
    /// How many minutes later.
    pub minutes: u32,
}

/// A run that is started because the schedule is moved, beside those of the schedule.
#[derive(Clone, Debug, JsonSchema, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ExtraRun {
    /// How it comes about: it ran at the old time, or the new time is past.
    pub kind: ExtraKind,
    /// The time of the new schedule that it is for.
    pub scheduled_time: Timestamp,
    /// Its Job.
    pub job_name: String,
    /// When it starts, at the latest.
    pub starts_at: Timestamp,
    /// Jobs of which the end makes the controller start it earlier.
    pub running: Vec<String>,
}

/// How an extra run comes about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ExtraKind {
    /// It ran at the old time, and runs again at the new one.
    Repeated,
    /// The new time is past, and the controller makes up for it.
    Retroactive,
}

string_enum! {
    impl pub ExtraKind {
        Repeated = "repeated",
        Retroactive = "retroactive",
    }
}

/// What it leads to to apply a proposal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Application {
    /// How many of the suggestions are about a `CronJob` of a cluster. The others are about manifests,
    /// of which nobody knows when they are applied.
    pub in_cluster: usize,
    /// How many of these have no deadline, so that it hardly matters when it is applied.
    pub without_deadline: usize,
    /// The extra runs if it is applied now, by the place of their suggestion.
    pub extra_runs: BTreeMap<usize, ExtraRun>,
    /// A time at which there are none, where now is not such a time and one was found.
    pub quiet_at: Option<Timestamp>,
}

impl Application {
    /// Asks the controller about all `CronJob`s that suggestions are about. They are members of the
    /// load in the order of the evidence.
    pub fn of<'a>(
        controller: &Controller<'_>,
        evidence_of: impl Fn(usize) -> Option<&'a CronJobEvidence>,
        suggestions: &'a [ScheduleSuggestion],
        now: Timestamp,
    ) -> Self {
        let later = |(place, suggestion): (usize, &'a ScheduleSuggestion)| {
            let evidence = evidence_of(suggestion.member)?;
            let in_cluster = !evidence.cron_job.not_in_cluster;
            in_cluster.then(|| (place, Later::of(evidence, suggestion)))
        };
        let all: Vec<_> = suggestions.iter().enumerate().filter_map(later).collect();
        let extra = |(place, later): &(usize, Later<'_>)| {
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

    /// How many extra runs there are of a kind.
    pub fn count(&self, kind: ExtraKind) -> usize {
        let all = self.extra_runs.values();
        all.filter(|run| run.kind == kind).count()
    }
}

impl<'a> Later<'a> {
    /// A `CronJob` and what is suggested for it. Where no Jobs were read, its status says which run.
    pub fn of(evidence: &'a CronJobEvidence, suggestion: &'a ScheduleSuggestion) -> Self {
        Later {
            cron_job: &evidence.cron_job,
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
        let mut moved = self.cron_job.clone();
        self.schedule.clone_into(&mut moved.spec.schedule);
        moved
    }
}

/// What becomes of a `CronJob` whose schedule is moved now.
#[derive(Clone, Debug, JsonSchema, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Rescheduling {
    /// `spec.schedule` before the change.
    #[serde(rename = "schedule")]
    pub was: String,
    /// And after it.
    #[serde(rename = "newSchedule")]
    pub schedule: String,
    /// How much later each run starts.
    #[serde(rename = "laterSeconds", serialize_with = "in_seconds")]
    pub minutes: u32,
    /// The next run of the new schedule.
    pub next_run: Option<Timestamp>,
    /// The run that is started beside those of the schedule; null where there is none.
    pub extra_run: Option<ExtraRun>,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn in_seconds<S: Serializer>(minutes: &u32, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u32(minutes * 60)
}

impl Rescheduling {
    /// Asks the controller.
    pub fn of(controller: &Controller<'_>, later: &Later<'_>, now: Timestamp) -> Self {
        let next_run = timetable(controller, &later.moved());
        Rescheduling {
            was: later.cron_job.spec.schedule.clone(),
            schedule: later.schedule.to_owned(),
            minutes: later.minutes,
            next_run: next_run.and_then(|timetable| timetable.next(now).ok()?),
            extra_run: extra_run(controller, later, now),
        }
    }
}

/// The extra run, if the schedule is moved now.
fn extra_run(controller: &Controller<'_>, later: &Later<'_>, now: Timestamp) -> Option<ExtraRun> {
    let (cron_job, jobs) = (later.cron_job, later.jobs.as_ref());
    let starts_nothing = cron_job.spec.suspend == Some(true)
        || cron_job.deletion_timestamp.is_some()
        || !cron_job.spec.has_time_to_start();
    // What is late under the old schedule is late under the new one, too.
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
    let looks_at = effect.looks_at.unwrap_or(now);
    let by_itself = late_run(controller, &moved, jobs, looks_at, now);
    if let Some((scheduled_time, job_name)) = at_its_end.or(by_itself) {
        return Some(ExtraRun {
            kind: ExtraKind::Retroactive,
            scheduled_time,
            job_name,
            starts_at: Timestamp::from_second(looks_at.as_second()).unwrap_or(looks_at),
            running,
        });
    }
    let next = timetable(controller, &moved)?.next(now).ok()??;
    let before = earlier(next, later.minutes)?;
    let has_run = before <= now && cron_job.status.last_schedule_time >= Some(before);
    has_run.then(|| ExtraRun {
        kind: ExtraKind::Repeated,
        scheduled_time: next,
        job_name: marks_of_run(controller, &moved, next).job_name,
        starts_at: next,
        running: Vec::new(),
    })
}

/// The run for a time up to `past` that the controller starts when it looks, or once what runs then has
/// ended.
fn late_run(
    controller: &Controller<'_>,
    cron_job: &CronJob,
    jobs: &[Job],
    looks_at: Timestamp,
    past: Timestamp,
) -> Option<(Timestamp, String)> {
    let decision = decide(controller, cron_job, jobs, looks_at);
    match FirstStart::of(controller, cron_job, jobs, &decision, looks_at) {
        FirstStart::Late { slot, job, .. } | FirstStart::LateAfter { slot, job, .. }
            if slot <= past =>
        {
            Some((slot, job))
        }
        _ => None,
    }
}

fn timetable(controller: &Controller<'_>, cron_job: &CronJob) -> Option<Timetable> {
    let schedule = read(controller, &Subject::from(cron_job)).ok()?;
    Some(schedule.in_zone(&controller.local))
}

fn earlier(moment: Timestamp, minutes: u32) -> Option<Timestamp> {
    moment
        .checked_sub(SignedDuration::from_mins(i64::from(minutes)))
        .ok()
}

/// So many minutes ahead a quiet time is looked for.
const MINUTES: usize = 24 * 60;
/// It must be quiet for so many minutes: applying takes time.
const QUIET: usize = 5;
/// So often the controller is asked at most. Between two times of a schedule nothing changes.
const QUESTIONS: usize = 20_000;

/// A time at which no schedule that is moved has an extra run, whatever makes the controller look, if
/// runs start on time and end before the next.
fn quiet_at(
    controller: &Controller<'_>,
    all: &[(usize, Later<'_>)],
    now: Timestamp,
) -> Option<Timestamp> {
    let first = now.as_second().div_euclid(60) + 1;
    let mut minutes = vec![true; MINUTES];
    let mut questions = QUESTIONS;
    let mut order: Vec<&Later<'_>> = all.iter().map(|(_, later)| later).collect();
    // Without a deadline there is hardly ever a quiet time.
    order.sort_by_key(|later| later.has_deadline());
    for later in order {
        sift(controller, later, first, &mut minutes, &mut questions)?;
    }
    let quiet = minutes
        .windows(QUIET + 1)
        .position(|minutes| minutes.iter().all(|quiet| *quiet))?;
    // In the first of these minutes a run may just be starting.
    let minute = first + i64::try_from(quiet).ok()? + 1;
    Timestamp::from_second(minute * 60).ok()
}

/// Strikes the minutes out in which one has an extra run; `None` once none is left, or too much was
/// asked.
fn sift(
    controller: &Controller<'_>,
    later: &Later<'_>,
    first: i64,
    minutes: &mut [bool],
    questions: &mut usize,
) -> Option<()> {
    let mut then = later.cron_job.clone();
    then.status.active.clear();
    let mut moved = later.moved();
    moved.status.active.clear();
    let end = i64::try_from(minutes.len()).ok()?;
    // The minutes in which runs are due, or so many seconds later.
    let times = |cron_job: &CronJob, seconds: i64| -> Option<Vec<i64>> {
        let begin = Timestamp::from_second((first * 60 - 1).checked_sub(seconds)?).ok()?;
        let timetable = timetable(controller, cron_job)?;
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
            let later = Later {
                cron_job: &then,
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
