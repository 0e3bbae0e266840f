//! Checks what the program prints against the schemas that ship with it, more strictly than they require: a client must
//! accept new fields, but here each field must be in the schema.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex};

use jiff::Timestamp;
use serde_json::{Deserializer, Map, Value};

use super::files::text;
use super::json::Json;

/// Checks each of this program's documents in a text, if it is JSON.
pub(crate) fn check(text: &str) {
    if !text.starts_with('{') {
        return;
    }
    for document in Deserializer::from_str(text).into_iter::<Value>() {
        let document = document.unwrap_or_else(|error| panic!("{error} in {text}"));
        if document["apiVersion"] == "cronjob-doctor/v1" {
            let mismatches = mismatches(&document);
            assert!(mismatches.is_empty(), "{mismatches:#?}\nin {document:#}");
        }
    }
}

/// The places in which a document does not match the schema of its kind.
pub(crate) fn mismatches(document: &Value) -> Vec<String> {
    // Each is read once: most tests of the program check some documents.
    static READ: LazyLock<Mutex<HashMap<String, &'static Value>>> = LazyLock::new(Mutex::default);
    let kind = document["kind"].text();
    let known = READ.lock().unwrap().get(kind).copied();
    let schema = known.unwrap_or_else(|| {
        let schema = serde_json::from_str(&text(&format!("schemas/{kind}.json"))).unwrap();
        let schema: &Value = Box::leak(Box::new(schema));
        READ.lock().unwrap().insert(kind.to_owned(), schema);
        schema
    });
    mismatches_of(schema, document)
}

/// The places in which a document does not match a schema. Patterns are not checked.
pub(crate) fn mismatches_of(root: &Value, document: &Value) -> Vec<String> {
    judged(root, root, document, "$")
}

fn judged(root: &Value, schema: &Value, value: &Value, path: &str) -> Vec<String> {
    let mismatches = Vec::new();
    let mut judge = Judge { root, mismatches };
    judge.check(schema, value, path);
    judge.mismatches
}

/// Documents have many parts that may be missing, so that each is compared with `null`, too.
fn brief(value: &Value) -> String {
    match value {
        Value::Object(_) | Value::Array(_) => "it".to_owned(),
        value => value.to_string(),
    }
}

struct Judge<'a> {
    root: &'a Value,
    mismatches: Vec<String>,
}

impl<'a> Judge<'a> {
    fn wrong(&mut self, path: &str, what: &str) {
        self.mismatches.push(format!("{path}: {what}"));
    }

    fn check(&mut self, schema: &'a Value, value: &Value, path: &str) {
        let rules = match schema {
            Value::Bool(true) => return,
            Value::Bool(false) => return self.wrong(path, "is not in the schema"),
            schema => schema.as_object().unwrap(),
        };
        for (rule, expected) in rules {
            match rule.as_str() {
                "$ref" => {
                    let pointer = expected.as_str().unwrap().strip_prefix('#').unwrap();
                    let target = self.root.pointer(pointer).unwrap();
                    self.check(target, value, path);
                }
                "const" if expected != value => {
                    self.wrong(path, &format!("{value} is not {expected}"));
                }
                "enum" if !expected.items().contains(value) => {
                    self.wrong(path, &format!("{value} is none of {expected}"));
                }
                "type" => self.check_type(expected, value, path),
                "format" => self.check_format(expected, value, path),
                "minimum" | "maximum" => {
                    let limit = expected.as_f64().unwrap();
                    let number = value.as_f64().unwrap_or(limit);
                    if rule == "minimum" && number < limit {
                        self.wrong(path, &format!("{value} is less than {expected}"));
                    }
                    if rule == "maximum" && number > limit {
                        self.wrong(path, &format!("{value} is more than {expected}"));
                    }
                }
                "minItems" => {
                    let items = value.as_array().map(|items| items.len() as u64);
                    if items.is_some_and(|count| count < expected.as_u64().unwrap()) {
                        self.wrong(path, "too few items");
                    }
                }
                "uniqueItems" if *expected == true => {
                    let items = value.as_array().map_or(&[][..], Vec::as_slice);
                    if (0..items.len()).any(|at| items[..at].contains(&items[at])) {
                        self.wrong(path, "the same item twice");
                    }
                }
                "items" => {
                    for (number, item) in value.as_array().into_iter().flatten().enumerate() {
                        self.check(expected, item, &format!("{path}[{number}]"));
                    }
                }
                // Checked elsewhere, or satisfied, or without a constraint.
                "properties"
                | "required"
                | "additionalProperties"
                | "const"
                | "enum"
                | "$schema"
                | "title"
                | "description"
                | "default"
                | "pattern"
                | "uniqueItems"
                | "$id"
                | "definitions"
                | "$defs" => {}
                "anyOf" => self.check_any(expected.items(), value, path),
                "oneOf" => {
                    let choices = expected.items().iter();
                    let fits = |choice: &&Value| judged(self.root, choice, value, path).is_empty();
                    if choices.filter(fits).count() != 1 {
                        self.wrong(path, &format!("{value} fits none or several"));
                    }
                }
                unknown => panic!("{unknown} is not supported here yet"),
            }
        }
        if let Value::Object(fields) = value {
            self.check_fields(rules, fields, path);
        }
    }

