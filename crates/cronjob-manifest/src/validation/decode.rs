//! The strict decoding of the API server.
//!
//! The types of the values are compared with the [`schema`](super::schema), in the order in which the
//! server finds them: kubectl sorts keys before it sends an object.

use std::ops::RangeInclusive;
use std::sync::Arc;

use super::answer::{CauseReason, DroppedField, ExpectedType, Suggestion, ValidationCause};
use super::at::{At, ManifestStep};
use super::release::ApiServer;
use super::schema::{
    Container, CronJob, CronJobSpec, EnvFromSource, FieldShape, JobSpec, NEVER, ObjectMeta,
    PodSpec, SchemaType,
};
use super::{Quantity, nearest_word};
use cronjob_controller::controller::Release;
use kube_cron::go_quote;
use located_yaml::{Entry, Mapping, Node, NodeStyle, Place, Problem, Value};

/// The errors, in the server's order.
#[derive(Default)]
pub(super) struct Findings {
    /// Values of a wrong type, and values that cannot be parsed. The server stops at the first one.
    pub(super) wrong: Vec<ValidationCause>,
    /// Errors of strict decoding only: unknown and duplicate fields.
    pub(super) strict: Vec<ValidationCause>,
}

/// The maximum number of causes that are listed.
const MAX_FINDINGS: usize = 1_000;

