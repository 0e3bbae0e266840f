//! Missed runs.

use jiff::Timestamp;
use serde_json::json;

use super::super::verdict::{overdue_cause, was};
use super::super::{
    Facts, FindingDetails, MissedRuns, Severity, action_time, local, one_line, when,
};
use super::suspended::ways_on;
use cronjob_controller::controller::{Arithmetic, Decision, MissedClass, Outcome, TooMany};
use cronjob_controller::forecast::{Edit, Sync, SyncCondition, SyncReason, Uncertainty};
use cronjob_text::duration::{exact, human};
use cronjob_text::text::Text;
use cronjob_text::words::{counted, plural};

/// Above 100 missed starts the first generation of the controller refuses indefinitely.
pub(super) fn too_many_missed_stops(facts: &Facts<'_>) -> Option<FindingDetails> {
    // A schedule that never runs has the same outcome, which another rule reports.
    facts.next_run()?;
    if facts.prospect().outcome != Outcome::TooManyMissed {
        return None;
    }
    let missed = facts.missed?;
    let start = facts.outlook().next_start();
    let recovers = match start.and_then(|start| start.at) {
        Some(at) => text!(
            "starts again about {}, when fewer are within its deadline",
            when(facts, at)
        ),
        None => "does not recover by itself".into(),
    };
    let when = if facts.input.is_suspended() {
        "Once it is resumed, the"
    } else {
        "The"
    };
    let detail = text!(
        "{}{} controller of Kubernetes {} records FailedNeedsStart every 10 seconds, starts nothing, \
         and {}.",
        Text::aside(text!(
            "{} since {} were missed, more than 100. ",
            counted(missed.count, "run"),
            local(facts, first_missed(missed))
        )),
        when,
        facts.input.controller.release,
        recovers
    );
    Some(FindingDetails::new(detail).remedy(facts.set_deadline()))
}

/// The second generation of the controller warns above 100 missed starts.
pub(super) fn too_many_missed(facts: &Facts<'_>) -> Option<FindingDetails> {
    let decision = facts.prospect();
    let believed = decision
        .missed
        .filter(|missed| missed.class == MissedClass::Many)?;
    let consequence = match decision.outcome {
        Outcome::Start | Outcome::Replace => "still starts",
        Outcome::Blocked => "still starts, once the running Job has finished,",
        _ => return None,
    };
    let (scheduled_time, missed) = (decision.scheduled_time?, facts.missed?);
    let when = if facts.input.is_suspended() {
        "If it is resumed now, the"
    } else {
        "The"
    };
    let exact = believed.estimate.map(u64::try_from);
    let estimate = match believed.estimate {
        Some(estimate) if exact != Some(Ok(missed.count)) => {
            text!("; the controller estimates {}", estimate)
        }
        _ => Text::default(),
    };
    let detail = text!(
        "{} missed since {}{}. {} controller records the warning TooManyMissedTimes \
         (above 100) and {} the run scheduled at {}.",
        counted(missed.count, "run"),
        local(facts, believed.since.unwrap_or(missed.since)),
        estimate,
        when,
        consequence,
        local(facts, scheduled_time)
    );
    let found = FindingDetails::new(detail);
    let deadline = facts.input.cron_job.spec.starting_deadline_seconds;
    Some(match deadline {
        _ if facts.input.is_suspended() => found.remedy(ways_on(facts)),
        // A shorter deadline would lose more runs.
        Some(_) => found,
        None => found.remedy(facts.set_deadline()),
    })
}

const DAY: i64 = 86_400;

pub(super) fn too_many_missed_soon(facts: &Facts<'_>) -> Option<FindingDetails> {
    let blocked = facts.decision.outcome == Outcome::Blocked;
    if !facts.input.is_suspended() && !blocked {
        return None;
    }
    let believed = facts.prospect().missed;
    let many = believed.is_some_and(|missed| missed.class == MissedClass::Many);
    let missed = facts.missed?;
    let crossing = missed.crosses_limit_at.filter(|_| !many)?;
    let left = crossing.as_second() - facts.input.now.as_second();
    if left <= 0 {
        return None;
    }
    let gone = facts.input.ago(missed.since);
    // Within a day and more than a quarter of the way there, or three quarters of the way.
    let near = (left <= DAY && gone * 3 >= left) || gone >= left * 3;
    if !near {
        return None;
    }
    let keeps = if blocked {
        "blocked by a running Job"
    } else {
        "suspended"
    };
    let then = match facts.input.behavior().too_many {
        TooMany::Refuses => "From then on, this Kubernetes version never starts anything again.",
        _ => {
            "From then on, the controller records the warning TooManyMissedTimes with a late start."
        }
    };
    let detail = text!(
        "It is {}, and {} since {} {} missed. At {}, the controller will count more than 100. \
         {}",
        keeps,
        counted(missed.count, "run"),
        local(facts, first_missed(missed)),
        plural(missed.count, "was", "were"),
        when(facts, crossing),
        then
    );
    let remedy = if blocked {
        facts.set_deadline()
    } else {
        ways_on(facts)
    };
    Some(FindingDetails::new(detail).remedy(remedy))
}

