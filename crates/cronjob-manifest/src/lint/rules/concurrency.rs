//! Runs that take long, overlap, are retried, or start no pods.

use crate::lint::{LintSubject, POD, Violation};
use cronjob_controller::controller::JobEnds;
use cronjob_text::duration::{every, in_units};
use kube_model::{DEFAULT_GRACE_PERIOD, other_controller};

const ACTIVE_DEADLINE: &str = "spec.jobTemplate.spec.activeDeadlineSeconds";

/// Whether the Job has no deadline. Unknown, and therefore false, for a manifest without pods, such as
/// a patch.
fn jobs_without_deadline(subject: &LintSubject<'_>) -> bool {
    subject.get(POD).is_some() && subject.get(ACTIVE_DEADLINE).is_none()
}

/// The deadline of the pods, which counts from the start of each pod on its node.
fn pod_deadline() -> String {
    format!("{POD}.activeDeadlineSeconds")
}

const POLICY: &str = "spec.concurrencyPolicy";

pub(super) fn forbid_without_active_deadline(subject: &LintSubject<'_>) -> Option<Violation> {
    if subject.str(POLICY) != Some("Forbid") || !jobs_without_deadline(subject) {
        return None;
    }
    let of_pod = pod_deadline();
    if subject.get(&of_pod).is_some() {
        let message = "only limits pods that have started: a run whose pod cannot be created or \
                       scheduled blocks all later ones indefinitely";
        return Some(subject.found(&of_pod, message));
    }
    let message =
        "without activeDeadlineSeconds, a run that hangs blocks all later ones indefinitely";
    let found = subject.found(POLICY, message);
    Some(if subject.get("spec.startingDeadlineSeconds").is_some() {
        found.note("startingDeadlineSeconds does not limit how long a run takes.")
    } else {
        found
    })
}

pub(super) fn active_deadline_over_period(subject: &LintSubject<'_>) -> Option<Violation> {
    let deadline = subject.whole_number(ACTIVE_DEADLINE)?;
    let policy = subject.str(POLICY);
    let is_blocked_by_pod =
        policy == Some("Forbid") && subject.behavior().job_ends == JobEnds::WithLastPod;
    let grace = if is_blocked_by_pod {
        let written = subject.whole_number(&format!("{POD}.terminationGracePeriodSeconds"));
        written.unwrap_or(DEFAULT_GRACE_PERIOD).max(0)
    } else {
        0
    };
    let period = subject.period();
    let period = period.filter(|period| deadline.saturating_add(grace) > period.shortest)?;
    let (deadline_shown, shortest) = (in_units(deadline), every(period.shortest));
    let message = match policy {
        Some("Forbid") if grace > 0 => format!(
            "a run that hangs for {deadline_shown} blocks the runs that are due {shortest}, and for up to \
             {} more, until its pod has ended",
            in_units(grace)
        ),
        Some("Forbid") => {
            format!("a run that hangs for {deadline_shown} blocks the runs that are due {shortest}")
        }
        Some("Replace") => format!(
            "has no effect: a run is replaced after {}, before {deadline_shown} have passed",
            in_units(period.shortest)
        ),
        _ => format!(
            "runs that hang for {deadline_shown} and are due {shortest}: up to {} at the same \
             time",
            deadline.div_euclid(period.shortest).saturating_add(1)
        ),
    };
    Some(subject.found(ACTIVE_DEADLINE, message))
}

/// About a hundred runs a day.
const FREQUENT: i64 = 900;

pub(super) fn runs_pile_up(subject: &LintSubject<'_>) -> Option<Violation> {
    let is_explicit = subject.get("spec.concurrencyPolicy").is_some();
    // A deadline of the pods ends those that hang.
    let pods_end = subject.get(&pod_deadline()).is_some();
    if is_explicit || pods_end || !jobs_without_deadline(subject) {
        return None;
    }
    let period = subject
        .period()
        .filter(|period| period.typical <= FREQUENT)?;
    let message = format!(
        "due {}, and nothing keeps hanging runs from piling up",
        every(period.typical)
    );
    Some(subject.found("spec.schedule", message))
}

const SHORT: i64 = 120;

pub(super) fn replace_short_period(subject: &LintSubject<'_>) -> Option<Violation> {
    if subject.str(POLICY) != Some("Replace") {
        return None;
    }
    let period = subject.period().filter(|period| period.shortest <= SHORT)?;
    let message = format!(
        "a run that has not finished after {}, including the start of its pod, is deleted",
        in_units(period.shortest)
    );
    Some(subject.found(POLICY, message))
}

const BACKOFF: &str = "spec.jobTemplate.spec.backoffLimit";

