//! Why there is no connection, in words that help.

use std::error::Error as StdError;

use super::error::Error;

/// The error for a request that came to no answer, and whether the next one may.
pub(super) fn unreachable(server: &str, error: &kube::Error) -> (Error, bool) {
    if let kube::Error::Auth(error) = error {
        let why = credentials(error);
        return (Error::Credentials { why }, false);
    }
    let why = deepest(error);
    let hint = hint(&why);
    // A server that goes away in the middle of an answer may be restarting.
    let passing = ["connection closed", "reset by peer", "broken pipe"]
        .iter()
        .any(|sign| why.to_ascii_lowercase().contains(sign));
    let error = Error::Unreachable {
        server: server.to_owned(),
        why,
        hint,
    };
    (error, passing)
}

/// What a credential plugin says.
pub(super) fn credentials(error: &kube::client::AuthError) -> String {
    match error {
        kube::client::AuthError::AuthExecRun { cmd, out } => {
            let said = String::from_utf8_lossy(&out.stderr);
            let said = said.trim();
            let said = if said.is_empty() {
                String::new()
            } else {
                format!(": {said}")
            };
            format!("{cmd} ended with {}{said}", out.status)
        }
        other => match other.source() {
            Some(_) => format!("{other}"),
            None => other.to_string(),
        },
    }
}

/// The innermost cause: the layers around it only say that something failed.
pub(super) fn deepest(error: &dyn StdError) -> String {
    let mut innermost = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    innermost.to_string()
}

fn hint(why: &str) -> Option<&'static str> {
    let signs = [
        (
            "UnknownIssuer",
            "the kubeconfig's certificate-authority did not sign the server's certificate",
        ),
        (
            "NotValidForName",
            "the server's certificate is for another name: see --tls-server-name",
        ),
        (
            "peer certificate: certificate expired",
            "the server's certificate has expired, or this machine's clock is wrong",
        ),
        (
            "peer certificate: Expired",
            "the server's certificate has expired, or this machine's clock is wrong",
        ),
        (
            "alert: CertificateExpired",
            "the server finds the client certificate expired",
        ),
        (
            "alert: CertificateUnknown",
            "the server does not accept the client certificate",
        ),
        (
            "alert: DecryptError",
            "the server does not accept the client certificate",
        ),
        (
            "Connection refused",
            "is the cluster running, and the address right?",
        ),
        (
            "failed to lookup address",
            "is the name right, and the network up?",
        ),
        (
            "InvalidContentType",
            "the server does not speak TLS: is the port right?",
        ),
    ];
    let found = signs.iter().find(|(sign, _)| why.contains(sign));
    found.map(|(_, hint)| *hint)
}
