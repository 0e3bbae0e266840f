//! The load of `CronJob`s that start at the same time, in every format.

mod document;
pub(in crate::output) mod heat_map;
mod joint;
pub(in crate::output) mod sentences;
pub(in crate::output) mod svg;
mod text;

use std::io::{self, Write};
use std::sync::Arc;

use serde::{Serialize, Serializer};
use serde_json::json;

pub use document::LoadDocument;
pub(super) use document::document;
pub(crate) use joint::ShownJointLoad;
use joint::{joint_patches, joint_svg, joint_text};
pub(crate) use sentences::{applied, effect};
use svg::svg;
use text::text;

use self::heat_map::HeatMap;
use super::answer::{Answer, Documented, Format, Formats};
use super::contexts;
use super::controller::ControllerDocument;
use super::csv::record;
use super::yaml;
use crate::change::Application;
use crate::diagnose::patch_command;
use crate::kubectl::{Command, Kubectl};
use crate::load::{Load, LoadMember, ScheduleSuggestion, rounded};
use crate::printable::printable;
use crate::schedule::Zone;

/// What `load` found.
pub(crate) struct LoadAnswer<'a> {
    pub shown: ShownLoads<'a>,
    pub with_headings: bool,
}

pub(crate) enum ShownLoads<'a> {
    One(&'a ShownLoad<'a>),
    /// Of several contexts.
    Joint(ShownJointLoad<'a>),
}

impl Answer for LoadAnswer<'_> {
    fn formats() -> Formats<Self> {
        Formats::<Self>::text(|out, answer| match &answer.shown {
            ShownLoads::One(shown) if shown.members.is_empty() => Ok(()),
            ShownLoads::One(shown) => text(out, shown),
            ShownLoads::Joint(joint) => joint_text(out, joint),
        })
        .and_documents()
        .and(Format::Csv, |out, answer| match &answer.shown {
            ShownLoads::One(shown) => csv(out, shown, answer.with_headings),
            ShownLoads::Joint(joint) => {
                contexts::csv(out, joint.answers, answer.with_headings, csv)
            }
        })
        .and(Format::Svg, |out, answer| match &answer.shown {
            ShownLoads::One(shown) => svg(out, shown),
            ShownLoads::Joint(joint) => joint_svg(out, joint),
        })
        .and(Format::Patch, |out, answer| match &answer.shown {
            ShownLoads::One(shown) => patches(out, shown),
            ShownLoads::Joint(joint) => joint_patches(out, joint.answers),
        })
        .and(Format::Kustomize, |out, answer| match &answer.shown {
            ShownLoads::One(shown) => kustomization(out, shown),
            // One context at a time.
            ShownLoads::Joint(_) => Ok(()),
        })
    }
}

impl Documented for LoadAnswer<'_> {
    fn document(&self) -> impl Serialize {
        &self.shown
    }
}

impl Serialize for ShownLoads<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            ShownLoads::One(shown) => document(shown).serialize(serializer),
            ShownLoads::Joint(joint) => joint.serialize(serializer),
        }
    }
}

pub(crate) struct ShownLoad<'a> {
    pub controller: ControllerDocument,
    pub members: &'a [LoadMember],
    pub load: &'a Load,
    /// The effect of applying the proposal now.
    pub application: &'a Application,
    /// The time zone of the output.
    pub zone: Arc<Zone>,
    /// The kubectl flags that select the cluster.
    pub kubectl: &'a Kubectl,
}

impl<'a> ShownLoad<'a> {
    /// Namespace and name of a member.
    fn name(&self, member: usize) -> (&'a str, &'a str) {
        self.members.get(member).map_or(("", ""), LoadMember::name)
    }

    pub(in crate::output) fn heat_map(&self) -> HeatMap {
        HeatMap::of(self.load.window, &self.load.buckets, &self.zone)
    }

    /// The command that applies a suggestion.
    pub(in crate::output) fn command(&self, suggestion: &ScheduleSuggestion) -> Command {
        let (namespace, name) = self.name(suggestion.member);
        let spec = json!({ "schedule": suggestion.schedule });
        patch_command(self.kubectl, namespace, name, &spec)
    }
}

/// The commands of the proposal, with comments for those that start an extra run.
fn patches(out: &mut dyn Write, shown: &ShownLoad<'_>) -> io::Result<()> {
    if let Some(text) = sentences::applied(shown) {
        writeln!(out, "# {text}")?;
    }
    for (place, suggestion) in shown.load.proposal.suggestions.iter().enumerate() {
        if let Some(extra) = sentences::extra_run(shown, place) {
            writeln!(out, "# {}", printable(&extra))?;
        }
        writeln!(out, "{}", printable(&shown.command(suggestion).to_string()))?;
    }
    Ok(())
}

/// The proposal as a kustomize component.
fn kustomization(out: &mut dyn Write, shown: &ShownLoad<'_>) -> io::Result<()> {
    let suggestions = shown.load.proposal.suggestions.iter();
    let patches = suggestions.map(|suggestion| {
        let (namespace, name) = shown.name(suggestion.member);
        let mut target = json!({ "group": "batch", "kind": "CronJob", "name": exactly(name) });
        if !namespace.is_empty() {
            target["namespace"] = json!(exactly(namespace));
        }
        let schedule = &suggestion.schedule;
        let patch = json!([{ "op": "replace", "path": "/spec/schedule", "value": schedule }]);
        json!({ "target": target, "patch": patch.to_string() })
    });
    let component = json!({
        "apiVersion": "kustomize.config.k8s.io/v1alpha1",
        "kind": "Component",
        "patches": patches.collect::<Vec<_>>(),
    });
    yaml::write(out, &component)
}

/// kustomize takes a name as a regular expression that must match the whole name.
fn exactly(name: &str) -> String {
    name.replace('.', r"\.")
}

/// Comma-separated values: a record for each bucket.
fn csv(out: &mut dyn Write, shown: &ShownLoad<'_>, with_headings: bool) -> io::Result<()> {
    if with_headings {
        record(out, ["start", "count", "lastStartDelaySeconds"])?;
    }
    let load = shown.load;
    for (bucket, (count, delay)) in load.buckets.iter().zip(&load.delays).enumerate() {
        let start = load.window.start_of(bucket).to_string();
        let (count, delay) = (count.to_string(), rounded(*delay).to_string());
        record(out, [start.as_str(), &count, &delay])?;
    }
    Ok(())
}
