//! The slot that the release computes is none.

use super::super::commands::{add, one_line};
use super::super::{Facts, Found};
use crate::controller::{Arithmetic, Outcome};
use serde_json::json;

pub(super) fn check(facts: &Facts<'_>) -> Option<Found> {
    let timetable = facts.timetable.as_ref()?;
    // `@every` has no times of its own, and is even.
    timetable.zone()?;
    let decision = facts.prospect();
    let starts = matches!(
        decision.outcome,
        Outcome::Start | Outcome::Replace | Outcome::Blocked
    );
    if facts.behaviour().arithmetic != Arithmetic::Multiplied || !starts {
        return None;
    }
    let slot = decision
        .scheduled_time
        .filter(|slot| !timetable.is_slot(*slot))?;
    let when = match decision.outcome {
        _ if facts.is_suspended() => "If it is resumed now",
        Outcome::Blocked => "When the running Job ends",
        _ => "With its next look",
    };
    let mut detail = format!(
        "{when}, Kubernetes {} starts a Job for {slot}, which is no time of \"{}\".",
        facts.controller.release,
        one_line(&facts.cron_job.spec.schedule)
    );
    if let Some(last) = facts.missed.and_then(|missed| missed.last) {
        add(&mut detail, format_args!(" The last real slot was {last}."));
    }
    let seconds = facts.sensible_deadline();
    let found = Found::new(detail);
    let with_deadline = facts.decide_if(|spec| {
        spec.suspend = Some(false);
        spec.starting_deadline_seconds = Some(seconds);
    });
    Some(if with_deadline.outcome == Outcome::Wait {
        found.remedy(facts.patch(&json!({ "startingDeadlineSeconds": seconds })))
    } else {
        found.remedy("Upgrade: 1.26.7, 1.27.4 and 1.28 look for a real slot.")
    })
}
