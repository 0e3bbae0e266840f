//! The limit of 100 missed starts is near.

use super::super::commands::counted;
use super::super::{Facts, Found};
use crate::controller::{Class, Outcome, TooMany};
use crate::duration::human;
use serde_json::json;

const DAY: i64 = 86_400;

pub(super) fn check(facts: &Facts<'_>) -> Option<Found> {
    let blocked = facts.decision.outcome == Outcome::Blocked;
    if !facts.is_suspended() && !blocked {
        return None;
    }
    let many = facts
        .prospect()
        .missed
        .is_some_and(|missed| missed.class == Class::Many);
    let missed = facts.missed?;
    let crossing = missed
        .crosses_limit_at
        .filter(|crossing| *crossing > facts.now && !many)?;
    let (gone, left) = (
        facts.ago(missed.since),
        crossing.as_second() - facts.now.as_second(),
    );
    // Near in time and no longer quite new, or near compared with the way behind.
    let near = (left <= DAY && gone * 3 >= left) || gone >= left * 3;
    if !near {
        return None;
    }
    let keeps = if blocked {
        "blocked by a running Job"
    } else {
        "suspended"
    };
    let then = match facts.behaviour().too_many {
        TooMany::Refuses => "From then on this release starts nothing any more, whatever happens.",
        _ => {
            "From then on the controller records the warning TooManyMissedTimes, and still \
             starts the last slot."
        }
    };
    let detail = format!(
        "It is {keeps}, and {} missed since {}. At {crossing}, in {}, the controller counts more \
         than 100. {then}",
        were(missed.count),
        missed.since,
        human(left)
    );
    let seconds = facts.sensible_deadline();
    Some(Found::new(detail).remedy(facts.patch(&json!({ "startingDeadlineSeconds": seconds }))))
}

fn were(slots: u64) -> String {
    format!(
        "{} {}",
        counted(slots, "slot"),
        if slots == 1 { "was" } else { "were" }
    )
}
