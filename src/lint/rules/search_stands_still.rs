use jiff::Timestamp;

use crate::lint::rule::example;
use crate::lint::{Check, Found, Rule, Severity, Subject};

pub(super) const RULE: Rule = Rule {
    code: "CJD303",
    name: "search-stands-still",
    severity: Severity::Error,
    title: "the search for the next slot does not get past one",
    reason: "Where a zone changes its clock by a step that is no whole number of hours, or at a \
             time that is none, the cron library can answer a question for the slot after one with \
             that very slot. The controller takes that for a schedule that never runs, and does \
             not come back to the CronJob.",
    remedy: "Choose an hour that the clock of the zone neither skips nor repeats, or set timeZone \
             to Etc/UTC.",
    example: example!("search-stands-still"),
    check: Check::Each(check),
};

/// As far ahead as a year, which has every change of the clock once.
const HORIZON: i64 = 366 * 86_400;

fn check(subject: &Subject<'_>) -> Vec<Found> {
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
