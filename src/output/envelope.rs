//! The envelope of every machine-readable document: its version and its kind.

use std::borrow::Cow;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::controller::ControllerDocument;
use kube_model::UnreadResource;

/// The version of the machine-readable documents.
pub(crate) const API_VERSION: &str = "cronjob-doctor/v1";

/// A kind of document, which is called as its schema is.
pub trait DocumentBody: Serialize + JsonSchema {
    /// The lists that are joined if the document is about several contexts.
    const ITEMS: &'static [&'static str] = &["items"];
    /// The field whose numbers are added up then.
    const TOTALS: Option<&'static str> = None;
}

impl<T: DocumentBody> DocumentBody for &T {
    const ITEMS: &'static [&'static str] = T::ITEMS;
    const TOTALS: Option<&'static str> = T::TOTALS;
}

/// The time and the controller that a document is about.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub(crate) struct DocumentHeader {
    /// The time used as now.
    pub now: Timestamp,
    /// The controller that is modeled.
    pub controller: ControllerDocument,
}

/// The time and the controller that a document is about, and what could not be read.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub(crate) struct ReadHeader {
    #[serde(flatten)]
    pub header: DocumentHeader,
    /// The data that could not be read.
    pub lacks: Vec<UnreadResource>,
}

impl DocumentHeader {
    /// `Computed for Kubernetes 1.36 (v2) at Sat 2026-11-21 12:00 UTC; controller time zone: UTC.`
    pub(super) fn in_words(&self) -> String {
        self.controller.basis_in_words(self.now)
    }
}

#[derive(Clone, Debug, JsonSchema, Serialize)]
#[schemars(rename = "{T}")]
#[serde(rename_all = "camelCase")]
pub struct Envelope<T: DocumentBody> {
    /// The version of the format.
    #[schemars(extend("const" = API_VERSION))]
    api_version: &'static str,
    /// The kind of the document.
    #[schemars(extend("const" = T::schema_name()))]
    kind: Cow<'static, str>,
    #[serde(flatten)]
    body: T,
}

impl<T: DocumentBody> From<T> for Envelope<T> {
    fn from(body: T) -> Self {
        Envelope {
            api_version: API_VERSION,
            kind: T::schema_name(),
            body,
        }
    }
}
