//! What the API server says of a manifest, as findings of the rules of that name.

use super::finding::Found;
use super::mending;
use super::subject::Subject;
use crate::rules::{self, Rule};
use crate::validation::{self, Cause, Reason, Suggestion, Warning};

/// Everything that the API server of the release says, and whether it gave up before it came to its
/// rules.
pub(super) fn found(subject: &Subject<'_>) -> (Vec<(&'static Rule, Found)>, bool) {
    let context = subject.context;
    // kubectl takes the last of two equal keys before it asks the server.
    let answer = validation::validate(subject.node, &[], context.release, context.zones);
    let mut reasons = answer.causes.iter().map(|cause| cause.reason);
    let gave_up = reasons.any(Reason::precludes_validation);
    let causes = answer.causes.into_iter();
    let causes = causes.map(|cause| (rule(cause.reason), refused(subject, cause)));
    // Of a zone in the schedule a rule of its own tells, with the fix.
    let warnings = answer.warnings.into_iter();
    let warnings = warnings.filter(|warning| !warning.message.starts_with("CRON_TZ or TZ used in"));
    let warnings = warnings.map(|warning| (&rules::SERVER_WARNING, warned(warning)));
    (causes.chain(warnings).collect(), gave_up)
}

fn rule(reason: Reason) -> &'static Rule {
    match reason {
        Reason::Unserved => &rules::UNSERVED_VERSION,
        Reason::Undecodable => &rules::WRONG_TYPE,
        Reason::UnknownField => &rules::UNKNOWN_FIELD,
        Reason::DuplicateField => &rules::DUPLICATE_KEY,
        Reason::Required => &rules::MISSING_VALUE,
        Reason::NotSupported => &rules::UNSUPPORTED_VALUE,
        Reason::Forbidden => &rules::FORBIDDEN_VALUE,
        Reason::Duplicate => &rules::DUPLICATE_VALUE,
        Reason::NotFound => &rules::UNKNOWN_REFERENCE,
        Reason::Invalid | Reason::TooLong | Reason::TooMany | Reason::Internal => {
            &rules::INVALID_VALUE
        }
    }
}

fn refused(subject: &Subject<'_>, cause: Cause) -> Found {
    let fix = mending::fix(subject, &cause);
    let help = cause.suggestion.as_ref().map(advice);
    let help = help.or_else(|| mending::advice(subject, &cause));
    let mut found = Found::new(cause.field, cause.place, cause.message).fix(fix);
    found.help = help;
    found
}

fn advice(suggestion: &Suggestion) -> String {
    match suggestion {
        Suggestion::Word(word) => format!("Did you mean {word}?"),
        Suggestion::Elsewhere(path) => format!("The field of that name is {path}."),
        Suggestion::NewerRelease(minor) => format!("Kubernetes 1.{minor} brought this field."),
    }
}

fn warned(warning: Warning) -> Found {
    let Warning { message, place } = warning;
    match field_of(&message) {
        Some((field, rest)) => Found::new(field, place, rest),
        None => Found::new("", place, message),
    }
}

/// The field that a warning begins with, and the rest of it.
pub(super) fn field_of(warning: &str) -> Option<(&str, &str)> {
    let (field, rest) = warning.split_once(": ")?;
    let is_path = field.contains('.') && !field.contains(' ');
    is_path.then_some((field, rest))
}
