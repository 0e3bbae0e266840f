//! The clock of the zone will be changed soon, and runs come twice.

use super::super::turning::coming;
use super::super::{Facts, Found};
use crate::schedule::SurpriseKind;

pub(super) fn check(facts: &Facts<'_>) -> Option<Found> {
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
