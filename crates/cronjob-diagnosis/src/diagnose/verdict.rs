//! The state of a CronJob in one sentence.

use jiff::Timestamp;

use super::ending::EndingJob;
use super::outage::DOWN;
use super::pods::awaited_admission;
use super::suspension::SuspensionRecord;
use super::{Facts, Input, one_line};
use cronjob_controller::controller::{Decision, EditEffect, Model, NameTaken, ON_TIME, Outcome};
use cronjob_controller::forecast::{Edit, Sync, SyncCondition, SyncReason, Uncertainty};
use cronjob_text::duration::{from_now, human};
use cronjob_text::text::{LocalTime, Text};
use cronjob_text::words::{counted, plural};
use kube_cron::Zone;
use kube_model::CronJob;

/// What is to be said of a `CronJob`, in one sentence.
pub fn verdict(facts: &Facts<'_>) -> Text {
    let decision = &facts.decision;
    match decision.outcome {
        Outcome::Start | Outcome::Replace | Outcome::Wait | Outcome::AlreadyProcessed => {
            next(facts)
        }
        Outcome::Suspended => suspended(facts),
        Outcome::Deleted => "Being deleted: no more Jobs start".into(),
        Outcome::UnknownTimeZone => {
            let zone = facts
                .input
                .cron_job
                .spec
                .time_zone
                .as_deref()
                .unwrap_or_default();
            format!("Never runs: unknown time zone {zone:?}").into()
        }
        Outcome::UnparseableSchedule => match &facts.schedule {
            Err(problem) => text!(
                "Never runs: the schedule cannot be parsed ({})",
                problem.to_string()
            ),
            Ok(_) => "Never runs: the schedule cannot be parsed".into(),
        },
        Outcome::InvalidSchedule => match facts.next_run() {
            Some(_) => {
                "Stuck: the search for the next run returns the same time twice, so the controller \
                 treats the schedule as invalid"
                    .into()
            }
            None => never(facts),
        },
        Outcome::Blocked => blocked(facts),
        Outcome::DeadlineExceeded => {
            let deadline = facts.input.cron_job.spec.starting_deadline_seconds;
            let (deadline, then) = (deadline.unwrap_or_default(), and_then(facts));
            text!(
                "Skips the latest run, which is past its deadline (startingDeadlineSeconds: {}){}",
                deadline,
                then
            )
        }
        // A search without an end counts more than 100, too.
        Outcome::TooManyMissed if facts.next_run().is_none() => never(facts),
        Outcome::TooManyMissed => too_many_missed(facts),
        Outcome::NoRunFound => {
            let count = facts.missed.map_or(0, |missed| missed.count);
            let each = plural(count, "it", "any of them");
            let (missed, name) = (missed(facts), controller(&facts.input));
            let start = facts.outlook().next_start();
            let late = start.filter(|start| start.scheduled_time <= Some(facts.input.now));
            if let Some(at) = late.and_then(|start| start.at) {
                let at = when(facts, at);
                return text!("Missed {}; {} starts none before {}", missed, name, at);
            }
            text!(
                "Missed {}; {} will not start {}{}",
                missed,
                name,
                each,
                and_then(facts)
            )
        }
        Outcome::NameTaken => name_taken(facts),
        Outcome::Hangs => {
            "Hangs a worker of the controller: the search for the next run never ends".into()
        }
        Outcome::Panics => {
            "Crashes the controller manager: its parser panics on the schedule".into()
        }
    }
}

fn too_many_missed(facts: &Facts<'_>) -> Text {
    let (missed, name) = (missed(facts), controller(&facts.input));
    // Only the runs within the deadline count, so that a pause of the schedule ends it.
    if let Some(at) = facts.outlook().next_start().and_then(|start| start.at) {
        let at = when(facts, at);
        return text!(
            "Starts no Job until about {}: missed {}, and {} gives up above 100",
            at,
            missed,
            name
        );
    }
    let shorter_deadline = match facts.input.cron_job.spec.starting_deadline_seconds {
        Some(_) => "shorter",
        None => "set",
    };
    text!(
        "No longer starts any Job: missed {}, and {} gives up above 100 until \
         startingDeadlineSeconds is {} or the CronJob is re-created",
        missed,
        name,
        shorter_deadline
    )
}

