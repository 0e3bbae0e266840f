//! The network of a pod: DNS, host names and ports.

use std::collections::HashSet;

use super::super::schema::ContainerPort;
use super::super::{At, ManifestReview, formats};

const MOST_SERVERS: usize = 3;
const MOST_SEARCHES: usize = 32;
const LONGEST_SEARCHES: usize = 2048;
const LONGEST_HOSTNAME: usize = 64;
/// The release since which search domains may have underscores.
const RELAXED_SINCE: u32 = 33;

pub(super) fn check_config(review: &mut ManifestReview, pod: &At<'_>) {
    let (policy, config) = (pod.field("dnsPolicy"), pod.field("dnsConfig"));
    let servers = config.field("nameservers");
    if policy.text() == "None" {
        if !config.exists() {
            review.required(&config, "must provide `dnsConfig` when `dnsPolicy` is None");
            return;
        }
        if servers.is_empty() {
            let detail = "must provide at least one DNS nameserver when `dnsPolicy` is None";
            review.required(&servers, detail);
            return;
        }
    }
    if servers.len() > MOST_SERVERS {
        let detail = format!("must not have more than {MOST_SERVERS} nameservers");
        review.invalid_list(&servers, "[]string", &detail);
    }
    for server in servers.items() {
        review.check_form(&server, formats::ip);
    }
    let searches = config.field("searches");
    if searches.len() > MOST_SEARCHES {
        let detail = format!("must not have more than {MOST_SEARCHES} search paths");
        review.invalid_list(&searches, "[]string", &detail);
    }
    let length: usize = searches.items().map(|search| search.text().len() + 1).sum();
    if length > LONGEST_SEARCHES + 1 {
        let detail = format!(
            "must not have more than {LONGEST_SEARCHES} characters (including spaces) in the \
             search list"
        );
        review.invalid_list(&searches, "[]string", &detail);
    }
    for search in searches.items() {
        let text = search.text();
        let domain = text.strip_suffix('.').unwrap_or(text);
        if review.minor < RELAXED_SINCE {
            review.check_text(&search, domain, formats::subdomain);
        } else if text != "." {
            review.check_text(&search, domain, formats::subdomain_with_underscore);
        }
    }
    for option in config.field("options").items() {
        if option.text_of("name").is_empty() {
            review.required(&option, "must not be empty");
        }
    }
}

pub(super) fn check_aliases(review: &mut ManifestReview, at: &At<'_>) {
    for alias in at.items() {
        review.check_form(&alias.field("ip"), formats::ip);
        for name in alias.field("hostnames").items() {
            review.check_form(&name, formats::subdomain);
        }
    }
}

pub(super) fn check_override(review: &mut ManifestReview, pod: &At<'_>) {
    let at = pod.field("hostnameOverride");
    if at.some_text().is_none() {
        return;
    }
    for field in ["setHostnameAsFQDN", "hostNetwork"] {
        if pod.field(field).is_true() {
            let detail = format!("may not be specified when {field} is true");
            review.forbidden(&at, &detail);
        }
    }
    review.no_longer(&at, LONGEST_HOSTNAME);
    review.check_form(&at, formats::subdomain);
}

const DEFAULT_PROTOCOL: &str = "TCP";

pub(super) fn check_ports(review: &mut ManifestReview, at: &At<'_>) {
    let mut seen = HashSet::new();
    for port in at.items() {
        let name = port.field("name");
        if !name.text().is_empty() {
            let before = review.causes.len();
            review.check_form(&name, formats::port);
            if review.causes.len() == before {
                review.unique(&name, name.text(), &mut seen);
            }
        }
        let number = port.field("containerPort");
        match number.int().unwrap_or_default() {
            0 => review.required(&number, ""),
            value => review.within(&number, value, 1, 65535),
        }
        let host = port.field("hostPort");
        if let Some(value) = host.int().filter(|value| *value != 0) {
            review.within(&host, value, 1, 65535);
        }
        review.check_object(&port, &ContainerPort);
    }
}

/// The protocol of a port, with the default.
pub(crate) fn protocol<'a>(port: &'a At<'_>) -> &'a str {
    match port.text_of("protocol") {
        "" => DEFAULT_PROTOCOL,
        protocol => protocol,
    }
}

/// No two ports may want the same port of the host.
pub(super) fn conflicts(
    review: &mut ManifestReview,
    container: &At<'_>,
    host_ports: bool,
    taken: &mut HashSet<String>,
) {
    for port in container.field("ports").items() {
        let (host_port, own) = (port.field("hostPort"), port.field("containerPort"));
        let own = own.int().filter(|_| host_ports);
        let wanted = host_port.int().filter(|wanted| *wanted != 0).or(own);
        let Some(wanted) = wanted.filter(|wanted| *wanted != 0) else {
            continue;
        };
        let address = port.field("hostIP");
        let key = format!("{}/{}/{wanted}", protocol(&port), address.text());
        review.unique(&host_port, &key, taken);
    }
}

/// With the host's network there are no two numbers.
pub(super) fn match_host(review: &mut ManifestReview, containers: &At<'_>) {
    for container in containers.items() {
        for port in container.field("ports").items() {
            let (host, number) = (port.field("hostPort"), port.field("containerPort"));
            let value = host.int().unwrap_or_default();
            if value != 0 && value != number.int().unwrap_or_default() {
                let detail = "must match `containerPort` when `hostNetwork` is true";
                review.invalid(&host, value, detail);
            }
        }
    }
}

/// The number or the name of a port that a probe asks.
pub(super) fn number_or_name(review: &mut ManifestReview, at: &At<'_>) {
    match at.some_text() {
        Some(_) => review.check_form(at, formats::port),
        None => review.within(at, at.int().unwrap_or_default(), 1, 65535),
    }
}
