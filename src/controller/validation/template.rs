//! What of `spec.jobTemplate` makes a Job one of a `CronJob`.

use serde_json::Value;

use super::{FieldError, Review, selector};
use crate::schedule::go_quote;

const RESTART_POLICY: &str = "spec.jobTemplate.spec.template.spec.restartPolicy";
const SELECTOR: &str = "spec.jobTemplate.spec.selector";
const MANUAL_SELECTOR: &str = "spec.jobTemplate.spec.manualSelector";

/// The restart policy, and the selector that nobody may choose.
pub(super) fn errors(review: &Review<'_>) -> Vec<FieldError> {
    let field = |pointer| review.new.spec.job_template.pointer(pointer);
    let policy = field("/spec/template/spec/restartPolicy").and_then(Value::as_str);
    let misses_policy = review.admission.misses_restart_policy;
    let mut errors = restart_policy(policy.unwrap_or_default(), misses_policy);
    if let Some(selector) = field("/spec/selector").filter(|selector| !selector.is_null()) {
        let shown = selector::shown(selector, review.admission.shows_json);
        let detail = "`selector` will be auto-generated";
        errors.push(FieldError::invalid(SELECTOR, shown, detail));
    }
    if field("/spec/manualSelector") == Some(&Value::Bool(true)) {
        let supported = ["nil", "false"];
        errors.push(FieldError::unsupported(MANUAL_SELECTOR, true, &supported));
    }
    errors
}

/// The default of all pods is `Always`, and the checks come after the defaults: whoever leaves the
/// policy out has chosen wrongly.
fn restart_policy(policy: &str, misses_policy: bool) -> Vec<FieldError> {
    let of_jobs = ["OnFailure", "Never"];
    let wrong = |policy: &str| {
        let policy = go_quote(policy);
        FieldError::unsupported(RESTART_POLICY, policy, &of_jobs)
    };
    match policy {
        "OnFailure" | "Never" => Vec::new(),
        "" | "Always" if misses_policy => {
            let detail = "valid values: \"OnFailure\", \"Never\"";
            vec![FieldError::required(RESTART_POLICY, detail)]
        }
        "" | "Always" => vec![wrong("Always")],
        _ => {
            let of_pods = ["Always", "OnFailure", "Never"];
            let no_policy = FieldError::unsupported(RESTART_POLICY, go_quote(policy), &of_pods);
            vec![no_policy, wrong(policy)]
        }
    }
}
