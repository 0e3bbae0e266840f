use crate::controller::{LIMIT, TooMany};
use crate::diagnose::sensible_deadline;
use crate::duration::exact;
use crate::lint::{Found, Subject};

/// Nobody notices a weekend.
const SOON: i64 = 3 * 86_400;

pub(super) fn check(subject: &Subject<'_>) -> Vec<Found> {
    let refuses = subject.behaviour().too_many == TooMany::Refuses;
    if !refuses || subject.get("spec.startingDeadlineSeconds").is_some() {
        return Vec::new();
    }
    let Some(period) = subject.period() else {
        return Vec::new();
    };
    let until = (LIMIT + 1).saturating_mul(period.typical);
    if until > SOON {
        return Vec::new();
    }
    let message = format!(
        "after {} without a start, Kubernetes {} never starts it again",
        exact(until),
        subject.context.release
    );
    let help = format!(
        "Set startingDeadlineSeconds, such as {}.",
        sensible_deadline(period.shortest)
    );
    vec![subject.found("spec.schedule", message).help(help)]
}

#[cfg(test)]
mod tests {
    use crate::lint::testing::{found, spec};

    #[test]
    fn only_where_the_controller_gives_up() {
        let text = spec("schedule: '*/10 * * * *'");
        assert_eq!(
            found("no-deadline-stops", "1.19-1.22", &text),
            [
                "7:13 after 16h50m without a start, Kubernetes 1.20 never starts it again (1.19 to \
              1.20)"
            ]
        );
        for sound in [
            "schedule: 0 * * * *",
            "schedule: '*/10 * * * *'\nstartingDeadlineSeconds: 300",
        ] {
            assert!(
                found("no-deadline-stops", "1.20", &spec(sound)).is_empty(),
                "{sound}"
            );
        }
    }
}
