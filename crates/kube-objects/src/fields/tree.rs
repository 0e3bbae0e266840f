//! Reads fields from a document, with the position of each error.

use std::fmt::Write as _;
use std::sync::Arc;

use jiff::Timestamp;
use serde_json::Value as Json;

use super::error::{FieldError, FieldRemedy};
use super::source::{FieldSource, FieldValue, ObjectKind};
use super::timestamp::timestamp;
use kube_model::{ResourceQuota, SetFields, Texts};
use located_yaml::{Mapping, Node, Value};

/// A step of the path of a value.
#[derive(Debug, Clone, Copy)]
pub enum Step<'n> {
    Field(&'n str),
    Index(usize),
}

/// A position in the tree of a document. As everywhere in the API, null means that a field is unset.
pub struct TreeSource<'n> {
    node: &'n Node,
    /// Only errors need it as text.
    path: Vec<Step<'n>>,
    namespace: &'n str,
    errors: Vec<FieldError>,
}

impl<'n> TreeSource<'n> {
    /// `namespace` is that of objects without one.
    pub fn new(node: &'n Node, namespace: &'n str) -> Self {
        TreeSource {
            node,
            path: Vec::new(),
            namespace,
            errors: Vec::new(),
        }
    }

    pub fn node(&self) -> &'n Node {
        self.node
    }

    /// The errors so far, in the order of the text.
    pub(crate) fn take_errors(&mut self) -> Vec<FieldError> {
        let mut errors = std::mem::take(&mut self.errors);
        errors.sort_by_key(|error| error.place.span.start);
        errors
    }

    /// Reads an object, unless a field is wrong.
    pub fn read<K: ObjectKind>(&mut self, api_version: &str) -> Option<K> {
        let mut object = K::Fields::default();
        object.read(self);
        let is_read = self.errors.is_empty();
        is_read.then(|| K::of_fields(object, api_version))
    }

    pub fn within<T>(
        &mut self,
        step: Step<'n>,
        node: &'n Node,
        read: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let outer = std::mem::replace(&mut self.node, node);
        self.path.push(step);
        let value = read(self);
        self.path.pop();
        self.node = outer;
        value
    }

    pub fn get(&self, name: &str) -> Option<&'n Node> {
        self.node.get(name).filter(|node| !node.is_null())
    }

    /// A text that is not a template, or else `inherited`, or an error.
    pub(crate) fn type_text(
        &mut self,
        name: &'static str,
        expected: &'static str,
        inherited: Option<&'n str>,
    ) -> Option<&'n str> {
        let Some(node) = self.get(name) else {
            if inherited.is_none() {
                self.missing(name, expected);
            }
            return inherited;
        };
        self.within(Step::Field(name), node, Self::rendered_text)
    }

    /// The items of a list, with the path to each.
    pub fn each(&mut self, mut read: impl FnMut(&mut Self)) {
        match &self.node.value {
            Value::Sequence(items) => {
                for (index, item) in items.iter().enumerate() {
                    self.within(Step::Index(index), item, &mut read);
                }
            }
            _ => self.wrong("a list"),
        }
    }

    pub(crate) fn whole_json(&mut self) -> Option<Json> {
        let object = self.json();
        self.errors.is_empty().then_some(object)
    }

    fn json(&mut self) -> Json {
        self.node.to_json().unwrap_or_else(|error| {
            self.errors.push(FieldError {
                place: error.place,
                path: self.path(),
                expected: "a number that JSON supports",
                found: "infinity or NaN".to_owned(),
                remedy: FieldRemedy::Unknown,
            });
            Json::Null
        })
    }

    fn path(&self) -> String {
        let mut path = String::new();
        for step in &self.path {
            let dot = if path.is_empty() { "" } else { "." };
            // Writing to a string cannot fail.
            let _ = match step {
                Step::Index(index) => write!(path, "[{index}]"),
                Step::Field(name) if name.contains(['.', '/', '[']) => {
                    write!(path, "{dot}[{name}]")
                }
                Step::Field(name) => write!(path, "{dot}{name}"),
            };
        }
        if path.is_empty() {
            path.push_str("the document");
        }
        path
    }

    fn error(&mut self, expected: &'static str, found: String, remedy: FieldRemedy) {
        self.errors.push(FieldError {
            place: self.node.place,
            path: self.path(),
            expected,
            found,
            remedy,
        });
    }

    /// The error of a field of the object.
    fn missing(&mut self, name: &'static str, expected: &'static str) {
        self.path.push(Step::Field(name));
        self.error(expected, "nothing".to_owned(), FieldRemedy::Unknown);
        self.path.pop();
    }

    pub fn wrong(&mut self, expected: &'static str) {
        let remedy = match self.node.value {
            Value::Bool(_) | Value::Int(_) | Value::Float(_) if expected == TEXT => {
                FieldRemedy::Quote
            }
            _ => FieldRemedy::Unknown,
        };
        self.error(expected, found(&self.node.value), remedy);
    }

    fn take<T>(&mut self, value: &mut T, expected: &'static str, read: Option<T>) {
        match read {
            Some(read) => *value = read,
            None => self.wrong(expected),
        }
    }

    fn rendered_text(&mut self) -> Option<&'n str> {
        let text = self.node.as_str();
        match text {
            None => self.wrong(TEXT),
            Some(text) if text.contains("{{") && text.contains("}}") => {
                let found = found(&self.node.value);
                self.error("a rendered text", found, FieldRemedy::Render);
            }
            Some(_) => {}
        }
        text
    }
}

