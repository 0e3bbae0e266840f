//! The envelope of every machine-readable document: its version and its kind.

use std::borrow::Cow;

use jiff::Timestamp;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;
use serde_json::{Map, Value};

use super::controller::ControllerDocument;

/// The version of the machine-readable documents.
pub(crate) const API_VERSION: &str = "cronjob-doctor/v1";

pub(crate) trait DocumentBody: Serialize + JsonSchema {
    const KIND: &'static str;
}

impl<T: DocumentBody> DocumentBody for &T {
    const KIND: &'static str = T::KIND;
}

/// The time and the controller that a document is about.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub(crate) struct DocumentHeader {
    /// The time used as now.
    pub now: Timestamp,
    /// The controller that is modeled.
    pub controller: ControllerDocument,
}

impl DocumentHeader {
    /// `Computed for Kubernetes 1.36 (v2) at Sat 2026-11-21 12:00 UTC; controller time zone: UTC.`
    pub(super) fn in_words(&self) -> String {
        self.controller.basis_in_words(self.now)
    }
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Envelope<T> {
    api_version: &'static str,
    kind: &'static str,
    #[serde(flatten)]
    body: T,
}

impl<T: DocumentBody> From<T> for Envelope<T> {
    fn from(body: T) -> Self {
        Envelope {
            api_version: API_VERSION,
            kind: T::KIND,
            body,
        }
    }
}

impl<T: DocumentBody> JsonSchema for Envelope<T> {
    fn schema_name() -> Cow<'static, str> {
        T::KIND.into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = T::json_schema(generator);
        let mut front = json_schema!({
            "properties": {
                "apiVersion": {
                    "description": "The version of the format.",
                    "type": "string",
                    "const": API_VERSION,
                },
                "kind": {
                    "description": "The kind of the document.",
                    "type": "string",
                    "const": T::KIND,
                },
            },
            "required": ["apiVersion", "kind"],
        });
        let (front, object) = (front.ensure_object(), schema.ensure_object());
        put_before(front, object);
        schema
    }
}

/// Puts the fields of every document before those of this one.
fn put_before(front: &mut Map<String, Value>, object: &mut Map<String, Value>) {
    for (name, first) in front.iter_mut() {
        match (first, object.get_mut(name)) {
            (Value::Object(first), Some(Value::Object(fields))) => {
                first.append(fields);
                std::mem::swap(first, fields);
            }
            (Value::Array(first), Some(Value::Array(names))) => {
                first.append(names);
                std::mem::swap(first, names);
            }
            _ => {}
        }
    }
}
