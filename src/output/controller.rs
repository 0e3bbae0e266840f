//! The controller in documents.

use schemars::JsonSchema;
use serde::Serialize;

/// The controller as documents name it.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[schemars(rename = "Controller")]
#[serde(rename_all = "camelCase")]
pub(crate) struct ControllerDocument {
    /// `v1`, `v2` or `kubebuilder`.
    #[schemars(extend("enum" = ["v1", "v2", "kubebuilder"]))]
    pub model: &'static str,
    /// The release that is modelled.
    pub kubernetes_version: String,
    /// How the release became known: `server`, `flag` or `default`.
    #[schemars(extend("enum" = ["server", "flag", "default"]))]
    pub source: &'static str,
    /// The zone of the controller's own clock.
    pub time_zone: String,
    /// How that became known: `flag`, `evidence` or `default`.
    #[schemars(extend("enum" = ["flag", "evidence", "default"]))]
    pub time_zone_source: &'static str,
}
