//! What a recorder stored, as part of a history.
//!
//! The cluster decides wherever a Job is left. Otherwise what was stored at that time counts: more was known then.

use std::collections::HashMap;
use std::ops::{Range, RangeInclusive};

use jiff::Timestamp;
use jiff::tz::TimeZone;
use schemars::JsonSchema;
use serde::Serialize;

use super::run::{OffScheduleRun, RecordedRun, RunReason};
use super::window::ScheduledTimes;
use super::{HistoryEntry, RunStatus, SortedRuns};
use crate::diagnose::{Facts, local};
use cronjob_text::duration;
use cronjob_text::text::Text;
use cronjob_text::words::counted;
use kube_model::{CronJobRecord, RunKind, RunResult, StoredRun};

/// So long after a scheduled time a recorder knows what happened, in seconds: a start is late after ten.
pub const SETTLED_AFTER: i64 = 15;

string_enum! {
    /// Where a run is known from.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum RunSource {
        Cluster = "cluster",
        Recorder = "recorder",
    }
}

/// What the recorder covers.
#[derive(Clone, Debug, JsonSchema, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Recorded {
    /// When the recorder was watching; a run outside of these times is unknown unless other evidence shows it.
    pub watched: Vec<Interval>,
    /// The CronJobs that had the name: more than one if it was re-created.
    pub cron_jobs: Vec<RecordedCronJob>,
    /// When the recorder noticed that the last of them was deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deleted_at: Option<Timestamp>,
}

/// A `CronJob` that the recorder has seen.
#[derive(Clone, Debug, JsonSchema, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RecordedCronJob {
    /// The identity.
    pub uid: String,
    /// When the recorder saw it first.
    pub first_seen: Timestamp,
}

/// A time from one moment until another.
#[derive(Clone, Debug, JsonSchema, PartialEq, Eq, Serialize)]
pub struct Interval {
    /// The first moment.
    pub from: Timestamp,
    /// The end.
    pub to: Timestamp,
}

impl Recorded {
    pub(super) fn of(record: &CronJobRecord, since: Timestamp) -> Self {
        let watched = record.watched.iter().filter(|one| one.end > since);
        let first_seen = record.first_seen.iter().cloned();
        Recorded {
            watched: watched
                .map(|one| Interval {
                    from: one.start.max(since),
                    to: one.end,
                })
                .collect(),
            cron_jobs: first_seen
                .map(|(first_seen, uid)| RecordedCronJob { uid, first_seen })
                .collect(),
            deleted_at: record.deleted_at,
        }
    }
}

/// What is stored of the times of a window.
#[derive(Default)]
pub(super) struct StoredRuns<'a> {
    record: Option<&'a CronJobRecord>,
    /// By the second of their scheduled time.
    scheduled: HashMap<i64, &'a StoredRun>,
    others: Vec<&'a StoredRun>,
}

impl<'a> StoredRuns<'a> {
    pub(super) fn of(record: Option<&'a CronJobRecord>, within: &RangeInclusive<i64>) -> Self {
        let runs = record.iter().flat_map(|record| &record.runs);
        let mut stored = StoredRuns {
            record,
            ..StoredRuns::default()
        };
        for run in runs.filter(|run| within.contains(&run.at.as_second())) {
            if run.kind == RunKind::Scheduled {
                stored.scheduled.insert(run.at.as_second(), run);
            } else {
                stored.others.push(run);
            }
        }
        stored
    }

    /// Replaces the scheduled times of the present schedule by those that were stored, where the recorder was
    /// watching.
    pub(super) fn replace_times(&self, times: &mut ScheduledTimes) {
        let Some(record) = self.record else { return };
        let is_decided = |second: &i64| {
            let at = |second| Timestamp::from_second(second).unwrap_or(Timestamp::MAX);
            record.covers(at(*second)) && record.covers(at(second.saturating_add(SETTLED_AFTER)))
        };
        times.seconds.retain(|second| !is_decided(second));
        times.seconds.extend(self.scheduled.keys());
        times.seconds.sort_unstable();
        times.seconds.dedup();
    }

    /// Where runs are known from, if a recorder was asked.
    pub(super) fn source(&self, source: RunSource) -> Option<RunSource> {
        self.record.map(|_| source)
    }

    /// Whether nothing was stored of a time because the recorder was not watching.
    pub(super) fn is_gap(&self, second: i64) -> bool {
        let at = Timestamp::from_second(second).unwrap_or(Timestamp::MAX);
        self.record.is_some_and(|record| !record.covers(at))
    }

    /// What was stored of a scheduled time, unless as much is known from `run`.
    pub(super) fn entry(&self, second: i64, run: Option<&RecordedRun>) -> Option<HistoryEntry> {
        let stored = *self.scheduled.get(&second)?;
        let run_stored = RecordedRun::of_stored(stored);
        let is_better = |run: &RecordedRun| {
            let knows_end = run_stored
                .as_ref()
                .is_some_and(|stored| stored.result.is_some());
            run.removed.is_some() && knows_end
        };
        if run.is_some_and(|run| !is_better(run)) {
            return None;
        }
        let ended = stored.result == Some(RunResult::Running);
        let reason = RunReason::stored(stored);
        Some(HistoryEntry {
            status: match (&run_stored, stored.status) {
                (Some(run), Some(RunStatus::Running) | None) => super::run_status(run),
                (_, status) => status.unwrap_or(RunStatus::Unknown),
            },
            run: run_stored,
            reason: reason.or_else(|| ended.then(RunReason::end_not_recorded)),
            source: self.source(RunSource::Recorder),
            times: 0..0,
        })
    }

