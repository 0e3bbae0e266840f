//! Rules about schedules.

use super::{FindingRule, LintRule, LintSource, Rule, Severity, example};

pub(crate) static NEVER_SCHEDULED: Rule = Rule {
    name: "never-scheduled",
    title: "Schedule never runs",
    reason: "The API server accepts a schedule for dates that do not exist. The controller finds \
             no next run, records InvalidSchedule once, and starts nothing; the event expires \
             after an hour. In a cluster, a CronJob that is suspended or has a manually created \
             Job is not reported.",
    finding: Some(FindingRule {
        severity: Severity::Error,
        field: Some("spec.schedule"),
    }),
    lint: Some(LintRule {
        code: "CJD201",
        severity: Severity::Error,
        remedy: "Use dates that exist. If the CronJob is only started manually, set suspend: true.",
        source: LintSource::Check,
        example: example!("never-scheduled"),
    }),
};

pub(crate) static SCHEDULE_UNPARSEABLE: Rule = Rule {
    name: "schedule-unparseable",
    title: "Schedule cannot be parsed",
    reason: "The controller stops syncing a CronJob whose schedule it cannot parse until the \
             CronJob is changed. A schedule that an older version accepted can be invalid after an \
             upgrade.",
    finding: Some(FindingRule {
        severity: Severity::Error,
        field: Some("spec.schedule"),
    }),
    lint: None,
};

pub(crate) static HOT_LOOP: Rule = Rule {
    name: "hot-loop",
    title: "Controller syncs in a hot loop",
    reason: "Some patch releases compute the next sync from a scheduled time in the past. The \
             controller then syncs again and again without a pause: it occupies a core of the \
             control plane, fills its log, and delays other CronJobs.",
    finding: Some(FindingRule {
        severity: Severity::Error,
        field: Some("spec.schedule"),
    }),
    lint: None,
};

pub(crate) static EITHER_DAY_FIELD: Rule = Rule {
    name: "either-day-field",
    title: "Day of month OR day of week",
    reason: "If both day fields are restricted, a day has to match only one of them: 0 0 13 * 5 \
             runs on every 13th and on every Friday, not only on Friday the 13th. Cron has always \
             worked this way, but few people expect it.",
    finding: None,
    lint: Some(LintRule {
        code: "CJD202",
        severity: Severity::Warning,
        remedy: "Restrict one of the two day fields and let the program itself check the other. If \
                 you really want either day, use two CronJobs.",
        source: LintSource::Check,
        example: example!("either-day-field"),
    }),
};

pub(crate) static UNEVEN_STEP: Rule = Rule {
    name: "uneven-step",
    title: "Step does not divide its range",
    reason: "Steps are counted from the start of their field: */45 matches minutes 0 and 45 of \
             each hour, so the intervals alternate between 45 and 15 minutes.",
    finding: None,
    lint: Some(LintRule {
        code: "CJD203",
        severity: Severity::Warning,
        remedy: "Use a step that divides the range (60 minutes, 24 hours, 12 months), or @every, \
                 which counts a constant interval from the previous run.",
        source: LintSource::Check,
        example: example!("uneven-step"),
    }),
};

pub(crate) static STEP_TOO_LARGE: Rule = Rule {
    name: "step-too-large",
    title: "Step is larger than its range",
    reason: "A step does not reach beyond its field: */90 starts over every hour, so only minute 0 \
             matches, and it runs every hour. The API server accepts it without a warning.",
    finding: None,
    lint: Some(LintRule {
        code: "CJD204",
        severity: Severity::Warning,
        remedy: "Move the step to a larger field, such as 0 */2 * * * for every two hours, or use \
                 @every 90m for other intervals.",
        source: LintSource::Check,
        example: example!("step-too-large"),
    }),
};

pub(crate) static EVERY_MINUTE_OF_HOUR: Rule = Rule {
    name: "every-minute-of-hour",
    title: "Runs every minute of a single hour or day",
    reason: "An asterisk in the minute field matches every minute: * 6 * * * does not run at \
             06:00, but 60 times from 06:00 to 06:59.",
    finding: None,
    lint: Some(LintRule {
        code: "CJD205",
        severity: Severity::Warning,
        remedy: "Set the minute to 0 if you want one run.",
        source: LintSource::Check,
        example: example!("every-minute-of-hour"),
    }),
};

pub(crate) static STEPPED_STAR_CHANGED: Rule = Rule {
    name: "stepped-star-changed",
    title: "Day fields have a different meaning since Kubernetes 1.22",
    reason: "Up to Kubernetes 1.21, */2 in a day field counts as an asterisk, so a day must match \
             both day fields. Since 1.22 it does not, and a day has to match only one. The same \
             manifest runs on other days after the upgrade.",
    finding: None,
    lint: Some(LintRule {
        code: "CJD206",
        severity: Severity::Warning,
        remedy: "Restrict only one of the two day fields.",
        source: LintSource::Check,
        example: example!("stepped-star-changed"),
    }),
};

pub(crate) static SUB_MINUTE_EVERY: Rule = Rule {
    name: "sub-minute-every",
    title: "Runs less than a minute apart",
    reason: "Since Kubernetes 1.21 the name of a Job contains the minute of its scheduled time. Of \
             several runs in one minute only one is started.",
    finding: Some(FindingRule {
        severity: Severity::Warning,
        field: Some("spec.schedule"),
    }),
    lint: Some(LintRule {
        code: "CJD207",
        severity: Severity::Warning,
        remedy: "Use * * * * *, the most frequent schedule possible. For work that must run more \
                 often, use a Deployment.",
        source: LintSource::Check,
        example: example!("sub-minute-every"),
    }),
};

pub(crate) static EVERY_NOT_ALIGNED_TO_CLOCK: Rule = Rule {
    name: "every-not-aligned-to-clock",
    title: "@every counts from creation, not from a time of day",
    reason: "The first run of @every 24h comes a day after the CronJob is created, at whatever \
             time that is, and each later run a day after the previous one. Deleting and \
             re-creating the CronJob moves all runs, and time zones have no effect.",
    finding: None,
    lint: Some(LintRule {
        code: "CJD208",
        severity: Severity::Info,
        remedy: "Use a time of day, such as 0 2 * * *.",
        source: LintSource::Check,
        example: example!("every-not-aligned-to-clock"),
    }),
};

pub(crate) static DAY_NOT_IN_EVERY_MONTH: Rule = Rule {
    name: "day-not-in-every-month",
    title: "Day does not exist in every month",
    reason: "A month without the day has no run: 0 0 31 * * runs in 7 months of the year, 0 0 30 * \
             * skips February, and 0 0 29 * * skips it in three of four years. No event is \
             recorded. Kubernetes has no syntax for the last day of the month.",
    finding: None,
    lint: Some(LintRule {
        code: "CJD209",
        severity: Severity::Warning,
        remedy: "Run on day 1 of the next month instead, or on days 28-31 with a command that \
                 exits unless tomorrow is day 1. To run only in some months, use months that have \
                 the day.",
        source: LintSource::Check,
        example: example!("day-not-in-every-month"),
    }),
};

pub(crate) static SIMULTANEOUS_STARTS: Rule = Rule {
    name: "simultaneous-starts",
    title: "Many CronJobs start in the same minute",
    reason: "Many schedules start on the hour. Their Jobs are created in one burst, and their pods \
             are scheduled, pull images and access the same databases at the same time.",
    finding: None,
    lint: Some(LintRule {
        code: "CJD701",
        severity: Severity::Info,
        remedy: "Use different minutes.",
        source: LintSource::Check,
        example: example!("simultaneous-starts"),
    }),
};
