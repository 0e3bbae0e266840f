//! What became of past slots, in every format.

mod document;
mod records;
mod text;
mod trend;

use jiff::Timestamp;

pub(in crate::output) use document::SpreadDocument;
pub use document::{Document, document};
pub use records::csv;
pub use text::text;

pub use crate::history::Item;

use crate::output::controller::ControllerDocument;

/// What is common to all of a call.
pub struct Header {
    /// The controller.
    pub controller: ControllerDocument,
    /// The moment taken for now.
    pub now: Timestamp,
}

impl Item<'_> {
    /// A moment on the clock that decides.
    fn local(&self, at: Timestamp, format: &str) -> String {
        let zone = self.facts.zone().time_zone().clone();
        at.to_zoned(zone).strftime(format).to_string()
    }

    fn local_time(&self, at: Timestamp) -> String {
        self.local(at, "%Y-%m-%dT%H:%M:%S%:z")
    }
}