/// What is to be said of a `CronJob` after a change, in one sentence: not every change makes the controller
/// sync immediately.
pub fn verdict_on_change(before: &CronJob, changed: &Facts<'_>, effect: &EditEffect) -> Text {
    if changed.decision.outcome == Outcome::Suspended && before.spec.suspend != Some(true) {
        return if_suspended(changed);
    }
    let (Some(at), Some(then)) = (effect.syncs_at, &effect.decision_then) else {
        return verdict(changed);
    };
    if at <= changed.input.now || !changed.decision.starts() || changed.controller_is_down() {
        return verdict(changed);
    }
    let sync = text!("at the next sync, {}", when(changed, at));
    if !then.starts() {
        return text!("Starts nothing {}: {}", sync, then.outcome.in_words());
    }
    let job = then.job_name.as_deref().unwrap_or_default();
    let due = then.scheduled_time.unwrap_or(at);
    let late = lateness(at.as_second() - due.as_second());
    let late = late.unwrap_or_else(|| "on time".into());
    text!("Starts {} {}: {}", job, sync, late)
}

/// What a suspension of a `CronJob` would do that is not suspended.
fn if_suspended(suspended: &Facts<'_>) -> Text {
    let due = suspended.if_resumed.as_ref();
    let due = due.filter(|decision| decision.starts());
    let due = due.and_then(|decision| decision.scheduled_time);
    let missed = match due.or_else(|| suspended.next_run()) {
        Some(first) if suspended.input.has_time_to_start() => {
            text!(". First missed run: {}", when(suspended, first))
        }
        _ => Text::default(),
    };
    text!("If you suspend it: nothing starts{}", missed)
}

/// `9h late`; `None` if a start that many seconds after the scheduled time is on time.
pub fn lateness(seconds: i64) -> Option<Text> {
    (seconds > ON_TIME).then(|| text!("{} late", human(seconds)))
}

/// `Starts JOB immediately for the run scheduled at T (9h late)`.
fn starts(facts: &Facts<'_>, decision: &Decision) -> Text {
    let job = decision.job_name.as_deref().unwrap_or_default();
    text!("Starts {} {}", job, start_time(facts, decision))
}

/// `immediately for the run scheduled at T (9h late), replacing the running Job`, or `(due now)`.
fn start_time(facts: &Facts<'_>, decision: &Decision) -> Text {
    let replacing = if decision.outcome == Outcome::Replace {
        ", replacing the running Job"
    } else {
        ""
    };
    let late = decision.scheduled_time;
    let late = late.filter(|at| lateness(facts.input.ago(*at)).is_some());
    match late {
        Some(scheduled) => text!(
            "immediately {}{}",
            for_run(facts, scheduled, facts.input.now),
            replacing
        ),
        None => text!("(due now){}", replacing),
    }
}

/// `for the run scheduled at T (9h late)`, of a start at a moment: the same wherever a start is mentioned. Only `for the
/// run scheduled at T` if that is on time.
pub(crate) fn for_run(facts: &Facts<'_>, scheduled: Timestamp, starts_at: Timestamp) -> Text {
    let late = lateness(starts_at.as_second() - scheduled.as_second());
    let late = late.map_or_else(Text::default, |late| text!(" ({})", late));
    text!("{}{}", Text::for_run(local(facts, scheduled)), late)
}

/// Why a deadline leaves no run any time to start.
pub(crate) fn no_time_to_start(input: &Input<'_>) -> String {
    match input.cron_job.spec.starting_deadline_seconds {
        Some(deadline) if deadline != 0 => {
            format!("startingDeadlineSeconds: {deadline} is shorter than the interval of @every")
        }
        _ => "startingDeadlineSeconds: 0 makes every run too late".to_owned(),
    }
}

