//! An explanation, as text and as a document.

mod document;
mod pods;
mod text;

use jiff::Timestamp;

pub use document::{Document, document};
pub use text::text;

pub use crate::diagnose::{Explanation, WhatIf};

use crate::output::controller::ControllerDocument;

/// What is common to all explanations of a call.
pub struct Header {
    /// The controller.
    pub controller: ControllerDocument,
    /// The moment taken for now.
    pub now: Timestamp,
}

/// A moment after another, by a number of nanoseconds.
fn later(now: Timestamp, nanoseconds: i64) -> Option<Timestamp> {
    now.checked_add(jiff::SignedDuration::from_nanos(nanoseconds))
        .ok()
}
