//! Runs at a clock change of a zone.

use jiff::Timestamp;

use crate::lint::{LintSubject, Violation};
use kube_cron::{Surprise, SurpriseKind, Timetable};

pub(super) fn clock_change_skips_run(subject: &LintSubject<'_>) -> Option<Violation> {
    clock_change(subject, SurpriseKind::Lost, "no run")
}

pub(super) fn clock_change_repeats_run(subject: &LintSubject<'_>) -> Option<Violation> {
    clock_change(subject, SurpriseKind::Doubled, "two runs")
}

/// Two years include each change twice.
const TWO_YEARS: i64 = 2 * 366 * 86_400;

/// The harmful clock changes of a kind; the message consists of what happens, the local times and the
/// dates.
fn clock_change(subject: &LintSubject<'_>, kind: SurpriseKind, what: &str) -> Option<Violation> {
    let timetable = subject.timetable()?;
    let zone = timetable.zone()?.name().to_owned();
    let now = subject.context.now;
    let until = Timestamp::from_second(now.as_second().saturating_add(TWO_YEARS)).ok()?;
    let surprises: Vec<Surprise> = timetable
        .surprises(now, until)
        .into_iter()
        .filter(|surprise| surprise.kind == kind && is_harmful(&timetable, surprise))
        .collect();
    let times = surprises.first()?.times();
    let alike = surprises
        .iter()
        .filter(|surprise| surprise.times() == times);
    let dates: Vec<String> = alike.map(|surprise| surprise.date.to_string()).collect();
    let message = format!(
        "{what} at {times} on {}, when the clock in {zone} changes",
        dates.join(" and ")
    );
    Some(subject.found("spec.schedule", message))
}

/// Whether a run is really missing or repeated. A schedule that keeps its interval across the change,
/// such as */15 0-5 * * *, only shows other local times.
fn is_harmful(timetable: &Timetable, surprise: &Surprise) -> bool {
    let change = &surprise.change;
    let shift = (change.after - change.before).abs();
    let utc = |local: &jiff::civil::DateTime, offset: i64| {
        let zoned = local.to_zoned(jiff::tz::TimeZone::UTC).ok()?;
        Timestamp::from_second(zoned.timestamp().as_second() - offset).ok()
    };
    let goes_on = |local: &jiff::civil::DateTime| {
        let moment = match surprise.kind {
            // With the old offset the run would be now; with the new one it is an hour later.
            SurpriseKind::Lost => utc(local, change.before),
            SurpriseKind::Doubled => utc(local, change.after - shift),
            SurpriseKind::Additional => None,
        };
        moment.is_some_and(|moment| timetable.is_scheduled(moment))
    };
    !surprise.local_times.iter().all(goes_on)
}

/// A year, which includes every change of the clock once.
const ONE_YEAR: i64 = 366 * 86_400;

pub(super) fn schedule_search_hangs(subject: &LintSubject<'_>) -> Option<Violation> {
    let last = last_run(subject)?;
    let message = format!(
        "the run scheduled at {last} is the last one: the search for the next run gets stuck"
    );
    Some(subject.found("spec.schedule", message))
}

/// The run after which the search gets stuck, in local time.
fn last_run(subject: &LintSubject<'_>) -> Option<String> {
    let timetable = subject.timetable()?;
    let now = subject.context.now;
    let until = Timestamp::from_second(now.as_second().saturating_add(ONE_YEAR)).ok()?;
    // The search gets stuck only at clock changes.
    let zone = timetable.zone()?;
    if zone.changes(now, until).is_empty() {
        return None;
    }
    let last = timetable.stands_still(now, until)?;
    let local = last.to_zoned(zone.time_zone().clone());
    Some(format!(
        "{} {}",
        local.strftime("%a %Y-%m-%d %H:%M"),
        zone.name()
    ))
}
