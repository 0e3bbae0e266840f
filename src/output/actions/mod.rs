//! Changes of a cluster, made or only predicted, in every format.

mod backfill;
mod document;
mod observation;
mod reschedule;
mod resume;
mod summary;
mod suspend;
mod sync;
mod trigger;

use std::io::{self, Write};

use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;

pub(crate) use backfill::{document as backfill_document, table as backfill_table};
pub(crate) use document::{ActionsDocument, document};
pub(crate) use observation::{
    compared, observed, observed_jobs, write_job_deleted, write_job_end, write_job_update,
};
pub(crate) use reschedule::{
    document as rescheduling_document, extra_run, in_sentences as rescheduling,
};
pub use resume::in_sentences as resumption;
pub(crate) use resume::{
    ResumptionTotals, afterwards, document as resumption_document,
    sentences as resumption_sentences,
};
pub(crate) use summary::{PlanSummary, PlannedItem, plan_summary};
pub use suspend::in_sentences as suspension;
pub(crate) use suspend::{
    SuspensionTotals, document as suspension_document, sentences as suspension_sentences,
};
pub(crate) use trigger::{
    JobDifferences, document as triggering_document, in_sentences as triggering,
};

use super::lines::{paragraph, title};
use super::style::{Meaning, styled};
use super::yaml;
use crate::diagnose::{Facts, local};
use crate::duration::human;
use crate::printable::printable;

/// The next run by the schedule, and what it depends on.
fn next_run(facts: &Facts<'_>, label: &str, at: Timestamp, note: Option<&str>) -> String {
    let distance = human(at.as_second() - facts.now.as_second());
    let note = note.map_or_else(String::new, |note| format!(", {note}"));
    format!("{label}: {} (in {distance}){note}.", local(facts, at))
}

/// The Jobs that are running, and those that are suspended or in a queue and wait.
fn unfinished<'n>(facts: &Facts<'_>, names: &'n [String]) -> [(&'static str, Vec<&'n str>); 2] {
    let waits = |name: &&str| {
        let job = facts.job_named(name);
        job.is_some_and(|job| job.suspend == Some(true))
    };
    let (waiting, running) = names.iter().map(String::as_str).partition(waits);
    [("running", running), ("waiting", waiting)]
}

/// `a, b keep running`, and the same for Jobs that wait.
fn keep_running(facts: &Facts<'_>, names: &[String]) -> Vec<String> {
    let groups = unfinished(facts, names).into_iter();
    let groups = groups.filter(|(_, names)| !names.is_empty());
    groups
        .map(|(what, names)| format!("{} {} {what}", names.join(", "), keep(names.len())))
        .collect()
}

fn keep(count: usize) -> &'static str {
    if count == 1 { "keeps" } else { "keep" }
}

/// For a Job in `status.active` that may have finished.
fn unless_finished(facts: &Facts<'_>) -> &'static str {
    if facts.jobs_are_unknown() {
        ", unless finished already (Jobs were not read)"
    } else {
        ""
    }
}

/// A change of an object, made or only predicted.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Action {
    pub namespace: String,
    pub name: String,
    /// As kubectl names it, such as `cronjob.batch`.
    pub resource: String,
    /// The name of the Job, if the change creates one.
    pub job: Option<String>,
    pub action: &'static str,
    pub effect: ActionEffect,
    pub object: Value,
    pub prediction: Value,
    /// What was observed after the change.
    pub observed: Value,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ActionEffect {
    Done,
    /// `--dry-run` prevented the change.
    Shown,
    Unchanged,
    /// The change was not made, and why.
    Failed(String),
    /// Whether the change was made is unknown, and why; it may still be made.
    Unknown(String),
}

/// The value of `--dry-run`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DryRun {
    None,
    Client,
    /// The API server checks changes and does not store them.
    Server,
}

string_enum! {
    impl pub(crate) DryRun {
        None = "none",
        Client = "client",
        Server = "server",
    }
}

impl DryRun {
    fn suffix(self) -> &'static str {
        match self {
            DryRun::None => "",
            DryRun::Client => " (dry run)",
            DryRun::Server => " (server dry run)",
        }
    }
}

/// Writes a prediction: below the name, or in the same line if there are many. A command to be run afterwards
/// has a line of its own.
pub(crate) fn prediction(
    out: &mut dyn Write,
    name: &str,
    text: &str,
    afterwards: Option<&str>,
    brief: bool,
) -> io::Result<()> {
    let text = printable(text);
    if brief {
        writeln!(out, "{}: {text}", styled(Meaning::Strong, printable(name)))?;
    } else {
        title(out, name)?;
        paragraph(out, 2, &text)?;
    }
    match afterwards {
        Some(command) => writeln!(out, "  Afterwards, run: {}", printable(command)),
        None => Ok(()),
    }
}

/// Writes `cronjob.batch/nightly resumed`, as kubectl does.
pub(crate) fn line(
    out: &mut dyn Write,
    action: &Action,
    (done, not_needed): (&str, Option<&str>),
    dry_run: DryRun,
    with_namespace: bool,
) -> io::Result<()> {
    let what = match &action.effect {
        ActionEffect::Done | ActionEffect::Shown => format!("{done}{}", dry_run.suffix()),
        ActionEffect::Unchanged => {
            not_needed.map_or_else(|| format!("{done} (no change)"), str::to_owned)
        }
        ActionEffect::Failed(_) | ActionEffect::Unknown(_) => return Ok(()),
    };
    let place = if with_namespace {
        format!(" (namespace {})", printable(&action.namespace))
    } else {
        String::new()
    };
    writeln!(out, "{} {what}{place}", object(action))
}

/// Writes `cronjob.batch/nightly`.
pub(crate) fn name(out: &mut dyn Write, action: &Action) -> io::Result<()> {
    match &action.effect {
        ActionEffect::Failed(_) | ActionEffect::Unknown(_) => Ok(()),
        _ => writeln!(out, "{}", object(action)),
    }
}

/// Writes the manifests of the objects as a stream of YAML documents.
pub(crate) fn manifests(out: &mut dyn Write, actions: &[Action]) -> io::Result<()> {
    let objects = actions.iter().map(|action| &action.object);
    let objects = objects.filter(|object| !object.is_null());
    for (number, object) in objects.enumerate() {
        if number > 0 {
            writeln!(out, "---")?;
        }
        yaml::write(out, object)?;
    }
    Ok(())
}

fn object(action: &Action) -> String {
    printable(&match &action.job {
        Some(job) => format!("job.batch/{job}"),
        None => format!("{}/{}", action.resource, action.name),
    })
}

/// A part of the document as JSON.
fn part(part: &impl Serialize) -> Value {
    // This fails only for keys that are not strings, and there are none.
    serde_json::to_value(part).unwrap_or_default()
}
