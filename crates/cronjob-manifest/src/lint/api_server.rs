//! Errors and warnings of the API server as findings, and fixes for those that have exactly one
//! correction.

use super::finding::Violation;
use super::fix::{Fix, TextEdit};
use super::path;
use super::subject::{LintSubject, POD};
use crate::rules::{self, Rule};
use crate::validation::{
    self, CauseReason, ExpectedType, Suggestion, ValidationCause, ValidationWarning,
};
use cronjob_text::words::sentence;
use kube_cron::{ParseError, Schedule, split_zone, suggest_zone};
use located_yaml::{NodeStyle, Value};

/// Everything that the API server of the release reports, and whether it failed before validation.
pub(super) fn violations(subject: &LintSubject<'_>) -> (Vec<(&'static Rule, Violation)>, bool) {
    let context = subject.context;
    // kubectl uses the last of two equal keys before it sends the object.
    let answer = validation::validate(subject.node, &[], context.release, context.zones);
    let mut reasons = answer.causes.iter().map(|cause| cause.reason);
    let gave_up = reasons.any(CauseReason::precludes_validation);
    let (release, zones) = (context.release, context.zones);
    let others = validation::causes_of_other_stages(subject.node, &answer, release, zones);
    let is_unserved = |cause: &ValidationCause| cause.reason == CauseReason::Unserved;
    let (first, last): (Vec<_>, Vec<_>) = others.into_iter().partition(is_unserved);
    let follows = !first.is_empty();
    let first = first.into_iter().map(|cause| (cause, false));
    let answered = without_repetitions(answer.causes);
    let answered = answered.into_iter().map(|cause| (cause, follows));
    let last = last.into_iter().map(|cause| (cause, true));
    let causes = first.chain(answered).chain(last).map(|(cause, is_later)| {
        let rule = rule(cause.reason);
        let mut found = refused(subject, cause);
        if is_later {
            let note = "The API server reports this once the errors before it are fixed.";
            found.notes.push(note.to_owned());
        }
        (rule, found)
    });
    // Another rule reports a time zone in the schedule, with a fix.
    let warnings = answer.warnings.into_iter();
    let warnings = warnings.filter(|warning| !warning.message.starts_with("CRON_TZ or TZ used in"));
    let warnings = warnings.map(|warning| (&rules::SERVER_WARNING, warned(warning)));
    // Another rule reports the time zone.
    let dropped = answer.dropped.into_iter();
    let dropped = dropped.filter(|dropped| dropped.field != TIME_ZONE);
    let dropped = dropped.map(|dropped| {
        let before = dropped.stored_since;
        let before = before.map(|minor| format!(" before Kubernetes 1.{minor}"));
        let before = before.unwrap_or_default();
        let message =
            format!("dropped without a warning: its feature gate is off by default{before}");
        let found = Violation::new(dropped.field, dropped.place, message);
        (&rules::DROPPED_FIELD, found)
    });
    (causes.chain(warnings).chain(dropped).collect(), gave_up)
}

/// The causes, without further fields of an object that belongs elsewhere as a whole.
fn without_repetitions(mut causes: Vec<ValidationCause>) -> Vec<ValidationCause> {
    let mut known: Vec<(String, String)> = Vec::new();
    causes.retain(|cause| {
        let Some(Suggestion::Elsewhere(path)) = &cause.suggestion else {
            return true;
        };
        let parent = cause
            .field
            .rsplit_once('.')
            .map_or("", |(parent, _)| parent);
        let object = (parent.to_owned(), path.clone());
        let is_new = !known.contains(&object);
        known.push(object);
        is_new
    });
    causes
}

fn rule(reason: CauseReason) -> &'static Rule {
    match reason {
        CauseReason::Unserved => &rules::UNSERVED_VERSION,
        CauseReason::Undecodable => &rules::WRONG_TYPE,
        CauseReason::UnknownField => &rules::UNKNOWN_FIELD,
        CauseReason::DuplicateField => &rules::DUPLICATE_KEY,
        CauseReason::Required => &rules::MISSING_VALUE,
        CauseReason::NotSupported => &rules::UNSUPPORTED_VALUE,
        CauseReason::Forbidden => &rules::FORBIDDEN_VALUE,
        CauseReason::Duplicate => &rules::DUPLICATE_VALUE,
        CauseReason::NotFound => &rules::UNKNOWN_REFERENCE,
        CauseReason::Invalid
        | CauseReason::TooLong
        | CauseReason::TooMany
        | CauseReason::Internal => &rules::INVALID_VALUE,
    }
}

fn refused(subject: &LintSubject<'_>, cause: ValidationCause) -> Violation {
    let fix = fix(subject, &cause);
    let help = cause.suggestion.as_ref();
    let help = help.map(|suggestion| advice(subject, &cause.field, suggestion));
    let help = help.or_else(|| advice_for(subject, &cause));
    let mut found = Violation::new(cause.field, cause.place, cause.message).fix(fix);
    found.help = help;
    found
}

