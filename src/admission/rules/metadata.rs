//! `metadata`, beyond the name.

use super::super::at::At;
use super::super::names;
use super::super::review::Review;
use crate::schedule::go_quote;

/// The characters that the server adds to `generateName`, and how long the result may be.
const SUFFIX: &str = "xxxxx";
const LONGEST_BASE: usize = 63 - SUFFIX.len();

const STANDARD_FINALIZERS: [&str; 3] = ["kubernetes", "orphan", "foregroundDeletion"];

/// A name such as the server makes of `generateName`: what it adds is always a part of a name.
pub(super) fn generated(base: &str) -> String {
    let mut end = base.len().min(LONGEST_BASE);
    while !base.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}{SUFFIX}", base.get(..end).unwrap_or_default())
}

pub(super) fn check(review: &mut Review, at: &At<'_>) {
    // The namespace that is left out is the request's.
    let namespace = at.field("namespace");
    if !namespace.text().is_empty() {
        review.dns_label(&namespace);
    }
    review.labels(&at.field("labels"));
    review.annotations(&at.field("annotations"));
    owners(review, &at.field("ownerReferences"));
    finalizers(review, &at.field("finalizers"));
}

/// Before the name: what it is made from.
pub(super) fn generate_name(review: &mut Review, at: &At<'_>) {
    let base = at.text();
    if base.is_empty() {
        return;
    }
    // A hyphen at the end will be followed by what is added; the server puts a letter there.
    let covered = match base.len().checked_sub(2).and_then(|end| base.get(..end)) {
        Some(start) if base.ends_with('-') => format!("{start}a"),
        _ => base.to_owned(),
    };
    let details = names::subdomain(&covered, review);
    review.each_invalid(at, base, details);
}

fn owners(review: &mut Review, at: &At<'_>) {
    let mut controller: Option<String> = None;
    for owner in at.items() {
        let fields = [
            ("apiVersion", "version must not be empty"),
            ("kind", "must not be empty"),
            ("name", "must not be empty"),
            ("uid", "must not be empty"),
        ];
        for (name, detail) in fields {
            let field = owner.field(name);
            let path = format!("{}.{name}", at.path());
            if field.text().is_empty() {
                review.invalid_as(&path, field.place(), "\"\"", detail);
            }
        }
        if owner.field("controller").is_true() {
            let name = format!(
                "{}/{}",
                owner.field("kind").text(),
                owner.field("name").text()
            );
            match &controller {
                Some(first) => {
                    let detail = format!(
                        "Only one reference can have Controller set to true. Found \"true\" in \
                         references for {first} and {name}"
                    );
                    review.invalid_as(&at.path(), owner.place(), json(at), &detail);
                }
                None => controller = Some(name),
            }
        }
    }
}

fn finalizers(review: &mut Review, at: &At<'_>) {
    for finalizer in at.items() {
        for detail in names::qualified_name(finalizer.text(), review) {
            let shown = go_quote(finalizer.text());
            review.invalid_as(&at.path(), finalizer.place(), shown, &detail);
        }
    }
    let has = |name: &str| at.items().any(|item| item.text() == name);
    if has("orphan") && has("foregroundDeletion") {
        let detail = "finalizer orphan and foregroundDeletion cannot be both set";
        review.invalid(at, json(at), detail);
    }
    for finalizer in at.items() {
        let name = finalizer.text();
        if !name.contains('/') && !STANDARD_FINALIZERS.contains(&name) {
            let detail = "name is neither a standard finalizer name nor is it fully qualified";
            review.invalid_text(&finalizer, name, detail);
        }
    }
}

fn json(at: &At<'_>) -> String {
    let json = at.there().and_then(|node| node.to_json().ok());
    json.unwrap_or_default().to_string()
}
