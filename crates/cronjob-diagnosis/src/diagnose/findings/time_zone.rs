//! Time zones and clocks.

use jiff::{SignedDuration, Timestamp};
use serde_json::json;

use super::super::suspension::unchanged_since;
use super::super::{Facts, FindingDetails, local, one_line};
use crate::kubectl::Command;
use cronjob_controller::controller::{Outcome, ZonePrefix};
use cronjob_controller::upcoming::ScheduleProblem;
use cronjob_text::duration::{human, later};
use cronjob_text::text::Text;
use kube_cron::{OffsetChange, Surprise, SurpriseKind, Zone, split_zone, suggest_zone};

/// The clock of the zone will change soon, or has changed, and runs are skipped.
pub(super) fn clock_change_skips_run(facts: &Facts<'_>) -> Option<FindingDetails> {
    let (is_past, detail) = clock_change(facts, SurpriseKind::Lost)?;
    let found = FindingDetails::new(detail);
    Some(if is_past {
        found.remedy(facts.input.doctor("trigger"))
    } else {
        found.remedy(
            "Choose a local time that exists every day (from 04:00 until 22:59 in nearly all zones), or \
             set spec.timeZone to Etc/UTC.",
        )
    })
}

/// The clock of the zone will change soon, or has changed, and runs happen twice.
pub(super) fn clock_change_repeats_run(facts: &Facts<'_>) -> Option<FindingDetails> {
    let (is_past, detail) = clock_change(facts, SurpriseKind::Doubled)?;
    let found = FindingDetails::new(detail);
    Some(if is_past {
        found
    } else {
        found.remedy(
            "Choose a local time that occurs only once every day (from 04:00 until 22:59 in nearly all \
             zones), or set spec.timeZone to Etc/UTC.",
        )
    })
}

/// Whether a clock has changed, or else will change soon, and what that does to runs.
fn clock_change(facts: &Facts<'_>, kind: SurpriseKind) -> Option<(bool, String)> {
    let (was, is) = match kind {
        SurpriseKind::Lost => ("There was no run", "there is no run"),
        _ => ("There were two runs", "there are two runs"),
    };
    let past = recent(facts, kind);
    let is_past = past.is_some();
    let (zone, change) = past.or_else(|| coming(facts, kind))?;
    let (times, date) = (change.times(), change.date);
    let detail = if is_past {
        // Where the search for the next run is disturbed, a clock that is set back can skip one, too.
        let set = match change.change {
            OffsetChange { before, after, .. } if before < after => "forward",
            _ => "back",
        };
        format!("{was} at {times} on {date}: the clock in {zone} was set {set}.")
    } else {
        format!("The clock in {zone} changes on {date}: {is} at {times}.")
    };
    Some((is_past, detail))
}

/// A year, which includes every change of the clock once.
const HORIZON: i64 = 366 * 86_400;

/// Changes of a clock are reported this long before they happen.
const ANNOUNCED_AHEAD: i64 = 92 * 86_400;
/// And this long afterwards.
const REPORTED_AFTER: i64 = 2 * 86_400;

/// A scheduled time after which the controller finds no other, but the same one again.
pub(super) fn schedule_search_hangs(facts: &Facts<'_>) -> Option<FindingDetails> {
    let timetable = facts.timetable.as_ref()?;
    // If it is stuck already, the time is in the past; otherwise only future times matter.
    let stuck = facts.decision.outcome == Outcome::InvalidSchedule;
    let missed = facts.missed.filter(|_| stuck);
    let since = missed.map_or(facts.input.now, |missed| missed.since);
    let until = Timestamp::from_second(since.as_second().saturating_add(HORIZON)).ok()?;
    let last = timetable.stands_still(since, until)?;
    let zone = timetable.zone().map_or("the zone", |zone| zone.name());
    let verb = if last <= facts.input.now {
        "is"
    } else {
        "will be"
    };
    let detail = text!(
        "The run scheduled at {} {} the last one: when the controller asks for the next run, the \
         cron library returns the same time again, because the clock in {} changes there. \
         Nothing is started after it.",
        local(facts, last),
        verb,
        zone
    );
    Some(FindingDetails::new(detail).remedy(text!(
        "Choose an hour that the clock in {} neither skips nor repeats, or set spec.timeZone to \
         Etc/UTC.",
        zone
    )))
}

