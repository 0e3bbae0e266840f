//! Which proxy leads to a server: that of the kubeconfig, otherwise that of the environment.

use std::env;
use std::net::IpAddr;

use http::Uri;
use http::uri::{Authority, Scheme};

use super::address::without_credentials;
use super::error::ClusterError;

/// The proxy that `proxy-url` names. As in kubectl, neither `NO_PROXY` nor a local server overrides it.
pub(super) fn of_kubeconfig(address: &str) -> Result<Uri, String> {
    read(address).map_err(|why| format!("{} {why}", without_credentials(address)))
}

/// The proxy for a server in `HTTPS_PROXY`, or in `HTTP_PROXY` if the server has no TLS. As in Go, a scheme can be
/// left out.
pub(super) fn of_environment(server: &Uri) -> Result<Option<Uri>, ClusterError> {
    let names = if server.scheme() == Some(&Scheme::HTTP) {
        ["HTTP_PROXY", "http_proxy"]
    } else {
        ["HTTPS_PROXY", "https_proxy"]
    };
    let Some((name, address)) = first_set(names) else {
        return Ok(None);
    };
    if is_bypassed(server) {
        return Ok(None);
    }
    let proxy = if address.contains("://") {
        read(&address.replace("socks5h://", "socks5://"))
    } else {
        read(&format!("http://{address}"))
    };
    proxy.map(Some).map_err(|why| ClusterError::Setup {
        place: server.to_string().trim_end_matches('/').to_owned(),
        why: format!("{name}: {} {why}", without_credentials(&address)),
    })
}

fn read(address: &str) -> Result<Uri, String> {
    let proxy: Uri = address
        .parse()
        .map_err(|error| format!("is not a URL: {error}"))?;
    let mut parts = proxy.into_parts();
    let (Some(scheme), Some(authority)) = (&parts.scheme, &parts.authority) else {
        return Err("is not a URL: it has no scheme".to_owned());
    };
    match scheme.as_str() {
        // The HTTP client would use port 80.
        "socks5" if authority.port().is_none() => {
            let authority = Authority::try_from(format!("{authority}:1080"));
            parts.authority = authority.ok();
        }
        "http" | "https" | "socks5" => {}
        other => {
            return Err(format!(
                "has the unsupported scheme {other:?}: must be http, https or socks5"
            ));
        }
    }
    parts.path_and_query = Some(http::uri::PathAndQuery::from_static("/"));
    Uri::from_parts(parts).map_err(|error| format!("is not a URL: {error}"))
}

/// The first variable that is set, and its value.
fn first_set(names: [&'static str; 2]) -> Option<(&'static str, String)> {
    let set = |name| Some((name, env::var(name).ok().filter(|value| !value.is_empty())?));
    names.into_iter().find_map(set)
}

/// Whether `NO_PROXY` excludes a server. As in Go, local servers are always excluded.
fn is_bypassed(server: &Uri) -> bool {
    let (_, list) = first_set(["NO_PROXY", "no_proxy"]).unwrap_or_default();
    let host = server.host().unwrap_or_default();
    let is_http = server.scheme() == Some(&Scheme::HTTP);
    let port = server.port_u16().unwrap_or(if is_http { 80 } else { 443 });
    bypasses(host.trim_matches(['[', ']']), port, &list)
}

fn bypasses(host: &str, port: u16, list: &str) -> bool {
    let address: Option<IpAddr> = host.parse().ok();
    if host == "localhost" || address.is_some_and(|address| address.is_loopback()) {
        return true;
    }
    list.split(',')
        .map(str::trim)
        .filter(|entry| !entry.is_empty())
        .any(|entry| matches_entry(host, address, port, entry))
}

fn matches_entry(host: &str, address: Option<IpAddr>, port: u16, entry: &str) -> bool {
    if entry == "*" {
        return true;
    }
    let (entry, wanted) = match entry.rsplit_once(':') {
        // Not the end of an IPv6 address.
        Some((name, wanted)) if !name.contains(':') || name.ends_with(']') => (name, Some(wanted)),
        _ => (entry, None),
    };
    if wanted.is_some_and(|wanted| wanted.parse() != Ok(port)) {
        return false;
    }
    let entry = entry.trim_matches(['[', ']']);
    if let (Some(address), Some((network, bits))) = (address, entry.split_once('/')) {
        return is_in_network(address, network, bits).unwrap_or(false);
    }
    let domain = entry.trim_start_matches("*.").trim_start_matches('.');
    let is_domain = host.eq_ignore_ascii_case(domain) && !entry.starts_with('.');
    let below = host
        .len()
        .checked_sub(domain.len())
        .and_then(|start| host.split_at_checked(start));
    is_domain
        || below
            .is_some_and(|(front, end)| front.ends_with('.') && end.eq_ignore_ascii_case(domain))
}

fn is_in_network(address: IpAddr, network: &str, bits: &str) -> Option<bool> {
    let (address, network, length) = match (address, network.parse().ok()?) {
        (IpAddr::V4(address), IpAddr::V4(network)) => (
            u128::from(address.to_bits()),
            u128::from(network.to_bits()),
            32,
        ),
        (IpAddr::V6(address), IpAddr::V6(network)) => (address.to_bits(), network.to_bits(), 128),
        _ => return Some(false),
    };
    let bits: u32 = bits.parse().ok().filter(|bits| *bits <= length)?;
    let same = (address ^ network).checked_shr(length - bits);
    Some(same.unwrap_or(0) == 0)
}

#[cfg(test)]
mod tests {
    use super::bypasses;

    #[test]
    fn no_proxy_entries_match_as_in_go() {
        let list = "example.com,.corp, 10.0.0.0/8,*.svc,192.168.1.5,fd00::/8,,\
                    port.io:6443,wrong.io:443,[fc00::1]:6443";
        let bypassed = "localhost 127.0.0.1 ::1 example.com api.example.com k8s.corp 10.11.12.13 a.svc \
                        192.168.1.5 fd12::3 fc00::1 a.port.io";
        for host in bypassed.split(' ') {
            assert!(bypasses(host, 6443, list), "{host}");
        }
        let others = "corp notexample.com 11.0.0.1 192.168.1.50 fe80::1 wrong.io";
        for host in others.split(' ') {
            assert!(!bypasses(host, 6443, list), "{host}");
        }
        assert!(bypasses("anything", 443, "*"));
        assert!(!bypasses("anything", 443, ""));
    }
}
