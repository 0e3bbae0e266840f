//! What of `spec.jobTemplate` makes a Job one of a `CronJob`.

use serde_json::Value;

use super::{FieldError, Review, selector};
use crate::schedule::go_quote;

const RESTART_POLICY: &str = "spec.jobTemplate.spec.template.spec.restartPolicy";
const SELECTOR: &str = "spec.jobTemplate.spec.selector";
const MANUAL_SELECTOR: &str = "spec.jobTemplate.spec.manualSelector";

const OF_PODS: [&str; 3] = ["Always", "OnFailure", "Never"];
const OF_JOBS: [&str; 2] = ["OnFailure", "Never"];

fn field<'r>(review: &Review<'r>, pointer: &str) -> Option<&'r Value> {
    review.new.spec.job_template.pointer(pointer)
}

fn restart_policy<'r>(review: &Review<'r>) -> &'r str {
    let policy = field(review, "/spec/template/spec/restartPolicy");
    policy.and_then(Value::as_str).unwrap_or_default()
}

/// The restart policy must be one that pods have.
pub(super) fn policy_of_pods(review: &Review<'_>) -> Option<FieldError> {
    let policy = restart_policy(review);
    let known = policy.is_empty() || OF_PODS.contains(&policy);
    (!known).then(|| FieldError::unsupported(RESTART_POLICY, go_quote(policy), &OF_PODS))
}

/// The restart policy must be one that Jobs have.
///
/// The default of all pods is `Always`, and the checks come after the defaults: whoever leaves the
/// policy out has chosen wrongly.
pub(super) fn policy_of_jobs(review: &Review<'_>) -> Option<FieldError> {
    let unsupported = |policy: &str| {
        let policy = go_quote(policy);
        Some(FieldError::unsupported(RESTART_POLICY, policy, &OF_JOBS))
    };
    let fails_by_pod = field(review, "/spec/podFailurePolicy").is_some_and(|it| !it.is_null());
    match restart_policy(review) {
        "OnFailure" if fails_by_pod => {
            let detail = "only \"Never\" is supported when podFailurePolicy is specified";
            Some(FieldError::invalid_text(
                RESTART_POLICY,
                "OnFailure",
                detail,
            ))
        }
        "OnFailure" | "Never" => None,
        "" | "Always" if review.admission.misses_restart_policy => {
            let detail = "valid values: \"OnFailure\", \"Never\"";
            Some(FieldError::required(RESTART_POLICY, detail))
        }
        "" => unsupported("Always"),
        other => unsupported(other),
    }
}

/// The selector is the server's business.
pub(super) fn selector(review: &Review<'_>) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let selector = field(review, "/spec/selector").filter(|selector| !selector.is_null());
    if let Some(selector) = selector {
        let shown = selector::shown(selector, review.admission.shows_json);
        let detail = "`selector` will be auto-generated";
        errors.push(FieldError::invalid(SELECTOR, shown, detail));
    }
    if field(review, "/spec/manualSelector") == Some(&Value::Bool(true)) {
        let supported = ["nil", "false"];
        errors.push(FieldError::unsupported(MANUAL_SELECTOR, true, &supported));
    }
    errors
}
