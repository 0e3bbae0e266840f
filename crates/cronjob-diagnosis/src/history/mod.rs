//! What happened to past runs, as far as the evidence shows.
//!
//! Each scheduled time of a window is compared with the Job that ran it. Where there is none, the
//! other evidence decides: the other Jobs and the history limits show whether its Job could have been
//! removed, the status and the events whether it was started at all. What cannot be known is called
//! unknown, and no cause is named without evidence. docs/history.md has the rules.

mod chosen_run;
mod classify;
mod deleted_jobs;
mod reason;
mod recorded;
mod reliability;
mod retention;
mod run;
mod schedule_changes;
mod summary;
mod window;

use std::collections::HashMap;
use std::ops::{Range, RangeInclusive};

use jiff::Timestamp;
use jiff::tz::TimeZone;
use schemars::JsonSchema;
use serde::Serialize;
use serde::ser::{SerializeSeq as _, Serializer};

pub use chosen_run::{RunChoice, choose_run};
use cronjob_text::text::Text;
use kube_model::RunPhases;
pub use kube_model::RunResult;
pub use kube_model::RunStatus;
pub(crate) use retention::Retention;
pub use run::{OffScheduleRun, RecordedRun, RunReason};
pub use summary::{HistorySummary, Percentiles};
pub use window::HistoryWindow;
pub(crate) use window::MAX_RUNS;
pub use window::WindowBasis;

use crate::diagnose::{Facts, local_time};
use classify::{Classifier, WithoutJob};
use cronjob_controller::controller::ON_TIME;
use cronjob_controller::upcoming::{ScheduleProblem, as_text};
use cronjob_text::duration::ceiling;
pub use recorded::SETTLED_AFTER;
use recorded::StoredRuns;
pub use recorded::{Recorded, RunSource};
pub use reliability::{DueRuns, Reliability};
pub use reliability::{ReliabilityDay, count_settled, days};
use window::ScheduledTimes;

/// What happened at the scheduled times of a window.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct History {
    /// The start of the window.
    pub since: Timestamp,
    /// The end of the window.
    pub until: Timestamp,
    /// Why the window starts there.
    pub basis: WindowBasis,
    /// How many earlier runs were omitted because there are too many; null if they were not counted.
    pub omitted_runs: Option<u64>,
    /// The runs, oldest first.
    #[schemars(with = "Vec<ScheduledRun<'static>>")]
    pub runs: ScheduledRuns,
    /// A summary of the runs.
    pub summary: HistorySummary,
    /// How far back the remaining Jobs show what happened.
    pub retention: Retention,
    /// Jobs for times that are not in the schedule.
    pub off_schedule: Vec<OffScheduleRun>,
    /// Manually created Jobs.
    #[schemars(with = "Vec<ManualRun<'static>>")]
    #[serde(serialize_with = "manual_runs")]
    pub manual: Vec<RecordedRun>,
    /// Notes about the evidence.
    pub notes: Vec<Text>,
    /// Why the scheduled times cannot be computed.
    #[schemars(with = "Option<String>")]
    #[serde(serialize_with = "as_text")]
    pub error: Option<HistoryError>,
    /// What the recorder covers; only with --recorder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recorded: Option<Recorded>,
    /// Unfinished Jobs are reported as of this time.
    #[serde(skip)]
    pub as_of: Timestamp,
}

/// The scheduled times of a window, with their runs.
///
/// A year of minutes is half a million: those without a Job are stored in groups, and serialized one
/// by one.
#[derive(Clone, Debug)]
pub struct ScheduledRuns {
    pub entries: Vec<HistoryEntry>,
    seconds: Vec<i64>,
    /// The time zone of the schedule.
    zone: TimeZone,
}

/// Neighboring scheduled times with one status and reason; a run with a Job stands alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HistoryEntry {
    pub status: RunStatus,
    pub run: Option<RecordedRun>,
    /// Why it is so, or what went wrong.
    pub reason: Option<RunReason>,
    /// Where it is known from, if a recorder was asked.
    pub source: Option<RunSource>,
    times: Range<usize>,
}

