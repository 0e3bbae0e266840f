//! What can go wrong between here and the API server, each with its way out.

use std::path::PathBuf;
use std::time::Duration;

use super::status::Status;
use crate::duration::exact;

/// Why the cluster gave no answer, or not the one that was hoped for.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Nothing says where the cluster is.
    #[error(
        "no cluster to ask: no kubeconfig was found\n{}\nname one with --kubeconfig, or read files with -f",
        .tried.iter().map(|tried| format!("  {tried}")).collect::<Vec<_>>().join("\n")
    )]
    NoCluster {
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
    /// A kubeconfig without a current context.
    #[error(
        "{source_name} has no current context: choose one with --context{}",
        choices("context", known)
    )]
    NoContext {
        /// The kubeconfig.
        source_name: String,
        /// The names of its contexts.
        known: Vec<String>,
    },
    /// A kubeconfig or a flag whose parts do not make a connection.
    #[error("cannot set up the connection to {place}: {why}")]
    Setup {
        /// The server, or the flag.
        place: String,
        /// What is wrong.
        why: String,
    },
    /// A credential plugin that gave no credentials.
    #[error("the kubeconfig's credential plugin gave no credentials: {why}")]
    Credentials {
        /// What it says.
        why: String,
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
    },
    /// No answer in time.
    #[error("no answer from {server} within {} ({request}); --request-timeout waits longer", exact(i64::try_from(deadline.as_secs()).unwrap_or(i64::MAX)))]
    Timeout {
        /// The address of the server.
        server: String,
        /// What was asked.
        request: String,
        /// How long the answer was awaited.
        deadline: Duration,
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
    /// A resource that is not of the form `RESOURCE.VERSION.GROUP`.
    #[error("--resource: expected RESOURCE.VERSION.GROUP, such as cronjobs.v1.batch, found {0:?}")]
    Resource(String),
}

impl Error {
    /// What the API server said, if it was it that said no.
    pub fn status(&self) -> Option<&Status> {
        match self {
            Error::Refused { status } => Some(status),
            _ => None,
        }
    }

    /// Whether the object or the resource does not exist.
    pub fn is_not_found(&self) -> bool {
        self.status().is_some_and(|status| status.code == 404)
    }

    /// Whether the rights are missing.
    pub fn is_forbidden(&self) -> bool {
        self.status().is_some_and(|status| status.code == 403)
    }
}

/// The names there are, if they are few enough to read.
fn choices(what: &str, known: &[String]) -> String {
    const FEW: usize = 12;
    match known.len() {
        0 => format!("; it has no {what}s"),
        1..=FEW => format!("; it has {}", known.join(", ")),
        many => format!("; it has {many} {what}s"),
    }
}
