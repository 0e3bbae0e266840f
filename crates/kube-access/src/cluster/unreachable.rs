//! The cause of connection errors, with a remedy.

use std::error::Error as StdError;

use kube::client::AuthError;
use kube::config::KubeconfigError;

use super::error::{ClusterError, NO_AUTHORITIES};
use super::identity::not_for_a_header;

/// The error of a request without a response, and whether retrying may help.
pub(super) fn unreachable(server: &str, error: &kube::Error) -> (ClusterError, bool) {
    if let kube::Error::Auth(error) = error {
        return (login(error), false);
    }
    let why = deepest(error);
    let hint = hint(&why);
    // A server that closes the connection may be restarting.
    let passing = [
        CONNECTION_CLOSED,
        "connection closed",
        "reset by peer",
        "broken pipe",
    ]
    .iter()
    .any(|sign| why.to_ascii_lowercase().contains(sign));
    let error = ClusterError::Unreachable {
        server: server.to_owned(),
        why,
        hint,
        sent: !is_about_connecting(error),
    };
    (error, passing)
}

/// Whether the connection failed before the request was sent. The HTTP client has no type for this.
fn is_about_connecting(error: &(dyn StdError + 'static)) -> bool {
    let is_it = error.to_string() == "client error (Connect)";
    is_it || error.source().is_some_and(is_about_connecting)
}

pub(super) fn login(error: &AuthError) -> ClusterError {
    match error {
        AuthError::InvalidBearerToken(_) => not_for_a_header("token"),
        other => ClusterError::Login(other.to_string()),
    }
}

/// The error of a kubeconfig or of a file that it refers to.
pub(super) fn kubeconfig(error: &KubeconfigError) -> String {
    match error {
        KubeconfigError::Parse(error) => yaml(error),
        // Only one of the two is given.
        KubeconfigError::LoadClientCertificate(_) => "the client certificate is missing".to_owned(),
        KubeconfigError::LoadClientKey(_) => "the client key is missing".to_owned(),
        other => other.to_string(),
    }
}

/// Only the position and the message: the parser quotes the text around it, which may contain
/// secrets.
fn yaml(error: &impl std::fmt::Display) -> String {
    let text = error.to_string();
    let line = text.lines().next().unwrap_or_default();
    if let Some((_, breach)) = line.split_once("budget breached: ") {
        let split = if ["Nodes", "Events", "Documents"]
            .iter()
            .any(|name| breach.starts_with(name))
        {
            "; split it into several files, and list them in KUBECONFIG"
        } else {
            ""
        };
        return format!("{} (the limit of the YAML parser){split}", limit(breach));
    }
    line.strip_prefix("error: ").unwrap_or(line).to_owned()
}

/// Which limit of the YAML parser a file exceeds.
fn limit(breach: &str) -> &'static str {
    let limits = [
        ("Nodes", "more than 250,000 keys and values"),
        ("Events", "more than 1,000,000 keys, values and brackets"),
        ("Depth", "nested more than 64 levels deep"),
        ("Documents", "more than 1,024 documents"),
        ("Anchors", "more than 50,000 anchors"),
        ("Alias", "too many aliases"),
        ("MergeKeys", "more than 10,000 merge keys"),
    ];
    let found = limits.iter().find(|(name, _)| breach.starts_with(name));
    found.map_or("too large", |(_, words)| words)
}

const CONNECTION_CLOSED: &str = "the connection was closed";

/// The innermost cause: the outer layers only report that something failed.
pub(super) fn deepest(error: &(dyn StdError + 'static)) -> String {
    let mut innermost = error;
    loop {
        // Its causes do not have the name of the file.
        if let Some(error) = innermost.downcast_ref::<KubeconfigError>() {
            return kubeconfig(error);
        }
        let Some(source) = innermost.source() else {
            break;
        };
        innermost = source;
    }
    reworded(&innermost.to_string())
}

/// Rewrites some messages of the libraries.
fn reworded(why: &str) -> String {
    if why.contains("without sending TLS close_notify") {
        return CONNECTION_CLOSED.to_owned();
    }
    if why == "SOCKS error: failed to create underlying connection" {
        return "cannot connect to the proxy".to_owned();
    }
    if why.contains("No CA certificates were loaded") {
        return NO_AUTHORITIES.to_owned();
    }
    if why.starts_with("identity PEM") {
        return format!("invalid client certificate or key: {why}");
    }
    for (sign, when) in [
        ("not valid after ", "after"),
        ("not valid before ", "before"),
    ] {
        if let Some((_, rest)) = why.split_once(sign)
            && let Some(time) = rest.split(' ').next().and_then(|word| word.parse().ok())
            && let Ok(time) = jiff::Timestamp::from_second(time)
        {
            return format!("the server's certificate is not valid {when} {time}");
        }
    }
    if let Some((_, rest)) = why.split_once("not valid for name ") {
        let names = rest
            .replace("; certificate is only valid for ", ", only for ")
            .replace("IpAddress(", "")
            .replace("DnsName(", "")
            .replace(')', "");
        return format!("the server's certificate is not valid for {names}");
    }
    why.to_owned()
}

/// Signs in a message, and what to do about it.
const HINTS: [(&[&str], &str); 12] = [
    (
        &["UnknownIssuer", "BadSignature"],
        "Check certificate-authority in the kubeconfig: it did not sign the server's certificate.",
    ),
    (
        &["CaUsedAsEndEntity"],
        "Set certificate-authority in the kubeconfig to the server's certificate: it is that of an authority.",
    ),
    (
        &["certificate is not valid for"],
        "Set the name in the certificate with --tls-server-name.",
    ),
    (
        &["certificate is not valid"],
        "Renew the certificate, or correct the local clock.",
    ),
    (&["invalid HTTP version parsed"], "Use an https:// address."),
    (
        &["alert: CertificateExpired"],
        "Renew the client certificate: it has expired.",
    ),
    (
        &["alert: CertificateUnknown", "alert: DecryptError"],
        "Check the client certificate: the server rejected it.",
    ),
    (
        &["Connection refused"],
        "Check that the cluster is running and that the address is correct.",
    ),
    (
        &["failed to lookup address"],
        "Check the host name and the network.",
    ),
    (&["Network is unreachable"], "Check the network."),
    (&["No route to host"], "Check the address and the network."),
    (
        &["InvalidContentType"],
        "Check the port: the server does not speak TLS.",
    ),
];

fn hint(why: &str) -> Option<&'static str> {
    let mut hints = HINTS.iter();
    let found = hints.find(|(signs, _)| signs.iter().any(|sign| why.contains(sign)));
    found.map(|(_, hint)| *hint)
}