pub(super) fn missed_without_event(facts: &Facts<'_>) -> Option<FindingDetails> {
    finds_none(facts, &facts.decision, "", "Next run:")
}

/// Says that the estimate of a decision finds no run, `when` it is made. `next_run` introduces the next run.
pub(super) fn finds_none(
    facts: &Facts<'_>,
    decision: &Decision,
    when: &str,
    next_run: &str,
) -> Option<FindingDetails> {
    if decision.outcome != Outcome::NoRunFound {
        return None;
    }
    let (missed, last) = (facts.missed?, facts.last_not_run()?);
    let not_started = not_started(facts, missed, last, facts.not_run()?);
    let not_started = Text::aside(text!("{} ", not_started));
    let mut detail = text!(
        "{}{}{} estimates the latest missed run from the interval of the first two, \
         finds none there, starts nothing and records no event.",
        not_started,
        when,
        facts.input.controller_name()
    );
    if let Some(next) = facts.next_run() {
        let next = facts.local_without_zone(next);
        detail += Text::aside(text!(" {} {}.", next_run, next));
    }
    Some(FindingDetails::new(detail).remedy(facts.input.backfill()))
}

fn first_missed(missed: MissedRuns) -> Timestamp {
    missed.first.unwrap_or(missed.since)
}

/// `33 runs since T were not started; the last was scheduled at T (2d ago).`
fn not_started(facts: &Facts<'_>, missed: MissedRuns, last: Timestamp, runs: u64) -> Text {
    text!(
        "{} since {} {} not started; the last was scheduled at {} ({} ago).",
        counted(runs, "run"),
        local(facts, first_missed(missed)),
        plural(runs, "was", "were"),
        facts.local_without_zone(last),
        human(facts.input.ago(last))
    )
}

/// A busy controller is seconds late.
const PATIENCE: i64 = 60;

pub(super) fn start_overdue(facts: &Facts<'_>) -> Option<FindingDetails> {
    let decision = &facts.decision;
    if !decision.starts() {
        return None;
    }
    // Without the Jobs it is not known whether a running one blocks the start.
    if !facts.input.coverage.jobs_read && !facts.input.cron_job.status.active.is_empty() {
        return None;
    }
    let latest = decision.scheduled_time?;
    let earlier = facts.passed_over_before(latest);
    let scheduled_time = earlier.unwrap_or(latest);
    let next = facts.outlook().next_start()?;
    if let (Some(SyncReason::Edited(edit)), Some(job)) = (&next.because, &next.job_name) {
        return Some(edited(facts, next, edit, job));
    }
    // Another rule reports attempts that failed.
    let is_repeated = next.retry
        || matches!(
            next.condition,
            Some(SyncCondition::Unknown(
                Uncertainty::BackOff | Uncertainty::NameTaken
            ))
        );
    let mut failures = facts.events_with("FailedCreate");
    let tried = failures.any(|event| event.last_seen() >= Some(scheduled_time));
    let as_of = facts.input.coverage.as_of;
    let overdue = as_of.as_second().saturating_sub(scheduled_time.as_second());
    if let Some(outage) = facts.outage_in_words() {
        let found = FindingDetails::new(text!("{}.", outage)).remedy(facts.input.show_lease());
        return Some(found.severity(Severity::Error));
    }
    // A time that is known says why it is late.
    let is_known = next.at.is_some_and(|at| at > facts.input.now);
    if tried || is_repeated || is_known || overdue <= PATIENCE {
        return None;
    }
    let late = human(overdue);
    // The evidence may end before now.
    let is_late = if as_of < facts.input.now {
        let as_of = facts.local_without_zone(as_of);
        text!("had not started by {} ({} late)", as_of, late)
    } else {
        text!("is {} late", late)
    };
    let cause = overdue_cause(facts, next.because.as_ref());
    let detail = text!(
        "The run scheduled at {} {}.{}",
        local(facts, scheduled_time),
        is_late,
        Text::aside(text!(" {}.", cause))
    );
    let found = FindingDetails::new(detail);
    if !facts.input.backs_off() {
        return Some(found.remedy(facts.input.show_lease()));
    }
    let touch = facts.input.touch();
    let touch = touch.comment("repeats the attempt immediately");
    Some(found.remedy(touch.or("if that starts nothing", facts.input.show_lease())))
}