fn next(facts: &Facts<'_>) -> Text {
    let forecast = facts.outlook();
    if let Some(Sync {
        outcome: Outcome::NameTaken,
        condition: Some(SyncCondition::Unknown(Uncertainty::NameTaken)),
        scheduled_time: Some(due),
        job_name: Some(job),
        ..
    }) = forecast.syncs.first()
    {
        let (due, job) = (when(facts, *due), one_line(job));
        return text!(
            "Next run: {}, if {} has been deleted by then, or later",
            due,
            job
        );
    }
    let decision = &facts.decision;
    if facts.name_taken_next().is_some() {
        return name_taken(facts);
    }
    let Some(sync) = forecast.next_start() else {
        return match facts.next_run() {
            Some(_) if !facts.input.has_time_to_start() => {
                text!("Never runs: {}", no_time_to_start(&facts.input))
            }
            _ => never(facts),
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
            text!("Job creation fails ({}). Next attempt about {}: it starts {} (scheduled at \
                 {}), if the cause is fixed", attempts, at, job, due)
        }
        (_, Some(SyncReason::Edited(edit))) => edited(facts, sync, edit),
        (Some(SyncCondition::Unknown(Uncertainty::Overdue)), because) => {
            overdue(facts, job, scheduled, because.as_ref())
        }
        (_, Some(SyncReason::MayBeRepeated { at })) if decision.starts() => {
            let (starts, at) = (starts(facts, decision), local(facts, *at));
            text!("{}, or about {} if an attempt has failed", starts, at)
        }
        (Some(SyncCondition::Unknown(Uncertainty::ControllerDown)), _) if decision.starts() => {
            match facts.missed_in_outage() {
                Some((1, first)) => text!("Overdue: the run scheduled at {} has not started, {}", local(facts, first), BECAUSE_DOWN),
                Some((count, first)) => text!("Overdue: {} runs since {} have not started, {}", count, local(facts, first), BECAUSE_DOWN),
                None => starts_when_running(),
            }
        }
        (Some(SyncCondition::Unknown(Uncertainty::ControllerDown)), _) => {
            text!("Next run: {}, if {} is running by then", next, DOWN)
        }
        (Some(SyncCondition::Unknown(Uncertainty::BackOff)), _) => {
            "Job creation fails. The next attempt, whose time is unknown, starts the latest run due by \
             then, if the cause is fixed".into()
        }
        _ if sync.may_be_delayed_in(forecast) => {
            text!("Next run: {}, or later: attempts to start the run before, whose name a Job has, may delay it", next)
        }
        (Some(SyncCondition::EstimatedTime), _) if sync.at > Some(facts.input.now) && sync.is_late() => {
            let at = sync.at.unwrap_or(facts.input.now);
            let (at, late) = (when(facts, at), human(at.as_second() - scheduled.as_second()));
            let due = facts.local_without_zone(scheduled);
            text!("Starts {} (scheduled at {}) about {}, {} late", job, due, at, late)
        }
        (Some(SyncCondition::Unknown(Uncertainty::EvidenceEnds(at))), _) if decision.starts() => {
            let (starts, at) = (starts(facts, decision), local(facts, *at));
            text!("{}, if nothing has changed since {}", starts, at)
        }
        (Some(SyncCondition::JobFinishesFirst { job, .. }), _) if sync.replaces_in(forecast) => {
            text!("Next run: {}, replacing {} if it is still running (concurrencyPolicy: {})", next, job, policy)
        }
        (Some(SyncCondition::JobFinishesFirst { job, likely, .. }), _) => {
            let job = one_line(job);
            let unread = if facts.input.jobs_are_unknown() {
                "; Jobs were not read"
            } else {
                ""
            };
            let policy = text!("(concurrencyPolicy: {}{})", policy, unread);
            if *likely == Some(false) {
                text!("The next run, {}, is blocked unless {} finishes first {}", next, job, policy)
            } else {
                text!("Next run: {} if {} has finished by then {}", next, job, policy)
            }
        }
        _ if decision.starts() => starts(facts, decision),
        (Some(SyncCondition::CreationSucceeds), _) if facts.input.quota_is_full() => text!("The next run, {}, will be rejected unless the ResourceQuota allows another Job by then", next),
        (Some(SyncCondition::CreationSucceeds), _) => {
            text!("Next run: {}, if the API server accepts the Job", next)
        }
        (Some(SyncCondition::SyncsInTime { deadline, .. }), _) => text!("Next run: {}, if the controller syncs within {}s (startingDeadlineSeconds)", next, deadline),
        _ => text!("Next run: {}", next),
    }
}

