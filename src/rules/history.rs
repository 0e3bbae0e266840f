//! Rules about what remains of finished runs, and how they ended.

use super::{FindingRule, LintRule, LintSource, Rule, Severity, example};

pub(crate) static HISTORY_LIMIT_HIDES_FAILURES: Rule = Rule {
    name: "history-limit-hides-failures",
    title: "failed runs are deleted immediately",
    reason: "With failedJobsHistoryLimit: 0 a failed Job is deleted as soon as the controller sees \
             it, with its pods and their logs. The cause of the failure can no longer be found.",
    finding: Some(FindingRule {
        severity: Severity::Warning,
        field: Some("spec.failedJobsHistoryLimit"),
    }),
    lint: Some(LintRule {
        code: "CJD501",
        severity: Severity::Warning,
        remedy: "Keep at least one; without the field it is one.",
        source: LintSource::Check,
        example: example!("history-limit-hides-failures"),
    }),
};

pub(crate) static HISTORY_LIMIT_HIDES_SUCCESSES: Rule = Rule {
    name: "history-limit-hides-successes",
    title: "successful runs are deleted immediately",
    reason: "With successfulJobsHistoryLimit: 0 only status.lastSuccessfulTime remains of a \
             successful run: not when it started, how long it took, or what it logged. Tools that \
             compare a run with the one before have nothing to compare.",
    finding: Some(FindingRule {
        severity: Severity::Info,
        field: Some("spec.successfulJobsHistoryLimit"),
    }),
    lint: Some(LintRule {
        code: "CJD502",
        severity: Severity::Info,
        remedy: "Keep one; without the field it is three.",
        source: LintSource::Check,
        example: example!("history-limit-hides-successes"),
    }),
};

pub(crate) static HISTORY_LIMIT_HIGH: Rule = Rule {
    name: "history-limit-high",
    title: "very many finished Jobs are kept",
    reason: "Each Job that is kept is an object in etcd, and so is each of its pods. Every tool \
             that lists them pays for them, and the controller looks at all of them whenever one \
             changes.",
    finding: None,
    lint: Some(LintRule {
        code: "CJD503",
        severity: Severity::Info,
        remedy: "Keep as many as somebody looks at; logs and metrics remember the rest.",
        source: LintSource::Check,
        example: example!("history-limit-high"),
    }),
};

pub(crate) static TTL_HIDES_FAILURES: Rule = Rule {
    name: "ttl-hides-failures",
    title: "finished Jobs are deleted within hours",
    reason: "ttlSecondsAfterFinished in the Job template deletes finished Jobs regardless of the \
             history limits, failed ones and their logs too. A run that failed at night is gone in \
             the morning, and the CronJob looks healthy.",
    finding: Some(FindingRule {
        severity: Severity::Info,
        field: Some("spec.jobTemplate.spec.ttlSecondsAfterFinished"),
    }),
    lint: Some(LintRule {
        code: "CJD504",
        severity: Severity::Warning,
        remedy: "Leave ttlSecondsAfterFinished out: the history limits remove old Jobs. Or set it \
                 to a day or more.",
        source: LintSource::Check,
        example: example!("ttl-hides-failures"),
    }),
};

pub(crate) static TTL_BEFORE_HISTORY_LIMIT: Rule = Rule {
    name: "ttl-before-history-limit",
    title: "a history limit that is never reached",
    reason: "Two things delete finished Jobs, each by itself: the history limits keep so many, and \
             ttlSecondsAfterFinished in the Job template deletes each after so long. Where the \
             time comes first, the limit promises a history that is not there.",
    finding: None,
    lint: Some(LintRule {
        code: "CJD505",
        severity: Severity::Warning,
        remedy: "Choose one of the two; the history limits alone are enough for a CronJob.",
        source: LintSource::Check,
        example: example!("ttl-before-history-limit"),
    }),
};

pub(crate) static ON_FAILURE_LOSES_LOGS: Rule = Rule {
    name: "on-failure-loses-logs",
    title: "the logs of a run that fails are lost",
    reason: "With restartPolicy: OnFailure the same pod tries again and again. Once backoffLimit \
             is reached the Job has failed, and its pod is deleted, since it would go on trying: \
             just when somebody wants to see why, the logs are gone. With Never each attempt has a \
             pod of its own, and these stay.",
    finding: None,
    lint: Some(LintRule {
        code: "CJD506",
        severity: Severity::Info,
        remedy: "Use Never, or ship the logs elsewhere.",
        source: LintSource::Check,
        example: example!("on-failure-loses-logs"),
    }),
};

pub(crate) static LAST_RUN_FAILED: Rule = Rule {
    name: "last-run-failed",
    title: "the last run failed",
    reason: "LAST SCHEDULE in kubectl's list only says that a Job was started. Whether it \
             succeeded is recorded in the Job, and the Job is deleted once there are newer ones.",
    finding: Some(FindingRule {
        severity: Severity::Error,
        field: Some("status.lastSuccessfulTime"),
    }),
    lint: None,
};

pub(crate) static NEVER_SUCCEEDED: Rule = Rule {
    name: "never-succeeded",
    title: "it has never succeeded",
    reason: "The controller records when a Job last succeeded. If runs were started again and \
             again and none is recorded, the work was never done, while LAST SCHEDULE looks \
             healthy.",
    finding: Some(FindingRule {
        severity: Severity::Warning,
        field: Some("status.lastSuccessfulTime"),
    }),
    lint: None,
};
