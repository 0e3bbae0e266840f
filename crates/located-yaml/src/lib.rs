//! Reads YAML or JSON into a tree in which every node knows its line and column.
//!
//! It reads text as kubectl does: with `sigs.k8s.io/yaml`, which is YAML 1.1 in the dialect of go-yaml v2 (`yes` is a
//! boolean, `017` is fifteen) and then JSON. If it read a scalar differently than kubectl, a prediction would be wrong.
//!
//! Three types to know: [`ParsedText`] is what [`parse`] returns, the documents that it could read and the errors of the
//! others, because an invalid document does not hide the others. A [`Node`] is a value with its [`Place`]. A [`Problem`] is
//! what kubectl accepts but is probably a mistake, such as a duplicate key.
//!
//! ```
//! let parsed = located_yaml::parse("metadata:\n  name: nightly\n---\na: [\n");
//! let name = parsed.documents[0].root.get("metadata").and_then(|node| node.get("name"));
//! let name = name.ok_or("no name")?;
//! assert_eq!((name.as_str(), name.place.line, name.place.column), (Some("nightly"), 2, 9));
//! assert_eq!(parsed.errors[0].place.line, 4);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Nothing depends on Kubernetes, except that [`Kustomization`] knows which files of a kustomization are patches:
//! manifests and clusters both ask for it, and it is little more than two lists of a YAML file.

mod builder;
mod convert;
mod encoding;
mod error;
mod hints;
mod json;
mod kustomization;
mod node;
mod scalar;
mod yaml;

pub use encoding::{InvalidByte, wide_encoding};
pub use error::DocumentError;
pub use error::{ErrorKind, Problem};
pub use kustomization::{KUSTOMIZATIONS, Kustomization};
pub use node::{Entry, Mapping, Place, Span, narrow};
pub use node::{Node, NodeStyle, Value};

/// The deepest nesting. Objects of the Kubernetes API stay far below, and recursion over a tree
/// does not overflow the stack.
pub(crate) const MAX_DEPTH: usize = 255;

/// The most errors that are reported for a text.
const MAX_ERRORS: usize = 100;

/// The documents of a text, and the errors of those that cannot be read.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ParsedText {
    /// The documents that could be read, in the order of the text. Empty ones (two `---` in a
    /// row) are left out, as kubectl does.
    pub documents: Vec<ParsedDocument>,
    /// One error for each document that could not be read, in the order of the text.
    pub errors: Vec<DocumentError>,
}

/// A document of a text.
#[derive(Debug, Clone, PartialEq)]
pub struct ParsedDocument {
    /// Which document of the text this is, counted from 0; empty and broken documents count.
    pub index: usize,
    pub root: Node,
    /// The comments in and before the document; the last document also has those that follow it.
    pub comments: Vec<Comment>,
    /// What kubectl accepts, but was probably a mistake.
    pub problems: Vec<Problem>,
}

/// A comment of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comment {
    /// The position of the comment, including its `#`.
    pub place: Place,
    /// The text after the `#`, up to the end of the line.
    pub text: Box<str>,
    /// Whether something other than whitespace is before it on its line.
    pub trailing: bool,
}

/// A part of a text that is parsed on its own, with positions in the whole text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    /// Its bytes, which begin at the beginning of a line.
    pub span: Span,
    /// Its first line, counted from 1.
    pub line: u32,
}

impl Part {
    /// All of a text; an error if it is too large.
    pub fn whole(text: &str) -> Option<Self> {
        let end = u32::try_from(text.len()).ok()?;
        let span = Span { start: 0, end };
        Some(Part { span, line: 1 })
    }

    /// The text up to the end of the part, and the part without its byte order mark.
    fn of(self, text: &str) -> (&str, &str) {
        let text = text.get(..self.span.range().end).unwrap_or(text);
        let all = text.get(self.span.range().start..).unwrap_or_default();
        (text, all.strip_prefix('\u{feff}').unwrap_or(all))
    }
}

/// Reads all documents of a text.
///
/// Text that begins with `{` or `[` is read as one or several JSON documents, and as YAML if it
/// is not JSON (a YAML flow mapping begins in the same way). A byte order mark is skipped.
pub fn parse(text: &str) -> ParsedText {
    match Part::whole(text) {
        Some(whole) => parse_part(text, whole),
        None => ParsedText {
            documents: Vec::new(),
            errors: vec![DocumentError {
                document: 0,
                place: Place::START,
                kind: ErrorKind::TooLarge,
            }],
        },
    }
}

/// Parses a part of a text; positions refer to the whole text.
pub fn parse_part(text: &str, part: Part) -> ParsedText {
    let (_, body) = part.of(text);
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
    fn part_of_a_text_keeps_its_lines() {
        use crate::{Part, Span};

        let text = "a: 1\n---\nb: 2\n";
        let span = Span { start: 5, end: 14 };
        let parsed = crate::parse_part(text, Part { span, line: 2 });
        let b = parsed.documents[0].root.get("b").unwrap();
        assert_eq!((b.place.line, b.raw(text)), (3, Some("2")));
    }
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
