//! Everything that is printed: one file a format. The only module that writes text.

#[cfg(feature = "cluster")]
pub mod actions;
pub(crate) mod alerts;
mod answer;
pub(crate) mod caret;
mod columns;
mod comparison;
pub mod contexts;
pub(crate) mod controller;
mod csv;
pub(crate) mod diff;
mod dry_run;
pub(crate) mod each;
mod envelope;
mod escapes;
pub mod explain;
mod explain_fleet;
pub(crate) mod filtered;
pub mod history;
mod ics;
pub mod kinds;
pub(crate) mod lines;
pub mod lint;
pub mod load;
#[cfg(feature = "cluster")]
pub(crate) mod logs;
mod markdown;
pub(crate) mod meaning;
pub mod next_runs;
mod page_times;
pub mod plan;
mod reliability;
pub mod report;
#[cfg(feature = "cluster")]
pub(crate) mod run_lines;
pub mod scan;
pub mod simulate;
pub(crate) mod style;
pub(crate) mod table;
mod ticks;
#[cfg(feature = "cluster")]
pub mod top;
pub mod version;
mod workflow;
mod xml;
pub(crate) mod yaml;

use std::io::{self, Write};

pub(crate) use answer::{Answer, Format};
pub(crate) use dry_run::DryRun;
pub use envelope::{DocumentBody, Envelope};
pub(crate) use envelope::{DocumentHeader, ReadHeader};
use serde::Serialize;

/// Writes a document as JSON, indented as kubectl does.
pub(crate) fn json(out: &mut dyn Write, document: &impl Serialize) -> io::Result<()> {
    let mut indented = serde_json::Serializer::with_formatter(
        escapes::JsonWriter(&mut *out),
        serde_json::ser::PrettyFormatter::with_indent(b"    "),
    );
    document.serialize(&mut indented)?;
    writeln!(out)
}
