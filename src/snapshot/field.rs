//! Reads the fields of an object from a tree, with the position of errors.

use std::fmt;

use jiff::Timestamp;

use super::error::{FieldError, FieldRemedy};
use crate::document::{Entry, Mapping, Node, Place, Value};
use crate::model::{ResourceQuota, Texts};

pub(super) type Result<T> = std::result::Result<T, FieldError>;

/// The path of a value. It is on the stack, because only errors need it as text.
#[derive(Debug, Clone, Copy)]
pub(super) enum Path<'p> {
    Top,
    Field(&'p Path<'p>, &'p str),
    Index(&'p Path<'p>, usize),
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Path::Top => Ok(()),
            Path::Index(list, index) => write!(f, "{list}[{index}]"),
            Path::Field(parent, name) => {
                let dot = if matches!(parent, Path::Top) { "" } else { "." };
                if name.contains(['.', '/', '[']) {
                    write!(f, "{parent}{dot}[{name}]")
                } else {
                    write!(f, "{parent}{dot}{name}")
                }
            }
        }
    }
}

/// A mapping of the tree, read as an API object. As everywhere in the API, null means that the
/// field is unset.
#[derive(Debug, Clone, Copy)]
pub(super) struct ApiObject<'n> {
    whole: &'n Node,
    mapping: &'n Mapping,
    path: Path<'n>,
}

impl<'n> ApiObject<'n> {
    pub(super) fn new(node: &'n Node, path: Path<'n>) -> Result<Self> {
        let mapping = node
            .as_mapping()
            .ok_or_else(|| wrong(node, &path, "an object"))?;
        Ok(Self {
            whole: node,
            mapping,
            path,
        })
    }

    pub(super) fn place(&self) -> Place {
        self.whole.place
    }

