//! The state of a CronJob in one sentence.

use jiff::Timestamp;

use super::ending::EndingJob;
use super::pods::awaited_admission;
use super::suspension::SuspensionRecord;
use super::{Facts, Input, one_line};
use crate::controller::{Decision, EditEffect, Model, NameTaken, ON_TIME, Outcome};
use crate::duration::{from_now, human, whole_second};
use crate::forecast::{Edit, Sync, SyncCondition, SyncReason, Uncertainty};
use crate::schedule::Zone;
use crate::words::{counted, plural};

/// What is to be said of a `CronJob`, in one sentence.
pub fn verdict(facts: &Facts<'_>) -> String {
    let decision = &facts.decision;
    match decision.outcome {
        Outcome::Start | Outcome::Replace | Outcome::Wait | Outcome::AlreadyProcessed => {
            next(facts)
        }
        Outcome::Suspended => suspended(facts),
        Outcome::Deleted => "Being deleted: no more Jobs start".to_owned(),
        Outcome::UnknownTimeZone => {
            let zone = facts
                .input
                .cron_job
                .spec
                .time_zone
                .as_deref()
                .unwrap_or_default();
            format!("Never runs: unknown time zone {zone:?}")
        }
        Outcome::UnparseableSchedule => match &facts.schedule {
            Err(problem) => format!("Never runs: the schedule cannot be parsed ({problem})"),
            Ok(_) => "Never runs: the schedule cannot be parsed".to_owned(),
        },
        Outcome::InvalidSchedule => match facts.next_run() {
            Some(_) => {
                "Stuck: the search for the next run returns the same time twice, so the controller \
                 treats the schedule as invalid"
                    .to_owned()
            }
            None => format!("Never runs{}", why_never(facts)),
        },
        Outcome::Blocked => blocked(facts),
        Outcome::DeadlineExceeded => {
            let deadline = facts.input.cron_job.spec.starting_deadline_seconds;
            let (deadline, then) = (deadline.unwrap_or_default(), and_then(facts));
            format!(
                "Skips the latest run, which is past its deadline (startingDeadlineSeconds: {deadline}){then}"
            )
        }
        Outcome::TooManyMissed => format!(
            "No longer starts any Job: missed {}, and {} gives up above 100 until \
             startingDeadlineSeconds is set or the CronJob is re-created",
            missed(facts),
            controller(&facts.input)
        ),
        Outcome::NoRunFound => {
            let count = facts.missed.map_or(0, |missed| missed.count);
            let each = plural(count, "it", "any of them");
            let (missed, name, then) = (missed(facts), controller(&facts.input), and_then(facts));
            format!("Missed {missed}; {name} will not start {each}{then}")
        }
        Outcome::NameTaken => name_taken(facts),
        Outcome::Hangs => {
            "Hangs a worker of the controller: the search for the next run never ends".to_owned()
        }
        Outcome::Panics => {
            "Crashes the controller manager: its parser panics on the schedule".to_owned()
        }
    }
}

/// What is to be said of a `CronJob` after a change, in one sentence: not every change makes the controller
/// sync immediately.
pub(crate) fn verdict_on_change(changed: &Facts<'_>, effect: &EditEffect) -> String {
    let (Some(at), Some(then)) = (effect.syncs_at, &effect.decision_then) else {
        return verdict(changed);
    };
    if at <= changed.input.now || !changed.decision.starts() {
        return verdict(changed);
    }
    let sync = format!("at the next sync, {}", when(changed, at));
    if !then.starts() {
        return format!("Starts nothing {sync}: {}", then.outcome.in_words());
    }
    let job = then.job_name.as_deref().unwrap_or_default();
    let due = then.scheduled_time.unwrap_or(at);
    let late = lateness(at.as_second() - due.as_second());
    let late = late.unwrap_or_else(|| "on time".to_owned());
    format!("Starts {job} {sync}: {late}")
}

/// `9h late`; `None` if a start that many seconds after the scheduled time is on time.
pub(crate) fn lateness(seconds: i64) -> Option<String> {
    (seconds > ON_TIME).then(|| format!("{} late", human(seconds)))
}

/// `Starts JOB immediately for the run scheduled at T (9h late)`.
fn starts(facts: &Facts<'_>, decision: &Decision) -> String {
    let job = decision.job_name.as_deref().unwrap_or_default();
    format!("Starts {job} {}", start_time(facts, decision))
}

