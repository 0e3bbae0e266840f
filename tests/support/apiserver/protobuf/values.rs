//! JSON values as the wire has them; what is absent is zero.

use jiff::Timestamp;
use serde_json::{Map, Value};

use super::wire;

pub(crate) fn list<'a>(value: &'a Value, path: &str) -> &'a Vec<Value> {
    match value.as_array() {
        Some(list) => list,
        None => panic!("{path} should be a list, and is {value}"),
    }
}

pub(crate) fn object<'a>(value: &'a Value, path: &str) -> &'a Map<String, Value> {
    match value.as_object() {
        Some(object) => object,
        None => panic!("{path} should be an object, and is {value}"),
    }
}

pub(crate) fn text<'a>(value: &'a Value, path: &str) -> &'a str {
    match value {
        Value::Null => "",
        Value::String(text) => text,
        other => panic!("{path} should be text, and is {other}"),
    }
}

pub(crate) fn flag(value: &Value, path: &str) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(flag) => *flag,
        other => panic!("{path} should be true or false, and is {other}"),
    }
}

pub(crate) fn integer(value: &Value, path: &str) -> i64 {
    match (value, value.as_i64()) {
        (Value::Null, _) => 0,
        (_, Some(number)) => number,
        _ => panic!("{path} should be a number, and is {value}"),
    }
}

pub(crate) fn quantity(value: &Value, path: &str) -> Vec<u8> {
    let quantity = match value {
        Value::Null => "0".to_owned(),
        Value::Number(number) => number.to_string(),
        other => text(other, path).to_owned(),
    };
    let mut bytes = Vec::new();
    wire::bytes(1, quantity.as_bytes(), &mut bytes);
    bytes
}

pub(crate) fn int_or_string(value: &Value, path: &str) -> Vec<u8> {
    let (kind, number, string) = match value {
        Value::String(string) => (1, 0, string.as_str()),
        other => (0, integer(other, path), ""),
    };
    let mut bytes = Vec::new();
    wire::integer(1, kind, &mut bytes);
    wire::integer(2, number, &mut bytes);
    wire::bytes(3, string.as_bytes(), &mut bytes);
    bytes
}

/// Nothing at all for the zero time.
pub(crate) fn time(value: &Value, path: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    if value.is_null() {
        return bytes;
    }
    let time: Timestamp = match text(value, path).parse() {
        Ok(time) => time,
        Err(error) => panic!("{path} should be a time: {error}"),
    };
    wire::integer(1, time.as_second(), &mut bytes);
    wire::integer(2, i64::from(time.subsec_nanosecond()), &mut bytes);
    bytes
}

pub(crate) fn raw_json(value: &Value) -> Vec<u8> {
    let mut bytes = Vec::new();
    if !value.is_null() {
        wire::bytes(1, value.to_string().as_bytes(), &mut bytes);
    }
    bytes
}
