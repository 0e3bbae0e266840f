//! `spec.jobTemplate.spec`: what makes a Job.

use super::super::at::At;
use super::super::review::Review;
use super::{failure_policy, pod, success_policy};

/// The most that an indexed Job may run side by side, or fail.
const MOST_INDEXED: i64 = 100_000;
/// Above so many completions the bounds are narrower.
const MANY_COMPLETIONS: i64 = 100_000;
const MOST_WITH_MANY: i64 = 10_000;

/// Checks a Job's spec. The check of the pod's restart policy is the caller's.
pub(super) fn check(review: &mut Review, at: &At<'_>, restart_policy: fn(&mut Review, &At<'_>)) {
    for name in [
        "parallelism",
        "completions",
        "activeDeadlineSeconds",
        "backoffLimit",
        "ttlSecondsAfterFinished",
        "backoffLimitPerIndex",
        "maxFailedIndexes",
    ] {
        review.nonnegative(&at.field(name));
    }
    let per_index = at.field("backoffLimitPerIndex");
    if at.field("maxFailedIndexes").int().is_some() && per_index.int().is_none() {
        review.required(&per_index, "when maxFailedIndexes is specified");
    }
    managed_by(review, &at.field("managedBy"));
    completion_mode(review, at);
    let template = at.field("template");
    let pod = template.field("spec");
    failure_policy::check(review, at, &pod);
    success_policy::check(review, at);
    replacement_policy(review, at);
    pod::check_template(review, &template, restart_policy);
}

fn managed_by(review: &mut Review, at: &At<'_>) {
    const MOST: usize = 63;
    let Some(name) = at.some_text() else { return };
    match name.split_once('/') {
        _ if name.is_empty() => review.required(at, ""),
        Some((host, path)) if !host.is_empty() && !path.is_empty() => {
            let details = super::super::names::subdomain(host, review);
            review.each_invalid(at, host, details);
            let plain =
                |byte: u8| byte.is_ascii_alphanumeric() || b"/-._~%!$&'()*+,;=:".contains(&byte);
            if !path.bytes().all(plain) {
                let detail = "Invalid path (regex used for validation is \
                              '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')";
                review.invalid_text(at, path, detail);
            }
        }
        _ => {
            let detail = "must be a domain-prefixed path (such as \"acme.io/foo\")";
            review.invalid_text(at, name, detail);
        }
    }
    if name.len() > MOST {
        review.too_long(at, MOST);
    }
}

fn completion_mode(review: &mut Review, at: &At<'_>) {
    let mode = at.field("completionMode");
    review.one_of(&mode, &["NonIndexed", "Indexed"]);
    match mode.some_text() {
        Some("Indexed") => indexed(review, at),
        None | Some("NonIndexed") => {
            for name in ["backoffLimitPerIndex", "maxFailedIndexes"] {
                let field = at.field(name);
                if let Some(value) = field.int() {
                    review.invalid(&field, value, "requires indexed completion mode");
                }
            }
        }
        Some(_) => {}
    }
}

fn indexed(review: &mut Review, at: &At<'_>) {
    let (completions, parallelism) = (at.field("completions"), at.field("parallelism"));
    let most_failed = at.field("maxFailedIndexes");
    let count = completions.int();
    if count.is_none() {
        review.required(&completions, "when completion mode is Indexed");
    }
    let when_indexed = " when completion mode is Indexed";
    at_most(review, &parallelism, MOST_INDEXED, when_indexed);
    if let (Some(value), Some(count)) = (most_failed.int(), count)
        && value > count
    {
        let detail = "must be less than or equal to completions";
        review.invalid(&most_failed, value, detail);
    }
    at_most(review, &most_failed, MOST_INDEXED, "");
    let has_many = count.is_some_and(|count| count > MANY_COMPLETIONS);
    if has_many && at.field("backoffLimitPerIndex").int().is_some() {
        if most_failed.int().is_none() {
            let detail = format!("must be specified when completions is above {MANY_COMPLETIONS}");
            review.required(&most_failed, &detail);
        }
        let when = format!(
            " when completions are above {MANY_COMPLETIONS} and used with backoff limit per index"
        );
        at_most(review, &parallelism, MOST_WITH_MANY, &when);
        at_most(review, &most_failed, MOST_WITH_MANY, &when);
    }
}

fn at_most(review: &mut Review, at: &At<'_>, most: i64, when: &str) {
    if let Some(value) = at.int().filter(|value| *value > most) {
        let detail = format!("must be less than or equal to {most}{when}");
        review.invalid(at, value, &detail);
    }
}

fn replacement_policy(review: &mut Review, at: &At<'_>) {
    let policy = at.field("podReplacementPolicy");
    if at.field("podFailurePolicy").exists() {
        review.one_of(&policy, &["Failed"]);
    } else {
        review.one_of(&policy, &["Failed", "TerminatingOrFailed"]);
    }
}
