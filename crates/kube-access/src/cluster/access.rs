//! Selects the cluster and the user by kubectl's rules.
//!
//! The flags come first; then the file of `--kubeconfig`; then those of `KUBECONFIG`; then
//! `~/.kube/config`; and last the service account of a pod.

use std::env;
use std::path::PathBuf;
use std::sync::OnceLock;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use http::Uri;
use http::uri::Scheme;
use kube::Config;
use kube::config::{AuthInfo, Cluster, Context, InClusterError, Kubeconfig, KubeconfigError};
use secrecy::{ExposeSecret as _, SecretString};

use super::address::{take_credentials, without_credentials};
use super::credential_files::{certificates, content, load_client_certificate};
use super::error::ClusterError;
use super::kubeconfig::{self, MergedKubeconfig};
use super::kuberc::PluginPolicy;
use super::proxy;
pub(super) use crate::access::Access;
use crate::access::KubeconfigNames;

/// What does not depend on the context, once it has been read.
#[derive(Debug, Default)]
pub struct ReadOnce {
    kubeconfig: OnceLock<Option<MergedKubeconfig>>,
    policy: OnceLock<PluginPolicy>,
}

/// The name of the context that is created from flags.
const OF_FLAGS: &str = "(flags)";

const SERVICE_ACCOUNT: &str = "/var/run/secrets/kubernetes.io/serviceaccount";

impl Access {
    /// The configuration that results from the flags, the files and the environment.
    pub(super) fn resolve(&self) -> Result<Config, ClusterError> {
        let mut config = match self.kubeconfig()? {
            Some(kubeconfig) => self.in_kubeconfig(kubeconfig)?,
            None => self.elsewhere()?,
        };
        self.override_user(&mut config.auth_info);
        if config.cluster_url.scheme() == Some(&Scheme::HTTP) {
            let place =
                || without_credentials(config.cluster_url.to_string().trim_end_matches('/'));
            keep_for_tls(&mut config.auth_info).map_err(|why| ClusterError::Setup {
                place: place(),
                why,
            })?;
        }
        if let Some((user, password)) = take_credentials(&mut config.cluster_url) {
            // As with kubectl, they take precedence.
            let login = &mut config.auth_info;
            forget_login(login);
            login.username = Some(user);
            login.password = Some(password.into());
        }
        let user = &config.auth_info;
        let has_groups = user
            .impersonate_groups
            .as_ref()
            .is_some_and(|groups| !groups.is_empty());
        if user.impersonate.is_none() && (has_groups || user.impersonate_uid.is_some()) {
            return Err(ClusterError::Login(
                "impersonating a group or a UID requires a user (--as)".to_owned(),
            ));
        }
        if config.proxy_url.is_none() {
            config.proxy_url = proxy::of_environment(&config.cluster_url)?;
        }
        // Retries have a deadline of their own here, and so has the connection.
        config.default_retry = false;
        config.connect_timeout = None;
        if is_loopback(&config.cluster_url) {
            // On the same machine, compressing takes longer than copying.
            config.disable_compression = true;
        }
        Ok(config)
    }

    /// The name of the selected context, if it has one.
    pub fn context(&self) -> Option<String> {
        let given = || self.kubeconfig().ok()??.current_context.clone();
        let context = self.context.clone().or_else(given);
        context.filter(|context| !context.is_empty())
    }

    /// The merged kubeconfig, which is read once.
    pub(super) fn kubeconfig(&self) -> Result<Option<&MergedKubeconfig>, ClusterError> {
        if let Some(read) = self.read_once.kubeconfig.get() {
            return Ok(read.as_ref());
        }
        let read = self.read_kubeconfig()?;
        Ok(self.read_once.kubeconfig.get_or_init(|| read).as_ref())
    }