/// A run is due, but the schedule was edited after its scheduled time.
fn edited(facts: &Facts<'_>, sync: &Sync, edit: &Edit) -> Text {
    let job = sync.job_name.as_deref().unwrap_or_default();
    let scheduled = sync.scheduled_time.unwrap_or(facts.input.now);
    let was = edit.before.as_ref();
    let was = was.map_or_else(Text::default, |before| {
        text!(", was {}", one_line(&before.schedule))
    });
    let ago = human(facts.input.ago(edit.at));
    let late = |at: Timestamp| human(at.as_second() - scheduled.as_second());
    let late_now = late(facts.input.now);
    let start = match (&sync.condition, sync.at) {
        (None | Some(SyncCondition::EstimatedTime), Some(at)) => {
            let about = if sync.is_estimated() { "about " } else { "" };
            text!(
                "Starts {} at the next sync, {}{}, {} late",
                job,
                about,
                when(facts, at),
                late(at)
            )
        }
        (Some(SyncCondition::Unknown(Uncertainty::EarlierWakeUp(Some(before)))), _) => {
            let before = when(facts, *before);
            text!(
                "Next run: {}. {}, already {} late, is skipped unless the controller \
                 syncs before then",
                before,
                job,
                late_now
            )
        }
        _ => text!(
            "Starts {}, already {} late, at the wake-up of the previous schedule, whose time \
             is unknown",
            job,
            late_now
        ),
    };
    text!(
        "{}: an edit of the schedule ({}, {} ago{}) does not trigger a sync",
        start,
        one_line(&edit.manager),
        ago,
        was
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
) -> Text {
    if let Some(since) = facts.passed_over_before(scheduled) {
        return text!(
            "Overdue: no run has started since {}, when one was due. {}",
            facts.past_time(since),
            overdue_cause(facts, because)
        );
    }
    text!(
        "Overdue: {} was due at {} and has not started. {}",
        job,
        facts.past_time(scheduled),
        overdue_cause(facts, because)
    )
}

/// What can keep a run from starting that nothing explains, without a full stop.
pub(super) fn overdue_cause(facts: &Facts<'_>, because: Option<&SyncReason>) -> Text {
    match because {
        Some(SyncReason::MayBeRepeated { at }) => text!(
            "An attempt failed (next about {}), or kube-controller-manager is down",
            local(facts, *at)
        ),
        _ => "kube-controller-manager may be down".into(),
    }
}

/// A Job has the name of the one that is due.
fn name_taken(facts: &Facts<'_>) -> Text {
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
            Some(late) => text!(". Tried again about {}, {}", when(facts, at), late),
            None => text!(". Next run: {}", when(facts, scheduled)),
        })
    });
    let next = next.unwrap_or_default();
    if facts.adopts() {
        return text!(
            "The controller takes the Job {} as the run that is due{}",
            name,
            next
        );
    }
    let nothing = match later {
        Some((at, _)) => text!("The next run, {}, does not start", when(facts, at)),
        None => "Not started".into(),
    };
    text!(
        "{}: the Job {} is in the way{}{}",
        nothing,
        name,
        then,
        next
    )
}

fn suspended(facts: &Facts<'_>) -> Text {
    let record = SuspensionRecord::of(&facts.input.cron_job).unwrap_or_default();
    let mut suspended = "Suspended".into();
    if let Some(by_whom) = record.by_whom(
        &facts.input.cron_job,
        facts.input.controller.display.as_deref(),
    ) {
        suspended += text!(" {}", by_whom);
    }
    let until = record.until;
    let until = until.map(|until| text!("planned until {}", action_time(&facts.input, until)));
    let reason = record.reason.map(Text::from);
    let notes: Vec<Text> = reason.into_iter().chain(until).collect();
    if !notes.is_empty() {
        suspended += text!(" ({})", Text::join(&notes, "; "));
    }
    let Some(resumed) = &facts.if_resumed else {
        return suspended;
    };
    let then = match resumed.outcome {
        Outcome::Start | Outcome::Replace if facts.controller_is_down() => nothing_starts(),
        Outcome::Start | Outcome::Replace => {
            let job = resumed.job_name.as_deref().unwrap_or_default();
            text!("{} starts {}", job, start_time(facts, resumed))
        }
        Outcome::Wait | Outcome::AlreadyProcessed => match facts.next_run() {
            Some(_) if !facts.input.has_time_to_start() => {
                text!("nothing starts: {}", no_time_to_start(&facts.input))
            }
            Some(next) => text!("the next run is {}", when(facts, next)),
            None => text!("it never runs{}", why_never(facts)),
        },
        Outcome::NoRunFound => {
            let (missed, name, then) = (missed(facts), controller(&facts.input), and_then(facts));
            text!(
                "nothing starts: it missed {}, and {} finds none of them{}",
                missed,
                name,
                then
            )
        }
        Outcome::Blocked => {
            "nothing starts while its Job is running (concurrencyPolicy: Forbid)".into()
        }
        Outcome::TooManyMissed => {
            let (missed, name) = (missed(facts), controller(&facts.input));
            text!(
                "nothing starts: it missed {}, and {} gives up above 100",
                missed,
                name
            )
        }
        Outcome::NameTaken => {
            let job = resumed.job_name.as_deref().unwrap_or_default();
            text!("nothing starts: the Job {} is in the way", job)
        }
        other => text!("nothing starts: {}", other.in_words()),
    };
    text!("{}. If resumed now, {}", suspended, then)
}

