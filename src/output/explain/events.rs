//! Events: those that the next sync would record, and those that were recorded.

use std::cmp::Reverse;

use crate::controller::{Decision, RecordedEvent};
use crate::diagnose::{Explanation, Facts};
use crate::duration::from_now;
use crate::forecast::SyncCondition;
use crate::model::Event;
use crate::output::lines::TextPage;
use crate::output::style::{Meaning, styled};
use crate::printable::{printable, shortened, width};
use crate::words::plural;

/// Whether the next sync would record an event that is not a usual one.
pub(super) fn has_warnings(decision: &Decision) -> bool {
    decision.events.iter().any(is_warning)
}

fn is_warning(event: &RecordedEvent) -> bool {
    event.r#type.as_str() == "Warning"
}

/// Adds the events that the next sync would record; the usual ones and their messages only with `-o wide`.
pub(super) fn expected_events(page: &mut TextPage, explanation: &Explanation<'_>, wide: bool) {
    let events = &explanation.decision.events;
    let name = |event: &RecordedEvent| format!("{} {}", event.r#type.as_str(), event.reason);
    if wide {
        for event in events {
            let text = format!("will record {}: {}", name(event), event.message);
            page.hanging("  ", 4, &printable(&text));
        }
        return;
    }
    let warnings = events.iter().filter(|event| is_warning(event));
    let mut names: Vec<String> = warnings.map(name).collect();
    names.dedup();
    if names.is_empty() {
        return;
    }
    let condition = if creation_may_fail(explanation) {
        ", if the API server accepts the Job"
    } else {
        ""
    };
    let events = plural(names.len(), "event", "events");
    let names = names.join(", ");
    page.paragraph(2, format!("will record {events}: {names}{condition}"));
}

/// Whether the Job that the next sync creates may be rejected, as others before it.
fn creation_may_fail(explanation: &Explanation<'_>) -> bool {
    let next = explanation.facts.outlook().syncs.first();
    explanation.decision.starts()
        && next.is_some_and(|sync| {
            sync.retry || sync.condition == Some(SyncCondition::CreationSucceeds)
        })
}

/// No more recorded events than these are shown.
const EVENTS_SHOWN: usize = 5;
/// With `-o wide`, these are.
const EVENTS_SHOWN_WIDE: usize = 50;
/// A longer event is cut without `-o wide`.
const LONGEST_EVENT: usize = 160;

/// Whether a finding has the message of an event.
fn is_repeated(explanation: &Explanation<'_>, event: &Event) -> bool {
    const LONG_ENOUGH: usize = 40;
    let message = event.message.trim();
    let beginning = message.get(..LONG_ENOUGH);
    let mut details = explanation.findings.iter().map(|finding| &finding.detail);
    beginning.is_some_and(|beginning| details.any(|detail| detail.contains(beginning)))
}

/// Adds the events about the `CronJob` that the cluster has, newest first; without those that a finding
/// quotes, unless `wide`.
pub(super) fn recorded_events(page: &mut TextPage, explanation: &Explanation<'_>, wide: bool) {
    let facts = &explanation.facts;
    let mut events = facts.events.clone();
    events.retain(|event| wide || !is_repeated(explanation, event));
    if events.is_empty() {
        return;
    }
    page.heading("Recorded events");
    events.sort_by_key(|event| Reverse(event.last_seen()));
    let (most, longest) = if wide {
        (EVENTS_SHOWN_WIDE, usize::MAX)
    } else {
        (EVENTS_SHOWN, LONGEST_EVENT)
    };
    let shown = events.iter().take(most);
    let shown: Vec<(String, &Event)> = shown
        .map(|event| (time(facts, event, wide), *event))
        .collect();
    let columns = shown.iter().map(|(time, _)| width(time)).max();
    let columns = columns.unwrap_or_default();
    for (time, event) in &shown {
        let meaning = match event.r#type.as_str() {
            "Warning" => Meaning::Odd,
            _ => Meaning::Plain,
        };
        let kind = styled(meaning, printable(&event.r#type));
        let times = match event.occurrences() {
            1 => String::new(),
            many => format!(" ({many} times)"),
        };
        let message = event.message.replace(char::is_control, " ");
        let text = format!("{}{times}: {}", event.reason, message.trim());
        let text = shortened(&printable(&text), longest);
        let lead = format!("  {time:<columns$}  ");
        page.hanging(&lead, columns + 4, &format!("{kind} {text}"));
    }
    page.more(2, events.len(), most, "");
}

/// When an event was last recorded.
fn time(facts: &Facts<'_>, event: &Event, wide: bool) -> String {
    match event.last_seen() {
        Some(at) if wide => format!("{at} ({})", from_now(facts.now, at)),
        Some(at) => from_now(facts.now, at),
        None => "unknown time".to_owned(),
    }
}
