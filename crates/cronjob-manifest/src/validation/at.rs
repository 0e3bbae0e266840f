//! A position in the manifest, with its node and its path.

use std::fmt;

use located_yaml::{Entry, Mapping, Node, Place, Value};

/// A field, an item or an entry of the manifest, whether or not it exists.
///
/// A null field counts as unset, as everywhere in the API. The path is a chain on the stack, because
/// only causes need it as text. When rules are checked, every value has the type of the schema.
#[derive(Clone, Copy)]
pub(super) struct At<'a> {
    up: Option<&'a At<'a>>,
    step: ManifestStep<'a>,
    entry: Option<&'a Entry>,
    node: Option<&'a Node>,
    /// The position whose path the server names instead of this one's.
    named: Option<&'a At<'a>>,
}

/// How to get from one position to the next.
#[derive(Clone, Copy)]
pub(super) enum ManifestStep<'a> {
    Top,
    Field(&'a str),
    Index(usize),
    Key(&'a str),
}

impl<'a> At<'a> {
    pub(super) fn top(node: &'a Node) -> Self {
        At {
            up: None,
            step: ManifestStep::Top,
            entry: None,
            node: Some(node),
            named: None,
        }
    }

    pub(super) fn field<'s>(&'s self, name: &'s str) -> At<'s> {
        self.below(ManifestStep::Field(name), self.entry_of(name))
    }

    /// The value of a key of a map.
    pub(super) fn key<'s>(&'s self, name: &'s str) -> At<'s> {
        self.below(ManifestStep::Key(name), self.entry_of(name))
    }

    /// The value of an entry of an object or a map.
    pub(super) fn enter<'s>(&'s self, entry: &'s Entry, is_map: bool) -> At<'s> {
        let name = &*entry.key.text;
        let step = if is_map {
            ManifestStep::Key(name)
        } else {
            ManifestStep::Field(name)
        };
        self.below(step, Some(entry))
    }

    /// The item of a list, only to name it.
    pub(super) fn index(&self, index: usize) -> At<'_> {
        self.below(ManifestStep::Index(index), None)
    }

    /// This position with the path of another one, which the server names in its place.
    pub(super) fn named<'s>(&self, other: &'s At<'s>) -> At<'s>
    where
        'a: 's,
    {
        At {
            named: Some(other),
            ..*self
        }
    }

    fn below<'s>(&'s self, step: ManifestStep<'s>, entry: Option<&'s Entry>) -> At<'s> {
        At {
            up: Some(self),
            step,
            entry,
            node: entry.map(|entry| &entry.value),
            named: None,
        }
    }

    /// The entry of an object or a map.
    pub(super) fn entry_of(&self, name: &str) -> Option<&'a Entry> {
        self.mapping().and_then(|mapping| mapping.entry(name))
    }

    /// The items of a list, including null items.
    pub(super) fn items<'s>(&'s self) -> impl DoubleEndedIterator<Item = At<'s>> + use<'s, 'a> {
        let items = self.there().and_then(Node::as_sequence).unwrap_or_default();
        let items = items.iter().enumerate();
        items.map(move |(index, node)| At {
            node: Some(node),
            ..self.index(index)
        })
    }

    /// The entries of a map, in the order of their keys.
    pub(super) fn entries<'s>(&'s self) -> impl Iterator<Item = At<'s>> + use<'s, 'a> {
        let entries = self.mapping().map(Mapping::entries).unwrap_or_default();
        let mut entries: Vec<&Entry> = entries.iter().collect();
        entries.sort_unstable_by(|one, other| one.key.text.cmp(&other.key.text));
        entries
            .into_iter()
            .map(move |entry| self.enter(entry, true))
    }

    /// The number of items or entries.
    pub(super) fn len(&self) -> usize {
        match self.there().map(|node| &node.value) {
            Some(Value::Sequence(items)) => items.len(),
            Some(Value::Mapping(mapping)) => mapping.entries().len(),
            _ => 0,
        }
    }

    /// Whether there are no items or entries.
    pub(super) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(super) fn exists(&self) -> bool {
        self.there().is_some()
    }

    /// The node, unless it is null.
    pub(super) fn there(&self) -> Option<&'a Node> {
        self.node.filter(|node| !node.is_null())
    }

    pub(super) fn mapping(&self) -> Option<&'a Mapping> {
        self.there().and_then(Node::as_mapping)
    }

    /// The text at this position, or an empty text.
    pub(super) fn text(&self) -> &'a str {
        self.some_text().unwrap_or_default()
    }

    /// The text at this position, if there is one.
    pub(super) fn some_text(&self) -> Option<&'a str> {
        self.there().and_then(Node::as_str)
    }

    /// The text of a field, which outlives the position; empty if there is none.
    pub(super) fn text_of(&self, name: &str) -> &'a str {
        let entry = self.entry_of(name);
        let text = entry.and_then(|entry| entry.value.as_str());
        text.unwrap_or_default()
    }

    pub(super) fn int(&self) -> Option<i64> {
        self.there().and_then(|node| node.value.as_whole_number())
    }

    pub(super) fn bool(&self) -> Option<bool> {
        match self.there()?.value {
            Value::Bool(value) => Some(value),
            _ => None,
        }
    }

    pub(super) fn is_true(&self) -> bool {
        self.bool() == Some(true)
    }

    /// The value as JSON; `null` if it is missing.
    pub(super) fn json(&self) -> String {
        let json = self.there().and_then(|node| node.to_json().ok());
        json.unwrap_or_default().to_string()
    }

    /// The name of the field, or the key of the map.
    pub(super) fn name(&self) -> &'a str {
        match self.step {
            ManifestStep::Field(name) | ManifestStep::Key(name) => name,
            ManifestStep::Top | ManifestStep::Index(_) => "",
        }
    }

    pub(super) fn step(&self) -> ManifestStep<'a> {
        self.step
    }

    pub(super) fn up(&self) -> Option<&'a At<'a>> {
        self.up
    }

    /// The place of the value, or of its parent if it is missing.
    pub(super) fn place(&self) -> Place {
        match self.there() {
            Some(node) => node.place,
            None => self.key_place(),
        }
    }

    /// The place of the key or of the list item, or of its parent if it is missing.
    pub(super) fn key_place(&self) -> Place {
        let mut at = self;
        loop {
            if let Some(entry) = at.entry {
                return entry.key.place;
            }
            if let Some(node) = at.node {
                return node.place;
            }
            let Some(up) = at.up else {
                return Place::START;
            };
            at = up;
        }
    }

    pub(super) fn path(&self) -> String {
        self.to_string()
    }
}

/// The path as the API writes it.
impl fmt::Display for At<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(named) = self.named {
            return named.fmt(f);
        }
        if let Some(up) = self.up {
            up.fmt(f)?;
        }
        match self.step {
            ManifestStep::Top => Ok(()),
            ManifestStep::Index(index) => write!(f, "[{index}]"),
            ManifestStep::Key(key) => write!(f, "[{key}]"),
            ManifestStep::Field(name) => {
                if self
                    .up
                    .is_some_and(|up| !matches!(up.step, ManifestStep::Top))
                {
                    f.write_str(".")?;
                }
                f.write_str(name)
            }
        }
    }
}