    /// Of several Jobs of a scheduled time, some of which are only stored, one is the run, as if all were left.
    pub(super) fn settle(&mut self, sorted: &mut SortedRuns, facts: &Facts<'_>) {
        let cron_job = &facts.input.cron_job.name;
        let zone = facts.zone().time_zone();
        let others = &mut self.others;
        self.scheduled.retain(|second, stored| {
            let Some(job) = stored.job() else { return true };
            let Some((_, run, _)) = sorted.scheduled.get(second) else {
                return true;
            };
            if job.is_same(&run.job()) {
                return true;
            }
            let is_first =
                job.precedence(cron_job, stored.at) < run.job().precedence(cron_job, stored.at);
            if !is_first {
                others.push(stored);
            } else if let Some((_, run, _)) = sorted.scheduled.remove(second) {
                let second = OffScheduleRun::second(stored.at, zone, run);
                sorted.off_schedule.push(second);
            }
            is_first
        });
    }

    /// Adds what only the recorder knows of a Job that is left: it has read the pods.
    pub(super) fn complete(&self, run: &mut RecordedRun, second: i64) {
        let stored = self.scheduled.get(&second);
        let is_same = |stored: &&&StoredRun| {
            let job = stored.job();
            job.is_some_and(|job| job.is_same(&run.job()))
        };
        if let Some(stored) = stored.filter(is_same) {
            let known = stored.phases.unwrap_or_default();
            run.phases = run.phases.unwrap_or_default().or(known).if_known();
            run.exit_code = run.exit_code.or(stored.exit_code);
            run.template = run.template.take().or_else(|| stored.template.clone());
            run.images = run.images.take().or_else(|| stored.images.clone());
        }
    }

    /// Adds the stored Jobs that are not known otherwise.
    pub(super) fn add_others(&self, sorted: &mut SortedRuns, zone: &TimeZone) {
        let known = sorted.off_schedule.iter_mut().map(|one| &mut one.run);
        for run in known.chain(sorted.manual.iter_mut()) {
            run.source = self.source(RunSource::Cluster);
        }
        // Each Job is stored once.
        let (strays, manual) = (sorted.off_schedule.len(), sorted.manual.len());
        for stored in &self.others {
            let Some(run) = RecordedRun::of_stored(stored) else {
                continue;
            };
            let of_time = sorted.scheduled.get(&stored.at.as_second());
            let of_time = of_time.into_iter().map(|(_, run, _)| run);
            let others = sorted.off_schedule.iter().take(strays).map(|one| &one.run);
            let manual = sorted.manual.iter().take(manual);
            let mut known = of_time.chain(others).chain(manual);
            if known.any(|known| known.job().is_same(&run.job())) {
                continue;
            }
            let reason = match stored.kind {
                RunKind::Manual => {
                    sorted.manual.push(run);
                    continue;
                }
                RunKind::OffSchedule => RunReason::stored(stored),
                RunKind::Scheduled => Some(RunReason::second()),
            };
            let reason = reason.unwrap_or_else(RunReason::no_scheduled_times);
            let stray = OffScheduleRun::new(stored.at, zone, run, reason);
            sorted.off_schedule.push(stray);
        }
        sorted.manual.sort_by_key(|run| run.started_at);
        sorted.off_schedule.sort_by_key(|run| run.scheduled_time);
    }
}

/// More gaps are counted.
const MOST_GAPS: usize = 3;

/// When runs were due in a window that were not recorded, and when the `CronJob` was re-created.
pub(super) fn notes(
    facts: &Facts<'_>,
    times: &ScheduledTimes,
    window: Range<Timestamp>,
) -> Vec<Text> {
    let Some(record) = &facts.input.record else {
        return Vec::new();
    };
    let gaps = gaps(record, times, &window);
    let zone = facts.display_zone().time_zone();
    let earlier = gaps.len().saturating_sub(MOST_GAPS);
    let mut notes: Vec<Text> = (gaps.iter().skip(earlier))
        .map(|gap| {
            let from = duration::local_time(gap.start, zone, "");
            text!("not recorded: {} to {}", from, local(facts, gap.end))
        })
        .collect();
    if earlier > 0 {
        let gaps = counted(earlier, "earlier gap");
        notes.insert(0, text!("the recording has {}", gaps));
    }
    let later = record.first_seen.iter().skip(1);
    let re_created = later.filter_map(|(seen, uid)| {
        let cron_job = &facts.input.cron_job;
        let created = cron_job.creation_timestamp.filter(|_| cron_job.uid == *uid);
        let at = created.unwrap_or(*seen);
        (window.start..=window.end)
            .contains(&at)
            .then(|| text!("re-created at {} (uid {})", local(facts, at), uid))
    });
    notes.extend(re_created);
    notes
}

/// The parts of a window in which runs were due and the recorder was not watching.
fn gaps(
    record: &CronJobRecord,
    times: &ScheduledTimes,
    window: &Range<Timestamp>,
) -> Vec<Range<Timestamp>> {
    // What was due just now is recorded later.
    let settled = window.end.as_second() - SETTLED_AFTER;
    let has_run = |gap: &Range<Timestamp>| {
        let first = times
            .seconds
            .partition_point(|second| *second < gap.start.as_second());
        let last = (gap.end.as_second() - 1).min(settled);
        times.seconds.get(first).is_some_and(|first| *first <= last)
    };
    let mut gaps = Vec::new();
    let mut from = window.start;
    let end = window.end..window.end;
    for watched in record.watched.iter().chain([&end]) {
        gaps.push(from..watched.start.min(window.end));
        from = from.max(watched.end);
    }
    gaps.retain(|gap| gap.start < gap.end && has_run(gap));
    gaps
}
