//! What may come next, as far as the program itself knows it.

use clap::{Arg, ArgAction, Command};

use super::Candidate;
use super::line::Line;
use crate::controller::Release;
use crate::schedule::BundledZones;

/// What a value may be.
pub(super) enum Values {
    /// One of these.
    These(Vec<Candidate>),
    /// A file, which the shell knows best.
    Files,
    /// Something that the cluster or the kubeconfig knows.
    Of(Kind),
}

/// What the cluster or the kubeconfig knows the names of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    CronJobs,
    Namespaces,
    Contexts,
    Clusters,
    Users,
}

/// The verbs that are not hidden.
pub(super) fn verbs(command: &Command) -> Vec<Candidate> {
    let shown = command.get_subcommands().filter(|verb| !verb.is_hide_set());
    shown
        .map(|verb| Candidate::new(verb.get_name(), said(verb.get_about())))
        .collect()
}

/// The flags that have not been given, or may be given again.
pub(super) fn flags(line: &Line<'_>) -> Vec<Candidate> {
    let Some(verb) = line.meant else {
        return Vec::new();
    };
    let is_open = |arg: &&Arg| {
        let repeats = matches!(arg.get_action(), ArgAction::Append | ArgAction::Count);
        let long = arg.get_long();
        !arg.is_hide_set() && (repeats || !long.is_some_and(|long| line.has(long)))
    };
    let open = verb.get_arguments().filter(is_open);
    open.filter_map(|arg| Some(Candidate::new(format!("--{}", arg.get_long()?), help(arg))))
        .collect()
}

/// What the value of a flag may be, or a word that a verb takes.
pub(super) fn values(arg: &Arg) -> Values {
    let possible = arg.get_possible_values();
    if !possible.is_empty() {
        let shown = possible.iter().filter(|value| !value.is_hide_set());
        let value = |value: &clap::builder::PossibleValue| {
            Candidate::new(value.get_name(), said(value.get_help()))
        };
        return Values::These(shown.map(value).collect());
    }
    let name = arg.get_value_names().and_then(|names| names.first());
    match (name.map_or("", |name| name.as_str()), arg.get_long()) {
        ("NAMESPACE", _) => Values::Of(Kind::Namespaces),
        ("NAME", None) => Values::Of(Kind::CronJobs),
        (_, Some("context")) => Values::Of(Kind::Contexts),
        (_, Some("cluster")) => Values::Of(Kind::Clusters),
        (_, Some("user")) => Values::Of(Kind::Users),
        ("ZONE", _) => Values::These(BundledZones::names().map(Candidate::bare).collect()),
        ("VERSION" | "VERSIONS", _) => Values::These(releases()),
        (name, _) if name.split('|').any(|part| matches!(part, "FILE" | "DIR")) => Values::Files,
        _ => Values::These(Vec::new()),
    }
}

/// The newest first, since that is what most clusters have.
fn releases() -> Vec<Candidate> {
    let minors = (0..=Release::NEWEST.minor()).rev();
    minors
        .filter_map(Release::of_minor)
        .map(|release| Candidate::bare(release.to_string()))
        .collect()
}

fn help(arg: &Arg) -> String {
    said(arg.get_help())
}

/// The first line of a text.
fn said(text: Option<&clap::builder::StyledStr>) -> String {
    let text = text.map(ToString::to_string).unwrap_or_default();
    text.lines().next().unwrap_or_default().to_owned()
}
