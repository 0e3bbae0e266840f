//! A slot after which the controller finds no other, but the same one again.

use jiff::Timestamp;

use super::super::{Facts, Found};
use crate::controller::Outcome;
use crate::schedule::Timetable;

/// As far ahead as a year, which has every change of the clock once.
const HORIZON: i64 = 366 * 86_400;

pub(super) fn check(facts: &Facts<'_>) -> Option<Found> {
    let timetable = facts.timetable.as_ref()?;
    // What it is stuck at lies behind; otherwise only what is to come matters.
    let stuck = facts.decision.outcome == Outcome::InvalidSchedule;
    let since = facts
        .missed
        .filter(|_| stuck)
        .map_or(facts.now, |missed| missed.since);
    let until = Timestamp::from_second(since.as_second().saturating_add(HORIZON)).ok()?;
    let last = timetable.stands_still(since, until)?;
    Some(found(facts, timetable, last))
}

fn found(facts: &Facts<'_>, timetable: &Timetable, last: Timestamp) -> Found {
    let zone = timetable.zone().map_or("the zone", |zone| zone.name());
    let verb = if last <= facts.now { "is" } else { "will be" };
    let detail = format!(
        "The slot {last} {verb} the last one: when the controller asks for the one after it, the \
         cron library answers with the same again, since the clock of {zone} is changed there. \
         Nothing is started after it."
    );
    Found::new(detail).remedy(format!(
        "Choose an hour that the clock of {zone} neither skips nor repeats, or set spec.timeZone \
         to Etc/UTC."
    ))
}