    pub(super) fn node(&self, name: &str) -> Option<&'n Node> {
        self.mapping.get(name).filter(|node| !node.is_null())
    }

    pub(super) fn path_of(&self, name: &str) -> String {
        Path::Field(&self.path, name).to_string()
    }

    pub(super) fn missing(&self, name: &str, expected: &'static str) -> FieldError {
        FieldError {
            place: self.whole.place,
            path: self.path_of(name),
            expected,
            found: "nothing".to_owned(),
            remedy: FieldRemedy::Unknown,
        }
    }

    fn read<T>(
        &self,
        name: &str,
        expected: &'static str,
        read: impl FnOnce(&'n Value) -> Option<T>,
    ) -> Result<Option<T>> {
        let Some(node) = self.node(name) else {
            return Ok(None);
        };
        match read(&node.value) {
            Some(value) => Ok(Some(value)),
            None => Err(wrong(node, &Path::Field(&self.path, name), expected)),
        }
    }

    pub(super) fn str(&self, name: &str) -> Result<Option<&'n str>> {
        self.read(name, TEXT, text)
    }

    /// Text that is not a template.
    pub(super) fn rendered(&self, name: &str) -> Result<Option<&'n str>> {
        let text = self.str(name)?;
        match self.node(name) {
            Some(node) if text.is_some_and(|text| text.contains("{{") && text.contains("}}")) => {
                Err(FieldError {
                    remedy: FieldRemedy::Render,
                    ..wrong(node, &Path::Field(&self.path, name), "a rendered text")
                })
            }
            _ => Ok(text),
        }
    }

    pub(super) fn string(&self, name: &str) -> Result<Option<String>> {
        Ok(self.str(name)?.map(str::to_owned))
    }

    /// Text, empty if unset, as in Go.
    pub(super) fn string_or_empty(&self, name: &str) -> Result<String> {
        Ok(self.string(name)?.unwrap_or_default())
    }

    pub(super) fn boolean(&self, name: &str) -> Result<Option<bool>> {
        self.read(name, "true or false", |value| match value {
            Value::Bool(value) => Some(*value),
            _ => None,
        })
    }

    pub(super) fn int64(&self, name: &str) -> Result<Option<i64>> {
        self.read(name, "a whole number", Value::as_whole_number)
    }

    pub(super) fn int32(&self, name: &str) -> Result<Option<i32>> {
        let Some(number) = self.int64(name)? else {
            return Ok(None);
        };
        match i32::try_from(number) {
            Ok(number) => Ok(Some(number)),
            Err(_) => self.read(name, "a 32-bit integer", |_| None),
        }
    }

    /// A quantity of objects, if it is a whole number.
    pub(super) fn count(&self, name: &str) -> Result<Option<i64>> {
        let count = self.read(name, "a quantity", |value| match value {
            Value::String(text) => Some(ResourceQuota::count(text)),
            value => value.as_whole_number().map(Some),
        })?;
        Ok(count.flatten())
    }

    pub(super) fn time(&self, name: &str) -> Result<Option<Timestamp>> {
        let expected = "a time such as 2026-11-21T08:30:00Z";
        self.read(name, expected, |value| timestamp(text(value)?))
    }

    /// Text with arbitrary keys, such as labels.
    pub(super) fn strings(&self, name: &str) -> Result<Texts> {
        let strings = self.object(name, |object| {
            let string = |entry: &Entry| {
                let (key, node) = (&*entry.key.text, &entry.value);
                let string = match &node.value {
                    Value::Null => "",
                    value => text(value)
                        .ok_or_else(|| wrong(node, &Path::Field(&object.path, key), TEXT))?,
                };
                Ok((Box::<str>::from(key), Box::<str>::from(string)))
            };
            object.mapping.entries().iter().map(string).collect()
        })?;
        Ok(strings.unwrap_or_default())
    }

    /// A part that is kept as JSON; null if unset.
    pub(super) fn json(&self, name: &str) -> Result<serde_json::Value> {
        match self.node(name) {
            Some(node) => json_of(node, self.path_of(name)),
            None => Ok(serde_json::Value::Null),
        }
    }

    pub(super) fn whole_json(&self) -> Result<serde_json::Value> {
        json_of(self.whole, self.path.to_string())
    }

    pub(super) fn object<T>(
        &self,
        name: &str,
        read: impl FnOnce(&ApiObject<'_>) -> Result<T>,
    ) -> Result<Option<T>> {
        let Some(node) = self.node(name) else {
            return Ok(None);
        };
        let path = Path::Field(&self.path, name);
        read(&ApiObject::new(node, path)?).map(Some)
    }

    pub(super) fn list<T>(
        &self,
        name: &str,
        read: impl Fn(&ApiObject<'_>) -> Result<T>,
    ) -> Result<Vec<T>> {
        let path = Path::Field(&self.path, name);
        let mut list = Vec::new();
        for (index, item) in self.nodes(name)?.iter().enumerate() {
            list.push(read(&ApiObject::new(item, Path::Index(&path, index))?)?);
        }
        Ok(list)
    }

    pub(super) fn nodes(&self, name: &str) -> Result<&'n [Node]> {
        let items = self.read(name, "a list", |value| match value {
            Value::Sequence(items) => Some(&**items),
            _ => None,
        })?;
        Ok(items.unwrap_or_default())
    }
}

const TEXT: &str = "text";

fn text(value: &Value) -> Option<&str> {
    match value {
        Value::String(text) => Some(text),
        _ => None,
    }
}

fn wrong(node: &Node, path: &Path<'_>, expected: &'static str) -> FieldError {
    let path = path.to_string();
    FieldError {
        place: node.place,
        path: if path.is_empty() {
            "the document".to_owned()
        } else {
            path
        },
        expected,
        found: found(&node.value),
        remedy: match node.value {
            Value::Bool(_) | Value::Int(_) | Value::Float(_) if expected == TEXT => {
                FieldRemedy::Quote
            }
            _ => FieldRemedy::Unknown,
        },
    }
}

