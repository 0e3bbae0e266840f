//! Changes that make the API server take what it refuses, as far as there is no doubt.

use super::fix::{Edit, Fix};
use super::path;
use super::subject::{POD, Subject};
use crate::document::{Node, Style, Value};
use crate::schedule::{ParseError, Schedule, split_zone, suggest_zone};
use crate::validation::{Cause, Reason, Suggestion};

const SCHEDULE: &str = "spec.schedule";
const TIME_ZONE: &str = "spec.timeZone";

/// The change that mends a cause.
pub(super) fn fix(subject: &Subject<'_>, cause: &Cause) -> Option<Fix> {
    match (cause.reason, cause.field.as_str()) {
        (Reason::Unserved, _) => version(subject),
        (Reason::Undecodable, field) => other_type(subject, field),
        (Reason::UnknownField, field) => key(subject, field, cause),
        (Reason::Invalid, SCHEDULE) => zone_prefix(subject).or_else(|| sunday(subject)),
        (Reason::Invalid, TIME_ZONE) => zone(subject),
        (Reason::Required | Reason::NotSupported, field) if is_restart_policy(field) => {
            restart_policy(subject, field).or_else(|| other_case(subject, field, cause))
        }
        (Reason::NotSupported, field) => other_case(subject, field, cause),
        _ => None,
    }
}

/// What to do about a cause that names no suggestion.
pub(super) fn advice(subject: &Subject<'_>, cause: &Cause) -> Option<String> {
    match cause.field.as_str() {
        SCHEDULE => {
            let error = parse(subject, subject.str(SCHEDULE)?).err()?;
            error.hint().map(|hint| sentence(&hint))
        }
        TIME_ZONE => {
            let zone = suggest_zone(subject.str(TIME_ZONE)?)?;
            Some(format!("Did you mean {zone}?"))
        }
        field if is_restart_policy(field) && subject.str(field) == Some("Always") => {
            let fails_by_pod = subject
                .get("spec.jobTemplate.spec.podFailurePolicy")
                .is_some();
            let advice = if fails_by_pod {
                "Change it to Never, the only one that podFailurePolicy allows."
            } else {
                "Change it to OnFailure or Never: Always is for pods that no Job owns."
            };
            Some(advice.to_owned())
        }
        _ => None,
    }
}

fn sentence(hint: &str) -> String {
    let mut characters = hint.chars();
    let first: String = characters
        .next()
        .into_iter()
        .flat_map(char::to_uppercase)
        .collect();
    let end = if hint.ends_with(['.', '?']) { "" } else { "." };
    format!("{first}{}{end}", characters.as_str())
}

fn parse(subject: &Subject<'_>, text: &str) -> Result<Schedule, ParseError> {
    Schedule::parse(text, subject.behaviour().dialect, subject.context.zones)
}

/// The versions before v1 had the same fields.
fn version(subject: &Subject<'_>) -> Option<Fix> {
    let old = subject.str("apiVersion")?;
    let has_v1 = subject.context.release.minor() >= 21;
    let same = matches!(old, "batch/v1beta1" | "batch/v2alpha1");
    (same && has_v1).then(|| subject.replace("apiVersion", "batch/v1"))?
}

/// A number in quotes where a number is wanted, and the other way round.
fn other_type(subject: &Subject<'_>, field: &str) -> Option<Fix> {
    let way = subject.follow(field);
    let node = way.node.filter(|_| way.is_own)?;
    let raw = node.raw(subject.text)?;
    let (replacement, what) = match &node.value {
        Value::String(text) if node.style != Style::Plain && text.len() < 19 => {
            let plain = text.parse::<i64>().is_ok_and(|n| n.to_string() == **text);
            let truth = matches!(&**text, "true" | "false");
            (plain || truth).then(|| (text.to_string(), "Write it without quotes"))?
        }
        Value::Bool(_) | Value::Int(_) | Value::Float(_) if !raw.contains('\n') => {
            let quote = if subject.text.trim_start().starts_with('{') {
                '"'
            } else {
                '\''
            };
            (format!("{quote}{raw}{quote}"), "Put the value in quotes")
        }
        _ => return None,
    };
    replaced(subject, field, node, replacement, what)
}

