//! The health of many `CronJob`s, in every format.

mod document;
mod junit;
mod prometheus;
mod records;
mod text;

use std::io::{self, Write};

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

pub use document::{Document, document};
pub use junit::junit;
pub use prometheus::prometheus;
pub use records::csv;
pub use text::{Layout, rows, text};
pub(super) use text::{health, in_words, next};

use super::controller::ControllerDocument;
use crate::printable::printable;
use crate::survey::Report;

/// A report, with what it holds for.
pub struct Scan<'a> {
    /// The controller.
    pub controller: ControllerDocument,
    /// The moment taken for now.
    pub now: Timestamp,
    /// What could not be read, so that the report goes without.
    pub lacks: Vec<Lacking>,
    /// The rows and their sum.
    pub report: &'a Report,
}

/// Something that a report goes without.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema, Serialize)]
pub struct Lacking {
    /// `jobs`, `events` or `pods`.
    pub what: &'static str,
    /// Why.
    pub reason: String,
}

/// The names, in the order of the rows, as kubectl's `-o name` has them.
pub fn names(out: &mut dyn Write, scan: &Scan<'_>) -> io::Result<()> {
    for row in &scan.report.rows {
        writeln!(out, "{}", printable(&row.resource_name()))?;
    }
    Ok(())
}
