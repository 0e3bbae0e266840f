//! What differs between two versions of an object, field by field.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use super::apply::merge_key;
use cronjob_manifest::validation::Quantity;
use kube_model::{is_default, without_additions};

/// A field with another value.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FieldChange {
    /// The field. Items of lists are named by their keys: `containers[main].image`.
    pub field: String,
    /// The value before; null if it was unset.
    pub old: Option<Value>,
    /// The value afterwards; null if it will be unset.
    pub new: Option<Value>,
}

/// The most changes that are listed of one object.
const MOST_CHANGES: usize = 200;

/// The differences of two specs, in the order of their fields. Defaults that only one of them states
/// are none.
pub(super) fn differences(old: &Value, new: &Value) -> Vec<FieldChange> {
    let mut found = Vec::new();
    compare("spec", "spec", Some(old), Some(new), &mut found);
    found
}

/// The differences of the specs of two Jobs, or of a Job and of the template that Jobs are created from. What is added
/// to each Job is none, nor is the order of a list that has no order.
pub(crate) fn job_differences(old: &Value, new: &Value) -> Vec<FieldChange> {
    let mut found = differences(&without_additions(old), &without_additions(new));
    found.retain(|change| !change.is_reordered());
    found
}

impl FieldChange {
    /// Whether it sets back what another one set.
    pub(crate) fn reverts(&self, earlier: &FieldChange) -> bool {
        (&self.field, &self.old, &self.new) == (&earlier.field, &earlier.new, &earlier.old)
    }

    /// Whether a list has the same items in another order, which only matters in a command.
    fn is_reordered(&self) -> bool {
        let sorted = |value: &Option<Value>| {
            let items = value.as_ref()?.as_array()?.iter();
            let mut items: Vec<String> = items.map(Value::to_string).collect();
            items.sort();
            Some(items)
        };
        let last = self.field.rsplit('.').next().unwrap_or_default();
        let is_command = ["command", "args"].contains(&last);
        let old = sorted(&self.old).filter(|_| !is_command);
        old.is_some() && old == sorted(&self.new)
    }
}

fn compare(
    path: &str,
    field: &str,
    old: Option<&Value>,
    new: Option<&Value>,
    found: &mut Vec<FieldChange>,
) {
    let is_unset = |value: Option<&Value>| value.is_none_or(|value| is_default(field, value));
    if found.len() >= MOST_CHANGES || (is_unset(old) && is_unset(new)) || old == new {
        return;
    }
    if is_quantity(path, field)
        && let (Some(old), Some(new)) = (old.and_then(quantity), new.and_then(quantity))
        && old == new
    {
        return;
    }
    match (old, new, merge_key(field)) {
        (Some(Value::Object(old)), Some(Value::Object(new)), _) => {
            compare_fields(path, old, new, found);
        }
        (Some(Value::Array(old)), Some(Value::Array(new)), Some(key)) => {
            compare_items(path, key, old, new, found);
        }
        _ => found.push(change(path, old, new)),
    }
}

fn change(path: &str, old: Option<&Value>, new: Option<&Value>) -> FieldChange {
    let known = |value: Option<&Value>| value.filter(|value| !value.is_null()).cloned();
    FieldChange {
        field: path.to_owned(),
        old: known(old),
        new: known(new),
    }
}

fn compare_fields(
    path: &str,
    old: &Map<String, Value>,
    new: &Map<String, Value>,
    found: &mut Vec<FieldChange>,
) {
    let added = new.keys().filter(|name| !old.contains_key(*name));
    for name in old.keys().chain(added) {
        let path = format!("{path}.{name}");
        // What kind of image pull is the default depends on the tag.
        if name == "imagePullPolicy" {
            let (old, new) = (pull_policy(old), pull_policy(new));
            if old != new {
                found.push(change(&path, old.as_ref(), new.as_ref()));
            }
            continue;
        }
        compare(&path, name, old.get(name), new.get(name), found);
    }
}

fn compare_items(
    path: &str,
    key: &str,
    old: &[Value],
    new: &[Value],
    found: &mut Vec<FieldChange>,
) {
    let name_of = |item: &Value| match item.get(key) {
        Some(Value::String(name)) => name.clone(),
        Some(other) => other.to_string(),
        None => String::new(),
    };
    let find = |items: &'_ [Value], name: &str| -> Option<Value> {
        let mut items = items.iter();
        items.find(|item| name_of(item) == name).cloned()
    };
    let added = new
        .iter()
        .filter(|item| find(old, &name_of(item)).is_none());
    for item in old.iter().chain(added) {
        let name = name_of(item);
        let path = format!("{path}[{name}]");
        let (old, new) = (find(old, &name), find(new, &name));
        compare(&path, "", old.as_ref(), new.as_ref(), found);
    }
}

/// Whether a field has a quantity, which the API server stores in its canonical form.
fn is_quantity(path: &str, field: &str) -> bool {
    let of_resources = [".limits.", ".requests."];
    of_resources.iter().any(|part| path.contains(part)) || matches!(field, "sizeLimit" | "divisor")
}

fn quantity(value: &Value) -> Option<Quantity> {
    match value {
        Value::Number(number) => Quantity::parse(&number.to_string()).ok(),
        Value::String(text) => Quantity::parse(text).ok(),
        _ => None,
    }
}

fn pull_policy(container: &Map<String, Value>) -> Option<Value> {
    if let Some(stated) = container.get("imagePullPolicy") {
        return Some(stated.clone());
    }
    let image = container.get("image")?.as_str()?;
    let name = image.rsplit('/').next().unwrap_or(image);
    let is_latest =
        !name.contains('@') && name.split_once(':').is_none_or(|(_, tag)| tag == "latest");
    Some(Value::from(if is_latest {
        "Always"
    } else {
        "IfNotPresent"
    }))
}
