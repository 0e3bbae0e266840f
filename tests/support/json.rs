//! Parts of documents. A part that is not what it should be fails the test.

use serde::Serialize;
use serde_json::{Value, json};

pub(crate) trait Json {
    /// The entries of an array.
    fn items(&self) -> &[Value];

    fn text(&self) -> &str;

    /// A field of each entry of an array.
    fn each(&self, field: &str) -> Vec<&Value>;

    /// A text of each entry of an array.
    fn texts(&self, field: &str) -> Vec<&str>;

    /// The entry of an array with this name.
    fn named(&self, name: &str) -> &Value;
}

impl Json for Value {
    #[track_caller]
    fn items(&self) -> &[Value] {
        let items = self.as_array();
        items.unwrap_or_else(|| panic!("not an array: {self:#}"))
    }

    #[track_caller]
    fn text(&self) -> &str {
        let text = self.as_str();
        text.unwrap_or_else(|| panic!("not a text: {self:#}"))
    }

    #[track_caller]
    fn each(&self, field: &str) -> Vec<&Value> {
        self.items().iter().map(|item| &item[field]).collect()
    }

    #[track_caller]
    fn texts(&self, field: &str) -> Vec<&str> {
        self.each(field).into_iter().map(Json::text).collect()
    }

    #[track_caller]
    fn named(&self, name: &str) -> &Value {
        let found = self.items().iter().find(|item| item["name"] == name);
        found.unwrap_or_else(|| panic!("no {name} in {self:#}"))
    }
}

/// Sets fields of an object, at any depth.
pub(crate) fn merge(object: &mut Value, fields: &Value) {
    for (name, value) in fields.as_object().unwrap() {
        match &mut object[name] {
            known @ Value::Object(_) if value.is_object() => merge(known, value),
            known => *known = value.clone(),
        }
    }
}

/// The reference of an object to its controller in `batch/v1`.
pub(crate) fn owner_reference(
    kind: &str,
    name: &(impl Serialize + ?Sized),
    uid: &(impl Serialize + ?Sized),
) -> Value {
    json!({"apiVersion": "batch/v1", "kind": kind, "name": name, "uid": uid, "controller": true})
}

/// A manifest of several objects.
pub(crate) fn list(objects: &[Value]) -> String {
    json!({"apiVersion": "v1", "kind": "List", "items": objects}).to_string()
}
