//! Errors of connections and requests, with remedies.

use std::path::PathBuf;
use std::time::Duration;

use crate::status::Status;
use cronjob_text::duration::exact;

pub(crate) const NO_AUTHORITIES: &str = "this machine has no CA certificates";

/// Why a connection or a request failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClusterError {
    /// Without the feature `client`.
    #[error("no cluster: this program was built without a client")]
    NoClient,
    #[error("no cluster configured: no kubeconfig found")]
    NoCluster {
        /// The sources that were tried, and why each failed.
        tried: Vec<String>,
    },
    /// A flag names a context, cluster or user, but there is no kubeconfig.
    #[error("{what} {name:?} does not exist: no kubeconfig found")]
    NoKubeconfig {
        /// `context`, `cluster` or `user`.
        what: &'static str,
        name: String,
        /// The sources that were tried, and why each failed.
        tried: Vec<String>,
    },
    #[error("cannot read kubeconfig {}: {why}", path.display())]
    Kubeconfig { path: PathBuf, why: String },
    /// A context, cluster or user that the kubeconfig does not have.
    #[error("{}", match context {
        Some(context) => format!(
            "context {context:?} in {source_name} refers to {what} {name:?}, which does not exist"
        ),
        None => format!("{what} {name:?} does not exist in {source_name}"),
    })]
    NotInKubeconfig {
        /// The context that refers to it; `None` if a flag does.
        context: Option<String>,
        /// `context`, `cluster` or `user`.
        what: &'static str,
        name: String,
        source_name: String,
        known: Vec<String>,
    },
    #[error(
        "no {} in {source_name}",
        if known.is_empty() { "contexts" } else { "current context" }
    )]
    NoContext {
        source_name: String,
        known: Vec<String>,
    },
    #[error("cannot use context {context:?} in {source_name}: {why}")]
    Context {
        context: String,
        source_name: String,
        why: String,
    },
    #[error("cannot log in: {0}")]
    Login(String),
    #[error("cannot set up the connection to {place}: {why}")]
    Setup { place: String, why: String },
    #[error("getting credentials: plugin {plugin}: {why}")]
    Credentials {
        /// Its command without the arguments, which may be secret.
        plugin: String,
        why: String,
        hint: Option<String>,
    },
    #[error("getting credentials: plugin {plugin:?} is not allowed by the policy in {}", path.display())]
    PluginRefused {
        /// Its command without the arguments, which may be secret.
        plugin: String,
        path: PathBuf,
    },
    #[error("cannot use kuberc {}: {why}", path.display())]
    Kuberc { path: PathBuf, why: String },
    #[error("cannot reach {server}: {why}")]
    Unreachable {
        server: String,
        /// The error of the network or of TLS.
        why: String,
        hint: Option<&'static str>,
        /// Whether the request may have arrived.
        sent: bool,
    },
    #[error(
        "{} within {} ({request})",
        if limit.is_of_context() {
            format!("{server} could not be read")
        } else {
            format!("no response from {server}")
        },
        seconds(limit.duration)
    )]
    Timeout {
        server: String,
        request: String,
        limit: TimeLimit,
    },
    #[error(
        "interrupted {} {server} ({request})",
        if *sent { "while waiting for" } else { "before a request to" }
    )]
    Interrupted {
        server: String,
        /// The request that was sent, or was about to be sent.
        request: String,
        sent: bool,
    },
    #[error("the response from {server} was cut off ({request}): {why}")]
    BrokenOff {
        server: String,
        request: String,
        why: String,
    },
    #[error("{}", status.sentence())]
    Refused { status: Box<Status> },
    /// The API server asks to retry after the end of the time limit.
    #[error(
        "{} (the server asks to retry after {}, longer than the {} timeout of {})",
        status.sentence(),
        seconds(*pause),
        if limit.is_of_context() { "context" } else { "request" },
        seconds(limit.duration)
    )]
    Later {
        status: Box<Status>,
        /// The `Retry-After` of the response.
        pause: Duration,
        limit: TimeLimit,
    },
    #[error("cannot list {what}")]
    List {
        /// The resource, such as `jobs.batch`.
        what: String,
        source: Box<ClusterError>,
    },
    #[error("the server doesn't have a resource type {plural:?} in {api_version}")]
    NoResource { plural: String, api_version: String },
    #[error("unexpected response from {server} ({request}): {why}")]
    NotKubernetes {
        server: String,
        request: String,
        why: String,
    },
    /// A namespace that cannot be part of a path.
    #[error("invalid namespace {name:?}: {why}")]
    InvalidNamespace { name: String, why: String },
}

