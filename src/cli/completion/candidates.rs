//! Completion candidates: commands, flags, values, and names in the cluster.
//!
//! Completion must be fast: names of the cluster have a timeout of a second. Errors are not
//! shown.

use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use clap::{Arg, ArgAction, Args as _, Command, FromArgMatches as _};
use serde_json::Value;

use super::line::PartialLine;
use super::{Candidate, objects};
use crate::cli::args::Connection;
use crate::cli::{edits, interrupt};
use cronjob_controller::controller::Release;
use cronjob_manifest::rules;
use kube_access::{Access, Session};
use kube_cron::BundledZones;
use kube_objects::query::Resource;

/// The possible values of an argument.
pub(super) enum Values {
    These(Vec<Candidate>),
    /// A file, which the shell completes.
    Files,
    /// Names in the cluster or the kubeconfig.
    Of(Kind),
}

/// A kind of names in the cluster or the kubeconfig.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    CronJobs,
    Suspended,
    NotSuspended,
    /// Those of the CronJob that is named.
    Jobs,
    /// Those that `trigger --job` takes.
    FinishedJobs,
    /// Those of the CronJob or Job that is named.
    Containers,
    /// Environment variables of the CronJob or Job that is named.
    Variables,
    /// Scheduled times of the CronJob that is named, newest first.
    PastRuns,
    Namespaces,
    Contexts,
    Clusters,
    Users,
}

pub(super) fn verbs(command: &Command) -> Vec<Candidate> {
    let shown = command.get_subcommands().filter(|verb| !verb.is_hide_set());
    shown
        .map(|verb| Candidate::new(verb.get_name(), help_text(verb.get_about())))
        .collect()
}

/// The flags that have not been given, or may be given again.
pub(super) fn flags(line: &PartialLine<'_>) -> Vec<Candidate> {
    let Some(verb) = line.meant else {
        return Vec::new();
    };
    let is_open = |arg: &&Arg| {
        let repeats = matches!(arg.get_action(), ArgAction::Append | ArgAction::Count);
        let long = arg.get_long();
        let is_shown = !arg.is_hide_set() || arg.is_global_set();
        is_shown && (repeats || !long.is_some_and(|long| line.has(long)))
    };
    let open = verb.get_arguments().filter(is_open);
    open.filter_map(|arg| Some(Candidate::new(format!("--{}", arg.get_long()?), help(arg))))
        .collect()
}

/// The possible values of a flag or a positional argument.
pub(super) fn values(arg: &Arg, line: &PartialLine<'_>, begun: &str) -> Values {
    let possible = arg.get_possible_values();
    if !possible.is_empty() {
        let shown = possible.iter().filter(|value| !value.is_hide_set());
        let value = |value: &clap::builder::PossibleValue| {
            Candidate::new(value.get_name(), help_text(value.get_help()))
        };
        return Values::These(shown.map(value).collect());
    }
    let name = arg.get_value_names().and_then(|names| names.first());
    let verb = line.verb.map_or("", Command::get_name);
    match (name.map_or("", |name| name.as_str()), arg.get_long()) {
        ("NAMESPACE", _) => Values::Of(Kind::Namespaces),
        ("NAME", None) => Values::Of(match verb {
            "suspend" => Kind::NotSuspended,
            "resume" => Kind::Suspended,
            _ => Kind::CronJobs,
        }),
        ("JOB", None) => Values::Of(Kind::FinishedJobs),
        ("JOB", _) if verb == "trigger" => Values::Of(Kind::FinishedJobs),
        ("JOB", _) => Values::Of(Kind::Jobs),
        (_, Some("container")) => Values::Of(Kind::Containers),
        (_, Some("env")) => Values::Of(Kind::Variables),
        (_, Some("at")) if verb == "backfill" => Values::Of(Kind::PastRuns),
        (_, Some("what-if")) => Values::These(
            edits::examples(begun)
                .into_iter()
                .map(Candidate::bare)
                .collect(),
        ),
        (_, Some("context")) => Values::Of(Kind::Contexts),
        (_, Some("cluster")) => Values::Of(Kind::Clusters),
        (_, Some("user")) => Values::Of(Kind::Users),
        ("ZONE", _) => Values::These(BundledZones::names().map(Candidate::bare).collect()),
        ("RULE", _) => Values::These(lint_rules()),
        ("VERSION" | "VERSIONS", _) => Values::These(releases()),
        (name, _) if name.split('|').any(|part| matches!(part, "FILE" | "DIR")) => Values::Files,
        _ => Values::These(Vec::new()),
    }
}

/// The names of the lint rules, and their codes.
fn lint_rules() -> Vec<Candidate> {
    let names = rules::lint_rules().map(|(rule, _)| Candidate::new(rule.name, rule.title));
    let codes = rules::lint_rules().map(|(rule, lint)| Candidate::new(lint.code, rule.name));
    names.chain(codes).collect()
}

fn releases() -> Vec<Candidate> {
    let minors = (0..=Release::NEWEST.minor()).rev();
    minors
        .filter_map(Release::of_minor)
        .map(|release| Candidate::bare(release.to_string()))
        .collect()
}

fn help(arg: &Arg) -> String {
    help_text(arg.get_help())
}

/// The first line of a text.
fn help_text(text: Option<&clap::builder::StyledStr>) -> String {
    let text = text.map(ToString::to_string).unwrap_or_default();
    text.lines().next().unwrap_or_default().to_owned()
}

/// The timeout for names in the cluster.
const PATIENCE: Duration = Duration::from_secs(1);
const MANY: u32 = 5000;