/// A past run.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "PastRun")]
#[serde(rename_all = "camelCase")]
struct ScheduledRun<'a> {
    /// The scheduled time.
    scheduled_time: Timestamp,
    /// The scheduled time in the time zone of the schedule.
    local_time: String,
    /// What happened.
    status: RunStatus,
    /// The Job that ran it.
    job_name: Option<&'a str>,
    /// When the Job was created.
    started_at: Option<Timestamp>,
    /// When the Job finished.
    finished_at: Option<Timestamp>,
    /// The result; null if it is unknown, or nothing of the Job runs yet.
    result: Option<RunResult>,
    /// When the result was decided, if a pod of the Job has not ended yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    ending_since: Option<Timestamp>,
    /// What the Job waits for, if none of its containers has started.
    #[serde(rename = "waitingFor", skip_serializing_if = "Option::is_none")]
    awaited: Option<&'a str>,
    /// How late the run started, in seconds.
    delay_seconds: Option<i64>,
    /// How long the run took, or has been running, in seconds.
    duration_seconds: Option<i64>,
    /// Where the time went; only if its pods were read.
    #[serde(skip_serializing_if = "Option::is_none")]
    phases: Option<RunPhases>,
    /// What the template of the Job is recognized by: another value is another template. Omitted if unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    template_fingerprint: Option<&'a str>,
    /// The digests of the images that ran: `main=sha256:…`, separated by commas. Omitted if unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    image_digests: Option<&'a str>,
    /// The cause, as a stable code.
    cause: Option<&'a str>,
    /// The cause as a sentence, with its evidence.
    reason: Option<&'a str>,
    /// Where the run is known from; only with --recorder.
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<RunSource>,
    /// The exit code of the container that failed, if the recorder stored it.
    #[serde(skip_serializing_if = "Option::is_none")]
    exit_code: Option<i32>,
}

/// A manually created Job.
#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
struct ManualRun<'a> {
    /// The Job.
    job_name: &'a str,
    /// When the Job was created.
    started_at: Option<Timestamp>,
    /// When the Job finished.
    finished_at: Option<Timestamp>,
    /// The result; null if it is unknown, or nothing of the Job runs yet.
    result: Option<RunResult>,
    /// When the result was decided, if a pod of the Job has not ended yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    ending_since: Option<Timestamp>,
    /// What the Job waits for, if none of its containers has started.
    #[serde(rename = "waitingFor", skip_serializing_if = "Option::is_none")]
    awaited: Option<&'a str>,
    /// How long the run took, or has been running, in seconds.
    duration_seconds: Option<i64>,
    /// Where the time went; only if its pods were read.
    #[serde(skip_serializing_if = "Option::is_none")]
    phases: Option<RunPhases>,
}

impl HistoryEntry {
    /// The status that is shown: unknown if the node of the run does not respond, waiting if nothing of its Job runs
    /// yet, and pending if it may still start.
    pub fn known_status(&self) -> RunStatus {
        let run = self.run.as_ref();
        match self.status {
            RunStatus::Running if run.is_some_and(|run| run.silence.is_some()) => {
                RunStatus::Unknown
            }
            RunStatus::Running if run.is_some_and(|run| run.awaited.is_some()) => {
                RunStatus::Waiting
            }
            _ if self.is_pending() => RunStatus::Pending,
            status => status,
        }
    }

    /// Whether nothing was started yet, and the controller may still do so.
    fn is_pending(&self) -> bool {
        let reason = self.reason.as_ref();
        self.run.is_none() && reason.is_some_and(|reason| reason.is_open)
    }

    /// Why the status is so, or what went wrong.
    pub fn known_reason(&self) -> Option<&RunReason> {
        let silence = self.run.as_ref().and_then(|run| run.silence.as_ref());
        silence.or(self.reason.as_ref())
    }

    /// How many scheduled times it is about.
    pub fn count(&self) -> usize {
        self.times.len()
    }

    /// How many runs were skipped because of a suspension.
    pub(crate) fn suspended(&self) -> u64 {
        let reason = self.reason.as_ref();
        let is_suspended = self.known_status() == RunStatus::Skipped
            && reason.is_some_and(|reason| reason.code == "suspended");
        if is_suspended {
            u64::try_from(self.count()).unwrap_or(0)
        } else {
            0
        }
    }
}