impl ClusterError {
    /// The `Status` of the API server, if it rejected the request.
    pub fn status(&self) -> Option<&Status> {
        match self {
            ClusterError::Refused { status } | ClusterError::Later { status, .. } => Some(status),
            ClusterError::List { source, .. } => source.status(),
            _ => None,
        }
    }

    pub fn is_not_found(&self) -> bool {
        self.status().is_some_and(|status| status.code == 404)
    }

    /// Whether the object was changed in the meantime, or already exists.
    pub fn is_conflict(&self) -> bool {
        self.status().is_some_and(|status| status.code == 409)
    }

    /// Whether a change may have been made although the request failed.
    pub fn leaves_open(&self) -> bool {
        match self {
            ClusterError::Unreachable { sent, .. } | ClusterError::Interrupted { sent, .. } => {
                *sent
            }
            ClusterError::Timeout { .. }
            | ClusterError::BrokenOff { .. }
            | ClusterError::NotKubernetes { .. } => true,
            _ => self.status().is_some_and(|status| status.code >= 500),
        }
    }

    /// Whether other changes would fail in the same way: the server is unreachable, has an internal
    /// error, or rejects the credentials.
    pub fn is_of_all(&self) -> bool {
        let code = self.status().map(|status| status.code);
        code.is_none_or(|code| code == 401 || code >= 500)
    }

    /// Whether an object of that name already exists. A quota that changed in the meantime is also a
    /// conflict, with another reason.
    pub fn already_exists(&self) -> bool {
        self.status().is_some_and(Status::says_it_exists)
    }

    /// What to do about it, if that is known.
    pub fn help(&self) -> Option<String> {
        let help = match self {
            ClusterError::NoClient => "Read files with -f.",
            ClusterError::NoCluster { .. } | ClusterError::NoKubeconfig { .. } => {
                "Set the kubeconfig with --kubeconfig."
            }
            ClusterError::NotInKubeconfig { what, known, .. } => return choose(what, known),
            ClusterError::NoContext { known, .. } if known.is_empty() => {
                "Set another kubeconfig with --kubeconfig."
            }
            ClusterError::NoContext { known, .. } => return choose("context", known),
            ClusterError::Unreachable { hint, .. } => return hint.map(str::to_owned),
            ClusterError::Setup { why, .. } if why == NO_AUTHORITIES => {
                "Set certificate-authority in the kubeconfig or --certificate-authority, or set SSL_CERT_FILE to a file \
                 with CA certificates."
            }
            ClusterError::Timeout { limit, .. } | ClusterError::Later { limit, .. } => {
                return Some(format!("Increase {}.", limit.flag));
            }
            ClusterError::NoResource {
                plural,
                api_version,
            } if api_version == "batch/v1" && plural == "cronjobs" => {
                "For Kubernetes before 1.21, use --resource cronjobs.v1beta1.batch."
            }
            ClusterError::NoResource { .. } => {
                "Run \"kubectl api-resources\" for a list of resource types."
            }
            ClusterError::NotKubernetes { .. } => {
                "Check that this is the address of a Kubernetes API server."
            }
            ClusterError::Refused { status } => return status.help().map(str::to_owned),
            ClusterError::List { source, .. } => return source.help(),
            _ => return None,
        };
        Some(help.to_owned())
    }

    pub fn is_forbidden(&self) -> bool {
        self.status().is_some_and(|status| status.code == 403)
    }
}

/// Which of the existing names to use; a long list is left to kubectl.
fn choose(what: &str, known: &[String]) -> Option<String> {
    const FEW: usize = 12;
    match known.len() {
        0 => None,
        1 => Some(format!("Use --{what} {}.", known.join(", "))),
        2..=FEW => Some(format!("Use --{what} with one of: {}.", known.join(", "))),
        many => Some(format!(
            "Run \"kubectl config get-{what}s\" to list the {many} {what}s."
        )),
    }
}

pub(crate) fn seconds(duration: Duration) -> String {
    exact(i64::try_from(duration.as_secs()).unwrap_or(i64::MAX))
}

/// A time limit, and the flag that sets it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeLimit {
    pub duration: Duration,
    pub flag: &'static str,
}

impl TimeLimit {
    /// Whether the limit is for all requests about a context.
    pub(crate) fn is_of_context(self) -> bool {
        self.flag == "--context-timeout"
    }
}
