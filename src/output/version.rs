//! The version of this program, and of what it computes with.

use std::io::{self, Write};

use serde::Serialize;

use super::API_VERSION;

/// What `version` tells.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Version {
    api_version: &'static str,
    kind: &'static str,
    /// Of this program.
    client_version: &'static str,
    /// The newest Kubernetes release that is modelled.
    newest_kubernetes_version: String,
    /// The tz database in use.
    tzdb: TzdbVersion,
}

/// A tz database.
#[derive(Clone, Debug, Serialize)]
pub struct TzdbVersion {
    /// The release, where it is known.
    pub version: Option<String>,
    /// `bundled` or `system`.
    pub source: &'static str,
    /// The folder that it is read from.
    pub folder: Option<String>,
}

impl Version {
    /// The version of this program, with what it computes with.
    pub fn new(newest_kubernetes_version: String, tzdb: TzdbVersion) -> Self {
        Version {
            api_version: API_VERSION,
            kind: "Version",
            client_version: env!("CARGO_PKG_VERSION"),
            newest_kubernetes_version,
            tzdb,
        }
    }

    /// A line each.
    pub fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "Client Version: v{}", self.client_version)?;
        writeln!(
            out,
            "Newest Kubernetes Version modelled: v{}",
            self.newest_kubernetes_version
        )?;
        let release = self.tzdb.version.as_deref().unwrap_or("of unknown release");
        match &self.tzdb.folder {
            Some(folder) => writeln!(out, "Time Zone Database: {release} ({folder})"),
            None => writeln!(out, "Time Zone Database: {release} ({})", self.tzdb.source),
        }
    }
}
