//! Sets the authentication headers. kube panics if a token is not a valid header value, and
//! rejects names that are not ASCII, which kubectl sends.

use std::path::Path;

use http::{HeaderName, HeaderValue};
use kube::Config;
use secrecy::ExposeSecret as _;

use super::credential_files::read_file;
use super::error::ClusterError;

/// Reads and checks the token, and sets the impersonation headers. As with kubectl, line ends
/// around the token are ignored.
pub(super) fn put_into_headers(config: &mut Config) -> Result<(), ClusterError> {
    let user = &mut config.auth_info;
    if let Some(path) = user.token_file.take() {
        let bytes = read_file(Path::new(&path)).map_err(|error| error.to_string());
        let token =
            bytes.and_then(|bytes| String::from_utf8(bytes).map_err(|_| "not UTF-8".to_owned()));
        match token {
            Ok(token) => user.token = Some(token.into()),
            // As with kubectl, the token of the kubeconfig is used if the file cannot be read.
            Err(_) if user.token.is_some() => {}
            Err(why) => {
                let why = format!("cannot read token file {path}: {why}");
                return Err(ClusterError::Login(why));
            }
        }
    }
    if let Some(token) = user.token.take() {
        let token = token.expose_secret().trim();
        header("token", token)?;
        user.token = (!token.is_empty()).then(|| token.into());
    }
    let groups = user.impersonate_groups.take().into_iter().flatten();
    let names = user.impersonate.take().map(|name| ("user", name));
    let names = names
        .into_iter()
        .chain(groups.map(|group| ("group", group)));
    let uid = user.impersonate_uid.take().map(|uid| ("uid", uid));
    for (what, value) in names.chain(uid) {
        let name = match what {
            "user" => HeaderName::from_static("impersonate-user"),
            "group" => HeaderName::from_static("impersonate-group"),
            _ => HeaderName::from_static("impersonate-uid"),
        };
        let value = header(&format!("{what} to impersonate"), &value)?;
        config.headers.push((name, value));
    }
    Ok(())
}

fn header(what: &str, value: &str) -> Result<HeaderValue, ClusterError> {
    HeaderValue::from_bytes(value.as_bytes()).map_err(|_| not_for_a_header(what))
}

/// An invalid header value. It is not shown, because it may be secret.
pub(super) fn not_for_a_header(what: &str) -> ClusterError {
    ClusterError::Login(format!(
        "the {what} contains a control character, which is not allowed in an HTTP header"
    ))
}
