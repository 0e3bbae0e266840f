use crate::duration::exact;
use crate::lint::{Found, Subject};

pub(super) const TTL: &str = "spec.jobTemplate.spec.ttlSecondsAfterFinished";

/// A night.
const NIGHT: i64 = 8 * 3_600;

pub(super) fn check(subject: &Subject<'_>) -> Vec<Found> {
    match gone(subject) {
        Some(0) => vec![subject.found(
            TTL,
            "a finished Job is deleted at once, a failed one and its logs too",
        )],
        Some(ttl) => {
            let message = format!(
                "Jobs are deleted {} after their end, failed ones and their logs too",
                exact(ttl)
            );
            vec![subject.found(TTL, message)]
        }
        None => Vec::new(),
    }
}

/// The time after which a Job is gone, where nobody will have looked by then. What runs again
/// before that leaves fresh traces.
pub(super) fn gone(subject: &Subject<'_>) -> Option<i64> {
    let ttl = subject.whole_number(TTL)?;
    let short = (0..NIGHT).contains(&ttl) && ttl < subject.period()?.shortest;
    short.then_some(ttl)
}

#[cfg(test)]
pub(super) mod tests {
    use crate::lint::testing::{found, spec};

    /// A `CronJob` with a time to live.
    pub(in crate::lint::rules) fn with_ttl(lines: &str, ttl: i64) -> String {
        spec(lines).replace(
            "    spec:\n      template",
            &format!("    spec:\n      ttlSecondsAfterFinished: {ttl}\n      template"),
        )
    }

    fn messages(schedule: &str, ttl: i64) -> Vec<String> {
        let text = with_ttl(&format!("schedule: '{schedule}'"), ttl);
        found("ttl-hides-failures", "1.36", &text)
    }

    #[test]
    fn gone_before_the_morning_and_before_the_next_run() {
        assert_eq!(
            messages("0 2 * * *", 3600),
            ["10:32 Jobs are deleted 1h after their end, failed ones and their logs too"]
        );
        assert_eq!(
            messages("0 2 * * *", 0),
            ["10:32 a finished Job is deleted at once, a failed one and its logs too"]
        );
        assert!(messages("0 2 * * *", 28_800).is_empty());
        assert!(messages("*/5 * * * *", 600).is_empty());
        assert_eq!(messages("*/5 * * * *", 100).len(), 1);
    }
}
