//! Containers that run beside the main one.

use crate::lint::{LintSubject, POD, Violation};
use crate::rules::{KnownSidecar, has_native_sidecars};
use cronjob_text::words::sentence;
use located_yaml::Node;

/// What commands contain that stop a sidecar, or that run it until a file appears.
const STOPPING: [&str; 8] = [
    "quitquitquit",
    "/shutdown",
    "graceful_shutdown",
    "exit-after-auth",
    "linkerd-await",
    "scuttle",
    "kubexit",
    "kill ",
];

/// A known sidecar is an ordinary container, and no command shows that anything stops it.
pub(super) fn held_by_sidecar(subject: &LintSubject<'_>) -> Vec<Violation> {
    let list = format!("{POD}.containers");
    let containers = subject.get(&list).and_then(Node::as_sequence);
    let containers = containers.unwrap_or_default();
    let known: Vec<Option<&KnownSidecar>> = containers.iter().map(sidecar).collect();
    let main = containers
        .iter()
        .zip(&known)
        .find(|(_, known)| known.is_none());
    let Some((main, _)) = main.filter(|_| !containers.iter().any(mentions_stopping)) else {
        return Vec::new();
    };
    let main = main.get("name").and_then(Node::as_str);
    let main = main.unwrap_or("the main container");
    let minor = subject.context.release.minor();
    let found = known.into_iter().enumerate().filter_map(|(index, known)| {
        let known = known?;
        let then = match subject.str("spec.concurrencyPolicy") {
            Some("Forbid") => "the Job does not finish and blocks all later runs",
            Some("Replace") => "the next run deletes the Job before it finishes",
            _ => "the Job does not finish",
        };
        let message = format!(
            "{} does not end on its own: unless {main} stops it, {then}",
            known.product
        );
        let found = subject.found(&format!("{list}[{index}].name"), message);
        Some(
            match (known.remedy(minor, true), has_native_sidecars(minor)) {
                (Some(clause), _) => found.help(sentence(clause)),
                // The remedy of the rule.
                (None, true) => found,
                (None, false) => {
                    found.help("Stop this container at the end of the main container.".to_owned())
                }
            },
        )
    });
    found.collect()
}

fn sidecar(container: &Node) -> Option<&'static KnownSidecar> {
    let text = |key: &str| container.get(key).and_then(Node::as_str);
    let image = text("image").unwrap_or_default();
    // Istio replaces this image: the container only configures the one that it injects, which may be a
    // native sidecar.
    let is_injected = image == "auto";
    KnownSidecar::of(text("name")?, image).filter(|_| !is_injected)
}

fn mentions_stopping(container: &Node) -> bool {
    let lists = ["command", "args"].iter();
    let words = lists
        .filter_map(|list| container.get(list)?.as_sequence())
        .flatten()
        .filter_map(Node::as_str);
    let mut words = words.into_iter();
    words.any(|word| {
        let stops = |stopping: &&str| word.contains(stopping);
        STOPPING.iter().any(stops) || matches!(word, "kill" | "pkill" | "killall")
    })
}
