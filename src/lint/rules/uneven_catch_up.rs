use crate::controller::{Arithmetic, Requeue};
use crate::duration::exact;
use crate::lint::{Found, Subject};
use crate::schedule::Period;

/// What pauses, and comes so often before that an hour or two are enough to miss two slots.
/// Schedules of days, such as those of weekdays, would need an outage of days.
pub(super) fn pauses(subject: &Subject<'_>) -> Option<Period> {
    const OFTEN: i64 = 3_600;
    let deadline = subject.whole_number("spec.startingDeadlineSeconds");
    let period = subject.period()?;
    let often = period.shortest <= OFTEN && period.has_pauses();
    // Within a deadline as short as this there is one slot at most, which is always found.
    let counts_two = deadline.is_none_or(|deadline| deadline > period.shortest);
    (often && counts_two).then_some(period)
}

pub(super) fn check(subject: &Subject<'_>) -> Vec<Found> {
    let behaviour = subject.behaviour();
    if behaviour.arithmetic != Arithmetic::Looked {
        return Vec::new();
    }
    let Some(period) = pauses(subject) else {
        return Vec::new();
    };
    let message = format!(
        "runs are {} to {} apart: those that are missed before the pause may not be made up for",
        exact(period.shortest),
        exact(period.longest)
    );
    let found = subject.found("spec.schedule", message);
    vec![if behaviour.requeue == Requeue::AfterMostRecent {
        found.note(format!(
            "Kubernetes {} then looks again and again without a pause, until the next start.",
            subject.context.release
        ))
    } else {
        found
    }]
}

#[cfg(test)]
mod tests {
    use crate::lint::testing::{found, spec};

    fn in_release(release: &str, lines: &str) -> Vec<String> {
        found("uneven-catch-up", release, &spec(lines))
    }

    #[test]
    fn pauses_at_night() {
        let message = "7:13 runs are 1h to 14h apart: those that are missed before the pause may \
                       not be made up for (1.28)";
        assert_eq!(in_release("1.26.3-1.28", "schedule: 0 8-18 * * *").len(), 1);
        assert_eq!(
            in_release("1.27.2-1.28", "schedule: 0 8-18 * * *"),
            [message]
        );
        assert_eq!(
            in_release(
                "1.36",
                "schedule: 0 8-18 * * *\nstartingDeadlineSeconds: 3601"
            )
            .len(),
            1
        );
    }

    #[test]
    fn what_is_always_made_up_for() {
        for sound in [
            "schedule: 0 8-18 * * *\nstartingDeadlineSeconds: 3600",
            "schedule: 0 9 * * 1-5",
            "schedule: '*/7 * * * *'",
            "schedule: 0 * * * *",
        ] {
            assert!(in_release("1.36", sound).is_empty(), "{sound}");
        }
    }
}
