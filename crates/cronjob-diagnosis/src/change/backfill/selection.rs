//! Which missed runs are asked for, which of them are started, and which are left out.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use jiff::{SignedDuration, Timestamp};

use super::next_start::{self, NextStart};
use super::{
    BackfillCandidate, BackfillRefusal, BackfillRun, BackfillSelection, LeftOutReason, LeftOutRuns,
};
use crate::diagnose::{Facts, local_time};
use crate::history::{
    History, HistoryEntry, HistoryWindow, RecordedRun, RunResult, RunStatus, history,
};
use cronjob_controller::controller::{RunMarks, marks_of_run};
use kube_model::{Job, PastRun};

pub(super) fn candidates(
    facts: &Facts<'_>,
    choice: &BackfillSelection,
) -> Result<Vec<BackfillCandidate>, BackfillRefusal> {
    if !choice.scheduled_times.is_empty() {
        return named(facts, &choice.scheduled_times);
    }
    let history = known(facts, choice)?;
    let found: Vec<BackfillCandidate> = candidates_of(&history, false).collect();
    if choice.since.is_none() && choice.last.is_none() {
        let since = history.since;
        let (steps, _) = select(facts, &BackfillSelection::everything(choice.until), found);
        return Err(BackfillRefusal::NothingChosen {
            missed: steps.len(),
            since,
            first: steps.first().map(|step| step.scheduled_time),
        });
    }
    Ok(found)
}

impl BackfillSelection {
    /// All missed runs up to a time.
    fn everything(until: Option<Timestamp>) -> Self {
        BackfillSelection {
            until,
            max: usize::MAX,
            ..BackfillSelection::default()
        }
    }
}

/// The history of the selected window. The default window reaches back as far as the Jobs, and at least to
/// the last start.
fn known(facts: &Facts<'_>, choice: &BackfillSelection) -> Result<History, BackfillRefusal> {
    let (since, until) = (choice.since, choice.until);
    let mut found = history(facts, &HistoryWindow { since, until });
    let last_start = facts.missed.map(|missed| missed.since);
    let last_start = last_start.filter(|_| since.is_none());
    // Years may have passed since, and the latest runs may be enough.
    let mut runs = choice.last.unwrap_or_default().clamp(500, 1_000_000) * 2;
    while let Some(last_start) = last_start.filter(|last| *last < found.since)
        && choice
            .last
            .is_none_or(|last| startable(facts, choice, &found) < last)
    {
        let by_clock = facts
            .timetable
            .as_ref()
            .filter(|timetable| !timetable.is_every());
        let nearer = by_clock.and_then(|timetable| {
            choice.last?;
            let mut earlier = timetable.before(found.until);
            earlier.nth(runs).filter(|nearer| *nearer > last_start)
        });
        let since = Some(nearer.unwrap_or(last_start));
        found = history(facts, &HistoryWindow { since, until });
        runs *= 10;
    }
    match found.error.take() {
        Some(error) => Err(error.into()),
        None => Ok(found),
    }
}

/// How many runs of a history can be started.
fn startable(facts: &Facts<'_>, choice: &BackfillSelection, history: &History) -> usize {
    let everything = BackfillSelection {
        include_unknown: choice.include_unknown,
        ..BackfillSelection::everything(choice.until)
    };
    let found = candidates_of(history, false).collect();
    select(facts, &everything, found).0.len()
}

fn candidates_of(history: &History, named: bool) -> impl Iterator<Item = BackfillCandidate> + '_ {
    history.runs.entries.iter().flat_map(move |entry| {
        let shared = Rc::new(entry.clone());
        history
            .runs
            .times(entry)
            .map(move |scheduled_time| BackfillCandidate {
                scheduled_time,
                entry: Rc::clone(&shared),
                named,
            })
    })
}

/// The runs with these scheduled times.
fn named(
    facts: &Facts<'_>,
    times: &[Timestamp],
) -> Result<Vec<BackfillCandidate>, BackfillRefusal> {
    let mut times = times.to_vec();
    times.sort_unstable();
    times.dedup();
    let mut found = Vec::new();
    for time in times {
        if time > facts.input.now {
            let now = facts.input.now;
            return Err(BackfillRefusal::Future { time, now });
        }
        let (since, until) = (Some(time), Some(time));
        let mut history = history(facts, &HistoryWindow { since, until });
        if let Some(error) = history.error.take() {
            return Err(error.into());
        }
        let Some(candidate) =
            candidates_of(&history, true).find(|found| found.scheduled_time == time)
        else {
            return Err(BackfillRefusal::NotScheduled {
                time,
                schedule: facts.input.cron_job.spec.schedule.clone(),
                scheduled_times: nearest(facts, time),
            });
        };
        found.push(candidate);
    }
    Ok(found)
}

