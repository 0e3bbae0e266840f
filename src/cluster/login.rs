//! Credentials, which are renewed when the server rejects them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use kube::{Client, Config};
use tokio::sync::RwLock;

use super::address::without_credentials;
use super::error::ClusterError;
use super::identity;
use super::plugin::Plugin;
use super::unreachable::deepest;

/// Creates clients, and renews their credentials.
pub(super) struct Login {
    config: Config,
    plugin: Option<Plugin>,
    current: RwLock<LoggedIn>,
}

/// A client with credentials.
#[derive(Clone)]
pub(super) struct LoggedIn {
    pub(super) client: Client,
    /// The number of clients before it.
    number: usize,
    /// Whether the server has accepted its credentials.
    accepted: Arc<AtomicBool>,
}

impl Login {
    /// Logs in. A credential plugin is called once.
    pub(super) async fn new(
        mut config: Config,
        deadline: Option<Duration>,
    ) -> Result<Self, ClusterError> {
        let plugin = Plugin::take(&mut config.auth_info);
        let client = client(&config, plugin.as_ref(), deadline).await?;
        Ok(Login {
            config,
            plugin,
            current: RwLock::new(LoggedIn {
                client,
                number: 0,
                accepted: Arc::default(),
            }),
        })
    }

    pub(super) async fn current(&self) -> LoggedIn {
        self.current.read().await.clone()
    }

    /// Replaces rejected credentials, if a plugin or a token file may have new ones.
    /// Returns whether to try again. Requests that were rejected at the same time share the new
    /// credentials; if these are rejected as well, they are not replaced.
    pub(super) async fn renew(
        &self,
        refused: &LoggedIn,
        deadline: Option<Duration>,
    ) -> Result<bool, ClusterError> {
        if self.plugin.is_none() && self.config.auth_info.token_file.is_none() {
            return Ok(false);
        }
        let mut current = self.current.write().await;
        if current.number != refused.number {
            return Ok(true);
        }
        if current.number > 0 && !current.accepted.load(Ordering::Relaxed) {
            return Ok(false);
        }
        match client(&self.config, self.plugin.as_ref(), deadline).await {
            Ok(client) => {
                *current = LoggedIn {
                    client,
                    number: refused.number + 1,
                    accepted: Arc::default(),
                };
                Ok(true)
            }
            Err(_) if self.plugin.is_none() => Ok(false),
            Err(error) => Err(error),
        }
    }
}

impl LoggedIn {
    /// The server has accepted the credentials.
    pub(super) fn accept(&self) {
        self.accepted.store(true, Ordering::Relaxed);
    }
}

async fn client(
    config: &Config,
    plugin: Option<&Plugin>,
    deadline: Option<Duration>,
) -> Result<Client, ClusterError> {
    let mut config = config.clone();
    if let Some(plugin) = plugin {
        plugin.ask(&mut config.auth_info, deadline).await?;
    }
    identity::put_into_headers(&mut config)?;
    let server = config.cluster_url.to_string();
    Client::try_from(config).map_err(|error| match error {
        kube::Error::Auth(error) => super::unreachable::login(&error),
        error => ClusterError::Setup {
            place: server.trim_end_matches('/').to_owned(),
            why: match error {
                kube::Error::ProxyProtocolUnsupported { proxy_url } => format!(
                    "unsupported proxy {}: must be http, https or socks5",
                    without_credentials(&proxy_url.to_string())
                ),
                error => deepest(&error),
            },
        },
    })
}
