//! The tree of one YAML document while it grows.

use std::collections::HashMap;
use std::sync::Arc;

use granit_parser::{ScalarStyle, StructureStyle, Tag};

use crate::MAX_DEPTH;
use crate::builder::{Interner, MappingBuilder};
use crate::convert;
use crate::error::{ErrorKind, Failure, Problem};
use crate::node::{Mapping, MappingKey, Node, NodeStyle, Place, Value};
use crate::scalar;

type TreeResult = Result<(), Failure>;

/// What aliases may add to a text of any length, in nodes. It is what go-yaml lets pass.
const ALIAS_ALLOWANCE: u64 = 400_000;

/// Where the tags of YAML itself live, those with two exclamation marks.
const YAML: &str = "tag:yaml.org,2002:";

/// A scalar as the parser hands it over.
pub(super) struct Scalar<'s> {
    pub(super) text: &'s str,
    pub(super) plain: bool,
    pub(super) style: NodeStyle,
    pub(super) tag: Option<&'s Tag>,
}

/// A node with what it would cost to walk over it.
#[derive(Debug, Clone)]
struct Weighed {
    node: Node,
    weight: u64,
    height: usize,
}

#[derive(Debug)]
struct Frame {
    place: Place,
    style: NodeStyle,
    anchor: usize,
    weight: u64,
    height: usize,
    /// Where the last child ends; a block collection ends there, too.
    end: u32,
    content: Content,
}

#[derive(Debug)]
pub(super) enum Content {
    Sequence(Vec<Node>),
    Mapping(MappingBuilder, Option<PendingKey>),
}

#[derive(Debug)]
pub(super) enum PendingKey {
    Key(MappingKey),
    Merge(Place),
}

#[derive(Debug)]
pub(super) struct Tree {
    frames: Vec<Frame>,
    root: Option<Node>,
    /// The finished nodes that an alias may refer to. The parser never uses an id twice.
    anchors: HashMap<usize, Weighed>,
    problems: Vec<Problem>,
    keys: Interner,
    /// How much aliases may still add, over all documents of the text.
    allowance: u64,
}

impl Tree {
    pub(super) fn new(length: usize) -> Self {
        Self {
            frames: Vec::new(),
            root: None,
            anchors: HashMap::new(),
            problems: Vec::new(),
            keys: Interner::default(),
            allowance: ALIAS_ALLOWANCE + length as u64,
        }
    }

    pub(super) fn clear(&mut self) {
        self.frames.clear();
        self.root = None;
        self.anchors.clear();
        self.problems.clear();
    }

    pub(super) fn finish(&mut self) -> (Option<Node>, Vec<Problem>) {
        (self.root.take(), std::mem::take(&mut self.problems))
    }

    pub(super) fn open(
        &mut self,
        place: Place,
        style: NodeStyle,
        anchor: usize,
        content: Content,
    ) -> TreeResult {
        if self.frames.len() >= MAX_DEPTH {
            return Err((place, ErrorKind::TooDeep));
        }
        self.frames.push(Frame {
            place,
            style,
            anchor,
            weight: 1,
            height: 1,
            end: place.span.end,
            content,
        });
        Ok(())
    }

    pub(super) fn close(&mut self, end: Place) -> TreeResult {
        let Some(frame) = self.frames.pop() else {
            return Ok(());
        };
        let mut place = frame.place;
        place.span.end = match frame.style {
            NodeStyle::Flow => end.span.end,
            _ => frame.end,
        };
        let value = match frame.content {
            Content::Sequence(items) => Value::Sequence(items.into()),
            Content::Mapping(mapping, _) => Value::Mapping(Arc::new(mapping.finish())),
        };
        let node = Node {
            place,
            style: frame.style,
            value,
        };
        let weighed = Weighed {
            node,
            weight: frame.weight,
            height: frame.height,
        };
        self.add(weighed, frame.anchor, None, place.span.end)
    }

    pub(super) fn scalar(
        &mut self,
        scalar: &Scalar<'_>,
        place: Place,
        anchor: usize,
    ) -> TreeResult {
        let value = match scalar.tag {
            None if scalar.plain => scalar::resolve(scalar.text),
            None => Value::String(Arc::from(scalar.text)),
            Some(tag) => match tag.suffix_in_namespace(YAML) {
                Some(name) => scalar::resolve_tagged(&name, scalar.text).map_err(|mismatch| {
                    let kind = ErrorKind::WrongTag {
                        tag: tag.original(),
                        expected: mismatch.0,
                        value: scalar.text.escape_debug().to_string(),
                    };
                    (place, kind)
                })?,
                None => Value::String(Arc::from(scalar.text)),
            },
        };
        let weight = 1 + (scalar.text.len() / 64) as u64;
        let node = Node {
            place,
            style: scalar.style,
            value,
        };
        let weighed = Weighed {
            node,
            weight,
            height: 0,
        };
        self.add(weighed, anchor, Some(scalar), place.span.end)
    }

