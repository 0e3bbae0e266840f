//! No successful Job is kept.

use super::super::{Facts, Found, Rule, Severity};
use serde_json::json;

pub(super) const RULE: Rule = Rule {
    code: "history-limit-hides-successes",
    severity: Severity::Info,
    title: "successful runs are deleted at once",
    reason: "With successfulJobsHistoryLimit: 0 nothing but status.lastSuccessfulTime \
             remains of a successful run: not when it ran, how long it took, or what it \
             said.",
    field: Some("spec.successfulJobsHistoryLimit"),
    check,
};

fn check(facts: &Facts<'_>) -> Option<Found> {
    (facts.cron_job.spec.successful_jobs_history_limit == Some(0)).then(|| {
        let detail = "successfulJobsHistoryLimit is 0: a successful Job is deleted as soon as \
            the controller sees it, so that neither its duration nor its logs are known.";
        Found::new(detail).remedy(facts.patch(&json!({ "successfulJobsHistoryLimit": 3 })))
    })
}
