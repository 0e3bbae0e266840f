use crate::document::{Node, Place, Value};
use crate::lint::rule::example;
use crate::lint::{Check, Found, Rule, Severity};

pub(in crate::lint) const RULE: Rule = Rule {
    code: "CJD002",
    name: "template",
    severity: Severity::Info,
    title: "a template that is not rendered",
    reason: "The text makes manifests, and is none yet: what its CronJobs will look like depends \
             on the values that it is rendered with.",
    remedy: "Render it first: helm template … | kubectl cronjob-doctor lint -",
    example: example!("template"),
    check: Check::Reader,
};

/// A template with an action at a place.
pub(in crate::lint) fn found(place: Place) -> Found {
    Found::new(
        "",
        place,
        "looks like a Helm template, which is not looked at before it is rendered",
    )
}

/// The first action of a template in what a `CronJob` itself says.
pub(in crate::lint) fn within(objects: &[&Node]) -> Option<Place> {
    objects.iter().find_map(|object| action(object))
}

fn action(node: &Node) -> Option<Place> {
    match &node.value {
        Value::String(text) => is_action(text).then_some(node.place),
        Value::Sequence(items) => items.iter().find_map(action),
        Value::Mapping(mapping) => mapping.entries().iter().find_map(|entry| {
            if is_action(&entry.key.text) {
                return Some(entry.key.place);
            }
            // Other programs have templates with braces, too.
            let foreign = matches!(
                &*entry.key.text,
                "command" | "args" | "env" | "annotations" | "exec"
            );
            if foreign { None } else { action(&entry.value) }
        }),
        _ => None,
    }
}

fn is_action(text: &str) -> bool {
    text.split_once("{{")
        .is_some_and(|(_, rest)| rest.contains("}}"))
}