    pub(super) fn alias(&mut self, anchor: usize, place: Place) -> TreeResult {
        // The parser knows the anchor, so a node without it is one that is not finished.
        let Some(target) = self.anchors.get(&anchor) else {
            return Err((place, ErrorKind::RecursiveAlias));
        };
        let Some(left) = self.allowance.checked_sub(target.weight) else {
            return Err((place, ErrorKind::TooManyAliases));
        };
        if self.frames.len() + target.height > MAX_DEPTH {
            return Err((place, ErrorKind::TooDeep));
        }
        self.allowance = left;
        let target = target.clone();
        // A list may be merged only where it is written out.
        if self.merging() && target.node.as_mapping().is_none() {
            let found = target.node.value.kind();
            return Err((place, ErrorKind::WrongMerge { found }));
        }
        self.add(target, 0, None, place.span.end)
    }

    /// Puts a finished node where it belongs. `scalar` is what was written, if that was a scalar.
    fn add(
        &mut self,
        weighed: Weighed,
        anchor: usize,
        scalar: Option<&Scalar<'_>>,
        end: u32,
    ) -> TreeResult {
        if anchor != 0 {
            self.anchors.insert(anchor, weighed.clone());
        }
        let Weighed {
            node,
            weight,
            height,
        } = weighed;
        let Some(frame) = self.frames.last_mut() else {
            self.root = Some(node);
            return Ok(());
        };
        frame.weight = frame.weight.saturating_add(weight);
        frame.height = frame.height.max(height + 1);
        frame.end = frame.end.max(end);
        match &mut frame.content {
            Content::Sequence(items) => items.push(node),
            Content::Mapping(mapping, pending) => match pending.take() {
                Some(PendingKey::Key(key)) => mapping.insert(key, node, &mut self.problems),
                Some(PendingKey::Merge(place)) => {
                    merge(mapping, &node, place, &mut self.problems)?;
                }
                None if scalar.is_some_and(is_merge) => {
                    *pending = Some(PendingKey::Merge(node.place));
                }
                None => {
                    let written = scalar.map_or("", |scalar| scalar.text);
                    let text = key_text(&node.value, written).ok_or_else(|| wrong_key(&node))?;
                    *pending = Some(PendingKey::Key(MappingKey {
                        text: self.keys.intern(&text),
                        place: node.place,
                        style: node.style,
                    }));
                }
            },
        }
        Ok(())
    }
    fn merging(&self) -> bool {
        matches!(
            self.frames.last().map(|frame| &frame.content),
            Some(Content::Mapping(_, Some(PendingKey::Merge(_))))
        )
    }
}

/// A quoted `<<` is a key like any other.
fn is_merge(scalar: &Scalar<'_>) -> bool {
    let tagged = |tag: &Tag| {
        tag.suffix_in_namespace(YAML)
            .is_some_and(|name| name == "merge")
    };
    scalar.text == "<<" && scalar.tag.map_or(scalar.plain, tagged)
}

fn merge(
    mapping: &mut MappingBuilder,
    node: &Node,
    place: Place,
    problems: &mut Vec<Problem>,
) -> TreeResult {
    let wrong = |node: &Node| {
        let found = node.value.kind();
        (node.place, ErrorKind::WrongMerge { found })
    };
    match &node.value {
        Value::Mapping(other) => mapping.merge(other, place, problems),
        Value::Sequence(others) => {
            // Backwards, since the first of them wins.
            for other in others.iter().rev() {
                let other: &Mapping = other.as_mapping().ok_or_else(|| wrong(other))?;
                mapping.merge(other, place, problems);
            }
        }
        _ => return Err(wrong(node)),
    }
    Ok(())
}

/// The key that JSON gets, as `sigs.k8s.io/yaml` makes it.
fn key_text(value: &Value, written: &str) -> Option<Arc<str>> {
    Some(match value {
        Value::String(text) => Arc::clone(text),
        Value::Bool(true) => Arc::from("true"),
        Value::Bool(false) => Arc::from("false"),
        Value::Int(int) => Arc::from(int.to_string()),
        // Beyond 64 bits signed, kubectl gives up; what was written is the best guess.
        Value::Float(float) if *float >= 9.2e18 && scalar::is_unsigned(written) => {
            Arc::from(written)
        }
        Value::Float(float) => Arc::from(convert::float_key(*float)),
        Value::Null | Value::Sequence(_) | Value::Mapping(_) => return None,
    })
}

fn wrong_key(node: &Node) -> Failure {
    let found = node.value.kind();
    (node.place, ErrorKind::WrongKey { found })
}

impl From<ScalarStyle> for NodeStyle {
    fn from(style: ScalarStyle) -> Self {
        match style {
            ScalarStyle::Plain => Self::Plain,
            ScalarStyle::SingleQuoted => Self::SingleQuoted,
            ScalarStyle::DoubleQuoted => Self::DoubleQuoted,
            ScalarStyle::Literal => Self::Literal,
            ScalarStyle::Folded => Self::Folded,
        }
    }
}

impl From<StructureStyle> for NodeStyle {
    fn from(style: StructureStyle) -> Self {
        match style {
            StructureStyle::Block => Self::Block,
            StructureStyle::Flow => Self::Flow,
        }
    }
}
