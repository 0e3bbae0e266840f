use jiff::Timestamp;

use crate::lint::{Found, Subject};

/// As far ahead as a year, which has every change of the clock once.
const HORIZON: i64 = 366 * 86_400;

pub(super) fn check(subject: &Subject<'_>) -> Vec<Found> {
    last(subject)
        .map(|last| {
            let message =
                format!("the slot {last} is the last one: the search does not get past it");
            subject.found("spec.schedule", message)
        })
        .into_iter()
        .collect()
}

fn last(subject: &Subject<'_>) -> Option<Timestamp> {
    let timetable = subject.timetable()?;
    let now = subject.context.now;
    let until = Timestamp::from_second(now.as_second().saturating_add(HORIZON)).ok()?;
    // Where the clock is never changed there is nothing to stumble over.
    if timetable.zone()?.changes(now, until).is_empty() {
        return None;
    }
    timetable.stands_still(now, until)
}

#[cfg(test)]
mod tests {
    use crate::lint::testing::{found, spec};

    #[test]
    fn only_at_odd_changes() {
        let in_zone = |schedule: &str, zone: &str| {
            let text = spec(&format!("schedule: {schedule}\ntimeZone: {zone}"));
            found("search-stands-still", "1.36", &text)
        };
        // Summer time ends on 3 April 2027 at 14:00 UTC, when the islands have 03:45.
        assert_eq!(
            in_zone("53 3 * * *", "Pacific/Chatham"),
            ["7:13 the slot 2027-04-03T14:08:00Z is the last one: the search does not get past it"]
        );
        assert!(in_zone("53 4 * * *", "Pacific/Chatham").is_empty());
        assert!(in_zone("30 2 * * *", "Europe/Berlin").is_empty());
        assert!(in_zone("53 3 * * *", "Etc/UTC").is_empty());
    }
}