impl ScheduledRuns {
    /// The scheduled times of an entry, in order.
    pub fn times(&self, entry: &HistoryEntry) -> impl DoubleEndedIterator<Item = Timestamp> + '_ {
        let seconds = self.seconds.get(entry.times.clone()).unwrap_or_default();
        seconds
            .iter()
            .filter_map(|second| Timestamp::from_second(*second).ok())
    }

    /// Every scheduled time with what happened, in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (Timestamp, &HistoryEntry)> + '_ {
        let entries = self.entries.iter();
        entries.flat_map(|entry| self.times(entry).map(move |at| (at, entry)))
    }
}

impl Serialize for ScheduledRuns {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut runs = serializer.serialize_seq(None)?;
        for (at, entry) in self.iter() {
            let (run, reason) = (entry.run.as_ref(), entry.known_reason());
            runs.serialize_element(&ScheduledRun {
                scheduled_time: at,
                local_time: local_time(at, &self.zone),
                status: entry.known_status(),
                job_name: run.map(|run| run.job_name.as_str()),
                started_at: run.and_then(|run| run.started_at),
                finished_at: run.and_then(|run| run.finished_at),
                result: run.and_then(RecordedRun::known_result),
                ending_since: run.and_then(|run| run.ending_since),
                awaited: run.and_then(|run| run.awaited.as_deref()),
                delay_seconds: run.and_then(|run| run.delay_seconds),
                duration_seconds: run.and_then(|run| run.duration_seconds),
                phases: run.and_then(|run| run.phases),
                template_fingerprint: run.and_then(|run| run.template.as_deref()),
                image_digests: run.and_then(|run| run.images.as_deref()),
                cause: reason.map(|reason| &*reason.code),
                reason: reason.map(|reason| &*reason.detail),
                source: entry.source,
                exit_code: run.and_then(|run| run.exit_code),
            })?;
        }
        runs.end()
    }
}

fn manual_runs<S: Serializer>(runs: &[RecordedRun], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(runs.iter().map(|run| ManualRun {
        job_name: &run.job_name,
        started_at: run.started_at,
        finished_at: run.finished_at,
        result: run.known_result(),
        ending_since: run.ending_since,
        awaited: run.awaited.as_deref(),
        duration_seconds: run.duration_seconds,
        phases: run.phases,
    }))
}

/// Why the scheduled times of a window cannot be computed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HistoryError {
    /// The controller cannot read the schedule.
    #[error("cannot compute the scheduled times: {0}")]
    Schedule(#[from] ScheduleProblem),
    /// The window has too many of them.
    #[error("the window has more than {MAX_RUNS} runs: use --since to start it later")]
    TooMany,
}

/// The past of one `CronJob`.
pub struct CronJobHistory<'a> {
    pub facts: Facts<'a>,
    /// What happened at its scheduled times.
    pub history: History,
}

impl<'a> CronJobHistory<'a> {
    /// Computes the history of a window. One that begins before the `CronJob` was created begins with
    /// it, unless it ends before that.
    pub fn of(facts: Facts<'a>, window: &HistoryWindow) -> Self {
        let until = window.until.unwrap_or(facts.input.now).min(facts.input.now);
        let begins = beginning(&facts).filter(|(begins, _)| {
            window.since.is_some_and(|since| since < *begins) && *begins <= until
        });
        let since = begins.map(|(begins, _)| begins).or(window.since);
        let mut history = history(&facts, &HistoryWindow { since, ..*window });
        if let Some((_, basis)) = begins {
            history.basis = basis;
        }
        CronJobHistory { facts, history }
    }
}

/// The earliest possible scheduled time: that of the oldest run, where a `CronJob` of the same name
/// existed before.
fn beginning(facts: &Facts<'_>) -> Option<(Timestamp, WindowBasis)> {
    let created = facts.input.cron_job.creation_timestamp?;
    let runs = facts.runs.iter().filter_map(run::scheduled_time);
    let record = facts.input.record.as_ref();
    let runs = runs.chain(record.and_then(|record| Some(record.runs.first()?.at)));
    let oldest = runs
        .chain(facts.input.cron_job.status.last_schedule_time)
        .min();
    Some(match oldest {
        Some(oldest) if oldest < created => (oldest, WindowBasis::OldestRun),
        _ => (created, WindowBasis::Creation),
    })
}

