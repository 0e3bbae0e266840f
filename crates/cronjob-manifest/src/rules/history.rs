//! Rules about what remains of finished runs, and how they ended.

use super::{RuleTopic, rules};

rules! {
    rule HISTORY_LIMIT_HIDES_FAILURES: "history-limit-hides-failures",
    title: "Failed Jobs are deleted immediately",
    reason: "With failedJobsHistoryLimit: 0 a failed Job is deleted as soon as the controller \
             sees it, with its pods and their logs.",
    finding: Warning "spec.failedJobsHistoryLimit" { is_future: true },
    lint: "CJD501" Warning by Check,
    remedy: "Keep at least one failed Job, which is the default.",

    rule HISTORY_LIMIT_HIDES_SUCCESSES: "history-limit-hides-successes",
    title: "Successful Jobs are deleted immediately",
    reason: "With successfulJobsHistoryLimit: 0 a successful Job is deleted as soon as the \
             controller sees it. How long it took and what it logged is lost.",
    finding: Info "spec.successfulJobsHistoryLimit" { is_future: true },
    lint: "CJD502" Info by Check,
    remedy: "Keep at least one successful Job.",

    rule HISTORY_LIMIT_HIGH: "history-limit-high",
    title: "Many finished Jobs are kept",
    reason: "Each Job that is kept, and each of its pods, is an object in etcd and in every list \
             of Jobs or pods.",
    lint: "CJD503" Info by Check,
    remedy: "Keep only as many as you need.",

    rule TTL_HIDES_FAILURES: "ttl-hides-failures",
    title: "Finished Jobs are deleted within hours",
    reason: "ttlSecondsAfterFinished in the Job template deletes finished Jobs regardless of the \
             history limits, including failed ones and their logs.",
    finding: Info "spec.jobTemplate.spec.ttlSecondsAfterFinished" { is_future: true },
    lint: "CJD504" Warning by Check,
    remedy: "Remove ttlSecondsAfterFinished, since the history limits delete old Jobs, or set \
             it to a day or more.",

    rule TTL_BEFORE_HISTORY_LIMIT: "ttl-before-history-limit",
    title: "History limit is never reached",
    reason: "ttlSecondsAfterFinished in the Job template deletes each finished Job after a time, \
             regardless of the history limits. If that time comes first, fewer Jobs are kept than \
             the limit says.",
    // Jobs are kept as long as the manifest says; only the limit is superfluous. If they are deleted too soon,
    // CJD504 warns.
    lint: "CJD505" Info by Check,
    remedy: "Choose one of the two.",

    rule ON_FAILURE_LOSES_LOGS: "on-failure-loses-logs",
    title: "Logs of failed runs are lost",
    reason: "With restartPolicy: OnFailure a failed container is restarted in the same pod. Once \
             backoffLimit is reached, the Job fails, and that pod is deleted together with its \
             logs. With Never, each attempt has its own pod, and failed pods are kept.",
    lint: "CJD506" Info by Check,
    remedy: "Use restartPolicy: Never, or ship the logs elsewhere.",

    rule LAST_RUN_FAILED: "last-run-failed",
    title: "Last run failed",
    reason: "LAST SCHEDULE in the output of kubectl only shows that a Job was started, not \
             whether it succeeded.",
    finding: Error "status.lastSuccessfulTime" { topic: Some(RuleTopic::FailedJob) },

    rule LAST_RUN_WITHOUT_SUCCESS: "last-run-without-success",
    title: "Last run did not succeed",
    reason: "The Job of the last run is gone: a history limit, ttlSecondsAfterFinished or a \
             client removed it. The status does not record a success that is as new as this run.",
    finding: Warning "status.lastSuccessfulTime",

    rule MANUAL_RUN_FAILED: "manual-run-failed",
    title: "Manual run failed",
    reason: "A Job that was created manually, for example with trigger, may have other arguments \
             than the scheduled runs. The finding ends with the next success.",
    finding: Warning { topic: Some(RuleTopic::FailedJob) },

    rule RUNS_WITHOUT_SUCCESS: "runs-without-success",
    title: "Several runs in a row did not succeed",
    reason: "Several due runs without a success mean that the work is not done, no matter why: \
             they failed, were not started, or were replaced. The severity is error from the \
             third run on, unless there is another warning or error.",
    finding: Warning "status.lastSuccessfulTime",

    rule RUN_WAITING: "run-waiting",
    title: "Run is waiting",
    reason: "The Job counts as active, but none of its main containers has started: the Job is \
             suspended, waits in a queue, or its pod waits for an init container. It is reported \
             after five minutes, or after two periods of the schedule if that is sooner.",
    finding: Warning,

    rule NEVER_SUCCEEDED: "never-succeeded",
    title: "No run has succeeded",
    reason: "At least three runs were due since the CronJob was created, and no success is \
             recorded, while LAST SCHEDULE looks healthy.",
    finding: Warning "status.lastSuccessfulTime",
}
