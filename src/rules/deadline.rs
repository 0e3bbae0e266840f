//! Rules about deadlines, missed runs and suspension.

use super::{RuleTopic, rule};
use crate::controller::Outcome;

rule! {
    STARTING_DEADLINE_ZERO: "starting-deadline-zero",
    title: "startingDeadlineSeconds: 0 prevents every run",
    reason: "The controller always syncs a moment after a scheduled time. With \
             startingDeadlineSeconds: 0 every run is past its deadline by then, and no event is \
             recorded.",
    finding: Error "spec.startingDeadlineSeconds",
    lint: "CJD401" Error by Check,
    remedy: "Set a useful time, such as startingDeadlineSeconds: 300, or remove the field. To \
             stop a CronJob, set suspend: true.",
}

rule! {
    STARTING_DEADLINE_UNDER_10S: "starting-deadline-under-10s",
    title: "startingDeadlineSeconds is less than 10",
    reason: "Up to Kubernetes 1.20 the controller syncs only every 10 seconds: a run can be 10 \
             seconds late when the controller first sees it, and is missed if its deadline is \
             shorter. Since 1.21 the controller syncs a tenth of a second after each scheduled \
             time. But when the controller manager elects a new leader, which takes about 15 \
             seconds, a run that is due in the meantime is missed without an event.",
    finding: Warning "spec.startingDeadlineSeconds" { is_future: true },
    lint: "CJD402" Warning by Check,
    remedy: "Give the runs more time to start, such as startingDeadlineSeconds: 60, or as long \
             as a late run is still useful.",
}

rule! {
    STARTING_DEADLINE_OVER_100_PERIODS: "starting-deadline-over-100-periods",
    title: "startingDeadlineSeconds covers more than 100 runs",
    reason: "The controller counts the missed runs within the deadline. Up to Kubernetes 1.20 it \
             no longer starts anything once there are more than 100; since 1.21 it records a \
             warning with each sync and starts the latest one, as if there were no deadline. The \
             purpose of the field is to keep the count small.",
    lint: "CJD403" Warning by Check,
    remedy: "Set it to as long as a late run is still useful.",
}

rule! {
    STARTING_DEADLINE_UNSET_STOPS: "starting-deadline-unset-stops",
    title: "Without startingDeadlineSeconds, the CronJob can stop permanently",
    reason: "Up to Kubernetes 1.20 the controller gives up once more than 100 runs were missed \
             since the last one: while it was down, while the CronJob was suspended, or while \
             Forbid blocked runs. The count only grows, so it never recovers by itself. With \
             startingDeadlineSeconds, only runs within that time count.",
    lint: "CJD404" Warning by Check,
    remedy: "Set startingDeadlineSeconds.",
}

rule! {
    STARTING_DEADLINE_UNSET: "starting-deadline-unset",
    title: "No startingDeadlineSeconds on a very frequent schedule",
    reason: "Since Kubernetes 1.21, no matter how many runs were missed, the latest one is still \
             started. But above 100 the controller records the warning TooManyMissedTimes, which \
             reads as if it had stopped and recommends startingDeadlineSeconds. With a run every \
             minute, this takes less than two hours.",
    lint: "CJD405" Info by Check,
    remedy: "Set startingDeadlineSeconds: 60; the next run is never far away.",
}

rule! {
    STARTING_DEADLINE_SHORTER_THAN_DELAY: "starting-deadline-shorter-than-delay",
    title: "startingDeadlineSeconds is shorter than the usual delay",
    reason: "A run that is later than startingDeadlineSeconds when the controller syncs is not \
             started, and no event is recorded. Starts are late if many CronJobs are due at the same \
             time; the delay is estimated as in load. If the deadline is shorter than the delay, \
             runs are missed.",
    finding: Warning "spec.startingDeadlineSeconds" { is_future: true },
}

