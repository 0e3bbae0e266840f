//! Which servers are reached without the proxy of the environment.

use std::env;
use std::net::IpAddr;

use http::Uri;

/// Whether `NO_PROXY` excludes a server. As in Go, local servers are always excluded.
pub(super) fn is_bypassed(server: &Uri) -> bool {
    let list = env::var("NO_PROXY")
        .or_else(|_| env::var("no_proxy"))
        .unwrap_or_default();
    let host = server.host().unwrap_or_default();
    bypasses(host.trim_start_matches('[').trim_end_matches(']'), &list)
}

fn bypasses(host: &str, list: &str) -> bool {
    let address: Option<IpAddr> = host.parse().ok();
    if host == "localhost" || address.is_some_and(|address| address.is_loopback()) {
        return true;
    }
    list.split(',')
        .map(str::trim)
        .filter(|entry| !entry.is_empty())
        .any(|entry| matches_entry(host, address, entry))
}

fn matches_entry(host: &str, address: Option<IpAddr>, entry: &str) -> bool {
    if entry == "*" {
        return true;
    }
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
    fn entries_as_go_reads_them() {
        let list = "example.com,.corp, 10.0.0.0/8,*.svc,192.168.1.5,fd00::/8";
        for host in [
            "localhost",
            "127.0.0.1",
            "::1",
            "example.com",
            "api.example.com",
            "k8s.corp",
            "10.11.12.13",
            "a.svc",
            "192.168.1.5",
            "fd12::3",
        ] {
            assert!(bypasses(host, list), "{host}");
        }
        for host in [
            "corp",
            "notexample.com",
            "11.0.0.1",
            "192.168.1.50",
            "fe80::1",
        ] {
            assert!(!bypasses(host, list), "{host}");
        }
        assert!(bypasses("anything", "*"));
        assert!(!bypasses("anything", ""));
    }
}
