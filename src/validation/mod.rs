//! What the API server of a release would refuse, and what it would warn of, of a `CronJob`
//! manifest.
//!
//! [`validate`] takes a document that was read and says what the server says when the object is
//! created, in the server's own words and order, with the place of each cause:
//!
//! - Decoding: types, fields that are unknown or written twice. A manifest that cannot be decoded
//!   is held against no rule.
//! - Rules: on metadata, on the `CronJob` itself, on the Job and on the whole pod template.
//! - Warnings: only of what is taken.
//!
//! The recorded answers of a real API server of 1.36 are the tests. Of older releases this module
//! knows which versions of the API they serve, what they make of schedules and time
//! zones, the words that changed, and for many fields the release that brought them. It does not
//! know every rule that was added since, so that it may refuse for an old release what that
//! release would have taken; fields behind a feature gate count as there from the release on that
//! brought them. What a cluster's own policies, quotas and webhooks say is not known here.

mod answer;
mod at;
mod constraints;
mod decode;
mod formats;
mod quantity;
mod release;
mod review;
mod rules;
mod schema;
mod warnings;

pub use answer::{CauseReason, Suggestion, ValidationResult};
pub(crate) use answer::{ValidationCause, ValidationWarning};
pub(crate) use formats::job_name_error;
pub(crate) use release::successor;
pub(crate) use rules::cronjob::validate_time_zone;

use at::At;
use review::ManifestReview;

use crate::controller::Release;
use crate::document::{Node, Problem};
use crate::schedule::Zones;
use crate::spelling;

/// What the API server says when the object of a manifest is created.
///
/// `object` is the `CronJob`: the top of a document, or an item of a list in it. `problems` are
/// those of its document: a server to which the text itself is posted refuses keys that are written
/// twice. kubectl drops the first of them before it sends anything; whoever asks what kubectl's
/// user sees passes none.
pub fn validate(
    object: &Node,
    problems: &[Problem],
    release: Release,
    zones: &dyn Zones,
) -> ValidationResult {
    let top = At::top(object);
    let minor = release.minor();
    if let Some(answer) = release::unknown(&top, minor) {
        return answer;
    }
    let mut found = decode::decode(&top, problems, minor);
    if !found.wrong.is_empty() || !found.strict.is_empty() {
        let message = answer::undecodable_message(&top, &found.wrong, &found.strict);
        found.wrong.append(&mut found.strict);
        return ValidationResult {
            causes: found.wrong,
            message: Some(message),
            ..ValidationResult::default()
        };
    }
    if let Some(answer) = release::unserved(&top, minor) {
        return answer;
    }
    let mut review = ManifestReview::new(release);
    rules::cronjob::check(&mut review, &top, release, zones);
    if review.causes.is_empty() {
        return ValidationResult {
            warnings: review.warnings,
            ..ValidationResult::default()
        };
    }
    ValidationResult {
        message: Some(answer::invalid_message(&top, &review.causes)),
        causes: review.causes,
        warnings: Vec::new(),
    }
}

/// Longer words are not compared with those that may have been meant.
const MAX_WORD: usize = 64;

/// The word that was probably meant: the same in another case, or one that is spelled nearly so.
fn meant<'c>(word: &str, candidates: impl Iterator<Item = &'c str> + Clone) -> Option<&'c str> {
    if word.len() > MAX_WORD {
        return None;
    }
    let mut same = candidates.clone();
    same.find(|candidate| candidate.eq_ignore_ascii_case(word))
        .or_else(|| spelling::nearest(word, candidates))
}

#[cfg(test)]
mod examples {
    #[test]
    fn unknown_field_is_reported_at_its_place() {
        use crate::controller::Release;
        use crate::document;
        use crate::schedule::BundledZones;
        use crate::validation::{self, CauseReason};

        let text = "
apiVersion: batch/v1
kind: CronJob
metadata: {name: nightly}
spec:
  shedule: 0 2 * * *
";
        let parsed = document::parse(text);
        let manifest = &parsed.documents[0];
        let answer = validation::validate(
            &manifest.root,
            &manifest.problems,
            Release::NEWEST,
            &BundledZones,
        );
        let cause = &answer.causes[0];
        assert_eq!(cause.reason, CauseReason::UnknownField);
        assert_eq!(cause.message, "unknown field \"spec.shedule\"");
        assert_eq!((cause.place.line, cause.place.column), (6, 3));
    }
}
