use crate::controller::{LIMIT, TooMany};
use crate::diagnose::sensible_deadline;
use crate::duration::exact;
use crate::lint::rule::example;
use crate::lint::{Check, Found, Rule, Severity, Subject};

pub(super) const RULE: Rule = Rule {
    code: "CJD404",
    name: "no-deadline-stops",
    severity: Severity::Warning,
    title: "without a deadline it can stop for ever",
    reason: "Up to Kubernetes 1.20 the controller gives up once more than 100 starts were missed \
             since the last one: while it was down, while the CronJob was suspended, or while \
             Forbid held runs back. The count only grows, so it never recovers by itself. Only the \
             starts within startingDeadlineSeconds count.",
    remedy: "Set startingDeadlineSeconds.",
    example: example!("no-deadline-stops"),
    check: Check::Each(check),
};

/// Nobody notices a weekend.
const SOON: i64 = 3 * 86_400;

fn check(subject: &Subject<'_>) -> Vec<Found> {
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
