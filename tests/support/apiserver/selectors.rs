//! Label and field selectors.

use serde_json::Value;

use super::http::Request;
use super::resources::Resource;
use super::status::Status;

/// What a list or a watch is limited to.
#[derive(Default)]
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

const FIELDS_OF_PODS: [&str; 10] = [
    "spec.nodeName",
    "spec.restartPolicy",
    "spec.schedulerName",
    "spec.serviceAccountName",
    "spec.hostNetwork",
    "status.phase",
    "status.podIP",
    "status.podIPs",
    "status.nominatedNodeName",
    "metadata.uid",
];
const FIELDS_OF_EVENTS: [&str; 11] = [
    "involvedObject.kind",
    "involvedObject.namespace",
    "involvedObject.name",
    "involvedObject.uid",
    "involvedObject.apiVersion",
    "involvedObject.resourceVersion",
    "involvedObject.fieldPath",
    "reason",
    "reportingComponent",
    "source",
    "type",
];

impl Selectors {
    pub(crate) fn of(request: &Request, resource: &Resource) -> Result<Selectors, Status> {
        let mut selectors = Selectors::default();
        for term in split_terms(request.parameter("labelSelector").unwrap_or_default()) {
            selectors.labels.push(label_term(&term)?);
        }
        for term in split_terms(request.parameter("fieldSelector").unwrap_or_default()) {
            selectors.fields.push(field_term(&term, resource)?);
        }
        Ok(selectors)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.labels.is_empty() && self.fields.is_empty()
    }

    /// The one name that can match, if the fields say so.
    pub(crate) fn name(&self) -> Option<&str> {
        self.fields
            .iter()
            .find(|(field, _, equal)| *equal && field == "metadata.name")
            .map(|(_, value, _)| value.as_str())
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
            .all(|(field, value, equal)| (field_value(object, field) == *value) == *equal)
    }
}

fn field_value(object: &Value, field: &str) -> String {
    match field {
        "source" => return field_value(object, "source.component"),
        "status.successful" => return field_value(object, "status.succeeded"),
        _ => {}
    }
    let mut value = object;
    for name in field.split('.') {
        value = &value[name];
    }
    match value {
        Value::String(text) => text.clone(),
        Value::Null if field == "status.succeeded" => "0".to_owned(),
        Value::Null if field == "spec.hostNetwork" => "false".to_owned(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
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

fn label_term(term: &str) -> Result<LabelTerm, Status> {
    let term = term.trim();
    let list = |text: &str| -> Vec<String> {
        let inner = text.trim().trim_start_matches('(').trim_end_matches(')');
        inner
            .split(',')
            .map(|value| value.trim().to_owned())
            .collect()
    };
    let key = |text: &str| text.trim().to_owned();
    let parsed = if let Some((name, values)) = term.split_once(" notin ") {
        LabelTerm::NotIn(key(name), list(values))
    } else if let Some((name, values)) = term.split_once(" in ") {
        LabelTerm::In(key(name), list(values))
    } else if let Some((name, value)) = term.split_once("!=") {
        LabelTerm::NotIn(key(name), vec![key(value)])
    } else if let Some((name, value)) = term.split_once("==").or_else(|| term.split_once('=')) {
        LabelTerm::In(key(name), vec![key(value)])
    } else if let Some(name) = term.strip_prefix('!') {
        LabelTerm::Missing(key(name))
    } else {
        LabelTerm::Exists(key(term))
    };
    let (LabelTerm::In(name, _)
    | LabelTerm::NotIn(name, _)
    | LabelTerm::Exists(name)
    | LabelTerm::Missing(name)) = &parsed;
    let is_name = |letter: char| letter.is_ascii_alphanumeric() || "-_./".contains(letter);
    if name.is_empty() || !name.chars().all(is_name) {
        return Err(Status::bad_request(format!(
            "unable to parse requirement: <nil>: Invalid value: {name:?}: name part must be non-empty"
        )));
    }
    Ok(parsed)
}

fn field_term(term: &str, resource: &Resource) -> Result<(String, String, bool), Status> {
    let (label, value, equal) = if let Some((label, value)) = term.split_once("!=") {
        (label, value, false)
    } else if let Some((label, value)) = term.split_once("==").or_else(|| term.split_once('=')) {
        (label, value, true)
    } else {
        return Err(Status::bad_request(format!(
            "invalid selector: '{term}'; can't understand '{term}'"
        )));
    };
    let more: &[&str] = match resource.full_name().as_str() {
        "pods" => &FIELDS_OF_PODS,
        "events" => &FIELDS_OF_EVENTS,
        "jobs.batch" => &["status.successful"],
        "namespaces" => &["status.phase"],
        _ => &[],
    };
    let known = matches!(label, "metadata.name" | "metadata.namespace") || more.contains(&label);
    if known {
        Ok((label.to_owned(), value.to_owned(), equal))
    } else {
        Err(Status::bad_request(unsupported(label, resource)))
    }
}

/// Each resource says it in its own words.
fn unsupported(label: &str, resource: &Resource) -> String {
    match resource.full_name().as_str() {
        "jobs.batch" => format!("field label {label:?} not supported for Job"),
        "cronjobs.batch" => format!(
            "{label:?} is not a known field selector: only \"metadata.name\", \"metadata.namespace\""
        ),
        _ => format!("field label not supported: {label}"),
    }
}
