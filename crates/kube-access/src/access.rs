//! How a cluster is selected.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::cluster::ReadOnce;
use crate::error::ClusterError;

/// kubectl's flags that select a cluster and a user.
#[derive(Debug, Clone, Default)]
pub struct Access {
    pub kubeconfig: Option<PathBuf>,
    pub kuberc: Option<PathBuf>,
    pub context: Option<String>,
    pub cluster: Option<String>,
    pub user: Option<String>,
    pub impersonate: Option<String>,
    pub impersonate_groups: Vec<String>,
    pub impersonate_uid: Option<String>,
    pub server: Option<String>,
    pub token: Option<String>,
    pub tls_server_name: Option<String>,
    pub insecure_skip_tls_verify: bool,
    pub certificate_authority: Option<PathBuf>,
    pub client_certificate: Option<PathBuf>,
    pub client_key: Option<PathBuf>,
    /// `--request-timeout`; zero waits indefinitely
    pub request_timeout: Option<Duration>,
    /// How long the API server of one of several contexts may take for its first response, and for all of them.
    pub context_timeouts: Option<[Duration; 2]>,
    /// The files that are read once, for all contexts.
    pub read_once: Arc<ReadOnce>,
    /// Called with a log line for each request.
    pub trace: Option<fn(&str)>,
    /// Called with the reason why a response takes long.
    pub notice: Option<fn(&str)>,
}

/// The named parts of a kubeconfig.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KubeconfigNames {
    pub contexts: Vec<String>,
    pub clusters: Vec<String>,
    pub users: Vec<String>,
}

/// The contexts that `--context` selects.
#[derive(Debug, PartialEq, Eq)]
pub enum ContextSelection {
    /// The name of one context, which need not exist.
    One(String),
    /// A selection that can match several.
    Several {
        names: Vec<String>,
        /// The contexts that are left out because another one has the same cluster and user.
        same: Vec<(String, String)>,
    },
}

/// Checks that a namespace can be part of a path, as client-go does before it asks.
pub fn check_namespace(name: &str) -> Result<(), ClusterError> {
    let why = match name {
        "." | ".." => format!("may not be '{name}'"),
        _ => match name.chars().find(|c| ['/', '%'].contains(c)) {
            Some(c) => format!("may not contain '{c}'"),
            None => return Ok(()),
        },
    };
    Err(ClusterError::InvalidNamespace {
        name: name.to_owned(),
        why,
    })
}
