//! What changes and other versions would do.

use super::{ExplainHeader, as_sentence};
use crate::output::comparison::write_changes;
use crate::output::lines::TextPage;
use crate::output::table::{Cell, Table};
use cronjob_controller::controller::{Behavior, Decision, EditEffect, Requeue};
use cronjob_diagnosis::diagnose::{DOWN, Explanation, Facts, local};
use cronjob_text::duration::{from_now, human};
use cronjob_text::text::Text;
use jiff::Timestamp;

pub(super) fn what_if(page: &mut TextPage, explanation: &Explanation<'_>) {
    let Some(what_if) = &explanation.what_if else {
        return;
    };
    let facts = &explanation.facts;
    page.heading(&format!("With {}", what_if.changes.join(", ")));
    page.paragraph(2, as_sentence(&what_if.verdict));
    let mut table = Table::new(["  ", "NOW", "WITH CHANGE"]);
    let cells = |decision: &Decision| {
        let deletes = decision.deleted_jobs.join(",");
        let is_down = facts.controller_is_down();
        let outcome = match decision.outcome.in_words() {
            starts if is_down && decision.starts() => {
                format!("{starts} once the controller is running")
            }
            outcome => outcome.to_owned(),
        };
        let in_time = |at: Timestamp| (at.as_second() - facts.input.now.as_second()).max(0);
        let again = match decision.wakes_at {
            Some(at) => Some(format!("in {}", human(in_time(at)))),
            None => every_pass(facts.input.controller.behavior()),
        };
        [
            Some(outcome),
            decision
                .scheduled_time
                .map(|at| facts.local_without_zone(at).to_string()),
            decision.job_name.clone(),
            Some(deletes).filter(|deletes| !deletes.is_empty()),
            again.filter(|_| !is_down),
        ]
        .map(Cell::or_none)
    };
    let labels = ["outcome", "scheduled time", "Job", "deletes", "syncs again"];
    let then = cells(what_if.first_decision(facts.input.now));
    let now = cells(&explanation.decision);
    for ((label, now), then) in labels.into_iter().zip(now).zip(then) {
        table.push(vec![format!("  {label}").into(), now, then]);
    }
    page.table(table, true);
    page.paragraph(2, effect(facts, &what_if.effect));
}

/// The effect of making the change.
fn effect(facts: &Facts<'_>, effect: &EditEffect) -> Text {
    if facts.controller_is_down() {
        return text!(
            "After the change, nothing starts until {} is running again.",
            DOWN
        );
    }
    let because = &effect.because;
    let syncs = match effect.syncs_at {
        None => {
            return text!(
                "After the change, the controller does not sync by itself ({}).",
                because
            );
        }
        Some(at) if at <= facts.input.now => "immediately".into(),
        Some(at) => text!("at {}, {}", local(facts, at), from_now(facts.input.now, at)),
    };
    let mut text = text!(
        "After the change, the controller syncs {} ({}).",
        syncs,
        because
    );
    if let Some(decision) = &effect.decision_then {
        let job = decision.job_name.as_deref().unwrap_or_default();
        text += match decision.scheduled_time {
            Some(scheduled) if decision.starts() => {
                let scheduled = local(facts, scheduled);
                text!(" It then starts {} {}", job, Text::for_run(scheduled))
            }
            _ => text!(" It then starts nothing ({})", decision.outcome.in_words()),
        };
        if effect.retroactive {
            text += ", which is before the change";
        }
        text += ".";
    }
    text
}

/// How often a controller syncs that has no wake-ups.
fn every_pass(behavior: Behavior) -> Option<String> {
    (behavior.requeue == Requeue::Poll).then(|| "every 10s".to_owned())
}

/// Adds what other versions do. `wide` adds how many missed runs they find.
pub(super) fn compared(page: &mut TextPage, explanation: &Explanation<'_>, wide: bool) {
    if explanation.compared.is_empty() {
        return;
    }
    let facts = &explanation.facts;
    page.heading(if facts.controller_is_down() {
        "Comparison of Kubernetes versions, once the controller is running again"
    } else {
        "Comparison of Kubernetes versions"
    });
    let mut headings = vec!["  VERSION", "OUTCOME", "SCHEDULED TIME", "SYNCS AGAIN"];
    headings.extend(wide.then_some("MISSED"));
    let mut table = Table::new(headings);
    for compared in &explanation.compared {
        let (release, decision) = (compared.release, &compared.decision);
        let again = match decision.requeue_after {
            Some(after) if after < 0 => Some("immediately, in a hot loop".to_owned()),
            Some(after) => Some(format!("in {}", human(after / 1_000_000_000))),
            None => every_pass(release.behavior()),
        };
        let scheduled = decision.scheduled_time;
        let mut row = vec![
            format!("  {release}").into(),
            decision.outcome.in_words().into(),
            Cell::or_none(scheduled.map(|at| facts.local_without_zone(at).to_string())),
            Cell::or_none(again),
        ];
        let missed = decision.missed.map(|missed| missed.class.as_str());
        row.extend(wide.then(|| Cell::or_none(missed)));
        table.push(row);
    }
    page.table(table, true);
}

/// Adds what the API servers of the compared versions answer differently.
pub(super) fn writes(page: &mut TextPage, header: &ExplainHeader, explanation: &Explanation<'_>) {
    let cron_job = &*explanation.facts.input.cron_job;
    let changes = std::iter::once((cron_job.full_name(), header.writes_of(cron_job)));
    write_changes(page, header.common.controller.kubernetes_version, changes);
}