rule! {
    STARTING_DEADLINE_EXCEEDED: "starting-deadline-exceeded",
    title: "Runs not started within startingDeadlineSeconds",
    reason: "A run that is not started within startingDeadlineSeconds is skipped for good, and no \
             event is recorded. The finding stays until the next run starts. The severity is error \
             if more than a period and an hour have passed without a start.",
    finding: Warning "spec.startingDeadlineSeconds",
}

rule! {
    TOO_MANY_MISSED_STOPS: "too-many-missed-stops",
    title: "More than 100 missed runs: nothing starts again",
    reason: "The controller of Kubernetes 1.20 and older gives up once more than 100 runs were \
             missed. The count only grows, so it never recovers by itself.",
    finding: Error "spec.startingDeadlineSeconds" { repeats: Some(Outcome::TooManyMissed) },
}

rule! {
    TOO_MANY_MISSED: "too-many-missed",
    title: "More than 100 missed runs",
    reason: "The count is an estimate from the interval of the first two missed runs. Above 100 \
             the controller records the warning TooManyMissedTimes with each sync. Since 1.21 it \
             still starts the latest missed run, contrary to the documentation.",
    finding: Warning "spec.startingDeadlineSeconds",
}

rule! {
    TOO_MANY_MISSED_SOON: "too-many-missed-soon",
    title: "Soon more than 100 missed runs",
    reason: "Up to Kubernetes 1.20 the controller stops starting runs once more than 100 were \
             missed. Since 1.21 it only records a warning, which reads as if it had stopped.",
    finding: Info "spec.startingDeadlineSeconds" { is_future: true },
}

rule! {
    MISSED_WITHOUT_EVENT: "missed-without-event",
    title: "Runs missed without an event",
    reason: "The controller estimates the latest missed run from the interval of the first two, \
             and searches only there. Where a schedule pauses, at night or over a weekend, it \
             finds nothing: it starts no Job and records no event.",
    finding: Warning "spec.schedule" { repeats: Some(Outcome::NoRunFound) },
}

rule! {
    START_OVERDUE: "start-overdue",
    title: "Start is overdue",
    reason: "The controller syncs a tenth of a second after each scheduled time (before 1.21, \
             every ten seconds). If a start is long overdue, the controller manager is not running, an \
             earlier attempt failed (the controller then retries after at most 1,000 s, even if the \
             cause is gone), or the schedule was edited: an edit of only the schedule or its time \
             zone does not make the controller sync before the next wake-up in its queue.",
    finding: Warning "status.lastScheduleTime",
}

rule! {
    UNEVEN_SCHEDULE_CATCH_UP: "uneven-schedule-catch-up",
    title: "Runs missed before a pause in the schedule may never start",
    reason: "After two or more missed runs the controller (since 1.27.4, and some patch releases \
             before) searches for the latest one no further back than about the interval of the \
             first two. Where the schedule pauses for longer, at night or over a weekend, it finds \
             nothing, starts nothing, and records no event.",
    lint: "CJD410" Info by Check,
    remedy: "If the last run before the pause matters, give it its own CronJob. If late runs \
             are useless, set startingDeadlineSeconds to at most the time between two runs.",
}

rule! {
    UNEVEN_SCHEDULE_CAN_MISS_RUNS: "uneven-schedule-can-miss-runs",
    title: "Runs missed before a pause in the schedule may never start",
    reason: "After two or more missed runs the controller searches for the latest one no further \
             back than about the interval of the first two. Where the schedule pauses for longer, \
             at night or over a weekend, it finds nothing.",
    finding: Info "spec.schedule" { is_future: true },
}

rule! {
    START_AT_UNSCHEDULED_TIME: "start-at-unscheduled-time",
    title: "Start at a time that is not in the schedule",
    reason: "Kubernetes 1.21 to 1.27.3 multiply the interval of the first two missed runs to find \
             the latest one. Unless the schedule is even, the result is a time that is not in the \
             schedule, and a Job is started for it: 0 8-18 * * *, resumed at 20:30, runs for \
             20:00.",
    finding: Warning "spec.schedule",
    lint: "CJD411" Warning by Check,
    remedy: "Set startingDeadlineSeconds to at most the time between two runs, so that only \
             one run counts, or upgrade: 1.26.7, 1.27.4 and 1.28 find a time that is in the \
             schedule.",
}