/// The schedule was edited, and the controller has not synced since.
fn edited(facts: &Facts<'_>, next: &Sync, edit: &Edit, job: &str) -> FindingDetails {
    let when = match (next.at, &next.condition) {
        (Some(at), _) => text!("starts {} {}", next.at_or_about(), local(facts, at)),
        (_, Some(SyncCondition::Unknown(Uncertainty::EarlierWakeUp(Some(before))))) => text!(
            "is skipped unless the controller syncs before {}",
            local(facts, *before)
        ),
        _ => "starts at the next wake-up of the previous schedule, whose time is unknown".into(),
    };
    let detail = text!(
        "The schedule was edited at {} by {}{}, which does not make the controller sync: {} {}.",
        action_time(&facts.input, edit.at),
        one_line(&edit.manager),
        was(edit),
        one_line(job),
        when
    );
    let then = text!("starts {} immediately", one_line(job));
    FindingDetails::new(detail).remedy(facts.input.touch().comment(then))
}

/// Runs that are missed before a pause in the schedule may not be found.
pub(super) fn uneven_schedule_can_miss_runs(facts: &Facts<'_>) -> Option<FindingDetails> {
    let blocked = facts.decision.outcome == Outcome::Blocked;
    let waits = facts.input.is_suspended() || blocked;
    let searches = facts.input.behavior().arithmetic == Arithmetic::Searched;
    if !searches || !waits || facts.prospect().outcome == Outcome::NoRunFound {
        return None;
    }
    let intervals = facts.intervals().filter(|all| all.has_pauses())?;
    let (shortest, longest) = (exact(intervals.shortest), exact(intervals.longest));
    let when = if blocked {
        "the running Job finishes"
    } else {
        "it is resumed"
    };
    let detail = format!(
        "Runs are {shortest} to {longest} apart. If two or more are missed and {when} during a long \
         pause, {} may find none of them: it then starts nothing and records no event.",
        facts.input.controller_name()
    );
    let remedy = if blocked {
        facts.input.backfill().comment("runs the last missed run")
    } else {
        ways_on(facts)
    };
    Some(FindingDetails::new(detail).remedy(remedy))
}

pub(super) fn start_at_unscheduled_time(facts: &Facts<'_>) -> Option<FindingDetails> {
    let timetable = facts.timetable.as_ref()?;
    // `@every` has no fixed times, and is even.
    if timetable.is_every() {
        return None;
    }
    let decision = facts.prospect();
    let starts = decision.starts() || decision.outcome == Outcome::Blocked;
    if facts.input.behavior().arithmetic != Arithmetic::Multiplied || !starts {
        return None;
    }
    let scheduled_time = decision.scheduled_time?;
    if timetable.is_scheduled(scheduled_time) {
        return None;
    }
    let when = match decision.outcome {
        _ if facts.input.is_suspended() => "If it is resumed now",
        Outcome::Blocked => "When the running Job finishes",
        _ => "At its next sync",
    };
    let mut detail = text!(
        "{}, Kubernetes {} starts a Job for {}, which is not a time in \"{}\".",
        when,
        facts.input.controller.release,
        local(facts, scheduled_time),
        one_line(&facts.input.cron_job.spec.schedule)
    );
    if let Some(last) = facts.missed.and_then(|missed| missed.last) {
        let last = facts.local_without_zone(last);
        detail += text!(" The last time in the schedule was {}.", last);
    }
    let seconds = facts.sensible_deadline();
    let found = FindingDetails::new(detail);
    let with_deadline = facts.decide_if(|spec| {
        spec.suspend = Some(false);
        spec.starting_deadline_seconds = Some(seconds);
    });
    Some(if facts.input.is_suspended() {
        found.remedy(ways_on(facts))
    } else if with_deadline.outcome == Outcome::Wait {
        found.remedy(facts.patch(&json!({ "startingDeadlineSeconds": seconds })))
    } else {
        found.remedy(
            "Upgrade: 1.25.12, 1.26.7, 1.27.4 and later start runs only at times in the schedule.",
        )
    })
}
