//! The errors and warnings of the API server of a release for a `CronJob` manifest.
//!
//! [`validate`] returns what the API server answers when the object is created, with its exact messages
//! and order, and the position of each cause:
//!
//! - Decoding: types, unknown fields and duplicate fields. A manifest that cannot be decoded is not
//!   validated further.
//! - Rules: for metadata, the `CronJob`, the Job and the whole pod template.
//! - Warnings: only for accepted manifests.
//!
//! The tests are recorded answers of real API servers of nine releases from 1.21 to 1.36. For others this module
//! has the API versions they serve, their handling of schedules and time zones, changed messages, and for
//! many fields the release that added them and the one that turned their feature gate on. It does not have
//! the release of every rule, so it may reject for an old release what that release would have accepted.
//! Policies, quotas, webhooks and feature gates of a cluster are not covered.

mod answer;
mod at;
mod constraints;
mod decode;
mod formats;
mod go_value;
mod quantity;
mod release;
mod review;
mod rules;
mod schema;
mod upgrade;
mod warnings;

pub use answer::{
    CauseReason, ExpectedType, Suggestion, ValidationCause, ValidationResult, ValidationWarning,
};
pub use formats::job_name_error;
pub use quantity::Quantity;
pub use rules::cronjob::validate_time_zone;
pub use upgrade::{WriteChange, WriteEffect, write_changes};

pub(crate) use release::successor;

use at::At;
use decode::Findings;
use go_value::go_object;
use release::ApiServer;
use review::ManifestReview;

use cronjob_controller::controller::Release;
use cronjob_text::spelling;
use kube_cron::Zones;
use located_yaml::{Node, Problem};

/// The answer of the API server when the object of a manifest is created.
///
/// `object` is the `CronJob`: the root of a document, or an item of a list in it. `problems` are those of
/// the document: an API server that receives the text itself rejects duplicate keys. kubectl drops the
/// first of them before it sends the object; for its users, pass none.
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
    let (kept, dropped) = decode::without_disabled(object, minor);
    let Findings {
        wrong: mut causes,
        mut strict,
    } = decode::decode(&top, problems, release);
    let ignores = ApiServer::of(release).ignores_unknown_fields;
    let mut review = ManifestReview::new(release);
    if causes.is_empty() && (ignores || strict.is_empty()) {
        if let Some(answer) = release::unserved(&top, minor) {
            return answer;
        }
        rules::cronjob::check(&mut review, &At::top(&kept), release, zones);
    }
    let message = if !review.causes.is_empty() {
        Some(answer::invalid_message(&top, &review.causes))
    } else if causes.is_empty() && strict.is_empty() {
        None
    } else {
        Some(answer::undecodable_message(&top, &causes, &strict))
    };
    causes.append(&mut strict);
    causes.append(&mut review.causes);
    ValidationResult {
        causes,
        warnings: review.warnings,
        message,
        dropped,
    }
}

/// What the API server answers in its other stages, which it only reaches once the causes of `answer` are
/// corrected. What those causes may lead to by themselves is left out.
pub(crate) fn causes_of_other_stages(
    object: &Node,
    answer: &ValidationResult,
    release: Release,
    zones: &dyn Zones,
) -> Vec<ValidationCause> {
    let top = At::top(object);
    let minor = release.minor();
    let stops = answer
        .causes
        .iter()
        .any(|cause| cause.reason.precludes_validation());
    if !stops || release::unknown(&top, minor).is_some() {
        return Vec::new();
    }
    let unserved = release::unserved(&top, minor);
    let (kept, _) = decode::without_disabled(object, minor);
    let mut review = ManifestReview::new(release);
    rules::cronjob::check(&mut review, &At::top(&kept), release, zones);
    let mut others = review.causes;
    others.retain(|cause| !answer.causes.iter().any(|before| leads_to(before, cause)));
    others.extend(unserved.into_iter().flat_map(|answer| answer.causes));
    others.retain(|cause| !answer.causes.contains(cause));
    others
}

/// Whether a cause of decoding may be why a rule finds something: a value of a wrong type, or a field that is missing
/// because its name is misspelled or it is at another position.
fn leads_to(before: &ValidationCause, cause: &ValidationCause) -> bool {
    let within = |field: &str, parent: &str| {
        let rest = field.strip_prefix(parent);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
    };
    let parent = before
        .field
        .rsplit_once('.')
        .map_or("", |(parent, _)| parent);
    match before.reason {
        CauseReason::UnknownField => {
            let lacks_alternative = cause.message.contains("must specify one of");
            if lacks_alternative && within(parent, &cause.field) {
                return true;
            }
            match &before.suggestion {
                Some(Suggestion::Word(word)) => within(&cause.field, &format!("{parent}.{word}")),
                Some(Suggestion::Elsewhere(path)) => {
                    let is_volume =
                        cause.reason == CauseReason::NotFound && path.ends_with(".volumes");
                    is_volume || within(&without_indices(&cause.field), path)
                }
                _ => cause.reason == CauseReason::Required && within(&cause.field, parent),
            }
        }
        _ => within(&cause.field, &before.field) || within(&before.field, &cause.field),
    }
}

/// A path with `[]` for each index.
fn without_indices(path: &str) -> String {
    let mut parts = path.split('[');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (index, rest) = part.split_once(']').unwrap_or((part, ""));
        let is_number = index.bytes().all(|byte| byte.is_ascii_digit());
        text += &format!("[{}]{rest}", if is_number { "" } else { index });
    }
    text
}

const MAX_WORD: usize = 64;

/// The word that was probably intended: the same in another case, or one with a similar spelling.
fn nearest_word<'c>(
    word: &str,
    candidates: impl Iterator<Item = &'c str> + Clone,
) -> Option<&'c str> {
    if word.len() > MAX_WORD {
        return None;
    }
    let mut same = candidates.clone();
    same.find(|candidate| candidate.eq_ignore_ascii_case(word))
        .or_else(|| spelling::nearest(word, candidates))
}
