use crate::duration::exact;
use crate::lint::{Found, Subject};

/// Nobody minds at which minute of the hour something runs that runs so often.
const LONG: i64 = 6 * 3_600;

pub(super) fn check(subject: &Subject<'_>) -> Vec<Found> {
    let written = subject.str("spec.schedule").unwrap_or_default();
    let Some(period) = subject.period().filter(|_| written.contains("@every")) else {
        return Vec::new();
    };
    if period.shortest < LONG {
        return Vec::new();
    }
    let message = format!(
        "the first run comes {} after the CronJob is created, at whatever time that is",
        exact(period.shortest)
    );
    let found = subject.found("spec.schedule", message);
    vec![match subject.get("spec.timeZone") {
        Some(_) => found.note("timeZone changes nothing here."),
        None => found,
    }]
}

#[cfg(test)]
mod tests {
    use crate::lint::testing::{found, spec};

    #[test]
    fn long_periods_were_meant_as_times_of_day() {
        assert_eq!(
            found(
                "every-follows-no-clock",
                "1.36",
                &spec("schedule: '@every 24h'")
            ),
            ["7:13 the first run comes 1d after the CronJob is created, at whatever time that is"]
        );
        for sound in ["@every 90m", "@daily", "0 0 * * *"] {
            let text = spec(&format!("schedule: '{sound}'"));
            assert!(
                found("every-follows-no-clock", "1.36", &text).is_empty(),
                "{sound}"
            );
        }
    }
}
