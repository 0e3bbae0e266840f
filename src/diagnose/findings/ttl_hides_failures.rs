//! Finished Jobs do not live through a night.

use super::super::{Facts, Found, Rule, Severity};
use crate::duration::exact;
use serde_json::json;

pub(super) const RULE: Rule = Rule {
    code: "ttl-hides-failures",
    severity: Severity::Info,
    title: "finished Jobs are deleted within hours",
    reason: "ttlSecondsAfterFinished in the Job template deletes finished Jobs whatever the \
             history limits say. A run that failed in the night is gone before anybody \
             looks.",
    field: Some("spec.jobTemplate.spec.ttlSecondsAfterFinished"),
    check,
};

/// A night.
const NIGHT: i64 = 8 * 3_600;

fn check(facts: &Facts<'_>) -> Option<Found> {
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
