//! Changes of a cluster, made or only predicted, in every format.

mod backfill;
mod document;
mod observation;
mod prediction_checks;
mod summary;
mod totals;

use std::io::{self, Write};

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

pub(crate) use backfill::table as backfill_table;
pub use document::ActionsDocument;
pub(crate) use document::JobActions;
pub(crate) use observation::{
    Observation, compared, job_end, observed, observed_jobs, waits_for_pod, write_job_deleted,
    write_job_update,
};
pub(crate) use prediction_checks::write_checks;
pub(crate) use summary::{PlannedItem, plan_summary};
pub(crate) use totals::{SuspensionTotals, resumption_totals};

use super::DryRun;
use super::lines::TextPage;
use super::style::{Meaning, styled};
use super::yaml;
use cronjob_diagnosis::change::Prediction;
use cronjob_text::printable::printable;

/// A change of an object, made or only predicted.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Action {
    /// The namespace of the `CronJob`.
    pub namespace: String,
    /// The name of the `CronJob`.
    pub name: String,
    /// As kubectl names it, such as `cronjob.batch`.
    #[serde(skip)]
    pub resource: String,
    /// The name of the Job, if the change creates one.
    #[serde(skip)]
    pub job: Option<String>,
    /// The kind of change.
    #[schemars(extend("enum" = ["suspend", "resume", "trigger", "backfill"]))]
    pub action: &'static str,
    #[serde(flatten)]
    pub effect: ActionEffect,
    /// The object after the change; null if there is none to show.
    #[schemars(with = "Option<Map<String, Value>>")]
    pub object: Value,
    /// The prediction, by kind of change; null if nothing was predicted.
    pub prediction: Option<Prediction>,
    /// What was observed after the change; null if the command did not wait.
    pub observed: Option<Observation>,
}

#[derive(Clone, Debug, JsonSchema, PartialEq, Eq, Serialize)]
#[serde(into = "EffectFields")]
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

/// The words for a kind of change.
#[derive(Clone, Copy)]
pub(crate) struct ActionWords {
    /// Its name: `suspend`.
    pub verb: &'static str,
    /// What a line says after an object that was changed: `suspended`.
    pub done: &'static str,
    /// What it says after one that needs no change: `already suspended`.
    pub not_needed: &'static str,
}

impl ActionEffect {
    /// Why the change was not made, or is not known to have been made.
    pub(crate) fn problem(&self) -> Option<&str> {
        match self {
            ActionEffect::Failed(why) | ActionEffect::Unknown(why) => Some(why),
            ActionEffect::Done | ActionEffect::Shown | ActionEffect::Unchanged => None,
        }
    }
}

/// An effect in documents, which have both fields in each case.
#[derive(JsonSchema, Serialize)]
struct EffectFields {
    /// Whether the change was made; null if no response was received, so that it may still be made.
    applied: Option<bool>,
    /// Why the change was not made, or is not known to have been made.
    error: Option<String>,
}

impl From<ActionEffect> for EffectFields {
    fn from(effect: ActionEffect) -> Self {
        let (applied, error) = match effect {
            ActionEffect::Done => (Some(true), None),
            ActionEffect::Shown | ActionEffect::Unchanged => (Some(false), None),
            ActionEffect::Failed(why) => (Some(false), Some(why)),
            ActionEffect::Unknown(why) => (None, Some(why)),
        };
        EffectFields { applied, error }
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
    prediction: &Prediction,
    mut page: TextPage,
    brief: bool,
) -> io::Result<()> {
    if brief {
        let text = printable(&page.shortened(&prediction.text()));
        let name = styled(Meaning::Strong, printable(name));
        page.line(format_args!("{name}: {text}"));
    } else {
        page.title(name).paragraph(2, prediction.text());
    }
    add_command(&mut page, prediction);
    page.write(out)
}

fn add_command(page: &mut TextPage, prediction: &Prediction) {
    if let Some((when, command)) = prediction.command() {
        page.line(format_args!("  {when}: {}", printable(command)));
    }
}

/// Writes `cronjob.batch/nightly resumed`, as kubectl does.
pub(crate) fn line(
    out: &mut dyn Write,
    action: &Action,
    words: ActionWords,
    dry_run: DryRun,
    with_namespace: bool,
) -> io::Result<()> {
    let what = match &action.effect {
        ActionEffect::Done | ActionEffect::Shown => format!("{}{}", words.done, dry_run.suffix()),
        ActionEffect::Unchanged => words.not_needed.to_owned(),
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
fn manifests(out: &mut dyn Write, actions: &[Action]) -> io::Result<()> {
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
