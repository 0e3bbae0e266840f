//! The timeline of a simulation, with uneventful runs grouped.

use jiff::Timestamp;

use super::{Given, GivenEdit, SimulationSubject, status_label};
use crate::controller::MissedCause;
use crate::duration::human;
use crate::output::style::Meaning;
use crate::simulate::{RunGroup, SimulatedRun, SimulatedStatus, Simulation, TimeSpan, group_runs};
use crate::words::plural;

pub(super) struct TimelineLine {
    pub(super) at: Timestamp,
    pub(super) text: String,
    pub(super) meaning: Meaning,
}

pub(super) fn timeline(
    subject: &SimulationSubject<'_>,
    given: &Given,
    simulation: &Simulation,
) -> Vec<TimelineLine> {
    let mut lines = external_events(given, simulation.from);
    lines.extend(simulation.hot_loops.iter().map(|span| TimelineLine {
        at: span.from,
        text: format!(
            "the controller syncs in a loop, without a pause, until {}",
            subject.time_beside(span.to, span.from)
        ),
        meaning: Meaning::Odd,
    }));
    lines.retain(|line| simulation.from <= line.at && line.at < simulation.to);
    lines.sort_by_key(|line| line.at);
    let breaks: Vec<Timestamp> = lines.iter().map(|line| line.at).collect();
    for group in group_runs(&simulation.runs, &breaks) {
        lines.extend(group_line(subject, &group));
    }
    lines.sort_by_key(|line| line.at);
    lines
}

/// Outages, suspensions and edits. What began before the simulation is shown at its beginning.
fn external_events(given: &Given, beginning: Timestamp) -> Vec<TimelineLine> {
    let line = |at, text: String| TimelineLine {
        at,
        text,
        meaning: Meaning::Strong,
    };
    let mut lines = Vec::new();
    if let Some(upgrade) = given.upgrade.as_ref().filter(|one| one.to > beginning) {
        let release = upgrade.release;
        let text = format!("the controller goes down for the upgrade to {release}");
        lines.push(line(upgrade.from.max(beginning), text));
        let text = format!("the controller is up again, as that of {release}");
        lines.push(line(upgrade.to, text));
    }
    let is_over = |span: &TimeSpan| span.to <= beginning;
    for TimeSpan { from, to } in given.outages.iter().filter(|span| !is_over(span)) {
        let text = if from <= beginning {
            "the controller is down"
        } else {
            "the controller goes down"
        };
        lines.push(line(from.max(beginning), text.to_owned()));
        lines.push(line(to, "the controller is up again".to_owned()));
    }
    for TimeSpan { from, to } in given.suspended.iter().filter(|span| !is_over(span)) {
        lines.push(line(from.max(beginning), "suspended".to_owned()));
        lines.push(line(to, "resumed".to_owned()));
    }
    for GivenEdit { at, changes } in &given.edits {
        lines.push(line(*at, format!("edited: {}", changes.join(", "))));
    }
    lines
}

fn group_line(subject: &SimulationSubject<'_>, group: &RunGroup<'_>) -> Option<TimelineLine> {
    let (first, last) = group.scheduled_times()?;
    let until = match group.count() {
        1 => String::new(),
        _ => format!(", the last at {}", subject.time_beside(last, first)),
    };
    let many = match group.count() {
        1 => String::new(),
        count => format!("{count} runs "),
    };
    let reason = reason(subject, group).map_or_else(String::new, |reason| format!(": {reason}"));
    let replaced = replaced(group);
    let (text, meaning) = match group.status() {
        SimulatedStatus::Started => {
            let meaning = if group.is_uneventful() {
                Meaning::Plain
            } else {
                Meaning::Odd
            };
            (format!("{many}started{replaced}{until}"), meaning)
        }
        SimulatedStatus::Late => {
            let delays = group.runs().iter().filter_map(SimulatedRun::delay_seconds);
            let by = plural(group.count(), "by", "by up to");
            let delay = human(delays.max().unwrap_or_default());
            let text = format!("{many}late {by} {delay}{replaced}{until}{reason}");
            (text, Meaning::Odd)
        }
        status @ (SimulatedStatus::Lost | SimulatedStatus::Blocked) => {
            let (what, event) = (status_label(status), event(group));
            (format!("{many}{what}{event}{until}{reason}"), Meaning::Bad)
        }
        SimulatedStatus::Phantom => {
            let starts = match group.count() {
                1 => "start at an unscheduled time".to_owned(),
                count => format!("{count} starts at unscheduled times"),
            };
            (format!("{starts}{replaced}{until}{reason}"), Meaning::Bad)
        }
    };
    Some(TimelineLine {
        at: first,
        text,
        meaning,
    })
}

/// The event that reports it, if any.
fn event(group: &RunGroup<'_>) -> String {
    let reason = group.runs().first().and_then(|run| run.reason.as_ref());
    match reason.and_then(|reason| reason.event) {
        Some(event) => format!(" (event {event})"),
        None => " without an event".to_owned(),
    }
}

fn replaced(group: &RunGroup<'_>) -> String {
    let first = group.runs().first().and_then(|run| run.replaced.as_ref());
    match (first, group.count()) {
        (None, _) => String::new(),
        (Some(job), 1) => format!(", replacing {job}"),
        (Some(_), _) => ", each replacing the previous one".to_owned(),
    }
}

/// A reason that is true of all of them.
fn reason(subject: &SimulationSubject<'_>, group: &RunGroup<'_>) -> Option<String> {
    let (first, last) = (group.runs().first()?, group.runs().last()?);
    let of = |run: &SimulatedRun| run.reason(&|at| subject.time_beside(at, first.scheduled_time));
    let shared = of(first)?;
    if group.count() == 1 || of(last).as_ref() == Some(&shared) {
        return Some(shared);
    }
    let cause = first.reason.as_ref().map(|reason| reason.cause);
    match (cause, first.started_at) {
        (Some(MissedCause::Forbid), Some(_)) => {
            Some("each waited for another Job to finish (concurrencyPolicy: Forbid)".to_owned())
        }
        (Some(MissedCause::Forbid), None) => {
            Some("another Job was running (concurrencyPolicy: Forbid)".to_owned())
        }
        _ => Some(shared),
    }
}
