//! The controller in documents.

use jiff::Timestamp;
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

impl ControllerDocument {
    /// `Computed for Kubernetes 1.36 (v2) at Sat 2026-11-21 12:00 UTC; controller time zone: UTC.`
    pub(super) fn basis_in_words(&self, now: Timestamp) -> String {
        let now = now.strftime("%a %Y-%m-%d %H:%M");
        let assumed = match self.source {
            "default" => ", the newest known version",
            _ => "",
        };
        format!(
            "Computed for Kubernetes {} ({}{assumed}) at {now} UTC; controller time zone: {}.",
            self.kubernetes_version, self.model, self.time_zone
        )
    }
}
