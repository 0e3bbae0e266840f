//! How the cluster is reached: kubectl's own flags.

use std::path::PathBuf;

use clap::Args;

use crate::cluster::Access;
use crate::kubectl::Kubectl;

/// How the cluster is reached.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Cluster")]
pub(in crate::cli) struct Connection {
    /// Only CronJobs of this namespace (default: the context's)
    #[arg(long, short, global = true, value_name = "NAMESPACE")]
    pub(in crate::cli) namespace: Option<String>,
    /// The context of the kubeconfig to use
    #[arg(long, global = true, value_name = "NAME")]
    pub(in crate::cli) context: Option<String>,
    /// The kubeconfig to use (default: $KUBECONFIG, or ~/.kube/config)
    #[arg(long, global = true, value_name = "FILE")]
    pub(in crate::cli) kubeconfig: Option<PathBuf>,
    /// How long to wait for each answer, such as 5s or 2m; 0 waits for ever (default: 30s)
    #[arg(long, global = true, value_name = "DURATION", value_parser = kubectl_duration, hide_short_help = true)]
    pub(in crate::cli) request_timeout: Option<std::time::Duration>,
    /// The cluster of the kubeconfig to use
    #[arg(long, global = true, value_name = "NAME", hide_short_help = true)]
    pub(in crate::cli) cluster: Option<String>,
    /// The user of the kubeconfig to be
    #[arg(long, global = true, value_name = "NAME", hide_short_help = true)]
    pub(in crate::cli) user: Option<String>,
    /// Act as another user
    #[arg(
        long = "as",
        global = true,
        value_name = "USER",
        hide_short_help = true
    )]
    pub(in crate::cli) impersonate: Option<String>,
    /// Act as a member of a group; may be repeated
    #[arg(
        long = "as-group",
        global = true,
        value_name = "GROUP",
        hide_short_help = true
    )]
    pub(in crate::cli) impersonate_group: Vec<String>,
    /// Act as the user with this identity
    #[arg(
        long = "as-uid",
        global = true,
        value_name = "UID",
        hide_short_help = true
    )]
    pub(in crate::cli) impersonate_uid: Option<String>,
    /// The address of the API server
    #[arg(long, short, global = true, value_name = "URL", hide_short_help = true)]
    pub(in crate::cli) server: Option<String>,
    /// A bearer token
    #[arg(long, global = true, value_name = "TOKEN", hide_short_help = true)]
    pub(in crate::cli) token: Option<String>,
    /// The name that the server's certificate must have
    #[arg(long, global = true, value_name = "NAME", hide_short_help = true)]
    pub(in crate::cli) tls_server_name: Option<String>,
    /// Accept any certificate: the connection is then open to eavesdroppers
    #[arg(long, global = true, hide_short_help = true)]
    pub(in crate::cli) insecure_skip_tls_verify: bool,
    /// A file with the certificates that sign the server's
    #[arg(long, global = true, value_name = "FILE", hide_short_help = true)]
    pub(in crate::cli) certificate_authority: Option<PathBuf>,
    /// A file with a client certificate
    #[arg(long, global = true, value_name = "FILE", hide_short_help = true)]
    pub(in crate::cli) client_certificate: Option<PathBuf>,
    /// A file with the client certificate's key
    #[arg(long, global = true, value_name = "FILE", hide_short_help = true)]
    pub(in crate::cli) client_key: Option<PathBuf>,
}

/// A duration as kubectl takes it: with units, or a bare number of seconds.
pub(super) fn kubectl_duration(text: &str) -> Result<std::time::Duration, String> {
    let seconds = text.parse::<u64>().ok().map(std::time::Duration::from_secs);
    let with_units = || {
        let span: jiff::SignedDuration = text.parse().ok()?;
        std::time::Duration::try_from(span).ok()
    };
    seconds
        .or_else(with_units)
        .ok_or_else(|| "expected a duration such as 5s, 2m or 1h".to_owned())
}

impl From<&Connection> for Access {
    fn from(flags: &Connection) -> Self {
        Access {
            kubeconfig: flags.kubeconfig.clone(),
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
        let server = flags.server.as_deref().map(without_login);
        let mut kubectl = Kubectl::default();
        let values = [
            ("--kubeconfig", path(&flags.kubeconfig)),
            ("--context", flags.context.clone()),
            ("--cluster", flags.cluster.clone()),
            ("--user", flags.user.clone()),
            (
                "--server",
                server.as_ref().map(|(server, _)| server.clone()),
            ),
            ("--as", flags.impersonate.clone()),
        ];
        let groups = flags.impersonate_group.iter();
        let groups = groups.map(|group| ("--as-group", Some(group.clone())));
        let more = [
            ("--as-uid", flags.impersonate_uid.clone()),
            ("--tls-server-name", flags.tls_server_name.clone()),
            (
                "--certificate-authority",
                path(&flags.certificate_authority),
            ),
            ("--client-certificate", path(&flags.client_certificate)),
            ("--client-key", path(&flags.client_key)),
        ];
        for (flag, value) in values.into_iter().chain(groups).chain(more) {
            if let Some(value) = value {
                kubectl.flag(flag, &value);
            }
        }
        if flags.insecure_skip_tls_verify {
            kubectl.switch("--insecure-skip-tls-verify");
        }
        if flags.token.is_some() {
            kubectl.secret("--token");
        }
        if server.is_some_and(|(_, login)| login) {
            kubectl.secret("the login of --server");
        }
        kubectl
    }
}

/// An address without the password that may be in it, and whether there was one.
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