pub(super) fn names(kind: Kind, line: &PartialLine<'_>, begun: &str) -> Vec<Candidate> {
    let is_cron_jobs = matches!(kind, Kind::CronJobs | Kind::Suspended | Kind::NotSuspended);
    if is_cron_jobs && line.has("filename") {
        // They are those of the file.
        return Vec::new();
    }
    let Some(mut connection) = connection(line) else {
        return Vec::new();
    };
    if connection.settle_contexts(true).is_err() && kind != Kind::Contexts {
        return Vec::new();
    }
    // Of several contexts, the first has the names.
    let first = connection.several.first().cloned();
    connection.context = connection.context.or(first);
    let access = Access::from(&connection);
    let names = match kind {
        Kind::Contexts => {
            let contexts = access.kubeconfig_names().unwrap_or_default().contexts;
            let before = begun.rfind([',', '!']).map_or(0, |at| at + 1);
            let before = begun.get(..before).unwrap_or_default();
            let is_listed = |name: &String| before.split([',', '!']).any(|listed| listed == name);
            let contexts = contexts.into_iter().filter(|name| !is_listed(name));
            contexts.map(|name| format!("{before}{name}")).collect()
        }
        Kind::Clusters => access.kubeconfig_names().unwrap_or_default().clusters,
        Kind::Users => access.kubeconfig_names().unwrap_or_default().users,
        _ => {
            let again = line.value_of("job").filter(|_| kind != Kind::FinishedJobs);
            let named = again.or_else(|| line.words.first().map(String::as_str));
            let question = Question {
                access,
                kind,
                named: named.map(|word| plain(word).to_owned()),
                resource: resource(kind, line),
                everywhere: kind == Kind::Namespaces || line.has("all-namespaces"),
                namespace: connection.namespaces.into_iter().next(),
            };
            question.ask_within(PATIENCE)
        }
    };
    if kind == Kind::Jobs {
        let of = line.words.first().map_or("", |word| plain(word));
        let of_cron_job = |job: &String| {
            let rest = job.strip_prefix(of);
            rest.is_some_and(|rest| of.is_empty() || rest.starts_with('-'))
        };
        let jobs = names.into_iter().filter(of_cron_job);
        return jobs.map(Candidate::bare).collect();
    }
    if !is_cron_jobs {
        return names.into_iter().map(Candidate::bare).collect();
    }
    let kinds = ["cronjobs/", "cronjob/", "cj/"];
    let kind = kinds.into_iter().find(|kind| begun.starts_with(kind));
    let kind = kind.unwrap_or_default();
    let words = names.into_iter().map(|name| format!("{kind}{name}"));
    words
        .filter(|word| !line.words.contains(word))
        .map(Candidate::bare)
        .collect()
}

fn plain(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or_default()
}

fn resource(kind: Kind, line: &PartialLine<'_>) -> Resource {
    match kind {
        Kind::Namespaces => return Resource::namespaces(),
        Kind::Jobs | Kind::FinishedJobs => return Resource::jobs(),
        Kind::Containers | Kind::Variables if line.has("job") => return Resource::jobs(),
        _ => {}
    }
    let other = line.value_of("resource");
    other
        .and_then(|text| Resource::read(text).ok())
        .unwrap_or_else(Resource::cron_jobs)
}

/// How the cluster is reached, from the flags that are there.
fn connection(line: &PartialLine<'_>) -> Option<Connection> {
    let command = Connection::augment_args(Command::new("connection").no_binary_name(true));
    let mut words = Vec::new();
    for (arg, value) in &line.flags {
        let is_known = command
            .get_arguments()
            .any(|known| known.get_id() == arg.get_id());
        if let (true, Some(long)) = (is_known, arg.get_long()) {
            words.push(match value {
                Some(value) => format!("--{long}={value}"),
                None => format!("--{long}"),
            });
        }
    }
    let matches = command.try_get_matches_from(words).ok()?;
    Connection::from_arg_matches(&matches).ok()
}

struct Question {
    access: Access,
    kind: Kind,
    /// The CronJob or Job that is named, without its kind.
    named: Option<String>,
    resource: Resource,
    everywhere: bool,
    namespace: Option<String>,
}

impl Question {
    /// A credential plugin may take long, so another thread waits for it.
    fn ask_within(self, patience: Duration) -> Vec<String> {
        let (sender, receiver) = mpsc::channel();
        let began = Instant::now();
        thread::spawn(move || {
            // The receiver may have stopped waiting.
            let _ = sender.send(self.ask(patience.saturating_sub(began.elapsed())));
        });
        let answer = receiver.recv_timeout(patience).ok().flatten();
        answer.unwrap_or_default()
    }

    fn ask(&self, within: Duration) -> Option<Vec<String>> {
        let session = Session::open(&self.access, &interrupt::SIGNALS).ok()?;
        let namespace = self.namespace.as_deref().unwrap_or(session.namespace());
        let namespace = (!self.everywhere).then_some(namespace);
        let is_named = matches!(
            self.kind,
            Kind::Containers | Kind::Variables | Kind::PastRuns
        );
        let words: fn(&Value) -> Vec<String> = match self.kind {
            Kind::Suspended => |object| objects::if_suspended(object, true),
            Kind::NotSuspended => |object| objects::if_suspended(object, false),
            Kind::FinishedJobs => objects::finished_job,
            Kind::Containers => objects::containers,
            Kind::Variables => objects::variables,
            Kind::PastRuns => objects::past_runs,
            _ => return session.names(&self.resource, namespace, within, MANY).ok(),
        };
        let name = match &self.named {
            _ if !is_named => None,
            None => return None,
            named => named.as_deref(),
        };
        let objects = session
            .objects_within(&self.resource, namespace, name, within, MANY)
            .ok()?;
        let mut words: Vec<String> = objects.iter().flat_map(words).collect();
        words.dedup();
        Some(words)
    }
}
