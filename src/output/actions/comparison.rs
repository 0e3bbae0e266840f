//! What was predicted, beside what was then seen.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::part;
use crate::diagnose::PredictionCheck;

/// What was seen after resuming, in documents.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "Comparison")]
#[serde(rename_all = "camelCase")]
pub(super) struct ComparisonDocument<'a> {
    /// Whether the prediction came true.
    as_predicted: bool,
    /// Respect by respect.
    respects: Vec<RespectDocument<'a>>,
}

/// One thing that was predicted, or seen.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "Respect")]
struct RespectDocument<'a> {
    /// What it is about.
    what: &'static str,
    /// What was predicted; null where nothing was.
    predicted: Option<&'a str>,
    /// What was seen; null where nothing was.
    observed: Option<&'a str>,
}

/// What was seen, beside what was predicted.
pub fn compared(respects: &[PredictionCheck], as_predicted: bool) -> Value {
    let respects = respects.iter().map(|respect| RespectDocument {
        what: respect.what,
        predicted: respect.predicted.as_deref(),
        observed: respect.observed.as_deref(),
    });
    part(&ComparisonDocument {
        as_predicted,
        respects: respects.collect(),
    })
}
