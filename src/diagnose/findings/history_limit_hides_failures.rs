//! No failed Job is kept.

use super::super::{Facts, Found, Rule, Severity};
use serde_json::json;

pub(super) const RULE: Rule = Rule {
    code: "history-limit-hides-failures",
    severity: Severity::Warning,
    title: "failed runs are deleted at once",
    reason: "With failedJobsHistoryLimit: 0 a failed Job is deleted as soon as the \
             controller sees it, with its pods and their logs. Nobody can find out what \
             went wrong.",
    field: Some("spec.failedJobsHistoryLimit"),
    check,
};

fn check(facts: &Facts<'_>) -> Option<Found> {
    (facts.cron_job.spec.failed_jobs_history_limit == Some(0)).then(|| {
        let detail = "failedJobsHistoryLimit is 0: a failed Job is deleted as soon as the \
            controller sees it, and its logs with it.";
        Found::new(detail).remedy(facts.patch(&json!({ "failedJobsHistoryLimit": 1 })))
    })
}
