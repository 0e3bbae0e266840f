//! The controller in documents.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use cronjob_controller::controller::Release;

/// The controller that is modeled.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[schemars(rename = "Controller")]
#[serde(rename_all = "camelCase")]
pub(crate) struct ControllerDocument {
    /// `v1`, `v2` or `kubebuilder`.
    #[schemars(extend("enum" = ["v1", "v2", "kubebuilder"]))]
    pub model: &'static str,
    /// The version of Kubernetes that is modeled.
    #[schemars(with = "String")]
    pub kubernetes_version: Release,
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
    /// `Kubernetes 1.36 (v2, newest checked version), time zone UTC (inferred from its Jobs)`
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

    /// `Kubernetes 1.36 (v2, newest checked version)`
    pub(super) fn release(&self) -> String {
        let model = self.model;
        if model == "kubebuilder" {
            return "the kubebuilder tutorial".to_owned();
        }
        let origin = self.origin();
        let origin = origin.map_or_else(String::new, |origin| format!(", {origin}"));
        format!("Kubernetes {} ({model}{origin})", self.kubernetes_version)
    }

    /// Why this version is predicted, or how far its predictions can be trusted, if that needs to be said.
    pub(super) fn origin(&self) -> Option<String> {
        release_origin(self.kubernetes_version, self.source)
    }

    /// Whether it is what the cluster says, and nothing about it is special.
    pub(super) fn is_as_read(&self) -> bool {
        self.source == "server" && self.time_zone == "UTC" && self.origin().is_none()
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

/// Why a version is predicted, or how far its predictions can be trusted, if that needs to be said.
pub(crate) fn release_origin(release: Release, source: &str) -> Option<String> {
    if release.is_beyond_checked() {
        return Some(format!(
            "from the release notes; not yet compared with a running 1.{}",
            release.minor()
        ));
    }
    (source == "default").then(|| "newest checked version".to_owned())
}