/// The scheduled times before and after a time that is none.
fn nearest(facts: &Facts<'_>, time: Timestamp) -> Vec<Timestamp> {
    let Some(timetable) = &facts.timetable else {
        return Vec::new();
    };
    let next = timetable.next(time).ok().flatten();
    if timetable.zone().is_some() {
        let previous = timetable.previous(time);
        return [previous, next].into_iter().flatten().collect();
    }
    // `@every` counts from the known runs.
    let period = next.map_or(0, |next| next.as_second() - time.as_second());
    let period = SignedDuration::from_secs(period);
    let (since, until) = (time.checked_sub(period).ok(), time.checked_add(period).ok());
    let around = history(facts, &HistoryWindow { since, until });
    let times: Vec<Timestamp> = around.runs.iter().map(|(time, _)| time).collect();
    let (before, after) = times.split_at(times.partition_point(|one| *one < time));
    let nearest = before.last().into_iter().chain(after.first());
    nearest.copied().collect()
}

/// The runs to start and the skipped ones, both in order.
pub(super) fn select(
    facts: &Facts<'_>,
    choice: &BackfillSelection,
    candidates: Vec<BackfillCandidate>,
) -> (Vec<BackfillRun>, Vec<LeftOutRuns>) {
    let mut filter = RunFilter::new(facts, choice.include_unknown);
    let (mut kept, mut left_out) = (Vec::new(), Vec::new());
    for candidate in candidates {
        let marks = marks_of_run(
            facts.input.controller,
            &facts.input.cron_job,
            candidate.scheduled_time,
        );
        if let Some(left) = filter.holds_back(&candidate, &marks) {
            add(&mut left_out, left);
        } else {
            filter.names.insert(marks.job_name.clone());
            kept.push((candidate, marks));
        }
    }
    if let Some(last) = choice.last.filter(|_| choice.scheduled_times.is_empty()) {
        let others = kept.len().saturating_sub(last);
        kept.drain(..others);
        // Skipped runs before the first selected one were not asked for.
        let first = kept.first().map(|(candidate, _)| candidate.scheduled_time);
        left_out.retain(|left| first.is_none_or(|first| left.last >= first));
    }
    for (beyond, _) in kept.drain(choice.max.min(kept.len())..) {
        let detail = format!("exceeds --max {}", choice.max);
        add(
            &mut left_out,
            LeftOutRuns::new(&beyond.scheduled_time, LeftOutReason::BeyondMax, detail),
        );
    }
    left_out.sort_by_key(|left| left.first);
    let steps = kept.into_iter();
    let steps = steps.map(|(candidate, marks)| step(facts, &candidate, marks));
    (steps.collect(), left_out)
}

fn step(facts: &Facts<'_>, candidate: &BackfillCandidate, marks: RunMarks) -> BackfillRun {
    BackfillRun {
        scheduled_time: candidate.scheduled_time,
        local_time: local_time(candidate.scheduled_time, facts.display_zone().time_zone()),
        job_name: marks.job_name,
        scheduled_timestamp: marks.scheduled_timestamp,
        missed: candidate.entry.reason.clone(),
        may_have_run: candidate.entry.status == RunStatus::Unknown,
    }
}

/// Adds a skipped run, or extends the last entry if it has the same reason.
fn add(left_out: &mut Vec<LeftOutRuns>, left: LeftOutRuns) {
    match left_out.last_mut() {
        Some(before) if before.is_like(&left) => {
            before.last = left.last;
            before.count += left.count;
        }
        _ => left_out.push(left),
    }
}

impl LeftOutRuns {
    pub(super) fn new(
        scheduled_time: &Timestamp,
        why: LeftOutReason,
        detail: impl Into<String>,
    ) -> Self {
        LeftOutRuns {
            first: *scheduled_time,
            last: *scheduled_time,
            count: 1,
            job_name: None,
            why,
            detail: detail.into(),
        }
    }

    fn by(self, job_name: &str) -> Self {
        LeftOutRuns {
            job_name: Some(job_name.to_owned()),
            ..self
        }
    }

    fn is_like(&self, other: &LeftOutRuns) -> bool {
        self.why == other.why
            && self.detail == other.detail
            && self.job_name.is_none()
            && other.job_name.is_none()
    }
}

struct RunFilter<'f, 'a> {
    facts: &'f Facts<'a>,
    include_unknown: bool,
    /// The runs by the second of their scheduled time and whatever created their Jobs.
    runs: HashMap<i64, &'f PastRun<'a>>,
    /// The Jobs of the namespace by name.
    jobs: HashMap<&'a str, &'a Job>,
    /// The Job names of the runs that are kept.
    names: HashSet<String>,
    /// When a Job succeeded that no longer exists.
    gone: Option<Timestamp>,
}

