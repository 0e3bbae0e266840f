//! Rules about the Job template.

use super::rules;

rules! {
    rule JOB_TEMPLATE_SUSPENDED: "job-template-suspended",
    title: "Jobs are created suspended",
    reason: "With suspend: true in the Job template the controller creates Jobs that start no \
             pods and do not finish until something resumes them, such as Kueue. With \
             concurrencyPolicy: Forbid the first of them blocks all others.",
    finding: Warning "spec.jobTemplate.spec.suspend",
    lint: "CJD507" Warning by Check,
    remedy: "To stop the CronJob, set spec.suspend instead. For Kueue, give the Job template \
             the label kueue.x-k8s.io/queue-name.",

    rule RETRIES_OVER_PERIOD: "retries-over-period",
    title: "Retries of a failed run last longer than a period",
    reason: "Without backoffLimit a failing Job is retried six times. The waits before the \
             retries are more than ten minutes in total with restartPolicy: Never, and more than \
             five with OnFailure. On a shorter schedule the next run is due before the last retry.",
    lint: "CJD508" Info { needs_runs: true } by Check,
    remedy: "Set restartPolicy: Never and backoffLimit: 0 or 1 in the Job template: the next run \
             is the retry.",
}
