//! What the changes of a zone's clock do to a `CronJob`, as far as it hurts.

use jiff::Timestamp;

use crate::lint::{Found, Subject};
use crate::schedule::{Surprise, SurpriseKind, Timetable};

/// Two years have each change twice.
const HORIZON: i64 = 2 * 366 * 86_400;

/// What hurts of a kind; the message is made of the local times and the dates.
pub(super) fn find(
    subject: &Subject<'_>,
    kind: SurpriseKind,
    message: impl Fn(&str) -> String,
) -> Option<Found> {
    let timetable = subject.timetable()?;
    let zone = timetable.zone()?.name().to_owned();
    let now = subject.context.now;
    let until = Timestamp::from_second(now.as_second().saturating_add(HORIZON)).ok()?;
    let surprises: Vec<Surprise> = timetable
        .surprises(now, until)
        .into_iter()
        .filter(|surprise| surprise.kind == kind && hurts(&timetable, surprise))
        .collect();
    let times = surprises.first()?.times();
    let alike = surprises
        .iter()
        .filter(|surprise| surprise.times() == times);
    let dates: Vec<String> = alike.map(|surprise| surprise.date.to_string()).collect();
    let what = message(&times);
    let message = format!(
        "{what} on {}, when the clock of {zone} is changed",
        dates.join(" and ")
    );
    Some(subject.found("spec.schedule", message))
}

/// Whether a run is really missing, or one too many. A schedule that goes on at its pace through
/// the change, such as */15 0-5 * * *, only has other numbers on the clock.
fn hurts(timetable: &Timetable, surprise: &Surprise) -> bool {
    let change = &surprise.change;
    let shift = (change.after - change.before).abs();
    let utc = |local: &jiff::civil::DateTime, offset: i64| {
        let zoned = local.to_zoned(jiff::tz::TimeZone::UTC).ok()?;
        Timestamp::from_second(zoned.timestamp().as_second() - offset).ok()
    };
    let goes_on = |local: &jiff::civil::DateTime| {
        let moment = match surprise.kind {
            // By the old clock it would have been now; by the new one it is an hour later.
            SurpriseKind::Lost => utc(local, change.before),
            SurpriseKind::Doubled => utc(local, change.after - shift),
            SurpriseKind::Additional => None,
        };
        moment.is_some_and(|moment| timetable.is_slot(moment))
    };
    !surprise.local_times.iter().all(goes_on)
}
