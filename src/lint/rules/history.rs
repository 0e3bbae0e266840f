//! What remains of finished runs.

use crate::controller::Success;
use crate::duration::exact;
use crate::lint::{LintSubject, POD, Violation};

const FAILED_LIMIT: &str = "spec.failedJobsHistoryLimit";

pub(super) fn history_limit_hides_failures(subject: &LintSubject<'_>) -> Vec<Violation> {
    if subject.whole_number(FAILED_LIMIT) != Some(0) {
        return Vec::new();
    }
    vec![subject.found(
        FAILED_LIMIT,
        "a failed Job is deleted immediately, together with its logs",
    )]
}

const SUCCESSFUL_LIMIT: &str = "spec.successfulJobsHistoryLimit";

pub(super) fn history_limit_hides_successes(subject: &LintSubject<'_>) -> Vec<Violation> {
    if subject.whole_number(SUCCESSFUL_LIMIT) != Some(0) {
        return Vec::new();
    }
    let message = if subject.behavior().success == Success::Never {
        "a successful Job is deleted immediately, and nothing records that it ran"
    } else {
        "a successful Job is deleted immediately, and only status.lastSuccessfulTime records it"
    };
    vec![subject.found(SUCCESSFUL_LIMIT, message)]
}

const LIMITS: [&str; 2] = [
    "spec.successfulJobsHistoryLimit",
    "spec.failedJobsHistoryLimit",
];

/// More than a month of nightly runs.
const MANY: i64 = 50;

pub(super) fn history_limit_high(subject: &LintSubject<'_>) -> Vec<Violation> {
    let high = LIMITS.into_iter().filter_map(|path| {
        let limit = subject.whole_number(path).filter(|limit| *limit > MANY)?;
        Some(subject.found(path, format!("keeps {limit} finished Jobs and their pods")))
    });
    high.collect()
}

const TTL: &str = "spec.jobTemplate.spec.ttlSecondsAfterFinished";

/// Failures of a night should still be visible in the morning.
const NIGHT: i64 = 8 * 3_600;

pub(super) fn ttl_hides_failures(subject: &LintSubject<'_>) -> Vec<Violation> {
    match gone(subject) {
        Some(0) => vec![subject.found(
            TTL,
            "finished Jobs are deleted immediately, including failed ones and their logs",
        )],
        Some(ttl) => {
            let message = format!(
                "Jobs are deleted {} after they finish, including failed ones and their logs",
                exact(ttl)
            );
            vec![subject.found(TTL, message)]
        }
        None => Vec::new(),
    }
}

/// The time after which a Job is deleted, if that is likely to hide a failure. If the next run comes
/// before that, there is always a recent Job.
fn gone(subject: &LintSubject<'_>) -> Option<i64> {
    let ttl = subject.whole_number(TTL)?;
    let short = (0..NIGHT).contains(&ttl) && ttl < subject.period()?.shortest;
    short.then_some(ttl)
}

pub(super) fn ttl_before_history_limit(subject: &LintSubject<'_>) -> Vec<Violation> {
    let Some(ttl) = subject.whole_number(TTL).filter(|ttl| *ttl >= 0) else {
        return Vec::new();
    };
    // Another, more severe rule reports this.
    if gone(subject).is_some() {
        return Vec::new();
    }
    let Some(period) = subject.period() else {
        return Vec::new();
    };
    let mut unreached = LIMITS.into_iter().filter_map(|path| {
        let limit = subject.whole_number(path)?;
        // The most Jobs that finish within that time.
        let within = ttl / period.shortest + 1;
        (limit > within).then(|| {
            let message = format!(
                "never keeps {limit}: Jobs are deleted {} after they finish, and one finishes every {}",
                exact(ttl),
                exact(period.shortest)
            );
            subject.found(path, message)
        })
    });
    unreached.next().into_iter().collect()
}

pub(super) fn on_failure_loses_logs(subject: &LintSubject<'_>) -> Vec<Violation> {
    let policy = format!("{POD}.restartPolicy");
    if subject.str(&policy) != Some("OnFailure") {
        return Vec::new();
    }
    let limit = subject.whole_number("spec.jobTemplate.spec.backoffLimit");
    let message = format!(
        "when the run fails (backoffLimit: {}), its pod and logs are deleted",
        limit.unwrap_or(6)
    );
    vec![subject.found(&policy, message)]
}

