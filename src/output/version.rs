//! The version of this program, and of what it computes with.

use std::io::{self, Write};

use schemars::JsonSchema;
use serde::Serialize;

use super::envelope::DocumentBody;
use crate::printable::printable;

/// Which versions are at work: `version -o json`.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[schemars(rename = "Version")]
#[serde(rename_all = "camelCase")]
pub(crate) struct VersionDocument {
    /// Of this program.
    client_version: &'static str,
    /// The newest Kubernetes release that is modelled.
    newest_kubernetes_version: String,
    /// The tz database in use.
    tzdb: TzdbVersion,
    /// The cluster's, if there is one and it was asked.
    server: Option<ServerVersionDocument>,
}

/// The version of a cluster.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[schemars(rename = "ServerVersion")]
#[serde(rename_all = "camelCase")]
pub(crate) struct ServerVersionDocument {
    /// As the server says it: `v1.36.2`.
    pub version: String,
    /// The release that is modelled for it.
    pub modelled_kubernetes_version: String,
    /// The generation of that release's controller.
    #[schemars(extend("enum" = ["v1", "v2"]))]
    pub model: &'static str,
}

/// A tz database.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[schemars(rename = "Tzdb")]
pub(crate) struct TzdbVersion {
    /// The release, where it is known.
    pub version: Option<String>,
    /// `bundled` or `system`.
    #[schemars(extend("enum" = ["bundled", "system"]))]
    pub source: &'static str,
    /// The folder that it is read from.
    pub folder: Option<String>,
}

impl DocumentBody for VersionDocument {
    const KIND: &'static str = "Version";
}

impl VersionDocument {
    /// The version of this program, with what it computes with.
    pub(crate) fn new(
        newest_kubernetes_version: String,
        tzdb: TzdbVersion,
        server: Option<ServerVersionDocument>,
    ) -> Self {
        VersionDocument {
            client_version: env!("CARGO_PKG_VERSION"),
            newest_kubernetes_version,
            tzdb,
            server,
        }
    }

    /// A line each.
    pub(crate) fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "Client Version: v{}", self.client_version)?;
        writeln!(
            out,
            "Newest Kubernetes Version modelled: v{}",
            self.newest_kubernetes_version
        )?;
        let release = self.tzdb.version.as_deref().unwrap_or("of unknown release");
        let source = self.tzdb.folder.as_deref().unwrap_or(self.tzdb.source);
        writeln!(out, "Time Zone Database: {release} ({source})")?;
        let Some(server) = &self.server else {
            return Ok(());
        };
        writeln!(out, "Server Version: {}", printable(&server.version))?;
        let (modeled, model) = (&server.modelled_kubernetes_version, server.model);
        writeln!(out, "Controller modelled: Kubernetes {modeled} ({model})")
    }
}
