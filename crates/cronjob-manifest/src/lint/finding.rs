//! Findings and their positions.

use std::borrow::Cow;
use std::sync::Arc;

use serde::Serialize;

use super::fix::Fix;
use crate::rules::{LintRule, LintSource, Rule, Severity};
use cronjob_text::printable::floor_char_boundary;
use located_yaml::{Place, Span, narrow};

/// What a rule found: the parts of a finding that differ between manifests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    pub place: Place,
    /// The field, as the API writes it; empty if the violation is about the text.
    pub field: String,
    /// What is wrong, in one line without a full stop.
    pub message: String,
    pub notes: Vec<String>,
    /// What to do, if that is more specific than the rule's remedy.
    pub help: Option<String>,
    /// The change that fixes it, if there is exactly one.
    pub fix: Option<Fix>,
}

impl Violation {
    /// A violation at a place. Most rules use `LintSubject::found`.
    pub fn new(field: impl Into<String>, place: Place, message: impl Into<String>) -> Self {
        Violation {
            place,
            field: field.into(),
            message: message.into(),
            notes: Vec::new(),
            help: None,
            fix: None,
        }
    }

    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// Sets what to do in this case.
    #[must_use]
    pub fn help(self, help: impl Into<String>) -> Self {
        Violation {
            help: Some(help.into()),
            ..self
        }
    }

    /// Sets the change that fixes it, if there is one.
    #[must_use]
    pub fn fix(self, fix: impl Into<Option<Fix>>) -> Self {
        Violation {
            fix: fix.into(),
            ..self
        }
    }
}

/// Lines and columns, counted from 1; the end is behind the last character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    /// The line and the column of the first character.
    pub start: (u32, u32),
    /// The line and the column behind the last one.
    pub end: (u32, u32),
}

impl Region {
    /// The region of some bytes. Counting starts at a known place, which is usually near.
    pub fn of(text: &str, known: Place, span: Span) -> Self {
        let start = position(text, known, span.start);
        let from = Place {
            span: Span {
                start: span.start,
                end: span.start,
            },
            line: start.0,
            column: start.1,
        };
        Region {
            start,
            end: position(text, from, span.end),
        }
    }
}

/// The line and the column of an offset, counted from the beginning of a known place.
fn position(text: &str, known: Place, offset: u32) -> (u32, u32) {
    let characters = |text: &str| narrow(text.chars().count());
    let (from, to) = (known.span.range().start, offset as usize);
    if from <= to {
        let passed = text.get(from..to).unwrap_or_default();
        return match passed.rsplit_once('\n') {
            None => (known.line, known.column.saturating_add(characters(passed))),
            Some((before, last)) => {
                let lines = narrow(before.matches('\n').count()).saturating_add(1);
                let column = characters(last).saturating_add(1);
                (known.line.saturating_add(lines), column)
            }
        };
    }
    let passed = text.get(to..from).unwrap_or_default();
    let lines = narrow(passed.matches('\n').count());
    if lines == 0 {
        let column = known.column.saturating_sub(characters(passed)).max(1);
        return (known.line, column);
    }
    let before = text.get(..to).unwrap_or_default();
    let on_line = before.rsplit('\n').next().unwrap_or_default();
    let column = characters(on_line.trim_start_matches('\u{feff}')).saturating_add(1);
    (known.line.saturating_sub(lines), column)
}

/// The object that a finding is about, as far as the manifest identifies it.
#[derive(Clone, Debug, Default, Hash, PartialEq, Eq, Serialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "NamedObject")
)]
#[serde(rename_all = "camelCase")]
pub struct ObjectIdentity {
    /// Its `apiVersion`.
    pub api_version: Option<String>,
    /// Its `kind`.
    pub kind: Option<String>,
    /// Its namespace.
    pub namespace: Option<String>,
    /// Its name.
    pub name: Option<String>,
}

impl ObjectIdentity {
    /// `shop/nightly`, or `nightly` without a namespace.
    pub fn qualified(&self) -> String {
        let name = self.name.as_deref().unwrap_or("(no name)");
        match &self.namespace {
            Some(namespace) => format!("{namespace}/{name}"),
            None => name.to_owned(),
        }
    }
}

