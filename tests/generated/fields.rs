//! The schemas of the machine-readable documents as tables.

use crate::support::json::Json as _;
use std::collections::BTreeMap;

use serde_json::{Map, Value};

/// The page of each type that documents contain: that of its kind, if no other kind uses it.
struct Pages {
    kinds: Vec<(String, Value)>,
    types: BTreeMap<String, (Value, String)>,
}

/// The page of the types that several kinds use.
const SHARED: &str = "types";

impl Pages {
    fn read() -> Self {
        let kinds = super::schemas::schemas();
        let mut types = BTreeMap::<String, (Value, String)>::new();
        for (kind, schema) in &kinds {
            for (name, definition) in schema["$defs"].as_object().into_iter().flatten() {
                let new = (definition.clone(), kind.clone());
                let (before, page) = types.entry(name.clone()).or_insert(new);
                assert!(before == definition, "{name} is two types");
                if page != kind {
                    SHARED.clone_into(page);
                }
            }
        }
        for (kind, _) in &kinds {
            types.remove(kind);
        }
        Pages { kinds, types }
    }

    /// Links to types from a page.
    fn link<'p>(&'p self, from: &'p str) -> impl Fn(&str) -> String + 'p {
        move |name| {
            let page = self.types.get(name).map_or(name, |(_, page)| page);
            let file = if page == from {
                String::new()
            } else {
                format!("{page}.md")
            };
            format!("[{name}]({file}#{})", name.to_lowercase())
        }
    }

    /// The types of a page.
    fn sections(&self, page: &str) -> String {
        let link = self.link(page);
        let mut text = String::new();
        for (name, (definition, _)) in self.types.iter().filter(|(_, (_, of))| of == page) {
            text += &format!("\n## {name}\n\n");
            if !described(definition).is_empty() {
                text += &format!("{}\n\n", described(definition));
            }
            text += &match definition["anyOf"].as_array() {
                Some(choices) => {
                    let choices: Vec<String> =
                        choices.iter().map(|one| type_of(one, &link)).collect();
                    format!("One of {}.\n", choices.join(", "))
                }
                None => table(definition, &link),
            };
        }
        text
    }
}

/// A table of the kinds of documents.
pub(crate) fn index() -> String {
    let mut text = String::from("| kind | |\n| --- | --- |\n");
    for (kind, schema) in super::schemas::schemas() {
        text += &format!("| [{kind}](json/{kind}.md) | {} |\n", described(&schema));
    }
    text
}

/// A page for each kind of document, and one for the types that several of them use: its name, and its text.
pub(crate) fn pages() -> Vec<(String, String)> {
    let pages = Pages::read();
    let back = "[All kinds](../json.md)";
    let mut texts: Vec<(String, String)> = Vec::new();
    for (kind, schema) in &pages.kinds {
        let text = format!(
            "# {kind}\n\n{back}\n\n{} Its schema: `schemas/{kind}.json`.\n\n{}{}",
            described(schema),
            table(schema, &pages.link(kind)),
            pages.sections(kind)
        );
        texts.push((format!("json/{kind}"), text));
    }
    let shared = format!(
        "# Types of several kinds\n\n{back}\n{}",
        pages.sections(SHARED)
    );
    texts.push((format!("json/{SHARED}"), shared));
    texts
}

fn described(schema: &Value) -> &str {
    schema["description"].as_str().unwrap_or_default()
}

fn table(schema: &Value, link: &impl Fn(&str) -> String) -> String {
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
        let (kind, text) = (type_of(field, link), described(field).replace('\n', " "));
        table += &format!("| `{name}` | {kind}{optional} | {text} |\n");
    }
    table
}

fn type_of(schema: &Value, link: &impl Fn(&str) -> String) -> String {
    if let Some(reference) = schema["$ref"].as_str() {
        return link(reference.rsplit('/').next().unwrap());
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
                type_of(one, link)
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
            let names = names.iter().map(|name| simple(name.text(), schema, link));
            names.collect::<Vec<_>>().join(" or ")
        }
        Value::String(name) => simple(name, schema, link),
        _ => "anything".to_owned(),
    }
}

fn simple(name: &str, schema: &Value, link: &impl Fn(&str) -> String) -> String {
    match (name, schema["format"].as_str()) {
        ("string", Some("date-time")) => "time".to_owned(),
        ("string", Some("date")) => "date".to_owned(),
        ("array", _) => format!("list of {}", type_of(&schema["items"], link)),
        ("object", _) if schema["additionalProperties"].is_object() => {
            format!("map to {}", type_of(&schema["additionalProperties"], link))
        }
        ("integer", _) => "whole number".to_owned(),
        (name, _) => name.to_owned(),
    }
}
