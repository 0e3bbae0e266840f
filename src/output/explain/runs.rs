//! The missed runs and the next ones.

use jiff::Timestamp;

use super::Detail;
use crate::controller::{LIMIT, MissedClass, Outcome, TooMany};
use crate::diagnose::{Explanation, Facts, local, when};
use crate::duration::local_time;
use crate::output::lines::TextPage;
use crate::output::style::{Meaning, styled};
use crate::printable::printable;
use crate::upcoming::UpcomingRun;
use crate::words::{counted, plural};

/// From this number of missed runs on, the limit of the controller matters.
const NEAR_LIMIT: u64 = 80;
/// From this number of missed runs on, the controller's estimate is shown.
const SHOWN_ESTIMATE: u64 = 50;

pub(super) fn missed(page: &mut TextPage, explanation: &Explanation<'_>, detail: Detail) {
    let wide = detail.wide;
    let facts = &explanation.facts;
    let explained = explanation.missed.as_ref();
    let Some(explained) = explained.filter(|missed| missed.runs.count > 0) else {
        return;
    };
    let missed = &explained.runs;
    page.heading("Missed runs");
    let span = match (missed.first, missed.last) {
        (Some(first), Some(last)) => span(facts, first, last),
        _ => format!("since {}", local(facts, missed.since)),
    };
    page.paragraph(2, format!("{}: {span}", counted(missed.count, "run")));
    if wide {
        let time = |at: Option<Timestamp>| at.map_or_else(String::new, |at| at.to_string());
        let (since, first, last) = (missed.since, time(missed.first), time(missed.last));
        page.paragraph(
            2,
            format!("counted from {since}, first {first}, last {last}"),
        );
    }
    for cause in &explained.causes {
        let text = match cause.cause.in_words() {
            what if is_quoted(explanation, &cause.evidence) => what.to_owned(),
            what => format!("{what}: {}", cause.evidence),
        };
        if cause.count == missed.count && explained.causes.len() == 1 {
            page.paragraph(2, text);
        } else {
            let span = self::span(facts, cause.first, cause.last);
            page.item(
                &format!("  {:>4}  ", cause.count),
                format!("{text} ({span})"),
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
    let estimated = missed.controller_estimate;
    let estimated = estimated.and_then(|estimate| u64::try_from(estimate).ok());
    let most = missed.count.max(estimated.unwrap_or_default());
    let near_limit = most >= NEAR_LIMIT;
    if wide || detail.estimates || most >= SHOWN_ESTIMATE {
        estimate(page, explanation, missed.count, wide || near_limit);
    }
    let refuses = facts.controller.behavior().too_many == TooMany::Refuses;
    let crosses = missed
        .crosses_limit_at
        .filter(|at| *at > facts.now && (wide || near_limit || refuses));
    if let Some(at) = crosses {
        let at = when(facts, at);
        let then = if refuses {
            "; then no run starts any more"
        } else {
            ""
        };
        page.paragraph(
            2,
            format!("The count will exceed {LIMIT} at {at} unless a run starts{then}."),
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
fn span(facts: &Facts<'_>, first: Timestamp, last: Timestamp) -> String {
    if first == last {
        return local(facts, last);
    }
    let first = local_time(first, facts.display_zone().time_zone(), "");
    format!("first {first}, last {}", local(facts, last))
}

/// How many missed runs the controller believes there are, and what it does above its limit if that matters.
fn estimate(page: &mut TextPage, explanation: &Explanation<'_>, count: u64, limit_matters: bool) {
    let Some(belief) = explanation.decision.missed else {
        return;
    };
    let mut text = match (belief.estimate, belief.class) {
        (Some(estimate), _) if u64::try_from(estimate) == Ok(count) => return,
        (Some(estimate), _) => format!(
            "The controller estimates {estimate} (time since the first missed run divided by the \
             interval of the first two)"
        ),
        (None, MissedClass::Many) => format!("The controller counts more than {LIMIT}"),
        (None, _) => "The controller does not count them".to_owned(),
    };
    let mut findings = explanation.findings.iter();
    let is_said = findings.any(|finding| finding.detail.contains("TooManyMissedTimes"));
    if !is_said && (limit_matters || belief.class == MissedClass::Many) {
        let above = match explanation.facts.controller.behavior().too_many {
            TooMany::Refuses => "it starts nothing",
            TooMany::WarnsWithZero | TooMany::WarnsWithNumber | TooMany::Warns => {
                "it records a TooManyMissedTimes event, and still starts the latest run it finds"
            }
        };
        text.push_str(&format!("; above {LIMIT} {above}"));
    }
    page.paragraph(2, format!("{text}."));
}

/// No more runs than these are shown without `-o wide`.
const RUNS_SHOWN: usize = 3;

pub(super) fn next_runs(page: &mut TextPage, explanation: &Explanation<'_>, wide: bool) {
    if explanation.next_runs.is_empty() {
        return;
    }
    let facts = &explanation.facts;
    let is_deleted = explanation.decision.outcome == Outcome::Deleted;
    if !wide && (is_deleted || facts.is_suspended()) {
        return;
    }
    page.heading(if is_deleted {
        "Next runs (being deleted: none will start)"
    } else if facts.is_suspended() {
        "Next runs (suspended: none will start)"
    } else {
        "Next runs"
    });
    let runs = &explanation.next_runs;
    let shown = match runs.get(..RUNS_SHOWN) {
        _ if wide => usize::MAX,
        Some(first) if is_daily(first) => 1,
        _ => RUNS_SHOWN,
    };
    // What the verdict has said of the only one is not repeated, and what holds for all stands once.
    let is_said = |note: &&String| !wide && shown == 1 && explanation.verdict.contains(*note);
    let notes_of = |run: &UpcomingRun| {
        let notes = run.notes.iter().filter(|note| !is_said(note));
        notes.map(String::as_str).collect::<Vec<_>>().join("; ")
    };
    let mut notes: Vec<String> = runs.iter().take(shown).map(notes_of).collect();
    let of_all = notes.first().filter(|first| {
        let is_same = notes.iter().skip(1).all(|note| note == *first);
        !wide && notes.len() > 1 && !first.is_empty() && is_same
    });
    let of_all = of_all.cloned();
    if of_all.is_some() {
        notes.iter_mut().for_each(String::clear);
    }
    for (run, notes) in runs.iter().zip(notes) {
        let mut text = when(facts, run.scheduled_time);
        text = if wide {
            format!("{}  {text}", run.scheduled_time)
        } else {
            page.shortened(&text).into_owned()
        };
        if !notes.is_empty() {
            let notes = printable(&page.shortened(&notes));
            text.push_str(&format!(": {}", styled(Meaning::Odd, notes)));
        }
        page.hanging("  ", 4, &text);
    }
    if let Some(notes) = of_all {
        let notes = printable(&page.shortened(&notes));
        page.hanging("  ", 4, &format!("Each: {}", styled(Meaning::Odd, notes)));
    }
}

/// Whether these runs are one a day, at the same time, without anything unusual.
fn is_daily(runs: &[UpcomingRun]) -> bool {
    let is_next = |pair: &[UpcomingRun]| match pair {
        [one, other] => one
            .local_time
            .tomorrow()
            .is_ok_and(|next| next == other.local_time),
        _ => false,
    };
    runs.iter().skip(1).all(|run| run.notes.is_empty()) && runs.windows(2).all(is_next)
}