pub(super) fn time_zone_in_schedule(facts: &Facts<'_>) -> Option<FindingDetails> {
    let spec = &facts.input.cron_job.spec;
    if facts.schedule.is_err() || !spec.schedule.contains("TZ") {
        return None;
    }
    let release = facts.input.controller.release;
    let does = match facts.input.behavior().zone_prefix {
        ZonePrefix::Refused => {
            "still runs it, but rejects TZ in new objects: this CronJob cannot be created again"
        }
        ZonePrefix::Accepted | ZonePrefix::NotParsed => {
            "accepts it without supporting it, and 1.29 rejects it in new objects"
        }
    };
    let schedule = one_line(&spec.schedule);
    let mut detail = format!("The schedule is \"{schedule}\". Kubernetes {release} {does}.");
    if let Some(zone) = &spec.time_zone {
        detail += &format!(" spec.timeZone ({}) is ignored.", one_line(zone));
    }
    let found = FindingDetails::new(detail);
    let reads = facts.input.behavior().time_zone_field;
    Some(match split_zone(&spec.schedule).filter(|_| reads) {
        Some((zone, rest)) => {
            found.remedy(facts.patch(&json!({ "schedule": rest, "timeZone": zone })))
        }
        None => found,
    })
}

pub(super) fn time_zone_ignored(facts: &Facts<'_>) -> Option<FindingDetails> {
    let zone = facts.input.cron_job.spec.time_zone.as_ref()?;
    let controller = facts.input.controller;
    if controller.behavior().time_zone_field {
        return None;
    }
    Some(FindingDetails::new(format!(
        "spec.timeZone is {}, but {} ignores it: runs follow the clock of the controller manager \
         (assumed time zone: {}).",
        one_line(zone),
        facts.input.controller_name(),
        controller.local.name()
    )))
}

/// With fewer runs, a match can be a coincidence.
const ENOUGH: usize = 3;
const QUARTER: i64 = 900;

/// Past runs fit the schedule only in another time zone.
pub(super) fn time_zone_unset_not_utc(facts: &Facts<'_>) -> Option<FindingDetails> {
    let schedule = facts.schedule.as_ref().ok()?;
    let timetable = facts.timetable.as_ref()?;
    if timetable.is_every()
        || facts.input.cron_job.spec.time_zone.is_some()
        || schedule.own_zone().is_some()
    {
        return None;
    }
    let runs = facts.runs.iter().filter(|run| run.controlled);
    let runs: Vec<Timestamp> = runs.filter_map(|run| run.scheduled_time).collect();
    let in_utc = schedule.in_zone(&Zone::utc());
    let fits_utc = |run: &Timestamp| in_utc.is_scheduled(*run);
    let fits_controller = |run: &Timestamp| timetable.is_scheduled(*run);
    if runs.len() < ENOUGH || runs.iter().any(fits_utc) {
        return None;
    }
    let remedy = "Set spec.timeZone to the intended zone";
    if runs.iter().all(fits_controller) {
        let detail = text!(
            "None of the {} known runs fits the schedule in UTC; all fit {}, which seems to be the \
             time zone of the controller manager. The schedule does not show that, and on another \
             control plane it would run at other times.",
            runs.len(),
            facts.input.controller.local.name()
        );
        return Some(FindingDetails::new(detail).remedy(text!("{}.", remedy)));
    }
    if runs.iter().any(fits_controller) {
        return None;
    }
    let fits = |offset: &i64| {
        let offset = SignedDuration::from_secs(*offset);
        runs.iter().all(|run| fits_utc(&later(*run, offset)))
    };
    // From -12:00 to +14:00, nearest to UTC first.
    let mut offsets: Vec<i64> = (-48..=56).map(|quarters| quarters * QUARTER).collect();
    offsets.sort_by_key(|offset| offset.abs());
    let offset = offsets.into_iter().find(fits)?;
    let newest = runs.iter().max()?;
    let detail = text!(
        "The schedule is read as {} time, but none of the {} known runs (the latest at {}) fits it. \
         All fit a clock at UTC{}: the controller manager seems to run in such a zone, unless the \
         schedule was changed after these runs.",
        facts.input.controller.local.name(),
        runs.len(),
        local(facts, *newest),
        signed(offset)
    );
    Some(FindingDetails::new(detail).remedy(text!(
        "{}; for predictions, pass --controller-time-zone.",
        remedy
    )))
}

fn signed(offset: i64) -> String {
    let minutes = offset.abs() / 60;
    format!(
        "{}{:02}:{:02}",
        if offset < 0 { '-' } else { '+' },
        minutes / 60,
        minutes % 60
    )
}

pub(super) fn unknown_time_zone(facts: &Facts<'_>) -> Option<FindingDetails> {
    let Err(ScheduleProblem::TimeZone { name, error }) = &facts.schedule else {
        return None;
    };
    let name = one_line(name);
    let found = FindingDetails::new(format!(
        "spec.timeZone is \"{name}\": {error}. The controller starts nothing, and does not sync \
         again until something changes."
    ));
    Some(match suggest_zone(&name) {
        Some(zone) => found.remedy(facts.patch(&json!({ "timeZone": zone }))),
        None => {
            found.remedy("Set spec.timeZone to a name of the tz database, such as Europe/Berlin.")
        }
    })
}

