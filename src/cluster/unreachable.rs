//! The cause of connection errors, with a remedy.

use std::error::Error as StdError;

use kube::client::AuthError;
use kube::config::{KubeconfigError, LoadDataError};

use super::error::ClusterError;
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

/// The error of a login.
pub(super) fn login(error: &AuthError) -> ClusterError {
    match error {
        AuthError::InvalidBearerToken(_) => not_for_a_header("token"),
        other => ClusterError::Login(other.to_string()),
    }
}

/// The error of a kubeconfig or of a file that it refers to.
pub(super) fn kubeconfig(error: &KubeconfigError) -> String {
    match error {
        KubeconfigError::ReadConfig(error, _) => error.to_string(),
        KubeconfigError::Parse(error) => yaml(error),
        KubeconfigError::MissingClusterUrl => "the cluster has no server address".to_owned(),
        KubeconfigError::ParseClusterUrl(error) => {
            format!("invalid server address: {error}")
        }
        KubeconfigError::LoadCertificateAuthority(error) => {
            format!("the certificate authority {}", data(error))
        }
        KubeconfigError::LoadClientCertificate(error) => {
            format!("the client certificate {}", data(error))
        }
        KubeconfigError::LoadClientKey(error) => format!("the client key {}", data(error)),
        other => other.to_string(),
    }
}

fn data(error: &LoadDataError) -> String {
    match error {
        LoadDataError::DecodeBase64(error) => format!("is not base64: {error}"),
        LoadDataError::ReadFile(error, path) => {
            format!("{} cannot be read: {error}", path.display())
        }
        LoadDataError::NoBase64DataOrFile => "is missing".to_owned(),
    }
}

/// Only the position and the message: the parser quotes the text around it, which may contain
/// secrets.
fn yaml(error: &impl std::fmt::Display) -> String {
    let text = error.to_string();
    let line = text.lines().next().unwrap_or_default();
    line.strip_prefix("error: ").unwrap_or(line).to_owned()
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

fn hint(why: &str) -> Option<&'static str> {
    let signs = [
        (
            "UnknownIssuer",
            "Check certificate-authority in the kubeconfig: it did not sign the server's certificate.",
        ),
        (
            "BadSignature",
            "Check certificate-authority in the kubeconfig: it did not sign the server's certificate.",
        ),
        (
            "certificate is not valid for",
            "Set the name in the certificate with --tls-server-name.",
        ),
        (
            "certificate is not valid",
            "Renew the certificate, or correct the local clock.",
        ),
        ("invalid HTTP version parsed", "Use an https:// address."),
        (
            "alert: CertificateExpired",
            "Renew the client certificate: it has expired.",
        ),
        (
            "alert: CertificateUnknown",
            "Check the client certificate: the server rejected it.",
        ),
        (
            "alert: DecryptError",
            "Check the client certificate: the server rejected it.",
        ),
        (
            "Connection refused",
            "Check that the cluster is running and that the address is correct.",
        ),
        (
            "failed to lookup address",
            "Check the host name and the network.",
        ),
        ("Network is unreachable", "Check the network."),
        ("No route to host", "Check the address and the network."),
        (
            "InvalidContentType",
            "Check the port: the server does not speak TLS.",
        ),
    ];
    let found = signs.iter().find(|(sign, _)| why.contains(sign));
    found.map(|(_, hint)| *hint)
}
