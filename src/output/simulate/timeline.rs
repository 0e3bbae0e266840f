//! What happens when, with the uneventful condensed.

use jiff::Timestamp;

use super::{Given, Subject};
use crate::duration::human;
use crate::output::style::Meaning;
use crate::simulate::{Cause, Run, Simulation, Status, Stretch, stretches};

/// Something that happens.
pub(super) struct Line {
    pub(super) at: Timestamp,
    pub(super) text: String,
    pub(super) meaning: Meaning,
}

/// What happens, in order.
pub(super) fn timeline(subject: &Subject<'_>, given: &Given, simulation: &Simulation) -> Vec<Line> {
    let mut lines = happenings(given, simulation.from);
    lines.extend(simulation.spins.iter().map(|(from, to)| Line {
        at: *from,
        text: format!(
            "the controller looks over and over again, without a pause, until {}",
            subject.time_beside(*to, *from)
        ),
        meaning: Meaning::Odd,
    }));
    lines.retain(|line| simulation.from <= line.at && line.at < simulation.to);
    lines.sort_by_key(|line| line.at);
    let breaks: Vec<Timestamp> = lines.iter().map(|line| line.at).collect();
    for stretch in stretches(&simulation.runs, &breaks) {
        lines.extend(told(subject, &stretch));
    }
    lines.sort_by_key(|line| line.at);
    lines
}

/// What comes from outside. What has begun before is told at the beginning.
fn happenings(given: &Given, beginning: Timestamp) -> Vec<Line> {
    let line = |at, text: String| Line {
        at,
        text,
        meaning: Meaning::Strong,
    };
    let mut lines = Vec::new();
    let is_over = |(_, to): &(Timestamp, Timestamp)| *to <= beginning;
    for (from, to) in given.outages.iter().filter(|span| !is_over(span)) {
        let text = if from <= beginning {
            "the controller is down"
        } else {
            "the controller goes down"
        };
        lines.push(line(from.max(beginning), text.to_owned()));
        lines.push(line(to, "the controller is up again".to_owned()));
    }
    for (from, to) in given.suspended.iter().filter(|span| !is_over(span)) {
        lines.push(line(from.max(beginning), "suspended".to_owned()));
        lines.push(line(to, "resumed".to_owned()));
    }
    for (at, changes) in &given.edits {
        lines.push(line(*at, format!("edited: {}", changes.join(", "))));
    }
    lines
}

fn told(subject: &Subject<'_>, stretch: &Stretch<'_>) -> Option<Line> {
    let (first, last) = stretch.slots()?;
    let until = match stretch.count() {
        1 => String::new(),
        _ => format!(", until {}", subject.time_beside(last, first)),
    };
    let many = match stretch.count() {
        1 => String::new(),
        count => format!("{count} "),
    };
    let reason = reason(subject, stretch).map_or_else(String::new, |reason| format!(": {reason}"));
    let replaced = replaced(stretch);
    let (text, meaning) = match stretch.status() {
        Status::Started => {
            let meaning = if stretch.is_uneventful() {
                Meaning::Plain
            } else {
                Meaning::Odd
            };
            (format!("{many}started{replaced}{until}"), meaning)
        }
        Status::Late => {
            let delays = stretch.runs().iter().filter_map(Run::delay_seconds);
            let by = if stretch.count() == 1 {
                "by"
            } else {
                "by up to"
            };
            let delay = human(delays.max().unwrap_or_default());
            let text = format!("{many}late {by} {delay}{replaced}{until}{reason}");
            (text, Meaning::Odd)
        }
        Status::Lost => (
            format!("{many}lost{}{until}{reason}", tell(stretch)),
            Meaning::Bad,
        ),
        Status::Blocked => (
            format!("{many}blocked{}{until}{reason}", tell(stretch)),
            Meaning::Bad,
        ),
        Status::Phantom => (
            format!("{many}phantom{replaced}{until}{reason}"),
            Meaning::Bad,
        ),
    };
    Some(Line {
        at: first,
        text,
        meaning,
    })
}

/// Whether anything tells of it.
fn tell(stretch: &Stretch<'_>) -> String {
    let why = stretch.runs().first().and_then(|run| run.why.as_ref());
    match why.and_then(|why| why.told) {
        Some(event) => format!(" (event {event})"),
        None => " silently".to_owned(),
    }
}

fn replaced(stretch: &Stretch<'_>) -> String {
    let first = stretch.runs().first().and_then(|run| run.replaced.as_ref());
    match (first, stretch.count()) {
        (None, _) => String::new(),
        (Some(job), 1) => format!(", replacing {job}"),
        (Some(_), _) => ", each replacing the one before".to_owned(),
    }
}

/// A reason that is true of all of them.
fn reason(subject: &Subject<'_>, stretch: &Stretch<'_>) -> Option<String> {
    let (first, last) = (stretch.runs().first()?, stretch.runs().last()?);
    let of = |run: &Run| run.reason(&|at| subject.time_beside(at, first.slot));
    let shared = of(first)?;
    if stretch.count() == 1 || of(last).as_ref() == Some(&shared) {
        return Some(shared);
    }
    let cause = first.why.as_ref().map(|why| &why.cause);
    match (cause, first.started_at) {
        (Some(Cause::Forbid(_)), Some(_)) => {
            Some("each waited until another one had ended, since the policy is Forbid".to_owned())
        }
        (Some(Cause::Forbid(_)), None) => {
            Some("another one was running, and the policy is Forbid".to_owned())
        }
        _ => Some(shared),
    }
}
