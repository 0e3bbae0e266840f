//! What the controller of an object does with it, in words.

use std::sync::Arc;

use cronjob_text::duration::{from_now, local_time};
use jiff::Timestamp;
use kube_cron::{Never, Schedule, Zone, Zones};
use serde::Serialize;

use super::{DueStart, KindCatchUp, ScheduledObject};

/// What the controller does with an object with a schedule that is not a `CronJob`.
#[derive(Debug, Serialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "ScheduleExplanation")
)]
#[serde(rename_all = "camelCase")]
pub struct KindExplanation {
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
    pub library: String,
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
#[derive(Debug, Serialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "ScheduleOfKind")
)]
#[serde(rename_all = "camelCase")]
pub struct KindSchedule {
    /// The schedule.
    pub schedule: String,
    /// The time zone that it runs in.
    pub time_zone: String,
    #[serde(skip)]
    pub zone: Arc<Zone>,
    /// When it runs; null if it cannot be read.
    pub description: Option<String>,
    /// Why it never runs, if its fields match no date in any year.
    #[serde(skip)]
    pub never: Option<Never>,
    /// The next scheduled times.
    pub next_runs: Vec<Timestamp>,
    /// The message with which the controller rejects it; null if it does not.
    pub error: Option<String>,
    #[serde(skip)]
    due: Option<DueStart>,
}

/// How many runs are shown.
const SHOWN: usize = 5;

impl KindExplanation {
    pub fn of(object: &ScheduledObject, now: Timestamp, zones: &dyn Zones) -> Self {
        let kind = object.kind;
        let schedules = object.schedules.iter();
        let schedules: Vec<KindSchedule> = schedules
            .map(|schedule| KindSchedule::of(object, schedule, now, zones))
            .collect();
        let next = next(object, &schedules, now);
        let paused = object.paused.filter(|_| !schedules.is_empty());
        KindExplanation {
            api_version: format!("{}/{}", kind.group, kind.version),
            kind: kind.name,
            namespace: object.namespace.clone(),
            name: object.name.clone(),
            controller: kind.controller,
            library: kind.library(),
            verdict: match paused {
                Some((field, value)) => format!("Nothing runs, because {field} is {value}."),
                None => next.clone(),
            },
            paused: object.paused.is_some(),
            resuming: paused
                .filter(|(field, _)| *field == kind.paused)
                .map(|_| next),
            base: object.base.map(|(base, _)| base),
            base_field: object.base.map(|(_, field)| field),
            schedules,
            missed_runs: kind.missed,
            changes: kind.changing,
            blocked: kind.blocked,
        }
    }
}

impl KindSchedule {
    fn of(object: &ScheduledObject, schedule: &str, now: Timestamp, zones: &dyn Zones) -> Self {
        let field = object.time_zone.as_deref();
        let read = object.kind.read(schedule, field, zones);
        let parsed = read.as_ref().ok();
        let timetable = parsed.map(|parsed| parsed.in_zone(&Zone::utc()));
        let timetable = timetable.as_ref();
        let zone = timetable.and_then(|timetable| timetable.zone());
        let anchor = object.base.map_or(now, |(base, _)| base);
        let meaning = parsed.map(Schedule::describe);
        let runs = timetable.map(|timetable| timetable.after(timetable.search_start(anchor, now)));
        let runs = runs.into_iter().flatten();
        KindSchedule {
            schedule: schedule.to_owned(),
            time_zone: zone
                .map_or(field.unwrap_or("UTC"), |zone| zone.name())
                .to_owned(),
            zone: zone.cloned().unwrap_or_else(Zone::utc),
            never: meaning.as_ref().and_then(|meaning| meaning.never.clone()),
            description: meaning.map(|meaning| meaning.sentence),
            next_runs: runs.take(SHOWN).map_while(Result::ok).collect(),
            due: timetable.and_then(|timetable| object.due(timetable, now)),
            error: read.err().map(|rejection| rejection.message),
        }
    }
}

/// What happens next, if the object is not paused.
fn next(object: &ScheduledObject, schedules: &[KindSchedule], now: Timestamp) -> String {
    let kind = object.kind;
    let (controller, starts) = (kind.controller, kind.starts);
    if let Some(since) = object.running_since {
        let since = local_time(since, Zone::utc().time_zone(), "UTC");
        return format!("A {starts} has been running since {since}.");
    }
    match object.manual {
        Some((field, true)) => {
            return format!(
                "A {starts} starts immediately, because none has ended since {field} was set."
            );
        }
        Some((field, false)) => {
            return format!("A {starts} starts only when {field} changes; schedules are ignored.");
        }
        None => {}
    }
    if schedules.is_empty() {
        return match kind.manual {
            Some(_) => {
                format!("No trigger: a {starts} starts as soon as the previous one has ended.")
            }
            None => "No schedule: nothing starts.".to_owned(),
        };
    }
    if let Some(error) = schedules.iter().find_map(|one| one.error.as_ref()) {
        return format!("{controller} rejects the schedule, so nothing starts: {error}");
    }
    let dues = || schedules.iter().filter_map(|one| Some((one.due?, one)));
    let immediate = dues().find(|(due, _)| !matches!(due, DueStart::Waits(_)));
    let Some((due, one)) = immediate.or_else(|| dues().min_by_key(|(due, _)| *due)) else {
        return "The schedule never matches, so nothing starts.".to_owned();
    };
    let shown = |at| {
        let local = local_time(at, one.zone.time_zone(), one.zone.name());
        (local, from_now(now, at))
    };
    match due {
        DueStart::First => format!("A {starts} starts immediately: it is the first."),
        DueStart::AgainAndAgain => {
            format!(
                "The schedule never matches, and {controller} starts a {starts} again and again."
            )
        }
        DueStart::Missed(missed) => {
            let (missed, ago) = shown(missed);
            let why = match kind.catch_up {
                KindCatchUp::One => {
                    format!(", because the run scheduled at {missed} ({ago}) was missed")
                }
                KindCatchUp::First | KindCatchUp::LastWithinDeadline => {
                    format!(" for the run scheduled at {missed} ({ago})")
                }
            };
            format!("A {starts} starts immediately{why}.")
        }
        DueStart::Waits(at) => {
            let (at, when) = shown(at);
            format!("The next {starts} starts at {at} ({when}).")
        }
    }
}
