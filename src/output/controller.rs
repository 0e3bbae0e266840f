//! The controller in documents.

use schemars::JsonSchema;
use serde::Serialize;

/// The controller that is modeled.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[schemars(rename = "Controller")]
#[serde(rename_all = "camelCase")]
pub(crate) struct ControllerDocument {
    /// `v1`, `v2` or `kubebuilder`.
    #[schemars(extend("enum" = ["v1", "v2", "kubebuilder"]))]
    pub model: &'static str,
    /// The version of Kubernetes that is modeled.
    pub kubernetes_version: String,
    /// The source of the version: `server`, `flag` or `default`.
    #[schemars(extend("enum" = ["server", "flag", "default"]))]
    pub source: &'static str,
    /// The time zone of the controller manager.
    pub time_zone: String,
    /// The source of the time zone: `flag`, `evidence` or `default`.
    #[schemars(extend("enum" = ["flag", "evidence", "default"]))]
    pub time_zone_source: &'static str,
}
