//! What is wrong or risky with a `CronJob`: evidence becomes findings.

mod facts;
mod finding;
pub mod findings;
mod missed;

pub use facts::{Facts, PastRun};
pub use finding::{Finding, Found, Rule, Severity};
pub use missed::{MissedSlots, missed};

/// All findings, the worst first.
pub fn diagnose(facts: &Facts<'_>) -> Vec<Finding> {
    let mut found: Vec<Finding> = findings::RULES
        .iter()
        .filter_map(|rule| rule.find(facts))
        .collect();
    found.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    found
}
