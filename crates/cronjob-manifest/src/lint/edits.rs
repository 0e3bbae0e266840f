//! Edits of a manifest in the style of the manifest.

use super::fix::{Fix, TextEdit};
use super::path::PathTarget;
use super::subject::LintSubject;
use located_yaml::{Entry, Node, NodeStyle, Span, Value};

impl LintSubject<'_> {
    /// Replaces the text or number of a field. A value from an alias or a merge key is not changed,
    /// because other fields share it.
    pub(super) fn replace(&self, path: &str, value: &str) -> Option<Fix> {
        let way = self.own(path)?;
        let node = way.node?;
        let replacement = match node.style {
            NodeStyle::Plain => scalar(value, &node.value, way.in_flow),
            NodeStyle::SingleQuoted => single_quoted(value),
            NodeStyle::DoubleQuoted => double_quoted(value)?,
            // A block scalar would have to keep its indentation.
            _ => return None,
        };
        let field = last(path);
        let edit = TextEdit {
            span: node.place.span,
            replacement,
        };
        Some(Fix::new(format!("Set {field}: {value}"), edit))
    }

    /// Adds a field to an existing object. The value is a text or a number.
    pub(super) fn add(&self, parent: &str, key: &str, value: &str) -> Option<Fix> {
        let way = self.own(parent)?;
        let node = way.node?;
        let entries = node.as_mapping()?.entries();
        if entries.iter().any(|entry| &*entry.key.text == key) {
            return None;
        }
        let edit = match node.style {
            NodeStyle::Block => {
                let value = scalar(value, &Value::Null, false);
                self.add_text(entries, &format!("{key}: {value}"))?
            }
            NodeStyle::Flow => self.add_in_braces(node, entries, key, value)?,
            _ => return None,
        };
        Some(Fix::new(format!("Add {key}: {value}"), edit))
    }

    /// Adds a field to an object, and the objects around it that do not exist yet: one line each, in
    /// block style.
    pub(super) fn add_at(&self, parents: &[&str], key: &str, value: &str) -> Option<Fix> {
        let exists = |count: &usize| {
            let path = parents.get(..*count).unwrap_or_default().join(".");
            self.own(&path).is_some()
        };
        let known = (1..=parents.len()).rev().find(exists)?;
        let (known, missing) = parents.split_at_checked(known)?;
        let parent = known.join(".");
        let Some((first, deeper)) = missing.split_first() else {
            return self.add(&parent, key, value);
        };
        let node = self.own(&parent)?.node?;
        let entries = node.as_mapping()?.entries();
        let is_free = !entries.iter().any(|entry| &*entry.key.text == *first);
        let indent = entries.first().and_then(|entry| self.indent(entry))?;
        if node.style != NodeStyle::Block || !is_free {
            return None;
        }
        let mut lines = String::new();
        for (depth, name) in deeper.iter().chain([&key]).enumerate() {
            let deeper = "  ".repeat(depth + 1);
            lines.push_str(&format!("{}{indent}{deeper}{name}:", self.newline()));
        }
        let value = scalar(value, &Value::Null, false);
        let edit = self.add_text(entries, &format!("{first}:{lines} {value}"))?;
        Some(Fix::new(format!("Add {key}: {value}"), edit))
    }

    /// The path to a field that no alias or merge key shares.
    fn own(&self, path: &str) -> Option<PathTarget<'_>> {
        let way = self.follow(path);
        (way.is_own && way.node.is_some()).then_some(way)
    }

    /// Adds a field, which may have several lines, below the last field of a mapping.
    fn add_text(&self, entries: &[Entry], field: &str) -> Option<TextEdit> {
        let first = entries.iter().find(|entry| !entry.merged)?;
        let last = entries.iter().rfind(|entry| !entry.merged)?;
        let indent = self.indent(first)?;
        let end = last.value.place.span.end.max(last.key.place.span.end);
        let end = self.after_line(end as usize)?;
        let is_new = self.text.get(..end)?.ends_with('\n');
        let newline = self.newline();
        let replacement = if is_new {
            format!("{indent}{field}{newline}")
        } else {
            format!("{newline}{indent}{field}")
        };
        Some(TextEdit {
            span: Span::new(end, end),
            replacement,
        })
    }

    fn add_in_braces(
        &self,
        node: &Node,
        entries: &[Entry],
        key: &str,
        value: &str,
    ) -> Option<TextEdit> {
        let is_json = entries
            .first()
            .is_some_and(|entry| entry.key.style == NodeStyle::DoubleQuoted);
        let end = node.place.span.range().end.checked_sub(1)?;
        let inside = self.text.get(node.place.span.range().start..end)?;
        let kept = inside.trim_end().len();
        // A comma may end the list of a YAML mapping, and a comment the line.
        if inside.trim_end().ends_with(',') || inside.contains('#') || entries.is_empty() {
            return None;
        }
        let position = node.place.span.range().start.checked_add(kept)?;
        let before = if inside.contains('\n') {
            let first = entries.first()?;
            format!(",{}{}", self.newline(), self.indent(first)?)
        } else {
            ", ".to_owned()
        };
        let (key, value) = if is_json {
            let value = match value.parse::<i64>() {
                Ok(_) => value.to_owned(),
                Err(_) => double_quoted(value)?,
            };
            (double_quoted(key)?, value)
        } else {
            (key.to_owned(), scalar(value, &Value::Null, true))
        };
        Some(TextEdit {
            span: Span::new(position, position),
            replacement: format!("{before}{key}: {value}"),
        })
    }

    /// The indentation of a key, with spaces for the dashes of lists.
    fn indent(&self, entry: &Entry) -> Option<String> {
        let start = entry.key.place.span.range().start;
        let before = self.text.get(..start)?;
        let line = before.rsplit('\n').next()?;
        let fits = |c: char| matches!(c, ' ' | '-' | '?');
        line.chars()
            .all(fits)
            .then(|| " ".repeat(line.chars().count()))
    }

    /// The end of the line of an offset, including its line break, if only a comment follows the
    /// offset.
    fn after_line(&self, offset: usize) -> Option<usize> {
        // A block scalar ends before the first character of what follows it.
        let before = self.text.get(..offset)?;
        let line = before.rfind('\n').map_or(0, |newline| newline + 1);
        if line > 0 && before.get(line..)?.trim().is_empty() {
            return Some(line);
        }
        let rest = self.text.get(offset..)?;
        let length = rest.find('\n').map_or(rest.len(), |newline| newline + 1);
        let behind = rest.get(..length)?.trim();
        (behind.is_empty() || behind.starts_with('#')).then_some(offset + length)
    }

    fn newline(&self) -> &'static str {
        if self.text.contains("\r\n") {
            "\r\n"
        } else {
            "\n"
        }
    }
}

