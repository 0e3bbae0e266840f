//! Events: those that the next sync would record, and those that were recorded.

use std::cmp::Reverse;

use crate::output::lines::TextPage;
use crate::output::style::{Meaning, styled};
use cronjob_controller::forecast::SyncCondition;
use cronjob_diagnosis::diagnose::{Explanation, Facts, Input};
use cronjob_text::duration::from_now;
use cronjob_text::printable::{printable, width};
use kube_model::Event;

/// The events that the next sync would record.
pub(crate) fn expected_events<'a>(
    explanation: &'a Explanation<'_>,
) -> impl Iterator<Item = String> + 'a {
    let condition = if creation_may_fail(explanation) {
        ", if the API server accepts the Job,"
    } else {
        ""
    };
    let events = explanation.decision.events.iter();
    events.map(move |event| {
        let kind = event.r#type.as_str();
        format!(
            "will record{condition} {kind} {}: {}",
            event.reason, event.message
        )
    })
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
const EVENTS_SHOWN: usize = 50;

/// Adds the events about the `CronJob` that the cluster has, newest first.
pub(super) fn recorded_events(page: &mut TextPage, facts: &Facts<'_>) {
    let mut events = facts.own_events.clone();
    if events.is_empty() {
        return;
    }
    page.heading("Recorded events");
    events.sort_by_key(|event| Reverse(event.last_seen()));
    let shown = events.iter().take(EVENTS_SHOWN);
    let shown: Vec<(String, &Event)> = shown
        .map(|event| (time(&facts.input, event), *event))
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
        let text = printable(&text);
        let lead = format!("  {time:<columns$}  ");
        page.hanging(&lead, columns + 4, &format!("{kind} {text}"));
    }
    page.more(2, events.len(), EVENTS_SHOWN, "");
}

/// When an event was last recorded.
fn time(input: &Input<'_>, event: &Event) -> String {
    match event.last_seen() {
        Some(at) => format!("{at} ({})", from_now(input.now, at)),
        None => "unknown time".to_owned(),
    }
}
