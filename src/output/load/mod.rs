//! What many `CronJob`s start together, in every format.

mod document;
pub(in crate::output) mod grid;
pub(in crate::output) mod scale;
pub(in crate::output) mod svg;
mod text;
pub(in crate::output) mod words;

use std::io::{self, Write};
use std::sync::Arc;

use serde_json::json;

pub(in crate::output) use document::ExtraRunDocument;
pub use document::{Document, document};
pub use svg::svg;
pub use text::text;
pub use words::{applied, effect};

use super::controller::ControllerDocument;
use super::csv::record;
use crate::change::Application;
use crate::diagnose::patch_command;
use crate::kubectl::Kubectl;
use crate::load::{Load, Member, Suggestion};
use crate::printable::printable;
use crate::schedule::Zone;

/// A load, with what it holds for.
pub struct Shown<'a> {
    /// The controller.
    pub controller: ControllerDocument,
    /// Whose load it is.
    pub members: &'a [Member],
    /// The load.
    pub load: &'a Load,
    /// What it leads to to apply the proposal now.
    pub application: &'a Application,
    /// The zone whose days and hours are shown.
    pub zone: Arc<Zone>,
    /// How the cluster is reached.
    pub kubectl: &'a Kubectl,
}

impl<'a> Shown<'a> {
    /// Namespace and name of a member.
    fn name(&self, member: usize) -> (&'a str, &'a str) {
        let subject = self.members.get(member).map(|member| &member.subject);
        let text = |text: Option<&'a String>| text.map_or("", String::as_str);
        (
            text(subject.and_then(|subject| subject.namespace.as_ref())),
            text(subject.and_then(|subject| subject.name.as_ref())),
        )
    }

    /// What `kubectl` is to be told.
    pub(in crate::output) fn command(&self, suggestion: &Suggestion) -> String {
        let (namespace, name) = self.name(suggestion.member);
        let spec = json!({ "schedule": suggestion.schedule });
        patch_command(self.kubectl, namespace, name, &spec).into()
    }
}

/// The commands of the proposal, and as comments which of them start an extra run.
pub fn patches(out: &mut dyn Write, shown: &Shown<'_>) -> io::Result<()> {
    if let Some(text) = words::applied(shown) {
        writeln!(out, "# {text}")?;
    }
    for (place, suggestion) in shown.load.proposal.suggestions.iter().enumerate() {
        if let Some(extra) = words::extra_run(shown, place) {
            writeln!(out, "# {}", printable(&extra))?;
        }
        writeln!(out, "{}", printable(&shown.command(suggestion)))?;
    }
    Ok(())
}

/// Comma-separated values: a record for each bucket.
pub fn csv(out: &mut dyn Write, shown: &Shown<'_>, with_headings: bool) -> io::Result<()> {
    if with_headings {
        record(out, ["start", "count", "lastStartDelaySeconds"])?;
    }
    let load = shown.load;
    for (bucket, (count, delay)) in load.buckets.iter().zip(&load.delays).enumerate() {
        let start = load.span.start_of(bucket).to_string();
        let (count, delay) = (count.to_string(), words::rounded(*delay).to_string());
        record(out, [start.as_str(), &count, &delay])?;
    }
    Ok(())
}
