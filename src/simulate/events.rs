//! How often each event was recorded.

use std::collections::BTreeMap;

use crate::controller::RecordedEvent;

/// The kind of an event, and its reason.
type EventName = (&'static str, &'static str);

/// How often each event was recorded.
#[derive(Debug, Default)]
pub(super) struct Events {
    /// A handful, so that a list is searched faster than a tree.
    counts: Vec<(EventName, u64)>,
    /// What each pass records while nothing changes.
    idle: Vec<EventName>,
}

impl Events {
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
    pub(super) fn close(self) -> BTreeMap<EventName, u64> {
        self.counts.into_iter().collect()
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
