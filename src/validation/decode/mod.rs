//! From the manifest to the object: what the API server's strict decoding finds wrong.
//!
//! The types of the values are held against the [`schema`](super::schema), in the order in which
//! the server meets them: what kubectl sends is sorted by keys, JSON that is posted stands as it
//! was written.

mod messages;

use super::answer::{Cause, Reason, Suggestion};
use super::at::At;
use super::quantity::Quantity;
use super::schema::{Container, CronJob, CronJobSpec, JobSpec, ObjectMeta, PodSpec, Shape, Type};
use super::time;
use crate::document::{Entry, Node, Place, Problem, Style, Value};
use crate::schedule::go_quote;
use messages::Mismatch;

/// What was found, in the server's order.
#[derive(Default)]
pub(super) struct Findings {
    /// Values of a wrong type, and values that cannot be read. The server stops at the first.
    pub(super) wrong: Vec<Cause>,
    /// What only strict decoding refuses: fields that are unknown or written twice.
    pub(super) strict: Vec<Cause>,
}

/// A manifest with more causes than this is not listed to the end.
const MAX_FINDINGS: usize = 1_000;

/// Holds a manifest against the schema.
pub(super) fn decode(top: &At<'_>, problems: &[Problem], minor: u32) -> Findings {
    let is_json = top.there().is_some_and(|node| node.style == Style::Flow);
    let mut decoder = Decoder::new(minor, false);
    decoder.object(top, &CronJob);
    if !is_json && decoder.count() > 1 {
        decoder = Decoder::new(minor, true);
        decoder.object(top, &CronJob);
    }
    let mut findings = decoder.finish();
    let twice = duplicates(top, problems, is_json);
    if is_json {
        findings.strict.extend(twice);
        findings.strict.sort_by_key(|cause| cause.place.span.start);
    } else {
        findings.strict.splice(0..0, twice);
    }
    findings
}

struct Decoder {
    minor: u32,
    sorted: bool,
    /// A value that reads itself ends the decoding where it fails; another one does not.
    fatal: Vec<Cause>,
    wrong: Vec<Cause>,
    unknown: Vec<Cause>,
}

impl Decoder {
    fn new(minor: u32, sorted: bool) -> Self {
        Decoder {
            minor,
            sorted,
            fatal: Vec::new(),
            wrong: Vec::new(),
            unknown: Vec::new(),
        }
    }

    fn count(&self) -> usize {
        self.fatal.len() + self.wrong.len() + self.unknown.len()
    }

    fn finish(mut self) -> Findings {
        self.fatal.append(&mut self.wrong);
        Findings {
            wrong: self.fatal,
            strict: self.unknown,
        }
    }

    fn value(&mut self, at: &At<'_>, shape: &Shape) {
        let Some(node) = at.there() else { return };
        match (shape, &node.value) {
            (Shape::Anything, _)
            | (Shape::Text(_), Value::String(_))
            | (Shape::Bool, Value::Bool(_)) => {}
            (Shape::Int64, Value::Int(_) | Value::Float(_))
                if node.value.as_whole_number().is_some() => {}
            (Shape::Int32, Value::Int(_) | Value::Float(_)) if is_int32(&node.value) => {}
            (Shape::Int32 | Shape::Int64, Value::Int(_) | Value::Float(_)) => {
                self.mismatch(at, shape, true);
            }
            (Shape::Quantity, value) => self.quantity(at, value),
            (Shape::IntOrString, value) => {
                if !matches!(value, Value::String(_)) && !is_int32(value) {
                    let shows_number = matches!(value, Value::Int(_) | Value::Float(_));
                    self.fatal_mismatch(at, shape, shows_number);
                }
            }
            (Shape::Time, Value::String(text)) => {
                if let Err(error) = time::parse(text) {
                    self.fatal.push(undecodable(at, error));
                }
            }
            (Shape::Time, _) => self.fatal_mismatch(at, shape, false),
            (Shape::List(item), Value::Sequence(_)) => {
                for at in at.items() {
                    self.value(&at, item);
                    if self.is_full() {
                        return;
                    }
                }
            }
            (Shape::Map(item, _), Value::Mapping(mapping)) => {
                for entry in self.in_order(mapping.entries()) {
                    self.value(&at.enter(entry, true), item);
                    if self.is_full() {
                        return;
                    }
                }
            }
            (Shape::Object(object), Value::Mapping(_)) => self.object(at, object),
            _ => self.mismatch(at, shape, false),
        }
    }

    fn object(&mut self, at: &At<'_>, object: &Type) {
        let Some(mapping) = at.mapping() else { return };
        for entry in self.in_order(mapping.entries()) {
            let at = at.enter(entry, false);
            match object.field(&entry.key.text, self.minor) {
                Some(field) => self.value(&at, &field.shape),
                None => self.unknown.push(unknown(&at, entry, object)),
            }
            if self.is_full() {
                return;
            }
        }
    }

