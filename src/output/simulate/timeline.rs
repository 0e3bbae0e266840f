//! The timeline of a simulation, with uneventful runs grouped.

use jiff::Timestamp;

use super::{AssumedEdit, Assumptions, SimulationSubject, status_label};
use crate::output::style::Meaning;
use cronjob_controller::controller::MissedCause;
use cronjob_controller::simulate::{
    RunGroup, SimulatedRun, SimulatedStatus, Simulation, TimeSpan, group_runs,
};
use cronjob_text::duration::human;
use cronjob_text::words::plural;

pub(super) struct TimelineLine {
    pub(super) at: Timestamp,
    /// What happens, which is colored.
    pub(super) what: String,
    pub(super) meaning: Meaning,
    /// What follows it: details and the reason.
    pub(super) details: String,
}

pub(super) fn timeline(
    subject: &SimulationSubject,
    given: &Assumptions,
    simulation: &Simulation,
) -> Vec<TimelineLine> {
    let mut lines = external_events(given, simulation.from);
    lines.extend(simulation.hot_loops.iter().map(|span| TimelineLine {
        at: span.from,
        what: "the controller syncs in a loop".to_owned(),
        meaning: Meaning::Odd,
        details: format!(
            ", without a pause, until {}",
            subject.time_beside(span.to, span.from)
        ),
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

const UP_AGAIN: &str = "the controller is up again";

/// Outages, suspensions and edits. What began before the simulation is shown at its beginning.
fn external_events(given: &Assumptions, beginning: Timestamp) -> Vec<TimelineLine> {
    let line = |at, what: String, details: String| TimelineLine {
        at,
        what,
        meaning: Meaning::Strong,
        details,
    };
    let plain = |at, what: &str| line(at, what.to_owned(), String::new());
    let mut lines = Vec::new();
    if let Some(upgrade) = given.upgrade.as_ref().filter(|one| one.to > beginning) {
        let release = upgrade.release;
        let what = format!("the controller goes down for the upgrade to {release}");
        lines.push(plain(upgrade.from.max(beginning), &what));
        let is_new = format!(", as that of {release}");
        lines.push(line(upgrade.to, UP_AGAIN.to_owned(), is_new));
    }
    let is_over = |span: &TimeSpan| span.to <= beginning;
    for TimeSpan { from, to } in given.outages.iter().filter(|span| !is_over(span)) {
        let down = if from <= beginning {
            "the controller is down"
        } else {
            "the controller goes down"
        };
        lines.push(plain(from.max(beginning), down));
        lines.push(plain(to, UP_AGAIN));
    }
    for TimeSpan { from, to } in given.suspended.iter().filter(|span| !is_over(span)) {
        lines.push(plain(from.max(beginning), "suspended"));
        lines.push(plain(to, "resumed"));
    }
    for AssumedEdit { at, changes } in &given.edits {
        let changes = format!(": {}", changes.join(", "));
        lines.push(line(*at, "edited".to_owned(), changes));
    }
    lines
}

fn group_line(subject: &SimulationSubject, group: &RunGroup<'_>) -> Option<TimelineLine> {
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
    let (what, meaning, details) = match group.status() {
        SimulatedStatus::Started => {
            let meaning = if group.is_uneventful() {
                Meaning::Plain
            } else {
                Meaning::Odd
            };
            (
                format!("{many}started"),
                meaning,
                format!("{replaced}{until}"),
            )
        }
        SimulatedStatus::Late => {
            let delays = group.runs().iter().filter_map(SimulatedRun::delay_seconds);
            let by = plural(group.count(), "by", "by up to");
            let delay = human(delays.max().unwrap_or_default());
            (
                format!("{many}late {by} {delay}"),
                Meaning::Odd,
                format!("{replaced}{until}{reason}"),
            )
        }
        status @ (SimulatedStatus::Lost | SimulatedStatus::Blocked) => {
            let label = status_label(status);
            let (what, event) = match event(group) {
                Some(event) => (label.to_owned(), format!(" (event {event})")),
                None => (format!("{label} without an event"), String::new()),
            };
            (
                format!("{many}{what}"),
                Meaning::Bad,
                format!("{event}{until}{reason}"),
            )
        }
        SimulatedStatus::Phantom => {
            let starts = match group.count() {
                1 => "start at an unscheduled time".to_owned(),
                count => format!("{count} starts at unscheduled times"),
            };
            (starts, Meaning::Bad, format!("{replaced}{until}{reason}"))
        }
    };
    Some(TimelineLine {
        at: first,
        what,
        meaning,
        details,
    })
}

/// The event that reports it, if any.
fn event(group: &RunGroup<'_>) -> Option<&'static str> {
    let reason = group.runs().first()?.reason.as_ref();
    reason.and_then(|reason| reason.event)
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
fn reason(subject: &SimulationSubject, group: &RunGroup<'_>) -> Option<String> {
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
