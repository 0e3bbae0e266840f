use crate::controller::{LIMIT, TooMany};
use crate::diagnose::sensible_deadline;
use crate::duration::exact;
use crate::lint::rule::example;
use crate::lint::{Check, Found, Rule, Severity, Subject};

pub(super) const RULE: Rule = Rule {
    code: "CJD405",
    name: "no-deadline",
    severity: Severity::Info,
    title: "no deadline on a very frequent schedule",
    reason: "Since Kubernetes 1.21 nothing is lost without a deadline: however many starts were \
             missed, the last of them is made up for. But beyond 100 of them the controller \
             records the warning TooManyMissedTimes, which sounds as if it had stopped, and whose \
             advice is to set startingDeadlineSeconds. A run each minute gets there in less than \
             two hours.",
    remedy: "Set startingDeadlineSeconds: 60; the next run is never far.",
    example: example!("no-deadline"),
    check: Check::Each(check),
};

/// Sooner than the shortest night.
const SOON: i64 = 4 * 3_600;

fn check(subject: &Subject<'_>) -> Vec<Found> {
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
