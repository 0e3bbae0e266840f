//! A container cannot be made, mostly since a `ConfigMap` or Secret is missing.

use super::super::pods::{Hold, Kind, Trouble};
use super::super::{Facts, Found};
use crate::model::{Event, Pod};

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

pub(super) fn check(facts: &Facts<'_>) -> Option<Found> {
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
