//! Who asks: by token or client certificate, and as whom.

use super::access::{Access, Attempt, Identity, User};
use super::http::Request;
use super::status::Status;

/// Who a request comes from, or acts as.
pub(crate) fn authenticate(
    access: &Access,
    request: &Request,
    certificate: &Peer,
) -> Result<Identity, Status> {
    let identity = by_credentials(access, request, certificate)?;
    impersonated(access, request, identity)
}

/// What the TLS handshake has told about the client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Peer {
    NoCertificate,
    User(String),
    /// Expired, or of another authority.
    BadCertificate,
}

fn by_credentials(
    access: &Access,
    request: &Request,
    certificate: &Peer,
) -> Result<Identity, Status> {
    if let Peer::User(name) = certificate {
        let user = access.users.iter().find(|user| user.name == *name);
        return Ok(user.map_or_else(|| Identity::known(name, &[]), User::identity));
    }
    let header = request.header("authorization");
    match header.and_then(|header| header.strip_prefix("Bearer ")) {
        Some(token) => {
            let user = access.users.iter().find(|user| user.token() == token);
            user.map(User::identity).ok_or_else(Status::unauthorized)
        }
        None if header.is_some() || *certificate == Peer::BadCertificate => {
            Err(Status::unauthorized())
        }
        None => Ok(Identity::anonymous()),
    }
}

/// Acts as somebody else, if the request says so and its user may.
fn impersonated(
    access: &Access,
    request: &Request,
    identity: Identity,
) -> Result<Identity, Status> {
    let values = |name: &str| -> Vec<String> {
        let named = request
            .headers
            .iter()
            .filter(|(key, _)| key.eq_ignore_ascii_case(name));
        named.map(|(_, value)| value.clone()).collect()
    };
    let groups = values("impersonate-group");
    let uid = request.header("impersonate-uid").unwrap_or_default();
    let Some(user) = request.header("impersonate-user") else {
        if groups.is_empty() && uid.is_empty() {
            return Ok(identity);
        }
        return Err(Status::internal_error(
            "requested impersonation without impersonating a user",
        ));
    };
    let attempt = |group: &str, resource: &str, name: &str| Attempt {
        user: identity.user.clone(),
        verb: "impersonate".to_owned(),
        group: group.to_owned(),
        resource: resource.to_owned(),
        name: name.to_owned(),
        ..Attempt::default()
    };
    access.check(&identity, &attempt("", "users", user))?;
    for group in &groups {
        access.check(&identity, &attempt("", "groups", group))?;
    }
    if !uid.is_empty() {
        access.check(&identity, &attempt("authentication.k8s.io", "uids", uid))?;
    }
    // No groups but those that were asked for, even if the user has some.
    Ok(Identity {
        uid: uid.to_owned(),
        ..Identity::known(user, &groups)
    })
}
