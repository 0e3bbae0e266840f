//! Rules about deadlines, missed runs and suspension.

use super::{FindingRule, LintRule, LintSource, Rule, Severity, example};

pub(crate) static STARTING_DEADLINE_ZERO: Rule = Rule {
    name: "starting-deadline-zero",
    title: "startingDeadlineSeconds: 0 prevents every run",
    reason: "The controller always syncs a moment after a scheduled time. With \
             startingDeadlineSeconds: 0 every run is past its deadline by then, and no event is \
             recorded.",
    finding: Some(FindingRule {
        severity: Severity::Error,
        field: Some("spec.startingDeadlineSeconds"),
    }),
    lint: Some(LintRule {
        code: "CJD401",
        severity: Severity::Error,
        remedy: "Give the runs some time to start, such as startingDeadlineSeconds: 300, or leave \
                 the field out. To stop a CronJob, set suspend: true.",
        source: LintSource::Check,
        example: example!("starting-deadline-zero"),
    }),
};

pub(crate) static STARTING_DEADLINE_UNDER_10S: Rule = Rule {
    name: "starting-deadline-under-10s",
    title: "a deadline of less than 10 seconds",
    reason: "Up to Kubernetes 1.20 the controller syncs only every 10 seconds: a run can be 10 \
             seconds late when the controller first sees it, and is lost if its deadline is \
             shorter. Since 1.21 the controller syncs a tenth of a second after each scheduled \
             time. But when the controller manager elects a new leader, which takes about 15 \
             seconds, a run that is due then is lost without an event.",
    finding: Some(FindingRule {
        severity: Severity::Warning,
        field: Some("spec.startingDeadlineSeconds"),
    }),
    lint: Some(LintRule {
        code: "CJD402",
        severity: Severity::Warning,
        remedy: "Give the runs more time to start, such as startingDeadlineSeconds: 60, or as long \
                 as a late run is still useful.",
        source: LintSource::Check,
        example: example!("starting-deadline-under-10s"),
    }),
};

pub(crate) static STARTING_DEADLINE_OVER_100_PERIODS: Rule = Rule {
    name: "starting-deadline-over-100-periods",
    title: "a deadline of more than a hundred periods",
    reason: "The controller counts the missed starts within the deadline. Up to Kubernetes 1.20 it \
             starts nothing any more once they are more than 100; since 1.21 it records a warning \
             with each look and starts the last one, as if there were no deadline. The field is \
             there to keep the count small.",
    finding: None,
    lint: Some(LintRule {
        code: "CJD403",
        severity: Severity::Warning,
        remedy: "Set it to as long as a late run is still of use.",
        source: LintSource::Check,
        example: example!("starting-deadline-over-100-periods"),
    }),
};

pub(crate) static STARTING_DEADLINE_UNSET_STOPS: Rule = Rule {
    name: "starting-deadline-unset-stops",
    title: "without a deadline it can stop for ever",
    reason: "Up to Kubernetes 1.20 the controller gives up once more than 100 starts were missed \
             since the last one: while it was down, while the CronJob was suspended, or while \
             Forbid held runs back. The count only grows, so it never recovers by itself. Only the \
             starts within startingDeadlineSeconds count.",
    finding: None,
    lint: Some(LintRule {
        code: "CJD404",
        severity: Severity::Warning,
        remedy: "Set startingDeadlineSeconds.",
        source: LintSource::Check,
        example: example!("starting-deadline-unset-stops"),
    }),
};

pub(crate) static STARTING_DEADLINE_UNSET: Rule = Rule {
    name: "starting-deadline-unset",
    title: "no deadline on a very frequent schedule",
    reason: "Since Kubernetes 1.21 nothing is lost without a deadline: however many starts were \
             missed, the last of them is made up for. But beyond 100 of them the controller \
             records the warning TooManyMissedTimes, which sounds as if it had stopped, and whose \
             advice is to set startingDeadlineSeconds. A run each minute gets there in less than \
             two hours.",
    finding: None,
    lint: Some(LintRule {
        code: "CJD405",
        severity: Severity::Info,
        remedy: "Set startingDeadlineSeconds: 60; the next run is never far.",
        source: LintSource::Check,
        example: example!("starting-deadline-unset"),
    }),
};