#[cfg(test)]
mod tests {
    use crate::lint::testing::{found, spec};

    #[test]
    fn history_limit_hides_failures_none_is_kept() {
        let messages = |limit: &str| {
            let text = spec(&format!(
                "schedule: 0 6 * * *\nfailedJobsHistoryLimit: {limit}"
            ));
            found("history-limit-hides-failures", "1.36", &text)
        };
        assert_eq!(
            messages("0"),
            ["8:27 a failed Job is deleted immediately, together with its logs"]
        );
        assert!(messages("1").is_empty() && messages("null").is_empty());
    }

    #[test]
    fn history_limit_hides_successes_what_is_left_depends_on_the_release() {
        let text = spec("schedule: 0 6 * * *\nsuccessfulJobsHistoryLimit: 0");
        let messages = |release: &str| found("history-limit-hides-successes", release, &text);
        assert_eq!(
            messages("1.36"),
            [
                "8:31 a successful Job is deleted immediately, and only status.lastSuccessfulTime records it"
            ]
        );
        assert_eq!(
            messages("1.20"),
            ["8:31 a successful Job is deleted immediately, and nothing records that it ran"]
        );
    }

    #[test]
    fn history_limit_high_each_limit_by_itself() {
        let text = spec(
            "schedule: 0 6 * * *\nsuccessfulJobsHistoryLimit: 100\nfailedJobsHistoryLimit: 51",
        );
        assert_eq!(
            found("history-limit-high", "1.36", &text),
            [
                "8:31 keeps 100 finished Jobs and their pods",
                "9:27 keeps 51 finished Jobs and their pods"
            ]
        );
        let text = spec("schedule: 0 6 * * *\nsuccessfulJobsHistoryLimit: 50");
        assert!(found("history-limit-high", "1.36", &text).is_empty());
    }

    /// A `CronJob` with a time to live.
    fn with_ttl(lines: &str, ttl: i64) -> String {
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
    fn ttl_hides_failures_gone_before_the_morning_and_before_the_next_run() {
        assert_eq!(
            messages("0 2 * * *", 3600),
            ["10:32 Jobs are deleted 60m after they finish, including failed ones and their logs"]
        );
        assert_eq!(
            messages("0 2 * * *", 0),
            ["10:32 finished Jobs are deleted immediately, including failed ones and their logs"]
        );
        assert!(messages("0 2 * * *", 28_800).is_empty());
        assert!(messages("*/5 * * * *", 600).is_empty());
        assert_eq!(messages("*/5 * * * *", 100).len(), 1);
    }

    #[test]
    fn ttl_before_history_limit_only_limits_that_are_written() {
        let messages = |lines: &str, ttl: i64| {
            let text = with_ttl(&format!("schedule: 0 2 * * *\n{lines}"), ttl);
            found("ttl-before-history-limit", "1.36", &text)
        };
        assert_eq!(
            messages("successfulJobsHistoryLimit: 7", 86_400),
            [
                "8:31 never keeps 7: Jobs are deleted 24h after they finish, and one finishes every 24h"
            ]
        );
        // The failed ones are told where the successful ones are fine.
        assert_eq!(
            messages(
                "successfulJobsHistoryLimit: 2\nfailedJobsHistoryLimit: 3",
                86_400
            ),
            [
                "9:27 never keeps 3: Jobs are deleted 24h after they finish, and one finishes every 24h"
            ]
        );
        assert!(messages("successfulJobsHistoryLimit: 7", 7 * 86_400).is_empty());
        assert!(messages("suspend: false", 86_400).is_empty());
        assert!(
            messages("successfulJobsHistoryLimit: 7", 60).is_empty(),
            "another rule's"
        );
    }

    #[test]
    fn on_failure_loses_logs_only_on_failure() {
        let text = spec("schedule: 0 6 * * *");
        assert!(found("on-failure-loses-logs", "1.36", &text).is_empty());
        let text = text.replace("Never", "OnFailure");
        assert_eq!(
            found("on-failure-loses-logs", "1.36", &text),
            ["12:26 when the run fails (backoffLimit: 6), its pod and logs are deleted"]
        );
    }
}