    fn check_type(&mut self, expected: &Value, value: &Value, path: &str) {
        let is = |name: &str| match name {
            "integer" => value.is_i64() || value.is_u64(),
            "number" => value.is_number(),
            "string" => value.is_string(),
            "boolean" => value.is_boolean(),
            "array" => value.is_array(),
            "object" => value.is_object(),
            "null" => value.is_null(),
            other => panic!("{other} is no type"),
        };
        let fits = match expected {
            Value::Array(names) => names.iter().any(|name| is(name.as_str().unwrap())),
            name => is(name.as_str().unwrap()),
        };
        if !fits {
            self.wrong(path, &format!("{} is no {expected}", brief(value)));
        }
    }

    fn check_format(&mut self, expected: &Value, value: &Value, path: &str) {
        let Value::String(text) = value else { return };
        let fits = match expected.as_str().unwrap() {
            // Documents have times in UTC.
            "date-time" => text.ends_with('Z') && text.parse::<Timestamp>().is_ok(),
            "date" => text.parse::<jiff::civil::Date>().is_ok(),
            "uri" | "uri-reference" => true,
            other => panic!("the format {other} is not supported here yet"),
        };
        if !fits {
            self.wrong(path, &format!("{value} is no {expected}"));
        }
    }

    fn check_any(&mut self, choices: &'a [Value], value: &Value, path: &str) {
        let mut closest: Option<Vec<String>> = None;
        for choice in choices {
            let found = judged(self.root, choice, value, path);
            if found.is_empty() {
                return;
            }
            if closest
                .as_ref()
                .is_none_or(|closest| found.len() < closest.len())
            {
                closest = Some(found);
            }
        }
        self.mismatches.extend(closest.unwrap());
    }

    fn check_fields(
        &mut self,
        rules: &'a Map<String, Value>,
        fields: &Map<String, Value>,
        path: &str,
    ) {
        let required = rules.get("required").and_then(Value::as_array);
        for name in required.into_iter().flatten() {
            if !fields.contains_key(name.as_str().unwrap()) {
                self.wrong(path, &format!("{name} is missing"));
            }
        }
        let expected = rules.get("properties").and_then(Value::as_object);
        let rest = rules.get("additionalProperties");
        for (name, value) in fields {
            let path = format!("{path}.{name}");
            match expected.and_then(|expected| expected.get(name)).or(rest) {
                Some(schema) => self.check(schema, value, &path),
                None if expected.is_some() => self.wrong(&path, "is not in the schema"),
                None => {}
            }
        }
    }
}
