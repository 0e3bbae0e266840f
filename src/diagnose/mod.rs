//! What is wrong or risky with a `CronJob`: evidence becomes findings.

mod blockade;
mod causes;
mod clock_zone;
mod commands;
mod dossier;
mod effects;
mod explanation;
mod facts;
mod finding;
mod findings;
mod foresight;
mod missed;
mod pace;
mod pods;
mod reach;
mod runs;
mod suspension;
mod turning;
mod verdict;

pub use crate::rules::Severity;
pub use causes::{Cause, MissedFor, causes};
pub use clock_zone::clock_zone;
pub(crate) use commands::counted;
pub(crate) use commands::patch_command;
pub use dossier::{add_pods, cron_jobs_of, dossiers};
pub use explanation::{Explanation, WhatIf};
pub use facts::Facts;
pub use finding::{Finding, Found};
pub use foresight::{Observed, Respect, compare, is_fulfilled, is_refuted, is_unseen_event};
pub use missed::{MissedSlots, missed};
pub use pace::{Pace, sensible_deadline};
pub use pods::{PodState, lacks_pods, pods_in_question, pods_wanted};
pub use reach::Reach;
pub use runs::{BACKFILLED, PastRun};
pub(crate) use runs::{past_runs, slot_in_name};
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
