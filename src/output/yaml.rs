//! Documents as YAML.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::Value;

use super::escapes;

/// Writes a document as YAML, with the fields in the order of the JSON.
pub(crate) fn write(out: &mut dyn Write, document: &impl Serialize) -> io::Result<()> {
    let value = serde_json::to_value(document)?;
    let mut text = String::new();
    block(&mut text, &value, 0);
    out.write_all(text.as_bytes())
}

/// A value as the content of the document, or after a line that introduced it.
fn block(text: &mut String, value: &Value, indent: usize) {
    match value {
        Value::Object(fields) if !fields.is_empty() => {
            for (name, value) in fields {
                text.push_str(&" ".repeat(indent));
                text.push_str(&scalar_text(name));
                text.push(':');
                behind(text, value, indent, false);
            }
        }
        Value::Array(items) if !items.is_empty() => {
            for item in items {
                text.push_str(&" ".repeat(indent));
                text.push('-');
                behind(text, item, indent, true);
            }
        }
        other => {
            text.push_str(&inline(other));
            text.push('\n');
        }
    }
}

/// A value behind a key, or behind the dash of an item.
fn behind(text: &mut String, value: &Value, indent: usize, is_item: bool) {
    match value {
        Value::Object(fields) if !fields.is_empty() && is_item => {
            let mut inner = String::new();
            block(&mut inner, value, indent + 2);
            text.push(' ');
            text.push_str(inner.trim_start());
        }
        Value::Object(fields) if !fields.is_empty() => {
            text.push('\n');
            block(text, value, indent + 2);
        }
        // A list's dashes stand below its key, as kubectl writes them.
        Value::Array(items) if !items.is_empty() => {
            text.push('\n');
            block(text, value, if is_item { indent + 2 } else { indent });
        }
        other => {
            text.push(' ');
            text.push_str(&inline(other));
            text.push('\n');
        }
    }
}

fn inline(value: &Value) -> String {
    match value {
        Value::String(string) => scalar_text(string),
        Value::Object(_) => "{}".to_owned(),
        Value::Array(_) => "[]".to_owned(),
        other => other.to_string(),
    }
}

fn scalar_text(string: &str) -> String {
    if is_plain(string) {
        return string.to_owned();
    }
    // JSON's quoting is valid in YAML, but for the characters that YAML does not let through.
    escapes::yaml(&Value::from(string).to_string()).into_owned()
}

/// Whether YAML reads a string as it is when it is written without quotes.
///
/// Only what is plain beyond doubt: words that some reader takes for a boolean, a number, null or a
/// time are quoted, and so is everything with a character that could mean something.
fn is_plain(text: &str) -> bool {
    const RESERVED: [&str; 10] = [
        "y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan",
    ];
    let starts_well = text.starts_with(|c: char| c.is_ascii_alphabetic());
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./".contains(c);
    starts_well
        && text.chars().all(plain)
        && !RESERVED.contains(&text.to_ascii_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    fn yaml(value: &serde_json::Value) -> String {
        let mut out = Vec::new();
        super::write(&mut out, value).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn nested_lists_and_objects_are_indented_as_by_kubectl() {
        let value = json!({
            "kind": "NextRuns",
            "items": [{"name": "a", "runs": [], "zone": null}, {"name": "b", "runs": [{"at": 1}]}],
            "matrix": [[1, 2], []],
            "empty": {},
        });
        let expected = "\
kind: NextRuns
items:
- name: a
  runs: []
  zone: null
- name: b
  runs:
  - at: 1
matrix:
-
  - 1
  - 2
- []
empty: {}
";
        assert_eq!(yaml(&value), expected);
    }

    #[test]
    fn ambiguous_strings_are_quoted() {
        for text in [
            "* * * * *",
            "no",
            "1.36",
            "2026-01-01T00:00:00Z",
            "",
            "a: b",
            "- a",
            "é",
            "~",
        ] {
            assert_eq!(yaml(&json!(text)), format!("\"{text}\"\n"));
        }
        assert_eq!(yaml(&json!("Europe/Berlin")), "Europe/Berlin\n");
        assert_eq!(yaml(&json!("a\"\n")), "\"a\\\"\\n\"\n");
        assert_eq!(yaml(&json!("\u{85}\u{2028}")), "\"\\u0085\\u2028\"\n");
    }
}
