//! The controller announces another next run than the one that is computed here.

use super::super::{Facts, Found};

pub(super) fn check(facts: &Facts<'_>) -> Option<Found> {
    let announced = facts.cron_job.status.next_schedule_time?;
    let next = facts.next_run()?;
    // One that has passed is a matter of lateness.
    if announced <= facts.now || announced == next || facts.is_suspended() {
        return None;
    }
    let detail = format!(
        "The controller announces {announced}, but by the schedule, read in {}, the next slot is \
         {next}.",
        facts.zone().name()
    );
    Some(Found::new(detail).remedy(
        "If the controller manager runs in another zone, pass --controller-time-zone, or set \
         spec.timeZone.",
    ))
}
