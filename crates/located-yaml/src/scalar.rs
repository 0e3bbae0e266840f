//! What a plain scalar means to kubectl.
//!
//! kubectl reads YAML with `sigs.k8s.io/yaml`, whose parser is go-yaml v2 (`goyaml.v2/resolve.go`)
//! and whose numbers are those of Go's `strconv`. The differences from YAML 1.2 that matter: the
//! booleans of YAML 1.1, octal numbers with a bare `0`, underscores in numbers.

use std::sync::Arc;

use base64::Engine as _;
use base64::alphabet;
use base64::engine::{GeneralPurpose, GeneralPurposeConfig};

use super::node::Value;

/// What an unquoted scalar without a tag means.
pub(super) fn resolve(text: &str) -> Value {
    word(text)
        .or_else(|| number(text))
        .unwrap_or_else(|| Value::String(Arc::from(text)))
}

/// A scalar does not fit its tag: the type of the tag.
pub(super) struct TagMismatch(pub(super) &'static str);

/// What a scalar with a tag means; `tag` is the part after `tag:yaml.org,2002:`.
///
/// go-yaml resolves the scalar as if it were plain and then compares, so that `!!int "12"` is a
/// number. With an unknown tag it is a string.
pub(super) fn resolve_tagged(tag: &str, text: &str) -> Result<Value, TagMismatch> {
    match (tag, resolve(text)) {
        ("bool", value @ Value::Bool(_))
        | ("int", value @ Value::Int(_))
        | ("float", value @ Value::Float(_))
        | ("null", value @ Value::Null) => Ok(value),
        #[expect(clippy::cast_precision_loss, reason = "a float was asked for")]
        ("float", Value::Int(int)) => Ok(Value::Float(int as f64)),
        // Beyond 64 bits signed there are 64 bits unsigned, which go-yaml still calls an int.
        ("int", value @ Value::Float(_)) if is_unsigned(text) => Ok(value),
        ("bool", _) => Err(TagMismatch("boolean")),
        ("int", _) => Err(TagMismatch("whole number")),
        ("float", _) => Err(TagMismatch("number")),
        ("null", _) => Err(TagMismatch("null")),
        ("binary", _) => base64(text).map(Value::String).ok_or(TagMismatch("base64")),
        _ => Ok(Value::String(Arc::from(text))),
    }
}

/// The scalars with a fixed meaning.
fn word(text: &str) -> Option<Value> {
    Some(match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "y" | "Y" | "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => {
            Value::Bool(true)
        }
        "n" | "N" | "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => {
            Value::Bool(false)
        }
        ".nan" | ".NaN" | ".NAN" => Value::Float(f64::NAN),
        ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" => Value::Float(f64::INFINITY),
        "-.inf" | "-.Inf" | "-.INF" => Value::Float(f64::NEG_INFINITY),
        _ => return None,
    })
}

fn number(text: &str) -> Option<Value> {
    match text.as_bytes().first()? {
        b'.' => fraction(text).map(Value::Float),
        b'0'..=b'9' | b'+' | b'-' => {
            let plain: String;
            let text = if text.contains('_') {
                plain = text.replace('_', "");
                plain.as_str()
            } else {
                text
            };
            integer(text).or_else(|| decimal(text).map(Value::Float))
        }
        _ => None,
    }
}

/// A number that begins with its point. Only here does go-yaml leave the underscores to
/// `strconv.ParseFloat`, which wants each of them between two digits.
fn fraction(text: &str) -> Option<f64> {
    let bytes = text.as_bytes();
    let digit = |at: Option<usize>| {
        at.and_then(|at| bytes.get(at))
            .is_some_and(u8::is_ascii_digit)
    };
    let misplaced = |(at, byte): (usize, &u8)| {
        *byte == b'_' && !(digit(at.checked_sub(1)) && digit(at.checked_add(1)))
    };
    if bytes.iter().enumerate().any(misplaced) {
        return None;
    }
    decimal(&text.replace('_', ""))
}

/// `strconv.ParseInt` and then `ParseUint` with base 0: the prefix tells the base.
fn integer(text: &str) -> Option<Value> {
    let (signed, negative, digits) = match text.as_bytes().first()? {
        b'-' => (true, true, text.get(1..)?),
        b'+' => (true, false, text.get(1..)?),
        _ => (false, false, text),
    };
    let magnitude = magnitude(digits)?;
    let signed_value = if negative {
        0i64.checked_sub_unsigned(magnitude)
    } else {
        i64::try_from(magnitude).ok()
    };
    match signed_value {
        Some(int) => Some(Value::Int(int)),
        // ParseUint takes no sign. JSON has no such limit, and the API reads the number as a float.
        #[expect(clippy::cast_precision_loss, reason = "as the API reads it")]
        None if !signed => Some(Value::Float(magnitude as f64)),
        None => None,
    }
}

fn magnitude(digits: &str) -> Option<u64> {
    let (radix, digits) = match digits.as_bytes() {
        [b'0', b'x' | b'X', ..] => (16, digits.get(2..)?),
        [b'0', b'o' | b'O', ..] => (8, digits.get(2..)?),
        [b'0', b'b' | b'B', ..] => (2, digits.get(2..)?),
        [b'0', _, ..] => (8, digits.get(1..)?),
        _ => (10, digits),
    };
    // Rust would accept a sign here, which was read already.
    if digits.starts_with(['+', '-']) {
        return None;
    }
    u64::from_str_radix(digits, radix).ok()
}

/// Whether a scalar is a whole number that fits 64 bits without a sign.
pub(super) fn is_unsigned(text: &str) -> bool {
    magnitude(&text.replace('_', "")).is_some()
}

/// `[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?`, and within the range of a double.
fn decimal(text: &str) -> Option<f64> {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned, None),
    };
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let mantissa_fits = match mantissa.split_once('.') {
        Some((whole, fraction)) => {
            digits(whole) && digits(fraction) && !(whole.is_empty() && fraction.is_empty())
        }
        None => !mantissa.is_empty() && digits(mantissa),
    };
    let exponent_fits = exponent.is_none_or(|exponent| {
        let exponent = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
        !exponent.is_empty() && digits(exponent)
    });
    if !(mantissa_fits && exponent_fits) {
        return None;
    }
    text.parse().ok().filter(|float: &f64| float.is_finite())
}

/// Decodes `!!binary`. JSON only has text, and Go uses the replacement character for invalid
/// bytes.
fn base64(text: &str) -> Option<Arc<str>> {
    let config = GeneralPurposeConfig::new().with_decode_allow_trailing_bits(true);
    let engine = GeneralPurpose::new(&alphabet::STANDARD, config);
    let bytes = engine.decode(text.replace(['\r', '\n'], "")).ok()?;
    Some(Arc::from(String::from_utf8_lossy(&bytes)))
}

#[cfg(test)]
#[path = "scalar_tests.rs"]
mod tests;