impl FieldSource for TreeSource<'_> {
    fn enter(&mut self, name: &'static str, _: u32, read: impl FnOnce(&mut Self)) -> bool {
        let Some(node) = self.get(name) else {
            return false;
        };
        self.within(Step::Field(name), node, read);
        true
    }

    fn fields(&mut self, mut read: impl FnMut(&mut Self)) {
        match self.node.value {
            Value::Mapping(_) => read(self),
            _ => self.wrong("an object"),
        }
    }

    fn items(&mut self, read: impl FnMut(&mut Self)) {
        self.each(read);
    }

    fn text(&mut self, text: &mut String) {
        self.take(text, TEXT, self.node.as_str().map(str::to_owned));
    }

    fn boolean(&mut self, value: &mut bool) {
        let read = match self.node.value {
            Value::Bool(value) => Some(value),
            _ => None,
        };
        self.take(value, "true or false", read);
    }

    fn int32(&mut self, number: &mut i32) {
        match self.node.value.as_whole_number().map(i32::try_from) {
            Some(read) => self.take(number, "a 32-bit integer", read.ok()),
            None => self.wrong(WHOLE_NUMBER),
        }
    }

    fn int64(&mut self, number: &mut i64) {
        self.take(number, WHOLE_NUMBER, self.node.value.as_whole_number());
    }

    fn time(&mut self, time: &mut Option<Timestamp>) {
        let read = self.node.as_str().and_then(timestamp);
        self.take(time, "a time such as 2026-11-21T08:30:00Z", read.map(Some));
    }

    fn texts(&mut self, texts: &mut Texts) {
        let mut pairs = Vec::new();
        self.fields(|object| {
            let entries = object.node.as_mapping().map(Mapping::entries);
            for entry in entries.unwrap_or_default() {
                let mut text = String::new();
                if !entry.value.is_null() {
                    let step = Step::Field(&entry.key.text);
                    object.within(step, &entry.value, |value| value.text(&mut text));
                }
                pairs.push((&*entry.key.text, text));
            }
        });
        *texts = pairs.into_iter().collect();
    }

    fn set_fields(&mut self, fields: &mut SetFields) {
        *fields = serde_json::from_value(self.json()).unwrap_or_default();
    }

    /// Its content passes through untouched, but it must be an object.
    fn template(&mut self, template: &mut Arc<Json>) {
        let mut json = Json::Null;
        self.fields(|object| json = object.json());
        *template = Arc::new(json);
    }

    fn quantity_text(&mut self, resource: &'static str, quantity: &mut Option<String>) {
        self.fields(|resources| {
            resources.enter(resource, 0, |value| {
                let read = match &value.node.value {
                    Value::String(text) => Some(text.to_string()),
                    number => number.as_whole_number().map(|number| number.to_string()),
                };
                value.take(quantity, "a quantity", read.map(Some));
            });
        });
    }

    fn quantity(&mut self, resource: &'static str, quantity: &mut Option<i64>) {
        self.fields(|resources| {
            resources.enter(resource, 0, |value| {
                let read = match &value.node.value {
                    Value::String(text) => Some(ResourceQuota::count(text)),
                    number => number.as_whole_number().map(Some),
                };
                value.take(quantity, "a quantity", read);
            });
        });
    }

    fn require(&mut self, name: &'static str, expected: &'static str) {
        if self.get(name).is_none() {
            self.missing(name, expected);
        }
    }

    fn object_name(&mut self, name: &mut String) {
        let is_empty = |node: &Node| node.as_str() == Some("");
        if self.get("name").is_none_or(is_empty) {
            self.missing("name", "a name");
        } else {
            self.rendered("name", 1, name);
        }
    }

    fn rendered<T: FieldValue>(&mut self, name: &'static str, _: u32, value: &mut T) {
        self.enter(name, 0, |field| {
            if field.rendered_text().is_some() {
                value.read(field);
            }
        });
    }

    fn namespace(&mut self, namespace: &mut String) {
        self.rendered("namespace", 3, namespace);
        if namespace.is_empty() {
            namespace.push_str(self.namespace);
        }
    }
}

const WHOLE_NUMBER: &str = "a whole number";
const TEXT: &str = "text";

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

#[cfg(test)]
mod tests {
    use super::*;
    use kube_model::Job;
    use located_yaml::parse;

    #[test]
    fn errors_name_the_whole_path_of_each_wrong_field() {
        let parsed = parse(
            "metadata: {name: j, labels: {a.b/c: 5}}\nspec: {suspend: 5}\nstatus:\n  conditions:\n  - {}\n  - {type: []}\n",
        );
        let mut tree = TreeSource::new(&parsed.documents[0].root, "default");
        assert!(tree.read::<Job>("batch/v1").is_none());
        let errors = tree.take_errors();
        let said = errors
            .iter()
            .map(|error| (error.place.line, error.place.column, error.to_string()));
        let expected = [
            (
                1,
                37,
                "metadata.labels.[a.b/c]: expected text, found 5; put the value in quotes",
            ),
            (2, 17, "spec.suspend: expected true or false, found 5"),
            (
                6,
                12,
                "status.conditions[1].type: expected text, found a list",
            ),
        ];
        let expected = expected.map(|(line, column, error)| (line, column, error.to_owned()));
        assert_eq!(said.collect::<Vec<_>>(), expected);
    }
}
