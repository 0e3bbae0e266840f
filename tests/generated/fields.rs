//! The schemas of the machine-readable documents as tables.

use crate::support::json::Json as _;
use std::collections::BTreeMap;

use serde_json::{Map, Value};

/// A section for each kind of document, followed by one for each type that they use.
pub(crate) fn documentation() -> String {
    let mut kinds = Vec::new();
    let mut types = BTreeMap::new();
    for (kind, schema) in super::schemas::schemas() {
        for (name, definition) in schema["$defs"].as_object().into_iter().flatten() {
            let before = types.insert(name.clone(), definition.clone());
            assert!(
                before.is_none_or(|before| before == *definition),
                "{name} is two types"
            );
        }
        kinds.push((kind, schema));
    }
    for (kind, _) in &kinds {
        types.remove(kind);
    }
    let mut text = String::from("## Kinds\n");
    for (kind, schema) in &kinds {
        let description = described(schema);
        text += &format!("\n### {kind}\n\n{description} Its schema: `schemas/{kind}.json`.\n\n");
        text += &table(schema);
    }
    text += "\n## Types\n";
    for (name, definition) in &types {
        text += &format!("\n### {name}\n\n");
        if !described(definition).is_empty() {
            text += &format!("{}\n\n", described(definition));
        }
        text += &match definition["anyOf"].as_array() {
            Some(choices) => {
                let choices: Vec<String> = choices.iter().map(type_of).collect();
                format!("One of {}.\n", choices.join(", "))
            }
            None => table(definition),
        };
    }
    text
}

fn described(schema: &Value) -> &str {
    schema["description"].as_str().unwrap_or_default()
}

fn table(schema: &Value) -> String {
    let mut table = String::from("| field | type | |\n| --- | --- | --- |\n");
    let empty = Map::new();
    for (name, field) in schema["properties"].as_object().unwrap_or(&empty) {
        let required = schema["required"].items();
        let optional = if required.iter().any(|one| one == name) {
            ""
        } else {
            " (may be left out)"
        };
        // A row of a table is one line.
        let (kind, text) = (type_of(field), described(field).replace('\n', " "));
        table += &format!("| `{name}` | {kind}{optional} | {text} |\n");
    }
    table
}

fn type_of(schema: &Value) -> String {
    if let Some(reference) = schema["$ref"].as_str() {
        let name = reference.rsplit('/').next().unwrap();
        return format!("[{name}](#{})", name.to_lowercase());
    }
    if let Some(value) = schema["const"].as_str() {
        return format!("`{value}`");
    }
    let is_null = |schema: &Value| schema["type"] == "null";
    if let Some(choices) = schema["anyOf"].as_array() {
        let choices = choices.iter().map(|one| {
            if is_null(one) {
                "null".to_owned()
            } else {
                type_of(one)
            }
        });
        return choices.collect::<Vec<_>>().join(" or ");
    }
    if let Some(words) = schema["enum"].as_array() {
        let word = |word: &Value| {
            word.as_str()
                .map_or("null".to_owned(), |word| format!("`{word}`"))
        };
        return words.iter().map(word).collect::<Vec<_>>().join(", ");
    }
    match &schema["type"] {
        Value::Array(names) => {
            let names = names.iter().map(|name| simple(name.text(), schema));
            names.collect::<Vec<_>>().join(" or ")
        }
        Value::String(name) => simple(name, schema),
        _ => "anything".to_owned(),
    }
}

fn simple(name: &str, schema: &Value) -> String {
    match (name, schema["format"].as_str()) {
        ("string", Some("date-time")) => "time".to_owned(),
        ("string", Some("date")) => "date".to_owned(),
        ("array", _) => format!("list of {}", type_of(&schema["items"])),
        ("object", _) if schema["additionalProperties"].is_object() => {
            format!("map to {}", type_of(&schema["additionalProperties"]))
        }
        ("integer", _) => "whole number".to_owned(),
        (name, _) => name.to_owned(),
    }
}
