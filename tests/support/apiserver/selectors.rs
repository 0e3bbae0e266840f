//! Label and field selectors.

use serde_json::Value;

use super::http::Request;

/// What a list or a watch is limited to.
pub(crate) struct Selectors {
    labels: Vec<LabelTerm>,
    /// A field, a value, and whether they must be equal.
    fields: Vec<(String, String, bool)>,
}

enum LabelTerm {
    In(String, Vec<String>),
    NotIn(String, Vec<String>),
    Exists(String),
    Missing(String),
}

impl Selectors {
    pub(crate) fn of(request: &Request) -> Selectors {
        let terms = |name| split_terms(request.parameter(name).unwrap_or_default());
        Selectors {
            labels: terms("labelSelector")
                .iter()
                .map(|term| label_term(term))
                .collect(),
            fields: terms("fieldSelector")
                .iter()
                .map(|term| field_term(term))
                .collect(),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.labels.is_empty() && self.fields.is_empty()
    }

    /// Whether an object, in the shape it is stored in, is among the selected.
    pub(crate) fn match_object(&self, object: &Value) -> bool {
        let labels = &object["metadata"]["labels"];
        let label = |key: &str| labels.get(key).and_then(Value::as_str);
        let is_among = |key: &str, values: &[String]| {
            label(key).is_some_and(|found| values.iter().any(|value| value == found))
        };
        self.labels.iter().all(|term| match term {
            LabelTerm::In(key, values) => is_among(key, values),
            LabelTerm::NotIn(key, values) => !is_among(key, values),
            LabelTerm::Exists(key) => label(key).is_some(),
            LabelTerm::Missing(key) => label(key).is_none(),
        }) && self
            .fields
            .iter()
            .all(|(field, value, equal)| (field_value(object, field) == value) == *equal)
    }
}

fn field_value<'a>(object: &'a Value, field: &str) -> &'a str {
    let path = format!("/{}", field.replace('.', "/"));
    object
        .pointer(&path)
        .and_then(Value::as_str)
        .unwrap_or_default()
}

/// Commas divide terms, but not inside parentheses.
fn split_terms(text: &str) -> Vec<String> {
    let mut terms = vec![String::new()];
    let mut depth = 0_u32;
    for letter in text.chars() {
        match letter {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if letter == ',' && depth == 0 {
            terms.push(String::new());
        } else if let Some(last) = terms.last_mut() {
            last.push(letter);
        }
    }
    terms.retain(|term| !term.trim().is_empty());
    terms
}

fn label_term(term: &str) -> LabelTerm {
    let list = |text: &str| -> Vec<String> {
        let values = text.trim_matches(['(', ')']).split(',');
        values.map(|value| value.trim().to_owned()).collect()
    };
    if let Some((name, values)) = term.split_once(" notin ") {
        LabelTerm::NotIn(name.to_owned(), list(values))
    } else if let Some((name, values)) = term.split_once(" in ") {
        LabelTerm::In(name.to_owned(), list(values))
    } else if let Some((name, value)) = term.split_once("!=") {
        LabelTerm::NotIn(name.to_owned(), vec![value.to_owned()])
    } else if let Some((name, value)) = term.split_once('=') {
        LabelTerm::In(
            name.to_owned(),
            vec![value.trim_start_matches('=').to_owned()],
        )
    } else if let Some(name) = term.strip_prefix('!') {
        LabelTerm::Missing(name.to_owned())
    } else {
        LabelTerm::Exists(term.to_owned())
    }
}

fn field_term(term: &str) -> (String, String, bool) {
    let (field, value) = term.split_once('=').unwrap_or((term, ""));
    let equal = !field.ends_with('!');
    (
        field.trim_end_matches('!').to_owned(),
        value.to_owned(),
        equal,
    )
}
