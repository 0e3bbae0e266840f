//! Rules about deadlines and missed runs.

use super::rules;
use cronjob_controller::controller::Outcome;

rules! {
    rule STARTING_DEADLINE_ZERO: "starting-deadline-zero",
    title: "startingDeadlineSeconds: 0 prevents every run",
    reason: "The controller always syncs a moment after a scheduled time. With \
             startingDeadlineSeconds: 0 every run is past its deadline by then, and no event is \
             recorded.",
    finding: Error "spec.startingDeadlineSeconds",
    lint: "CJD401" Error by Check,
    remedy: "Set a useful time, such as startingDeadlineSeconds: 300, or remove the field. To \
             stop a CronJob, set suspend: true.",

    rule STARTING_DEADLINE_UNDER_10S: "starting-deadline-under-10s",
    title: "startingDeadlineSeconds is less than 10",
    reason: "Up to Kubernetes 1.20 the controller syncs only every 10 seconds, and a run whose \
             deadline has passed before the next sync is missed. Since 1.21 it syncs a tenth of a \
             second after each scheduled time, but runs can be missed while the controller \
             manager elects a new leader, which takes about 15 seconds.",
    finding: Warning "spec.startingDeadlineSeconds" { is_future: true },
    lint: "CJD402" Warning by Check,
    remedy: "Give the runs more time to start, such as startingDeadlineSeconds: 60, or as long \
             as a late run is still useful.",

    rule STARTING_DEADLINE_OVER_100_PERIODS: "starting-deadline-over-100-periods",
    title: "startingDeadlineSeconds covers more than 100 runs",
    reason: "Up to Kubernetes 1.20 the controller starts nothing while more than 100 runs were \
             missed within the deadline. Since 1.21 it can still start the latest run, with a \
             warning.",
    lint: "CJD403" Warning by Check,
    remedy: "Set it to as long as a late run is still useful.",

    rule STARTING_DEADLINE_UNSET_STOPS: "starting-deadline-unset-stops",
    title: "Without startingDeadlineSeconds, the CronJob can stop permanently",
    reason: "Up to Kubernetes 1.20 the controller gives up once more than 100 runs were missed \
             since the last one: while it was down, while the CronJob was suspended, or while \
             Forbid blocked runs. The count only grows, so it never recovers by itself.",
    lint: "CJD404" Warning by Check,
    remedy: "Set startingDeadlineSeconds.",

    rule STARTING_DEADLINE_UNSET: "starting-deadline-unset",
    title: "No startingDeadlineSeconds on a very frequent schedule",
    reason: "Above 100 missed runs the controller (since Kubernetes 1.21) can record the \
             warning TooManyMissedTimes, which reads as if it had stopped, although it can still \
             start the latest run.",
    lint: "CJD405" Info { is_off_by_default: true, needs_runs: true } by Check,
    remedy: "Set startingDeadlineSeconds: 60; the next run is never far away.",

    rule STARTING_DEADLINE_SHORTER_THAN_DELAY: "starting-deadline-shorter-than-delay",
    title: "startingDeadlineSeconds is shorter than the usual delay",
    reason: "A run that is later than startingDeadlineSeconds when the controller syncs is not \
             started, and no event is recorded.",
    finding: Warning "spec.startingDeadlineSeconds" { is_future: true },

    rule STARTING_DEADLINE_EXCEEDED: "starting-deadline-exceeded",
    title: "Runs not started within startingDeadlineSeconds",
    reason: "A run that is not started within startingDeadlineSeconds is skipped, and no event \
             is recorded. Until the next run starts, a longer deadline can still start the \
             latest missed run. The severity is error if two or more runs were missed, the first \
             one at least an hour ago.",
    finding: Warning "spec.startingDeadlineSeconds",

    rule TOO_MANY_MISSED_STOPS: "too-many-missed-stops",
    title: "More than 100 missed runs: nothing starts again",
    reason: "Up to Kubernetes 1.20 the controller gives up once more than 100 runs were missed. \
             Without startingDeadlineSeconds the count only grows, so it never recovers by itself.",
    finding: Error "spec.startingDeadlineSeconds" { repeats: Some(Outcome::TooManyMissed) },

    rule TOO_MANY_MISSED: "too-many-missed",
    title: "More than 100 missed runs",
    reason: "Above 100 missed runs, which it estimates from the interval of the first two, the \
             controller (since Kubernetes 1.21) can still start a run, and then records the \
             warning TooManyMissedTimes.",
    finding: Warning "spec.startingDeadlineSeconds",

    rule TOO_MANY_MISSED_SOON: "too-many-missed-soon",
    title: "Soon more than 100 missed runs",
    reason: "Above 100 missed runs, Kubernetes up to 1.20 starts nothing. Since 1.21 there is a \
             warning at most.",
    finding: Info "spec.startingDeadlineSeconds" { is_future: true },

    rule MISSED_WITHOUT_EVENT: "missed-without-event",
    title: "Runs missed without an event",
    reason: "After two or more missed runs the controller (since 1.27.4, and some patch \
             releases before) estimates the latest one from the interval of the first two, and \
             searches only there. Where a schedule pauses, at night or over a weekend, it may \
             find nothing: it starts no Job and records no event.",
    finding: Warning "spec.schedule" { repeats: Some(Outcome::NoRunFound) },

    rule START_OVERDUE: "start-overdue",
    title: "Start is overdue",
    reason: "The controller syncs a tenth of a second after each scheduled time (before 1.21, \
             every ten seconds). Usual causes of a late start: the controller manager is not \
             running, an earlier attempt failed and is repeated after up to 1,000 s, or only the \
             schedule or its time zone was edited, which does not make the controller sync \
             immediately.",
    finding: Warning "status.lastScheduleTime",
}

/// A deadline that lets a late controller catch up without starting what is long past: half the
/// shortest period, but at least a minute and at most an hour. A schedule of `@every` would never run
/// with one that is shorter than its period.
pub fn sensible_deadline(shortest: i64, is_every: bool) -> i64 {
    if is_every {
        shortest.saturating_mul(2).max(60)
    } else {
        (shortest / 2).clamp(60, 3_600)
    }
}
