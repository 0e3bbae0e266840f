//! Schedules.

use serde_json::json;

use super::super::remedies::one_line;
use super::super::{Facts, FindingDetails, PastRun};
use crate::controller::Generation;
use crate::duration::human;
use crate::upcoming::ScheduleProblem;

/// The schedule is valid, and no time ever matches it.
pub(super) fn never_runs(facts: &Facts<'_>) -> Option<FindingDetails> {
    let timetable = facts.timetable.as_ref()?;
    let on_purpose = facts.is_suspended() || facts.runs.iter().any(PastRun::is_manual);
    if on_purpose || timetable.next(facts.now) != Ok(None) {
        return None;
    }
    let shown = one_line(&facts.cron_job.spec.schedule);
    let why = timetable.why_never(facts.now).map_or_else(
        || "it matches no time in the next five years".to_owned(),
        |never| never.to_string(),
    );
    let detail = format!("\"{shown}\" never runs: {why}. Nothing is ever started.");
    Some(FindingDetails::new(detail).remedy(
        "If it is only meant to be started by hand, set spec.suspend to true: that says so to \
         everybody.",
    ))
}

/// The controller cannot read the schedule.
pub(super) fn schedule_unparseable(facts: &Facts<'_>) -> Option<FindingDetails> {
    let Err(ScheduleProblem::Schedule(error)) = &facts.schedule else {
        return None;
    };
    let shown = one_line(&facts.cron_job.spec.schedule);
    let release = facts.controller.release;
    let detail = if error.is_panic() {
        format!(
            "The parser of Kubernetes {release} panics on \"{shown}\": {error}. Nothing is \
             started, and the controller manager may crash."
        )
    } else {
        format!("Kubernetes {release} cannot read \"{shown}\": {error}. Nothing is started.")
    };
    let found = FindingDetails::new(detail);
    Some(match error.hint() {
        Some(hint) => found.remedy(hint),
        None => found,
    })
}

/// Two scheduled times in one minute would get the same name.
pub(super) fn sub_minute_every(facts: &Facts<'_>) -> Option<FindingDetails> {
    // Fields are no finer than minutes.
    if facts.timetable.as_ref()?.zone().is_some() {
        return None;
    }
    let period = facts.intervals()?.shortest;
    if period >= 60 || facts.behavior().generation != Generation::V2 {
        return None;
    }
    let detail = format!(
        "\"{}\" is due every {period}s, but Jobs are named by the minute of their slot. \
         Of the slots of one minute only one is started.",
        one_line(&facts.cron_job.spec.schedule)
    );
    Some(FindingDetails::new(detail).remedy(facts.patch(&json!({ "schedule": "* * * * *" }))))
}

/// The next look lies in the past.
pub(super) fn hot_loop(facts: &Facts<'_>) -> Option<FindingDetails> {
    let after = facts.decision.requeue_after.filter(|after| *after < 0)?;
    let ago = human(-(after / 1_000_000_000));
    let detail = format!(
        "Kubernetes {} wants to look again {ago} ago, that is at once, and comes to the same \
         result each time. This goes on until the next start, and keeps the controller manager \
         busy.",
        facts.controller.release
    );
    let suspend = facts.patch(&json!({ "suspend": true }));
    let upgrade = "stops it for now; 1.26.11, 1.27.8, 1.28.4 and 1.29 are repaired";
    Some(FindingDetails::new(detail).remedy(suspend.comment(upgrade)))
}