/// What the Job controller waits before the six retries of the default `backoffLimit`, in seconds.
const RETRIES: i64 = 10 + 20 + 40 + 80 + 160 + 320;

/// What the kubelet waits before six restarts: the first is immediate. With the sixth, the Job fails.
const RESTARTS: i64 = 10 + 20 + 40 + 80 + 160;

fn restarts_containers(subject: &LintSubject<'_>) -> bool {
    subject.str(&format!("{POD}.restartPolicy")) == Some("OnFailure")
}

pub(super) fn retries_over_period(subject: &LintSubject<'_>) -> Option<Violation> {
    let policy = subject.str("spec.concurrencyPolicy");
    // A replaced run is not retried.
    let is_whole = subject.get(POD).is_some();
    if !is_whole || subject.get(BACKOFF).is_some() || policy == Some("Replace") {
        return None;
    }
    let restarts = restarts_containers(subject);
    let waits = if restarts { RESTARTS } else { RETRIES };
    let limit = subject.whole_number(ACTIVE_DEADLINE);
    let retried_for = limit.map_or(waits, |limit| limit.min(waits));
    let period = subject
        .period()
        .filter(|period| period.shortest < retried_for)?;
    let message = format!(
        "without backoffLimit, a failing run is retried for {}, and the next run is due after {}",
        in_units(retried_for),
        in_units(period.shortest)
    );
    let found = subject.found(BACKOFF, message);
    Some(if restarts {
        found.help("Set restartPolicy: Never and backoffLimit: 0 or 1: the next run is the retry.")
    } else {
        found
    })
}

pub(super) fn restart_despite_backoff_limit(subject: &LintSubject<'_>) -> Option<Violation> {
    let limit = subject.whole_number(BACKOFF);
    let limit = limit.filter(|limit| matches!(limit, 0 | 1))?;
    if !restarts_containers(subject) {
        return None;
    }
    let message = format!(
        "backoffLimit: {limit} does not prevent a second attempt: OnFailure restarts the container immediately, and \
         the Job controller then deletes the pod"
    );
    Some(subject.found(BACKOFF, message))
}

const SUSPEND: &str = "spec.jobTemplate.spec.suspend";

/// Kueue resumes the Jobs of its queues.
const QUEUE: &str = "spec.jobTemplate.metadata.labels[kueue.x-k8s.io/queue-name]";

/// Since this minor version the field is on by default.
const MANAGED_BY: u32 = 32;

pub(super) fn job_managed_elsewhere(subject: &LintSubject<'_>) -> Option<Violation> {
    const FIELD: &str = "spec.jobTemplate.spec.managedBy";
    let manager = other_controller(subject.str(FIELD)?)?;
    if subject.context.release.minor() < MANAGED_BY {
        return None;
    }
    let blocks = if subject.str(POLICY) == Some("Forbid") {
        ", and a Job that it does not end blocks all later runs"
    } else {
        ""
    };
    let message = format!("only {manager} starts the pods of the Jobs{blocks}");
    Some(subject.found(FIELD, message))
}

pub(super) fn job_template_suspended(subject: &LintSubject<'_>) -> Option<Violation> {
    if subject.boolean(SUSPEND) != Some(true) || subject.get(QUEUE).is_some() {
        return None;
    }
    let message = match subject.str("spec.concurrencyPolicy") {
        Some("Forbid") => "the first Job starts no pods, never finishes, and blocks all others",
        Some("Replace") => "Jobs start no pods and exist until the next one replaces them",
        _ => "Jobs start no pods and pile up",
    };
    Some(subject.found(SUSPEND, message))
}

/// The label as a field of the `CronJob` itself, whose labels Kueue does not read.
const OWN_QUEUE: &str = "metadata.labels[kueue.x-k8s.io/queue-name]";

pub(super) fn kueue_label_on_cronjob(subject: &LintSubject<'_>) -> Option<Violation> {
    let queue = subject.str(OWN_QUEUE).filter(|queue| !queue.is_empty())?;
    // A patch may leave the template out.
    if subject.get("spec.jobTemplate").is_none() || subject.get(QUEUE).is_some() {
        return None;
    }
    let message =
        "Kueue does not read the labels of a CronJob, and its Jobs do not have this label";
    let path = ["spec", "jobTemplate", "metadata", "labels"];
    let fix = subject.add_at(&path, "kueue.x-k8s.io/queue-name", queue);
    let fix = fix.map(|fix| fix.described("Add the label to spec.jobTemplate.metadata.labels"));
    Some(subject.found(OWN_QUEUE, message).fix(fix))
}
