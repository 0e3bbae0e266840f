//! Ports of containers.

use std::collections::HashSet;

use super::super::at::At;
use super::super::names;
use super::super::review::Review;
use crate::schedule::go_quote;

const PROTOCOLS: [&str; 3] = ["SCTP", "TCP", "UDP"];
/// What the server fills in.
const DEFAULT_PROTOCOL: &str = "TCP";

pub(super) fn check(review: &mut Review, at: &At<'_>) {
    let mut seen = HashSet::new();
    for port in at.items() {
        let name = port.field("name");
        if !name.text().is_empty() {
            let details = names::port(name.text());
            if details.is_empty() {
                if !seen.insert(name.text().to_owned()) {
                    review.duplicate(&name, go_quote(name.text()));
                }
            } else {
                review.each_invalid(&name, name.text(), details);
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
        let protocol = port.field("protocol");
        if !protocol.text().is_empty() {
            review.one_of(&protocol, &PROTOCOLS);
        }
    }
}

/// The protocol of a port, with the default.
pub(in crate::validation) fn protocol<'a>(port: &'a At<'_>) -> &'a str {
    let mapping = port.mapping();
    let protocol = mapping.and_then(|mapping| mapping.get("protocol"));
    match protocol.and_then(|protocol| protocol.as_str()) {
        None | Some("") => DEFAULT_PROTOCOL,
        Some(protocol) => protocol,
    }
}

/// No two ports may want the same port of the host.
pub(super) fn conflicts(review: &mut Review, container: &At<'_>, taken: &mut HashSet<String>) {
    for port in container.field("ports").items() {
        let host_port = port.field("hostPort");
        let Some(wanted) = host_port.int().filter(|wanted| *wanted != 0) else {
            continue;
        };
        let address = port.field("hostIP");
        let key = format!("{}/{}/{wanted}", protocol(&port), address.text());
        let shown = go_quote(&key);
        if !taken.insert(key) {
            review.duplicate(&host_port, shown);
        }
    }
}

/// With the host's network there are no two numbers.
pub(super) fn match_host(review: &mut Review, containers: &At<'_>) {
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
pub(super) fn number_or_name(review: &mut Review, at: &At<'_>) {
    match at.some_text() {
        Some(name) => {
            let details = names::port(name);
            review.each_invalid(at, name, details);
        }
        None => review.within(at, at.int().unwrap_or_default(), 1, 65535),
    }
}