fn last(path: &str) -> &str {
    path.rsplit('.').next().unwrap_or(path)
}

/// A value without quotes if YAML reads it the same way: a number for a number, a text as a text.
fn scalar(value: &str, instead_of: &Value, in_flow: bool) -> String {
    let number = value.parse::<i64>().is_ok_and(|n| n.to_string() == value);
    let was_text = matches!(instead_of, Value::String(_));
    if number && !was_text {
        return value.to_owned();
    }
    let parsed = located_yaml::parse(&format!("a: {value}\n"));
    let plain = parsed.errors.is_empty()
        && parsed.documents.first().is_some_and(|document| {
            document
                .root
                .get("a")
                .is_some_and(|node| node.style == NodeStyle::Plain && node.as_str() == Some(value))
        });
    // More characters are special within braces.
    let harmless = !in_flow || !value.contains([',', '[', ']', '{', '}', '#']);
    if plain && harmless {
        value.to_owned()
    } else {
        single_quoted(value)
    }
}

fn single_quoted(value: &str) -> String {
    format!("'{}'", value.replace('\'', "''"))
}

/// Quoting of JSON, which is also valid in YAML.
fn double_quoted(value: &str) -> Option<String> {
    serde_json::to_string(value).ok()
}

#[cfg(test)]
#[path = "edits_tests.rs"]
mod tests;
