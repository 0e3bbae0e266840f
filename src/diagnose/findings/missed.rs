//! Missed runs.

use serde_json::json;

use super::super::remedies::{add, counted, one_line};
use super::super::{Facts, FindingDetails, local};
use crate::controller::{Arithmetic, MissedClass, Outcome, TooMany};
use crate::duration::{exact, human};
use crate::forecast::{Edit, Sync, SyncReason};

/// Above 100 missed starts the first generation of the controller refuses indefinitely.
pub(super) fn too_many_missed_stops(facts: &Facts<'_>) -> Option<FindingDetails> {
    // A schedule that never runs comes to the same refusal; that is another rule's.
    facts.next_run()?;
    if facts.prospect().outcome != Outcome::TooManyMissed {
        return None;
    }
    let missed = facts.missed?;
    let when = if facts.is_suspended() {
        "Once resumed, this"
    } else {
        "This"
    };
    let detail = format!(
        "{} slots were missed since {}: more than 100. {when} release records FailedNeedsStart \
         every 10 seconds, starts nothing, and does not recover by itself.",
        missed.count, missed.since
    );
    let seconds = facts.sensible_deadline();
    Some(
        FindingDetails::new(detail)
            .remedy(facts.patch(&json!({ "startingDeadlineSeconds": seconds }))),
    )
}

/// The second generation of the controller warns above 100 missed starts.
pub(super) fn too_many_missed(facts: &Facts<'_>) -> Option<FindingDetails> {
    let decision = facts.prospect();
    let believed = decision
        .missed
        .filter(|missed| missed.class == MissedClass::Many)?;
    let consequence = match decision.outcome {
        Outcome::Start | Outcome::Replace => "starts",
        Outcome::Blocked => "starts, once the running Job has ended,",
        _ => return None,
    };
    let (scheduled_time, missed) = (decision.scheduled_time?, facts.missed?);
    let when = if facts.is_suspended() {
        "If it is resumed now, the"
    } else {
        "The"
    };
    let estimate = believed
        .estimate
        .map_or_else(String::new, |estimate| format!(" {estimate}"));
    let detail = format!(
        "{when} controller counts{estimate} missed starts since {}; really there are {}. It \
         records the warning TooManyMissedTimes and {consequence} the run of {scheduled_time} all the \
         same.",
        believed.since.unwrap_or(missed.since),
        missed.count
    );
    let seconds = facts.sensible_deadline();
    Some(
        FindingDetails::new(detail)
            .remedy(facts.patch(&json!({ "startingDeadlineSeconds": seconds }))),
    )
}

const DAY: i64 = 86_400;

/// The limit of 100 missed starts is near.
pub(super) fn too_many_missed_soon(facts: &Facts<'_>) -> Option<FindingDetails> {
    let blocked = facts.decision.outcome == Outcome::Blocked;
    if !facts.is_suspended() && !blocked {
        return None;
    }
    let many = facts
        .prospect()
        .missed
        .is_some_and(|missed| missed.class == MissedClass::Many);
    let missed = facts.missed?;
    let crossing = missed
        .crosses_limit_at
        .filter(|crossing| *crossing > facts.now && !many)?;
    let (gone, left) = (
        facts.ago(missed.since),
        crossing.as_second() - facts.now.as_second(),
    );
    // Near in time and no longer quite new, or near compared with the way behind.
    let near = (left <= DAY && gone * 3 >= left) || gone >= left * 3;
    if !near {
        return None;
    }
    let keeps = if blocked {
        "blocked by a running Job"
    } else {
        "suspended"
    };
    let then = match facts.behavior().too_many {
        TooMany::Refuses => "From then on this release starts nothing any more, whatever happens.",
        _ => {
            "From then on the controller records the warning TooManyMissedTimes, and still \
             starts the last slot."
        }
    };
    let detail = format!(
        "It is {keeps}, and {} missed since {}. At {crossing}, in {}, the controller counts more \
         than 100. {then}",
        were(missed.count),
        missed.since,
        human(left)
    );
    let seconds = facts.sensible_deadline();
    Some(
        FindingDetails::new(detail)
            .remedy(facts.patch(&json!({ "startingDeadlineSeconds": seconds }))),
    )
}

fn were(slots: u64) -> String {
    format!(
        "{} {}",
        counted(slots, "slot"),
        if slots == 1 { "was" } else { "were" }
    )
}

/// Scheduled times were missed, and the estimate finds none of them.
pub(super) fn missed_without_event(facts: &Facts<'_>) -> Option<FindingDetails> {
    if facts.decision.outcome != Outcome::NoSlotFound {
        return None;
    }
    let (missed, last) = (facts.missed?, facts.last_not_run()?);
    let slots = counted(facts.not_run()?, "slot");
    let mut detail = format!(
        "{slots} since {} got no Job. The last was {last}, {} ago; this release's estimate looks \
         for it where there is none, so it starts nothing and records no event.",
        missed.since,
        human(facts.ago(last))
    );
    if let Some(next) = facts.next_run() {
        add(
            &mut detail,
            format_args!(" The next run is that of {next}."),
        );
    }
    Some(FindingDetails::new(detail).remedy(facts.run_manually()))
}