/// `immediately for the run scheduled at T (9h late), replacing the running Job`, or `(due now)`.
fn start_time(facts: &Facts<'_>, decision: &Decision) -> String {
    let replacing = if decision.outcome == Outcome::Replace {
        ", replacing the running Job"
    } else {
        ""
    };
    let late = decision.scheduled_time;
    let late = late.and_then(|at| Some((at, lateness(facts.input.ago(at))?)));
    match late {
        Some((scheduled, late)) => format!(
            "immediately for the run scheduled at {} ({late}){replacing}",
            local(facts, scheduled)
        ),
        None => format!("(due now){replacing}"),
    }
}

/// Why a deadline leaves no run any time to start.
pub(crate) fn no_time_to_start(input: &Input<'_>) -> String {
    match input.cron_job.spec.starting_deadline_seconds {
        Some(deadline) if deadline != 0 => format!(
            "startingDeadlineSeconds: {deadline} is shorter than the interval of @every"
        ),
        _ => "startingDeadlineSeconds: 0 makes every run too late".to_owned(),
    }
}

fn next(facts: &Facts<'_>) -> String {
    let forecast = facts.outlook();
    let decision = &facts.decision;
    if facts.name_taken_next().is_some() {
        return name_taken(facts);
    }
    let Some(sync) = forecast.next_start() else {
        return match facts.next_run() {
            Some(_) if !facts.input.has_time_to_start() => {
                format!("Never runs: {}", no_time_to_start(&facts.input))
            }
            _ => format!("Never runs{}", why_never(facts)),
        };
    };
    let policy = &facts.input.cron_job.spec.concurrency_policy;
    let job = sync.job_name.as_deref().unwrap_or_default();
    let scheduled = sync.scheduled_time.unwrap_or(facts.input.now);
    let next = when(facts, scheduled);
    match (&sync.condition, &sync.because) {
        (_, Some(SyncReason::BackOff(failures))) => {
            let attempts = counted(failures.count, "attempt");
            let at = sync.at.map(|at| when(facts, at)).unwrap_or_default();
            let due = facts.local_without_zone(scheduled);
            format!(
                "Job creation fails ({attempts}). Next attempt about {at}: it starts {job} (scheduled at \
                 {due}), if the cause is fixed"
            )
        }
        (_, Some(SyncReason::Edited(edit))) => edited(facts, sync, edit),
        (Some(SyncCondition::Unknown(Uncertainty::Overdue)), because) => {
            overdue(facts, job, scheduled, because.as_ref())
        }
        (_, Some(SyncReason::MayBeRepeated { at })) if decision.starts() => {
            let (starts, at) = (starts(facts, decision), local(facts, whole_second(*at)));
            format!("{starts}, or about {at} if an attempt has failed")
        }
        (Some(SyncCondition::Unknown(Uncertainty::ControllerDown)), _) if decision.starts() => {
            let missed = missed(facts);
            let have = facts.missed.map_or(1, |missed| missed.count);
            let have = plural(have, "has", "have");
            format!("Overdue: {missed} {have} not started, because kube-controller-manager seems to be down")
        }
        (Some(SyncCondition::Unknown(Uncertainty::ControllerDown)), _) => {
            format!("Next run: {next}, if kube-controller-manager, which seems to be down, is running by then")
        }
        (Some(SyncCondition::Unknown(Uncertainty::BackOff)), _) => {
            "Job creation fails. The next attempt, whose time is unknown, starts the latest run due by \
             then, if the cause is fixed"
                .to_owned()
        }
        (Some(SyncCondition::EstimatedTime), _) if sync.at > Some(facts.input.now) && sync.is_late() => {
            let at = sync.at.unwrap_or(facts.input.now);
            let (at, late) = (when(facts, at), human(at.as_second() - scheduled.as_second()));
            let due = facts.local_without_zone(scheduled);
            format!("Starts {job} (scheduled at {due}) about {at}, {late} late")
        }
        (Some(SyncCondition::Unknown(Uncertainty::EvidenceEnds(at))), _) if decision.starts() => {
            let (starts, at) = (starts(facts, decision), local(facts, *at));
            format!("{starts}, if nothing has changed since {at}")
        }
        (Some(SyncCondition::JobFinishesFirst { job, .. }), _) if sync.replaces_in(forecast) => {
            format!(
                "Next run: {next}, replacing {job} if it is still running (concurrencyPolicy: {policy})"
            )
        }
        (Some(SyncCondition::JobFinishesFirst { job, likely, .. }), _) => {
            let job = one_line(job);
            let unread = if facts.input.jobs_are_unknown() {
                "; Jobs were not read"
            } else {
                ""
            };
            let policy = format!("(concurrencyPolicy: {policy}{unread})");
            if *likely == Some(false) {
                format!("The next run, {next}, is blocked unless {job} finishes first {policy}")
            } else {
                format!("Next run: {next} if {job} has finished by then {policy}")
            }
        }
        _ if decision.starts() => starts(facts, decision),
        (Some(SyncCondition::CreationSucceeds), _) if facts.input.quota_is_full() => format!(
            "The next run, {next}, will be rejected unless the ResourceQuota allows another Job by then"
        ),
        (Some(SyncCondition::CreationSucceeds), _) => {
            format!("Next run: {next}, if the API server accepts the Job")
        }
        (Some(SyncCondition::SyncsInTime { deadline, .. }), _) => format!(
            "Next run: {next}, if the controller syncs within {deadline}s (startingDeadlineSeconds)"
        ),
        _ => format!("Next run: {next}"),
    }
}

