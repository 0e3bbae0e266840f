//! An event of the controller in documents.

use schemars::JsonSchema;
use serde::Serialize;

use crate::controller::RecordedEvent;

/// An event that the controller records.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "Event")]
pub(super) struct EventDocument<'a> {
    /// How serious it is.
    #[schemars(extend("enum" = ["Normal", "Warning"]))]
    r#type: &'static str,
    /// The reason, in one word.
    reason: &'static str,
    /// The message, in that release's own words.
    message: &'a str,
}

impl<'a> EventDocument<'a> {
    /// Events, in order.
    pub(super) fn of(events: &'a [RecordedEvent]) -> Vec<Self> {
        let document = |event: &'a RecordedEvent| EventDocument {
            r#type: event.kind(),
            reason: event.reason,
            message: &event.message,
        };
        events.iter().map(document).collect()
    }
}
