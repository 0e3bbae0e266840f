//! Time zones and clocks.

use jiff::Timestamp;
use serde_json::json;

use super::super::remedies::{add, one_line};
use super::super::{Facts, FindingDetails};
use crate::controller::{Model, Outcome, ZonePrefix};
use crate::duration::human;
use crate::schedule::{Surprise, SurpriseKind, Timetable, Zone, split_zone, suggest_zone};
use crate::upcoming::ScheduleProblem;

/// The clock of the zone will be changed soon, and runs are lost.
pub(super) fn clock_change_skips_run(facts: &Facts<'_>) -> Option<FindingDetails> {
    let (zone, lost) = coming(facts, SurpriseKind::Lost)?;
    let detail = format!(
        "On {} the clock of {zone} is changed, and there is no run at {}.",
        lost.date,
        lost.times()
    );
    Some(FindingDetails::new(detail).remedy(
        "Choose a local time that every day has (before 01:00 or after 03:00 in most zones), or \
         set spec.timeZone to Etc/UTC.",
    ))
}

/// The clock of the zone will be changed soon, and runs come twice.
pub(super) fn clock_change_repeats_run(facts: &Facts<'_>) -> Option<FindingDetails> {
    let (zone, doubled) = coming(facts, SurpriseKind::Doubled)?;
    let detail = format!(
        "On {} the clock of {zone} is changed, and there are two runs at {}.",
        doubled.date,
        doubled.times()
    );
    Some(FindingDetails::new(detail).remedy(
        "Choose a local time that every day has once (before 01:00 or after 03:00 in most zones), \
         or set spec.timeZone to Etc/UTC.",
    ))
}

/// As far ahead as a year, which has every change of the clock once.
const HORIZON: i64 = 366 * 86_400;

/// Changes of a clock are reported this long before they happen.
const ANNOUNCED_AHEAD: i64 = 92 * 86_400;

/// A scheduled time after which the controller finds no other, but the same one again.
pub(super) fn schedule_search_hangs(facts: &Facts<'_>) -> Option<FindingDetails> {
    let timetable = facts.timetable.as_ref()?;
    // What it is stuck at lies behind; otherwise only what is to come matters.
    let stuck = facts.decision.outcome == Outcome::InvalidSchedule;
    let since = facts
        .missed
        .filter(|_| stuck)
        .map_or(facts.now, |missed| missed.since);
    let until = Timestamp::from_second(since.as_second().saturating_add(HORIZON)).ok()?;
    let last = timetable.stands_still(since, until)?;
    Some(found(facts, timetable, last))
}

fn found(facts: &Facts<'_>, timetable: &Timetable, last: Timestamp) -> FindingDetails {
    let zone = timetable.zone().map_or("the zone", |zone| zone.name());
    let verb = if last <= facts.now { "is" } else { "will be" };
    let detail = format!(
        "The slot {last} {verb} the last one: when the controller asks for the one after it, the \
         cron library answers with the same again, since the clock of {zone} is changed there. \
         Nothing is started after it."
    );
    FindingDetails::new(detail).remedy(format!(
        "Choose an hour that the clock of {zone} neither skips nor repeats, or set spec.timeZone \
         to Etc/UTC."
    ))
}

/// TZ= in front of the schedule.
pub(super) fn time_zone_in_schedule(facts: &Facts<'_>) -> Option<FindingDetails> {
    let spec = &facts.cron_job.spec;
    if facts.schedule.is_err() || !spec.schedule.contains("TZ") {
        return None;
    }
    let release = facts.controller.release;
    let mut detail = match facts.behavior().zone_prefix {
        ZonePrefix::Refused => format!(
            "The schedule is \"{}\". Kubernetes {release} still runs it, but refuses TZ for new \
             objects: this CronJob cannot be created again.",
            one_line(&spec.schedule)
        ),
        ZonePrefix::Accepted | ZonePrefix::NotParsed => format!(
            "The schedule is \"{}\". Kubernetes {release} takes that without supporting it, and \
             1.29 refuses it for new objects.",
            one_line(&spec.schedule)
        ),
    };
    if let Some(zone) = &spec.time_zone {
        add(
            &mut detail,
            format_args!(" spec.timeZone ({}) is ignored.", one_line(zone)),
        );
    }
    let found = FindingDetails::new(detail);
    let reads = facts.controller.model.reads_time_zone(release);
    Some(match split_zone(&spec.schedule).filter(|_| reads) {
        Some((zone, rest)) => {
            found.remedy(facts.patch(&json!({ "schedule": rest, "timeZone": zone })))
        }
        None => found,
    })
}

/// spec.timeZone is set, and the release ignores it.
pub(super) fn time_zone_ignored(facts: &Facts<'_>) -> Option<FindingDetails> {
    let zone = facts.cron_job.spec.time_zone.as_ref()?;
    let controller = facts.controller;
    if controller.model.reads_time_zone(controller.release) {
        return None;
    }
    let who = match controller.model {
        Model::Kubernetes => format!("Kubernetes {}", controller.release),
        Model::Kubebuilder => "this controller".to_owned(),
    };
    Some(FindingDetails::new(format!(
        "spec.timeZone is {}, but {who} does not read it: runs follow the clock of the \
         controller manager, taken to be {}.",
        one_line(zone),
        controller.local.name()
    )))
}

/// Fewer runs prove nothing.
const ENOUGH: usize = 3;
const QUARTER: i64 = 900;

