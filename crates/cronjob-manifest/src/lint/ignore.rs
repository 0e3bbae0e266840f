//! Findings that a comment or an annotation ignores.

use std::cell::Cell;
use std::collections::BTreeSet;

use super::finding::Violation;
use super::subject::LintSubject;
use located_yaml::{Comment, Place, Span};

/// The beginning of a comment that ignores rules.
const MARK: &str = "cronjob-doctor:";

/// The annotation that ignores rules for an object.
const ANNOTATION: &str = "metadata.annotations[cronjob-doctor/ignore]";

/// One rule that is ignored somewhere.
#[derive(Clone, Debug)]
pub(super) struct Ignore {
    /// The rule as it is written: a code or a name.
    pub(super) rule: String,
    /// Where the comment or the annotation is.
    pub(super) place: Place,
    pub(super) field: String,
    scope: IgnoreScope,
    pub(super) used: Cell<bool>,
}

/// Where an ignore applies.
/// The most rules that one comment or annotation ignores. There are fewer.
const MOST_RULES: usize = 200;

#[derive(Clone, Copy, Debug)]
enum IgnoreScope {
    Line(u32),
    Object(Span),
}

impl Ignore {
    /// Whether it applies to a violation.
    pub(super) fn covers(&self, found: &Violation) -> bool {
        match self.scope {
            IgnoreScope::Line(line) => found.place.line == line,
            IgnoreScope::Object(span) => {
                span.start <= found.place.span.start && found.place.span.start <= span.end
            }
        }
    }
}

/// The ignores of a document, and comments that look like an ignore but are malformed.
#[derive(Default)]
pub(super) struct Ignores {
    pub(super) all: Vec<Ignore>,
    pub(super) malformed: Vec<Violation>,
}

impl Ignores {
    /// Reads a comment. `objects` are the places of the `CronJob`s of its document.
    pub(super) fn add_comment(&mut self, comment: &Comment, text: &str, objects: &[Place]) {
        let Some(rest) = comment.text.trim_start().strip_prefix(MARK) else {
            return;
        };
        let Some(rules) = rules(rest.trim_start()) else {
            self.malformed.push(Violation::new(
                "",
                comment.place,
                "this comment has no effect: expected `# cronjob-doctor: ignore[rule] reason`",
            ));
            return;
        };
        let scope = if comment.trailing {
            IgnoreScope::Line(comment.place.line)
        } else {
            below(comment, text, objects)
        };
        self.push_all(rules, comment.place, "", scope);
    }

    /// Reads the annotation of an object.
    pub(super) fn add_annotation(&mut self, subject: &LintSubject<'_>) {
        let Some(node) = subject.get(ANNOTATION) else {
            return;
        };
        let scope = IgnoreScope::Object(subject.node.place.span);
        let rules = node.as_str().unwrap_or_default().split([',', ' ', '\n']);
        let rules = rules.map(str::trim).filter(|rule| !rule.is_empty());
        self.push_all(rules, node.place, ANNOTATION, scope);
    }

    /// Adds each rule once, as long as they are not more than there are rules.
    fn push_all<'t>(
        &mut self,
        rules: impl Iterator<Item = &'t str>,
        place: Place,
        field: &str,
        scope: IgnoreScope,
    ) {
        let mut known = BTreeSet::new();
        for rule in rules {
            if !known.insert(rule) {
                continue;
            }
            if known.len() > MOST_RULES {
                let message =
                    format!("more than {MOST_RULES} rules: the later ones have no effect");
                self.malformed.push(Violation::new(field, place, message));
                return;
            }
            self.push(rule, place, field, scope);
        }
    }

    fn push(&mut self, rule: &str, place: Place, field: &str, scope: IgnoreScope) {
        self.all.push(Ignore {
            rule: rule.to_owned(),
            place,
            field: field.to_owned(),
            scope,
            used: Cell::new(false),
        });
    }
}

/// The rules of `ignore[one, two] reason`.
fn rules(text: &str) -> Option<impl Iterator<Item = &str>> {
    let list = text
        .strip_prefix("ignore")?
        .trim_start()
        .strip_prefix('[')?;
    let (list, _) = list.split_once(']')?;
    let mut rules = list
        .split(',')
        .map(str::trim)
        .filter(|rule| !rule.is_empty());
    let first = rules.next()?;
    Some(std::iter::once(first).chain(rules))
}

/// Where a comment on its own line applies: to the object that begins below it, or else to the line
/// below it. Comments, blank lines and `---` in between are skipped.
fn below(comment: &Comment, text: &str, objects: &[Place]) -> IgnoreScope {
    let mut line = comment.place.line;
    let after = text.get(comment.place.span.range().end..);
    for content in after.unwrap_or_default().lines().skip(1) {
        line = line.saturating_add(1);
        let content = content.trim();
        let passes = content.is_empty() || content == "---" || content.starts_with('#');
        if passes {
            continue;
        }
        break;
    }
    let object = objects.iter().find(|place| place.line == line);
    object.map_or(IgnoreScope::Line(line), |place| {
        IgnoreScope::Object(place.span)
    })
}
