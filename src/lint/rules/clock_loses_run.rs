use super::turning;
use crate::lint::{Found, Subject};
use crate::schedule::SurpriseKind;

pub(super) fn check(subject: &Subject<'_>) -> Vec<Found> {
    let found = turning::find(subject, SurpriseKind::Lost, |times| {
        format!("no run at {times}")
    });
    found.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use crate::lint::testing::{found, spec};

    fn messages(schedule: &str, zone: &str) -> Vec<String> {
        let text = spec(&format!("schedule: '{schedule}'\ntimeZone: {zone}"));
        found("clock-loses-run", "1.36", &text)
    }

    #[test]
    fn dates_of_two_years() {
        assert_eq!(
            messages("30 2 * * *", "America/New_York"),
            [
                "7:13 no run at 02:30 on 2027-03-14 and 2028-03-12, when the clock of \
              America/New_York is changed"
            ]
        );
        assert_eq!(messages("0,30 2 * * 0", "Europe/Berlin").len(), 1);
        // A Sunday in both years.
        assert!(messages("30 2 * * 1-5", "Europe/Berlin").is_empty());
    }

    #[test]
    fn a_pace_that_goes_on_loses_nothing() {
        for sound in [
            "*/15 * * * *",
            "*/15 0-5 * * *",
            "0 1-4 * * *",
            "0 3 * * *",
            "@every 1h",
        ] {
            assert!(messages(sound, "Europe/Berlin").is_empty(), "{sound}");
        }
        assert!(messages("30 2 * * *", "Etc/UTC").is_empty());
        // Clocks were changed there until 2015.
        assert!(messages("30 2 * * *", "Europe/Istanbul").is_empty());
    }
}
