//! A connection to a cluster, for code that is not asynchronous.

use std::time::Duration;

use jiff::Timestamp;
use serde::Deserialize;
use tokio::runtime::{Builder, Runtime};

use super::access::Access;
use super::error::Error;
use super::status::beginning;
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
        let plugin = config.auth_info.exec.as_ref();
        let plugin = plugin.and_then(|exec| exec.command.clone());
        let plugin = plugin.unwrap_or_default();
        // Without the password that may be in it.
        let proxy = config.proxy_url.as_ref().map(|proxy| {
            let port = proxy.port_u16();
            let port = port.map_or_else(String::new, |port| format!(":{port}"));
            let host = proxy.host().unwrap_or_default();
            format!("{}://{host}{port}", proxy.scheme_str().unwrap_or("http"))
        });
        let server = config.cluster_url.to_string();
        let server = server.trim_end_matches('/').to_owned();
        let namespace = config.default_namespace.clone();
        let deadline = match access.request_timeout {
            None => Some(DEFAULT_DEADLINE),
            Some(Duration::ZERO) => None,
            given => given,
        };
        let made = runtime.block_on(client(config, &server, &plugin, deadline));
        let client = match made {
            Ok(client) => client,
            Err(error) => {
                // A plugin that hangs is not waited for.
                runtime.shutdown_background();
                return Err(error);
            }
        };
        Ok(Session {
            runtime,
            transport: Transport {
                client,
                server,
                plugin,
                proxy,
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
        let version: Version = serde_json::from_slice(&body).map_err(|_| {
            let why = format!("expected a version, found {}", beginning(&body));
            self.transport.not_kubernetes(URI, why)
        })?;
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
    plugin: &str,
    deadline: Option<Duration>,
) -> Result<kube::Client, Error> {
    let install_hint = config.auth_info.exec.as_ref();
    let install_hint = install_hint.and_then(|exec| exec.install_hint.clone());
    let interactive = std::io::IsTerminal::is_terminal(&std::io::stdin());
    let handle = tokio::runtime::Handle::current();
    let making = tokio::task::spawn_blocking(move || {
        let _inside = handle.enter();
        kube::Client::try_from(config)
    });
    let made = match deadline.filter(|_| !plugin.is_empty() && !interactive) {
        Some(deadline) => tokio::time::timeout(deadline, making).await,
        None => Ok(making.await),
    };
    let setup = |why: String| Error::Setup {
        place: server.to_owned(),
        why,
    };
    match made {
        Err(_) => Err(Error::Credentials {
            plugin: plugin.to_owned(),
            why: "it did not end in time; --request-timeout waits longer".to_owned(),
        }),
        Ok(Err(panic)) => Err(setup(panic.to_string())),
        Ok(Ok(Err(kube::Error::Auth(error)))) => {
            let is_missing = matches!(error, kube::client::AuthError::AuthExecStart(_));
            let mut error = credentials(plugin, &error);
            if let Error::Credentials { why, .. } = &mut error
                && let Some(hint) = install_hint.filter(|_| is_missing)
            {
                why.push('\n');
                why.push_str(hint.trim());
            }
            Err(error)
        }
        Ok(Ok(Err(error))) => Err(setup(super::unreachable::deepest(&error))),
        Ok(Ok(Ok(client))) => Ok(client),
    }
}
