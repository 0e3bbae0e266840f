//! Files of a volume that would stand in each other's way.

use super::super::at::At;
use super::super::review::Review;
use crate::document::Place;
use crate::schedule::go_quote;

/// Of one volume, more are not compared with each other.
const MOST: usize = 500;

/// A file that a volume makes.
struct File {
    path: String,
    /// What it comes from, where a volume has several sources.
    source: String,
    place: Place,
}

impl File {
    fn shown(&self) -> String {
        let path = go_quote(&self.path);
        if self.source.is_empty() {
            path
        } else {
            format!("{path} ({})", self.source)
        }
    }
}

pub(super) fn check(review: &mut Review, volumes: &At<'_>) {
    const SINCE: u32 = 29;
    if review.minor < SINCE {
        return;
    }
    for volume in volumes.items() {
        check_volume(review, &volume);
        if review.is_full() {
            return;
        }
    }
}

fn check_volume(review: &mut Review, volume: &At<'_>) {
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
    let file = |item: At<'_>| {
        let path = item.field("path");
        File {
            path: path.text().trim_end_matches('/').to_owned(),
            source: source.to_owned(),
            place: path.place(),
        }
    };
    items.items().map(file).collect()
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
    let path = token.field("path");
    let file = token.exists().then(|| File {
        path: path.text().trim_end_matches('/').to_owned(),
        source: "ServiceAccountToken".to_owned(),
        place: path.place(),
    });
    file.into_iter().collect()
}

fn overlaps(review: &mut Review, volume: &str, described: &str, files: Vec<File>) {
    let mut before: Vec<File> = Vec::new();
    for file in files.into_iter().take(MOST) {
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
        inner
            .strip_prefix(outer)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    !one.path.is_empty()
        && !other.path.is_empty()
        && (within(&one.path, &other.path) || within(&other.path, &one.path))
}