/// Whether a run was not started, and nothing about its `CronJob` shows why.
pub(crate) fn is_missed_without_cause(facts: &Facts<'_>) -> bool {
    let history = history(facts, &HistoryWindow::default());
    let mut reasons = history
        .runs
        .entries
        .iter()
        .filter(|entry| entry.run.is_none());
    reasons.any(|entry| {
        entry
            .reason
            .as_ref()
            .is_some_and(RunReason::is_without_cause)
    })
}

/// Compares the scheduled times of a window with the evidence.
pub fn history(facts: &Facts<'_>, window: &HistoryWindow) -> History {
    let classifier = Classifier::new(facts);
    let event_jobs = &classifier.event_jobs;
    let window = window::resolve(facts, event_jobs, classifier.remembers_all(), window);
    let (mut times, error) = match window::scheduled_times(facts, event_jobs, &window) {
        Ok(times) => (times, None),
        Err(error) => (ScheduledTimes::empty(), Some(error)),
    };
    let since = times.since.unwrap_or(window.since);
    let within = ceiling(since)..=window.until.as_second();
    let mut stored = StoredRuns::of(facts.input.record.as_deref(), &within);
    classifier.replace_edited_times(&mut times, &within);
    stored.replace_times(&mut times);
    let known = error.is_none().then_some(times.seconds.as_slice());
    let zone = facts.zone().time_zone();
    let mut sorted = SortedRuns::new(&classifier, &within, known);
    stored.settle(&mut sorted, facts);
    stored.add_others(&mut sorted, zone);
    let mut notes = classifier.notes(&window, &times);
    notes.extend(recorded::notes(facts, &times, since..window.until));
    let mut history = History {
        since,
        until: window.until,
        basis: window.basis,
        omitted_runs: times.omitted,
        summary: HistorySummary::default(),
        retention: classifier.retention().up_to(window.until),
        notes,
        runs: ScheduledRuns {
            entries: entries(&classifier, &times, sorted.scheduled, &stored),
            seconds: times.seconds,
            zone: zone.clone(),
        },
        off_schedule: sorted.off_schedule,
        manual: sorted.manual,
        error,
        recorded: facts
            .input
            .record
            .as_ref()
            .map(|record| Recorded::of(record, since)),
        as_of: retention::evidence_ends(&facts.input).min(facts.input.now),
    };
    history.summary = summary::of(&history);
    mark_new_templates(&mut history.runs.entries);
    history
}

/// Marks the runs from which on the template of their Jobs is another one.
fn mark_new_templates(entries: &mut [HistoryEntry]) {
    let mut last: Option<String> = None;
    for run in entries.iter_mut().filter_map(|entry| entry.run.as_mut()) {
        if run.template.is_some() {
            run.has_new_template = last.is_some() && last != run.template;
            last.clone_from(&run.template);
        }
    }
}

/// The runs of a window, by where they belong.
struct SortedRuns {
    /// By the second of their scheduled time.
    scheduled: HashMap<i64, (RunStatus, RecordedRun, Option<RunReason>)>,
    off_schedule: Vec<OffScheduleRun>,
    manual: Vec<RecordedRun>,
}

