//! Volumes of a pod.

use std::collections::HashMap;

use super::super::at::At;
use super::super::review::Review;
use super::sources;
use crate::schedule::go_quote;

/// The volumes that are well-formed, by name, and whether they come from a claim.
pub(super) struct Volumes {
    known: HashMap<String, bool>,
}

impl Volumes {
    pub(super) fn has(&self, name: &str) -> bool {
        self.known.contains_key(name)
    }

    /// Whether a volume can be a raw device.
    pub(super) fn is_claim(&self, name: &str) -> bool {
        self.known.get(name).copied().unwrap_or_default()
    }

    /// The volume that was probably meant.
    pub(super) fn meant(&self, name: &str) -> Option<&str> {
        super::super::meant(name, self.known.keys().map(String::as_str))
    }
}

/// Holds the volumes against the rules. One that breaks a rule counts as not there afterwards, as
/// it does for the server.
pub(super) fn check(review: &mut Review, at: &At<'_>) -> Volumes {
    let mut known = HashMap::new();
    for volume in at.items() {
        let before = review.causes.len();
        sources::check(review, &volume);
        let name = volume.field("name");
        if name.text().is_empty() {
            review.required(&name, "");
        } else {
            review.dns_label(&name);
        }
        if known.contains_key(name.text()) {
            review.duplicate(&name, go_quote(name.text()));
        }
        if review.causes.len() == before {
            let is_claim = ["persistentVolumeClaim", "ephemeral"];
            let is_claim = is_claim.iter().any(|source| volume.field(source).exists());
            known.insert(name.text().to_owned(), is_claim);
        }
        if review.is_full() {
            break;
        }
    }
    Volumes { known }
}
