//! A container cannot be made, mostly since a `ConfigMap` or Secret is missing.

use super::super::pods::{Hold, Kind, Trouble};
use super::super::{Facts, Found, Rule, Severity};
use crate::model::{Event, Pod};

pub(super) const RULE: Rule = Rule {
    code: "pod-config-missing",
    severity: Severity::Error,
    title: "a container cannot be made, mostly for want of a ConfigMap or Secret",
    reason: "A ConfigMap or Secret that a container reads, or a key of it, is not there, or the \
             runtime cannot do what the template asks for. The kubelet tries for ever, and the Job \
             counts as running all the while, unless activeDeadlineSeconds is set. What is missing \
             may be added at any time: the pod then goes on by itself.",
    field: Some("spec.jobTemplate.spec.template.spec.containers"),
    check,
};

const KIND: Kind = Kind {
    hold,
    tells,
    over: &["Created", "Started"],
    patience: 0,
};

fn hold(pod: &Pod) -> Option<Hold<'_>> {
    Hold::waiting(pod, |reason| {
        matches!(
            reason,
            "CreateContainerConfigError" | "CreateContainerError"
        )
    })
}

/// A volume that cannot be mounted is told of by events only.
fn tells(event: &Event) -> bool {
    match event.reason.as_str() {
        "FailedMount" => is_missing(&event.message),
        "Failed" => event.message.starts_with("Error: ") && is_missing(&event.message),
        _ => false,
    }
}

fn is_missing(message: &str) -> bool {
    let says = |words: &str| message.contains(words);
    let object = says("configmap \"") || says("secret \"") || says("secrets \"");
    (object && says("not found"))
        || says("couldn't find key")
        || says("references non-existent config key")
        || says("references non-existent secret key")
}

fn check(facts: &Facts<'_>) -> Option<Found> {
    let trouble = Trouble::find(facts, &KIND)?;
    let sentence = trouble.sentence(
        facts,
        "cannot make a container",
        "could not make a container",
    );
    let message = trouble.hold.message;
    let detail = trouble.detail(facts, &sentence, message);
    let remedy = if is_missing(message) && trouble.run.ending().is_none() {
        let look = trouble.look(facts);
        look.comment("as soon as what is missing is there, the pod goes on by itself")
    } else {
        trouble.look_and_renew(facts)
    };
    Some(Found::new(detail).remedy(remedy))
}
