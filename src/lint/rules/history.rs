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
    #[test]
    fn what_is_deleted_too_early_is_reported() {
        crate::lint::testing::check(
            r"
[history-limit-hides-failures] schedule: 0 6 * * *
failedJobsHistoryLimit: 0
  8:27 a failed Job is deleted immediately, together with its logs
failedJobsHistoryLimit: 1
failedJobsHistoryLimit: null

[history-limit-hides-successes] schedule: 0 6 * * *
successfulJobsHistoryLimit: 0
  8:31 a successful Job is deleted immediately, and only status.lastSuccessfulTime records it
@1.20 successfulJobsHistoryLimit: 0
  8:31 a successful Job is deleted immediately, and nothing records that it ran

[history-limit-high] schedule: 0 6 * * *
successfulJobsHistoryLimit: 100 | failedJobsHistoryLimit: 51
  8:31 keeps 100 finished Jobs and their pods
  9:27 keeps 51 finished Jobs and their pods
successfulJobsHistoryLimit: 50

[ttl-hides-failures]
# Gone before the morning, or before the next run.
schedule: '0 2 * * *' | job.ttlSecondsAfterFinished: 3600
  10:32 Jobs are deleted 60m after they finish, including failed ones and their logs
schedule: '0 2 * * *' | job.ttlSecondsAfterFinished: 0
  10:32 finished Jobs are deleted immediately, including failed ones and their logs
schedule: '0 2 * * *' | job.ttlSecondsAfterFinished: 28800
schedule: '*/5 * * * *' | job.ttlSecondsAfterFinished: 600
schedule: '*/5 * * * *' | job.ttlSecondsAfterFinished: 100
  10:32 Jobs are deleted 100s after they finish, including failed ones and their logs

[ttl-before-history-limit] schedule: 0 2 * * *
successfulJobsHistoryLimit: 7 | job.ttlSecondsAfterFinished: 86400
  8:31 never keeps 7: Jobs are deleted 24h after they finish, and one finishes every 24h
# The failed ones are reported where the successful ones are fine.
successfulJobsHistoryLimit: 2 | failedJobsHistoryLimit: 3 | job.ttlSecondsAfterFinished: 86400
  9:27 never keeps 3: Jobs are deleted 24h after they finish, and one finishes every 24h
successfulJobsHistoryLimit: 7 | job.ttlSecondsAfterFinished: 604800
suspend: false | job.ttlSecondsAfterFinished: 86400
# Another rule reports it.
successfulJobsHistoryLimit: 7 | job.ttlSecondsAfterFinished: 60

[on-failure-loses-logs] schedule: 0 6 * * *
.
Never => OnFailure
  12:26 when the run fails (backoffLimit: 6), its pod and logs are deleted
",
        );
    }
}