fn blocked(facts: &Facts<'_>) -> Text {
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
        0 | 1 => one_line(running).into(),
        more => text!("{} and {} more", one_line(running), more - 1),
    };
    let policy = &facts.input.cron_job.spec.concurrency_policy;
    let blocked = match since {
        _ if facts.input.jobs_are_unknown() => text!(
            "Blocked if {}, which status.active lists, is still running; Jobs were not read \
             (concurrencyPolicy: {})",
            running,
            policy
        ),
        _ if ending.is_some() => {
            let ending = ending.map_or("has a result", |ending| ending.result.as_str());
            text!(
                "Blocked: {} {}, but not all of its pods have ended (concurrencyPolicy: {})",
                running,
                ending,
                policy
            )
        }
        Some(since) => {
            let age = human(facts.input.ago(since));
            text!(
                "Blocked: {} has been {} for {} (concurrencyPolicy: {})",
                running,
                does,
                age,
                policy
            )
        }
        None => {
            text!(
                "Blocked: {} is listed in status.active (concurrencyPolicy: {})",
                running,
                policy
            )
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
    let in_time = until.map_or_else(Text::default, |until| {
        text!(" before {}", local(facts, until))
    });
    let then = match sync.scheduled_time.zip(sync.job_name.as_ref()) {
        _ if facts.controller_is_down() => nothing_starts(),
        Some((_, job)) if sync.outcome == Outcome::NameTaken => {
            text!(
                "{} does not start: a Job with that name already exists",
                job
            )
        }
        Some((scheduled, job)) => {
            let scheduled = local(facts, scheduled);
            text!("{} starts immediately {}", job, Text::for_run(scheduled))
        }
        None => "the latest missed run starts immediately".into(),
    };
    let once = if in_time.is_empty() { "When" } else { "If" };
    text!("{}. {} {}{}, {}", blocked, once, pronoun, in_time, then)
}

/// What happens while the controller is down.
fn nothing_starts() -> Text {
    text!("nothing starts until {} is running again", DOWN)
}

/// What happens to a run that is due while the controller is down, without a full stop.
pub(crate) fn starts_when_running() -> Text {
    text!(
        "Nothing starts until {} is running again; then it starts the latest run that is due",
        DOWN
    )
}

/// Why runs are overdue during an outage.
const BECAUSE_DOWN: &str = "because kube-controller-manager seems to be down";

fn controller(input: &Input<'_>) -> String {
    match input.controller.model {
        Model::Kubernetes => format!("Kubernetes {}", input.controller.release),
        Model::Kubebuilder => "the controller".to_owned(),
    }
}

/// `10 runs since Wed 2026-11-18 08:00 UTC`.
fn missed(facts: &Facts<'_>) -> Text {
    let Some(missed) = facts.missed else {
        return "runs".into();
    };
    let first = missed.first.unwrap_or(missed.since);
    match missed.count {
        1 => text!("the run scheduled at {}", local(facts, first)),
        count => text!("{} runs since {}", count, local(facts, first)),
    }
}

fn and_then(facts: &Facts<'_>) -> Text {
    let next = facts.next_run().filter(|_| facts.input.has_time_to_start());
    let next = next.map(|next| text!(". Next run: {}", when(facts, next)));
    next.unwrap_or_default()
}

fn never(facts: &Facts<'_>) -> Text {
    text!("Never runs{}", why_never(facts))
}

fn why_never(facts: &Facts<'_>) -> Text {
    let timetable = facts.timetable.as_ref();
    let never = timetable.and_then(|timetable| timetable.why_never(facts.input.now));
    never
        .map(|never| text!(": {}", never.to_string()))
        .unwrap_or_default()
}

/// `Sun 2026-11-22 02:00 Europe/Berlin (in 3h12m)`.
pub fn when(facts: &Facts<'_>, at: Timestamp) -> Text {
    text!("{} ({})", local(facts, at), from_now(facts.input.now, at))
}

/// A time in the time zone of the schedule, or in that of `--display-time-zone`.
pub fn local(facts: &Facts<'_>, at: Timestamp) -> LocalTime {
    let zone = facts.display_zone();
    LocalTime::new(at, zone.time_zone(), zone.name())
}

/// When a person did something, or planned to: no schedule has anything to do with it.
pub fn action_time(input: &Input<'_>, at: Timestamp) -> LocalTime {
    utc_or(input.controller.display.as_deref(), at)
}

/// A time in UTC, or in the time zone of `--display-time-zone`.
pub fn utc_or(display: Option<&Zone>, at: Timestamp) -> LocalTime {
    let utc = Zone::utc();
    let zone = display.unwrap_or(&utc);
    LocalTime::new(at, zone.time_zone(), zone.name())
}

/// A moment in a time zone, as documents have it: `2026-11-22T02:00:00+01:00`.
pub fn local_time(at: Timestamp, zone: &jiff::tz::TimeZone) -> String {
    let shown = at.to_zoned(zone.clone());
    shown.strftime("%Y-%m-%dT%H:%M:%S%:z").to_string()
}
