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
    #[error("no cluster to ask: no kubeconfig was found")]
    NoCluster {
        /// Every source that was tried, and what was wrong with it.
        tried: Vec<String>,
    },
    /// A context, cluster or user was asked for, and there is no kubeconfig to have it.
    #[error("there is no {what} {name:?}: no kubeconfig was found")]
    NoKubeconfig {
        /// `context`, `cluster` or `user`.
        what: &'static str,
        /// The name that was asked for.
        name: String,
        /// Every source that was tried, and what was wrong with it.
        tried: Vec<String>,
    },
    /// A kubeconfig that cannot be read.
    #[error("cannot read the kubeconfig {}: {why}", path.display())]
    Kubeconfig {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// A context, cluster or user that the kubeconfig does not have.
    #[error("there is no {what} {name:?} in {source_name}{}", choices(what, known))]
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
    #[error(
        "the context {context:?} of {source_name} is for the {what} {name:?}, which is not there{}",
        choices(what, known)
    )]
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
        "{source_name} has no {}",
        match known.as_slice() {
            [] => "contexts: name another file with --kubeconfig".to_owned(),
            known => format!("current context: choose one with --context{}", choices("context", known)),
        }
    )]
    NoContext {
        /// The kubeconfig.
        source_name: String,
        /// The names of its contexts.
        known: Vec<String>,
    },
    /// A context that something is wrong with.
    #[error("cannot use the context {context:?} of {source_name}: {why}")]
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
    #[error("the kubeconfig's credential plugin {plugin} gave no credentials: {why}")]
    Credentials {
        /// Its command, without the arguments: those may be secret.
        plugin: String,
        /// What is wrong with it.
        why: String,
        /// What the kubeconfig says of where to get it.
        hint: Option<String>,
    },
    /// No connection.
    #[error("cannot reach {server}: {why}{}", hint.map(|hint| format!("; {hint}")).unwrap_or_default())]
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
    #[error("no answer from {server} within {} ({request}); --request-timeout waits longer", seconds(*deadline))]
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
        "interrupted {} of {server} ({request})",
        if *sent { "while waiting for the answer" } else { "before a request" }
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
    #[error("the answer of {server} broke off ({request}): {why}")]
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
        "{}; it says to come back in {}, and --request-timeout allows {}",
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
    #[error(
        "the server has no {plural} of {api_version}; {}",
        if api_version == "batch/v1" && plural == "cronjobs" {
            "before Kubernetes 1.21 it is --resource cronjobs.v1beta1.batch that has them"
        } else {
            "kubectl api-resources shows what it has"
        }
    )]
    NoResource {
        /// Its name.
        plural: String,
        /// Its group and version.
        api_version: String,
    },
    /// An answer that is none of Kubernetes.
    #[error("{server} gave an answer that is not Kubernetes' ({request}): {why}")]
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
    #[error("--resource: expected RESOURCE.VERSION.GROUP, such as cronjobs.v1.batch, found {0:?}")]
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

/// The names there are, if they are few enough to read.
fn choices(what: &str, known: &[String]) -> String {
    const FEW: usize = 12;
    match known.len() {
        0 => format!("; there are no {what}s"),
        1 => format!("; there is the {what} {}", known.join(", ")),
        2..=FEW => format!("; there are the {what}s {}", known.join(", ")),
        many => format!("; there are {many} {what}s"),
    }
}

pub(super) fn seconds(duration: Duration) -> String {
    exact(i64::try_from(duration.as_secs()).unwrap_or(i64::MAX))
}
