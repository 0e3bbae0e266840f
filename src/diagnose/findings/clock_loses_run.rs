//! The clock of the zone will be changed soon, and runs are lost.

use super::super::turning::coming;
use super::super::{Facts, Found, Rule, Severity};
use crate::schedule::SurpriseKind;

pub(super) const RULE: Rule = Rule {
    code: "clock-loses-run",
    severity: Severity::Warning,
    title: "a change of the clock will lose a run",
    reason: "A local time that the clock of the zone skips is not run that day: not an hour \
             earlier, not an hour later, and without an event. Where the clock skips midnight, \
             more can be lost.",
    field: Some("spec.schedule"),
    check,
};

fn check(facts: &Facts<'_>) -> Option<Found> {
    let (zone, lost) = coming(facts, SurpriseKind::Lost)?;
    let detail = format!(
        "On {} the clock of {zone} is changed, and there is no run at {}.",
        lost.date,
        lost.times()
    );
    Some(Found::new(detail).remedy(
        "Choose a local time that every day has (before 01:00 or after 03:00 in most zones), or \
         set spec.timeZone to Etc/UTC.",
    ))
}
