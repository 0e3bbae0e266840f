//! Addresses.

use std::net::{IpAddr, Ipv4Addr};

/// The release since which addresses that programs understand differently are refused.
pub(super) const STRICT_SINCE: u32 = 36;

/// What is wrong with an address.
pub(super) fn check(text: &str, is_strict: bool) -> Vec<&'static str> {
    let Some(address) = parse(text) else {
        return vec!["must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"];
    };
    let mut details = Vec::new();
    if is_strict && text.parse::<IpAddr>().is_err() {
        details.push("must not have leading 0s");
    } else if is_strict && is_mapped(&address) {
        details.push("must not be an IPv4-mapped IPv6 address");
    }
    details
}

/// What the server warns of, behind the path.
pub(super) fn warning(text: &str) -> Option<String> {
    let address = parse(text)?;
    let quoted = crate::schedule::go_quote(text);
    if text.parse::<IpAddr>().is_err() || is_mapped(&address) {
        let plain = match address {
            IpAddr::V6(six) => six.to_ipv4_mapped().map_or(address, IpAddr::V4),
            IpAddr::V4(_) => address,
        };
        return Some(format!(
            "non-standard IP address {quoted} is invalid: use \"{plain}\""
        ));
    }
    let canonical = address.to_string();
    (address.is_ipv6() && canonical != text).then(|| {
        format!("IPv6 address {quoted} should be in RFC 5952 canonical format (\"{canonical}\")")
    })
}

fn is_mapped(address: &IpAddr) -> bool {
    matches!(address, IpAddr::V6(six) if six.to_ipv4_mapped().is_some())
}

/// As the server reads it: with zeros in front, too.
fn parse(text: &str) -> Option<IpAddr> {
    if let Ok(address) = text.parse() {
        return Some(address);
    }
    let mut octets = Vec::new();
    for part in text.split('.') {
        let digits = (1..=20).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit());
        octets.push(digits.then(|| part.parse::<u8>().ok()).flatten()?);
    }
    let octets: [u8; 4] = octets.try_into().ok()?;
    Some(IpAddr::V4(Ipv4Addr::from(octets)))
}
