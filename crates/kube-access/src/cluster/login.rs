//! Credentials, which are renewed when the server rejects them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use kube::config::AuthInfo;
use kube::{Client, Config};
use tokio::sync::RwLock;

use super::credential_files::load_client_certificate;
use super::deadline::Deadline;
use super::error::ClusterError;
use super::identity;
use super::kuberc::PluginPolicy;
use super::plugin::Plugin;
use super::unreachable::deepest;

pub(super) struct Login {
    config: Config,
    plugin: Option<Plugin>,
    current: RwLock<LoggedIn>,
}

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
        policy: PluginPolicy,
        deadline: Option<Deadline>,
    ) -> Result<Self, ClusterError> {
        check_provider(&config.auth_info)?;
        let plugin = Plugin::take(&mut config.auth_info, policy);
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

    /// Whether a person may have to answer before there are credentials.
    pub(super) fn may_prompt(&self) -> bool {
        let plugin = self.plugin.as_ref();
        plugin.is_some_and(|plugin| plugin.may_prompt().unwrap_or(false))
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
        deadline: Option<Deadline>,
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
    pub(super) fn accept(&self) {
        self.accepted.store(true, Ordering::Relaxed);
    }
}

async fn client(
    config: &Config,
    plugin: Option<&Plugin>,
    deadline: Option<Deadline>,
) -> Result<Client, ClusterError> {
    let mut config = config.clone();
    if let Some(plugin) = plugin {
        plugin.ask(&mut config.auth_info, deadline).await?;
    }
    identity::put_into_headers(&mut config)?;
    let server = config.cluster_url.to_string();
    let setup = |why| ClusterError::Setup {
        place: server.trim_end_matches('/').to_owned(),
        why,
    };
    load_client_certificate(&mut config.auth_info).map_err(setup)?;
    super::client::client(config).map_err(|error| match error {
        kube::Error::Auth(error) => super::unreachable::login(&error),
        error => setup(deepest(&error)),
    })
}

/// An error if kubectl has no such provider of credentials. kube would run the programs of some that kubectl no
/// longer has.
fn check_provider(user: &AuthInfo) -> Result<(), ClusterError> {
    let Some(provider) = &user.auth_provider else {
        return Ok(());
    };
    let name = &provider.name;
    let instead = match name.as_str() {
        "oidc" => return Ok(()),
        "gcp" => "gke-gcloud-auth-plugin",
        "azure" => "https://github.com/Azure/kubelogin",
        _ => {
            let why = format!("no auth provider found for name {name:?}");
            return Err(ClusterError::Login(why));
        }
    };
    Err(ClusterError::Login(format!(
        "the {name} auth plugin has been removed; use the credential plugin {instead} instead"
    )))
}
