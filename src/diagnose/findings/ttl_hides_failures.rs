//! Finished Jobs do not live through a night.

use super::super::{Facts, Found};
use crate::duration::exact;
use serde_json::json;

/// A night.
const NIGHT: i64 = 8 * 3_600;

pub(super) fn check(facts: &Facts<'_>) -> Option<Found> {
    let template = &facts.cron_job.spec.job_template;
    let ttl = template
        .pointer("/spec/ttlSecondsAfterFinished")?
        .as_i64()?;
    if ttl >= NIGHT {
        return None;
    }
    let detail = format!(
        "ttlSecondsAfterFinished is {ttl}: Jobs are deleted {} after their end, failed ones and \
         their logs too, whatever the history limits say.",
        exact(ttl)
    );
    let patch = json!({ "jobTemplate": { "spec": { "ttlSecondsAfterFinished": null } } });
    Some(Found::new(detail).remedy(facts.patch(&patch)))
}
