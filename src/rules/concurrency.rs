//! Rules about runs that overlap.

use super::{FindingRule, LintRule, LintSource, Rule, Severity, example};

pub(crate) static FORBID_WITHOUT_ACTIVE_DEADLINE: Rule = Rule {
    name: "forbid-without-active-deadline",
    title: "one stuck run blocks all others",
    reason: "With Forbid nothing is started while a Job is active, and a Job stays active while \
             its pod hangs, cannot be scheduled, or waits for an image. Without \
             activeDeadlineSeconds that has no end: nightly runs stay away until somebody looks.",
    finding: None,
    lint: Some(LintRule {
        code: "CJD406",
        severity: Severity::Warning,
        remedy: "Set spec.jobTemplate.spec.activeDeadlineSeconds to longer than any healthy run \
                 takes.",
        source: LintSource::Check,
        example: example!("forbid-without-active-deadline"),
    }),
};

pub(crate) static ACTIVE_DEADLINE_OVER_PERIOD: Rule = Rule {
    name: "active-deadline-over-period",
    title: "a run may take longer than the time to the next one",
    reason: "activeDeadlineSeconds ends a run that hangs. Where that is later than the next run is \
             due, one that hangs holds the others back (Forbid), has company (Allow), or is gone \
             long before (Replace).",
    finding: None,
    lint: Some(LintRule {
        code: "CJD407",
        severity: Severity::Warning,
        remedy: "Set activeDeadlineSeconds to less than the time between two runs, or run it less \
                 often.",
        source: LintSource::Check,
        example: example!("active-deadline-over-period"),
    }),
};

pub(crate) static RUNS_PILE_UP: Rule = Rule {
    name: "runs-pile-up",
    title: "runs that hang pile up",
    reason: "Without concurrencyPolicy each run is started whether or not the others are over \
             (Allow). A frequent one without activeDeadlineSeconds that hangs, because a database \
             does not answer, fills the namespace's quota or the nodes within hours.",
    finding: None,
    lint: Some(LintRule {
        code: "CJD408",
        severity: Severity::Warning,
        remedy: "Set concurrencyPolicy to Forbid or Replace, and activeDeadlineSeconds in the Job \
                 template; concurrencyPolicy: Allow says that they may pile up.",
        source: LintSource::Check,
        example: example!("runs-pile-up"),
    }),
};

pub(crate) static REPLACE_SHORT_PERIOD: Rule = Rule {
    name: "replace-short-period",
    title: "runs may be replaced before they have done anything",
    reason: "With Replace a run that is not over is deleted when the next one is due. Within a \
             minute a pod has to be scheduled, pull its image and do its work; on a day when that \
             takes longer, no run ever comes to its end.",
    finding: None,
    lint: Some(LintRule {
        code: "CJD409",
        severity: Severity::Info,
        remedy: "Use Forbid, which lets a run come to its end, or run it less often.",
        source: LintSource::Check,
        example: example!("replace-short-period"),
    }),
};

pub(crate) static BLOCKED_BY_RUNNING_JOB: Rule = Rule {
    name: "blocked-by-running-job",
    title: "blocked by a running Job",
    reason: "With concurrencyPolicy: Forbid no Job is started while another one is active. When \
             that one ends, the latest missed run is started late, and the ones before it are \
             skipped; with a startingDeadlineSeconds that is over by then, all of them are. A Job \
             that never ends blocks indefinitely. It is an error if the Job has blocked for longer \
             than a period and an hour, unless earlier runs took about as long.",
    finding: Some(FindingRule {
        severity: Severity::Warning,
        field: Some("spec.concurrencyPolicy"),
    }),
    lint: None,
};

pub(crate) static RUNS_LONGER_THAN_PERIOD: Rule = Rule {
    name: "runs-longer-than-period",
    title: "runs take longer than the time between them",
    reason: "If a run is still active when the next one is due, Allow lets runs pile up, Forbid \
             starts the next one late and skips others, and Replace deletes the run before it has \
             finished.",
    finding: Some(FindingRule {
        severity: Severity::Warning,
        field: Some("spec.concurrencyPolicy"),
    }),
    lint: None,
};

pub(crate) static FINISHED_JOB_STILL_ACTIVE: Rule = Rule {
    name: "finished-job-still-active",
    title: "a finished Job still counts as running",
    reason: "The controller removes a Job from status.active as soon as it sees that the Job is \
             finished. If it has not done so for minutes, the controller manager is not running, \
             or its updates fail.",
    finding: Some(FindingRule {
        severity: Severity::Warning,
        field: Some("status.active"),
    }),
    lint: None,
};

pub(crate) static DELETED_JOB_STILL_ACTIVE: Rule = Rule {
    name: "deleted-job-still-active",
    title: "a Job that is gone still counts as running",
    reason: "The controller removes a Job from status.active when it finds that the Job no longer \
             exists. Until its next sync, kubectl lists a running Job that does not exist.",
    finding: Some(FindingRule {
        severity: Severity::Warning,
        field: Some("status.active"),
    }),
    lint: None,
};