/// Compares a manifest with the schema.
pub(super) fn decode(top: &At<'_>, problems: &[Problem], release: Release) -> Findings {
    let is_json = top
        .there()
        .is_some_and(|node| node.style == NodeStyle::Flow);
    let mut decoder = Decoder::new(release, false);
    decoder.object(top, &CronJob);
    if !is_json && decoder.count() > 1 {
        decoder = Decoder::new(release, true);
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

/// The object without the fields that the server of a release drops, because their feature gate is off by
/// default, and these fields.
pub(super) fn without_disabled(object: &Node, minor: u32) -> (Node, Vec<DroppedField>) {
    let mut dropped = Vec::new();
    let kept = without_disabled_fields(object, &At::top(object), &TOP, minor, &mut dropped);
    (kept, dropped)
}

fn without_disabled_fields(
    node: &Node,
    at: &At<'_>,
    shape: &FieldShape,
    minor: u32,
    dropped: &mut Vec<DroppedField>,
) -> Node {
    let value = match (shape, &node.value) {
        (FieldShape::Object(object), Value::Mapping(mapping)) => {
            let entries = mapping.entries().iter().filter_map(|entry| {
                let field = object.field(&entry.key.text, minor)?;
                let at = at.enter(entry, false);
                if field.on > minor {
                    dropped.extend(at.exists().then(|| DroppedField {
                        field: at.path(),
                        place: entry.key.place,
                        stored_since: Some(field.on).filter(|on| *on != NEVER),
                    }));
                    return None;
                }
                Some(Entry {
                    value: without_disabled_fields(&entry.value, &at, &field.shape, minor, dropped),
                    ..entry.clone()
                })
            });
            Value::Mapping(Arc::new(entries.collect::<Mapping>()))
        }
        (FieldShape::List(item), Value::Sequence(items)) => {
            let items = items.iter().zip(at.items());
            let items =
                items.map(|(node, at)| without_disabled_fields(node, &at, item, minor, dropped));
            Value::Sequence(items.collect())
        }
        (_, value) => value.clone(),
    };
    Node { value, ..*node }
}

#[derive(Default)]
struct Decoder {
    minor: u32,
    /// Whether errors name embedded structs.
    embedded: bool,
    sorted: bool,
    /// A value that reads itself ends the decoding where it fails; another one does not.
    fatal: Vec<ValidationCause>,
    wrong: Vec<ValidationCause>,
    unknown: Vec<ValidationCause>,
}

impl Decoder {
    fn new(release: Release, sorted: bool) -> Self {
        Decoder {
            minor: release.minor(),
            embedded: ApiServer::of(release).names_embedded_structs,
            sorted,
            ..Decoder::default()
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

    fn value(&mut self, at: &At<'_>, shape: &FieldShape) {
        let Some(node) = at.there() else { return };
        match (shape, &node.value) {
            (FieldShape::Anything, _)
            | (FieldShape::Text(_) | FieldShape::IntOrString, Value::String(_))
            | (FieldShape::Bool, Value::Bool(_)) => {}
            (FieldShape::Int64, value) if value.as_whole_number().is_some() => {}
            (FieldShape::Int32 | FieldShape::IntOrString, value) if is_int32(value) => {}
            (FieldShape::Quantity, value) => self.quantity(at, value),
            (FieldShape::Time, Value::String(text)) => {
                if let Err(error) = parse_time(text) {
                    self.fatal.push(undecodable(at, error));
                }
            }
            (FieldShape::IntOrString | FieldShape::Time, value) => {
                self.fatal.push(mismatch(at, value, shape, self.embedded));
            }
            (FieldShape::List(item), Value::Sequence(_)) => {
                for at in at.items() {
                    self.value(&at, item);
                    if self.is_full() {
                        return;
                    }
                }
            }
            (FieldShape::Map(item, _), Value::Mapping(mapping)) => {
                for entry in self.in_order(mapping.entries()) {
                    self.value(&at.enter(entry, true), item);
                    if self.is_full() {
                        return;
                    }
                }
            }
            (FieldShape::Object(object), Value::Mapping(_)) => self.object(at, object),
            (_, value) => self.wrong.push(mismatch(at, value, shape, self.embedded)),
        }
    }

    fn object(&mut self, at: &At<'_>, object: &SchemaType) {
        let Some(mapping) = at.mapping() else { return };
        for entry in self.in_order(mapping.entries()) {
            let at = at.enter(entry, false);
            match object.field(&entry.key.text, self.minor) {
                Some(field) => self.value(&at, &field.shape),
                None => self.unknown.push(unknown(&at, entry, object, self.minor)),
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
            other => Quantity::parse(&literal(other)),
        };
        if let Err(error) = read {
            self.fatal.push(ValidationCause {
                suggestion: Some(Suggestion::Type(ExpectedType::Quantity)),
                ..undecodable(at, error.to_string())
            });
        }
    }
}

fn is_int32(value: &Value) -> bool {
    let whole = value.as_whole_number();
    whole.is_some_and(|whole| i32::try_from(whole).is_ok())
}

/// A value that is not of the type of its field. A number is shown where a whole one is required: it is too large
/// or not whole.
fn mismatch(at: &At<'_>, value: &Value, shape: &FieldShape, embedded: bool) -> ValidationCause {
    let kind = kind(value);
    let wants_number = matches!(
        shape,
        FieldShape::Int32 | FieldShape::Int64 | FieldShape::IntOrString
    );
    let number = if wants_number && kind == "number" {
        format!(" {}", literal(value))
    } else {
        String::new()
    };
    let target = struct_field(at, embedded).unwrap_or_else(|| "value".to_owned());
    let message = format!("json: cannot unmarshal {kind}{number} into Go {target} of type {shape}");
    ValidationCause {
        suggestion: expected(shape, value).map(Suggestion::Type),
        ..undecodable(at, message)
    }
}

/// The type of a field, unless the type of the value is right.
fn expected(shape: &FieldShape, value: &Value) -> Option<ExpectedType> {
    Some(match shape {
        FieldShape::Object(_) | FieldShape::Map(..) => ExpectedType::Mapping,
        FieldShape::List(_) => ExpectedType::List,
        FieldShape::Text(_) => ExpectedType::Text,
        FieldShape::Bool => ExpectedType::Bool,
        // The number is too large.
        FieldShape::Int32 | FieldShape::Int64 if value.as_whole_number().is_some() => return None,
        FieldShape::Int32 | FieldShape::Int64 => ExpectedType::WholeNumber,
        FieldShape::Quantity
        | FieldShape::IntOrString
        | FieldShape::Time
        | FieldShape::Anything => {
            return None;
        }
    })
}

fn undecodable(at: &At<'_>, message: String) -> ValidationCause {
    ValidationCause {
        field: at.path(),
        reason: CauseReason::Undecodable,
        message,
        place: at.place(),
        suggestion: None,
    }
}

fn unknown(at: &At<'_>, entry: &Entry, object: &SchemaType, minor: u32) -> ValidationCause {
    let field = at.path();
    ValidationCause {
        message: format!("unknown field {}", go_quote(&field)),
        field,
        reason: CauseReason::UnknownField,
        place: entry.key.place,
        suggestion: suggest(&entry.key.text, object, minor),
    }
}

/// The types whose fields are often in the wrong position, and their correct position.
static BELONGINGS: [(&SchemaType, &str); 5] = [
    (&PodSpec, "spec.jobTemplate.spec.template.spec"),
    (&JobSpec, "spec.jobTemplate.spec"),
    (&CronJobSpec, "spec"),
    (
        &Container,
        "spec.jobTemplate.spec.template.spec.containers[]",
    ),
    (&ObjectMeta, "metadata"),
];

fn suggest(name: &str, object: &SchemaType, minor: u32) -> Option<Suggestion> {
    let fields = || object.all_fields().filter(|field| field.until >= minor);
    if let Some(field) = fields().find(|field| field.name.eq_ignore_ascii_case(name)) {
        return Some(if field.name == name {
            Suggestion::NewerRelease(field.since)
        } else {
            Suggestion::Word(field.name.to_owned())
        });
    }
    // A single variable in the list of whole sources.
    if object.name == EnvFromSource.name && matches!(name, "name" | "value" | "valueFrom") {
        return home("env").map(|home| Suggestion::Elsewhere(format!("{home}.env")));
    }
    if let Some(home) = home(name) {
        return Some(Suggestion::Elsewhere(format!("{home}.{name}")));
    }
    let names = fields().map(|field| field.name);
    if let Some(longer) = only_with_end(name, names.clone()) {
        return Some(Suggestion::Word(longer.to_owned()));
    }
    let elsewhere = BELONGINGS.iter().find_map(|(object, path)| {
        let names = object.fields.iter().map(|field| field.name);
        Some(format!("{path}.{}", only_with_end(name, names)?))
    });
    let nearest = nearest_word(name, names).map(|word| Suggestion::Word(word.to_owned()));
    nearest.or_else(|| elsewhere.map(Suggestion::Elsewhere))
}

/// The only field whose name ends with a word, as `imagePullPolicy` does with `pullPolicy`.
fn only_with_end<'n>(word: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    const SHORTEST: usize = 6;
    let word = word.to_ascii_lowercase();
    let mut longer = names.filter(|name| name.to_ascii_lowercase().ends_with(&word));
    let only = longer.next().filter(|_| word.len() >= SHORTEST)?;
    longer.next().is_none().then_some(only)
}

/// The correct position of a field.
fn home(name: &str) -> Option<&'static str> {
    let has = |object: &SchemaType| object.fields.iter().any(|field| field.name == name);
    let mut homes = BELONGINGS.iter();
    homes.find(|(object, _)| has(object)).map(|(_, path)| *path)
}

/// The duplicate keys of the manifest.
fn duplicates(top: &At<'_>, problems: &[Problem], is_json: bool) -> Vec<ValidationCause> {
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
        causes.push(ValidationCause {
            field,
            reason: CauseReason::DuplicateField,
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

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Int(_) | Value::Float(_) => "number",
        Value::String(_) => "string",
        Value::Sequence(_) => "array",
        Value::Mapping(_) => "object",
    }
}

static TOP: FieldShape = FieldShape::Object(&CronJob);

/// The innermost Go struct on the path to a value, and the names of the fields on that path: `struct field
/// PodSpec.spec.template.spec.hostNetwork`.
fn struct_field(at: &At<'_>, embedded: bool) -> Option<String> {
    let steps = std::iter::successors(Some(at), |at| at.up()).map(At::step);
    let steps: Vec<ManifestStep<'_>> = steps.collect();
    let (mut struct_name, mut fields) = ("", Vec::new());
    let mut shape: &'static FieldShape = &TOP;
    for step in steps.into_iter().rev() {
        shape = match (step, shape) {
            (ManifestStep::Field(name), FieldShape::Object(object)) => {
                let Some(field) = object.field(name, u32::MAX) else {
                    break;
                };
                struct_name = object.name;
                fields.extend(object.struct_of(field).filter(|_| embedded));
                fields.push(field.name);
                &field.shape
            }
            (ManifestStep::Index(_), FieldShape::List(item))
            | (ManifestStep::Key(_), FieldShape::Map(item, _)) => item,
            _ => shape,
        };
    }
    let fields = fields.join(".");
    (!fields.is_empty()).then(|| format!("struct field {struct_name}.{fields}"))
}

/// A scalar value as JSON, unless it is text.
fn literal(value: &Value) -> String {
    match value {
        Value::Bool(value) => value.to_string(),
        Value::Int(int) => int.to_string(),
        Value::Float(float) => number(*float),
        Value::Null | Value::String(_) => String::new(),
        Value::Sequence(_) => "[".to_owned(),
        Value::Mapping(_) => "{".to_owned(),
    }
}

/// Go changes to the exponent where JavaScript does.
fn number(float: f64) -> String {
    let size = float.abs();
    if size != 0.0 && !(1e-6..1e21).contains(&size) {
        let text = format!("{float:e}");
        return match text.split_once('e') {
            Some((mantissa, exponent)) if !exponent.starts_with('-') => {
                format!("{mantissa}e+{exponent}")
            }
            _ => text,
        };
    }
    // A whole number that does not fit in a signed 64-bit integer was read as an unsigned one.
    if float.fract() == 0.0 {
        return format!("{float:.0}");
    }
    float.to_string()
}

const LAYOUT: &str = "2006-01-02T15:04:05Z07:00";

/// A number in the layout. It has as many digits as its name there.
struct TimePart {
    name: &'static str,
    what: &'static str,
    range: RangeInclusive<u32>,
    /// What follows it.
    separator: &'static str,
}

impl TimePart {
    const fn new(
        name: &'static str,
        what: &'static str,
        range: RangeInclusive<u32>,
        separator: &'static str,
    ) -> Self {
        TimePart {
            name,
            what,
            range,
            separator,
        }
    }
}

const TIME_PARTS: [TimePart; 6] = [
    TimePart::new("2006", "year", 0..=9999, "-"),
    TimePart::new("01", "month", 1..=12, "-"),
    TimePart::new("02", "day", 0..=31, "T"),
    TimePart::new("15", "hour", 0..=23, ":"),
    TimePart::new("04", "minute", 0..=59, ":"),
    TimePart::new("05", "second", 0..=59, ""),
];

/// Whether a text is a time; the error is Go's.
fn parse_time(text: &str) -> Result<(), String> {
    let failed = |rest: &str, wanted: &str| {
        let (text, rest) = (go_quote(text), go_quote(rest));
        let (layout, wanted) = (go_quote(LAYOUT), go_quote(wanted));
        format!("parsing time {text} as {layout}: cannot parse {rest} as {wanted}")
    };
    let out_of_range = |what: &str| format!("parsing time {}: {what} out of range", go_quote(text));
    let mut rest = text;
    for part in TIME_PARTS {
        let digits = part.name.len();
        let number = rest.get(..digits).filter(|number| all_digits(number));
        let number = number.and_then(|number| number.parse::<u32>().ok());
        let number = number.ok_or_else(|| failed(rest, part.name))?;
        if !part.range.contains(&number) {
            return Err(out_of_range(part.what));
        }
        rest = rest.get(digits..).unwrap_or_default();
        rest = rest
            .strip_prefix(part.separator)
            .ok_or_else(|| failed(rest, part.separator))?;
    }
    if let Some(fraction) = rest.strip_prefix(['.', ',']) {
        rest = fraction.trim_start_matches(|digit: char| digit.is_ascii_digit());
    }
    if rest != "Z" && !is_offset(rest) {
        return Err(failed(rest, "Z07:00"));
    }
    let date = text.get(..10).map(str::parse::<jiff::civil::Date>);
    let is_valid = date.is_some_and(|date| date.is_ok());
    is_valid.then_some(()).ok_or_else(|| out_of_range("day"))
}

fn all_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_offset(text: &str) -> bool {
    let Some((hours, minutes)) = text
        .strip_prefix(['+', '-'])
        .and_then(|text| text.split_once(':'))
    else {
        return false;
    };
    let fits = |text: &str, high: u32| {
        text.len() == 2
            && all_digits(text)
            && text.parse::<u32>().is_ok_and(|number| number <= high)
    };
    fits(hours, 24) && fits(minutes, 60)
}

#[cfg(test)]
mod tests {
    use super::parse_time;

    #[test]
    fn errors_about_times_are_worded_as_by_go() {
        let layout = "as \"2006-01-02T15:04:05Z07:00\": cannot parse";
        for (text, error) in [
            ("2026-01-02T03:04:05Z", ""),
            ("2026-01-02T03:04:05.25+02:00", ""),
            (
                "yesterday",
                &format!("parsing time \"yesterday\" {layout} \"yesterday\" as \"2006\""),
            ),
            (
                "2026-01-01",
                &format!("parsing time \"2026-01-01\" {layout} \"\" as \"T\""),
            ),
            (
                "2026-02-30T00:00:00Z",
                "parsing time \"2026-02-30T00:00:00Z\": day out of range",
            ),
        ] {
            assert_eq!(parse_time(text).err().unwrap_or_default(), error);
        }
    }
}