    fn in_order<'e>(&self, entries: &'e [Entry]) -> Vec<&'e Entry> {
        let mut entries: Vec<&Entry> = entries.iter().collect();
        if self.sorted {
            entries.sort_by(|one, other| one.key.text.cmp(&other.key.text));
        }
        entries
    }

    fn is_full(&self) -> bool {
        self.count() >= MAX_FINDINGS
    }

    fn quantity(&mut self, at: &At<'_>, value: &Value) {
        let read = match value {
            Value::String(text) => Quantity::parse(text.trim()),
            other => Quantity::parse(&messages::literal(other)),
        };
        if let Err(error) = read {
            self.fatal.push(undecodable(at, error.to_string()));
        }
    }

    fn mismatch(&mut self, at: &At<'_>, shape: &Shape, shows_number: bool) {
        self.wrong.push(mismatch(at, shape, shows_number));
    }

    fn fatal_mismatch(&mut self, at: &At<'_>, shape: &Shape, shows_number: bool) {
        self.fatal.push(mismatch(at, shape, shows_number));
    }
}

fn is_int32(value: &Value) -> bool {
    let whole = value.as_whole_number();
    whole.is_some_and(|whole| i32::try_from(whole).is_ok())
}

fn mismatch(at: &At<'_>, shape: &Shape, shows_number: bool) -> Cause {
    let mismatch = Mismatch {
        at,
        shape,
        shows_number,
    };
    undecodable(at, mismatch.to_string())
}

fn undecodable(at: &At<'_>, message: String) -> Cause {
    Cause {
        field: at.path(),
        reason: Reason::Undecodable,
        message,
        place: at.place(),
        suggestion: None,
    }
}

fn unknown(at: &At<'_>, entry: &Entry, object: &Type) -> Cause {
    let field = at.path();
    Cause {
        message: format!("unknown field {}", go_quote(&field)),
        field,
        reason: Reason::UnknownField,
        place: entry.key.place,
        suggestion: suggest(&entry.key.text, object),
    }
}

/// The types whose fields are most often written in a wrong place, and where they belong.
static BELONGINGS: [(&Type, &str); 5] = [
    (&PodSpec, "spec.jobTemplate.spec.template.spec"),
    (&JobSpec, "spec.jobTemplate.spec"),
    (&CronJobSpec, "spec"),
    (
        &Container,
        "spec.jobTemplate.spec.template.spec.containers[]",
    ),
    (&ObjectMeta, "metadata"),
];

fn suggest(name: &str, object: &Type) -> Option<Suggestion> {
    let mut fields = object.fields.iter();
    if let Some(field) = fields.find(|field| field.name.eq_ignore_ascii_case(name)) {
        return Some(if field.name == name {
            Suggestion::NewerRelease(field.since)
        } else {
            Suggestion::Word(field.name.to_owned())
        });
    }
    if let Some(home) = home(name) {
        return Some(Suggestion::Elsewhere(format!("{home}.{name}")));
    }
    let names = object.fields.iter().map(|field| field.name);
    super::meant(name, names).map(|meant| Suggestion::Word(meant.to_owned()))
}

/// Where a field of this name belongs.
fn home(name: &str) -> Option<&'static str> {
    let has = |object: &Type| object.fields.iter().any(|field| field.name == name);
    let mut homes = BELONGINGS.iter();
    homes.find(|(object, _)| has(object)).map(|(_, path)| *path)
}

/// The keys that are written twice within the manifest.
fn duplicates(top: &At<'_>, problems: &[Problem], is_json: bool) -> Vec<Cause> {
    let Some(node) = top.there() else {
        return Vec::new();
    };
    let mut causes = Vec::new();
    for problem in problems.iter().take(MAX_FINDINGS) {
        let Problem::DuplicateKey { key, second, .. } = problem else {
            continue;
        };
        if !covers(node, *second) {
            continue;
        }
        let field = path_of(top, *second).unwrap_or_else(|| key.clone());
        let message = if is_json {
            format!("duplicate field {}", go_quote(&field))
        } else {
            let key = go_quote(key);
            format!("line {}: key {key} already set in map", second.line)
        };
        causes.push(Cause {
            field,
            reason: Reason::DuplicateField,
            message,
            place: *second,
            suggestion: None,
        });
    }
    causes
}

/// The path of the key at a place.
fn path_of(at: &At<'_>, place: Place) -> Option<String> {
    let found = |at: &At<'_>| {
        at.there()
            .is_some_and(|node| covers(node, place))
            .then(|| path_of(at, place))
            .flatten()
    };
    match at.mapping() {
        Some(mapping) => mapping.entries().iter().find_map(|entry| {
            let at = at.enter(entry, false);
            if entry.key.place == place {
                Some(at.path())
            } else {
                found(&at)
            }
        }),
        None => at.items().find_map(|at| found(&at)),
    }
}

fn covers(node: &Node, place: Place) -> bool {
    let span = node.place.span;
    (span.start..span.end).contains(&place.span.start)
}
