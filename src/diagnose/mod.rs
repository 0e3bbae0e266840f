//! What is wrong or risky with a `CronJob`: evidence becomes findings.

mod causes;
mod facts;
mod finding;
pub mod findings;
mod missed;
mod verdict;

pub use causes::{Cause, MissedFor, causes, suspended_by};
pub use facts::{Facts, PastRun};
pub use finding::{Finding, Found, Rule, Severity};
pub use missed::{MissedSlots, missed};
pub use verdict::{resumed, verdict};

/// All findings, the worst first.
pub fn diagnose(facts: &Facts<'_>) -> Vec<Finding> {
    let mut found: Vec<Finding> = findings::RULES
        .iter()
        .filter_map(|rule| rule.find(facts))
        .collect();
    found.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    found
}