/// A run is due, but the schedule was edited after its scheduled time.
fn edited(facts: &Facts<'_>, sync: &Sync, edit: &Edit) -> String {
    let job = sync.job_name.as_deref().unwrap_or_default();
    let scheduled = sync.scheduled_time.unwrap_or(facts.input.now);
    let was = edit.before.as_ref();
    let was = was.map_or_else(String::new, |before| {
        format!(", was {}", one_line(&before.schedule))
    });
    let ago = human(facts.input.ago(edit.at));
    let late = |at: Timestamp| human(at.as_second() - scheduled.as_second());
    let late_now = late(facts.input.now);
    let start = match (&sync.condition, sync.at) {
        (None, Some(at)) => {
            let (at, late) = (when(facts, at), late(at));
            format!("Starts {job} at the next sync, {at}, {late} late")
        }
        (Some(SyncCondition::Unknown(Uncertainty::EarlierWakeUp(Some(before)))), _) => {
            let before = when(facts, whole_second(*before));
            format!(
                "Next run: {before}. {job}, already {late_now} late, is skipped unless the controller \
                 syncs before then"
            )
        }
        _ => format!(
            "Starts {job}, already {late_now} late, at the wake-up of the previous schedule, whose time \
             is unknown"
        ),
    };
    format!(
        "{start}: an edit of the schedule ({}, {ago} ago{was}) does not trigger a sync",
        one_line(&edit.manager)
    )
}

/// ` (was SCHEDULE)`, or nothing if that is unknown.
pub(super) fn was(edit: &Edit) -> String {
    let before = edit.before.as_ref();
    let was = before.map(|before| format!(" (was {})", one_line(&before.schedule)));
    was.unwrap_or_default()
}

/// A run has not started, and nothing explains it.
fn overdue(
    facts: &Facts<'_>,
    job: &str,
    scheduled: Timestamp,
    because: Option<&SyncReason>,
) -> String {
    format!(
        "Overdue: {job} was due at {} and has not started. {}",
        facts.past_time(scheduled),
        overdue_cause(facts, because)
    )
}

/// What can keep a run from starting that nothing explains, without a full stop.
pub(super) fn overdue_cause(facts: &Facts<'_>, because: Option<&SyncReason>) -> String {
    match because {
        Some(SyncReason::MayBeRepeated { at }) => format!(
            "Either an attempt failed and is repeated about {}, or the controller manager is not running",
            local(facts, whole_second(*at))
        ),
        _ => "The controller manager may not be running".to_owned(),
    }
}

