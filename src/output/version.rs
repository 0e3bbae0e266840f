//! The versions of this program, its data and the API server.

use std::io::{self, Write};

use schemars::JsonSchema;
use serde::Serialize;

use super::answer::{Answer, Formats};
use super::envelope::DocumentBody;
use cronjob_text::printable::printable;
use kube_cron::ZoneDatabase;

/// The versions of this program, its data and the API server: `version -o json`.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[schemars(rename = "Version")]
#[serde(rename_all = "camelCase")]
pub struct VersionDocument {
    /// Version of this program.
    client_version: &'static str,
    /// The newest Kubernetes version that this program predicts.
    newest_kubernetes_version: String,
    /// The time zone database in use.
    tzdb: TzdbVersion,
    /// The API server; null with `--client` or if it cannot be reached.
    server: Option<ServerVersionDocument>,
}

/// The version of an API server.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[schemars(rename = "ServerVersion")]
#[serde(rename_all = "camelCase")]
pub(crate) struct ServerVersionDocument {
    /// `gitVersion` of the API server, such as `v1.36.2`.
    pub version: String,
    /// The Kubernetes version whose controller is predicted for it.
    pub modelled_kubernetes_version: String,
    /// The generation of the controller in that version.
    #[schemars(extend("enum" = ["v1", "v2"]))]
    pub model: &'static str,
}

/// A time zone database.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[schemars(rename = "Tzdb")]
pub(crate) struct TzdbVersion {
    /// Its version, if known, such as `2026b`.
    pub version: Option<String>,
    /// `bundled` or `system`.
    #[schemars(extend("enum" = ["bundled", "system"]))]
    pub source: &'static str,
    /// The directory it is read from.
    pub folder: Option<String>,
}

impl From<&ZoneDatabase> for TzdbVersion {
    fn from(database: &ZoneDatabase) -> Self {
        let folder = database.folder();
        TzdbVersion {
            version: database.version().map(str::to_owned),
            source: if folder.is_some() {
                "system"
            } else {
                "bundled"
            },
            folder: folder.map(|folder| folder.display().to_string()),
        }
    }
}

impl DocumentBody for VersionDocument {}

impl Answer for VersionDocument {
    fn formats() -> Formats<Self> {
        Formats::<Self>::text(|out, version| version.text(out)).and_documents()
    }
}

impl VersionDocument {
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

    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "Client Version: v{}", self.client_version)?;
        writeln!(
            out,
            "Newest Kubernetes Version: v{}",
            self.newest_kubernetes_version
        )?;
        let release = self.tzdb.version.as_deref().unwrap_or("unknown version");
        let source = self.tzdb.folder.as_deref().unwrap_or(self.tzdb.source);
        writeln!(out, "Time Zone Database: {release} ({source})")?;
        let Some(server) = &self.server else {
            return Ok(());
        };
        writeln!(out, "Server Version: {}", printable(&server.version))?;
        let (modeled, model) = (&server.modelled_kubernetes_version, server.model);
        writeln!(out, "Controller: Kubernetes {modeled} ({model})")
    }
}
