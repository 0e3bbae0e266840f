//! No failed Job is kept.

use super::super::{Facts, Found};
use serde_json::json;

pub(super) fn check(facts: &Facts<'_>) -> Option<Found> {
    (facts.cron_job.spec.failed_jobs_history_limit == Some(0)).then(|| {
        let detail = "failedJobsHistoryLimit is 0: a failed Job is deleted as soon as the \
            controller sees it, and its logs with it.";
        Found::new(detail).remedy(facts.patch(&json!({ "failedJobsHistoryLimit": 1 })))
    })
}