rule! {
    SUSPENDED: "suspended",
    title: "CronJob is suspended",
    reason: "A suspended CronJob starts nothing, and nothing reminds anyone of it. Its runs count \
             as missed: unless startingDeadlineSeconds prevents it, the latest one starts as soon \
             as the CronJob is resumed, at whatever time that is.",
    lint: "CJD412" Info by Check,
    remedy: "Remove suspend: true when the CronJob should run again. If it is only started \
             manually, ignore this rule.",
}

rule! {
    SUSPEND_UNSET: "suspend-unset",
    title: "spec.suspend is not stated",
    reason: "A tool that applies manifests, such as Argo CD, leaves a field alone that the manifest \
             does not state. A CronJob that was suspended manually then stays suspended, and \
             neither Git nor the tool shows it.",
    lint: "CJD413" Info { is_off_by_default: true } by Check,
    remedy: "Set suspend: false, so that a manual suspension ends with the next sync.",
}

rule! {
    SUSPENDED_LONG: "suspended-long",
    title: "Suspended for a long time",
    reason: "A suspended CronJob looks healthy in every list. Suspensions for maintenance are \
             forgotten, and the work is not done until someone notices.",
    finding: Warning "spec.suspend" { is_future: true, topic: Some(RuleTopic::Suspension) },
}

rule! {
    SUSPENDED_PAST_UNTIL: "suspended-past-until",
    title: "Suspended past the planned end",
    reason: "suspend --until records when a suspension should end, in the annotation \
             cronjob-doctor/suspended-until. Nothing resumes the CronJob automatically: its runs are \
             missed until someone does.",
    finding: Warning "spec.suspend" { topic: Some(RuleTopic::Suspension) },
}

rule! {
    SUSPENDED_OUTSIDE_GITOPS: "suspended-outside-gitops",
    title: "Suspended manually although a GitOps tool manages it",
    reason: "A manual suspension of a CronJob that Argo CD or Flux manages is not in Git. If a \
             manifest states spec.suspend, the next sync undoes the suspension without notice. If \
             none does, the suspension remains, and nothing in Git or in the GitOps tool shows it.",
    finding: Info "spec.suspend" { topic: Some(RuleTopic::Suspension) },
}

rule! {
    STALE_SUSPENSION_ANNOTATIONS: "stale-suspension-annotations",
    title: "Annotations of an earlier suspension",
    reason: "suspend records who suspended a CronJob, when, why and until when in annotations, and \
             resume removes them. If another client resumed the CronJob, they stay, and describe \
             a suspension that has ended.",
    finding: Info "metadata.annotations",
}

rule! {
    RESUME_STARTS_IMMEDIATELY: "resume-starts-immediately",
    title: "Resuming starts a missed run immediately",
    reason: "When a CronJob is resumed, the controller starts the latest missed run, at whatever \
             time of day that is. Moving status.lastScheduleTime while it is still suspended, or a \
             short startingDeadlineSeconds, prevents this.",
    finding: Info "spec.suspend" { is_future: true, repeats: Some(Outcome::Suspended) },
}

rule! {
    RESUME_SKIPS_MISSED_RUNS: "resume-skips-missed-runs",
    title: "Resuming will not start the missed runs",
    reason: "When a CronJob is resumed, people expect the latest missed run to start. Where a \
             schedule pauses, at night or over a weekend, this Kubernetes version finds none of \
             the missed runs: it starts nothing and records no event.",
    finding: Warning "spec.suspend" { is_future: true, repeats: Some(Outcome::Suspended) },
}
