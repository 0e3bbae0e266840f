//! Ports that stand twice, or nearly so.

use std::collections::HashMap;

use super::super::at::At;
use super::super::review::Review;
use super::super::rules::ports::protocol;
use super::warn;
use crate::schedule::go_quote;

/// Of one number, more are not compared with each other.
const MOST: usize = 100;

/// A port that was met.
struct Port {
    path: String,
    host_ip: String,
    host_port: i64,
}

pub(super) fn check(review: &mut Review, pod: &At<'_>) {
    let mut known: HashMap<(i64, String), Vec<Port>> = HashMap::new();
    each(pod, &mut |at| {
        let int = |name: &str| at.field(name).int().unwrap_or_default();
        let (number, host_port) = (int("containerPort"), int("hostPort"));
        let (protocol, host_ip) = (protocol(at), at.field("hostIP").text().to_owned());
        if !host_ip.is_empty() && host_port == 0 {
            let name = at.field("name");
            let message = format!(
                "hostIP set without hostPort: {{Name:{} HostPort:{host_port} \
                 ContainerPort:{number} Protocol:{protocol} HostIP:{host_ip}}}",
                name.text()
            );
            warn(review, at, &message);
        }
        let port = Port {
            path: at.path(),
            host_ip,
            host_port,
        };
        let others = known.entry((number, protocol.to_owned())).or_default();
        for other in others.iter() {
            if let Some(relation) = relation(&port, other) {
                let message = format!("{relation} port definition with {}", other.path);
                warn(review, at, &message);
            }
        }
        if others.len() < MOST {
            others.push(port);
        }
        !review.is_full()
    });
    names(review, pod);
}

fn relation(one: &Port, other: &Port) -> Option<&'static str> {
    if (&one.host_ip, one.host_port) == (&other.host_ip, other.host_port) {
        Some("duplicate")
    } else if one.host_port == 0 || other.host_port == 0 {
        Some("overlapping")
    } else if one.host_port == other.host_port && one.host_ip.is_empty() != other.host_ip.is_empty()
    {
        Some("dangerously ambiguous")
    } else {
        None
    }
}

fn names(review: &mut Review, pod: &At<'_>) {
    const SINCE: u32 = 33;
    if review.minor < SINCE {
        return;
    }
    let mut known: HashMap<String, String> = HashMap::new();
    each(pod, &mut |at| {
        let name = at.field("name");
        if name.text().is_empty() {
            return true;
        }
        match known.get(name.text()) {
            Some(other) => {
                let message = format!(
                    "duplicate port name {} with {other}, services and probes that select ports \
                     by name will use {other}",
                    go_quote(name.text())
                );
                warn(review, at, &message);
            }
            None => {
                known.insert(name.text().to_owned(), at.path());
            }
        }
        !review.is_full()
    });
}

/// Goes through all ports until it is told to stop.
fn each(pod: &At<'_>, then: &mut dyn FnMut(&At<'_>) -> bool) {
    for list in ["initContainers", "containers"] {
        for container in pod.field(list).items() {
            for port in container.field("ports").items() {
                if !then(&port) {
                    return;
                }
            }
        }
    }
}
