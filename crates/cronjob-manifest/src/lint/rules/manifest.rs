//! The text of a manifest, its version, and its name.

use std::collections::HashMap;
use std::path::Path;

use crate::lint::ignore::Ignore;
use crate::lint::{
    Context, CronJobViolation, Fix, LintSubject, LintedCronJob, TextEdit, Violation,
};
use crate::rules;
use crate::validation::successor;
use cronjob_text::spelling::nearest;
use located_yaml::{ErrorKind, Node, Place, Problem, Span, Value, narrow};

pub(crate) fn unreadable_file(text: &str, place: Place, kind: &ErrorKind) -> Violation {
    let mut place = place;
    let mut fix = None;
    if let ErrorKind::Unquoted { value, .. } = kind
        && let Some(span) = value_on_line(text, place, value)
    {
        // From the first character of the value, wherever the parser stopped.
        let passed = text.get(span.range().start..place.span.range().start);
        let passed = narrow(passed.unwrap_or_default().chars().count());
        place.column = place.column.saturating_sub(passed).max(1);
        place.span = span;
        let replacement = format!("'{}'", value.replace('\'', "''"));
        fix = Some(Fix::new("Quote the value", TextEdit { span, replacement }));
    }
    Violation::new("", place, kind.to_string()).fix(fix)
}

fn value_on_line(text: &str, place: Place, value: &str) -> Option<Span> {
    let (start, line) = line_of(text, place)?;
    let start = start + line.find(value)?;
    Some(Span::new(start, start + value.len()))
}

/// The line of a place, and where it begins.
fn line_of(text: &str, place: Place) -> Option<(usize, &str)> {
    let before = text.get(..place.span.range().start)?;
    let start = before.rfind('\n').map_or(0, |newline| newline + 1);
    Some((start, text.get(start..)?.lines().next()?))
}

/// A template with an action at a place.
pub(crate) fn template(place: Place) -> Violation {
    Violation::new(
        "",
        place,
        "looks like a Helm template, which is not checked before it is rendered",
    )
}

/// The template action on the line at which the parser failed.
pub(crate) fn template_near(text: &str, place: Place) -> Option<Place> {
    let (start, line) = line_of(text, place)?;
    let (before, rest) = line.split_at_checked(line.find("{{")?)?;
    let length = rest.find("}}").map_or(2, |end| end + 2);
    let start = start + before.len();
    Some(Place {
        span: Span::new(start, start + length),
        line: place.line,
        column: narrow(before.trim_start_matches('\u{feff}').chars().count() + 1),
    })
}

/// The first template action in the fields of a `CronJob`.
pub(crate) fn template_within(objects: &[&Node]) -> Option<Place> {
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
            // These fields may contain templates of other programs.
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

/// A duplicate key or a merge key that replaces another.
pub(crate) fn duplicate_key(problem: &Problem) -> Violation {
    let found = |message| Violation::new("", problem.place(), message);
    match problem {
        Problem::DuplicateKey { key, first, .. } => {
            let line = first.line;
            found(format!(
                "`{key}` is already set on line {line}; this one is used"
            ))
        }
        Problem::MergeReplacesKey { key, explicit, .. } => {
            let line = explicit.line;
            found(format!("the merge key replaces `{key}` of line {line}"))
                .help("Put the merge key first.")
        }
    }
}

/// A patch of a `CronJob`, and the kustomization that names it.
pub(crate) fn kustomize_patch(object: &Node, kustomization: &str) -> Violation {
    let place = object.get("kind").map_or(object.place, |kind| kind.place);
    let message = format!("{kustomization} lists it as a patch, so it is not checked");
    Violation::new("", place, message)
}

/// An ignore that has no effect.
pub(crate) fn unused_ignore(ignore: &Ignore) -> Violation {
    let rule = &ignore.rule;
    if rules::find_lint_rule(rule).is_some() {
        let message = format!("{rule} is ignored here, but was not found");
        return Violation::new(&ignore.field, ignore.place, message);
    }
    let found = Violation::new(&ignore.field, ignore.place, format!("unknown rule {rule}"));
    match nearest(rule, rules::lint_rules().map(|(rule, _)| rule.name)) {
        Some(name) => found.help(format!("Did you mean {name}?")),
        None => found.help("List all rules with kubectl cronjob-doctor lint --list."),
    }
}

pub(super) fn api_version_removed(subject: &LintSubject<'_>) -> Option<Violation> {
    let version = subject.str("apiVersion").unwrap_or_default();
    // Another rule reports a version that is not served.
    let (newer, removed) = successor(version, subject.context.release)?;
    let message = format!("{version} is no longer served in Kubernetes 1.{removed} and later");
    let fix = subject.replace("apiVersion", newer);
    Some(
        subject
            .found("apiVersion", message)
            .help(format!("Use {newer}; the fields are the same."))
            .fix(fix),
    )
}

/// The files of a folder are applied together. The same name in another folder usually is the same
/// CronJob for another cluster.
#[derive(PartialEq, Eq, Hash)]
struct AppliedName<'a> {
    folder: &'a Path,
    namespace: Option<&'a str>,
    name: &'a str,
}

pub(super) fn duplicate_name(
    cron_jobs: &[LintedCronJob],
    _: &Context<'_>,
) -> Vec<CronJobViolation> {
    let mut known: HashMap<AppliedName<'_>, &LintedCronJob> = HashMap::new();
    let mut violations = Vec::new();
    for (of, cron_job) in cron_jobs.iter().enumerate() {
        // A kustomize patch has the name of what it patches, and usually no schedule.
        let Some(name) = cron_job
            .object
            .name
            .as_deref()
            .filter(|_| cron_job.schedule.is_some())
        else {
            continue;
        };
        let folder = Path::new(&*cron_job.file).parent();
        let key = AppliedName {
            folder: folder.unwrap_or(Path::new("")),
            namespace: cron_job.object.namespace.as_deref(),
            name,
        };
        match known.get(&key) {
            Some(first) => violations.push(taken_name(of, cron_job, first)),
            None => {
                known.insert(key, cron_job);
            }
        }
    }
    violations
}

fn taken_name(of: usize, cron_job: &LintedCronJob, first: &LintedCronJob) -> CronJobViolation {
    let line = first.name.place.line;
    let place = if first.file == cron_job.file {
        format!("on line {line}")
    } else {
        format!("in {}:{line}", first.file)
    };
    let message = format!(
        "the name {} is already used by the CronJob {place}",
        cron_job.object.qualified()
    );
    CronJobViolation {
        of,
        found: Violation::new("metadata.name", cron_job.name.place, message),
    }
}

#[cfg(test)]
mod tests {
    /// An umlaut is two bytes and one column.
    #[test]
    fn columns_are_counted_in_characters() {
        let text = "*a\u{e9}kind: CronJob\n";
        let errors = located_yaml::parse(text).errors;
        assert!(!errors.is_empty());
        for error in errors {
            let found = super::unreadable_file(text, error.place, &error.kind);
            assert_eq!((found.place.line, found.place.column), (1, 1));
        }
    }
}
