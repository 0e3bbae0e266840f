//! The time and the conditions of a simulation.

use jiff::{SignedDuration, Timestamp};
use serde::Serialize;

use kube_model::SpecChange;

/// The time and the conditions of a simulation.
#[derive(Clone, Debug)]
pub struct SimulationPlan {
    pub from: Timestamp,
    /// The end, which is not part of the simulation.
    pub to: Timestamp,
    pub outages: TimeSpans,
    /// When the controller is down because it is replaced by another version.
    pub upgrade: Option<TimeSpan>,
    /// When the `CronJob` is suspended.
    pub suspended: TimeSpans,
    /// Other changes of the `CronJob`.
    pub edits: Vec<PlannedEdit>,
    /// How long each Job takes.
    pub job_duration: SignedDuration,
}

/// A change of the `CronJob` during the simulation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedEdit {
    pub at: Timestamp,
    pub change: SpecChange,
}

/// A span of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TimeSpan {
    /// The beginning.
    pub from: Timestamp,
    /// The end, which is not part of the span.
    pub to: Timestamp,
}

/// Spans of time in order, which do not overlap.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
pub struct TimeSpans(Vec<TimeSpan>);

impl TimeSpans {
    /// The spans one after the other.
    pub fn iter(&self) -> impl Iterator<Item = TimeSpan> + '_ {
        self.0.iter().copied()
    }

    /// Whether a moment is in one of them.
    pub fn contains(&self, moment: Timestamp) -> bool {
        self.iter()
            .any(|span| span.from <= moment && moment < span.to)
    }
}

impl FromIterator<(Timestamp, Timestamp)> for TimeSpans {
    /// Spans that overlap or touch become one; empty ones are dropped.
    fn from_iter<I: IntoIterator<Item = (Timestamp, Timestamp)>>(spans: I) -> Self {
        let spans = spans.into_iter().map(|(from, to)| TimeSpan { from, to });
        let mut sorted: Vec<TimeSpan> = spans.filter(|span| span.from < span.to).collect();
        sorted.sort_unstable();
        let mut apart: Vec<TimeSpan> = Vec::new();
        for span in sorted {
            match apart.last_mut() {
                Some(last) if span.from <= last.to => last.to = last.to.max(span.to),
                _ => apart.push(span),
            }
        }
        TimeSpans(apart)
    }
}

/// An event that the controller does not cause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ExternalEvent {
    Down,
    /// The `CronJob` is changed.
    Edited(SpecChange),
    /// The controller is replaced by that of another version while it is down.
    Upgraded,
    Up,
}

impl SimulationPlan {
    /// The external events in order. At the same time, a controller goes down before an edit is made and comes
    /// up after it, so that it never sees the edit happen.
    pub(super) fn external_events(&self) -> Vec<(Timestamp, ExternalEvent)> {
        let mut all = Vec::new();
        all.extend(
            self.upgrade
                .map(|span| (span.from, 1, ExternalEvent::Upgraded)),
        );
        let outages = self.outages.iter().chain(self.upgrade);
        let outages: TimeSpans = outages.map(|span| (span.from, span.to)).collect();
        for TimeSpan { from, to } in outages.iter() {
            all.extend([(from, 0, ExternalEvent::Down), (to, 2, ExternalEvent::Up)]);
        }
        for TimeSpan { from, to } in self.suspended.iter() {
            let edited = |suspend| ExternalEvent::Edited(SpecChange::Suspend(Some(suspend)));
            all.extend([(from, 1, edited(true)), (to, 1, edited(false))]);
        }
        for edit in &self.edits {
            all.push((edit.at, 1, ExternalEvent::Edited(edit.change.clone())));
        }
        all.sort_by_key(|(at, rank, _)| (*at, *rank));
        all.into_iter()
            .map(|(at, _, external_event)| (at, external_event))
            .collect()
    }
}