/// A Job has the name of the one that is due.
fn name_taken(facts: &Facts<'_>) -> String {
    let later = facts.name_taken_next();
    let name = match later {
        Some((_, name)) => name,
        None => facts.decision.job_name.as_deref().unwrap_or_default(),
    };
    let kind = facts.input.behavior().name_taken;
    let is_stuck = match (&facts.decision.error, facts.decision.requeue_after) {
        _ if kind == NameTaken::MeansToAdopt => false,
        _ if later.is_some() => kind == NameTaken::Adopts,
        (Some(_), _) | (None, Some(_)) => false,
        (None, None) => true,
    };
    let then = if is_stuck {
        "; the controller does not sync again until the CronJob changes"
    } else {
        ""
    };
    let next = facts.outlook().next_start().and_then(|sync| {
        let (at, scheduled) = (sync.at?, sync.scheduled_time?);
        let late = at.as_second() - scheduled.as_second();
        Some(match lateness(late) {
            Some(late) => format!(". Next start: about {}, {late}", when(facts, at)),
            None => format!(". Next run: {}", when(facts, scheduled)),
        })
    });
    let nothing = match later {
        Some((at, _)) => format!("The next run, {}, does not start", when(facts, at)),
        None => "Starts nothing".to_owned(),
    };
    let next = next.unwrap_or_default();
    format!("{nothing}: the Job {name} is in the way{then}{next}")
}

fn suspended(facts: &Facts<'_>) -> String {
    let record = SuspensionRecord::of(&facts.input.cron_job).unwrap_or_default();
    let mut suspended = "Suspended".to_owned();
    if let Some(by_whom) = record.by_whom(
        &facts.input.cron_job,
        facts.input.controller.display.as_deref(),
    ) {
        suspended += &format!(" {by_whom}");
    }
    let until = record.until;
    let until = until.map(|until| format!("planned until {}", action_time(&facts.input, until)));
    let notes: Vec<String> = record.reason.into_iter().chain(until).collect();
    if !notes.is_empty() {
        suspended += &format!(" ({})", notes.join("; "));
    }
    let Some(resumed) = &facts.if_resumed else {
        return suspended;
    };
    let then = match resumed.outcome {
        Outcome::Start | Outcome::Replace => {
            let job = resumed.job_name.as_deref().unwrap_or_default();
            format!("{job} starts {}", start_time(facts, resumed))
        }
        Outcome::Wait | Outcome::AlreadyProcessed => match facts.next_run() {
            Some(_) if !facts.input.has_time_to_start() => {
                format!("nothing starts: {}", no_time_to_start(&facts.input))
            }
            Some(next) => format!("the next run is {}", when(facts, next)),
            None => format!("it never runs{}", why_never(facts)),
        },
        Outcome::NoRunFound => {
            let (missed, name, then) = (missed(facts), controller(&facts.input), and_then(facts));
            format!("nothing starts: it missed {missed}, and {name} finds none of them{then}")
        }
        Outcome::Blocked => {
            "nothing starts while its Job is running (concurrencyPolicy: Forbid)".to_owned()
        }
        Outcome::TooManyMissed => {
            let (missed, name) = (missed(facts), controller(&facts.input));
            format!("nothing starts: it missed {missed}, and {name} gives up above 100")
        }
        other => format!("nothing starts ({})", other.as_str()),
    };
    format!("{suspended}. If resumed now, {then}")
}

