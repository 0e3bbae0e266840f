//! Label and field selectors.

use serde_json::Value;

use super::http::Request;

/// What a list or a watch is limited to.
pub(crate) struct Selectors {
    labels: Vec<LabelTerm>,
    /// A field, a value, and whether they must be equal.
    fields: Vec<(String, String, bool)>,
}

/// What a label must be, or must not be.
struct LabelTerm {
    key: String,
    /// One of these; any where there are none.
    values: Option<Vec<String>>,
    is_negated: bool,
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
        let fits = |term: &LabelTerm| {
            let label = labels.get(&term.key).and_then(Value::as_str);
            let values = term.values.as_ref();
            label.is_some_and(|label| {
                values.is_none_or(|values| values.iter().any(|one| one == label))
            })
        };
        self.labels.iter().all(|term| fits(term) != term.is_negated)
            && self
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
    let (key, values, is_negated) = if let Some((key, values)) = term.split_once(" notin ") {
        (key, Some(list(values)), true)
    } else if let Some((key, values)) = term.split_once(" in ") {
        (key, Some(list(values)), false)
    } else if let Some((key, value)) = term.split_once("!=") {
        (key, Some(vec![value.to_owned()]), true)
    } else if let Some((key, value)) = term.split_once('=') {
        (
            key,
            Some(vec![value.trim_start_matches('=').to_owned()]),
            false,
        )
    } else {
        (term.trim_start_matches('!'), None, term.starts_with('!'))
    };
    LabelTerm {
        key: key.to_owned(),
        values,
        is_negated,
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
