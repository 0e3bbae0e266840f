//! Runs that take long, overlap, are retried, or start no pods.

use crate::duration::exact;
use crate::lint::{LintSubject, POD, Violation};

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

pub(super) fn forbid_without_active_deadline(subject: &LintSubject<'_>) -> Vec<Violation> {
    if subject.str(POLICY) != Some("Forbid") || !jobs_without_deadline(subject) {
        return Vec::new();
    }
    let of_pod = pod_deadline();
    if subject.get(&of_pod).is_some() {
        let message = "only limits pods that have started: a run whose pod cannot be created or \
                       scheduled blocks all later ones indefinitely";
        return vec![subject.found(&of_pod, message)];
    }
    let message =
        "without activeDeadlineSeconds, a run that hangs blocks all later ones indefinitely";
    vec![subject.found(POLICY, message)]
}

pub(super) fn active_deadline_over_period(subject: &LintSubject<'_>) -> Vec<Violation> {
    let Some(deadline) = subject.whole_number(ACTIVE_DEADLINE) else {
        return Vec::new();
    };
    let Some(period) = subject.period().filter(|period| deadline > period.shortest) else {
        return Vec::new();
    };
    let (deadline_shown, shortest) = (exact(deadline), exact(period.shortest));
    let policy = subject.str("spec.concurrencyPolicy");
    let message = match policy {
        Some("Forbid") => format!(
            "a run that hangs for {deadline_shown} blocks the runs that are due every {shortest}"
        ),
        Some("Replace") => format!(
            "has no effect: a run is replaced after {shortest}, before {deadline_shown} have passed"
        ),
        _ => format!(
            "runs that hang for {deadline_shown} and are due every {shortest}: up to {} at the same \
             time",
            deadline.div_euclid(period.shortest).saturating_add(1)
        ),
    };
    vec![subject.found(ACTIVE_DEADLINE, message)]
}

/// About a hundred runs a day.
const FREQUENT: i64 = 900;

pub(super) fn runs_pile_up(subject: &LintSubject<'_>) -> Vec<Violation> {
    let is_explicit = subject.get("spec.concurrencyPolicy").is_some();
    // A deadline of the pods ends those that hang.
    let pods_end = subject.get(&pod_deadline()).is_some();
    if is_explicit || pods_end || !jobs_without_deadline(subject) {
        return Vec::new();
    }
    let Some(period) = subject.period().filter(|period| period.typical <= FREQUENT) else {
        return Vec::new();
    };
    let message = format!(
        "due every {}, and nothing keeps hanging runs from piling up",
        exact(period.typical)
    );
    vec![subject.found("spec.schedule", message)]
}

const SHORT: i64 = 120;

pub(super) fn replace_short_period(subject: &LintSubject<'_>) -> Vec<Violation> {
    if subject.str(POLICY) != Some("Replace") {
        return Vec::new();
    }
    let Some(period) = subject.period().filter(|period| period.shortest <= SHORT) else {
        return Vec::new();
    };
    let message = format!(
        "a run that has not finished after {}, including the start of its pod, is deleted",
        exact(period.shortest)
    );
    vec![subject.found(POLICY, message)]
}

const BACKOFF: &str = "spec.jobTemplate.spec.backoffLimit";

const RETRIES: i64 = 10 + 20 + 40 + 80 + 160 + 320;

pub(super) fn retries_over_period(subject: &LintSubject<'_>) -> Vec<Violation> {
    let policy = subject.str("spec.concurrencyPolicy");
    // A replaced run is not retried.
    let is_whole = subject.get(POD).is_some();
    if !is_whole || subject.get(BACKOFF).is_some() || policy == Some("Replace") {
        return Vec::new();
    }
    let limit = subject.whole_number(ACTIVE_DEADLINE);
    let retried_for = limit.map_or(RETRIES, |limit| limit.min(RETRIES));
    let Some(period) = subject
        .period()
        .filter(|period| period.shortest < retried_for)
    else {
        return Vec::new();
    };
    let message = format!(
        "without backoffLimit, a failing run is retried for {}, and the next run is due after {}",
        exact(retried_for),
        exact(period.shortest)
    );
    vec![subject.found(BACKOFF, message)]
}

const SUSPEND: &str = "spec.jobTemplate.spec.suspend";

/// Kueue resumes the Jobs of its queues.
const QUEUE: &str = "spec.jobTemplate.metadata.labels[kueue.x-k8s.io/queue-name]";

pub(super) fn job_template_suspended(subject: &LintSubject<'_>) -> Vec<Violation> {
    if subject.boolean(SUSPEND) != Some(true) || subject.get(QUEUE).is_some() {
        return Vec::new();
    }
    let message = match subject.str("spec.concurrencyPolicy") {
        Some("Forbid") => "the first Job starts no pods, never finishes, and blocks all others",
        Some("Replace") => "Jobs start no pods and exist until the next one replaces them",
        _ => "Jobs start no pods and pile up",
    };
    vec![subject.found(SUSPEND, message)]
}

/// The label as a field of the `CronJob` itself, whose labels Kueue does not read.
const OWN_QUEUE: &str = "metadata.labels[kueue.x-k8s.io/queue-name]";

pub(super) fn kueue_label_on_cronjob(subject: &LintSubject<'_>) -> Vec<Violation> {
    let Some(queue) = subject.str(OWN_QUEUE).filter(|queue| !queue.is_empty()) else {
        return Vec::new();
    };
    // A patch may leave the template out.
    if subject.get("spec.jobTemplate").is_none() || subject.get(QUEUE).is_some() {
        return Vec::new();
    }
    let message =
        "Kueue does not read the labels of a CronJob, and its Jobs do not have this label";
    let path = ["spec", "jobTemplate", "metadata", "labels"];
    let fix = subject.add_at(&path, "kueue.x-k8s.io/queue-name", queue);
    let fix = fix.map(|fix| fix.described("Add the label to spec.jobTemplate.metadata.labels"));
    vec![subject.found(OWN_QUEUE, message).fix(fix)]
}

