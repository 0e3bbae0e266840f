//! The result of a simulation.

use jiff::Timestamp;
use serde::Serialize;

use super::plan::{SimulationPlan, TimeSpan};
use super::run::{JobEnding, SimulatedRun, SimulatedStatus};
use crate::controller::RecordedEvent;

/// What the controller does with a `CronJob` in an interval.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Simulation {
    pub from: Timestamp,
    pub to: Timestamp,
    /// What happens at each scheduled time, in order, and the starts for other times.
    pub runs: Vec<SimulatedRun>,
    /// How often each event is recorded.
    pub events: Vec<EventCount>,
    /// When the controller syncs again and again without a pause.
    pub hot_loops: Vec<TimeSpan>,
    pub summary: SimulationSummary,
}

/// The numbers of runs of a simulation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "SimulatedSummary")
)]
#[serde(rename_all = "camelCase")]
pub struct SimulationSummary {
    /// The number of scheduled runs whose outcome is known.
    pub runs: u64,
    /// The number of runs that start on time.
    pub started: u64,
    /// The number of runs that start late.
    pub late: u64,
    /// The number of missed runs, without the blocked ones.
    pub lost: u64,
    /// The number of missed runs that were blocked by a running Job (`concurrencyPolicy: Forbid`).
    pub blocked: u64,
    /// The number of starts at times that are not scheduled.
    pub phantom: u64,
    /// The number of Jobs that are replaced by the next one.
    pub replaced: u64,
    /// The number of Jobs that fail.
    pub failed: u64,
    /// The number of lost and blocked runs for which no event is recorded.
    pub silent: u64,
    /// The number of runs that are due but not synced yet when the simulation ends.
    pub pending: u64,
    /// The largest delay of a start.
    pub max_delay_seconds: Option<i64>,
}

/// How often an event is recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EventCount {
    /// The type of the event.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["Normal", "Warning"])))]
    pub r#type: &'static str,
    /// The reason of the event.
    pub reason: &'static str,
    /// How often the event is recorded.
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
    /// How long after its scheduled time its Job was created, in seconds.
    pub fn delay_seconds(&self) -> Option<i64> {
        Some(self.started_at?.as_second() - self.scheduled_time.as_second())
    }
}

impl SimulationSummary {
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        SimulationSummary {
            runs: self.runs + other.runs,
            started: self.started + other.started,
            late: self.late + other.late,
            lost: self.lost + other.lost,
            blocked: self.blocked + other.blocked,
            phantom: self.phantom + other.phantom,
            replaced: self.replaced + other.replaced,
            failed: self.failed + other.failed,
            silent: self.silent + other.silent,
            pending: self.pending + other.pending,
            max_delay_seconds: self.max_delay_seconds.max(other.max_delay_seconds),
        }
    }

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

/// Neighboring runs with the same status and reason.
#[derive(Clone, Copy, Debug)]
pub struct RunGroup<'a> {
    runs: &'a [SimulatedRun],
}

impl<'a> RunGroup<'a> {
    pub fn runs(&self) -> &'a [SimulatedRun] {
        self.runs
    }

    pub fn count(&self) -> usize {
        self.runs.len()
    }

    pub fn status(&self) -> SimulatedStatus {
        self.runs
            .first()
            .map_or(SimulatedStatus::Started, |run| run.status)
    }

    /// The first scheduled time and the last.
    pub fn scheduled_times(&self) -> Option<(Timestamp, Timestamp)> {
        Some((
            self.runs.first()?.scheduled_time,
            self.runs.last()?.scheduled_time,
        ))
    }

    /// Whether all runs started on time and replaced nothing.
    pub fn is_uneventful(&self) -> bool {
        let first = self.runs.first();
        self.status() == SimulatedStatus::Started && first.is_none_or(|run| run.replaced.is_none())
    }
}

/// Groups consecutive similar runs. No group extends beyond one of the `breaks`, which are in order.
pub fn group_runs<'a>(runs: &'a [SimulatedRun], breaks: &[Timestamp]) -> Vec<RunGroup<'a>> {
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

/// How often each event was recorded.
#[derive(Debug, Default)]
pub(super) struct EventCounter {
    /// A list, which is faster than a tree for a handful of entries.
    counts: Vec<EventCount>,
    /// The events of each pass while nothing changes.
    idle: Vec<EventCount>,
}

impl EventCounter {
    /// Counts the events of a sync.
    pub(super) fn record(&mut self, events: &[RecordedEvent]) {
        for event in events {
            add(&mut self.counts, once(event));
        }
    }

    /// Sets the events that each pass records from now on, as long as nothing changes.
    pub(super) fn idle(&mut self, events: &[RecordedEvent]) {
        self.idle.clear();
        self.idle.extend(events.iter().map(once));
    }

    /// Counts the events of passes while nothing changed.
    pub(super) fn pass(&mut self, passes: u64) {
        if passes == 0 {
            return;
        }
        for event in &self.idle {
            let count = event.count * passes;
            add(&mut self.counts, EventCount { count, ..*event });
        }
    }

    /// The counts, sorted by type and reason.
    pub(super) fn close(self) -> Vec<EventCount> {
        let mut counts = self.counts;
        counts.sort_unstable();
        counts
    }
}

fn once(event: &RecordedEvent) -> EventCount {
    EventCount {
        r#type: event.r#type.as_str(),
        reason: event.reason,
        count: 1,
    }
}

fn add(counts: &mut Vec<EventCount>, event: EventCount) {
    let is_same =
        |known: &&mut EventCount| (known.r#type, known.reason) == (event.r#type, event.reason);
    match counts.iter_mut().find(is_same) {
        Some(known) => known.count += event.count,
        None => counts.push(event),
    }
}
