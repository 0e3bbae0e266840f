//! A connection to a cluster, for synchronous code.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use serde::Deserialize;
use tokio::runtime::{Builder, Runtime};

use super::access::Access;
use super::address::without_credentials;
use super::api_request::JSON;
use super::error::ClusterError;
use super::interruption::Interruption;
use super::kuberc::PluginPolicy;
use super::login::Login;
use super::status::beginning;
use super::transport::{Response, Transport};
use crate::controller::Release;

pub(super) const DEFAULT_DEADLINE: Duration = Duration::from_secs(30);

/// A connection to a cluster. Its methods block.
pub(crate) struct Session {
    runtime: Runtime,
    pub(super) transport: Transport,
    namespace: String,
    /// The timeout until the API server has responded.
    connect_timeout: Option<Duration>,
    /// The name of the user by the flags and the kubeconfig.
    pub(super) configured_user: Option<String>,
}

/// The version and the time of the API server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ServerVersion {
    /// `gitVersion`, such as `v1.30.4-eks-a737599`.
    pub text: String,
    /// The Kubernetes version, if it can be parsed.
    pub release: Option<Release>,
    pub date: Option<Timestamp>,
}

impl Session {
    /// Prepares the connection. Sends no request yet, but calls a credential plugin. Handles Ctrl-C from
    /// now on.
    pub(crate) fn open(
        access: &Access,
        interruption: &'static Interruption,
    ) -> Result<Self, ClusterError> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .map_err(|error| ClusterError::Setup {
                place: "the cluster".to_owned(),
                why: error.to_string(),
            })?;
        interruption.listen_to_ctrl_c(runtime.handle());
        let policy = PluginPolicy::read(access.kuberc.as_deref(), |warning| {
            if let Some(warn) = access.notice {
                warn(warning);
            }
        })?;
        let config = access.resolve()?;
        let proxy = config.proxy_url.as_ref();
        let proxy = proxy.map(|proxy| without_credentials(&proxy.to_string()));
        let proxy = proxy.map(|proxy| proxy.trim_end_matches('/').to_owned());
        let server = config.cluster_url.to_string();
        let server = server.trim_end_matches('/').to_owned();
        let namespace = config.default_namespace.clone();
        let deadline = match access.request_timeout {
            None => Some(DEFAULT_DEADLINE),
            Some(Duration::ZERO) => None,
            given => given,
        };
        let connect_timeout = [deadline, access.connect_timeout];
        let connect_timeout = connect_timeout.into_iter().flatten().min();
        let login = runtime.block_on(Login::new(config, policy, connect_timeout))?;
        Ok(Session {
            runtime,
            transport: Transport {
                login: Arc::new(login),
                server,
                proxy,
                deadline,
                interruption,
                trace: access.trace,
                notice: access.notice,
            },
            namespace,
            connect_timeout,
            configured_user: access.user_name(),
        })
    }

    /// Handles all signals that end the process from now on, not only Ctrl-C.
    pub(crate) fn listen_to_signals(&self) {
        let interruption = self.transport.interruption;
        interruption.listen_to_all(self.runtime.handle());
    }

    pub(crate) fn namespace(&self) -> &str {
        &self.namespace
    }

    /// Whether the API server has less time for its first response.
    pub(crate) fn is_one_of_several(&self) -> bool {
        self.connect_timeout != self.transport.deadline
    }

    pub(crate) fn server(&self) -> &str {
        &self.transport.server
    }

    pub(crate) fn version(&self) -> Result<ServerVersion, ClusterError> {
        self.wait(self.read_version())
    }

    /// Reads the version and the time of the API server, within the time for the first response.
    pub(super) async fn read_version(&self) -> Result<ServerVersion, ClusterError> {
        const URI: &str = "/version";
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Version {
            git_version: String,
        }
        let transport = Transport {
            deadline: self.connect_timeout,
            ..self.transport.clone()
        };
        let Response { body, date, .. } = transport.get(URI, JSON).await?;
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