#[cfg(test)]
mod tests {
    #[test]
    fn what_hangs_or_waits_is_reported() {
        crate::lint::testing::check(
            r"
[forbid-without-active-deadline] schedule: 0 6 * * *
concurrencyPolicy: Forbid
  8:22 without activeDeadlineSeconds, a run that hangs blocks all later ones indefinitely
concurrencyPolicy: Allow
# Only the deadline of the Job covers a pod that never starts.
concurrencyPolicy: Forbid | job.activeDeadlineSeconds: 60
concurrencyPolicy: Forbid | pod.activeDeadlineSeconds: 60
  13:34 only limits pods that have started: a run whose pod cannot be created or scheduled blocks all later ones indefinitely
concurrencyPolicy: Forbid | job.activeDeadlineSeconds: null
  8:22 without activeDeadlineSeconds, a run that hangs blocks all later ones indefinitely

[active-deadline-over-period]
schedule: '*/5 * * * *' | concurrencyPolicy: Forbid | job.activeDeadlineSeconds: 7200
  11:30 a run that hangs for 120m blocks the runs that are due every 5m
schedule: '*/5 * * * *' | concurrencyPolicy: Allow | job.activeDeadlineSeconds: 700
  11:30 runs that hang for 11m40s and are due every 5m: up to 3 at the same time
schedule: '*/5 * * * *' | concurrencyPolicy: Replace | job.activeDeadlineSeconds: 600
  11:30 has no effect: a run is replaced after 5m, before 10m have passed
# Up to the next run.
schedule: '*/5 * * * *' | concurrencyPolicy: Forbid | job.activeDeadlineSeconds: 300
schedule: '0 6 * * *' | concurrencyPolicy: Forbid | job.activeDeadlineSeconds: 86400
# Never runs.
schedule: '0 0 30 2 *' | concurrencyPolicy: Forbid | job.activeDeadlineSeconds: 86400

[runs-pile-up]
schedule: '*/5 * * * *'
  7:13 due every 5m, and nothing keeps hanging runs from piling up
schedule: '*/5 * * * *' | job.activeDeadlineSeconds: 60
# It ends the pods that hang.
schedule: '*/5 * * * *' | pod.activeDeadlineSeconds: 60
schedule: '*/5 * * * *' | concurrencyPolicy: Allow
schedule: '*/5 * * * *' | concurrencyPolicy: Forbid
schedule: '*/20 * * * *'

[replace-short-period]
schedule: '* * * * *' | concurrencyPolicy: Replace
  8:22 a run that has not finished after 60s, including the start of its pod, is deleted
schedule: '*/5 * * * *' | concurrencyPolicy: Replace
schedule: '* * * * *' | concurrencyPolicy: Forbid

[retries-over-period]
schedule: '*/5 * * * *'
  9:5 without backoffLimit, a failing run is retried for 10m30s, and the next run is due after 5m
schedule: '*/5 * * * *' | job.backoffLimit: 6
schedule: '*/5 * * * *' | job.activeDeadlineSeconds: 240
schedule: '*/15 * * * *'

[job-template-suspended] schedule: 0 6 * * *
job.suspend: true
  10:16 Jobs start no pods and pile up
# A queue may suspend them.
job.suspend: true | jobTemplate:\n => jobTemplate:\n    metadata: {labels: {kueue.x-k8s.io/queue-name: batch}}\n
job.suspend: false

[kueue-label-on-cronjob] schedule: 0 6 * * *
.

[kueue-label-on-cronjob] schedule: 0 6 * * * | metadata:\n => metadata:\n  labels:\n    kueue.x-k8s.io/queue-name: batch\n
.
  5:32 Kueue does not read the labels of a CronJob, and its Jobs do not have this label
  +18     metadata:
  +19       labels:
  +20         kueue.x-k8s.io/queue-name: batch
# The fix adds what is missing around the label, and leaves what it cannot add it to.
jobTemplate:\n => jobTemplate:\n    metadata:\n      annotations:\n        a: b\n
  5:32 Kueue does not read the labels of a CronJob, and its Jobs do not have this label
  +14       labels:
  +15         kueue.x-k8s.io/queue-name: batch
jobTemplate:\n => jobTemplate:\n    metadata:\n      labels:\n        app: a\n
  5:32 Kueue does not read the labels of a CronJob, and its Jobs do not have this label
  +14         kueue.x-k8s.io/queue-name: batch
jobTemplate:\n => jobTemplate:\n    metadata: {labels: {app: a}}\n
  5:32 Kueue does not read the labels of a CronJob, and its Jobs do not have this label
  -11     metadata: {labels: {app: a}}
  +11     metadata: {labels: {app: a, kueue.x-k8s.io/queue-name: batch}}
jobTemplate:\n => jobTemplate:\n    metadata: {labels: {kueue.x-k8s.io/queue-name: batch}}\n
jobTemplate:\n => jobTemplate:\n    metadata: {}\n
  5:32 Kueue does not read the labels of a CronJob, and its Jobs do not have this label
jobTemplate:\n => jobTemplate:\n    metadata:\n
  5:32 Kueue does not read the labels of a CronJob, and its Jobs do not have this label
jobTemplate:\n => jobTemplate:\n    metadata: {annotations: {a: b}}\n
  5:32 Kueue does not read the labels of a CronJob, and its Jobs do not have this label
",
        );
    }
}
