use super::limits::ACTIVE_DEADLINE;
use crate::duration::exact;
use crate::lint::rule::example;
use crate::lint::{Check, Found, POD, Rule, Severity, Subject};

const BACKOFF: &str = "spec.jobTemplate.spec.backoffLimit";

pub(super) const RULE: Rule = Rule {
    code: "CJD508",
    name: "retries-over-period",
    severity: Severity::Info,
    title: "a run that fails is tried again beyond the next one",
    reason: "Without backoffLimit a Job that fails is tried six times more, after 10, 20, 40, 80, \
             160 and 320 seconds: ten and a half minutes of waiting alone. On a shorter schedule \
             the next run is due before that, and each of them fails in the same way.",
    remedy: "Set backoffLimit in the Job template to 0 or 1: the next run is the retry.",
    example: example!("retries-over-period"),
    check: Check::Each(check),
};

/// The pauses of six retries.
const RETRIES: i64 = 10 + 20 + 40 + 80 + 160 + 320;

fn check(subject: &Subject<'_>) -> Vec<Found> {
    let policy = subject.str("spec.concurrencyPolicy");
    // A run that is replaced is not tried again.
    let is_whole = subject.get(POD).is_some();
    if !is_whole || subject.get(BACKOFF).is_some() || policy == Some("Replace") {
        return Vec::new();
    }
    let limit = subject.whole_number(ACTIVE_DEADLINE);
    let tried_for = limit.map_or(RETRIES, |limit| limit.min(RETRIES));
    let Some(period) = subject
        .period()
        .filter(|period| period.shortest < tried_for)
    else {
        return Vec::new();
    };
    let message = format!(
        "without backoffLimit a run that fails is tried again for {}, and the next is due after {}",
        exact(tried_for),
        exact(period.shortest)
    );
    vec![subject.found(BACKOFF, message)]
}

#[cfg(test)]
mod tests {
    use crate::lint::testing::{found, spec};

    #[test]
    fn longer_than_the_period() {
        let text = spec("schedule: '*/5 * * * *'");
        let messages = |text: &str| found("retries-over-period", "1.36", text);
        assert_eq!(
            messages(&text),
            [
                "9:5 without backoffLimit a run that fails is tried again for 10m30s, and the next is \
              due after 5m"
            ]
        );
        let with = |line: &str| {
            let lines = format!("    spec:\n      {line}\n      template");
            text.replace("    spec:\n      template", &lines)
        };
        assert!(messages(&with("backoffLimit: 6")).is_empty());
        assert!(messages(&with("activeDeadlineSeconds: 240")).is_empty());
        assert!(messages(&text.replace("*/5", "*/15")).is_empty());
    }
}
