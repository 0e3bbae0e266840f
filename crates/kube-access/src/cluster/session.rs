//! A connection to a cluster, for synchronous code.

use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use tokio::runtime::{Builder, Handle, Runtime};

use super::access::Access;
use super::address::without_credentials;
use super::api_request::JSON;
use super::deadline::{Deadline, TimeLimit};
use super::error::ClusterError;
use super::interruption::Interruption;
use super::login::Login;
use super::status::beginning;
use super::transport::{Response, Transport};
use crate::objects::ServerVersion;

/// The threads of a connection. They end without waiting for what they do: looking up the name of a server may take
/// longer than any timeout, and cannot be canceled.
struct Threads(Option<Runtime>);

impl Drop for Threads {
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

/// A connection to a cluster. Its methods block.
pub struct Session {
    runtime: Handle,
    _threads: Threads,
    pub(super) transport: Transport,
    namespace: String,
    /// The time for the first response of one of several contexts.
    first_response: Option<TimeLimit>,
    is_one_of_several: bool,
    /// The name of the user by the flags and the kubeconfig.
    pub(super) configured_user: Option<String>,
}

impl Session {
    /// Prepares the connection. Sends no request yet, but calls a credential plugin. Handles Ctrl-C from
    /// now on.
    pub fn open(
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
        let handle = runtime.handle().clone();
        let threads = Threads(Some(runtime));
        interruption.listen_to_ctrl_c(&handle);
        let policy = access.plugin_policy()?;
        let config = access.resolve()?;
        let proxy = config.proxy_url.as_ref();
        let proxy = proxy.map(|proxy| without_credentials(&proxy.to_string()));
        let proxy = proxy.map(|proxy| proxy.trim_end_matches('/').to_owned());
        let server = config.cluster_url.to_string();
        let server = server.trim_end_matches('/').to_owned();
        let namespace = config.default_namespace.clone();
        let timeout = TimeLimit::of_request(access.request_timeout);
        let [first_response, whole] = access.context_timeouts.map_or([None; 2], |timeouts| {
            timeouts.map(|timeout| TimeLimit::of_context(Some(timeout)))
        });
        let context_end = || whole.and_then(TimeLimit::deadline);
        let mut end = context_end();
        let limits = [timeout, first_response].map(|limit| limit.and_then(TimeLimit::deadline));
        let login = handle.block_on(Login::new(config, policy, Deadline::earliest(limits)))?;
        if login.may_prompt() {
            // The time in which a person answers does not count.
            end = context_end();
        }
        Ok(Session {
            runtime: handle,
            _threads: threads,
            transport: Transport {
                login: Arc::new(login),
                server,
                proxy,
                timeout,
                context_end: end,
                interruption,
                trace: access.trace,
                notice: access.notice,
            },
            namespace,
            first_response,
            is_one_of_several: access.context_timeouts.is_some(),
            configured_user: access.user_name(),
        })
    }

    /// Handles all signals that end the process from now on, not only Ctrl-C.
    pub fn listen_to_signals(&self) {
        let interruption = self.transport.interruption;
        interruption.listen_to_all(&self.runtime);
    }

    /// Waits for this long, or until a signal.
    pub fn pause(&self, longest: Duration) {
        let signal = self.transport.interruption.signal();
        // Either of them ends it.
        let _ = self.wait(async { tokio::time::timeout(longest, signal).await });
    }

    pub fn namespace(&self) -> &str {
        &self.namespace
    }

    /// Whether other contexts are read, too.
    pub fn is_one_of_several(&self) -> bool {
        self.is_one_of_several
    }

    pub fn server(&self) -> &str {
        &self.transport.server
    }

    pub fn version(&self) -> Result<ServerVersion, ClusterError> {
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
        let timeout = [self.first_response, self.transport.timeout];
        let timeout = timeout
            .into_iter()
            .flatten()
            .min_by_key(|limit| limit.duration);
        let transport = Transport {
            timeout,
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
