//! No successful Job is kept.

use super::super::{Facts, Found};
use serde_json::json;

pub(super) fn check(facts: &Facts<'_>) -> Option<Found> {
    (facts.cron_job.spec.successful_jobs_history_limit == Some(0)).then(|| {
        let detail = "successfulJobsHistoryLimit is 0: a successful Job is deleted as soon as \
            the controller sees it, so that neither its duration nor its logs are known.";
        Found::new(detail).remedy(facts.patch(&json!({ "successfulJobsHistoryLimit": 3 })))
    })
}
