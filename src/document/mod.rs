//! YAML or JSON text becomes a tree in which every node knows its place.
//!
//! The room knows text and nothing of Kubernetes, but it reads text the way kubectl does: through
//! `sigs.k8s.io/yaml`, which is YAML 1.1 in the dialect of go-yaml v2 (`yes` is a boolean, `017`
//! is fifteen) and then JSON. A tree that disagreed with kubectl about a scalar would predict the
//! wrong thing about the object in it.
//!
//! One broken document does not hide its neighbours: [`parse`] returns the documents it could read
//! beside the errors of those it could not. What kubectl reads but should not be written, such as a
//! key that stands twice, is a [`Problem`] of its document.

mod builder;
mod convert;
mod encoding;
mod error;
mod hints;
mod json;
mod node;
mod scalar;
mod yaml;

pub(crate) use encoding::wide_encoding;
pub(crate) use error::DocumentError;
pub use error::{ErrorKind, Problem};
pub(crate) use node::{Entry, Mapping, Place, Span};
pub use node::{Node, NodeStyle, Value};

/// How deeply collections may be nested. An object of the Kubernetes API stays far below, and
/// every walk over a tree may recurse without fear for the stack.
pub(crate) const MAX_DEPTH: usize = 255;

/// A file with more broken documents than this is not the file that was meant.
const MAX_ERRORS: usize = 100;

/// The documents of a text, and what was wrong with the rest.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ParsedText {
    /// The documents that could be read, in the order of the text. Empty ones (two `---` in a
    /// row) are left out, as kubectl does.
    pub documents: Vec<ParsedDocument>,
    /// One error for each document that could not be read, in the order of the text.
    pub errors: Vec<DocumentError>,
}

/// One document of a text.
#[derive(Debug, Clone, PartialEq)]
pub struct ParsedDocument {
    /// Which document of the text this is, counted from 0; empty and broken documents count.
    pub index: usize,
    /// The top of the tree.
    pub root: Node,
    /// The comments in and before the document; the last document also has those that follow it.
    pub comments: Vec<Comment>,
    /// What kubectl reads without complaint although it was hardly meant so.
    pub problems: Vec<Problem>,
}

/// A comment of a YAML document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comment {
    /// Where the comment stands, its `#` included.
    pub place: Place,
    /// What follows the `#`, up to the end of the line.
    pub text: Box<str>,
    /// Whether something other than space stands before it on its line.
    pub trailing: bool,
}

/// A part of a text that is read as if it were a text of its own; only its places are those of the
/// whole text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Part {
    /// Its bytes, which begin at the beginning of a line.
    pub span: Span,
    /// Its first line, counted from 1.
    pub line: u32,
}

impl Part {
    /// All of a text, unless it is too long to be counted.
    pub(crate) fn whole(text: &str) -> Option<Self> {
        let end = u32::try_from(text.len()).ok()?;
        let span = Span { start: 0, end };
        Some(Part { span, line: 1 })
    }
}

/// Reads all documents of a text.
///
/// Text that begins with `{` or `[` is read as one or several JSON documents, and as YAML if it
/// is no JSON (a YAML flow mapping begins in the same way). A byte order mark is skipped.
pub fn parse(text: &str) -> ParsedText {
    match Part::whole(text) {
        Some(whole) => parse_part(text, whole),
        None => ParsedText {
            documents: Vec::new(),
            errors: vec![DocumentError::new(0, Place::START, ErrorKind::TooLarge)],
        },
    }
}

/// Reads all documents of a part of a text.
pub(crate) fn parse_part(text: &str, part: Part) -> ParsedText {
    let Some(all) = part.span.slice(text) else {
        return ParsedText::default();
    };
    let body = all.strip_prefix('\u{feff}').unwrap_or(all);
    let first = body.trim_start().chars().next();
    if !matches!(first, Some('{' | '[')) {
        return yaml::parse(text, part);
    }
    let from_json = json::parse(text, part);
    if from_json.errors.is_empty() {
        return from_json;
    }
    let from_yaml = yaml::parse(text, part);
    if from_yaml.errors.is_empty() || !hints::looks_like_json(body) {
        from_yaml
    } else {
        from_json
    }
}

#[cfg(test)]
mod examples {
    #[test]
    fn values_have_places_and_unquoted_stars_an_error() {
        use crate::document::{self, Value};

        let parsed = document::parse("suspend: yes\n---\nschedule: */5 * * * *\n");
        let suspend = parsed.documents[0].root.get("suspend").unwrap();
        assert_eq!(suspend.value, Value::Bool(true));
        assert_eq!((suspend.place.line, suspend.place.column), (1, 10));
        assert_eq!(
            parsed.errors[0].to_string(),
            "line 3, column 11: `*/5 * * * *` must be quoted, because YAML reads a leading `*` as \
     an alias; write schedule: '*/5 * * * *'",
        );
    }

    #[test]
    fn part_of_a_text_keeps_its_lines() {
        use crate::document::{self, Part, Span};

        let text = "a: 1\n---\nb: 2\n";
        let span = Span { start: 5, end: 14 };
        let parsed = document::parse_part(text, Part { span, line: 2 });
        let b = parsed.documents[0].root.get("b").unwrap();
        assert_eq!((b.place.line, b.raw(text)), (3, Some("2")));
    }
}
