//! Rules about schedules.

use super::{FindingRule, LintRule, LintSource, Rule, Severity, example};

pub(crate) static NEVER_SCHEDULED: Rule = Rule {
    name: "never-scheduled",
    title: "the schedule never runs",
    reason: "The API server accepts a schedule for dates that do not exist. The controller finds \
             no next run, records InvalidSchedule once, and starts nothing; the event is gone \
             after an hour. In a cluster, one that is suspended or was run manually is not \
             reported.",
    finding: Some(FindingRule {
        severity: Severity::Error,
        field: Some("spec.schedule"),
    }),
    lint: Some(LintRule {
        code: "CJD201",
        severity: Severity::Error,
        remedy: "Name dates that exist. If the CronJob is only started manually, set suspend: \
                 true.",
        source: LintSource::Check,
        example: example!("never-scheduled"),
    }),
};

pub(crate) static SCHEDULE_UNPARSEABLE: Rule = Rule {
    name: "schedule-unparseable",
    title: "the schedule cannot be read",
    reason: "The controller stops syncing a CronJob whose schedule it cannot parse until the \
             CronJob is changed. A schedule that an older release accepted can be invalid after an \
             upgrade.",
    finding: Some(FindingRule {
        severity: Severity::Error,
        field: Some("spec.schedule"),
    }),
    lint: None,
};

pub(crate) static HOT_LOOP: Rule = Rule {
    name: "hot-loop",
    title: "the controller looks at it in a hot loop",
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
    title: "a day of the month OR a day of the week",
    reason: "Where both day fields are restricted, a day needs to satisfy only one of them: 0 0 13 \
             * 5 runs on every 13th and on every Friday, and not just on Fridays that are the \
             13th. Cron has always done so, and hardly anybody expects it.",
    finding: None,
    lint: Some(LintRule {
        code: "CJD202",
        severity: Severity::Warning,
        remedy: "Restrict one of the two day fields, and let the program itself look at the other. \
                 Where either is really meant, two CronJobs say so.",
        source: LintSource::Check,
        example: example!("either-day-field"),
    }),
};

pub(crate) static UNEVEN_STEP: Rule = Rule {
    name: "uneven-step",
    title: "a step that begins anew before it is over",
    reason: "Steps are counted from the beginning of their field: */45 is minute 0 and minute 45 \
             of each hour, which is 45 minutes and then 15. What was meant to come at an even pace \
             comes twice in short succession, once each round.",
    finding: None,
    lint: Some(LintRule {
        code: "CJD203",
        severity: Severity::Warning,
        remedy: "Take a step that divides the round (60 minutes, 24 hours, 12 months), or @every, \
                 which keeps an even pace, counted from the run before.",
        source: LintSource::Check,
        example: example!("uneven-step"),
    }),
};

pub(crate) static STEP_TOO_LARGE: Rule = Rule {
    name: "step-too-large",
    title: "a step larger than its range",
    reason: "A step does not lead out of its field: */90 begins anew with each hour, so that only \
             minute 0 is left of it, and it runs every hour. The API server takes it without a \
             word.",
    finding: None,
    lint: Some(LintRule {
        code: "CJD204",
        severity: Severity::Warning,
        remedy: "Put the step into the field that has the room for it, such as 0 */2 * * * for \
                 every two hours; @every 90m keeps other paces.",
        source: LintSource::Check,
        example: example!("step-too-large"),
    }),
};

pub(crate) static EVERY_MINUTE_OF_HOUR: Rule = Rule {
    name: "every-minute-of-hour",
    title: "every minute of a single hour or day",
    reason: "A star for the minute is every minute: * 6 * * * does not run at 06:00, but sixty \
             times from 06:00 to 06:59.",
    finding: None,
    lint: Some(LintRule {
        code: "CJD205",
        severity: Severity::Warning,
        remedy: "Write 0 for the minute if once is meant.",
        source: LintSource::Check,
        example: example!("every-minute-of-hour"),
    }),
};

pub(crate) static STEPPED_STAR_CHANGED: Rule = Rule {
    name: "stepped-star-changed",
    title: "day fields that mean something else from 1.22 on",
    reason: "Up to Kubernetes 1.21 */2 counts as a star where the two day fields are combined, so \
             that a day must satisfy both; since 1.22 it does not, and either is enough. The same \
             manifest runs on other days after the upgrade.",
    finding: None,
    lint: Some(LintRule {
        code: "CJD206",
        severity: Severity::Warning,
        remedy: "Restrict one of the two day fields only.",
        source: LintSource::Check,
        example: example!("stepped-star-changed"),
    }),
};

pub(crate) static SUB_MINUTE_EVERY: Rule = Rule {
    name: "sub-minute-every",
    title: "runs less than a minute apart",
    reason: "Since Kubernetes 1.21 the name of a Job contains the minute of its scheduled time. Of \
             several runs in one minute only one is started.",
    finding: Some(FindingRule {
        severity: Severity::Warning,
        field: Some("spec.schedule"),
    }),
    lint: Some(LintRule {
        code: "CJD207",
        severity: Severity::Warning,
        remedy: "Write * * * * *, the most frequent schedule there is. For work that must run more \
                 often, use a Deployment.",
        source: LintSource::Check,
        example: example!("sub-minute-every"),
    }),
};

pub(crate) static EVERY_NOT_ALIGNED_TO_CLOCK: Rule = Rule {
    name: "every-not-aligned-to-clock",
    title: "@every counts from the creation, and not from a time of day",
    reason: "The first run of @every 24h comes a day after the CronJob is created, whatever the \
             time, and each other one a day after the one before. Whoever deletes it and creates \
             it anew begins to count again, and no time zone has a say.",
    finding: None,
    lint: Some(LintRule {
        code: "CJD208",
        severity: Severity::Info,
        remedy: "Write the time of day that is meant, such as 0 2 * * *.",
        source: LintSource::Check,
        example: example!("every-not-aligned-to-clock"),
    }),
};

pub(crate) static DAY_NOT_IN_EVERY_MONTH: Rule = Rule {
    name: "day-not-in-every-month",
    title: "a day that some months do not have",
    reason: "A month without the day has no run: 0 0 31 * * runs in 7 months of the year, 0 0 30 * \
             * skips February, and 0 0 29 * * skips it in three of four years. No event reports \
             it. Kubernetes has no notation for the last day of the month.",
    finding: None,
    lint: Some(LintRule {
        code: "CJD209",
        severity: Severity::Warning,
        remedy: "Run on day 1 of the next month instead, or on days 28-31 with a command that \
                 exits unless tomorrow is day 1. To run only in some months, name months that have \
                 the day.",
        source: LintSource::Check,
        example: example!("day-not-in-every-month"),
    }),
};

pub(crate) static SIMULTANEOUS_STARTS: Rule = Rule {
    name: "simultaneous-starts",
    title: "many CronJobs start in the same minute",
    reason: "Schedules written by hand meet at full hours. Their Jobs are created in one burst, \
             and their pods are scheduled, pull their images and reach for the same databases at \
             once.",
    finding: None,
    lint: Some(LintRule {
        code: "CJD701",
        severity: Severity::Info,
        remedy: "Give them different minutes.",
        source: LintSource::Check,
        example: example!("simultaneous-starts"),
    }),
};
