//! The text of a manifest, its version, and its name.

use std::collections::HashMap;
use std::path::Path;

use crate::lint::ignore::Ignore;
use crate::lint::manifest::{UncheckedObject, WhyUnchecked};
use crate::lint::{
    Context, CronJobViolation, Fix, LintSubject, LintedCronJob, TextEdit, Violation,
};
use crate::rules;
use crate::validation::successor;
use cronjob_text::spelling::nearest;
use located_yaml::{
    ErrorKind, Node, NodeStyle, ParsedDocument, Place, Problem, Span, Value, narrow,
};

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

/// Whether a text contains `{{ … }}`, but not as a parameter of a `Template`, `${{…}}`.
fn is_action(text: &str) -> bool {
    let mut actions = text.match_indices("{{");
    actions.any(|(at, _)| {
        let (before, rest) = text.split_at_checked(at).unwrap_or_default();
        !before.ends_with('$') && rest.contains("}}")
    })
}

/// A placeholder in a value, such as `${SCHEDULE}`, `<CHANGE ME>` or `__IMAGE__`.
pub(crate) fn placeholder(text: &str) -> Option<&str> {
    let between = |open: &str, close: &str, is_inside: fn(char) -> bool| {
        let start = text.find(open)?;
        let inside = text.get(start + open.len()..)?;
        let length = inside.find(close).filter(|length| *length > 0)?;
        let is_name = inside.get(..length)?.chars().all(is_inside);
        let end = start + open.len() + length + close.len();
        text.get(start..end).filter(|_| is_name)
    };
    let is_word = |c: char| c.is_ascii_alphanumeric() || " _-.:".contains(c);
    let is_capital = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    between("${{", "}}", |_| true)
        .or_else(|| between("${", "}", |_| true))
        .or_else(|| between("$(", ")", is_word))
        .or_else(|| between("<", ">", is_word))
        .or_else(|| between("__", "__", is_capital))
        .or_else(|| between("@", "@", is_capital))
        .or_else(|| between("%", "%", is_capital))
        .or_else(|| {
            let name = text.strip_prefix('$')?;
            let is_name = name.starts_with(|c: char| c.is_ascii_uppercase() || c == '_');
            (is_name && name.chars().all(is_capital)).then_some(text)
        })
        .or_else(|| {
            let bare: String = text.chars().filter(char::is_ascii_alphanumeric).collect();
            let bare = bare.to_ascii_lowercase();
            ["changeme", "replaceme"]
                .contains(&bare.as_str())
                .then_some(text)
        })
}

/// A value that contains a placeholder.
pub(crate) fn with_placeholder(field: &str, place: Place, word: &str) -> Violation {
    let message = format!("contains {word}, and is not checked before that is replaced");
    let help = "Check the manifest after the replacement, for example: envsubst < FILE | kubectl cronjob-doctor lint -";
    Violation::new(field, place, message).help(help)
}

/// A `CronJob` within another object.
pub(crate) fn unchecked_object(unchecked: &UncheckedObject<'_>) -> Violation {
    let node = unchecked.node;
    let place = node.get("kind").map_or(node.place, |kind| kind.place);
    let kind = unchecked.within;
    let message = match unchecked.why {
        WhyUnchecked::Deleted => {
            format!("the CronJob is not checked, because the {kind} deletes it")
        }
        WhyUnchecked::Partial => {
            format!("the CronJob is not checked, because the {kind} contains only a part of it")
        }
        WhyUnchecked::Text => format!("the CronJob in a text of the {kind} is not checked"),
        WhyUnchecked::UnknownKind => format!("the CronJob in this {kind} is not checked"),
    };
    Violation::new("", place, message)
}

/// The duplicate keys of a document, and the objects that are only one because no separator is between them.
pub(crate) fn duplicate_keys(document: &ParsedDocument) -> Vec<Violation> {
    let repeated = repeated_objects(document);
    let is_separate = |problem: &&Problem| {
        let mut objects = repeated.iter().flatten();
        objects.all(|other| other.place() != problem.place())
    };
    let others = document.problems.iter().filter(is_separate);
    let separators = repeated
        .iter()
        .filter_map(|object| missing_separator(object));
    separators.chain(others.map(duplicate_key)).collect()
}

/// The objects of a document without a separator before them.
pub(crate) fn missing_separators(document: &ParsedDocument) -> Vec<Violation> {
    let repeated = repeated_objects(document);
    repeated
        .iter()
        .filter_map(|object| missing_separator(object))
        .collect()
}

/// The keys of each object that replace those of the object before it.
fn repeated_objects(document: &ParsedDocument) -> Vec<Vec<&Problem>> {
    let root = document.root.place;
    let mut objects: Vec<Vec<&Problem>> = Vec::new();
    for problem in &document.problems {
        let Problem::DuplicateKey { key, first, second } = problem else {
            continue;
        };
        if document.root.style != NodeStyle::Block
            || (first.column, second.column) != (root.column, root.column)
        {
            continue;
        }
        let has_key = |other: &&Problem| matches!(other, Problem::DuplicateKey { key: other, .. } if other == key);
        match objects.last_mut() {
            Some(object) if !object.iter().any(has_key) => object.push(problem),
            _ => objects.push(vec![problem]),
        }
    }
    objects.retain(|object| {
        let has = |name: &str| {
            object
                .iter()
                .any(|problem| matches!(problem, Problem::DuplicateKey { key, .. } if key == name))
        };
        has("kind") && has("apiVersion")
    });
    objects
}

fn missing_separator(object: &[&Problem]) -> Option<Violation> {
    let place = object.iter().map(|problem| problem.place()).min()?;
    let firsts = object.iter().filter_map(|problem| match problem {
        Problem::DuplicateKey { first, .. } => Some(first.line),
        Problem::MergeReplacesKey { .. } => None,
    });
    let line = firsts.min()?;
    let message =
        format!("`---` is missing above: the object that starts at line {line} is dropped");
    let start = place.span.range().start;
    let edit = TextEdit {
        span: Span::new(start, start),
        replacement: "---\n".to_owned(),
    };
    let fix = (place.column == 1).then(|| Fix::new("Add the line ---", edit));
    let found = Violation::new("", place, message);
    Some(
        found
            .help("Add a line with --- above this object.")
            .fix(fix),
    )
}

/// A duplicate key or a merge key that replaces another.
fn duplicate_key(problem: &Problem) -> Violation {
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
    fn placeholders_are_recognized() {
        for (text, expected) in [
            ("${SCHEDULE}", Some("${SCHEDULE}")),
            ("job-${NAME}-x", Some("${NAME}")),
            ("${{LIMIT}}", Some("${{LIMIT}}")),
            ("$(params.schedule)", Some("$(params.schedule)")),
            ("$SCHEDULE", Some("$SCHEDULE")),
            ("<CHANGE ME>", Some("<CHANGE ME>")),
            ("__IMAGE__", Some("__IMAGE__")),
            ("@TAG@", Some("@TAG@")),
            ("change-me", Some("change-me")),
            ("0 2 * * 7", None),
            ("Shop_Report", None),
            ("a < b", None),
            ("$5", None),
            ("$", None),
            ("${", None),
            ("__", None),
            ("", None),
        ] {
            assert_eq!(super::placeholder(text), expected, "{text}");
        }
    }

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