/// A finding, with everything that reports show.
#[derive(Clone)]
pub struct LintFinding {
    pub rule: &'static Rule,
    /// The rule's part for manifests.
    pub lint: &'static LintRule,
    /// The severity, by the configuration of the file.
    pub severity: Severity,
    /// The name of the file, or `stdin`.
    pub file: Arc<str>,
    pub found: Violation,
    pub region: Region,
    /// Where the bytes begin and end that its fix replaces, one by one.
    pub edits: Vec<Region>,
    /// The line of the text on which it begins.
    pub line: Excerpt,
    /// The object, if it is about one.
    pub object: Option<Arc<ObjectIdentity>>,
    /// The Kubernetes versions it applies to, if not all that were checked.
    pub releases: Option<String>,
    /// Whether the text is the output of a program, in which the object says more than the line.
    pub rendered: bool,
    /// The number of other findings that it stands for.
    pub others: usize,
}

impl LintFinding {
    /// The message in one line that contains the field. Messages of the API server do not contain it,
    /// so it is put in front.
    pub fn headline(&self) -> Cow<'_, str> {
        let Violation { field, message, .. } = &self.found;
        let bare = matches!(
            self.lint.source,
            LintSource::ApiServer | LintSource::Cluster
        ) && !field.is_empty()
            && !NAMES_FIELD.iter().any(|start| message.starts_with(start));
        if bare {
            Cow::Owned(format!("{field}: {message}"))
        } else {
            Cow::Borrowed(message)
        }
    }
}

/// Beginnings of messages that already name what they are about.
const NAMES_FIELD: [&str; 3] = ["json: ", "unknown field ", "no matches for "];

/// The line on which a place begins. Of a very long line, which is common in JSON, only the part around
/// the place is kept.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Excerpt {
    /// What is kept, without the end of the line.
    pub text: Box<str>,
    /// How many bytes of it are before the place.
    pub before: usize,
    /// Whether the line continues before it.
    pub cut_before: bool,
    /// Whether the line continues after it.
    pub cut_after: bool,
}

/// The number of bytes that are kept before a place, and after its beginning.
const REACH: usize = 120;

impl Excerpt {
    /// The text around the beginning of a place.
    pub fn of(text: &str, place: Place) -> Self {
        let at = floor_char_boundary(text, place.span.range().start);
        let low = floor_char_boundary(text, at.saturating_sub(REACH));
        let high = floor_char_boundary(text, at.saturating_add(REACH));
        let before = text.get(low..at).unwrap_or_default();
        let after = text.get(at..high).unwrap_or_default();
        let (before, cut_before) = match before.rsplit_once('\n') {
            Some((_, before)) => (before, false),
            None => (before, low > 0),
        };
        let (after, cut_after) = match after.split_once('\n') {
            Some((after, _)) => (after, false),
            None => (after, high < text.len()),
        };
        let before = before.trim_start_matches('\u{feff}');
        Excerpt {
            text: format!("{before}{}", after.trim_end_matches('\r')).into(),
            before: before.len(),
            cut_before,
            cut_after,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regions_are_counted_in_characters_from_a_known_place() {
        let text = "é: a\nbé: cd\n  e: f\n";
        let at = |part: &str| {
            let start = u32::try_from(text.find(part).unwrap()).unwrap();
            let end = start + u32::try_from(part.len()).unwrap();
            Span { start, end }
        };
        let known = Place {
            span: at("cd"),
            line: 2,
            column: 5,
        };
        for (part, start, end) in [
            ("cd", (2, 5), (2, 7)),
            ("d\n  e", (2, 6), (3, 4)),
            ("bé", (2, 1), (2, 3)),
            ("é: a\n", (1, 1), (2, 1)),
            ("f", (3, 6), (3, 7)),
        ] {
            let region = Region::of(text, known, at(part));
            assert_eq!(region, Region { start, end }, "{part:?}");
        }
    }

    fn around(text: &str, at: u32) -> Excerpt {
        let place = Place {
            span: Span { start: at, end: at },
            ..Place::START
        };
        Excerpt::of(text, place)
    }

    #[test]
    fn excerpt_of_a_line_leaves_out_its_line_end() {
        let found = around("one\r\ntwo three\r\nfour", 9);
        assert_eq!((&*found.text, found.before), ("two three", 4));
        assert!(!found.cut_before && !found.cut_after);
        assert_eq!(&*around("\u{feff}a: 1", 3).text, "a: 1");
        assert_eq!(&*around("", 7).text, "");
    }

    #[test]
    fn excerpt_of_a_long_line_is_cut_around_the_place() {
        let found = around(&"é".repeat(1000), 1001);
        assert!(found.cut_before && found.cut_after);
        // Two bytes each: 120 before the character that holds byte 1001, and 120 behind.
        assert_eq!((found.before, found.text.len()), (120, 240));
    }
}
