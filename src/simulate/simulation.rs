//! The result of a simulation, and how the results of several releases differ.

use std::collections::BTreeMap;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use serde::ser::{SerializeMap as _, Serializer};

use super::plan::{SimulationPlan, TimeSpan};
use super::run::{JobEnding, SimulatedRun, SimulatedStatus};
use crate::controller::{RecordedEvent, Release};

/// The result of a simulation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Simulation {
    /// Its beginning.
    pub from: Timestamp,
    /// Its end.
    pub to: Timestamp,
    /// What happens at each scheduled time, in order, and the starts for other times.
    pub runs: Vec<SimulatedRun>,
    /// How often each event is recorded.
    pub events: Vec<EventCount>,
    /// When the controller syncs again and again without a pause.
    pub hot_loops: Vec<TimeSpan>,
    /// The figures.
    pub summary: SimulationSummary,
}

/// The figures of a simulation.
#[derive(Clone, Copy, Debug, Default, JsonSchema, PartialEq, Eq, Serialize)]
#[schemars(rename = "SimulatedSummary")]
#[serde(rename_all = "camelCase")]
pub struct SimulationSummary {
    /// How many scheduled runs there are whose outcome is known.
    #[serde(rename = "slots")]
    pub runs: u64,
    /// How many start in time.
    pub started: u64,
    /// How many start later.
    pub late: u64,
    /// How many do not start.
    pub lost: u64,
    /// How many do not start because another one runs and the policy is Forbid.
    pub blocked: u64,
    /// How many starts are for times that the schedule does not contain.
    pub phantom: u64,
    /// How many Jobs are deleted to make room for the next one.
    pub replaced: u64,
    /// How many Jobs fail.
    pub failed: u64,
    /// Of how many of those lost and blocked no event tells.
    pub silent: u64,
    /// How many runs are due, but not synced yet, when the simulation ends.
    pub pending: u64,
    /// How late the latest start is.
    pub max_delay_seconds: Option<i64>,
}

/// How often an event is recorded.
#[derive(Clone, Copy, Debug, JsonSchema, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct EventCount {
    /// How serious it is.
    #[schemars(extend("enum" = ["Normal", "Warning"]))]
    pub r#type: &'static str,
    /// The reason, in one word.
    pub reason: &'static str,
    /// How often it is recorded.
    pub count: u64,
}

impl Simulation {
    pub(super) fn new(
        plan: &SimulationPlan,
        runs: Vec<SimulatedRun>,
        pending: u64,
        events: Vec<EventCount>,
        hot_loops: Vec<TimeSpan>,
    ) -> Self {
        let mut summary = SimulationSummary {
            pending,
            ..SimulationSummary::default()
        };
        for run in &runs {
            summary.add(run);
        }
        Simulation {
            from: plan.from,
            to: plan.to,
            runs,
            events,
            hot_loops,
            summary,
        }
    }
}

impl SimulatedRun {
    /// How long after its slot its Job was created, in seconds.
    pub fn delay_seconds(&self) -> Option<i64> {
        Some(self.started_at?.as_second() - self.scheduled_time.as_second())
    }
}

impl SimulationSummary {
    fn add(&mut self, run: &SimulatedRun) {
        let count = match run.status {
            SimulatedStatus::Started => &mut self.started,
            SimulatedStatus::Late => &mut self.late,
            SimulatedStatus::Lost => &mut self.lost,
            SimulatedStatus::Blocked => &mut self.blocked,
            SimulatedStatus::Phantom => &mut self.phantom,
        };
        *count += 1;
        let event = run.reason.as_ref().and_then(|reason| reason.event);
        self.silent += u64::from(run.started_at.is_none() && event.is_none());
        self.replaced += u64::from(run.result == Some(JobEnding::Replaced));
        self.failed += u64::from(run.result == Some(JobEnding::Failed));
        if run.status != SimulatedStatus::Phantom {
            self.runs += 1;
            self.max_delay_seconds = self.max_delay_seconds.max(run.delay_seconds());
        }
    }
}

/// Neighboring scheduled times at which releases differ.
#[derive(Clone, Debug, JsonSchema, PartialEq, Eq, Serialize)]
#[schemars(rename = "Difference")]
#[serde(rename_all = "camelCase")]
pub(crate) struct ReleaseDifference {
    /// The first of the scheduled times.
    #[serde(rename = "firstScheduledTime")]
    pub first: Timestamp,
    /// The last of them.
    #[serde(rename = "lastScheduledTime")]
    pub last: Timestamp,
    /// How many there are.
    pub count: u64,
    /// What happens, by release; null where that release does not know the time.
    #[schemars(with = "BTreeMap<String, Option<SimulatedStatus>>")]
    #[serde(serialize_with = "by_release")]
    pub statuses: Vec<(Release, Option<SimulatedStatus>)>,
}

fn by_release<S: Serializer>(
    statuses: &[(Release, Option<SimulatedStatus>)],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(statuses.len()))?;
    for (release, status) in statuses {
        map.serialize_entry(&release.to_string(), status)?;
    }
    map.end()
}

