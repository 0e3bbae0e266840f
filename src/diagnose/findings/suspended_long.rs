//! Somebody suspended it, and perhaps forgot.

use super::super::commands::{add, counted, one_line};
use super::super::suspension::suspended_by;
use super::super::{Facts, Found};
use crate::duration::human;

/// Shorter suspensions are part of everyday work.
const LONG: i64 = 7 * 86_400;

pub(super) fn check(facts: &Facts<'_>) -> Option<Found> {
    // Where nothing would run anyway, somebody may want it so.
    facts.next_run().filter(|_| facts.is_suspended())?;
    let first = facts.missed.and_then(|missed| missed.first);
    let setter = suspended_by(facts.cron_job);
    let set_long_ago = setter.is_some_and(|(_, time)| facts.ago(time) >= LONG);
    let missed_long_ago = first.is_some_and(|first| facts.ago(first) >= LONG);
    if !set_long_ago && !missed_long_ago {
        return None;
    }
    let mut detail = "It is suspended.".to_owned();
    let not_run = facts.not_run().filter(|not_run| *not_run > 0);
    if let (Some(not_run), Some(first)) = (not_run, first) {
        let (slots, ago) = (counted(not_run, "slot"), human(facts.ago(first)));
        add(
            &mut detail,
            format_args!(" {slots} got no Job, the first at {first}, {ago} ago."),
        );
    }
    if let Some((manager, time)) = setter {
        let manager = one_line(manager);
        add(
            &mut detail,
            format_args!(" spec.suspend was set by {manager}, at {time} at the latest."),
        );
    }
    Some(Found::new(detail).remedy(facts.doctor("resume")))
}
