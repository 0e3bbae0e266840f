//! Who one is, as long as the server believes it.

use std::time::Duration;

use kube::{Client, Config};
use tokio::sync::RwLock;

use super::error::Error;
use super::plugin::Plugin;
use super::unreachable::deepest;

/// A client, and how to get another one when its credentials have expired.
pub(super) struct Login {
    config: Config,
    plugin: Option<Plugin>,
    client: RwLock<Client>,
}

impl Login {
    /// Logs in. A credential plugin is asked once.
    pub(super) async fn new(mut config: Config, deadline: Option<Duration>) -> Result<Self, Error> {
        let plugin = Plugin::take(&mut config.auth_info);
        let client = client(&config, plugin.as_ref(), deadline).await?;
        Ok(Login {
            config,
            plugin,
            client: RwLock::new(client),
        })
    }

    pub(super) async fn client(&self) -> Client {
        self.client.read().await.clone()
    }

    /// Logs in again, which only a plugin can do. Says whether that was possible.
    pub(super) async fn renew(&self, deadline: Option<Duration>) -> Result<bool, Error> {
        if self.plugin.is_none() {
            return Ok(false);
        }
        let mut current = self.client.write().await;
        *current = client(&self.config, self.plugin.as_ref(), deadline).await?;
        Ok(true)
    }
}

async fn client(
    config: &Config,
    plugin: Option<&Plugin>,
    deadline: Option<Duration>,
) -> Result<Client, Error> {
    let mut config = config.clone();
    if let Some(plugin) = plugin {
        plugin.ask(&mut config.auth_info, deadline).await?;
    }
    let server = config.cluster_url.to_string();
    Client::try_from(config).map_err(|error| match error {
        kube::Error::Auth(error) => super::unreachable::login(&error),
        error => Error::Setup {
            place: server.trim_end_matches('/').to_owned(),
            why: deepest(&error),
        },
    })
}
