use crate::duration::exact;
use crate::lint::rule::example;
use crate::lint::{Check, Found, Rule, Severity, Subject};

pub(super) const RULE: Rule = Rule {
    code: "CJD208",
    name: "every-follows-no-clock",
    severity: Severity::Info,
    title: "@every counts from the creation, and not from a time of day",
    reason: "The first run of @every 24h comes a day after the CronJob is created, whatever the \
             time, and each other one a day after the one before. Whoever deletes it and creates \
             it anew begins to count again, and no time zone has a say.",
    remedy: "Write the time of day that is meant, such as 0 2 * * *.",
    example: example!("every-follows-no-clock"),
    check: Check::Each(check),
};

/// Nobody minds at which minute of the hour something runs that runs so often.
const LONG: i64 = 6 * 3_600;

fn check(subject: &Subject<'_>) -> Vec<Found> {
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
