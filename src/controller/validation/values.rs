//! Numbers that must not be negative, and the words for `spec.concurrencyPolicy`.

use super::{FieldError, Review};
use crate::model::ConcurrencyPolicy;
use crate::schedule::go_quote;

/// `spec.startingDeadlineSeconds`. There is no upper bound.
pub(super) fn deadline(review: &Review<'_>) -> Option<FieldError> {
    let deadline = review.new.spec.starting_deadline_seconds;
    negative("spec.startingDeadlineSeconds", deadline)
}

/// `spec.successfulJobsHistoryLimit` and `spec.failedJobsHistoryLimit`.
pub(super) fn limits(review: &Review<'_>) -> impl Iterator<Item = FieldError> {
    let spec = &review.new.spec;
    let limits = [
        (
            "spec.successfulJobsHistoryLimit",
            spec.successful_jobs_history_limit,
        ),
        (
            "spec.failedJobsHistoryLimit",
            spec.failed_jobs_history_limit,
        ),
    ];
    limits
        .into_iter()
        .filter_map(|(field, limit)| negative(field, limit.map(i64::from)))
}

fn negative(field: &str, value: Option<i64>) -> Option<FieldError> {
    let value = value.filter(|value| *value < 0)?;
    Some(FieldError::invalid(
        field,
        value,
        "must be greater than or equal to 0",
    ))
}

/// `spec.concurrencyPolicy`. The empty word is replaced by the default before anyone asks.
pub(super) fn policy(review: &Review<'_>) -> Option<FieldError> {
    let ConcurrencyPolicy::Other(word) = &review.new.spec.concurrency_policy else {
        return None;
    };
    (!word.is_empty()).then(|| {
        let supported = ["Allow", "Forbid", "Replace"];
        FieldError::unsupported("spec.concurrencyPolicy", go_quote(word), &supported)
    })
}
