//! The next run as kube-state-metrics computes it.

use jiff::{SignedDuration, Timestamp};

use crate::lint::{LintSubject, Violation};
use cronjob_text::duration::{later, local_time};
use kube_cron::{Dialect, Schedule, Timetable};

/// How many of the next runs are compared.
const COMPARED: usize = 50;

/// How far ahead clock changes are compared.
const AHEAD: SignedDuration = SignedDuration::from_hours(400 * 24);

pub(super) fn next_run_metric_differs(subject: &LintSubject<'_>) -> Vec<Violation> {
    let Some(timetable) = subject.timetable() else {
        return Vec::new();
    };
    let path = "spec.schedule";
    let text = subject.str(path).unwrap_or_default();
    let zone = subject.str("spec.timeZone");
    let zone = zone.filter(|_| subject.behavior().time_zone_field);
    let zones = subject.context.zones;
    let other = match Schedule::parse_in(text, zone, Dialect::GoCron0_15, zones) {
        Ok(schedule) => schedule.in_zone(&subject.context.local),
        Err(error) => {
            let message = format!("kube-state-metrics 2.19 and later report no next run: {error}");
            return vec![subject.found(path, message)];
        }
    };
    let difference = first_difference(&timetable, &other, subject.context.now);
    let Some((own, published)) = difference.zip(timetable.zone()).map(|(runs, zone)| {
        let shown = |run| local_time(run, zone.time_zone(), zone.name());
        (shown(runs.0), shown(runs.1))
    }) else {
        return Vec::new();
    };
    let message = format!(
        "kube-state-metrics 2.19 and later report {published} as a next run, and the controller starts it {own}"
    );
    vec![subject.found(path, message)]
}

/// The first runs that are not the same, if there are some soon or at a clock change.
fn first_difference(
    own: &Timetable,
    other: &Timetable,
    now: Timestamp,
) -> Option<(Timestamp, Timestamp)> {
    let zone = own.zone()?;
    let gaps = zone.changes(now, later(now, AHEAD)).into_iter();
    let gaps = gaps.filter(|change| change.after > change.before);
    let around = gaps.map(|change| later(change.at, SignedDuration::from_hours(-3)));
    std::iter::once(now).chain(around).find_map(|from| {
        let runs = own.after(from).zip(other.after(from)).take(COMPARED);
        let mut runs = runs.map_while(|(own, other)| own.ok().zip(other.ok()));
        runs.find(|(own, other)| own != other)
    })
}
