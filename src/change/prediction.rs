//! The prediction of any change.

use schemars::JsonSchema;
use serde::Serialize;

use super::backfill::BackfillRun;
use super::{Rescheduling, Resumption, Suspension, TriggerPrediction};

/// The prediction of a change.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
#[serde(untagged)]
pub(crate) enum Prediction {
    Suspension(Box<Suspension>),
    Resumption(Box<Resumption>),
    Trigger(Box<TriggerPrediction>),
    Backfill(BackfillRun),
    Rescheduling(Box<Rescheduling>),
}

impl Prediction {
    pub(crate) fn text(&self) -> &str {
        match self {
            Prediction::Suspension(suspension) => &suspension.text,
            Prediction::Resumption(resumption) => &resumption.text,
            Prediction::Trigger(trigger) => &trigger.text,
            // Its table has the runs.
            Prediction::Backfill(_) => "",
            Prediction::Rescheduling(rescheduling) => &rescheduling.text,
        }
    }

    /// The sentences for a summary of many, each of them understandable by itself.
    pub(crate) fn sentences(&self) -> &[String] {
        match self {
            Prediction::Suspension(suspension) => &suspension.sentences,
            Prediction::Resumption(resumption) => &resumption.sentences,
            Prediction::Trigger(_) | Prediction::Backfill(_) | Prediction::Rescheduling(_) => &[],
        }
    }

    /// A command to run after the change.
    pub(crate) fn afterwards(&self) -> Option<&str> {
        match self {
            Prediction::Resumption(resumption) => resumption.afterwards.as_deref(),
            _ => None,
        }
    }
}
