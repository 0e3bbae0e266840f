//! The next sync: its steps, its events, and the status afterwards.

use jiff::Timestamp;

use super::events::expected_events;
use super::meaning;
use crate::output::lines::TextPage;
use crate::output::style::{Meaning, styled};
use crate::output::table::NONE;
use cronjob_controller::controller::{Decision, Generation, Outcome, Verdict};
use cronjob_diagnosis::diagnose::{Explanation, Facts};
use cronjob_text::duration::{from_now, human};
use cronjob_text::printable::printable;

/// What the controller would do if it synced now: the checks that decide it, and the events it would record.
pub(super) fn next_sync(page: &mut TextPage, explanation: &Explanation<'_>) {
    let decision = &explanation.decision;
    let waits = matches!(decision.outcome, Outcome::Wait | Outcome::AlreadyProcessed);
    let stop = match meaning(explanation) {
        Meaning::Bad => Meaning::Bad,
        _ => Meaning::Odd,
    };
    page.heading("Next sync");
    for step in &decision.steps {
        let (word, meaning) = match step.verdict {
            Verdict::Pass => ("pass", Meaning::Faint),
            Verdict::Stop if waits => ("wait", Meaning::Plain),
            Verdict::Stop => ("STOP", stop),
            Verdict::Note => ("note", Meaning::Odd),
        };
        let lead = format!("  {} {:<12}", styled(meaning, word), step.check);
        page.item(&lead, &step.detail);
    }
    for event in expected_events(explanation) {
        page.hanging("  ", 4, &printable(&event));
    }
    page.paragraph(2, next_wake_up(explanation));
}

/// When the controller syncs again.
pub(crate) fn next_wake_up(explanation: &Explanation<'_>) -> String {
    let Facts {
        input, decision, ..
    } = &explanation.facts;
    let behavior = input.behavior();
    if behavior.generation == Generation::V1 {
        return "syncs again in about 10 seconds".to_owned();
    }
    let now = input.now;
    match (decision.requeue_after, decision.wakes_at) {
        (Some(after), _) if after < 0 => format!(
            "syncs again immediately, in a hot loop: the next wake-up is {} in the past",
            human(-(after / 1_000_000_000))
        ),
        (Some(_), Some(at)) => format!("syncs again at {at} ({})", from_now(now, at)),
        (Some(_), None) => "does not sync again for centuries".to_owned(),
        (None, _) if decision.fails(&behavior) => {
            "fails; the controller retries with back-off".to_owned()
        }
        (None, _) => "does not sync again until the object changes".to_owned(),
    }
}

/// What the status says afterwards, and what is deleted.
pub(super) fn status(page: &mut TextPage, decision: &Decision) {
    page.heading("Status after the next sync");
    let none = || NONE.to_owned();
    let list = |names: &[String]| match names {
        [] => none(),
        names => names.join(", "),
    };
    let time = |at: Option<Timestamp>| at.map_or_else(none, |at| at.to_string());
    let status = &decision.status_after;
    let written = if decision.updates_status { "yes" } else { "no" };
    let entries = [
        ("active", list(&status.active)),
        ("lastScheduleTime", time(status.last_schedule_time)),
        ("lastSuccessfulTime", time(status.last_successful_time)),
        ("deleted Jobs", list(&decision.deleted_jobs)),
        ("status update", written.to_owned()),
    ];
    for (label, text) in entries {
        let label = styled(Meaning::Faint, format!("{label:<20}"));
        page.item(&format!("  {label}"), text);
    }
}
