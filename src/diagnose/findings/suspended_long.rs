//! Somebody suspended it, and perhaps forgot.

use super::super::{Facts, Found, Rule, Severity};
use crate::duration::human;

pub(super) const RULE: Rule = Rule {
    code: "suspended-long",
    severity: Severity::Warning,
    title: "suspended for long",
    reason: "A suspended CronJob looks healthy in every list. Suspensions for maintenance are \
             forgotten, and the work is not done until somebody notices.",
    field: Some("spec.suspend"),
    check,
};

/// Shorter suspensions are part of everyday work.
const LONG: i64 = 7 * 86_400;

fn check(facts: &Facts<'_>) -> Option<Found> {
    if facts.cron_job.spec.suspend != Some(true) {
        return None;
    }
    let last = facts
        .cron_job
        .status
        .last_schedule_time
        .or(facts.cron_job.creation_timestamp)?;
    let age = facts.ago(last);
    (age >= LONG).then(|| {
        Found::new(format!("suspended, and nothing has run for {}", human(age))).remedy(format!(
            "kubectl cronjob-doctor resume {}",
            facts.kubectl_args()
        ))
    })
}
