//! Earlier runs only fit the schedule on another clock.

use super::super::{Facts, Found};
use crate::schedule::Zone;
use jiff::Timestamp;

/// Fewer runs prove nothing.
const ENOUGH: usize = 3;
const QUARTER: i64 = 900;

pub(super) fn check(facts: &Facts<'_>) -> Option<Found> {
    let schedule = facts.schedule.as_ref().ok()?;
    let timetable = facts.timetable.as_ref()?;
    timetable.zone()?;
    if facts.cron_job.spec.time_zone.is_some() || schedule.own_zone().is_some() {
        return None;
    }
    let slots: Vec<Timestamp> = facts
        .runs
        .iter()
        .filter(|run| run.controlled)
        .filter_map(|run| run.slot)
        .collect();
    let in_utc = schedule.in_zone(&Zone::utc());
    if slots.len() < ENOUGH || slots.iter().any(|slot| in_utc.is_slot(*slot)) {
        return None;
    }
    let remedy = "Set spec.timeZone to the zone that is meant";
    if slots.iter().all(|slot| timetable.is_slot(*slot)) {
        let detail = format!(
            "None of the {} runs that are known is a slot of UTC; all fit a clock in {}, which the \
             controller manager seems to run in. Whoever reads the schedule cannot see that, and \
             on another control plane it would run at other times.",
            slots.len(),
            facts.controller.local.name()
        );
        return Some(Found::new(detail).remedy(format!("{remedy}.")));
    }
    if slots.iter().any(|slot| timetable.is_slot(*slot)) {
        return None;
    }
    let fits = |offset: &i64| {
        slots
            .iter()
            .all(|slot| shifted(*slot, *offset).is_some_and(|at| in_utc.is_slot(at)))
    };
    // From -12:00 to +14:00, nearest to UTC first.
    let mut offsets: Vec<i64> = (-48..=56).map(|quarters| quarters * QUARTER).collect();
    offsets.sort_by_key(|offset| offset.abs());
    let offset = offsets.into_iter().find(fits)?;
    let newest = slots.iter().max()?;
    let detail = format!(
        "The schedule is read as {} time, but none of the {} runs that are known, such as that \
         of {newest}, is one of its slots. All fit a clock at UTC{}: the controller manager \
         seems to run in such a zone, unless the schedule was changed after these runs.",
        facts.controller.local.name(),
        slots.len(),
        signed(offset)
    );
    Some(Found::new(detail).remedy(format!(
        "{remedy}; for predictions, pass --controller-time-zone."
    )))
}

fn shifted(slot: Timestamp, offset: i64) -> Option<Timestamp> {
    Timestamp::from_second(slot.as_second() + offset).ok()
}

/// `+05:30`
fn signed(offset: i64) -> String {
    let minutes = offset.abs() / 60;
    format!(
        "{}{:02}:{:02}",
        if offset < 0 { '-' } else { '+' },
        minutes / 60,
        minutes % 60
    )
}
