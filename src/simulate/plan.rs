//! What is to be simulated: over which time, under which conditions.

use jiff::Timestamp;

use super::chance::Durations;
use crate::model::SpecChange;

/// What is to be simulated.
#[derive(Clone, Debug)]
pub struct Plan {
    /// From this moment on.
    pub from: Timestamp,
    /// Up to but not at this moment.
    pub to: Timestamp,
    /// When the controller is down.
    pub outages: Spans,
    /// When the `CronJob` is suspended.
    pub suspended: Spans,
    /// What else is changed.
    pub edits: Vec<Edit>,
    /// How long Jobs take.
    pub durations: Durations,
    /// Of a million Jobs, how many fail.
    pub failures_per_million: u32,
    /// Another number makes other random choices.
    pub seed: u64,
}

/// A change of the `CronJob` at a moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// When.
    pub at: Timestamp,
    /// What is changed.
    pub change: SpecChange,
}

/// Stretches of time: half-open, in order, apart from each other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spans(Vec<(Timestamp, Timestamp)>);

impl Spans {
    /// The stretches one after the other.
    pub fn iter(&self) -> impl Iterator<Item = (Timestamp, Timestamp)> + '_ {
        self.0.iter().copied()
    }

    /// Whether a moment is in one of them.
    pub fn contains(&self, moment: Timestamp) -> bool {
        self.iter().any(|(from, to)| from <= moment && moment < to)
    }
}

impl FromIterator<(Timestamp, Timestamp)> for Spans {
    /// Stretches that overlap or touch become one; empty ones are dropped.
    fn from_iter<I: IntoIterator<Item = (Timestamp, Timestamp)>>(stretches: I) -> Self {
        let mut sorted: Vec<_> = stretches.into_iter().filter(|(a, b)| a < b).collect();
        sorted.sort_unstable();
        let mut spans: Vec<(Timestamp, Timestamp)> = Vec::new();
        for (from, to) in sorted {
            match spans.last_mut() {
                Some(last) if from <= last.1 => last.1 = last.1.max(to),
                _ => spans.push((from, to)),
            }
        }
        Spans(spans)
    }
}

/// What comes from outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Happening {
    /// The controller goes down.
    Down,
    /// The `CronJob` is changed.
    Edited(SpecChange),
    /// The controller is up again.
    Up,
}

impl Plan {
    /// What comes from outside, in order. At one moment a controller goes down before an edit is
    /// made and comes up after it: it never sees that edit happen.
    pub(super) fn happenings(&self) -> Vec<(Timestamp, Happening)> {
        let mut all = Vec::new();
        for (from, to) in self.outages.iter() {
            all.extend([(from, 0, Happening::Down), (to, 2, Happening::Up)]);
        }
        for (from, to) in self.suspended.iter() {
            let edited = |suspend| Happening::Edited(SpecChange::Suspend(Some(suspend)));
            all.extend([(from, 1, edited(true)), (to, 1, edited(false))]);
        }
        for edit in &self.edits {
            all.push((edit.at, 1, Happening::Edited(edit.change.clone())));
        }
        all.sort_by_key(|(at, rank, _)| (*at, *rank));
        all.into_iter()
            .map(|(at, _, happening)| (at, happening))
            .collect()
    }
}
