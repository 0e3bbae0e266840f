//! The clock of the zone will be changed soon, and runs come twice.

use super::super::turning::coming;
use super::super::{Facts, Found, Rule, Severity};
use crate::schedule::SurpriseKind;

pub(super) const RULE: Rule = Rule {
    code: "clock-doubles-run",
    severity: Severity::Info,
    title: "a change of the clock will double a run",
    reason: "A local time that comes twice is run twice, an hour apart. That hurts where a run \
             sends, books or bills something.",
    field: Some("spec.schedule"),
    check,
};

fn check(facts: &Facts<'_>) -> Option<Found> {
    let (zone, doubled) = coming(facts, SurpriseKind::Doubled)?;
    let detail = format!(
        "On {} the clock of {zone} is changed, and there are two runs at {}.",
        doubled.date,
        doubled.times()
    );
    Some(Found::new(detail).remedy(
        "Choose a local time that every day has once (before 01:00 or after 03:00 in most zones), \
         or set spec.timeZone to Etc/UTC.",
    ))
}
