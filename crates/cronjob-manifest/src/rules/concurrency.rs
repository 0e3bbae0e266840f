//! Rules about runs that overlap.

use super::rules;
use cronjob_controller::controller::Outcome;

rules! {
    rule FORBID_WITHOUT_ACTIVE_DEADLINE: "forbid-without-active-deadline",
    title: "One stuck run blocks all others",
    reason: "A Job stays active while its pod hangs or cannot start, and Forbid starts no other.",
    lint: "CJD406" Warning { needs_runs: true } by Check,
    remedy: "Set activeDeadlineSeconds of the Job, longer than a healthy run.",

    rule ACTIVE_DEADLINE_OVER_PERIOD: "active-deadline-over-period",
    title: "Run may last longer than the time to the next one",
    reason: "If the next run is due before activeDeadlineSeconds ends a run that hangs, that run \
             blocks the next ones (Forbid), runs alongside them (Allow), or is deleted earlier \
             (Replace). With Forbid, since Kubernetes 1.31 the next run also waits until the pod \
             has ended, which may take terminationGracePeriodSeconds (30 seconds by default).",
    // Somebody chose the deadline, and it bounds how long a hanging run blocks others. Without one, CJD406
    // and CJD408 warn.
    lint: "CJD407" Info { needs_runs: true } by Check,
    remedy: "Set activeDeadlineSeconds to less than the time between two runs (with Forbid, less than that by \
             terminationGracePeriodSeconds), or run it less often.",

    rule RUNS_PILE_UP: "runs-pile-up",
    title: "Hanging runs pile up",
    reason: "Without concurrencyPolicy, each run starts whether or not earlier ones have finished \
             (Allow). Frequent runs that hang, for example because a database does not respond, \
             can then fill the quota of the namespace or the nodes.",
    lint: "CJD408" Info { needs_runs: true } by Check,
    remedy: "Set concurrencyPolicy to Forbid or Replace, and activeDeadlineSeconds in the Job \
             template. If runs may pile up, set concurrencyPolicy: Allow explicitly.",

    rule REPLACE_SHORT_PERIOD: "replace-short-period",
    title: "Runs may be replaced before they finish",
    reason: "With concurrencyPolicy: Replace, an unfinished run is deleted when the next one is \
             due. If it takes longer to schedule its pod, pull its image and do its work, no run \
             ever finishes.",
    lint: "CJD409" Info by Check,
    remedy: "Use concurrencyPolicy: Forbid, which lets each run finish, or run it less often.",

    rule BLOCKED_BY_RUNNING_JOB: "blocked-by-running-job",
    title: "Blocked by a running Job",
    reason: "With concurrencyPolicy: Forbid no Job is started while another one is in \
             status.active, where manually created ones are not. When that one finishes, at most \
             one run starts late: the latest missed one, if startingDeadlineSeconds has not \
             passed by then. The severity is error if the Job has blocked two or more runs, the \
             first one for an hour, unless earlier runs took at least half as long.",
    finding: Warning "spec.concurrencyPolicy" { repeats: Some(Outcome::Blocked) },

    rule RUNS_LONGER_THAN_PERIOD: "runs-longer-than-period",
    title: "Runs take longer than the time between them",
    reason: "If a run is still active when the next one is due, Allow lets runs pile up, Forbid \
             starts the next one late and skips others, and Replace deletes the run before it \
             finishes.",
    finding: Warning "spec.concurrencyPolicy",

    rule FINISHED_JOB_STILL_ACTIVE: "finished-job-still-active",
    title: "Finished Job is still in status.active",
    reason: "The controller removes a Job from status.active as soon as it sees that the Job is \
             finished. If it has not done so for minutes, the controller manager is not running, \
             or its updates fail.",
    finding: Warning "status.active",

    rule DELETED_JOB_STILL_ACTIVE: "deleted-job-still-active",
    title: "Deleted Job is still in status.active",
    reason: "The controller removes a deleted Job from status.active at its next sync. Until \
             then, kubectl get cronjobs counts a running Job that does not exist.",
    finding: Warning "status.active",
}
