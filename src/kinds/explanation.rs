//! What the controller of an object does with it, in words.

use std::sync::Arc;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::{DueStart, KindCatchUp, RunTrigger, ScheduledObject};
use crate::duration::{from_now, local_time};
use crate::schedule::{Timetable, Zone, Zones};

/// What the controller does with an object with a schedule that is not a `CronJob`.
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "ScheduleExplanation")]
#[serde(rename_all = "camelCase")]
pub(crate) struct KindExplanation {
    /// The API version of the object.
    pub api_version: String,
    /// The kind of the object.
    pub kind: &'static str,
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// The controller that reads the schedule.
    pub controller: &'static str,
    /// The library that the controller reads schedules with.
    pub library: &'static str,
    /// What happens next.
    pub verdict: String,
    /// Whether it is paused or suspended.
    pub paused: bool,
    /// What would happen if it was resumed now; null if it is not paused.
    pub resuming: Option<String>,
    /// The time that the next run counts from; null if none is recorded.
    pub base: Option<Timestamp>,
    /// The field with that time.
    pub base_field: Option<&'static str>,
    /// Its schedules.
    pub schedules: Vec<KindSchedule>,
    /// What happens to missed runs.
    pub missed_runs: &'static str,
    /// What resuming and editing do.
    pub changes: &'static str,
    /// What delays a start.
    pub blocked: &'static str,
}

/// A schedule of an object, as its controller reads it.
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "ScheduleOfKind")]
#[serde(rename_all = "camelCase")]
pub(crate) struct KindSchedule {
    /// The schedule.
    pub schedule: String,
    /// The time zone that it runs in.
    pub time_zone: String,
    #[serde(skip)]
    pub zone: Arc<Zone>,
    /// When it runs; null if it cannot be read.
    pub description: Option<String>,
    /// The next scheduled times.
    pub next_runs: Vec<Timestamp>,
    /// The message with which the controller rejects it; null if it does not.
    pub error: Option<String>,
}

/// How many runs are shown.
const SHOWN: usize = 5;

impl KindExplanation {
    pub(crate) fn of(object: &ScheduledObject, now: Timestamp, zones: &dyn Zones) -> Self {
        let kind = object.kind;
        let mut dues = Vec::new();
        let schedules = object.schedules().iter();
        let schedules: Vec<KindSchedule> = schedules
            .map(|schedule| {
                let (explained, due) = read(object, schedule, now, zones);
                dues.extend(due);
                explained
            })
            .collect();
        let next = next(object, &schedules, &dues, now);
        let paused = object.paused && matches!(object.trigger, RunTrigger::Schedules(_));
        KindExplanation {
            api_version: format!("{}/{}", kind.group, kind.version),
            kind: kind.name,
            namespace: object.namespace.clone(),
            name: object.name.clone(),
            controller: kind.controller,
            library: kind.library,
            verdict: if paused {
                format!("Nothing runs, because {} is true.", kind.paused)
            } else {
                next.clone()
            },
            paused: object.paused,
            resuming: paused.then_some(next),
            base: object.base.map(|(base, _)| base),
            base_field: object.base.map(|(_, field)| field),
            schedules,
            missed_runs: kind.missed,
            changes: kind.changing,
            blocked: kind.blocked,
        }
    }
}

/// A schedule, and what is due by it.
fn read(
    object: &ScheduledObject,
    schedule: &str,
    now: Timestamp,
    zones: &dyn Zones,
) -> (KindSchedule, Option<(DueStart, Timetable)>) {
    let zone = object.time_zone.as_deref();
    let mut explained = KindSchedule {
        schedule: schedule.to_owned(),
        time_zone: zone.unwrap_or("UTC").to_owned(),
        zone: Zone::utc(),
        description: None,
        next_runs: Vec::new(),
        error: object.kind.rejection(schedule, zone, zones),
    };
    let Ok(parsed) = object.kind.read(schedule, zone, zones) else {
        return (explained, None);
    };
    let timetable = parsed.in_zone(&Zone::utc());
    if let Some(zone) = timetable.zone() {
        zone.name().clone_into(&mut explained.time_zone);
        explained.zone = Arc::clone(zone);
    }
    explained.description = Some(parsed.describe().sentence);
    let anchor = object.base.map_or(now, |(base, _)| base);
    let runs = timetable.after(timetable.search_start(anchor, now));
    explained.next_runs = runs.take(SHOWN).map_while(Result::ok).collect();
    let due = object.due(&timetable, now);
    (explained, due.ok().map(|due| (due, timetable)))
}

/// What happens next, if the object is not paused.
fn next(
    object: &ScheduledObject,
    schedules: &[KindSchedule],
    dues: &[(DueStart, Timetable)],
    now: Timestamp,
) -> String {
    let kind = object.kind;
    let (controller, starts) = (kind.controller, kind.starts);
    let shown = |at: Timestamp, timetable: &Timetable| {
        let zone = timetable.zone().cloned().unwrap_or_else(Zone::utc);
        local_time(at, zone.time_zone(), zone.name())
    };
    match &object.trigger {
        RunTrigger::Manual(_) => {
            let field = kind.manual.unwrap_or_default();
            return format!("A {starts} starts only when {field} changes; schedules are ignored.");
        }
        RunTrigger::Unset if kind.manual.is_some() => {
            return format!("No trigger: a {starts} starts as soon as the previous one has ended.");
        }
        RunTrigger::Unset => return "No schedule: nothing starts.".to_owned(),
        RunTrigger::Schedules(_) => {}
    }
    if let Some(error) = schedules.iter().find_map(|one| one.error.as_ref()) {
        return format!("{controller} rejects the schedule, so nothing starts: {error}");
    }
    if let Some(since) = object.running_since {
        let since = local_time(since, Zone::utc().time_zone(), "UTC");
        return format!("A {starts} has been running since {since}.");
    }
    let mut next: Option<(Timestamp, &Timetable)> = None;
    for (due, timetable) in dues {
        let waits_until = match due {
            DueStart::First => return format!("A {starts} starts immediately: it is the first."),
            DueStart::AgainAndAgain => {
                return format!(
                    "The schedule never matches, and {controller} starts a {starts} again and again."
                );
            }
            DueStart::Missed(missed) => {
                let (missed, ago) = (shown(*missed, timetable), from_now(now, *missed));
                return match kind.catch_up {
                    KindCatchUp::One => format!(
                        "A {starts} starts immediately, because the run scheduled at {missed} ({ago}) was missed."
                    ),
                    KindCatchUp::First | KindCatchUp::LastWithinDeadline => format!(
                        "A {starts} starts immediately for the run scheduled at {missed} ({ago})."
                    ),
                };
            }
            DueStart::Waits(at) => *at,
        };
        let earlier = |at: &Timestamp| next.is_none_or(|(known, _)| *at < known);
        if let Some(at) = waits_until.filter(earlier) {
            next = Some((at, timetable));
        }
    }
    match next {
        Some((at, timetable)) => {
            let (at, when) = (shown(at, timetable), from_now(now, at));
            format!("The next {starts} starts at {at} ({when}).")
        }
        None => "The schedule never matches, so nothing starts.".to_owned(),
    }
}
