//! Clocks disagree, or a clock was wrong.

use super::super::commands::add;
use super::super::{Facts, Found};
use crate::duration::human;

/// Clocks never agree to the second.
const TOLERANCE: i64 = 30;

pub(super) fn check(facts: &Facts<'_>) -> Option<Found> {
    let cron_job = facts.cron_job;
    let (what, time) = match (
        cron_job.status.last_schedule_time,
        cron_job.creation_timestamp,
    ) {
        (Some(last), _) => ("last start", last),
        (None, Some(created)) => ("creation", created),
        (None, None) => return None,
    };
    let ahead = time.as_second() - facts.now.as_second();
    if ahead <= TOLERANCE {
        return None;
    }
    let mut detail = format!(
        "Its {what}, {time}, is {} in the future of {}.",
        human(ahead),
        facts.now
    );
    if let Some(next) = facts
        .timetable
        .as_ref()
        .and_then(|timetable| timetable.next(time).ok()?)
    {
        add(&mut detail, format_args!(" Nothing starts before {next}."));
    }
    Some(Found::new(detail).remedy(
        "Compare the clocks of the control plane nodes, and of this machine, with `date -u`.",
    ))
}