    fn read_kubeconfig(&self) -> Result<Option<MergedKubeconfig>, ClusterError> {
        if let Some(path) = &self.kubeconfig {
            let name = path.display().to_string();
            return Ok(Some(MergedKubeconfig::new(kubeconfig::read(path)?, name)));
        }
        let listed = listed_kubeconfigs();
        let paths = if listed.is_empty() {
            home_kubeconfig().into_iter().collect()
        } else {
            listed
        };
        let there: Vec<PathBuf> = paths.into_iter().filter(|path| path.exists()).collect();
        let mut merged: Option<Kubeconfig> = None;
        for path in &there {
            let next = kubeconfig::read(path)?;
            merged = Some(match merged {
                None => next,
                Some(before) => before
                    .merge(next)
                    .map_err(|error| ClusterError::Kubeconfig {
                        path: path.clone(),
                        why: error.to_string(),
                    })?,
            });
        }
        let names: Vec<String> = there
            .iter()
            .map(|path| path.display().to_string())
            .collect();
        Ok(merged.map(|merged| MergedKubeconfig::new(merged, names.join(", "))))
    }

    /// Which credential plugins may run. The preferences are read once.
    pub(super) fn plugin_policy(&self) -> Result<PluginPolicy, ClusterError> {
        if let Some(read) = self.read_once.policy.get() {
            return Ok(read.clone());
        }
        let policy = PluginPolicy::read(self.kuberc.as_deref(), |warning| {
            if let Some(warn) = self.notice {
                warn(warning);
            }
        })?;
        Ok(self.read_once.policy.get_or_init(|| policy).clone())
    }

    pub fn kubeconfig_names(&self) -> Result<KubeconfigNames, ClusterError> {
        let kubeconfig = self.kubeconfig()?;
        let names = kubeconfig.map(|kubeconfig| kubeconfig.names.clone());
        Ok(names.unwrap_or_default())
    }

    pub(super) fn in_kubeconfig(
        &self,
        kubeconfig: &MergedKubeconfig,
    ) -> Result<Config, ClusterError> {
        let (context, chosen) = self.choose_context(kubeconfig)?;
        let MergedKubeconfig {
            source_name, names, ..
        } = kubeconfig;
        // A flag names it, or else the context refers to it.
        let missing =
            |is_flag: bool, what, name: &str, known: &[String]| ClusterError::NotInKubeconfig {
                context: (!is_flag).then(|| context.clone()),
                what,
                name: name.to_owned(),
                source_name: source_name.clone(),
                known: known.to_owned(),
            };
        let Some(chosen) = chosen else {
            return Err(missing(true, "context", &context, &names.contexts));
        };
        let cluster_name = self.cluster.as_ref().unwrap_or(&chosen.cluster);
        let is_of_flags = self.cluster.is_none() && cluster_name == OF_FLAGS;
        let of_flags = is_of_flags.then(Cluster::default);
        let cluster = kubeconfig.clusters.get(cluster_name).cloned().or(of_flags);
        let Some(mut cluster) = cluster else {
            let is_flag = self.cluster.is_some();
            return Err(missing(is_flag, "cluster", cluster_name, &names.clusters));
        };
        self.override_cluster(&mut cluster);
        let user_name = chosen.user.filter(|user| !user.is_empty());
        let user_name = self.user.clone().or(user_name);
        let user = user_name
            .as_ref()
            .and_then(|name| kubeconfig.users.get(name));
        if let (None, Some(name)) = (user, &user_name)
            && (self.user.is_some() || !self.says_who())
        {
            return Err(missing(self.user.is_some(), "user", name, &names.users));
        }
        let configured = configure(cluster_name, cluster, user.cloned().unwrap_or_default());
        let mut config = configured.map_err(|why| match &self.server {
            // The context was created from flags: its name means nothing to the user.
            Some(server) if context == OF_FLAGS => ClusterError::Setup {
                place: without_credentials(&with_scheme(server)),
                why,
            },
            _ => ClusterError::Context {
                context,
                source_name: source_name.clone(),
                why,
            },
        })?;
        if let Some(namespace) = chosen.namespace.filter(|namespace| !namespace.is_empty()) {
            config.default_namespace = namespace;
        }
        Ok(config)
    }

    /// Whether the flags alone identify the user.
    pub(super) fn says_who(&self) -> bool {
        self.token.is_some() || self.client_certificate.is_some()
    }

