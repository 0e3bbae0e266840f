//! The pod's name resolution and names.

use super::super::at::At;
use super::super::ip;
use super::super::names;
use super::super::review::Review;
use crate::schedule::go_quote;

const POLICIES: [&str; 4] = ["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"];
const MOST_SERVERS: usize = 3;
const MOST_SEARCHES: usize = 32;
const LONGEST_SEARCHES: usize = 2048;
const LONGEST_HOSTNAME: usize = 64;
/// The release since which search domains may have underscores.
const RELAXED_SINCE: u32 = 33;
/// The release since which a name of the host's own is looked at.
const OVERRIDE_SINCE: u32 = 35;

pub(super) fn check_policy(review: &mut Review, pod: &At<'_>) {
    super::container::word(review, &pod.field("dnsPolicy"), &POLICIES);
}

pub(super) fn check_config(review: &mut Review, pod: &At<'_>) {
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
    let shown = |list: &At<'_>| {
        let items: Vec<String> = list.items().map(|item| go_quote(item.text())).collect();
        format!("[{}]", items.join(","))
    };
    if servers.len() > MOST_SERVERS {
        let detail = format!("must not have more than {MOST_SERVERS} nameservers");
        review.invalid(&servers, shown(&servers), &detail);
    }
    for server in servers.items() {
        check_ip(review, &server);
    }
    let searches = config.field("searches");
    if searches.len() > MOST_SEARCHES {
        let detail = format!("must not have more than {MOST_SEARCHES} search paths");
        review.invalid(&searches, shown(&searches), &detail);
    }
    let length: usize = searches.items().map(|search| search.text().len() + 1).sum();
    if length > LONGEST_SEARCHES + 1 {
        let detail = format!(
            "must not have more than {LONGEST_SEARCHES} characters (including spaces) in the \
             search list"
        );
        review.invalid(&searches, shown(&searches), &detail);
    }
    for search in searches.items() {
        let text = search.text();
        let domain = text.strip_suffix('.').unwrap_or(text);
        let details = match review.minor >= RELAXED_SINCE {
            true if text == "." => Vec::new(),
            true => names::subdomain_with_underscore(domain, review),
            false => names::subdomain(domain, review),
        };
        review.each_invalid(&search, domain, details);
    }
    for option in config.field("options").items() {
        if option.field("name").text().is_empty() {
            review.required(&option, "must not be empty");
        }
    }
}

fn check_ip(review: &mut Review, at: &At<'_>) {
    let is_strict = review.minor >= ip::STRICT_SINCE;
    for detail in ip::check(at.text(), is_strict) {
        review.invalid_text(at, at.text(), detail);
    }
}

pub(super) fn check_aliases(review: &mut Review, at: &At<'_>) {
    for alias in at.items() {
        check_ip(review, &alias.field("ip"));
        for name in alias.field("hostnames").items() {
            review.dns_subdomain(&name);
        }
    }
}

pub(super) fn check_override(review: &mut Review, pod: &At<'_>) {
    let at = pod.field("hostnameOverride");
    let Some(name) = at.some_text().filter(|_| review.minor >= OVERRIDE_SINCE) else {
        return;
    };
    for (field, detail) in [
        (
            "setHostnameAsFQDN",
            "may not be specified when setHostnameAsFQDN is true",
        ),
        (
            "hostNetwork",
            "may not be specified when hostNetwork is true",
        ),
    ] {
        if pod.field(field).is_true() {
            review.forbidden(&at, detail);
        }
    }
    if name.len() > LONGEST_HOSTNAME {
        review.too_long(&at, LONGEST_HOSTNAME);
    }
    review.dns_subdomain(&at);
}
