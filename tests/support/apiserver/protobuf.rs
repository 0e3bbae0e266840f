//! `application/vnd.kubernetes.protobuf`: encodes a JSON value with a table of messages. The bytes are those of the API
//! server's own encoder: fields in order of their numbers, including zeros.

use std::sync::Arc;

use jiff::Timestamp;
use prost::encoding::{WireType, encode_key, encode_varint};
use serde_json::Value;

use super::messages::{Message, message};
use super::objects::Object;
use super::resources::Resource;

const MAGIC: &[u8] = b"k8s\0";

/// A whole answer: `runtime.Unknown` with the message in it.
pub(crate) fn envelope(api_version: &str, kind: &str, message: &[u8]) -> Vec<u8> {
    let mut type_meta = Vec::new();
    write_bytes(1, api_version, &mut type_meta);
    write_bytes(2, kind, &mut type_meta);
    let mut bytes = MAGIC.to_vec();
    write_bytes(1, type_meta, &mut bytes);
    write_bytes(2, message, &mut bytes);
    // Content encoding and content type are empty, and both are written.
    write_bytes(3, "", &mut bytes);
    write_bytes(4, "", &mut bytes);
    bytes
}

/// A list of encoded items.
pub(crate) fn list(resource: &Resource, metadata: &Value, items: &[Arc<Object>]) -> Vec<u8> {
    let mut message = Vec::new();
    write_bytes(1, encode("ListMeta", metadata), &mut message);
    for item in items {
        write_bytes(2, item.protobuf(resource), &mut message);
    }
    let kind = format!("{}List", resource.kind);
    envelope(&resource.api_version(), &kind, &message)
}

/// One event of a watch, with its length in front.
pub(crate) fn watch_event(kind: &str, object: &[u8]) -> Vec<u8> {
    let mut raw = Vec::new();
    write_bytes(1, object, &mut raw);
    let mut event = Vec::new();
    write_bytes(1, kind, &mut event);
    write_bytes(2, raw, &mut event);
    let mut frame = u32::try_from(event.len()).unwrap().to_be_bytes().to_vec();
    frame.extend(event);
    frame
}

/// The bytes of one message.
///
/// # Panics
///
/// On a field that the table does not know: it would be lost silently.
pub(crate) fn encode(name: &str, value: &Value) -> Vec<u8> {
    let message = message(name);
    for field in value
        .as_object()
        .into_iter()
        .flat_map(|object| object.keys())
    {
        assert!(
            message.knows(field),
            "no number for {name}.{field} in messages.txt"
        );
    }
    encode_fields(message, value)
}

fn encode_fields(of: &Message, value: &Value) -> Vec<u8> {
    assert!(
        value.is_null() || value.is_object(),
        "a {} is {value}",
        of.name
    );
    let mut out = Vec::new();
    for field in &of.fields {
        if field.is_inline() {
            let inner = encode_fields(message(field.kind), value);
            write_bytes(field.number, inner, &mut out);
            continue;
        }
        match (field.shape, value.get(field.name).unwrap_or(&Value::Null)) {
            ("?" | "[]" | "{}", Value::Null) => {}
            ("" | "?", value) => write_value(field.number, field.kind, value, &mut out),
            ("[]", Value::Array(items)) => {
                for item in items {
                    write_value(field.number, field.kind, item, &mut out);
                }
            }
            ("{}", Value::Object(map)) => {
                for (key, value) in map {
                    let mut entry = Vec::new();
                    write_bytes(1, key, &mut entry);
                    write_value(2, field.kind, value, &mut entry);
                    write_bytes(field.number, entry, &mut out);
                }
            }
            (shape, other) => panic!("{}.{} is not {shape}: {other}", of.name, field.name),
        }
    }
    out
}

/// Writes a value of a kind that messages.txt names. An absent value is zero.
fn write_value(number: u32, kind: &str, value: &Value, out: &mut Vec<u8>) {
    let mut bytes = Vec::new();
    match kind {
        "bool" => {
            return write_integer(number, i64::from(value.as_bool().unwrap_or(false)), out);
        }
        "int" => return write_integer(number, integer(value), out),
        "string" => bytes.extend_from_slice(text(value).as_bytes()),
        "Quantity" => {
            let quantity = match value {
                Value::Null => "0".to_owned(),
                Value::Number(number) => number.to_string(),
                other => text(other).to_owned(),
            };
            write_bytes(1, quantity, &mut bytes);
        }
        "IntOrString" => {
            let (integer, string) = match value.as_str() {
                Some(string) => (0, string),
                None => (integer(value), ""),
            };
            write_integer(1, i64::from(value.is_string()), &mut bytes);
            write_integer(2, integer, &mut bytes);
            write_bytes(3, string, &mut bytes);
        }
        "Time" | "MicroTime" if value.is_null() => {}
        "Time" | "MicroTime" => {
            let time: Timestamp = text(value).parse().unwrap();
            write_integer(1, time.as_second(), &mut bytes);
            write_integer(2, i64::from(time.subsec_nanosecond()), &mut bytes);
        }
        // JSON inside the message.
        "FieldsV1" => write_bytes(1, value.to_string(), &mut bytes),
        message => bytes = encode(message, value),
    }
    write_bytes(number, bytes, out);
}

fn text(value: &Value) -> &str {
    match value {
        Value::Null => "",
        value => value.as_str().unwrap_or_else(|| panic!("no text: {value}")),
    }
}

fn integer(value: &Value) -> i64 {
    match value {
        Value::Null => 0,
        value => value
            .as_i64()
            .unwrap_or_else(|| panic!("no integer: {value}")),
    }
}

/// A field that holds a number; negative ones take all ten bytes.
fn write_integer(number: u32, value: i64, out: &mut Vec<u8>) {
    encode_key(number, WireType::Varint, out);
    encode_varint(value.cast_unsigned(), out);
}

/// A field that holds bytes: text, a message, or what looks like one.
fn write_bytes(number: u32, value: impl AsRef<[u8]>, out: &mut Vec<u8>) {
    let value = value.as_ref();
    encode_key(number, WireType::LengthDelimited, out);
    encode_varint(u64::try_from(value.len()).unwrap(), out);
    out.extend_from_slice(value);
}