fn advice(subject: &LintSubject<'_>, field: &str, suggestion: &Suggestion) -> String {
    match suggestion {
        Suggestion::Type(expected) => advice_on_type(subject, field, *expected),
        Suggestion::Word(word) => format!("Did you mean {word}?"),
        Suggestion::Elsewhere(path) => format!("Did you mean {path}?"),
        Suggestion::NewerRelease(minor) => {
            format!("Upgrade: this field exists since Kubernetes 1.{minor}.")
        }
    }
}

fn advice_on_type(subject: &LintSubject<'_>, field: &str, expected: ExpectedType) -> String {
    let (is_list, is_mapping) = match subject.get(field).map(|node| &node.value) {
        Some(Value::Sequence(_)) => (true, false),
        Some(Value::Mapping(_)) => (false, true),
        _ => (false, false),
    };
    let name = field.rsplit('.').next().unwrap_or(field);
    let name = name.split('[').next().unwrap_or(name);
    let is_item = field.ends_with(']');
    match expected {
        ExpectedType::Mapping if is_item => {
            format!("Write each item of {name} as a mapping, with keys and values.")
        }
        ExpectedType::Mapping if is_list => {
            format!("Write {name} as a mapping, not as a list: remove the dash.")
        }
        ExpectedType::Mapping => format!("Write {name} as a mapping, with keys and values."),
        ExpectedType::List => format!("Write {name} as a list: begin each item with a dash."),
        ExpectedType::Text if is_list || is_mapping => format!("Write {name} as a string."),
        ExpectedType::Text => "Quote the value.".to_owned(),
        ExpectedType::WholeNumber => "Use a whole number without quotes.".to_owned(),
        ExpectedType::Bool => "Use true or false without quotes.".to_owned(),
        ExpectedType::Quantity => {
            "Use a quantity, such as 500m for half a CPU or 128Mi for memory.".to_owned()
        }
    }
}

fn warned(warning: ValidationWarning) -> Violation {
    let ValidationWarning { message, place } = warning;
    match field_of(&message) {
        Some((field, rest)) => Violation::new(field, place, rest),
        None => Violation::new("", place, message),
    }
}

/// The field that a warning begins with, and the rest of it.
pub(super) fn field_of(warning: &str) -> Option<(&str, &str)> {
    let (field, rest) = warning.split_once(": ")?;
    let is_path = field.contains('.') && !field.contains(' ');
    is_path.then_some((field, rest))
}

const SCHEDULE: &str = "spec.schedule";
const TIME_ZONE: &str = "spec.timeZone";

/// The change that fixes a cause.
fn fix(subject: &LintSubject<'_>, cause: &ValidationCause) -> Option<Fix> {
    match (cause.reason, cause.field.as_str()) {
        (CauseReason::Unserved, _) => version(subject),
        (CauseReason::Undecodable, field) => other_type(subject, field),
        (CauseReason::UnknownField, field) => key(subject, field, cause),
        (CauseReason::Invalid, SCHEDULE) => zone_prefix(subject).or_else(|| sunday(subject)),
        (CauseReason::Invalid, TIME_ZONE) => zone(subject),
        (CauseReason::Required | CauseReason::NotSupported, field) if is_restart_policy(field) => {
            restart_policy(subject, field).or_else(|| other_case(subject, field, cause))
        }
        (CauseReason::NotSupported, field) => other_case(subject, field, cause),
        _ => None,
    }
}

/// What to do about a cause without a suggestion.
fn advice_for(subject: &LintSubject<'_>, cause: &ValidationCause) -> Option<String> {
    match cause.field.as_str() {
        SCHEDULE => {
            let error = parse(subject, subject.str(SCHEDULE)?).err()?;
            error.hint().map(|hint| sentence(&hint))
        }
        TIME_ZONE => {
            let zone = suggest_zone(subject.str(TIME_ZONE)?)?;
            Some(format!("Did you mean {zone}?"))
        }
        field
            if is_restart_policy(field) && matches!(subject.str(field), None | Some("Always")) =>
        {
            let fails_by_pod = subject
                .get("spec.jobTemplate.spec.podFailurePolicy")
                .is_some();
            let advice = if fails_by_pod {
                "Set restartPolicy: Never, the only value that podFailurePolicy allows."
            } else {
                "Set restartPolicy: OnFailure or Never; Always is not valid for pods of a Job."
            };
            Some(advice.to_owned())
        }
        _ => None,
    }
}

fn parse(subject: &LintSubject<'_>, text: &str) -> Result<Schedule, ParseError> {
    Schedule::parse(text, subject.behavior().dialect, subject.context.zones)
}

/// The versions before v1 had the same fields.
fn version(subject: &LintSubject<'_>) -> Option<Fix> {
    let old = subject.str("apiVersion")?;
    let has_v1 = subject.context.release.minor() >= 21;
    let same = matches!(old, "batch/v1beta1" | "batch/v2alpha1");
    (same && has_v1).then(|| subject.replace("apiVersion", "batch/v1"))?
}