fn blocked(facts: &Facts<'_>) -> String {
    let names = &facts.decision.status_after.active;
    let running = names.first().map_or("a Job", String::as_str);
    let job = facts.input.job_named(running);
    let admission = job.and_then(awaited_admission);
    let since = job.and_then(|job| job.start_time.or(job.creation_timestamp));
    let since = admission.map_or(since, |admission| admission.since);
    let waits = job.and_then(|job| facts.waits_for(job));
    let ending = job.and_then(|job| EndingJob::of(facts, job));
    // It may have run before, and wait for another pod now.
    let runs = job.is_none_or(|job| {
        facts.input.silent_pod(job).is_none() && facts.what_it_awaits(job).is_none()
    });
    let working = if runs { "running" } else { "active" };
    let does = waits.as_deref().unwrap_or(working);
    let running = match names.len() {
        0 | 1 => one_line(running),
        more => format!("{} and {} more", one_line(running), more - 1),
    };
    let policy = &facts.input.cron_job.spec.concurrency_policy;
    let blocked = match since {
        _ if facts.input.jobs_are_unknown() => format!(
            "Blocked if {running}, which status.active lists, is still running; Jobs were not read \
             (concurrencyPolicy: {policy})"
        ),
        _ if ending.is_some() => {
            let ending = ending.map_or("has a result", |ending| ending.result.as_str());
            format!(
                "Blocked: {running} {ending}, but not all of its pods have ended (concurrencyPolicy: {policy})"
            )
        }
        Some(since) => {
            let age = human(facts.input.ago(since));
            format!("Blocked: {running} has been {does} for {age} (concurrencyPolicy: {policy})")
        }
        None => {
            format!("Blocked: {running} is listed in status.active (concurrencyPolicy: {policy})")
        }
    };
    let Some(sync) =
        facts.outlook().syncs.first().filter(|sync| {
            sync.at.is_none() && (sync.starts() || sync.outcome == Outcome::NameTaken)
        })
    else {
        return blocked;
    };
    let pronoun = plural(names.len(), "it finishes", "they finish");
    let has_deadline = facts
        .input
        .cron_job
        .spec
        .starting_deadline_seconds
        .is_some();
    let until = sync.condition.as_ref().and_then(SyncCondition::until);
    let until = until
        .filter(|_| has_deadline)
        .or(facts.outlook().waits_until());
    let in_time = until.map_or_else(String::new, |until| {
        format!(" before {}", local(facts, until))
    });
    let then = match sync.scheduled_time.zip(sync.job_name.as_ref()) {
        Some((_, job)) if sync.outcome == Outcome::NameTaken => {
            format!("{job} does not start: a Job with that name already exists")
        }
        Some((scheduled, job)) => {
            let scheduled = local(facts, scheduled);
            format!("{job} starts immediately for the run scheduled at {scheduled}")
        }
        None => "the latest missed run starts immediately".to_owned(),
    };
    let once = if in_time.is_empty() { "When" } else { "If" };
    format!("{blocked}. {once} {pronoun}{in_time}, {then}")
}

fn controller(input: &Input<'_>) -> String {
    match input.controller.model {
        Model::Kubernetes => format!("Kubernetes {}", input.controller.release),
        Model::Kubebuilder => "the controller".to_owned(),
    }
}

/// `10 runs since Wed 2026-11-18 08:00 UTC`.
fn missed(facts: &Facts<'_>) -> String {
    let Some(missed) = facts.missed else {
        return "runs".to_owned();
    };
    let first = missed.first.unwrap_or(missed.since);
    match missed.count {
        1 => format!("the run scheduled at {}", local(facts, first)),
        count => format!("{count} runs since {}", local(facts, first)),
    }
}

fn and_then(facts: &Facts<'_>) -> String {
    let next = facts.next_run().filter(|_| facts.input.has_time_to_start());
    let next = next.map(|next| format!(". Next run: {}", when(facts, next)));
    next.unwrap_or_default()
}

fn why_never(facts: &Facts<'_>) -> String {
    let timetable = facts.timetable.as_ref();
    let never = timetable.and_then(|timetable| timetable.why_never(facts.input.now));
    never.map(|never| format!(": {never}")).unwrap_or_default()
}

/// `Sun 2026-11-22 02:00 Europe/Berlin (in 3h12m)`.
pub(crate) fn when(facts: &Facts<'_>, at: Timestamp) -> String {
    format!("{} ({})", local(facts, at), from_now(facts.input.now, at))
}

/// A time in the time zone of the schedule, or in that of `--display-time-zone`.
pub(crate) fn local(facts: &Facts<'_>, at: Timestamp) -> String {
    let zone = facts.display_zone();
    crate::duration::local_time(at, zone.time_zone(), zone.name())
}

/// When a person did something, or planned to: no schedule has anything to do with it.
pub(crate) fn action_time(input: &Input<'_>, at: Timestamp) -> String {
    utc_or(input.controller.display.as_deref(), at)
}

/// A time in UTC, or in the time zone of `--display-time-zone`.
pub(crate) fn utc_or(display: Option<&Zone>, at: Timestamp) -> String {
    let utc = Zone::utc();
    let zone = display.unwrap_or(&utc);
    crate::duration::local_time(at, zone.time_zone(), zone.name())
}

/// A moment in a time zone, as documents have it: `2026-11-22T02:00:00+01:00`.
pub(crate) fn local_time(at: Timestamp, zone: &jiff::tz::TimeZone) -> String {
    let shown = at.to_zoned(zone.clone());
    shown.strftime("%Y-%m-%dT%H:%M:%S%:z").to_string()
}
