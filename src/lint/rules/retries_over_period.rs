use super::limits::ACTIVE_DEADLINE;
use crate::duration::exact;
use crate::lint::{Found, POD, Subject};

const BACKOFF: &str = "spec.jobTemplate.spec.backoffLimit";

/// The pauses of six retries.
const RETRIES: i64 = 10 + 20 + 40 + 80 + 160 + 320;

pub(super) fn check(subject: &Subject<'_>) -> Vec<Found> {
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
