//! Rules about what remains of finished runs, and how they ended.

use super::{RuleTopic, rules};

rules! {
    rule HISTORY_LIMIT_HIDES_FAILURES: "history-limit-hides-failures",
    title: "Failed Jobs are deleted immediately",
    reason: "With failedJobsHistoryLimit: 0 a failed Job is deleted as soon as the controller sees \
             it, with its pods and their logs. The cause of the failure can no longer be found.",
    finding: Warning "spec.failedJobsHistoryLimit" { is_future: true },
    lint: "CJD501" Warning by Check,
    remedy: "Keep at least one failed Job, which is the default.",

    rule HISTORY_LIMIT_HIDES_SUCCESSES: "history-limit-hides-successes",
    title: "Successful Jobs are deleted immediately",
    reason: "With successfulJobsHistoryLimit: 0 only status.lastSuccessfulTime remains of a \
             successful run: not when it started, how long it took, or what it logged. Tools that \
             compare a run with the previous one have no data.",
    finding: Info "spec.successfulJobsHistoryLimit" { is_future: true },
    lint: "CJD502" Info by Check,
    remedy: "Keep at least one successful Job. The default is three.",

    rule HISTORY_LIMIT_HIGH: "history-limit-high",
    title: "Many finished Jobs are kept",
    reason: "Each Job that is kept is an object in etcd, and so is each of its pods. They slow \
             down every tool that lists them, and the controller goes through all of them whenever \
             one changes.",
    lint: "CJD503" Info by Check,
    remedy: "Keep only as many as you need. Logs and metrics cover older runs.",

    rule TTL_HIDES_FAILURES: "ttl-hides-failures",
    title: "Finished Jobs are deleted within hours",
    reason: "ttlSecondsAfterFinished in the Job template deletes finished Jobs regardless of the \
             history limits, including failed ones and their logs. A run that failed at night is \
             gone in the morning, and the CronJob looks healthy.",
    finding: Info "spec.jobTemplate.spec.ttlSecondsAfterFinished" { is_future: true },
    lint: "CJD504" Warning by Check,
    remedy: "Remove ttlSecondsAfterFinished, since the history limits delete old Jobs, or set \
             it to a day or more.",

    rule TTL_BEFORE_HISTORY_LIMIT: "ttl-before-history-limit",
    title: "History limit is never reached",
    reason: "Finished Jobs are deleted in two independent ways: the history limits keep a number \
             of them, and ttlSecondsAfterFinished in the Job template deletes each one after a \
             time. If the time comes first, fewer Jobs are kept than the limit says.",
    // Jobs are kept as long as the manifest says; only the limit is superfluous. If they are deleted too soon,
    // CJD504 warns.
    lint: "CJD505" Info by Check,
    remedy: "Choose one of the two. The history limits alone are enough for a CronJob.",

    rule ON_FAILURE_LOSES_LOGS: "on-failure-loses-logs",
    title: "Logs of failed runs are lost",
    reason: "With restartPolicy: OnFailure the same pod is restarted again and again. Once \
             backoffLimit is reached, the Job fails, and its pod is deleted together with its \
             logs, since it would otherwise continue. With Never, each attempt has its own pod, \
             and these pods are kept.",
    lint: "CJD506" Info by Check,
    remedy: "Use restartPolicy: Never, or ship the logs elsewhere.",

    rule LAST_RUN_FAILED: "last-run-failed",
    title: "Last run failed",
    reason: "LAST SCHEDULE in the output of kubectl only shows that a Job was started. Whether it succeeded is \
             recorded in the Job, and the Job is deleted once there are newer ones. A Job has failed as soon as that \
             is decided (condition FailureTarget), also while its last pod is ending. If the CronJob was suspended \
             with a reason after that (suspend --reason), the severity is info until the planned end.",
    finding: Error "status.lastSuccessfulTime" { topic: Some(RuleTopic::FailedJob) },

    rule LAST_RUN_WITHOUT_SUCCESS: "last-run-without-success",
    title: "Last run did not succeed",
    reason: "The Job of the last run is gone: a history limit, ttlSecondsAfterFinished or a client removed it. The \
             controller records each success in the status, and none is as new as this run.",
    finding: Warning "status.lastSuccessfulTime",

    rule MANUAL_RUN_FAILED: "manual-run-failed",
    title: "Manual run failed",
    reason: "A Job that was created manually, for example with trigger, may have other arguments than the scheduled \
             runs. Its failure says little about them. The finding ends with the next success.",
    finding: Warning { topic: Some(RuleTopic::FailedJob) },

    rule RUNS_WITHOUT_SUCCESS: "runs-without-success",
    title: "Several runs in a row did not succeed",
    reason: "A single failure may be gone with the next run. Several due runs without a success mean that the work is \
             not done, no matter why: they failed, were not started, or were replaced. Runs during a suspension and \
             before a change of the schedule count only if they are known to have failed, and those that may still \
             succeed do not count. The severity is error from the third run on, unless there is another warning or \
             error.",
    finding: Warning "status.lastSuccessfulTime",

    rule RUN_WAITING: "run-waiting",
    title: "Run is waiting",
    reason: "The Job exists and counts as active, but none of its containers has started: it is suspended, waits in a \
             queue, or its pod waits for an init container. It is reported after five minutes, or after two periods \
             of the schedule if that is sooner. Once it blocks a run that was due, blocked-by-running-job reports it \
             instead.",
    finding: Warning,

    rule NEVER_SUCCEEDED: "never-succeeded",
    title: "No run has succeeded",
    reason: "The controller records when a Job last succeeded. If runs were started again and \
             again and no success is recorded, the work was never done, while LAST SCHEDULE looks \
             healthy.",
    finding: Warning "status.lastSuccessfulTime",
}