/// Where simulations of the same plan differ; neighbors with the same differences are one.
pub(crate) fn release_differences(simulations: &[(Release, Simulation)]) -> Vec<ReleaseDifference> {
    let mut rest: Vec<(Release, &[SimulatedRun])> = simulations
        .iter()
        .map(|(release, simulation)| (*release, simulation.runs.as_slice()))
        .collect();
    let mut found: Vec<ReleaseDifference> = Vec::new();
    let mut continues = false;
    while let Some(time) = rest
        .iter()
        .filter_map(|(_, runs)| Some(runs.first()?.scheduled_time))
        .min()
    {
        let statuses: Vec<(Release, Option<SimulatedStatus>)> = rest
            .iter_mut()
            .map(|(release, runs)| match runs.split_first() {
                Some((run, others)) if run.scheduled_time == time => {
                    *runs = others;
                    (*release, Some(run.status))
                }
                _ => (*release, None),
            })
            .collect();
        if statuses
            .windows(2)
            .all(|pair| matches!(pair, [(_, one), (_, other)] if one == other))
        {
            continues = false;
            continue;
        }
        match found.last_mut() {
            Some(last) if continues && last.statuses == statuses => {
                last.last = time;
                last.count += 1;
            }
            _ => found.push(ReleaseDifference {
                first: time,
                last: time,
                count: 1,
                statuses,
            }),
        }
        continues = true;
    }
    found
}

/// Neighboring runs with the same status and reason.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RunGroup<'a> {
    runs: &'a [SimulatedRun],
}

impl<'a> RunGroup<'a> {
    /// The runs, of which there is at least one.
    pub(crate) fn runs(&self) -> &'a [SimulatedRun] {
        self.runs
    }

    /// How many they are.
    pub(crate) fn count(&self) -> usize {
        self.runs.len()
    }

    /// What became of each.
    pub(crate) fn status(&self) -> SimulatedStatus {
        self.runs
            .first()
            .map_or(SimulatedStatus::Started, |run| run.status)
    }

    /// The first scheduled time and the last.
    pub(crate) fn scheduled_times(&self) -> Option<(Timestamp, Timestamp)> {
        Some((
            self.runs.first()?.scheduled_time,
            self.runs.last()?.scheduled_time,
        ))
    }

    /// Whether nothing about it deserves a look.
    pub(crate) fn is_uneventful(&self) -> bool {
        let first = self.runs.first();
        self.status() == SimulatedStatus::Started && first.is_none_or(|run| run.replaced.is_none())
    }
}

/// The runs as stretches, in order. None goes beyond one of the `breaks`, which are in order too.
pub(crate) fn group_runs<'a>(runs: &'a [SimulatedRun], breaks: &[Timestamp]) -> Vec<RunGroup<'a>> {
    let is_broken = |one: &SimulatedRun, other: &SimulatedRun| {
        let index = breaks.partition_point(|at| *at <= one.scheduled_time);
        breaks
            .get(index)
            .is_some_and(|at| *at <= other.scheduled_time)
    };
    runs.chunk_by(|one, other| alike(one, other) && !is_broken(one, other))
        .map(|runs| RunGroup { runs })
        .collect()
}

fn alike(one: &SimulatedRun, other: &SimulatedRun) -> bool {
    let reason = |run: &SimulatedRun| {
        run.reason
            .as_ref()
            .map(|reason| (reason.cause.as_str(), reason.event))
    };
    let outcome = |run: &SimulatedRun| run.reason.as_ref().map(|reason| reason.outcome);
    one.status == other.status
        && one.replaced.is_some() == other.replaced.is_some()
        && reason(one) == reason(other)
        && (one.started_at.is_some() || outcome(one) == outcome(other))
}

/// The kind of an event, and its reason.
type EventName = (&'static str, &'static str);

/// How often each event was recorded.
#[derive(Debug, Default)]
pub(super) struct EventCounter {
    /// A handful, so that a list is searched faster than a tree.
    counts: Vec<(EventName, u64)>,
    /// What each pass records while nothing changes.
    idle: Vec<EventName>,
}

impl EventCounter {
    /// Counts what a look recorded.
    pub(super) fn record(&mut self, events: &[RecordedEvent]) {
        for event in events {
            count(&mut self.counts, name(event), 1);
        }
    }

    /// From now on each pass records this, as long as nothing changes.
    pub(super) fn idle(&mut self, events: &[RecordedEvent]) {
        self.idle.clear();
        self.idle.extend(events.iter().map(name));
    }

    /// Counts what so many passes recorded while nothing changed.
    pub(super) fn pass(&mut self, passes: u64) {
        if passes == 0 {
            return;
        }
        for event in &self.idle {
            count(&mut self.counts, *event, passes);
        }
    }

    /// By kind and reason.
    pub(super) fn close(self) -> Vec<EventCount> {
        let count = |((r#type, reason), count)| EventCount {
            r#type,
            reason,
            count,
        };
        let mut counts: Vec<EventCount> = self.counts.into_iter().map(count).collect();
        counts.sort_unstable();
        counts
    }
}

fn name(event: &RecordedEvent) -> EventName {
    (event.r#type.as_str(), event.reason)
}

fn count(counts: &mut Vec<(EventName, u64)>, event: EventName, times: u64) {
    match counts.iter_mut().find(|(known, _)| *known == event) {
        Some((_, count)) => *count += times,
        None => counts.push((event, times)),
    }
}