pub(crate) static STARTING_DEADLINE_SHORTER_THAN_DELAY: Rule = Rule {
    name: "starting-deadline-shorter-than-delay",
    title: "the deadline is shorter than the usual delay",
    reason: "A run that is later than startingDeadlineSeconds when the controller syncs is not \
             started, and no event is recorded. A deadline below the delay that this cluster \
             usually has loses runs.",
    finding: Some(FindingRule {
        severity: Severity::Warning,
        field: Some("spec.startingDeadlineSeconds"),
    }),
    lint: None,
};

pub(crate) static STARTING_DEADLINE_EXCEEDED: Rule = Rule {
    name: "starting-deadline-exceeded",
    title: "runs missed their deadline",
    reason: "A run that is not started within startingDeadlineSeconds is skipped for good, and no \
             event is recorded. The finding stays until the next run starts. It is an error if \
             more than a period and an hour went by without a start.",
    finding: Some(FindingRule {
        severity: Severity::Warning,
        field: Some("spec.startingDeadlineSeconds"),
    }),
    lint: None,
};

pub(crate) static TOO_MANY_MISSED_STOPS: Rule = Rule {
    name: "too-many-missed-stops",
    title: "more than 100 missed: it never starts again",
    reason: "The controller of Kubernetes 1.20 and older gives up once more than 100 starts were \
             missed. The count only grows, so it never recovers by itself.",
    finding: Some(FindingRule {
        severity: Severity::Error,
        field: Some("spec.startingDeadlineSeconds"),
    }),
    lint: None,
};

pub(crate) static TOO_MANY_MISSED: Rule = Rule {
    name: "too-many-missed",
    title: "more than 100 starts were missed",
    reason: "The count is an estimate from the interval of the first two missed runs. Above 100 \
             the controller records the warning TooManyMissedTimes with each sync. Since 1.21 it \
             still starts the latest missed run, contrary to the documentation.",
    finding: Some(FindingRule {
        severity: Severity::Warning,
        field: Some("spec.startingDeadlineSeconds"),
    }),
    lint: None,
};

pub(crate) static TOO_MANY_MISSED_SOON: Rule = Rule {
    name: "too-many-missed-soon",
    title: "soon more than 100 starts will have been missed",
    reason: "Up to Kubernetes 1.20 the controller stops starting runs once more than 100 start \
             times were missed. Since 1.21 it only records a warning, which reads as if it had \
             stopped.",
    finding: Some(FindingRule {
        severity: Severity::Info,
        field: Some("spec.startingDeadlineSeconds"),
    }),
    lint: None,
};

pub(crate) static MISSED_WITHOUT_EVENT: Rule = Rule {
    name: "missed-without-event",
    title: "slots were missed, and nothing says so",
    reason: "The controller estimates where the last missed run must be from the interval of the \
             first two, and searches only there. Where a schedule pauses, at night or over a \
             weekend, it finds nothing: it starts no Job and records no event.",
    finding: Some(FindingRule {
        severity: Severity::Warning,
        field: Some("spec.schedule"),
    }),
    lint: None,
};

pub(crate) static START_OVERDUE: Rule = Rule {
    name: "start-overdue",
    title: "a start is overdue",
    reason: "The controller syncs a tenth of a second after each scheduled time (before 1.21, \
             every ten seconds). If a start is long overdue, either the controller manager is not \
             running, or the schedule was edited: an edit of the schedule or its time zone alone \
             does not make the controller sync before the next wake-up in its queue.",
    finding: Some(FindingRule {
        severity: Severity::Warning,
        field: Some("status.lastScheduleTime"),
    }),
    lint: None,
};

