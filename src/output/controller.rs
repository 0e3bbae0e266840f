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
    /// `Kubernetes 1.36 (v2, newest known version), time zone UTC (inferred from its Jobs)`
    pub(super) fn in_words(&self) -> String {
        format!("{}, {}", self.release(), self.zone_in_words())
    }

    /// `time zone UTC (inferred from its Jobs)`
    pub(super) fn zone_in_words(&self) -> String {
        let inferred = match self.time_zone_source {
            "evidence" => " (inferred from its Jobs)",
            _ => "",
        };
        format!("time zone {}{inferred}", self.time_zone)
    }

    /// `Kubernetes 1.36 (v2, newest known version)`
    pub(super) fn release(&self) -> String {
        let (version, model) = (&self.kubernetes_version, self.model);
        match (model, self.source) {
            ("kubebuilder", _) => "the kubebuilder tutorial".to_owned(),
            (_, "default") => format!("Kubernetes {version} ({model}, newest known version)"),
            _ => format!("Kubernetes {version} ({model})"),
        }
    }

    /// `Computed for Kubernetes 1.36 (v2) at Sat 2026-11-21 12:00 UTC; controller time zone: UTC.`
    pub(super) fn basis_in_words(&self, now: Timestamp) -> String {
        let now = now.strftime("%a %Y-%m-%d %H:%M");
        format!(
            "Computed for {} at {now} UTC; controller time zone: {}.",
            self.release(),
            self.time_zone
        )
    }
}
