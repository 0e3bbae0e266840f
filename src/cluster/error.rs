//! What can go wrong between here and the API server, each with its way out.

use std::path::PathBuf;
use std::time::Duration;

use super::status::Status;
use crate::duration::exact;

/// Why the cluster gave no answer, or not the one that was hoped for.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub(crate) enum ClusterError {
    /// Nothing says where the cluster is.
    #[error("no cluster configured: no kubeconfig found")]
    NoCluster {
        /// Every source that was tried, and what was wrong with it.
        tried: Vec<String>,
    },
    /// A context, cluster or user was asked for, and there is no kubeconfig to have it.
    #[error("{what} {name:?} does not exist: no kubeconfig found")]
    NoKubeconfig {
        /// `context`, `cluster` or `user`.
        what: &'static str,
        /// The name that was asked for.
        name: String,
        /// Every source that was tried, and what was wrong with it.
        tried: Vec<String>,
    },
    /// A kubeconfig that cannot be read.
    #[error("cannot read kubeconfig {}: {why}", path.display())]
    Kubeconfig {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// A context, cluster or user that the kubeconfig does not have.
    #[error("{what} {name:?} does not exist in {source_name}")]
    NotInKubeconfig {
        /// `context`, `cluster` or `user`.
        what: &'static str,
        /// The name that was asked for.
        name: String,
        /// The kubeconfig.
        source_name: String,
        /// The names that it has.
        known: Vec<String>,
    },
    /// A context that names a cluster or a user that is not there.
    #[error("context {context:?} in {source_name} refers to {what} {name:?}, which does not exist")]
    Dangling {
        /// The context.
        context: String,
        /// `cluster` or `user`.
        what: &'static str,
        /// The name that it has.
        name: String,
        /// The kubeconfig.
        source_name: String,
        /// The names that there are.
        known: Vec<String>,
    },
    /// A kubeconfig without a current context.
    #[error(
        "no {} in {source_name}",
        if known.is_empty() { "contexts" } else { "current context" }
    )]
    NoContext {
        /// The kubeconfig.
        source_name: String,
        /// The names of its contexts.
        known: Vec<String>,
    },
    /// A context that something is wrong with.
    #[error("cannot use context {context:?} in {source_name}: {why}")]
    Context {
        /// The context.
        context: String,
        /// The kubeconfig.
        source_name: String,
        /// What is wrong with it.
        why: String,
    },
    /// A login of the kubeconfig that comes to nothing.
    #[error("cannot log in: {0}")]
    Login(String),
    /// A kubeconfig or a flag whose parts do not make a connection.
    #[error("cannot set up the connection to {place}: {why}")]
    Setup {
        /// The server, or the flag.
        place: String,
        /// What is wrong.
        why: String,
    },
    /// A credential plugin that gave no credentials.
    #[error("getting credentials: plugin {plugin}: {why}")]
    Credentials {
        /// Its command, without the arguments: those may be secret.
        plugin: String,
        /// What is wrong with it.
        why: String,
        /// What the kubeconfig says of where to get it.
        hint: Option<String>,
    },
    /// No connection.
    #[error("cannot reach {server}: {why}")]
    Unreachable {
        /// The address of the server.
        server: String,
        /// What the network or the encryption says.
        why: String,
        /// What to do about it.
        hint: Option<&'static str>,
        /// Whether the request may have arrived.
        sent: bool,
    },
    /// No answer in time.
    #[error("no response from {server} within {} ({request})", seconds(*deadline))]
    Timeout {
        /// The address of the server.
        server: String,
        /// What was asked.
        request: String,
        /// How long the answer was awaited.
        deadline: Duration,
    },
    /// A signal ended the waiting.
    #[error(
        "interrupted {} {server} ({request})",
        if *sent { "while waiting for" } else { "before a request to" }
    )]
    Interrupted {
        /// The address of the server.
        server: String,
        /// What was asked, or was about to be.
        request: String,
        /// Whether it was asked.
        sent: bool,
    },
    /// An answer that broke off.
    #[error("the response from {server} was cut off ({request}): {why}")]
    BrokenOff {
        /// The address of the server.
        server: String,
        /// What was asked.
        request: String,
        /// What the network says.
        why: String,
    },
    /// The API server says no.
    #[error("{}", status.sentence())]
    Refused {
        /// What it says.
        status: Box<Status>,
    },
    /// The API server wants to be asked again later than an answer is awaited.
    #[error(
        "{} (the server asks to retry after {}, longer than the request timeout of {})",
        status.sentence(), seconds(*pause), seconds(*deadline)
    )]
    Later {
        /// What it says.
        status: Box<Status>,
        /// After which time it wants to be asked again.
        pause: Duration,
        /// How long the answer was awaited.
        deadline: Duration,
    },
    /// A list that could not be had.
    #[error("cannot list {what}")]
    List {
        /// The resource, such as `jobs.batch`.
        what: String,
        /// Why not.
        source: Box<ClusterError>,
    },
    /// A resource that the server does not have.
    #[error("the server doesn't have a resource type {plural:?} in {api_version}")]
    NoResource {
        /// Its name.
        plural: String,
        /// Its group and version.
        api_version: String,
    },
    /// An answer that is none of Kubernetes.
    #[error("unexpected response from {server} ({request}): {why}")]
    NotKubernetes {
        /// The address of the server.
        server: String,
        /// What was asked.
        request: String,
        /// What is wrong with it.
        why: String,
    },
    /// A namespace that cannot be part of a path.
    #[error("invalid namespace {name:?}: {why}")]
    InvalidNamespace {
        /// Its name.
        name: String,
        /// What is wrong with it.
        why: String,
    },
    /// A resource that is not of the form `RESOURCE.VERSION.GROUP`.
    #[error(
        "--resource: {0:?} is not valid: must be RESOURCE.VERSION.GROUP, such as cronjobs.v1.batch"
    )]
    Resource(String),
}

