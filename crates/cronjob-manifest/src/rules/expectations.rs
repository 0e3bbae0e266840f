//! Rules about what is usual or expected of runs.

use super::rules;
use cronjob_text::duration::parse;
use cronjob_text::printable::one_line;
use cronjob_text::spelling::nearest;

/// The annotation that states how long a run may take.
pub const MAX_DURATION: &str = "cronjob-doctor/max-duration";

/// The annotation that states how old the last success may be.
pub const SUCCESS_WITHIN: &str = "cronjob-doctor/success-within";

/// The annotation that states what to do when something is wrong.
pub const RUNBOOK: &str = "cronjob-doctor/runbook";

const EXPECTATIONS: [&str; 3] = [MAX_DURATION, RUNBOOK, SUCCESS_WITHIN];

const PREFIX: &str = "cronjob-doctor/";

/// Longer durations are mistakes, and could not be added to a time.
const LONGEST: i64 = 100 * 365 * 86_400;

/// What to do about an annotation that cannot be read.
pub const INVALID_EXPECTATION_REMEDY: &str = "Set cronjob-doctor/max-duration and \
    cronjob-doctor/success-within to a duration such as 90s, 30m, 26h or 1d12h, and \
    cronjob-doctor/runbook to a URL or a text.";

rules! {
    rule INVALID_EXPECTATION: "invalid-expectation",
    title: "Expectation in an annotation cannot be read",
    reason: "The annotations cronjob-doctor/max-duration, cronjob-doctor/success-within and \
             cronjob-doctor/runbook state what is expected of a CronJob. One with an invalid \
             value or a misspelled name is ignored.",
    finding: Warning "metadata.annotations" { is_future: true },
    lint: "CJD509" Warning by Check,
    remedy: INVALID_EXPECTATION_REMEDY,

    rule MAX_DURATION_EXCEEDED: "max-duration-exceeded",
    title: "Run takes longer than its max-duration",
    reason: "The annotation cronjob-doctor/max-duration states how long a run may take, from \
             status.startTime of its Job. The severity is warning if the run has finished.",
    finding: Error "metadata.annotations[cronjob-doctor/max-duration]",

    rule SUCCESS_OVERDUE: "success-overdue",
    title: "Success is overdue",
    reason: "The annotation cronjob-doctor/success-within states how old the last success may be. \
             If there was none, the creation of the CronJob counts, since Kubernetes 1.22. While the \
             CronJob is suspended, this is not checked.",
    finding: Error "metadata.annotations[cronjob-doctor/success-within]",

    rule RUNNING_LONGER_THAN_USUAL: "running-longer-than-usual",
    title: "Job runs longer than usual",
    reason: "This run has taken more than twice the 95th percentile of the successful runs whose \
             Jobs still exist or that were recorded, and at least a minute more. With three or \
             four of them, it has taken more than four times the longest; with fewer, nothing is \
             reported. The annotation cronjob-doctor/max-duration replaces this rule.",
    finding: Warning,

    rule FINISHED_SUSPICIOUSLY_FAST: "finished-suspiciously-fast",
    title: "Last run succeeded much faster than usual",
    reason: "A Job that finds no input, or whose script ends early, succeeds without having done \
             its work. This one took less than a tenth of the median of the successful runs whose \
             Jobs still exist or that were recorded, if that is at least a minute. With three or \
             four of them, it took less than a twentieth; with fewer, nothing is reported.",
    finding: Warning,
}

/// The seconds of an annotation that states a duration, if it is valid.
pub fn expected_duration(text: &str) -> Option<i64> {
    parse(text.trim()).filter(|seconds| (1..=LONGEST).contains(seconds))
}

/// What is wrong with an annotation that states an expectation; `None` if it is valid, or another annotation.
pub fn invalid_expectation(name: &str, value: &str) -> Option<String> {
    if [MAX_DURATION, SUCCESS_WITHIN].contains(&name) {
        let invalid = expected_duration(value).is_none();
        return invalid
            .then(|| format!("\"{}\" is not a duration of at least 1s", one_line(value)));
    }
    if name == RUNBOOK {
        let is_empty = value.trim().is_empty();
        return is_empty.then(|| "the value is empty".to_owned());
    }
    let rest = name.strip_prefix(PREFIX)?;
    let known = EXPECTATIONS.into_iter();
    let meant = nearest(rest, known.filter_map(|known| known.strip_prefix(PREFIX)))?;
    Some(format!("unknown annotation; did you mean {PREFIX}{meant}?"))
}
