//! What remains of finished runs.

use crate::lint::{LintSubject, POD, Violation};
use cronjob_controller::controller::Success;
use cronjob_text::duration::{every, in_units};

const FAILED_LIMIT: &str = "spec.failedJobsHistoryLimit";

pub(super) fn history_limit_hides_failures(subject: &LintSubject<'_>) -> Option<Violation> {
    let message = "a failed Job is deleted immediately, together with its logs";
    let is_zero = subject.whole_number(FAILED_LIMIT) == Some(0);
    is_zero.then(|| subject.found(FAILED_LIMIT, message))
}

const SUCCESSFUL_LIMIT: &str = "spec.successfulJobsHistoryLimit";

pub(super) fn history_limit_hides_successes(subject: &LintSubject<'_>) -> Option<Violation> {
    if subject.whole_number(SUCCESSFUL_LIMIT) != Some(0) {
        return None;
    }
    let message = if subject.behavior().success == Success::Never {
        "a successful Job is deleted immediately, and nothing records that it ran"
    } else {
        "a successful Job is deleted immediately, and only status.lastSuccessfulTime records it"
    };
    Some(subject.found(SUCCESSFUL_LIMIT, message))
}

const LIMITS: [&str; 2] = [SUCCESSFUL_LIMIT, FAILED_LIMIT];

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

pub(super) fn ttl_hides_failures(subject: &LintSubject<'_>) -> Option<Violation> {
    let when = match gone(subject)? {
        0 => "finished Jobs are deleted immediately".to_owned(),
        ttl => format!("Jobs are deleted {} after they finish", in_units(ttl)),
    };
    let message = format!("{when}, including failed ones and their logs");
    Some(subject.found(TTL, message))
}

/// The time after which a Job is deleted, if that is likely to hide a failure. If the next run comes
/// before that, there is always a recent Job.
fn gone(subject: &LintSubject<'_>) -> Option<i64> {
    let ttl = subject.whole_number(TTL)?;
    let short = (0..NIGHT).contains(&ttl) && ttl < subject.period()?.shortest;
    short.then_some(ttl)
}

pub(super) fn ttl_before_history_limit(subject: &LintSubject<'_>) -> Option<Violation> {
    let ttl = subject.whole_number(TTL).filter(|ttl| *ttl >= 0)?;
    // Another, more severe rule reports this.
    if gone(subject).is_some() {
        return None;
    }
    let period = subject.period()?;
    let mut unreached = LIMITS.into_iter().filter_map(|path| {
        let limit = subject.whole_number(path)?;
        // The most Jobs that finish within that time.
        let within = ttl / period.shortest + 1;
        (limit > within).then(|| {
            let message = format!(
                "never keeps {limit}: Jobs are deleted {} after they finish, and one finishes {}",
                in_units(ttl),
                every(period.shortest)
            );
            subject.found(path, message)
        })
    });
    unreached.next()
}

pub(super) fn on_failure_loses_logs(subject: &LintSubject<'_>) -> Option<Violation> {
    let policy = format!("{POD}.restartPolicy");
    if subject.str(&policy) != Some("OnFailure") {
        return None;
    }
    let limit = subject.whole_number("spec.jobTemplate.spec.backoffLimit");
    // Another rule reports this.
    if matches!(limit, Some(0 | 1)) {
        return None;
    }
    let message = format!(
        "when the run fails (backoffLimit: {}), its pod and logs are deleted",
        limit.unwrap_or(6)
    );
    Some(subject.found(&policy, message))
}