/// A quoted number where a number is required, or the other way round.
fn other_type(subject: &LintSubject<'_>, field: &str) -> Option<Fix> {
    let way = subject.follow(field);
    let node = way.node.filter(|_| way.is_own)?;
    let raw = node.raw(subject.text)?;
    let (replacement, what) = match &node.value {
        Value::String(text) if node.style != NodeStyle::Plain && text.len() < 19 => {
            let plain = text.parse::<i64>().is_ok_and(|n| n.to_string() == **text);
            let truth = matches!(&**text, "true" | "false");
            (plain || truth).then(|| (text.to_string(), "Remove the quotes"))?
        }
        Value::Bool(_) | Value::Int(_) | Value::Float(_) if !raw.contains('\n') => {
            let quote = if subject.text.trim_start().starts_with('{') {
                '"'
            } else {
                '\''
            };
            (format!("{quote}{raw}{quote}"), "Quote the value")
        }
        _ => return None,
    };
    let edit = TextEdit {
        span: node.place.span,
        replacement,
    };
    let fix = Fix::new(what, edit);
    subject.is_taken_after(&fix, field).then_some(fix)
}

fn key(subject: &LintSubject<'_>, field: &str, cause: &ValidationCause) -> Option<Fix> {
    let Some(Suggestion::Word(word)) = &cause.suggestion else {
        return None;
    };
    let way = subject.follow(field);
    let entry = way.entry.filter(|_| way.is_own && way.node.is_some())?;
    let (parent, _) = field.rsplit_once('.')?;
    let taken = path::follow(subject.node, subject.text, &format!("{parent}.{word}")).node;
    let only_differs_in_case = entry.key.text.eq_ignore_ascii_case(word);
    let is_meant = only_differs_in_case || differs_in_plural(&entry.key.text, word);
    if taken.is_some() || !is_meant {
        return None;
    }
    let quote = match entry.key.style {
        NodeStyle::DoubleQuoted => "\"",
        NodeStyle::SingleQuoted => "'",
        _ => "",
    };
    let edit = TextEdit {
        span: entry.key.place.span,
        replacement: format!("{quote}{word}{quote}"),
    };
    let fix = Fix::new(format!("Change it to {word}"), edit);
    let is_right =
        only_differs_in_case || subject.is_taken_after(&fix, &format!("{parent}.{word}"));
    is_right.then_some(fix)
}

/// Whether two names are the same but for the plural of a part, as `successfulJobHistoryLimit` is.
fn differs_in_plural(written: &str, word: &str) -> bool {
    let singular = |name: &str| name.to_ascii_lowercase().replace('s', "");
    singular(written) == singular(word)
}

fn other_case(subject: &LintSubject<'_>, field: &str, cause: &ValidationCause) -> Option<Fix> {
    let Some(Suggestion::Word(word)) = &cause.suggestion else {
        return None;
    };
    in_case_of(subject, field, subject.str(field)?, word)
}

fn zone(subject: &LintSubject<'_>) -> Option<Fix> {
    let written = subject.str(TIME_ZONE)?.trim();
    in_case_of(subject, TIME_ZONE, written, suggest_zone(written)?)
}

/// The word that is written in letters of another case.
fn in_case_of(subject: &LintSubject<'_>, field: &str, written: &str, word: &str) -> Option<Fix> {
    let is_same = written.eq_ignore_ascii_case(word);
    let fix = is_same.then(|| subject.replace(field, word))??;
    Some(fix.described(format!("Change it to {word}")))
}

/// Moves `TZ=zone ` to spec.timeZone.
pub(super) fn zone_prefix(subject: &LintSubject<'_>) -> Option<Fix> {
    let written = subject.str(SCHEDULE)?;
    let (zone, expression) = split_zone(written)?;
    let free = subject.get(TIME_ZONE).is_none() && subject.behavior().time_zone_field;
    if !free || parse(subject, expression).is_err() {
        return None;
    }
    let fix = subject.replace(SCHEDULE, expression)?;
    let fix = fix.and(subject.add("spec", "timeZone", zone)?);
    let fix = fix.described(format!("Set timeZone: {zone}"));
    subject.is_taken_after(&fix, TIME_ZONE).then_some(fix)
}

fn sunday(subject: &LintSubject<'_>) -> Option<Fix> {
    let written = subject.str(SCHEDULE)?;
    let (before, weekdays) = written.trim_end().rsplit_once(' ')?;
    let parts: Option<Vec<String>> = weekdays.split(',').map(with_sunday_as_zero).collect();
    let new = format!("{before} {}", parts?.join(","));
    if new == written || parse(subject, &new).is_err() {
        return None;
    }
    let fix = subject.replace(SCHEDULE, &new)?;
    Some(fix.described("Use 0 for Sunday"))
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

/// Never instead of Always, which is also the default, where `OnFailure` is not valid either.
fn restart_policy(subject: &LintSubject<'_>, field: &str) -> Option<Fix> {
    subject.get("spec.jobTemplate.spec.podFailurePolicy")?;
    match subject.str(field) {
        None => subject.add(POD, "restartPolicy", "Never"),
        Some("Always") => subject.replace(field, "Never"),
        Some(_) => None,
    }
}
