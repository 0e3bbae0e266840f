//! kubectl's flags that select a cluster, a user and a namespace.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;

use cronjob_diagnosis::kubectl::Kubectl;
use kube_access::{Access, ClusterError, ContextSelection, ReadOnce};

/// kubectl's own global flags that select a cluster and a user.
#[derive(Clone, Debug, Args)]
pub(crate) struct Connection {
    /// If present, the namespace scope for this CLI request
    ///
    /// If present, the namespace scope for this CLI request. {verbs} take several, separated by commas or in repeated
    /// flags.
    #[arg(
        long = "namespace",
        short,
        value_name = "NAMESPACE",
        value_delimiter = ','
    )]
    pub(crate) namespaces: Vec<String>,
    /// The name of the kubeconfig context to use
    ///
    /// The name of the kubeconfig context to use. {verbs} take several, separated by commas or in repeated flags. A
    /// name may contain * for any text, and ! excludes a context: --context 'prod-*,!prod-old'.
    #[arg(long = "context", value_name = "NAME")]
    pub(crate) contexts: Vec<String>,
    /// Use all contexts of the kubeconfig that --context does not exclude
    #[arg(long)]
    pub(crate) all_contexts: bool,
    /// With several contexts, the length of time to wait before giving up on one of them
    ///
    /// With several contexts, the length of time to wait before giving up on one of them. A value of zero means don't
    /// timeout contexts. (default: 10s for the first response, 1m for the context as a whole)
    #[arg(long, value_name = "DURATION", value_parser = kubectl_duration)]
    pub(crate) context_timeout: Option<std::time::Duration>,
    /// The one context that is used.
    #[arg(skip)]
    pub(crate) context: Option<String>,
    /// Whether that context is one of several.
    #[arg(skip)]
    pub(crate) is_one_of_several: bool,
    /// The kubeconfig and the preferences, once they have been read.
    #[arg(skip)]
    read_once: Arc<ReadOnce>,
    /// The contexts, if more than one was asked for.
    #[arg(skip)]
    pub(crate) several: Arc<[String]>,
    /// Path to the kubeconfig file to use for CLI requests.
    #[arg(long, value_name = "FILE")]
    pub(crate) kubeconfig: Option<PathBuf>,
    /// Path to the kuberc file to use for preferences.
    ///
    /// Path to the kuberc file to use for preferences. This can be disabled by exporting KUBECTL_KUBERC=false
    /// feature gate or turning off the feature KUBERC=off. Only credentialPluginPolicy and
    /// credentialPluginAllowlist are used.
    #[arg(long, value_name = "FILE")]
    pub(crate) kuberc: Option<PathBuf>,
    /// The length of time to wait before giving up on a single server request
    ///
    /// The length of time to wait before giving up on a single server request. Non-zero values should contain a
    /// corresponding time unit (e.g. 1s, 2m, 3h). A value of zero means don't timeout requests. (default: 30s)
    #[arg(long, value_name = "DURATION", value_parser = kubectl_duration)]
    pub(crate) request_timeout: Option<std::time::Duration>,
    /// The name of the kubeconfig cluster to use
    #[arg(long, value_name = "NAME")]
    pub(crate) cluster: Option<String>,
    /// The name of the kubeconfig user to use
    #[arg(long, value_name = "NAME")]
    pub(crate) user: Option<String>,
    /// Username to impersonate for the operation
    ///
    /// Username to impersonate for the operation. User could be a regular user or a service account in a namespace.
    #[arg(long = "as", value_name = "USER")]
    pub(crate) impersonate: Option<String>,
    /// Group to impersonate for the operation, this flag can be repeated to specify multiple groups.
    #[arg(long = "as-group", value_name = "GROUP")]
    pub(crate) impersonate_group: Vec<String>,
    /// UID to impersonate for the operation.
    #[arg(long = "as-uid", value_name = "UID")]
    pub(crate) impersonate_uid: Option<String>,
    /// The address and port of the Kubernetes API server
    #[arg(long, short, value_name = "URL")]
    pub(crate) server: Option<String>,
    /// Bearer token for authentication to the API server
    #[arg(long, value_name = "TOKEN")]
    pub(crate) token: Option<String>,
    /// Server name to use for server certificate validation
    ///
    /// Server name to use for server certificate validation. If it is not provided, the hostname used to contact
    /// the server is used
    #[arg(long, value_name = "NAME")]
    pub(crate) tls_server_name: Option<String>,
    /// If true, the server's certificate will not be checked for validity
    ///
    /// If true, the server's certificate will not be checked for validity. This will make your HTTPS connections
    /// insecure
    #[arg(long)]
    pub(crate) insecure_skip_tls_verify: bool,
    /// Path to a cert file for the certificate authority
    #[arg(long, value_name = "FILE")]
    pub(crate) certificate_authority: Option<PathBuf>,
    /// Path to a client certificate file for TLS
    #[arg(long, value_name = "FILE")]
    pub(crate) client_certificate: Option<PathBuf>,
    /// Path to a client key file for TLS
    #[arg(long, value_name = "FILE")]
    pub(crate) client_key: Option<PathBuf>,
}

/// Parses a duration as kubectl does: with units, or a bare number of seconds.
pub(crate) fn kubectl_duration(text: &str) -> Result<std::time::Duration, String> {
    let seconds = text.parse::<u64>().ok().map(std::time::Duration::from_secs);
    let with_units = || {
        let span: jiff::SignedDuration = text.parse().ok()?;
        std::time::Duration::try_from(span).ok()
    };
    seconds
        .or_else(with_units)
        .ok_or_else(|| "must be a duration such as 5s, 2m or 1h".to_owned())
}