/// A busy controller is seconds late.
const PATIENCE: i64 = 60;

/// The controller would start a Job, and for some reason has not.
pub(super) fn start_overdue(facts: &Facts<'_>) -> Option<FindingDetails> {
    let decision = &facts.decision;
    if !decision.starts() {
        return None;
    }
    // Without the Jobs it is not known whether one is in the way.
    if !facts.coverage.jobs_read && !facts.cron_job.status.active.is_empty() {
        return None;
    }
    let scheduled_time = decision.scheduled_time?;
    let next = facts.outlook().next_start()?;
    if let (Some(SyncReason::Edited(edit)), Some(job)) = (&next.because, &next.job_name) {
        return Some(edited(facts, next, edit, job));
    }
    let tried = facts.events.iter().any(|event| {
        event.reason == "FailedCreate"
            && event.last_seen().is_some_and(|seen| seen >= scheduled_time)
    });
    let overdue = facts
        .coverage
        .as_of
        .as_second()
        .saturating_sub(scheduled_time.as_second());
    if tried || overdue <= PATIENCE {
        return None;
    }
    let detail = format!(
        "The run scheduled at {scheduled_time} had not started at {}, {} later, and nothing explains it. The \
         controller manager may not be running.",
        facts.coverage.as_of,
        human(overdue)
    );
    Some(FindingDetails::new(detail).remedy(facts.look_at_lease()))
}

/// The schedule was edited, and the controller has not synced since.
fn edited(facts: &Facts<'_>, next: &Sync, edit: &Edit, job: &str) -> FindingDetails {
    let was = edit.before.as_ref().map_or_else(String::new, |before| {
        format!(" (was {})", one_line(&before.schedule))
    });
    let when = match next.at {
        Some(at) => format!("at {}", local(facts, at)),
        None => "when the wake-up of the previous schedule comes, whose time is unknown".to_owned(),
    };
    let detail = format!(
        "The schedule was edited at {} by {}{was}. An edit alone does not make the controller sync: \
         {} starts {when}. Any other update of the CronJob starts it immediately.",
        edit.at,
        one_line(&edit.manager),
        one_line(job)
    );
    let remedy = format!("{}  # starts {} immediately", facts.touch(), one_line(job));
    FindingDetails::new(detail).remedy(remedy)
}

/// Once scheduled times are missed, a pause in the schedule can hide them.
pub(super) fn uneven_schedule_can_miss_runs(facts: &Facts<'_>) -> Option<FindingDetails> {
    let blocked = facts.decision.outcome == Outcome::Blocked;
    let waits = facts.is_suspended() || blocked;
    let looks = facts.behavior().arithmetic == Arithmetic::Looked;
    if !looks || !waits || facts.prospect().outcome == Outcome::NoSlotFound {
        return None;
    }
    let intervals = facts
        .intervals()
        .filter(|intervals| intervals.is_uneven())?;
    let when = if blocked {
        "the running Job ends"
    } else {
        "it is resumed"
    };
    let detail = format!(
        "Runs are {} to {} apart. If two or more are missed and {when} in a long pause, this \
         release may find none of them: it starts nothing and records no event.",
        exact(intervals.shortest),
        exact(intervals.longest)
    );
    let run = facts.run_manually().comment("makes up for a lost run");
    Some(FindingDetails::new(detail).remedy(run))
}

/// The scheduled time that the release computes is none.
pub(super) fn start_at_unscheduled_time(facts: &Facts<'_>) -> Option<FindingDetails> {
    let timetable = facts.timetable.as_ref()?;
    // `@every` has no times of its own, and is even.
    timetable.zone()?;
    let decision = facts.prospect();
    let starts = matches!(
        decision.outcome,
        Outcome::Start | Outcome::Replace | Outcome::Blocked
    );
    if facts.behavior().arithmetic != Arithmetic::Multiplied || !starts {
        return None;
    }
    let scheduled_time = decision
        .scheduled_time
        .filter(|scheduled_time| !timetable.is_scheduled(*scheduled_time))?;
    let when = match decision.outcome {
        _ if facts.is_suspended() => "If it is resumed now",
        Outcome::Blocked => "When the running Job ends",
        _ => "With its next look",
    };
    let mut detail = format!(
        "{when}, Kubernetes {} starts a Job for {scheduled_time}, which is no time of \"{}\".",
        facts.controller.release,
        one_line(&facts.cron_job.spec.schedule)
    );
    if let Some(last) = facts.missed.and_then(|missed| missed.last) {
        add(&mut detail, format_args!(" The last real slot was {last}."));
    }
    let seconds = facts.sensible_deadline();
    let found = FindingDetails::new(detail);
    let with_deadline = facts.decide_if(|spec| {
        spec.suspend = Some(false);
        spec.starting_deadline_seconds = Some(seconds);
    });
    Some(if with_deadline.outcome == Outcome::Wait {
        found.remedy(facts.patch(&json!({ "startingDeadlineSeconds": seconds })))
    } else {
        found.remedy("Upgrade: 1.26.7, 1.27.4 and 1.28 look for a real slot.")
    })
}
