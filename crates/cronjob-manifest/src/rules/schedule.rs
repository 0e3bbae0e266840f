//! Rules about schedules.

use super::rules;
use cronjob_controller::controller::Outcome;

rules! {
    rule NEVER_SCHEDULED: "never-scheduled",
    title: "Schedule never runs",
    reason: "The API server accepts a schedule for dates that do not exist. The controller finds \
             no next run, records an event such as InvalidSchedule, and starts nothing. A \
             suspended CronJob is not reported.",
    finding: Error "spec.schedule" { repeats: Some(Outcome::InvalidSchedule) },
    lint: "CJD201" Error by Check,
    remedy: "Use dates that exist. If the CronJob is only started manually, set suspend: true.",

    rule SCHEDULE_UNPARSEABLE: "schedule-unparseable",
    title: "Schedule cannot be parsed",
    reason: "The controller starts nothing while it cannot parse the schedule.",
    finding: Error "spec.schedule",

    rule HOT_LOOP: "hot-loop",
    title: "Controller syncs in a hot loop",
    reason: "Some patch releases of Kubernetes 1.25 to 1.28 compute the next sync from a \
             scheduled time in the past. The controller then syncs the CronJob again and again \
             without a pause, which loads the control plane and fills the log.",
    finding: Error "spec.schedule",

    rule EITHER_DAY_FIELD: "either-day-field",
    title: "Day of month OR day of week",
    reason: "If both day fields are restricted, a day has to match only one of them: 0 0 13 * 5 \
             runs on every 13th and on every Friday, not only on Friday the 13th.",
    lint: "CJD202" Warning by Check,
    remedy: "Restrict one of the two day fields and let the program itself check the other. If \
             you really want either day, use two CronJobs.",

    rule UNEVEN_STEP: "uneven-step",
    title: "Step does not divide its range",
    reason: "Steps are counted from the start of their range: */45 matches minutes 0 and 45 of \
             each hour, so the intervals alternate between 45 and 15 minutes.",
    lint: "CJD203" Warning by Check,
    remedy: "Use a step that divides the range (60 minutes, 24 hours, 12 months), or @every, \
             which counts a constant interval from the previous run.",

    rule STEP_TOO_LARGE: "step-too-large",
    title: "Step is larger than its range",
    reason: "A step does not reach beyond its field: */90 starts over every hour, so only minute \
             0 matches, and it runs every hour.",
    lint: "CJD204" Warning by Check,
    remedy: "Move the step to a larger field, such as 0 */2 * * * for every two hours, or use \
             @every 90m for other intervals.",

    rule EVERY_MINUTE_OF_HOUR: "every-minute-of-hour",
    title: "Runs every minute of some hours or of a day",
    reason: "An asterisk in the minute field matches every minute: * 6 * * * does not run at \
             06:00, but 60 times from 06:00 to 06:59, and * */3 * * * runs 60 times in every third hour.",
    lint: "CJD205" Warning by Check,
    remedy: "Set the minute to 0 if you want one run.",

    rule STEPPED_STAR_CHANGED: "stepped-star-changed",
    title: "Day fields have a different meaning since Kubernetes 1.22",
    reason: "Up to Kubernetes 1.21, */2 in a day field counts as an asterisk, so a day must match \
             both day fields. Since 1.22 one match is enough, so the same manifest runs on other \
             days after the upgrade.",
    lint: "CJD206" Warning by Check,
    remedy: "Restrict only one of the two day fields.",

    rule SUB_MINUTE_EVERY: "sub-minute-every",
    title: "Runs less than a minute apart",
    reason: "Since Kubernetes 1.21 the name of a Job contains the minute of its scheduled time. Of \
             several runs in one minute only one is started as long as its Job exists.",
    finding: Warning "spec.schedule",
    lint: "CJD207" Warning by Check,
    remedy: "Use * * * * *, the most frequent schedule possible. For work that must run more \
             often, use a Deployment.",

    rule EVERY_NOT_ALIGNED_TO_CLOCK: "every-not-aligned-to-clock",
    title: "@every counts from creation, not from a time of day",
    reason: "The first run of @every 24h comes a day after the CronJob is created, at whatever \
             time that is, and each later run a day after the previous one. Deleting and \
             re-creating the CronJob moves all runs, and time zones have no effect.",
    lint: "CJD208" Info by Check,
    remedy: "Use a time of day, such as 0 2 * * *.",

    rule DAY_NOT_IN_EVERY_MONTH: "day-not-in-every-month",
    title: "Day does not exist in every month",
    reason: "A month without the day has no run, and no event is recorded: 0 0 31 * * runs in 7 \
             months of the year, 0 0 30 * * skips February, and 0 0 29 * * skips it except in \
             leap years. Kubernetes has no syntax for the last day of the month.",
    lint: "CJD209" Warning by Check,
    remedy: "Run on day 1 of the next month instead, or on days 28-31 with a command that \
             exits unless tomorrow is day 1. To run only in some months, use months that have \
             the day.",

    rule NEXT_RUN_METRIC_DIFFERS: "next-run-metric-differs",
    title: "kube-state-metrics reports a different next run",
    reason: "Since 2.19, kube-state-metrics computes kube_cronjob_next_schedule_time with another \
             cron library than the controller. It differs if both day fields are restricted, if a \
             clock change skips a run, or if a step is not smaller than its range, as in */60.",
    lint: "CJD210" Info { is_off_by_default: true } by Check,
    remedy: "Do not use kube_cronjob_next_schedule_time for this CronJob, or write the schedule so \
             that both libraries agree.",

    rule COMMENT_CONTRADICTS_SCHEDULE: "comment-contradicts-schedule",
    title: "Comment contradicts the schedule",
    reason: "A comment beside the schedule says how often or at what time it runs, and the schedule says something else. \
             0 4 * * * is not every 4 hours, but once a day at 04:00.",
    lint: "CJD211" Info by Check,
    remedy: "Correct the one that is wrong.",
}