    /// The context and its name. One is created if the flags are sufficient.
    fn choose_context(
        &self,
        kubeconfig: &MergedKubeconfig,
    ) -> Result<(String, Option<Context>), ClusterError> {
        let current = &kubeconfig.current_context;
        if let Some(wanted) = self.context.as_ref().or(current.as_ref()) {
            return Ok((wanted.clone(), kubeconfig.contexts.get(wanted).cloned()));
        }
        let cluster = match (&self.cluster, &self.server) {
            (Some(cluster), _) => cluster.clone(),
            (None, Some(_)) => OF_FLAGS.to_owned(),
            (None, None) => {
                return Err(ClusterError::NoContext {
                    source_name: kubeconfig.source_name.clone(),
                    known: kubeconfig.names.contexts.clone(),
                });
            }
        };
        let context = Context {
            cluster,
            user: self.user.clone(),
            ..Context::default()
        };
        Ok((OF_FLAGS.to_owned(), Some(context)))
    }

    /// The configuration without a kubeconfig: from flags, or from the pod.
    fn elsewhere(&self) -> Result<Config, ClusterError> {
        let named = [
            ("context", &self.context),
            ("cluster", &self.cluster),
            ("user", &self.user),
        ];
        for (what, name) in named {
            if let Some(name) = name {
                return Err(ClusterError::NoKubeconfig {
                    what,
                    name: name.clone(),
                    tried: tried_files(),
                });
            }
        }
        if self.server.is_some() {
            let name = "the flags".to_owned();
            return self.in_kubeconfig(&MergedKubeconfig::new(Kubeconfig::default(), name));
        }
        Config::incluster().map_err(|error| ClusterError::NoCluster {
            tried: tried(&error),
        })
    }

    fn override_cluster(&self, cluster: &mut Cluster) {
        if let Some(server) = &self.server {
            cluster.server = Some(with_scheme(server));
        }
        if let Some(path) = &self.certificate_authority {
            cluster.certificate_authority = Some(path.display().to_string());
            cluster.certificate_authority_data = None;
        }
        if self.insecure_skip_tls_verify {
            // Both together would be rejected: the flag wins.
            cluster.insecure_skip_tls_verify = Some(true);
            cluster.certificate_authority = None;
            cluster.certificate_authority_data = None;
        }
        if let Some(name) = &self.tls_server_name {
            cluster.tls_server_name = Some(name.clone());
        }
    }

    fn override_user(&self, user: &mut AuthInfo) {
        if let Some(token) = &self.token {
            // As with kubectl, a token replaces all other credentials.
            forget_login(user);
            user.token = Some(token.clone().into());
        }
        if let Some(path) = &self.client_certificate {
            user.client_certificate = Some(path.display().to_string());
            user.client_certificate_data = None;
        }
        if let Some(path) = &self.client_key {
            user.client_key = Some(path.display().to_string());
            user.client_key_data = None;
        }
        if let Some(name) = &self.impersonate {
            user.impersonate = Some(name.clone());
        }
        if !self.impersonate_groups.is_empty() {
            user.impersonate_groups = Some(self.impersonate_groups.clone());
        }
        if let Some(uid) = &self.impersonate_uid {
            user.impersonate_uid = Some(uid.clone());
        }
    }
}

/// Forgets all credentials for a server without TLS: as in kubectl, they are not sent, and no plugin is run. A
/// certificate must be readable nevertheless.
fn keep_for_tls(user: &mut AuthInfo) -> Result<(), String> {
    load_client_certificate(user)?;
    user.client_certificate_data = None;
    user.client_key_data = None;
    forget_login(user);
    Ok(())
}

fn forget_login(user: &mut AuthInfo) {
    user.exec = None;
    user.auth_provider = None;
    user.token = None;
    user.token_file = None;
    user.username = None;
    user.password = None;
}

