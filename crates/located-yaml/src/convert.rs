//! Converts the tree to JSON.

use serde_json::{Map, Number, Value as Json};

use super::node::{Node, Place, Value};

/// A value that JSON does not support. kubectl rejects it, too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "line {}, column {}: JSON does not support infinity and NaN; put the value in quotes if it \
     is text",
    place.line, place.column
)]
pub struct ToJsonError {
    pub place: Place,
}

impl Node {
    /// The node as JSON, as kubectl would send it to the API server.
    pub fn to_json(&self) -> Result<Json, ToJsonError> {
        Ok(match &self.value {
            Value::Null => Json::Null,
            Value::Bool(value) => Json::Bool(*value),
            Value::Int(value) => Json::Number((*value).into()),
            Value::Float(value) => {
                Json::Number(number(*value).ok_or(ToJsonError { place: self.place })?)
            }
            Value::String(value) => Json::String(value.to_string()),
            Value::Sequence(items) => {
                Json::Array(items.iter().map(Node::to_json).collect::<Result<_, _>>()?)
            }
            Value::Mapping(mapping) => {
                let mut object = Map::with_capacity(mapping.entries().len());
                for entry in mapping.entries() {
                    object.insert(entry.key.text.to_string(), entry.value.to_json()?);
                }
                Json::Object(object)
            }
        })
    }
}

/// Go writes a whole float without a fraction, so `60.0` arrives as a whole number.
fn number(float: f64) -> Option<Number> {
    match whole(float) {
        Some(int) => Some(int.into()),
        None => Number::from_f64(float),
    }
}

/// The whole number that a float is, if a double can represent it exactly.
fn whole(float: f64) -> Option<i64> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if float.fract() != 0.0 || float.abs() > EXACT {
        return None;
    }
    #[expect(clippy::cast_possible_truncation, reason = "whole and small enough")]
    Some(float as i64)
}

/// The JSON key of a float, as in `sigs.k8s.io/yaml`: Go's `strconv.FormatFloat(key, 'g', -1, 32)`.
pub(super) fn float_key(float: f64) -> String {
    if float.is_nan() {
        return ".nan".to_owned();
    }
    #[expect(clippy::cast_possible_truncation, reason = "the 32 in FormatFloat")]
    let float = float as f32;
    if float.is_infinite() {
        return if float > 0.0 { ".inf" } else { "-.inf" }.to_owned();
    }
    let scientific = format!("{float:e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    match exponent.parse::<i32>().unwrap_or_default() {
        // Go changes to the exponent where C's `%g` does.
        -4..6 => float.to_string(),
        exponent => {
            let sign = if exponent < 0 { '-' } else { '+' };
            format!("{mantissa}e{sign}{:02}", exponent.unsigned_abs())
        }
    }
}

impl Value {
    /// The whole number that a value is to the Kubernetes API: `60` or `60.0`.
    pub fn as_whole_number(&self) -> Option<i64> {
        match self {
            Self::Int(int) => Some(*int),
            Self::Float(float) => whole(*float),
            _ => None,
        }
    }
}
