//! The `Event`.

use jiff::Timestamp;

use super::meta::ObjectReference;

/// An event, of the old API (`v1`) or the new one (`events.k8s.io/v1`).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Event {
    pub namespace: String,
    /// The name, by which a later version of it is recognized.
    pub name: String,
    /// `Normal` or `Warning`.
    pub r#type: String,
    pub reason: String,
    pub message: String,
    pub involved_object: ObjectReference,
    /// When it happened first, in the old form.
    pub first_timestamp: Option<Timestamp>,
    /// When it happened last, in the old form.
    pub last_timestamp: Option<Timestamp>,
    /// When it happened first, in the new form.
    pub event_time: Option<Timestamp>,
    /// How often it happened, in the old form.
    pub count: Option<i32>,
    /// How often and when it happened, in the new form.
    pub series: Option<EventSeries>,
    pub reporting_component: String,
}

/// The repetitions of an event, in the new form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct EventSeries {
    pub count: i32,
    pub last_observed_time: Option<Timestamp>,
}

impl Event {
    /// When it happened first, in whichever form the event has it.
    pub fn first_seen(&self) -> Option<Timestamp> {
        self.first_timestamp.or(self.event_time)
    }

    /// When it happened last, in whichever form the event has it.
    pub fn last_seen(&self) -> Option<Timestamp> {
        let series = self.series.and_then(|series| series.last_observed_time);
        series.max(self.last_timestamp).or(self.event_time)
    }

    /// The message; for an event that stands for similar ones, that of the last of them.
    pub fn own_message(&self) -> &str {
        const COMBINED: &str = "(combined from similar events): ";
        self.message.strip_prefix(COMBINED).unwrap_or(&self.message)
    }

    /// How often it happened; an event that says nothing about it happened once.
    pub fn occurrences(&self) -> i32 {
        let series = self.series.map(|series| series.count);
        series.max(self.count).unwrap_or_default().max(1)
    }
}
