//! Rules about suspension, about catching up on missed runs, and about the deadline of `@every`.

use super::{RuleTopic, rules};
use cronjob_controller::controller::Outcome;

rules! {
    rule UNEVEN_SCHEDULE_CATCH_UP: "uneven-schedule-catch-up",
    title: "Runs missed before a pause in the schedule may never start",
    reason: "After two or more missed runs the controller (since 1.27.4, and some patch releases \
             before) searches for the latest one no further back than twice the interval of the \
             first two. Where the schedule pauses for longer, at night or over a weekend, it may \
             find nothing: it then starts nothing and records no event.",
    lint: "CJD410" Info { is_off_by_default: true, needs_runs: true } by Check,
    remedy: "If the last run before the pause matters, give it its own CronJob. If late runs \
             are useless, set startingDeadlineSeconds to at most the time between two runs.",

    rule UNEVEN_SCHEDULE_CAN_MISS_RUNS: "uneven-schedule-can-miss-runs",
    title: "Runs missed before a pause in the schedule may never start",
    reason: "After two or more missed runs the controller searches for the latest one no further \
             back than twice the interval of the first two. Where the schedule pauses for longer, \
             at night or over a weekend, it may find nothing.",
    finding: Info "spec.schedule" { is_future: true },

    rule START_AT_UNSCHEDULED_TIME: "start-at-unscheduled-time",
    title: "Start at a time that is not in the schedule",
    reason: "Kubernetes 1.21 to 1.25.11, 1.26.0 to 1.26.6 and 1.27.0 to 1.27.3 multiply the \
             interval of the first two missed runs to find the latest one. Unless the schedule is \
             even, the result can be a time that is not in the schedule, and a Job is started for \
             it: 0 8-18 * * *, resumed at 20:30, runs for 20:00.",
    finding: Warning "spec.schedule",
    lint: "CJD411" Warning by Check,
    remedy: "Set startingDeadlineSeconds to at most the time between two runs, so that only \
             one run counts, or upgrade: 1.25.12, 1.26.7, 1.27.4 and later start runs only at \
             times in the schedule.",

    rule SUSPENDED: "suspended",
    title: "CronJob is suspended",
    reason: "A suspended CronJob starts nothing. Its runs count as missed: unless \
             startingDeadlineSeconds prevents it, the latest one can start as soon as the CronJob \
             is resumed, at whatever time that is. With a reason (suspend --reason) the severity \
             is info, and with a planned end (suspend --until) suspended-past-until replaces this \
             rule.",
    finding: Warning "spec.suspend" { topic: Some(RuleTopic::Suspension) },
    lint: "CJD412" Info by Check,
    remedy: "Remove suspend: true when the CronJob should run again. If it is only started \
             manually, ignore this rule.",

    rule SUSPEND_UNSET: "suspend-unset",
    title: "spec.suspend is not stated",
    reason: "A tool that applies manifests, such as Argo CD, leaves a field alone that the manifest \
             does not state. A CronJob that was suspended manually then stays suspended, and \
             neither Git nor the sync status shows it.",
    lint: "CJD413" Info { is_off_by_default: true } by Check,
    remedy: "Set suspend: false, so that a manual suspension ends with the next sync.",

    rule STARTING_DEADLINE_UNDER_EVERY: "starting-deadline-under-every",
    title: "startingDeadlineSeconds is shorter than the interval of @every",
    reason: "The times of @every count from the last run, but from no earlier than \
             startingDeadlineSeconds before each sync. If that is shorter than the interval, the \
             next time is still to come at every sync: no run ever starts, and no event is \
             recorded.",
    finding: Error "spec.startingDeadlineSeconds",
    lint: "CJD414" Error by Check,
    remedy: "Set startingDeadlineSeconds to twice the interval, or remove it.",

    rule STARTING_DEADLINE_FOR_RARE_RUN: "starting-deadline-for-rare-run",
    title: "startingDeadlineSeconds is short for a rare run",
    reason: "A run that cannot start within startingDeadlineSeconds is skipped without an event. \
             While the control plane is upgraded or elects a new leader, no run starts for \
             seconds or minutes.",
    lint: "CJD415" Info { needs_runs: true } by Check,
    remedy: "Set it to as long as a late run is still useful, such as startingDeadlineSeconds: 3600.",

    rule SUSPENDED_LONG: "suspended-long",
    title: "Suspended for a long time",
    reason: "The CronJob was suspended, or has missed runs, for at least seven days, so the \
             suspension may have been forgotten. A reason does not lower the severity.",
    finding: Warning "spec.suspend" { is_future: true, topic: Some(RuleTopic::Suspension) },

    rule SUSPENDED_PAST_UNTIL: "suspended-past-until",
    title: "Suspended past the planned end",
    reason: "suspend --until records when a suspension should end, in the annotation \
             cronjob-doctor/suspended-until. Nothing resumes the CronJob automatically.",
    finding: Warning "spec.suspend" { topic: Some(RuleTopic::Suspension) },

    rule SUSPENDED_OUTSIDE_GITOPS: "suspended-outside-gitops",
    title: "Suspended manually although a GitOps tool manages it",
    reason: "Argo CD or Flux manages the CronJob, and the suspension is not in Git. If a manifest \
             states spec.suspend, the next sync undoes the suspension without notice; otherwise \
             the suspension remains, and neither Git nor the sync status shows it.",
    finding: Info "spec.suspend" { topic: Some(RuleTopic::Suspension) },

    rule STALE_SUSPENSION_ANNOTATIONS: "stale-suspension-annotations",
    title: "Annotations of an earlier suspension",
    reason: "suspend records in annotations who suspended a CronJob, when, why and until when, \
             and resume removes them. They stay if another client resumed the CronJob.",
    finding: Info "metadata.annotations",

    rule RESUME_STARTS_IMMEDIATELY: "resume-starts-immediately",
    title: "Resuming starts a missed run immediately",
    reason: "When a CronJob is resumed, the controller starts the latest missed run, at whatever \
             time of day that is. resume --catch-up=skip or a short startingDeadlineSeconds \
             prevents this.",
    finding: Info "spec.suspend" { is_future: true, repeats: Some(Outcome::Suspended) },

    rule RESUME_SKIPS_MISSED_RUNS: "resume-skips-missed-runs",
    title: "Resuming will not start the missed runs",
    reason: "Where a schedule pauses, at night or over a weekend, this Kubernetes version may \
             find none of the missed runs when the CronJob is resumed: it then starts nothing and \
             records no event.",
    finding: Warning "spec.suspend" { is_future: true, repeats: Some(Outcome::Suspended) },
}
