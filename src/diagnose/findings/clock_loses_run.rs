//! The clock of the zone will be changed soon, and runs are lost.

use super::super::turning::coming;
use super::super::{Facts, Found};
use crate::schedule::SurpriseKind;

pub(super) fn check(facts: &Facts<'_>) -> Option<Found> {
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