pub(crate) static UNEVEN_SCHEDULE_CATCH_UP: Rule = Rule {
    name: "uneven-schedule-catch-up",
    title: "a pause in the schedule can lose the catch-up",
    reason: "After two or more missed slots the controller (since 1.27.4, and some patch releases \
             before) looks for the last one no further back than about the distance of the first \
             two. Where the schedule pauses for longer, at night or over a weekend, it finds \
             nothing then, starts nothing, and records no event.",
    finding: None,
    lint: Some(LintRule {
        code: "CJD410",
        severity: Severity::Info,
        remedy: "Give the last run before the pause a CronJob of its own, if it counts. A deadline \
                 of at most the time between two runs says that late ones are of no use.",
        source: LintSource::Check,
        example: example!("uneven-schedule-catch-up"),
    }),
};

pub(crate) static UNEVEN_SCHEDULE_CAN_MISS_RUNS: Rule = Rule {
    name: "uneven-schedule-can-miss-runs",
    title: "a pause in the schedule can lose the catch-up",
    reason: "After two or more missed runs the controller searches for the last one no further \
             back than about the interval of the first two. Where the schedule pauses for longer, \
             at night or over a weekend, it finds nothing.",
    finding: Some(FindingRule {
        severity: Severity::Info,
        field: Some("spec.schedule"),
    }),
    lint: None,
};

pub(crate) static START_AT_UNSCHEDULED_TIME: Rule = Rule {
    name: "start-at-unscheduled-time",
    title: "a start at a time that is not in the schedule",
    reason: "Kubernetes 1.21 to 1.27.3 multiply the interval of the first two missed runs to find \
             the last one. Unless the schedule is even, the result is a time that is not in the \
             schedule, and a Job is started for it: 0 8-18 * * * that is resumed at 20:30 runs for \
             20:00.",
    finding: Some(FindingRule {
        severity: Severity::Warning,
        field: Some("spec.schedule"),
    }),
    lint: Some(LintRule {
        code: "CJD411",
        severity: Severity::Warning,
        remedy: "Set startingDeadlineSeconds to at most the time between two runs, so that only \
                 one run counts, or upgrade: 1.26.7, 1.27.4 and 1.28 find a time that is in the \
                 schedule.",
        source: LintSource::Check,
        example: example!("start-at-unscheduled-time"),
    }),
};

pub(crate) static SUSPENDED: Rule = Rule {
    name: "suspended",
    title: "suspended",
    reason: "A suspended CronJob starts nothing, and nothing reminds of it. The slots that pass \
             count as missed: unless a deadline says otherwise, the last of them is started the \
             moment it is resumed, at whatever time that is.",
    finding: None,
    lint: Some(LintRule {
        code: "CJD412",
        severity: Severity::Info,
        remedy: "Remove it when its time is over. If the CronJob is only meant to be started by \
                 hand, a schedule that never comes, such as 0 0 30 2 *, says so as well.",
        source: LintSource::Check,
        example: example!("suspended"),
    }),
};

pub(crate) static SUSPENDED_LONG: Rule = Rule {
    name: "suspended-long",
    title: "suspended for long",
    reason: "A suspended CronJob looks healthy in every list. Suspensions for maintenance are \
             forgotten, and the work is not done until someone notices.",
    finding: Some(FindingRule {
        severity: Severity::Warning,
        field: Some("spec.suspend"),
    }),
    lint: None,
};

pub(crate) static RESUME_STARTS_IMMEDIATELY: Rule = Rule {
    name: "resume-starts-immediately",
    title: "if resumed now, a missed run starts at once",
    reason: "When a CronJob is resumed, the controller starts the latest missed run, at whatever \
             time of day that is. Moving status.lastScheduleTime while it is still suspended, or a \
             short startingDeadlineSeconds, prevents this.",
    finding: Some(FindingRule {
        severity: Severity::Info,
        field: Some("spec.suspend"),
    }),
    lint: None,
};

pub(crate) static RESUME_SKIPS_MISSED_RUNS: Rule = Rule {
    name: "resume-skips-missed-runs",
    title: "if resumed now, nothing catches up",
    reason: "A run that was missed during a suspension is expected to be started when the CronJob \
             is resumed. Where a schedule pauses, at night or over a weekend, this release finds \
             none of the missed runs: it starts nothing and records no event.",
    finding: Some(FindingRule {
        severity: Severity::Warning,
        field: Some("spec.suspend"),
    }),
    lint: None,
};