impl<'f, 'a> RunFilter<'f, 'a> {
    fn new(facts: &'f Facts<'a>, include_unknown: bool) -> Self {
        let by_time = |run: &'f PastRun<'a>| Some((run.scheduled_time?.as_second(), run));
        let jobs: &'a [Job] = facts.input.jobs;
        let own = jobs
            .iter()
            .filter(|job| job.namespace == facts.input.cron_job.namespace);
        RunFilter {
            facts,
            include_unknown,
            runs: facts.runs.iter().filter_map(by_time).collect(),
            jobs: own.map(|job| (job.name.as_str(), job)).collect(),
            names: HashSet::new(),
            gone: facts.lost_success(),
        }
    }

    /// Why a run is skipped, if it is.
    fn holds_back(&self, candidate: &BackfillCandidate, marks: &RunMarks) -> Option<LeftOutRuns> {
        let scheduled_time = &candidate.scheduled_time;
        let left = |why, detail: String| Some(LeftOutRuns::new(scheduled_time, why, detail));
        let HistoryEntry {
            status,
            run,
            reason,
            ..
        } = &*candidate.entry;
        if let Some(run) = run {
            return Some(of_run(scheduled_time, run));
        }
        if let Some(run) = self.runs.get(&scheduled_time.as_second()) {
            let name = &run.job.name;
            let (why, verb) = match run.ending() {
                Some(_) => (LeftOutReason::Ran, "already ran"),
                None => (LeftOutReason::Running, "is already running"),
            };
            return left(why, format!("{name} {verb} for this scheduled time"))
                .map(|left| left.by(name));
        }
        if let Some(job) = self.jobs.get(marks.job_name.as_str()) {
            let detail = next_start::whose(&self.facts.input, job);
            return left(LeftOutReason::NameTaken, detail).map(|left| left.by(&job.name));
        }
        if self.names.contains(&marks.job_name) {
            let detail = format!(
                "{} is the Job of another run in the same minute",
                marks.job_name
            );
            return left(LeftOutReason::NameTaken, detail);
        }
        if candidate.named {
            return None;
        }
        let code = reason.as_ref().map(|reason| &*reason.code);
        let detail = || {
            reason
                .as_ref()
                .map_or_else(String::new, |reason| reason.detail.to_string())
        };
        if code == Some("notCreated") && !self.counts_as_missed(*scheduled_time) {
            return left(LeftOutReason::NotCreated, detail());
        }
        if code == Some("due") || self.is_next_of_controller(*scheduled_time) {
            return left(
                LeftOutReason::ControllerStarts,
                next_start::controller_starts(self.facts),
            );
        }
        if self.include_unknown {
            return None;
        }
        if *status == RunStatus::Unknown {
            return left(LeftOutReason::MayHaveRun, detail());
        }
        let gone = self.gone.filter(|gone| *scheduled_time < *gone)?;
        left(
            LeftOutReason::MayHaveRun,
            format!("a Job that no longer exists succeeded at {gone}; it may have been this run"),
        )
    }

    /// Whether a scheduled time is later than the last start. One before the creation may be, if the status was
    /// edited.
    fn counts_as_missed(&self, scheduled_time: Timestamp) -> bool {
        self.facts
            .missed
            .is_some_and(|missed| scheduled_time > missed.since)
    }

    /// Whether the controller starts a run at its next sync, or as soon as nothing blocks it.
    fn is_next_of_controller(&self, scheduled_time: Timestamp) -> bool {
        !self.facts.input.is_suspended()
            && matches!(
                next_start::next_of(&self.facts.decision),
                Some((next, NextStart::Starts | NextStart::Waits)) if next == scheduled_time
            )
    }
}

fn of_run(scheduled_time: &Timestamp, run: &RecordedRun) -> LeftOutRuns {
    let (why, how) = match run.result {
        Some(RunResult::Running) => (LeftOutReason::Running, "is running".to_owned()),
        Some(RunResult::Succeeded) => (LeftOutReason::Ran, "already succeeded".to_owned()),
        Some(RunResult::Failed) => {
            // While there are events about a Job that is gone, they count.
            let again = match run.removed {
                None => format!("trigger --job {}", run.job_name),
                Some(_) => "trigger".to_owned(),
            };
            let how = format!("already ran and failed; to run it again, use {again}");
            (LeftOutReason::Ran, how)
        }
        None if run.is_unsuccessful => (
            LeftOutReason::Ran,
            "already ran and did not succeed".to_owned(),
        ),
        None => (LeftOutReason::Ran, "already ran".to_owned()),
    };
    LeftOutRuns::new(scheduled_time, why, how).by(&run.job_name)
}
