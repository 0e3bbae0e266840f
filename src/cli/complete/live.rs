//! Names that only the cluster or the kubeconfig knows.
//!
//! Whoever presses the tab key does not wait: after a second nothing is offered. And nothing is
//! said, whatever goes wrong.

use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use clap::{Args as _, Command, FromArgMatches as _};

use super::Candidate;
use super::candidates::Kind;
use super::line::Line;
use crate::cli::args::Connection;
use crate::cli::interrupt;
use crate::cluster::{Access, Resource, Session};

/// How long somebody waits for a list of names.
const PATIENCE: Duration = Duration::from_secs(1);
/// Nobody reads more.
const MANY: u32 = 5000;

/// The names of a kind.
pub(super) fn names(kind: Kind, line: &Line<'_>, begun: &str) -> Vec<Candidate> {
    if kind == Kind::CronJobs && line.has("filename") {
        // They are those of the file.
        return Vec::new();
    }
    let Some(connection) = connection(line) else {
        return Vec::new();
    };
    let access = Access::from(&connection);
    let names = match kind {
        Kind::Contexts => access.kubeconfig_names().unwrap_or_default().contexts,
        Kind::Clusters => access.kubeconfig_names().unwrap_or_default().clusters,
        Kind::Users => access.kubeconfig_names().unwrap_or_default().users,
        Kind::Namespaces | Kind::CronJobs => {
            let question = Question {
                access,
                resource: resource(kind, line),
                everywhere: kind == Kind::Namespaces || line.has("all-namespaces"),
                namespace: connection.namespace,
            };
            question.ask_within(PATIENCE)
        }
    };
    if kind != Kind::CronJobs {
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

fn resource(kind: Kind, line: &Line<'_>) -> Resource {
    if kind == Kind::Namespaces {
        return Resource::namespaces();
    }
    let other = line.value_of("resource");
    other
        .and_then(|text| Resource::read(text).ok())
        .unwrap_or_else(Resource::cron_jobs)
}

/// How the cluster is reached, from the flags that are there.
fn connection(line: &Line<'_>) -> Option<Connection> {
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
    resource: Resource,
    everywhere: bool,
    namespace: Option<String>,
}

impl Question {
    /// A credential plugin may take as long as it likes, so that somebody else waits for it.
    fn ask_within(self, patience: Duration) -> Vec<String> {
        let (sender, receiver) = mpsc::channel();
        let began = Instant::now();
        thread::spawn(move || {
            // Nobody may wait any longer.
            let _ = sender.send(self.ask(patience.saturating_sub(began.elapsed())));
        });
        let answer = receiver.recv_timeout(patience).ok().flatten();
        answer.unwrap_or_default()
    }

    fn ask(&self, within: Duration) -> Option<Vec<String>> {
        let session = Session::open(&self.access, &interrupt::SIGNALS).ok()?;
        let namespace = self.namespace.as_deref().unwrap_or(session.namespace());
        let namespace = (!self.everywhere).then_some(namespace);
        session.names(&self.resource, namespace, within, MANY).ok()
    }
}