impl ClusterError {
    /// What the API server said, if it was it that said no.
    pub(crate) fn status(&self) -> Option<&Status> {
        match self {
            ClusterError::Refused { status } | ClusterError::Later { status, .. } => Some(status),
            ClusterError::List { source, .. } => source.status(),
            _ => None,
        }
    }

    /// Whether the object or the resource does not exist.
    pub(crate) fn is_not_found(&self) -> bool {
        self.status().is_some_and(|status| status.code == 404)
    }

    /// Whether the object is another one by now than the change was meant for, or is there already.
    pub(crate) fn is_conflict(&self) -> bool {
        self.status().is_some_and(|status| status.code == 409)
    }

    /// Whether a change may have been made in spite of the error: the answer was lost on the way.
    pub(crate) fn leaves_open(&self) -> bool {
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

    /// Whether other changes would fail in the same way: the server is gone, is broken, or does not know
    /// us any more.
    pub(crate) fn is_of_all(&self) -> bool {
        let code = self.status().map(|status| status.code);
        code.is_none_or(|code| code == 401 || code >= 500)
    }

    /// Whether there is an object of that name. A quota that changed in the meantime is a conflict, too,
    /// and says nothing of the kind.
    pub(crate) fn already_exists(&self) -> bool {
        self.status().is_some_and(Status::says_it_exists)
    }

    /// Whether the credentials are not accepted.
    pub(crate) fn is_unauthorized(&self) -> bool {
        self.status().is_some_and(|status| status.code == 401)
    }

    /// What to do about it, if that is known.
    pub(crate) fn help(&self) -> Option<String> {
        let help = match self {
            ClusterError::NoCluster { .. } | ClusterError::NoKubeconfig { .. } => {
                "Set the kubeconfig with --kubeconfig."
            }
            ClusterError::NotInKubeconfig { what, known, .. }
            | ClusterError::Dangling { what, known, .. } => return choose(what, known),
            ClusterError::NoContext { known, .. } if known.is_empty() => {
                "Set another kubeconfig with --kubeconfig."
            }
            ClusterError::NoContext { known, .. } => return choose("context", known),
            ClusterError::Unreachable { hint, .. } => return hint.map(str::to_owned),
            ClusterError::Timeout { .. } | ClusterError::Later { .. } => {
                "Increase --request-timeout."
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

    /// How long the server wants not to be asked again.
    pub(super) fn wanted_pause(&self) -> Duration {
        match self {
            ClusterError::Later { pause, .. } => *pause,
            ClusterError::List { source, .. } => source.wanted_pause(),
            _ => Duration::ZERO,
        }
    }

    /// Whether the rights are missing.
    pub(crate) fn is_forbidden(&self) -> bool {
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

pub(super) fn seconds(duration: Duration) -> String {
    exact(i64::try_from(duration.as_secs()).unwrap_or(i64::MAX))
}
