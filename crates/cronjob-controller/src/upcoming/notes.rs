//! What is unusual about a run.

use cronjob_text::text::Text;
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::Offset;
use kube_cron::{Surprise, SurpriseKind, Timetable, Zone};

use super::UpcomingRun;

/// A longer distance to a run deserves a note.
const FAR: i64 = 366 * 86_400;

pub(super) fn annotate(
    timetable: &Timetable,
    zone: &Zone,
    after: Timestamp,
    moments: &[Timestamp],
) -> Vec<UpcomingRun> {
    let surprises = moments
        .last()
        .map_or(Vec::new(), |last| timetable.surprises(after, *last));
    let mut previous = after;
    let mut runs = Vec::with_capacity(moments.len());
    for at in moments {
        let mut notes = Vec::new();
        if let Some(zone) = timetable.zone() {
            for surprise in &surprises {
                notes.extend(note(surprise, zone, previous, *at).map(Text::from));
            }
        }
        if at.as_second() - previous.as_second() > FAR {
            let from = if runs.is_empty() {
                "from now"
            } else {
                "after the previous run"
            };
            notes.push(text!("more than a year {}", from));
        }
        runs.push(UpcomingRun {
            scheduled_time: *at,
            local_time: at.to_zoned(zone.time_zone().clone()),
            notes,
        });
        previous = *at;
    }
    runs
}

/// The effect of a clock change on the run at `at`, the one before it being at `previous`.
fn note(surprise: &Surprise, zone: &Zone, previous: Timestamp, at: Timestamp) -> Option<String> {
    let local = local_time(zone, at);
    match surprise.kind {
        SurpriseKind::Lost => {
            let lost = surprise.local_times.first()?;
            let between = local_time(zone, previous) < *lost && *lost < local;
            between.then(|| match surprise.count {
                1 => format!(
                    "the run before it, at {}, is skipped (clocks go forward)",
                    shown(*lost)
                ),
                count => format!(
                    "{count} runs before it, from {} on, are skipped (clocks go forward)",
                    shown(*lost)
                ),
            })
        }
        SurpriseKind::Doubled => is_doubled(surprise, local).then(|| {
            let which = if at >= surprise.change.at {
                "second"
            } else {
                "first"
            };
            format!(
                "{which} of two runs: {} occurs twice (clocks go back)",
                local.time().strftime("%H:%M")
            )
        }),
        SurpriseKind::Additional => surprise.local_times.contains(&local).then(|| {
            "not in the schedule: the search returns it because of the clock change".to_owned()
        }),
    }
}

/// Not all repeated times are listed if there are many; the others are in the same repeated hour.
fn is_doubled(surprise: &Surprise, local: DateTime) -> bool {
    let listed = &surprise.local_times;
    let more = surprise.count > listed.len();
    let change = &surprise.change;
    let turned = Offset::from_seconds(i32::try_from(change.before).unwrap_or(0))
        .map(|before| before.to_datetime(change.at));
    let in_the_hour =
        || listed.last().is_some_and(|last| *last < local) && turned.is_ok_and(|end| local < end);
    listed.contains(&local) || (more && in_the_hour())
}

fn local_time(zone: &Zone, at: Timestamp) -> DateTime {
    at.to_zoned(zone.time_zone().clone()).datetime()
}

fn shown(local: DateTime) -> String {
    local.strftime("%Y-%m-%d %H:%M").to_string()
}