/// The configuration of a cluster and a user, or why there is none. kube would read the files without a
/// limit, and apply `NO_PROXY` to `proxy-url`, unlike kubectl.
fn configure(name: &str, mut cluster: Cluster, mut user: AuthInfo) -> Result<Config, String> {
    let server = cluster.server.clone().filter(|server| !server.is_empty());
    let server = server.ok_or("the cluster has no server address")?;
    let server = with_scheme(&server).parse::<Uri>();
    let server = server.map_err(|error| format!("invalid server address: {error}"))?;
    check_methods(&server, &cluster, &user)?;
    let mut config = Config::new(server);
    let data = cluster.certificate_authority_data.take();
    let path = cluster.certificate_authority.take();
    let what = "certificate authority";
    if let Some(authority) = content(what, data.as_deref(), path.as_deref())? {
        config.root_cert = Some(certificates(&authority)?);
        cluster.certificate_authority_data = Some(BASE64_STANDARD.encode(authority));
    }
    let proxy = cluster.proxy_url.as_deref();
    config.proxy_url = proxy
        .filter(|proxy| !proxy.is_empty())
        .map(proxy::of_kubeconfig)
        .transpose()
        .map_err(|why| format!("invalid proxy-url of cluster {name:?}: {why}"))?;
    config.accept_invalid_certs = cluster.insecure_skip_tls_verify.unwrap_or(false);
    if config.accept_invalid_certs {
        // Otherwise kube would read the certificates of this machine first.
        config.root_cert = Some(Vec::new());
    }
    config.disable_compression = cluster.disable_compression.unwrap_or(false);
    config.tls_server_name = cluster.tls_server_name.clone();
    if let Some(exec) = user.exec.as_mut().filter(|exec| exec.provide_cluster_info) {
        let cluster = (&cluster).try_into();
        exec.cluster = Some(cluster.map_err(|error: KubeconfigError| error.to_string())?);
    }
    config.auth_info = user;
    Ok(config)
}

/// An error if kubectl rejects such a cluster and user: it is not clear which of two settings is meant.
fn check_methods(server: &Uri, cluster: &Cluster, user: &AuthInfo) -> Result<(), String> {
    let is_set = |field: &Option<String>| field.as_ref().is_some_and(|text| !text.is_empty());
    let is_given = |secret: &Option<SecretString>| {
        let secret = secret.as_ref();
        secret.is_some_and(|secret| !secret.expose_secret().is_empty())
    };
    let has_authority =
        is_set(&cluster.certificate_authority) || is_set(&cluster.certificate_authority_data);
    let is_insecure = cluster.insecure_skip_tls_verify == Some(true);
    if has_authority && is_insecure && server.scheme() != Some(&Scheme::HTTP) {
        return Err(
            "specifying a root certificates file with the insecure flag is not allowed".to_owned(),
        );
    }
    if is_given(&user.token) && (is_set(&user.username) || is_given(&user.password)) {
        return Err(
            "more than one authentication method found: token and basicAuth; only one is allowed"
                .to_owned(),
        );
    }
    Ok(())
}

fn listed_kubeconfigs() -> Vec<PathBuf> {
    let list = env::var_os("KUBECONFIG").unwrap_or_default();
    let paths = env::split_paths(&list);
    paths.filter(|path| !path.as_os_str().is_empty()).collect()
}

fn home_kubeconfig() -> Option<PathBuf> {
    Some(env::home_dir()?.join(".kube").join("config"))
}

fn tried(in_pod: &InClusterError) -> Vec<String> {
    let mut tried = tried_files();
    let pod = if env::var_os("KUBERNETES_SERVICE_HOST").is_none() {
        "not running in a pod (KUBERNETES_SERVICE_HOST is not set)".to_owned()
    } else {
        format!("{SERVICE_ACCOUNT}: {in_pod}")
    };
    tried.push(format!("service account: {pod}"));
    tried
}

/// The kubeconfig files that do not exist.
pub(super) fn tried_files() -> Vec<String> {
    let listed = listed_kubeconfigs();
    if !listed.is_empty() {
        let missing = listed.iter();
        let missing = missing.map(|path| format!("KUBECONFIG: {} does not exist", path.display()));
        return missing.collect();
    }
    let home = match home_kubeconfig() {
        Some(path) => format!("~/.kube/config: {} does not exist", path.display()),
        None => "~/.kube/config: no home directory".to_owned(),
    };
    vec!["KUBECONFIG: not set".to_owned(), home]
}

/// Adds `http://` to a host without a scheme, as kubectl does.
fn with_scheme(server: &str) -> String {
    if server.contains("://") {
        server.to_owned()
    } else {
        format!("http://{server}")
    }
}

fn is_loopback(server: &Uri) -> bool {
    let host = server.host().unwrap_or_default();
    let host = host.trim_start_matches('[').trim_end_matches(']');
    let address = host.parse::<std::net::IpAddr>();
    host == "localhost" || address.is_ok_and(|address| address.is_loopback())
}
