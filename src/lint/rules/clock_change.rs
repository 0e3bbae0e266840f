//! Runs at a clock change of a zone.

use jiff::Timestamp;

use crate::lint::{LintSubject, Violation};
use crate::schedule::{Surprise, SurpriseKind, Timetable};

pub(super) fn clock_change_skips_run(subject: &LintSubject<'_>) -> Vec<Violation> {
    let found = clock_change(subject, SurpriseKind::Lost, |times| {
        format!("no run at {times}")
    });
    found.into_iter().collect()
}

pub(super) fn clock_change_repeats_run(subject: &LintSubject<'_>) -> Vec<Violation> {
    let found = clock_change(subject, SurpriseKind::Doubled, |times| {
        format!("two runs at {times}")
    });
    found.into_iter().collect()
}

/// Two years include each change twice.
const TWO_YEARS: i64 = 2 * 366 * 86_400;

/// The harmful clock changes of a kind; the message consists of the local times and the dates.
fn clock_change(
    subject: &LintSubject<'_>,
    kind: SurpriseKind,
    message: impl Fn(&str) -> String,
) -> Option<Violation> {
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
    let what = message(&times);
    let message = format!(
        "{what} on {}, when the clock in {zone} changes",
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

pub(super) fn schedule_search_hangs(subject: &LintSubject<'_>) -> Vec<Violation> {
    last_run(subject)
        .map(|last| {
            let message = format!(
                "the run scheduled at {last} is the last one: the search for the next run gets stuck"
            );
            subject.found("spec.schedule", message)
        })
        .into_iter()
        .collect()
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

#[cfg(test)]
mod tests {
    #[test]
    fn runs_at_a_change_of_the_clock_are_reported() {
        crate::lint::testing::check(
            r"
[clock-change-skips-run]
schedule: '30 2 * * *' | timeZone: America/New_York
  7:13 no run at 02:30 on 2027-03-14 and 2028-03-12, when the clock in America/New_York changes
schedule: '0,30 2 * * 0' | timeZone: Europe/Berlin
  7:13 no run at 02:00, 02:30 on 2027-03-28 and 2028-03-26, when the clock in Europe/Berlin changes
# A Sunday in both years.
schedule: '30 2 * * 1-5' | timeZone: Europe/Berlin
# Runs that continue at their pace lose nothing.
schedule: '*/15 * * * *' | timeZone: Europe/Berlin
schedule: '*/15 0-5 * * *' | timeZone: Europe/Berlin
schedule: '0 1-4 * * *' | timeZone: Europe/Berlin
schedule: '0 3 * * *' | timeZone: Europe/Berlin
schedule: '@every 1h' | timeZone: Europe/Berlin
schedule: '30 2 * * *' | timeZone: Etc/UTC
# Clocks were changed there until 2015.
schedule: '30 2 * * *' | timeZone: Europe/Istanbul

[clock-change-repeats-run]
schedule: '30 1 * * *' | timeZone: America/New_York
  7:13 two runs at 01:30 on 2027-11-07 and 2028-11-05, when the clock in America/New_York changes
schedule: '0,30 2 * * *' | timeZone: Europe/Berlin
  7:13 two runs at 02:00, 02:30 on 2027-10-31 and 2028-10-29, when the clock in Europe/Berlin changes
# Runs that continue at their pace double nothing.
schedule: '*/15 * * * *' | timeZone: Europe/Berlin
schedule: '*/15 0-5 * * *' | timeZone: Europe/Berlin
schedule: '0 1-4 * * *' | timeZone: Europe/Berlin
schedule: '0 3 * * *' | timeZone: Europe/Berlin
schedule: '30 2 * * *' | timeZone: Etc/UTC

[schedule-search-hangs]
# Summer time ends on 3 April 2027 at 14:00 UTC, when the islands have 03:45.
schedule: 53 3 * * * | timeZone: Pacific/Chatham
  7:13 the run scheduled at Sun 2027-04-04 02:53 Pacific/Chatham is the last one: the search for the next run gets stuck
schedule: 53 4 * * * | timeZone: Pacific/Chatham
schedule: 30 2 * * * | timeZone: Europe/Berlin
schedule: 53 3 * * * | timeZone: Etc/UTC
",
        );
    }
}
