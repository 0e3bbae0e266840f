//! Everything that is printed: one file a format. The only room that writes.

pub mod actions;
pub mod caret;
pub mod controller;
mod csv;
pub mod diff;
mod envelope;
mod escapes;
pub mod explain;
pub mod filtered;
pub mod follow;
pub mod history;
mod ics;
mod junit;
pub mod lines;
pub mod lint;
pub mod load;
pub mod meaning;
pub mod next_runs;
pub mod report;
pub mod rules;
pub mod scan;
mod schemas;
pub mod simulate;
pub mod style;
pub mod table;
pub mod top;
pub mod version;
mod xml;
pub mod yaml;

use std::io::{self, Write};

pub use envelope::{API_VERSION, Envelope};
pub use schemas::schemas;
use serde::Serialize;

/// Writes a document as JSON, indented as kubectl does.
pub fn json(out: &mut dyn Write, document: &impl Serialize) -> io::Result<()> {
    let mut indented = serde_json::Serializer::with_formatter(
        escapes::JsonWriter(&mut *out),
        serde_json::ser::PrettyFormatter::with_indent(b"    "),
    );
    document.serialize(&mut indented)?;
    writeln!(out)
}
