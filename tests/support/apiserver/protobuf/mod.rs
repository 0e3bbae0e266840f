//! `application/vnd.kubernetes.protobuf`: a JSON value and a table of messages become bytes.

mod envelope;
mod table;
mod values;
mod wire;

use serde_json::{Map, Value};

pub(crate) use envelope::{envelope, item_opening, list_opening, watch_event};
use table::{Field, Kind, Message, Shape, table};
pub(crate) use wire::varint;

static EMPTY: Value = Value::Null;

/// The bytes of one message, as the API server's own encoder writes them: fields by number, zeros
/// and all.
///
/// # Panics
///
/// On a field that the table does not know: it would be lost in silence.
pub(crate) fn encode(message: &str, value: &Value) -> Vec<u8> {
    let mut bytes = Vec::new();
    let message = table().message(message);
    refuse_unknown_fields(message, value, message.name);
    write_message(message, value, message.name, &mut bytes);
    bytes
}

fn refuse_unknown_fields(message: &Message, value: &Value, path: &str) {
    let Some(object) = value.as_object() else {
        assert!(
            value.is_null(),
            "{path} should be an object, and is {value}"
        );
        return;
    };
    for name in object.keys() {
        assert!(
            message.knows(name, table()),
            "the table of messages does not know {path}.{name}"
        );
    }
}

fn write_message(message: &Message, value: &Value, path: &str, out: &mut Vec<u8>) {
    let nothing = Map::new();
    let object = value.as_object().unwrap_or(&nothing);
    for field in &message.fields {
        if field.is_inline() {
            let Kind::Message(inner) = &field.kind else {
                panic!("{path}: only a message can be inline");
            };
            let mut bytes = Vec::new();
            write_message(table().message(inner), value, path, &mut bytes);
            wire::bytes(field.number, &bytes, out);
            continue;
        }
        let found = object.get(&field.name).filter(|value| !value.is_null());
        write_field(field, found, &format!("{path}.{}", field.name), out);
    }
}

fn write_field(field: &Field, found: Option<&Value>, path: &str, out: &mut Vec<u8>) {
    match (field.shape, found) {
        (Shape::Optional | Shape::List | Shape::Map, None) => {}
        (Shape::Plain, None) => write_value(field, &EMPTY, path, out),
        (Shape::Plain | Shape::Optional, Some(value)) => write_value(field, value, path, out),
        (Shape::List, Some(value)) => {
            for (index, item) in values::list(value, path).iter().enumerate() {
                write_value(field, item, &format!("{path}[{index}]"), out);
            }
        }
        (Shape::Map, Some(value)) => write_map(field, value, path, out),
    }
}

fn write_map(field: &Field, value: &Value, path: &str, out: &mut Vec<u8>) {
    let mut entries: Vec<(&String, &Value)> = values::object(value, path).iter().collect();
    entries.sort_by_key(|(key, _)| *key);
    let value_field = Field {
        number: 2,
        shape: Shape::Plain,
        ..field.clone()
    };
    for (key, value) in entries {
        let mut entry = Vec::new();
        wire::bytes(1, key.as_bytes(), &mut entry);
        write_value(&value_field, value, &format!("{path}.{key}"), &mut entry);
        wire::bytes(field.number, &entry, out);
    }
}

fn write_value(field: &Field, value: &Value, path: &str, out: &mut Vec<u8>) {
    let number = field.number;
    match &field.kind {
        Kind::String => wire::bytes(number, values::text(value, path).as_bytes(), out),
        Kind::Bool => wire::integer(number, i64::from(values::flag(value, path)), out),
        Kind::Int => wire::integer(number, values::integer(value, path), out),
        Kind::Quantity => wire::bytes(number, &values::quantity(value, path), out),
        Kind::IntOrString => wire::bytes(number, &values::int_or_string(value, path), out),
        Kind::Time => wire::bytes(number, &values::time(value, path), out),
        Kind::RawJson => wire::bytes(number, &values::raw_json(value), out),
        Kind::Message(name) => {
            let message = table().message(name);
            refuse_unknown_fields(message, value, path);
            let mut bytes = Vec::new();
            write_message(message, value, path, &mut bytes);
            wire::bytes(number, &bytes, out);
        }
    }
}
