//! The tree.

use std::ops::Range;
use std::sync::Arc;

/// A range of bytes in the text that was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Span {
    pub start: u32,
    pub end: u32,
}

/// A number of bytes, lines or characters; texts of 4 GiB and more are not read.
pub fn narrow(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

impl Span {
    pub fn new(start: usize, end: usize) -> Self {
        Span {
            start: narrow(start),
            end: narrow(end),
        }
    }

    /// As a range, to slice the text.
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// The part of `text` that the span covers; empty if it is another text.
    pub fn slice(self, text: &str) -> Option<&str> {
        text.get(self.range())
    }
}

/// The position of a part of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    pub span: Span,
    /// The line of its first character, counted from 1.
    pub line: u32,
    /// The column of its first character, counted in characters from 1.
    pub column: u32,
}

impl Place {
    pub const START: Self = Self {
        span: Span { start: 0, end: 0 },
        line: 1,
        column: 1,
    };
}

/// How a node is written. A linter needs it to rewrite a node, and to find out
/// whether `on` was meant as a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NodeStyle {
    /// A scalar without quotes, or a JSON number, `true`, `false` or `null`.
    Plain,
    SingleQuoted,
    DoubleQuoted,
    Literal,
    Folded,
    Block,
    /// A collection written in brackets or braces.
    Flow,
}

/// A value and its place.
///
/// Copies are cheap, because content is shared. A node of an alias has the position of the anchor it
/// refers to.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    pub place: Place,
    pub style: NodeStyle,
    pub value: Value,
}

/// The value of a node, in terms of JSON.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// `null`, `~`, or empty.
    Null,
    /// A boolean; in YAML also `yes`, `no`, `on`, `off`, `y`, `n`.
    Bool(bool),
    /// A whole number that fits 64 bits.
    Int(i64),
    /// Any other number, including whole numbers beyond 64 bits, as in the Kubernetes API.
    Float(f64),
    String(Arc<str>),
    Sequence(Arc<[Node]>),
    Mapping(Arc<Mapping>),
}

/// Keys with values, in the order in which they were written.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Mapping {
    pub(super) entries: Vec<Entry>,
}

/// A key of a mapping with its value.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    pub key: MappingKey,
    /// The value; of a key that was written twice, the last.
    pub value: Node,
    /// Whether a merge key (`<<`) brought it in.
    pub merged: bool,
}

/// A key of a mapping.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MappingKey {
    /// The key as JSON has it: the YAML key `yes` is `"true"`.
    pub text: Arc<str>,
    pub place: Place,
    pub style: NodeStyle,
}

impl Mapping {
    /// The entries in the order in which they were written.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    pub fn entry(&self, key: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| &*entry.key.text == key)
    }

    pub fn get(&self, key: &str) -> Option<&Node> {
        self.entry(key).map(|entry| &entry.value)
    }
}

impl FromIterator<Entry> for Mapping {
    fn from_iter<I: IntoIterator<Item = Entry>>(entries: I) -> Self {
        let entries = entries.into_iter().collect();
        Mapping { entries }
    }
}

impl Node {
    /// The value of a key, if the node is a mapping that has it.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.as_mapping()?.get(key)
    }

    pub fn as_str(&self) -> Option<&str> {
        match &self.value {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    pub fn as_mapping(&self) -> Option<&Mapping> {
        match &self.value {
            Value::Mapping(mapping) => Some(mapping),
            _ => None,
        }
    }

    pub fn as_sequence(&self) -> Option<&[Node]> {
        match &self.value {
            Value::Sequence(items) => Some(items),
            _ => None,
        }
    }

    pub fn is_null(&self) -> bool {
        matches!(self.value, Value::Null)
    }

    /// The original text of the node, including quotes.
    pub fn raw<'t>(&self, text: &'t str) -> Option<&'t str> {
        self.place.span.slice(text)
    }
}

impl Value {
    /// The kind of value, for error messages.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "a boolean",
            Self::Int(_) => "a whole number",
            Self::Float(_) => "a number",
            Self::String(_) => "text",
            Self::Sequence(_) => "a list",
            Self::Mapping(_) => "an object",
        }
    }
}