pub(super) fn published_next_run_differs(facts: &Facts<'_>) -> Option<FindingDetails> {
    let published = facts.input.cron_job.status.next_schedule_time?;
    let next = facts.next_run()?;
    // A time in the past only shows that the controller is late.
    if published <= facts.input.now || published == next || facts.input.is_suspended() {
        return None;
    }
    let detail = text!(
        "status.nextScheduleTime is {}, but the next time in the schedule is {}.",
        local(facts, published),
        local(facts, next)
    );
    Some(FindingDetails::new(detail).remedy(
        "If the controller manager runs in another time zone, pass --controller-time-zone, or set \
         spec.timeZone.",
    ))
}

/// Clocks differ by a few seconds.
const TOLERANCE: i64 = 30;

/// The clocks differ, or a clock was wrong.
pub(super) fn clock_skew(facts: &Facts<'_>) -> Option<FindingDetails> {
    let cron_job = &*facts.input.cron_job;
    let (what, time) = match cron_job.status.last_schedule_time {
        Some(last) => ("status.lastScheduleTime", last),
        None => ("metadata.creationTimestamp", cron_job.creation_timestamp?),
    };
    let ahead = time.as_second() - facts.input.now.as_second();
    if ahead <= TOLERANCE {
        return None;
    }
    let (shown, ahead) = (local(facts, time), human(ahead));
    let mut detail = text!("{} is {}, {} in the future.", what, shown, ahead);
    if let Some(next) = facts.next_run_after(time) {
        detail += Text::aside(text!(" Nothing starts before {}.", local(facts, next)));
    }
    let found = FindingDetails::new(detail);
    Some(match reset_last_schedule_time(facts) {
        Some(reset) => found.remedy(reset),
        None => found.remedy(
            "Compare the clocks of the control plane nodes and of this machine with `date -u`.",
        ),
    })
}

/// Sets `lastScheduleTime` to the latest scheduled time, so that nothing is caught up; `None` if the status has none,
/// or nothing starts in any case.
fn reset_last_schedule_time(facts: &Facts<'_>) -> Option<Command> {
    facts.input.cron_job.status.last_schedule_time?;
    if facts.input.is_suspended() {
        return None;
    }
    let now = facts.input.now;
    let latest = facts.timetable.as_ref()?.previous(now)?;
    let next = facts.next_run_after(now)?;
    let status = json!({ "status": { "lastScheduleTime": latest } }).to_string();
    let patch = facts.input.kubectl("patch cronjob");
    let patch = patch.name(&facts.input.cron_job.name);
    let patch = patch.with("--subresource=status").with("--type=merge");
    Some(patch.value("-p", &status).comment(text!(
        "after all clocks are right, which date -u shows; the next run is then scheduled at {}",
        local(facts, next)
    )))
}

/// The last surprise of a kind that lies in the past, unless the schedule or the suspension changed since.
fn recent(facts: &Facts<'_>, kind: SurpriseKind) -> Option<(String, Surprise)> {
    let cron_job = &*facts.input.cron_job;
    let timetable = facts.timetable.as_ref()?;
    let zone = timetable.zone()?;
    let from = facts.input.now.as_second().saturating_sub(REPORTED_AFTER);
    let from = Timestamp::from_second(from).ok()?;
    let from = from.max(cron_job.known_creation()?);
    let from = unchanged_since(cron_job).map_or(from, |changed| changed.max(from));
    if from >= facts.input.now || facts.input.is_suspended() {
        return None;
    }
    let local_now = facts
        .input
        .now
        .to_zoned(zone.time_zone().clone())
        .datetime();
    let surprises = timetable.surprises(from, facts.input.now).into_iter();
    let mut past = surprises.filter(|surprise| {
        let last = surprise.local_times.last();
        surprise.kind == kind && last.is_some_and(|last| *last < local_now)
    });
    Some((zone.name().to_owned(), past.next_back()?))
}

/// The next surprise of a kind, and the zone whose clock causes it.
fn coming(facts: &Facts<'_>, kind: SurpriseKind) -> Option<(String, Surprise)> {
    let timetable = facts.timetable.as_ref()?;
    let zone = timetable.zone()?.name().to_owned();
    let until = Timestamp::from_second(facts.input.now.as_second() + ANNOUNCED_AHEAD).ok()?;
    let surprises = timetable.surprises(facts.input.now, until);
    let mut surprises = surprises.into_iter();
    Some((zone, surprises.find(|surprise| surprise.kind == kind)?))
}
