//! Several sources in one volume.

use std::collections::HashSet;

use super::super::at::At;
use super::super::review::Review;
use super::{paths, sources};
use crate::schedule::go_quote;

const SHORTEST_TOKEN: i64 = 10 * 60;
const LONGEST_TOKEN: i64 = 1 << 32;

pub(super) fn check(review: &mut Review, at: &At<'_>) {
    paths::mode(review, &at.field("defaultMode"));
    let mut taken: HashSet<String> = HashSet::new();
    for source in at.field("sources").items() {
        let mut count = 0;
        for name in ["secret", "configMap"] {
            let files = source.field(name);
            if files.exists() {
                count += 1;
                let name = files.field("name");
                sources::require(review, &name);
                for item in files.field("items").items() {
                    sources::key_to_path(review, &item);
                    let path = item.field("path");
                    take(review, at, &path, name.text(), &mut taken);
                }
            }
        }
        let downward = source.field("downwardAPI");
        if downward.exists() {
            count += 1;
            for file in downward.field("items").items() {
                sources::downward_file(review, &downward, &file);
                let path = file.field("path");
                take(review, at, &path, path.text(), &mut taken);
            }
        }
        let token = source.field("serviceAccountToken");
        if token.exists() {
            count += 1;
            check_token(review, at, &token);
        }
        if count > 1 {
            let detail = "may not specify more than 1 volume type per source";
            review.forbidden(&source, detail);
        }
    }
}

/// Two files cannot have the same path. The server names the volume.
fn take(
    review: &mut Review,
    volume: &At<'_>,
    path: &At<'_>,
    shown: &str,
    taken: &mut HashSet<String>,
) {
    if !path.text().is_empty() && !taken.insert(path.text().to_owned()) {
        let detail = "conflicting duplicate paths";
        review.invalid_as(&volume.path(), path.place(), go_quote(shown), detail);
    }
}

fn check_token(review: &mut Review, volume: &At<'_>, at: &At<'_>) {
    let expiration = at.field("expirationSeconds");
    if let Some(seconds) = expiration.int() {
        if seconds < SHORTEST_TOKEN {
            let detail = "may not specify a duration less than 10 minutes";
            review.invalid(&expiration, seconds, detail);
        }
        if seconds > LONGEST_TOKEN {
            let detail = "may not specify a duration larger than 2^32 seconds";
            review.invalid(&expiration, seconds, detail);
        }
    }
    // The server names a field of the volume.
    let path = at.field("path");
    let said = volume.field("path").path();
    if path.text().is_empty() {
        review.required_as(&said, path.place(), "");
    } else {
        paths::not_reserved(review, &said, path.place(), path.text());
    }
}
