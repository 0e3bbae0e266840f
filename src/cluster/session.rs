//! A connection to a cluster, for code that is not asynchronous.

use std::time::Duration;

use jiff::Timestamp;
use serde::Deserialize;
use tokio::runtime::{Builder, Runtime};

use super::access::Access;
use super::error::Error;
use super::transport::{Answer, Transport};
use super::unreachable::credentials;
use crate::controller::Release;

/// How long an answer may take where nothing else is said.
pub const DEFAULT_DEADLINE: Duration = Duration::from_secs(30);

/// A connection to a cluster. Its methods wait for the answers.
pub struct Session {
    runtime: Runtime,
    pub(super) transport: Transport,
    namespace: String,
}

/// What the server says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerVersion {
    /// As it writes it, such as `v1.30.4-eks-a737599`.
    pub text: String,
    /// The release that this stands for, if it can be read.
    pub release: Option<Release>,
    /// Its clock.
    pub date: Option<Timestamp>,
}

impl Session {
    /// Prepares the connection. Only a credential plugin is asked already. `interrupted` is called
    /// when the user has had enough, even while an answer is awaited.
    pub fn open(access: &Access, interrupted: fn()) -> Result<Self, Error> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .map_err(|error| Error::Setup {
                place: "this machine".to_owned(),
                why: error.to_string(),
            })?;
        runtime.spawn(async move {
            if tokio::signal::ctrl_c().await.is_ok() {
                interrupted();
            }
        });
        let config = runtime.block_on(access.resolve())?;
        let server = config.cluster_url.to_string();
        let server = server.trim_end_matches('/').to_owned();
        let namespace = config.default_namespace.clone();
        let deadline = match access.request_timeout {
            None => Some(DEFAULT_DEADLINE),
            Some(Duration::ZERO) => None,
            given => given,
        };
        let client = runtime.block_on(client(config, &server, deadline))?;
        Ok(Session {
            runtime,
            transport: Transport {
                client,
                server,
                deadline,
            },
            namespace,
        })
    }

    /// The namespace of the context.
    pub fn namespace(&self) -> &str {
        &self.namespace
    }

    /// The address of the server.
    pub fn server(&self) -> &str {
        &self.transport.server
    }

    /// Asks the server for its version, and for the time.
    pub fn version(&self) -> Result<ServerVersion, Error> {
        const URI: &str = "/version";
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Version {
            git_version: String,
        }
        let Answer { body, date, .. } = self.wait(self.transport.get(URI, "application/json"))?;
        let version: Version = serde_json::from_slice(&body)
            .map_err(|_| self.transport.not_kubernetes(URI, "it has no gitVersion"))?;
        Ok(ServerVersion {
            release: version.git_version.parse().ok(),
            text: version.git_version,
            date,
        })
    }

    pub(super) fn wait<T>(&self, future: impl Future<Output = T>) -> T {
        self.runtime.block_on(future)
    }
}

/// Making the client runs the credential plugin, which may ask a person or hang: it gets a thread
/// of its own, and no longer than an answer may take.
async fn client(
    config: kube::Config,
    server: &str,
    deadline: Option<Duration>,
) -> Result<kube::Client, Error> {
    let plugin = config.auth_info.exec.as_ref();
    let plugin = plugin.and_then(|exec| exec.command.clone());
    let interactive = std::io::IsTerminal::is_terminal(&std::io::stdin());
    let handle = tokio::runtime::Handle::current();
    let making = tokio::task::spawn_blocking(move || {
        let _inside = handle.enter();
        kube::Client::try_from(config)
    });
    let made = match deadline.filter(|_| plugin.is_some() && !interactive) {
        Some(deadline) => tokio::time::timeout(deadline, making).await,
        None => Ok(making.await),
    };
    let setup = |why: String| Error::Setup {
        place: server.to_owned(),
        why,
    };
    match made {
        Err(_) => Err(Error::Credentials {
            why: format!(
                "{} did not end in time; --request-timeout waits longer",
                plugin.unwrap_or_default()
            ),
        }),
        Ok(Err(panic)) => Err(setup(panic.to_string())),
        Ok(Ok(Err(kube::Error::Auth(error)))) => Err(Error::Credentials {
            why: credentials(&error),
        }),
        Ok(Ok(Err(error))) => Err(setup(super::unreachable::deepest(&error))),
        Ok(Ok(Ok(client))) => Ok(client),
    }
}
