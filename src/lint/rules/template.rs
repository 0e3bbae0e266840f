use crate::document::{Node, Place, Span, Value};
use crate::lint::Found;

/// A template with an action at a place.
pub(in crate::lint) fn found(place: Place) -> Found {
    Found::new(
        "",
        place,
        "looks like a Helm template, which is not looked at before it is rendered",
    )
}

/// The action on the line that the parser gave up on.
pub(in crate::lint) fn action_near(text: &str, place: Place) -> Option<Place> {
    let at = place.span.range().start;
    let start = text.get(..at)?.rfind('\n').map_or(0, |newline| newline + 1);
    let line = text.get(start..)?.lines().next()?;
    let (before, rest) = line.split_at_checked(line.find("{{")?)?;
    let length = rest.find("}}").map_or(2, |end| end + 2);
    let narrow = |number: usize| u32::try_from(number).ok();
    let start = start + before.len();
    Some(Place {
        span: Span {
            start: narrow(start)?,
            end: narrow(start + length)?,
        },
        line: place.line,
        column: narrow(before.trim_start_matches('\u{feff}').chars().count() + 1)?,
    })
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
