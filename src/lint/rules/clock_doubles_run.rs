use super::turning;
use crate::lint::{Found, Subject};
use crate::schedule::SurpriseKind;

pub(super) fn check(subject: &Subject<'_>) -> Vec<Found> {
    let found = turning::find(subject, SurpriseKind::Doubled, |times| {
        format!("two runs at {times}")
    });
    found.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use crate::lint::testing::{found, spec};

    fn messages(schedule: &str, zone: &str) -> Vec<String> {
        let text = spec(&format!("schedule: '{schedule}'\ntimeZone: {zone}"));
        found("clock-doubles-run", "1.36", &text)
    }

    #[test]
    fn dates_of_two_years() {
        assert_eq!(
            messages("30 1 * * *", "America/New_York"),
            [
                "7:13 two runs at 01:30 on 2027-11-07 and 2028-11-05, when the clock of \
              America/New_York is changed"
            ]
        );
        assert_eq!(
            messages("0,30 2 * * *", "Europe/Berlin"),
            [
                "7:13 two runs at 02:00, 02:30 on 2027-10-31 and 2028-10-29, when the clock of \
              Europe/Berlin is changed"
            ]
        );
    }

    #[test]
    fn a_pace_that_goes_on_doubles_nothing() {
        for sound in ["*/15 * * * *", "*/15 0-5 * * *", "0 1-4 * * *", "0 3 * * *"] {
            assert!(messages(sound, "Europe/Berlin").is_empty(), "{sound}");
        }
        assert!(messages("30 2 * * *", "Etc/UTC").is_empty());
    }
}