impl Connection {
    /// The namespace, or the first of several.
    pub(crate) fn namespace(&self) -> Option<&String> {
        self.namespaces.first()
    }

    /// Leaves each namespace once. As in kubectl, an empty one counts as unset, for example from an unset
    /// variable.
    pub(crate) fn settle_namespaces(&mut self) {
        let mut known = BTreeSet::new();
        self.namespaces
            .retain(|name| !name.is_empty() && known.insert(name.clone()));
    }
}

/// The name of the cluster: the context of the kubeconfig, or else the host of the API server.
pub(crate) fn cluster_name(connection: &Connection, server: &str) -> String {
    let context = Access::from(connection).context();
    context.unwrap_or_else(|| {
        let host = server.split_once("://").map_or(server, |(_, host)| host);
        host.to_owned()
    })
}

/// How long to wait for the first response of each of several contexts, and for the context as a whole.
const CONTEXT_TIMEOUTS: [std::time::Duration; 2] = [
    std::time::Duration::from_secs(10),
    std::time::Duration::from_secs(60),
];

impl Connection {
    /// Resolves `--context` and `--all-contexts`, and returns the contexts that are left out because another one
    /// has the same cluster and user.
    pub(crate) fn settle_contexts(
        &mut self,
        by_namespace: bool,
    ) -> Result<Vec<(String, String)>, ClusterError> {
        if self.contexts.is_empty() && !self.all_contexts {
            return Ok(Vec::new());
        }
        let access = Access::from(&*self);
        match access.select_contexts(&self.contexts, self.all_contexts, by_namespace)? {
            ContextSelection::One(name) => {
                self.context = Some(name);
                Ok(Vec::new())
            }
            ContextSelection::Several { names, same } => {
                self.several = names.into();
                Ok(same)
            }
        }
    }

    /// These flags for one of several contexts.
    pub(crate) fn in_context(&self, name: &str) -> Self {
        Connection {
            context: Some(name.to_owned()),
            several: Arc::default(),
            is_one_of_several: true,
            ..self.clone()
        }
    }
}

impl From<&Connection> for Access {
    fn from(flags: &Connection) -> Self {
        Access {
            kubeconfig: flags.kubeconfig.clone(),
            kuberc: flags.kuberc.clone(),
            context: flags.context.clone(),
            cluster: flags.cluster.clone(),
            user: flags.user.clone(),
            impersonate: flags.impersonate.clone(),
            impersonate_groups: flags.impersonate_group.clone(),
            impersonate_uid: flags.impersonate_uid.clone(),
            server: flags.server.clone(),
            token: flags.token.clone(),
            tls_server_name: flags.tls_server_name.clone(),
            insecure_skip_tls_verify: flags.insecure_skip_tls_verify,
            certificate_authority: flags.certificate_authority.clone(),
            client_certificate: flags.client_certificate.clone(),
            client_key: flags.client_key.clone(),
            request_timeout: flags.request_timeout,
            context_timeouts: flags.is_one_of_several.then(|| {
                let given = flags.context_timeout.map(|timeout| [timeout; 2]);
                given.unwrap_or(CONTEXT_TIMEOUTS)
            }),
            read_once: Arc::clone(&flags.read_once),
            trace: None,
            notice: None,
        }
    }
}

impl From<&Connection> for Kubectl {
    fn from(flags: &Connection) -> Self {
        let path = |path: &Option<PathBuf>| {
            path.as_ref()
                .map(|path| path.to_string_lossy().into_owned())
        };
        let (server, has_login) = flags.server.as_deref().map(without_login).unzip();
        let mut kubectl = Kubectl::default();
        let mut add = |flag, value: Option<String>| {
            if let Some(value) = value {
                kubectl.flag(flag, &value);
            }
        };
        add("--kubeconfig", path(&flags.kubeconfig));
        add("--kuberc", path(&flags.kuberc));
        add("--context", flags.context.clone());
        add("--cluster", flags.cluster.clone());
        add("--user", flags.user.clone());
        add("--server", server);
        add("--as", flags.impersonate.clone());
        for group in &flags.impersonate_group {
            add("--as-group", Some(group.clone()));
        }
        add("--as-uid", flags.impersonate_uid.clone());
        add("--tls-server-name", flags.tls_server_name.clone());
        let authority = path(&flags.certificate_authority);
        add("--certificate-authority", authority);
        add("--client-certificate", path(&flags.client_certificate));
        add("--client-key", path(&flags.client_key));
        if flags.insecure_skip_tls_verify {
            kubectl.switch("--insecure-skip-tls-verify");
        }
        if flags.token.is_some() {
            kubectl.secret("--token");
        }
        if has_login == Some(true) {
            kubectl.secret("the login of --server");
        }
        kubectl
    }
}

/// The address without a user and password, and whether it had them.
fn without_login(server: &str) -> (String, bool) {
    let (scheme, rest) = match server.split_once("://") {
        Some((scheme, rest)) => (format!("{scheme}://"), rest),
        None => (String::new(), server),
    };
    let authority = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at(authority);
    match authority.rsplit_once('@') {
        Some((_, host)) => (format!("{scheme}{host}{path}"), true),
        None => (server.to_owned(), false),
    }
}