/// Earlier runs only fit the schedule on another clock.
pub(super) fn time_zone_unset_not_utc(facts: &Facts<'_>) -> Option<FindingDetails> {
    let schedule = facts.schedule.as_ref().ok()?;
    let timetable = facts.timetable.as_ref()?;
    timetable.zone()?;
    if facts.cron_job.spec.time_zone.is_some() || schedule.own_zone().is_some() {
        return None;
    }
    let slots: Vec<Timestamp> = facts
        .runs
        .iter()
        .filter(|run| run.controlled)
        .filter_map(|run| run.scheduled_time)
        .collect();
    let in_utc = schedule.in_zone(&Zone::utc());
    if slots.len() < ENOUGH
        || slots
            .iter()
            .any(|scheduled_time| in_utc.is_scheduled(*scheduled_time))
    {
        return None;
    }
    let remedy = "Set spec.timeZone to the zone that is meant";
    if slots
        .iter()
        .all(|scheduled_time| timetable.is_scheduled(*scheduled_time))
    {
        let detail = format!(
            "None of the {} runs that are known is a slot of UTC; all fit a clock in {}, which the \
             controller manager seems to run in. Whoever reads the schedule cannot see that, and \
             on another control plane it would run at other times.",
            slots.len(),
            facts.controller.local.name()
        );
        return Some(FindingDetails::new(detail).remedy(format!("{remedy}.")));
    }
    if slots
        .iter()
        .any(|scheduled_time| timetable.is_scheduled(*scheduled_time))
    {
        return None;
    }
    let fits = |offset: &i64| {
        slots.iter().all(|scheduled_time| {
            shifted(*scheduled_time, *offset).is_some_and(|at| in_utc.is_scheduled(at))
        })
    };
    // From -12:00 to +14:00, nearest to UTC first.
    let mut offsets: Vec<i64> = (-48..=56).map(|quarters| quarters * QUARTER).collect();
    offsets.sort_by_key(|offset| offset.abs());
    let offset = offsets.into_iter().find(fits)?;
    let newest = slots.iter().max()?;
    let detail = format!(
        "The schedule is read as {} time, but none of the {} runs that are known, such as that \
         of {newest}, is one of its slots. All fit a clock at UTC{}: the controller manager \
         seems to run in such a zone, unless the schedule was changed after these runs.",
        facts.controller.local.name(),
        slots.len(),
        signed(offset)
    );
    Some(FindingDetails::new(detail).remedy(format!(
        "{remedy}; for predictions, pass --controller-time-zone."
    )))
}

fn shifted(scheduled_time: Timestamp, offset: i64) -> Option<Timestamp> {
    Timestamp::from_second(scheduled_time.as_second() + offset).ok()
}

/// `+05:30`
fn signed(offset: i64) -> String {
    let minutes = offset.abs() / 60;
    format!(
        "{}{:02}:{:02}",
        if offset < 0 { '-' } else { '+' },
        minutes / 60,
        minutes % 60
    )
}

/// The controller does not know the time zone.
pub(super) fn unknown_time_zone(facts: &Facts<'_>) -> Option<FindingDetails> {
    let Err(ScheduleProblem::TimeZone { name, error }) = &facts.schedule else {
        return None;
    };
    let name = one_line(name);
    let found = FindingDetails::new(format!(
        "spec.timeZone is \"{name}\": {error}. The controller starts nothing, and does not look \
         again until something changes."
    ));
    Some(match suggest_zone(&name) {
        Some(zone) => found.remedy(facts.patch(&json!({ "timeZone": zone }))),
        None => {
            found.remedy("Set spec.timeZone to a name of the tz database, such as Europe/Berlin.")
        }
    })
}

/// The controller announces another next run than the one that is computed here.
pub(super) fn published_next_run_differs(facts: &Facts<'_>) -> Option<FindingDetails> {
    let announced = facts.cron_job.status.next_schedule_time?;
    let next = facts.next_run()?;
    // One that has passed is a matter of lateness.
    if announced <= facts.now || announced == next || facts.is_suspended() {
        return None;
    }
    let detail = format!(
        "The controller announces {announced}, but by the schedule, read in {}, the next slot is \
         {next}.",
        facts.zone().name()
    );
    Some(FindingDetails::new(detail).remedy(
        "If the controller manager runs in another zone, pass --controller-time-zone, or set \
         spec.timeZone.",
    ))
}

/// Clocks never agree to the second.
const TOLERANCE: i64 = 30;

/// Clocks disagree, or a clock was wrong.
pub(super) fn clock_skew(facts: &Facts<'_>) -> Option<FindingDetails> {
    let cron_job = facts.cron_job;
    let (what, time) = match (
        cron_job.status.last_schedule_time,
        cron_job.creation_timestamp,
    ) {
        (Some(last), _) => ("last start", last),
        (None, Some(created)) => ("creation", created),
        (None, None) => return None,
    };
    let ahead = time.as_second() - facts.now.as_second();
    if ahead <= TOLERANCE {
        return None;
    }
    let mut detail = format!(
        "Its {what}, {time}, is {} in the future of {}.",
        human(ahead),
        facts.now
    );
    if let Some(next) = facts.next_run_after(time) {
        add(&mut detail, format_args!(" Nothing starts before {next}."));
    }
    Some(FindingDetails::new(detail).remedy(
        "Compare the clocks of the control plane nodes, and of this machine, with `date -u`.",
    ))
}

/// The next surprise of a kind, and the zone whose clock is to blame.
fn coming(facts: &Facts<'_>, kind: SurpriseKind) -> Option<(String, Surprise)> {
    let timetable = facts.timetable.as_ref()?;
    let zone = timetable.zone()?.name().to_owned();
    let until = Timestamp::from_second(facts.now.as_second() + ANNOUNCED_AHEAD).ok()?;
    let surprises = timetable.surprises(facts.now, until);
    let found = surprises
        .into_iter()
        .find(|surprise| surprise.kind == kind)?;
    Some((zone, found))
}
