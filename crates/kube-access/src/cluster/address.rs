//! Addresses with credentials in them: `https://user:password@host`.

use http::Uri;
use http::uri::Authority;
use percent_encoding::percent_decode_str;

pub(super) fn without_credentials(address: &str) -> String {
    let start = address.find("://").map_or(0, |scheme| scheme + "://".len());
    let (scheme, rest) = address.split_at(start);
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at(end);
    let host = authority
        .rsplit_once('@')
        .map_or(authority, |(_, host)| host);
    format!("{scheme}{host}{path}")
}

/// Removes the user name and the password from an address, and returns them.
pub(super) fn take_credentials(address: &mut Uri) -> Option<(String, String)> {
    let mut parts = address.clone().into_parts();
    let authority = parts.authority.take()?;
    let (credentials, host) = authority.as_str().rsplit_once('@')?;
    let (user, password) = credentials.split_once(':').unwrap_or((credentials, ""));
    let decoded = |text| percent_decode_str(text).decode_utf8_lossy().into_owned();
    let credentials = (decoded(user), decoded(password));
    parts.authority = Authority::try_from(host).ok();
    *address = Uri::from_parts(parts).ok()?;
    Some(credentials)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_are_not_shown() {
        for (address, shown) in [
            ("https://host:6443", "https://host:6443"),
            ("https://user:SECRET@host:6443/", "https://host:6443/"),
            ("htxp://user:a@b:SECRET@host/x?a@b", "htxp://host/x?a@b"),
            ("user:SECRET@host", "host"),
            ("https://[::1]:6443/a@b", "https://[::1]:6443/a@b"),
            ("", ""),
        ] {
            assert_eq!(without_credentials(address), shown);
        }
    }

    #[test]
    fn credentials_are_taken_out() {
        for (address, left, credentials) in [
            ("https://host:6443/", "https://host:6443/", None),
            (
                "https://user:SE%40CRET%@host:6443/prefix",
                "https://host:6443/prefix",
                Some(("user", "SE@CRET%")),
            ),
            ("http://user@[::1]", "http://[::1]/", Some(("user", ""))),
        ] {
            let mut uri: Uri = address.parse().unwrap();
            let taken = take_credentials(&mut uri);
            let taken = taken
                .as_ref()
                .map(|(user, password)| (&user[..], &password[..]));
            assert_eq!((uri.to_string().as_str(), taken), (left, credentials));
        }
    }
}
