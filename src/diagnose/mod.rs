//! What is wrong or risky with a `CronJob`: evidence becomes findings.

mod clock_zone;
mod evidence;
mod explanation;
mod facts;
mod findings;
mod intervals;
mod missed;
mod pods;
mod prediction;
mod remedies;
mod runs;
mod suspension;
mod verdict;

pub use crate::rules::Severity;
pub use clock_zone::clock_zone;
pub use evidence::{Coverage, add_pods, cron_jobs_of, evidence_by_cron_job};
pub use explanation::{Compared, Explanation, WhatIf};
pub use facts::Facts;
pub use findings::{Finding, FindingDetails};
pub use intervals::{RunIntervals, sensible_deadline};
pub use missed::{MissedCause, MissedFor, MissedRuns, causes};
pub use pods::{PodState, lacks_pods, pods_in_question, pods_wanted};
pub use prediction::{
    Observed, PredictionCheck, compare, is_fulfilled, is_refuted, is_unseen_event,
};
pub(crate) use remedies::{counted, patch_command};
pub use runs::{BACKFILLED, PastRun};
pub(crate) use runs::{past_runs, time_in_name};
pub use suspension::SUSPEND_REASON;
pub(crate) use suspension::suspend_reason;
pub(crate) use verdict::local_time;
pub use verdict::{ON_TIME, local, verdict, verdict_on_change};

/// All findings, the worst first.
pub fn diagnose(facts: &Facts<'_>) -> Vec<Finding> {
    let mut found: Vec<Finding> = findings::CHECKS
        .iter()
        .filter_map(|(rule, check)| Finding::new(rule, check(facts)?))
        .collect();
    found.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    found
}

/// The rules for findings, in the order in which those of one severity are shown.
pub fn finding_rules() -> impl Iterator<Item = &'static crate::rules::Rule> {
    findings::CHECKS.iter().map(|(rule, _)| *rule)
}