fn found(value: &Value) -> String {
    const LONG: usize = 40;
    match value {
        Value::String(text) if text.chars().count() > LONG => {
            let start: String = text.chars().take(LONG).collect();
            format!("{start:?}…")
        }
        Value::String(text) => format!("{text:?}"),
        Value::Bool(value) => value.to_string(),
        Value::Int(value) => value.to_string(),
        Value::Float(value) => value.to_string(),
        Value::Null | Value::Sequence(_) | Value::Mapping(_) => value.kind().to_owned(),
    }
}

/// RFC 3339 as Go's `time.Parse` reads it. The library would also accept other forms, times
/// without seconds and leap seconds, which the API server rejects.
fn timestamp(text: &str) -> Option<Timestamp> {
    let (date_time, rest) = text.split_at_checked("2026-11-21T08:30:00".len())?;
    let shape = |(byte, model): (u8, u8)| match model {
        b'0' => byte.is_ascii_digit(),
        _ => byte == model,
    };
    let pairs = date_time.bytes().zip(*b"0000-00-00T00:00:00");
    if !pairs.into_iter().all(shape) || date_time.ends_with("60") {
        return None;
    }
    let zone = match rest.strip_prefix('.') {
        Some(fraction) => {
            let zone = fraction.trim_start_matches(|c: char| c.is_ascii_digit());
            if zone.len() == fraction.len() {
                return None;
            }
            zone
        }
        None => rest,
    };
    let numeric = |zone: &str| {
        zone.len() == "+00:00".len()
            && zone.starts_with(['+', '-'])
            && zone.bytes().skip(1).zip(*b"00:00").all(shape)
    };
    if zone != "Z" && !numeric(zone) {
        return None;
    }
    text.parse().ok()
}

fn json_of(node: &Node, path: String) -> Result<serde_json::Value> {
    node.to_json().map_err(|error| FieldError {
        place: error.place,
        path,
        expected: "a number that JSON supports",
        found: "infinity or NaN".to_owned(),
        remedy: FieldRemedy::Unknown,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::parse;

    #[test]
    fn times_are_those_of_rfc_3339() {
        let at = |text: &str| timestamp(text).map(|time| time.to_string());
        for (text, expected) in [
            ("2026-11-21T08:30:00Z", "2026-11-21T08:30:00Z"),
            ("2026-11-21T08:30:00.123456Z", "2026-11-21T08:30:00.123456Z"),
            ("2026-11-21T08:30:00+05:30", "2026-11-21T03:00:00Z"),
            ("2026-11-21T08:30:00.5-00:30", "2026-11-21T09:00:00.5Z"),
        ] {
            assert_eq!(at(text).as_deref(), Some(expected), "{text}");
        }
        let wrong = ",2026-11-21,2026-11-21 08:30:00Z,2026-11-21t08:30:00z,2026-11-21T08:30Z,2026-11-21T08:30:00,\
                     2026-11-21T08:30:60Z,2026-11-21T08:30:00.Z,2026-11-21T08:30:00+0530,\
                     2026-11-21T08:30:00Z[UTC],2026-11-31T08:30:00Z,2026-11-21T08:30:00é";
        for wrong in wrong.split(',') {
            assert_eq!(at(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn errors_name_the_whole_path() {
        let parsed = parse("spec:\n  list:\n  - {}\n  - {deep: [], a.b/c: 5}\n");
        let root = &parsed.documents[0].root;
        let top = ApiObject::new(root, Path::Top).unwrap();
        let read = |name: &str| {
            let in_item = |item: &ApiObject<'_>| item.string(name);
            let in_spec = |spec: &ApiObject<'_>| spec.list("list", in_item);
            top.object("spec", in_spec).unwrap_err()
        };
        let error = read("deep");
        let message = error.to_string();
        assert_eq!(message, "spec.list[1].deep: expected text, found a list");
        assert_eq!((error.place.line, error.place.column), (4, 12));
        let message = read("a.b/c").to_string();
        let expected = "spec.list[1].[a.b/c]: expected text, found 5; put the value in quotes";
        assert_eq!(message, expected);
    }
}
