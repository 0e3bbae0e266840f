use crate::controller::{LIMIT, TooMany};
use crate::diagnose::sensible_deadline;
use crate::duration::exact;
use crate::lint::{Found, Subject};

/// Sooner than the shortest night.
const SOON: i64 = 4 * 3_600;

pub(super) fn check(subject: &Subject<'_>) -> Vec<Found> {
    let refuses = subject.behaviour().too_many == TooMany::Refuses;
    if refuses || subject.get("spec.startingDeadlineSeconds").is_some() {
        return Vec::new();
    }
    let Some(period) = subject.period() else {
        return Vec::new();
    };
    let until = LIMIT.saturating_mul(period.shortest);
    if until > SOON {
        return Vec::new();
    }
    let message = format!(
        "after {} without a start the controller warns of too many missed, and still starts one",
        exact(until)
    );
    let help = format!(
        "Set startingDeadlineSeconds: {}; the next run is never far.",
        sensible_deadline(period.shortest)
    );
    vec![subject.found("spec.schedule", message).help(help)]
}

#[cfg(test)]
mod tests {
    use crate::lint::testing::{found, spec};

    #[test]
    fn every_minute_or_two() {
        let text = spec("schedule: '* * * * *'");
        assert_eq!(
            found("no-deadline", "1.20-1.22", &text),
            [
                "7:13 after 1h40m without a start the controller warns of too many missed, and still \
              starts one (1.21 to 1.22)"
            ]
        );
        for sound in [
            "schedule: '*/5 * * * *'",
            "schedule: '* * * * *'\nstartingDeadlineSeconds: 60",
        ] {
            assert!(
                found("no-deadline", "1.36", &spec(sound)).is_empty(),
                "{sound}"
            );
        }
    }
}