/// Makes a change only if the server does not complain of the field afterwards.
fn replaced(
    subject: &Subject<'_>,
    field: &str,
    node: &Node,
    replacement: String,
    what: &str,
) -> Option<Fix> {
    let edit = Edit {
        span: node.place.span,
        replacement,
    };
    let fix = Fix::new(what, edit);
    subject.is_taken_after(&fix, field).then_some(fix)
}

/// A key in another case.
fn key(subject: &Subject<'_>, field: &str, cause: &Cause) -> Option<Fix> {
    let Some(Suggestion::Word(word)) = &cause.suggestion else {
        return None;
    };
    let way = subject.follow(field);
    let entry = way.entry.filter(|_| way.is_own && way.node.is_some())?;
    let (parent, _) = field.rsplit_once('.')?;
    let taken = path::follow(subject.node, subject.text, &format!("{parent}.{word}")).node;
    if taken.is_some() || !entry.key.text.eq_ignore_ascii_case(word) {
        return None;
    }
    let quote = match entry.key.style {
        Style::DoubleQuoted => "\"",
        Style::SingleQuoted => "'",
        _ => "",
    };
    let edit = Edit {
        span: entry.key.place.span,
        replacement: format!("{quote}{word}{quote}"),
    };
    Some(Fix::new(format!("Write {word}"), edit))
}

/// A value in another case.
fn other_case(subject: &Subject<'_>, field: &str, cause: &Cause) -> Option<Fix> {
    let Some(Suggestion::Word(word)) = &cause.suggestion else {
        return None;
    };
    let written = subject.str(field)?;
    let same = written.eq_ignore_ascii_case(word);
    same.then(|| subject.replace(field, word))?
        .map(|fix| fix.called(format!("Write {word}")))
}

fn zone(subject: &Subject<'_>) -> Option<Fix> {
    let written = subject.str(TIME_ZONE)?;
    let zone = suggest_zone(written.trim())?;
    let same = written.trim().eq_ignore_ascii_case(zone);
    same.then(|| subject.replace(TIME_ZONE, zone))?
        .map(|fix| fix.called(format!("Write {zone}")))
}

/// `TZ=zone ` goes to the field that was made for it.
pub(super) fn zone_prefix(subject: &Subject<'_>) -> Option<Fix> {
    let written = subject.str(SCHEDULE)?;
    let (zone, expression) = split_zone(written)?;
    let free = subject.get(TIME_ZONE).is_none() && subject.behaviour().time_zone_field;
    if !free || parse(subject, expression).is_err() {
        return None;
    }
    let fix = subject.replace(SCHEDULE, expression)?;
    let fix = fix.and(subject.add("spec", "timeZone", zone)?);
    let fix = fix.called(format!("Write timeZone: {zone}"));
    subject.is_taken_after(&fix, TIME_ZONE).then_some(fix)
}

/// Sunday is 0 here.
fn sunday(subject: &Subject<'_>) -> Option<Fix> {
    let written = subject.str(SCHEDULE)?;
    let (before, weekdays) = written.trim_end().rsplit_once(' ')?;
    let parts: Option<Vec<String>> = weekdays.split(',').map(with_sunday_as_zero).collect();
    let new = format!("{before} {}", parts?.join(","));
    if new == written || parse(subject, &new).is_err() {
        return None;
    }
    let fix = subject.replace(SCHEDULE, &new)?;
    Some(fix.called("Write 0 for Sunday"))
}

fn with_sunday_as_zero(part: &str) -> Option<String> {
    match part.split_once('-') {
        None if part == "7" => Some("0".to_owned()),
        Some(("6", "7")) => Some("6,0".to_owned()),
        Some((first, "7")) => {
            let first: u8 = first.parse().ok()?;
            (1..6).contains(&first).then(|| format!("{first}-6,0"))
        }
        _ => Some(part.to_owned()),
    }
}

fn is_restart_policy(field: &str) -> bool {
    field.strip_prefix(POD) == Some(".restartPolicy")
}

/// Instead of Always, which is also the default, Never changes least: it keeps the logs of a failure.
fn restart_policy(subject: &Subject<'_>, field: &str) -> Option<Fix> {
    match subject.str(field) {
        None => subject.add(POD, "restartPolicy", "Never"),
        Some("Always") => subject.replace(field, "Never"),
        Some(_) => None,
    }
}

#[cfg(test)]
#[path = "mending_tests.rs"]
mod tests;
