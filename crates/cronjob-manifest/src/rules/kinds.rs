//! Rules about kinds other than `CronJob`.

use super::rules;

rules! {
    rule REJECTED_BY_OPERATOR: "rejected-by-operator",
    title: "The controller of the kind rejects the schedule",
    reason: "A ScheduledBackup, a Velero Schedule, a CronWorkflow or a VolSync trigger is read by \
             its own controller. What that controller cannot parse never runs, or is rejected by \
             a webhook.",
    lint: "CJD801" Error by Check,
    remedy: "Write the schedule as the controller reads it.",

    rule SCHEDULE_NEVER_MATCHES: "schedule-never-matches",
    title: "Schedule of another kind never matches",
    reason: "A schedule for dates that do not exist never runs in CloudNativePG and Argo \
             Workflows. Velero and VolSync do the opposite: they start a Backup or a sync again \
             and again.",
    lint: "CJD802" Error by Check,
    remedy: "Use dates that exist. To stop runs, pause or suspend the object.",

    rule FIRST_FIELD_IS_SECONDS: "first-field-is-seconds",
    title: "First field of a ScheduledBackup is the seconds",
    reason: "CloudNativePG reads the first field as seconds, even if there are only five fields. \
             0 2 * * * is second 0 of minute 2 of every hour, so it makes a backup every hour and \
             not every night.",
    lint: "CJD803" Warning by Check,
    remedy: "Put the seconds in front: 0 0 2 * * * is every night at 02:00.",

    rule MANUAL_TRIGGER_WINS: "manual-trigger-wins",
    title: "Manual trigger disables the schedule",
    reason: "If spec.trigger.manual is set, VolSync ignores spec.trigger.schedule: a sync starts \
             only when the manual trigger changes.",
    lint: "CJD804" Warning by Check,
    remedy: "Remove spec.trigger.manual, or the schedule.",

    rule RESUME_STARTS_MISSED_RUN: "resume-starts-missed-run",
    title: "Resuming starts a missed run immediately",
    reason: "CloudNativePG, Velero and VolSync record no time while an object is paused or \
             suspended. When it is resumed, or its schedule is edited, a run starts immediately \
             (in Velero within a minute) if a scheduled time has passed since the last one. \
             spec.skipImmediately: true prevents this in Velero.",
    lint: "CJD805" Info by Check,
    remedy: "Resume it when a run may start. explain KIND/NAME shows whether one is due.",
}
