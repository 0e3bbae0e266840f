//! Schedules.

use serde_json::json;

use super::super::{Facts, FindingDetails, one_line};
use crate::diagnose::Severity;
use cronjob_controller::controller::{Generation, Outcome};
use cronjob_controller::upcoming::ScheduleProblem;
use cronjob_text::duration::human;
use cronjob_text::words::sentence;
use kube_model::PastRun;

pub(super) fn never_scheduled(facts: &Facts<'_>) -> Option<FindingDetails> {
    let timetable = facts.timetable.as_ref()?;
    // If it is suspended, that is intended.
    if facts.input.is_suspended() || timetable.next(facts.input.now) != Ok(None) {
        return None;
    }
    let shown = one_line(&facts.input.cron_job.spec.schedule);
    let why = timetable.why_never(facts.input.now).map_or_else(
        || "it matches no time in the next five years".into(),
        |never| never.to_string(),
    );
    if facts.runs.iter().any(PastRun::is_manual) {
        let detail = text!(
            "\"{}\" never runs: {}. It has a manually created Job, so this may be intended.",
            shown,
            why
        );
        let found = FindingDetails::new(detail).severity(Severity::Info);
        return Some(found.remedy(facts.input.doctor("suspend")));
    }
    let detail = text!("\"{}\" never runs: {}. No Job is ever started.", shown, why);
    Some(FindingDetails::new(detail).remedy(
        "Use dates that exist. If the CronJob is only started manually, set spec.suspend: true.",
    ))
}

pub(super) fn schedule_unparseable(facts: &Facts<'_>) -> Option<FindingDetails> {
    let Err(ScheduleProblem::Schedule(error)) = &facts.schedule else {
        return None;
    };
    let shown = one_line(&facts.input.cron_job.spec.schedule);
    let release = facts.input.controller.release;
    let detail = if error.is_panic() {
        text!(
            "The parser of Kubernetes {} panics on \"{}\": {}. Nothing is \
             started, and the controller manager may crash.",
            release,
            shown,
            error.to_string()
        )
    } else {
        text!(
            "Kubernetes {} cannot parse \"{}\": {}. Nothing is started.",
            release,
            shown,
            error.to_string()
        )
    };
    let found = FindingDetails::new(detail);
    Some(match error.hint() {
        Some(hint) => found.remedy(sentence(&hint)),
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
    if period >= 60 || facts.input.behavior().generation != Generation::V2 {
        return None;
    }
    let detail = format!(
        "\"{}\" is due every {period}s, but Jobs are named after the minute of their \
         scheduled time. Of the runs in one minute, only one is started.",
        one_line(&facts.input.cron_job.spec.schedule)
    );
    let every_minute = facts.patch(&json!({ "schedule": "* * * * *" }));
    let found = FindingDetails::new(detail).remedy(every_minute);
    let starts_nothing = facts.decision.outcome == Outcome::NameTaken;
    Some(found.severity_if(starts_nothing, Severity::Error))
}

/// The time of the next sync is in the past.
pub(super) fn hot_loop(facts: &Facts<'_>) -> Option<FindingDetails> {
    let after = facts.decision.requeue_after.filter(|after| *after < 0)?;
    let ago = human(-(after / 1_000_000_000));
    let detail = format!(
        "Kubernetes {} computes the time of its next sync as {ago} ago, so it syncs again \
         immediately, with the same result each time. This continues until the next start and keeps \
         the controller manager busy.",
        facts.input.controller.release
    );
    let suspend = facts.patch(&json!({ "suspend": true }));
    let upgrade = "stops it for now; fixed in 1.26.11, 1.27.8, 1.28.4 and 1.29";
    Some(FindingDetails::new(detail).remedy(suspend.comment(upgrade)))
}
