//! What the row of a `CronJob` unfolds: its explanation and its past runs.
//!
//! All of them would be hundreds of megabytes of markup. They are packed, some together, and the script unpacks those
//! that are asked for.

use std::io::{self, Write};

use jiff::Timestamp;
use maud::{Markup, html};

use super::ShownReport;
use super::findings;
use super::markup::{badge, foreign, gzipped, runbook_link, table, time};
use super::past_runs;
use crate::output::explain::{
    estimate, expected_events, next_runs_heading, next_wake_up, since_success_in_words,
};
use crate::output::xml::Escaped;
use cronjob_diagnosis::diagnose::{Expectations, ExplainedMissedRuns, Explanation, PodState};
use cronjob_diagnosis::history::History;
use cronjob_text::duration::from_now;
use cronjob_text::words::{grouped, plural};

/// How many are packed together.
const PACK: usize = 100;

/// Writes the explanations of all `CronJob`s, in the order of the survey.
pub(super) fn packed(out: &mut dyn Write, shown: &ShownReport<'_>) -> io::Result<()> {
    let report = shown.report;
    let mut details = report.explanations().zip(report.past()).peekable();
    while details.peek().is_some() {
        let packed = gzipped(|out| {
            for (explained, past) in details.by_ref().take(PACK) {
                let markup = explanation(&explained, &past.history);
                out.write_all(markup.into_string().as_bytes())?;
            }
            Ok(())
        })?;
        // Base64 has no character that could end the element.
        writeln!(
            out,
            "<script type=\"application/gzip+base64\" class=\"details\" data-each=\"{PACK}\">{packed}</script>"
        )?;
    }
    Ok(())
}

fn explanation(explained: &Explanation<'_>, past: &History) -> Markup {
    let now = explained.facts.input.now;
    let name = explained.facts.input.cron_job.full_name();
    html! {
        div class="case" role="group" aria-label=(Escaped(&name)) {
            p { (foreign(&explained.verdict)) }
            (expected(explained, now))
            div class="columns" {
                (next_sync(explained))
                @if let Some(missed) = explained.missed.as_ref().filter(|missed| missed.runs.count > 0) {
                    (missed_runs(explained, missed, now))
                }
                @if !explained.next_runs.is_empty() { (next_runs(explained, now)) }
                @if !explained.pods.is_empty() { (pods(&explained.pods)) }
            }
            @if !explained.findings.is_empty() {
                div {
                    h3 { "Findings" }
                    @for finding in &explained.findings { (findings::finding(finding, true)) }
                }
            }
            @if let Some(words) = since_success_in_words(explained, true) {
                div {
                    p { (foreign(&words.heading)) }
                    ul { @for change in words.changes.iter().chain(&words.notes) { li { (foreign(change)) } } }
                }
            }
            (past_runs::content(past))
        }
    }
}

/// How long runs take, what is expected of them, and the runbook.
fn expected(explained: &Explanation<'_>, now: Timestamp) -> Markup {
    let expectations = explained.expectations.as_ref();
    let stated = expectations.and_then(Expectations::in_words);
    let runbook = expectations.and_then(|expectations| expectations.runbook.as_deref());
    html! {
        @if let Some(due) = explained.success_due.filter(|due| *due < now) {
            p { "Success due: " (moment(due, now)) }
        }
        @if let Some(usual) = explained.usual_duration {
            p { "Duration: usually " (usual.in_words()) }
        }
        @if let Some(text) = stated { p { "Expected: " (foreign(&text)) } }
        @if let Some(runbook) = runbook { p { "Runbook: " (runbook_link(runbook)) } }
    }
}

/// `2026-11-21 02:15 UTC (in 2m)`
fn moment(at: Timestamp, now: Timestamp) -> Markup {
    html! { (utc(at)) " " small { "(" (from_now(now, at)) ")" } }
}

/// `2026-11-21 02:15 UTC`
pub(super) fn utc(at: Timestamp) -> Markup {
    html! { (time(at)) " UTC" }
}

fn next_sync(explained: &Explanation<'_>) -> Markup {
    let decision = &explained.decision;
    let active = &decision.status_after.active;
    html! {
        div {
            h3 { "Next sync" }
            ol class="steps" {
                @for step in &decision.steps {
                    li { (badge(step.verdict.as_str())) span { (step.check) } (foreign(&step.detail)) }
                }
            }
            @if let Some(error) = &decision.error { p { "error: " (foreign(error)) } }
            @for event in expected_events(explained) { p { (foreign(&event)) } }
            @if !active.is_empty() {
                p { "status.active afterwards: " (foreign(&active.join(", "))) }
            }
            p { (next_wake_up(explained)) }
        }
    }
}

fn missed_runs(
    explained: &Explanation<'_>,
    missed: &ExplainedMissedRuns,
    now: Timestamp,
) -> Markup {
    let runs = &missed.runs;
    let crosses_at = runs.crosses_limit_at.filter(|at| *at > now);
    html! {
        div {
            h3 { "Missed runs" }
            p {
                (grouped(runs.count)) " missed " (plural(runs.count, "run", "runs")) " since " (utc(runs.since))
                "."
            }
            @if let Some(text) = estimate(explained, runs.count) { p { (foreign(&text)) } }
            ul {
                @for cause in &missed.causes {
                    li {
                        (grouped(cause.count)) " " (cause.cause.as_str()) ": " (foreign(&cause.evidence))
                        " (" (utc(cause.first))
                        @if cause.count > 1 { " to " (utc(cause.last)) }
                        ")"
                    }
                }
            }
            @if let Some(at) = crosses_at {
                p {
                    "The count will exceed " (grouped(runs.limit)) " at " (moment(at, now))
                    " unless a run starts."
                }
            }
        }
    }
}

fn next_runs(explained: &Explanation<'_>, now: Timestamp) -> Markup {
    let runs = &explained.next_runs;
    // Columns without information are left out.
    let has_zone = runs
        .iter()
        .any(|run| run.local_time.offset().seconds() != 0);
    let has_notes = runs.iter().any(|run| !run.notes.is_empty());
    let headings = [
        ("Scheduled (UTC)", true),
        ("In", true),
        ("Local time", has_zone),
        ("Note", has_notes),
    ];
    let headings = headings.iter().filter(|(_, is_shown)| *is_shown);
    let headings: Vec<(&str, bool)> = headings.map(|(heading, _)| (*heading, false)).collect();
    let rows = html! {
        @for run in runs {
            tr {
                td { (time(run.scheduled_time)) }
                td { small { (from_now(now, run.scheduled_time)) } }
                @if has_zone { td { (run.local_time.strftime("%Y-%m-%d %H:%M %:z")) } }
                @if has_notes { td { @for note in &run.notes { p { (foreign(note)) } } } }
            }
        }
    };
    html! {
        div {
            h3 { (next_runs_heading(explained)) }
            (table("next", "Next runs of the schedule", &headings, &rows))
        }
    }
}

fn pods(pods: &[PodState<'_>]) -> Markup {
    let reason = |pod: &PodState<'_>| {
        let parts: Vec<&str> = [pod.reason, pod.message].into_iter().flatten().collect();
        parts.join(": ")
    };
    let rows = html! {
        @for pod in pods {
            tr {
                td { (foreign(pod.name)) }
                td { (Escaped(pod.phase)) }
                td { (foreign(&reason(pod))) }
            }
        }
    };
    let headings = ["Pod", "Phase", "Reason"].map(|heading| (heading, false));
    html! {
        div {
            h3 { "Pods" }
            (table("pods", "Pods of its Jobs", &headings, &rows))
        }
    }
}
