use crate::controller::Generation;
use crate::lint::{Found, Subject};

pub(super) fn check(subject: &Subject<'_>) -> Vec<Found> {
    let written = subject.str("spec.schedule").unwrap_or_default();
    let named_by_minute = subject.behaviour().generation == Generation::V2;
    if !written.contains("@every") || !named_by_minute {
        return Vec::new();
    }
    let Some(period) = subject.period().filter(|period| period.shortest < 60) else {
        return Vec::new();
    };
    let message = format!(
        "due every {} s, but of the slots of one minute only one gets a Job",
        period.shortest
    );
    vec![subject.found("spec.schedule", message)]
}

#[cfg(test)]
mod tests {
    use crate::lint::testing::{found, spec};

    #[test]
    fn names_have_minutes_since_1_21() {
        let text = spec("schedule: '@every 30s'");
        assert_eq!(
            found("sub-minute-every", "1.20-1.22", &text),
            [
                "7:13 due every 30 s, but of the slots of one minute only one gets a Job (1.21 to 1.22)"
            ]
        );
        assert!(found("sub-minute-every", "1.36", &spec("schedule: '@every 60s'")).is_empty());
    }
}