impl SortedRuns {
    fn new(
        classifier: &Classifier<'_>,
        within: &RangeInclusive<i64>,
        times: Option<&[i64]>,
    ) -> Self {
        let zone = classifier.facts.zone().time_zone();
        let mut sorted = SortedRuns {
            scheduled: HashMap::new(),
            off_schedule: Vec::new(),
            manual: Vec::new(),
        };
        let of_jobs = classifier.facts.runs.iter();
        let of_jobs = of_jobs.map(|run| {
            (
                run::scheduled_time(run),
                RecordedRun::of(classifier.facts, run),
            )
        });
        let of_events = classifier.event_jobs.removed();
        let of_events = of_events.map(|job| {
            let run = RecordedRun::of_event_job(classifier.facts, job);
            (Some(job.scheduled_time), run)
        });
        for (scheduled_time, run) in of_jobs.chain(of_events) {
            let Some(scheduled_time) = scheduled_time else {
                let started = run.started_at.map(Timestamp::as_second);
                if started.is_some_and(|started| within.contains(&started)) {
                    sorted.manual.push(run);
                }
                continue;
            };
            let second = scheduled_time.as_second();
            if !within.contains(&second) {
                continue;
            }
            let found = times.is_some_and(|times| times.binary_search(&second).is_ok());
            if !found || scheduled_time.subsec_nanosecond() > 0 {
                let reason = match times {
                    Some(_) => classifier.about_off_schedule_run(scheduled_time),
                    None => RunReason::no_scheduled_times(),
                };
                let stray = OffScheduleRun::new(scheduled_time, zone, run, reason);
                sorted.off_schedule.push(stray);
                continue;
            }
            let cron_job = &classifier.facts.input.cron_job.name;
            let is_second = sorted.scheduled.get(&second).is_some_and(|(_, known, _)| {
                let known = known.job().precedence(cron_job, scheduled_time);
                known <= run.job().precedence(cron_job, scheduled_time)
            });
            let second_run = if is_second {
                Some(run)
            } else {
                let reason = classifier.about_run(second, &run);
                let first = (run_status(&run), run, reason);
                sorted
                    .scheduled
                    .insert(second, first)
                    .map(|(_, run, _)| run)
            };
            let strays = second_run.map(|run| OffScheduleRun::second(scheduled_time, zone, run));
            sorted.off_schedule.extend(strays);
        }
        sorted.off_schedule.sort_by_key(|run| run.scheduled_time);
        sorted
    }
}

pub fn run_status(run: &RecordedRun) -> RunStatus {
    match (run.result, run.delay_seconds) {
        (Some(RunResult::Running), _) => RunStatus::Running,
        _ if run.backfilled => RunStatus::Backfilled,
        (_, None) => RunStatus::Unknown,
        (_, Some(delay)) if delay > ON_TIME => RunStatus::Late,
        (_, Some(_)) => RunStatus::OnTime,
    }
}

/// Each scheduled time once; neighbors without a Job and for one reason together.
fn entries(
    classifier: &Classifier<'_>,
    times: &ScheduledTimes,
    mut scheduled: HashMap<i64, (RunStatus, RecordedRun, Option<RunReason>)>,
    stored: &StoredRuns<'_>,
) -> Vec<HistoryEntry> {
    let mut entries: Vec<HistoryEntry> = Vec::new();
    let mut previous_case = None;
    for (index, second) in times.seconds.iter().enumerate() {
        let range = index..index + 1;
        let run = scheduled.get(second).map(|(_, run, _)| run);
        if let Some(entry) = stored.entry(*second, run) {
            previous_case = None;
            let is_same = |last: &&mut HistoryEntry| {
                let ends = last.run.is_none() && entry.run.is_none();
                ends && (last.status, &last.reason, last.source)
                    == (entry.status, &entry.reason, entry.source)
            };
            match entries.last_mut().filter(is_same) {
                Some(last) => last.times.end = range.end,
                None => entries.push(HistoryEntry {
                    times: range,
                    ..entry
                }),
            }
            continue;
        }
        if let Some((status, mut run, reason)) = scheduled.remove(second) {
            previous_case = None;
            stored.complete(&mut run, *second);
            entries.push(HistoryEntry {
                status,
                run: Some(run),
                reason,
                source: stored.source(RunSource::Cluster),
                times: range,
            });
            continue;
        }
        let next = times.seconds.get(index + 1).copied().or(times.next);
        let mut case = classifier.without_job(*second, next);
        if case.status() == RunStatus::Unknown && stored.is_gap(*second) {
            case = WithoutJob::NotRecorded;
        }
        match entries.last_mut().filter(|_| previous_case == Some(case)) {
            Some(entry) => entry.times.end = range.end,
            None => entries.push(HistoryEntry {
                status: case.status(),
                run: None,
                reason: Some(classifier.reason(case)),
                source: stored.source(RunSource::Cluster),
                times: range,
            }),
        }
        previous_case = Some(case);
    }
    entries
}
