//! Files of a volume, and ports, that are there twice or nearly so.

use std::collections::HashMap;

use super::super::rules::network::protocol;
use super::super::{At, ManifestReview};
use super::warn;
use kube_cron::go_quote;
use located_yaml::Place;

/// Of one volume, more are not compared with each other.
const MOST_FILES: usize = 500;

/// A file that a volume makes.
struct File {
    path: String,
    /// What it comes from, where a volume has several sources.
    source: String,
    place: Place,
}

impl File {
    fn of(item: &At<'_>, source: &str) -> Self {
        let path = item.field("path");
        File {
            path: path.text().trim_end_matches('/').to_owned(),
            source: source.to_owned(),
            place: path.place(),
        }
    }

    fn shown(&self) -> String {
        let path = go_quote(&self.path);
        if self.source.is_empty() {
            path
        } else {
            format!("{path} ({})", self.source)
        }
    }
}

pub(super) fn check_paths(review: &mut ManifestReview, volumes: &At<'_>) {
    if !review.server.warns_of_overlaps {
        return;
    }
    for volume in volumes.items() {
        check_volume(review, &volume);
        if review.is_full() {
            return;
        }
    }
}

fn check_volume(review: &mut ManifestReview, volume: &At<'_>) {
    let name = volume.field("name");
    for (source, kind, named) in [
        ("configMap", "ConfigMap", "name"),
        ("secret", "Secret", "secretName"),
        ("downwardAPI", "DownwardAPI", ""),
    ] {
        let at = volume.field(source);
        if at.exists() {
            let described = describe(&at, kind, named);
            overlaps(review, name.text(), &described, files(&at, ""));
        }
    }
    let projected = volume.field("projected");
    let mut all = Vec::new();
    for source in projected.field("sources").items() {
        if source.mapping().is_none_or(|it| it.entries().is_empty()) {
            let message = format!(
                "volume {} (Projected) has no sources provided",
                go_quote(name.text())
            );
            review.warn(source.place(), message);
            continue;
        }
        all.extend(projected_files(&source));
    }
    overlaps(review, name.text(), "Projected", all);
}

fn describe(at: &At<'_>, kind: &str, named: &str) -> String {
    if named.is_empty() {
        return kind.to_owned();
    }
    format!("{kind} {}", go_quote(at.field(named).text()))
}

fn files(at: &At<'_>, source: &str) -> Vec<File> {
    let items = at.field("items");
    items.items().map(|item| File::of(&item, source)).collect()
}

/// Of a source that has several kinds the first counts.
fn projected_files(source: &At<'_>) -> Vec<File> {
    for (name, kind, named) in [
        ("configMap", "ConfigMap", "name"),
        ("secret", "Secret", "name"),
        ("downwardAPI", "DownwardAPI", ""),
    ] {
        let at = source.field(name);
        if at.field("items").exists() {
            return files(&at, &describe(&at, kind, named));
        }
    }
    let token = source.field("serviceAccountToken");
    let exists = token.exists();
    Vec::from_iter(exists.then(|| File::of(&token, "ServiceAccountToken")))
}

fn overlaps(review: &mut ManifestReview, volume: &str, described: &str, files: Vec<File>) {
    let mut before: Vec<File> = Vec::new();
    for file in files.into_iter().take(MOST_FILES) {
        for other in before.iter().filter(|other| overlap(&file, other)) {
            let message = format!(
                "volume {} ({described}): overlapping paths: {} with {}",
                go_quote(volume),
                file.shown(),
                other.shown()
            );
            review.warn(file.place, message);
        }
        before.push(file);
    }
}

fn overlap(one: &File, other: &File) -> bool {
    let within = |inner: &str, outer: &str| {
        let rest = inner.strip_prefix(outer);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    !one.path.is_empty()
        && !other.path.is_empty()
        && (within(&one.path, &other.path) || within(&other.path, &one.path))
}

/// Of one number, more are not compared with each other.
const MOST_PORTS: usize = 100;

struct Port {
    path: String,
    host_ip: String,
    host_port: i64,
}

pub(super) fn check_ports(review: &mut ManifestReview, pod: &At<'_>) {
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
        if others.len() < MOST_PORTS {
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

fn names(review: &mut ManifestReview, pod: &At<'_>) {
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

/// Visits all ports until `visit` stops it.
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
