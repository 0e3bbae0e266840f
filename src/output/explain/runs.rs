//! The missed runs and the next ones.

use jiff::Timestamp;

use crate::output::lines::TextPage;
use crate::output::style::{Meaning, styled};
use cronjob_controller::controller::{LIMIT, MissedClass, Outcome, TooMany};
use cronjob_diagnosis::diagnose::{Explanation, Facts, local, when};
use cronjob_text::printable::printable;
use cronjob_text::text::Text;
use cronjob_text::words::{counted, plural};

pub(super) fn missed(page: &mut TextPage, explanation: &Explanation<'_>) {
    let facts = &explanation.facts;
    let explained = explanation.missed.as_ref();
    let Some(explained) = explained.filter(|missed| missed.runs.count > 0) else {
        return;
    };
    let missed = &explained.runs;
    page.heading("Missed runs");
    let span = match (missed.first, missed.last) {
        (Some(first), Some(last)) => span(facts, first, last),
        _ => text!("since {}", local(facts, missed.since)),
    };
    page.paragraph(2, text!("{}: {}", counted(missed.count, "run"), span));
    let time = |at: Option<Timestamp>| at.map_or_else(String::new, |at| at.to_string());
    let (since, first, last) = (missed.since, time(missed.first), time(missed.last));
    let times = format!("counted from {since}, first {first}, last {last}");
    page.paragraph(2, times);
    for cause in &explained.causes {
        let text = match cause.cause.in_words() {
            what if is_quoted(explanation, &cause.evidence) => what.into(),
            what => text!("{}: {}", what, cause.evidence),
        };
        if cause.count == missed.count && explained.causes.len() == 1 {
            page.paragraph(2, text);
        } else {
            let span = self::span(facts, cause.first, cause.last);
            page.item(
                &format!("  {:>4}  ", cause.count),
                text!("{} ({})", text, span),
            );
        }
    }
    let backfilled = facts.backfilled().count();
    if backfilled > 0 {
        let were = plural(backfilled, "was", "were");
        page.paragraph(
            2,
            format!(
                "{backfilled} of them {were} backfilled, which does not change the controller's count."
            ),
        );
    }
    if let Some(text) = estimate(explanation, missed.count) {
        page.paragraph(2, text);
    }
    let refuses = facts.input.controller.behavior().too_many == TooMany::Refuses;
    let crosses = missed.crosses_limit_at.filter(|at| *at > facts.input.now);
    if let Some(at) = crosses {
        let at = when(facts, at);
        let then = if refuses {
            "; then no run starts any more"
        } else {
            ""
        };
        page.paragraph(
            2,
            text!(
                "The count will exceed {} at {} unless a run starts{}.",
                LIMIT,
                at,
                then
            ),
        );
    }
}

/// Whether a finding has a message.
fn is_quoted(explanation: &Explanation<'_>, message: &str) -> bool {
    const LONG_ENOUGH: usize = 40;
    let message = message.trim().trim_end_matches('.');
    let mut details = explanation.findings.iter().map(|finding| &finding.detail);
    message.len() >= LONG_ENOUGH && details.any(|detail| detail.contains(message))
}

/// `first Wed 2026-11-18 08:00, last Fri 2026-11-20 18:00 America/New_York`.
fn span(facts: &Facts<'_>, first: Timestamp, last: Timestamp) -> Text {
    if first == last {
        return local(facts, last).into();
    }
    let first = local(facts, first).without_zone();
    text!("first {}, last {}", first, local(facts, last))
}

/// How many missed runs the controller believes there are, and what it does above its limit if that matters.
pub(crate) fn estimate(explanation: &Explanation<'_>, count: u64) -> Option<Text> {
    let belief = explanation.decision.missed?;
    let mut text = match (belief.estimate, belief.class) {
        (Some(estimate), _) if u64::try_from(estimate) == Ok(count) => return None,
        (Some(estimate), _) => format!(
            "The controller estimates {estimate} (time since the first missed run divided by the \
             interval of the first two)"
        ),
        (None, MissedClass::Many) => format!("The controller counts more than {LIMIT}"),
        (None, _) => "The controller does not count them".to_owned(),
    };
    let mut findings = explanation.findings.iter();
    let is_said = findings.any(|finding| finding.detail.contains("TooManyMissedTimes"));
    if !is_said {
        let above = match explanation.facts.input.controller.behavior().too_many {
            TooMany::Refuses => "it starts nothing",
            TooMany::WarnsWithZero | TooMany::WarnsWithNumber | TooMany::Warns => {
                "it records a TooManyMissedTimes event, and still starts the latest run it finds"
            }
        };
        text.push_str(&format!("; above {LIMIT} {above}"));
    }
    Some(text!("{}.", text))
}

/// The heading of the next runs, which says if none will start.
pub(crate) fn next_runs_heading(explanation: &Explanation<'_>) -> &'static str {
    if explanation.decision.outcome == Outcome::Deleted {
        "Next runs (being deleted: none will start)"
    } else if explanation.facts.input.is_suspended() {
        "Next runs (suspended: none will start)"
    } else {
        "Next runs"
    }
}

/// Adds the next runs with their notes.
pub(super) fn next_runs(page: &mut TextPage, explanation: &Explanation<'_>) {
    if explanation.next_runs.is_empty() {
        return;
    }
    let facts = &explanation.facts;
    page.heading(next_runs_heading(explanation));
    for run in &explanation.next_runs {
        let at = run.scheduled_time;
        let mut text = text!("{}  {}", at, when(facts, at));
        if !run.notes.is_empty() {
            let notes = printable(&page.shortened(&Text::join(&run.notes, "; ")));
            text += text!(": {}", styled(Meaning::Odd, notes));
        }
        page.hanging("  ", 4, &text);
    }
}

/// Adds the times of the next runs, unless nothing will start, or if they are known only those with notes.
pub(super) fn next_times(page: &mut TextPage, explanation: &Explanation<'_>, are_known: bool) {
    const SHOWN: usize = 3;
    let facts = &explanation.facts;
    let runs = explanation.next_runs.get(..SHOWN);
    let runs = runs.unwrap_or(&explanation.next_runs);
    let outlook = facts.outlook();
    let Some(next) = outlook.next_start().filter(|_| !runs.is_empty()) else {
        return;
    };
    // What the next run depends on is in the verdict, except that it ends a running Job.
    let is_said = next.condition.is_some() && !next.replaces_in(outlook);
    let forecast = is_said.then(|| facts.forecast(explanation.next_runs.len()));
    let notes: Vec<Text> = runs
        .iter()
        .map(|run| {
            let said = forecast
                .as_ref()
                .and_then(|forecast| forecast.note(run.scheduled_time));
            let notes = run.notes.iter().filter(|note| Some(*note) != said.as_ref());
            Text::join(notes, "; ")
        })
        .collect();
    if are_known && notes.iter().all(|notes| notes.is_empty()) {
        return;
    }
    let of_each = notes.first().filter(|first| {
        notes.len() > 1 && !first.is_empty() && notes.iter().all(|note| note == *first)
    });
    let times = runs.iter().zip(&notes).map(|(run, notes)| {
        let at = local(facts, run.scheduled_time);
        if notes.is_empty() || of_each.is_some() {
            at.into()
        } else {
            text!("{} ({})", at, notes)
        }
    });
    let mut text = Text::join(times, ", ");
    if let Some(notes) = of_each {
        text += text!("; each {}", notes);
    }
    page.entry("Next runs", text);
}
