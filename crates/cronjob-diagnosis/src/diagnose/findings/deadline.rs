//! `startingDeadlineSeconds`.

use jiff::Timestamp;
use serde_json::json;

use super::super::suspension::unchanged_since;
use super::super::{Facts, FindingDetails, Severity, local};
use super::super::{one_line, patch_command};
use super::concurrency::Unstarted;
use crate::kubectl::Command;
use cronjob_controller::controller::{Generation, Model};
use cronjob_text::duration::{exact, human};
use cronjob_text::text::Text;
use kube_model::{ConcurrencyPolicy, PastRun};

pub(super) fn starting_deadline_zero(facts: &Facts<'_>) -> Option<FindingDetails> {
    if facts.input.cron_job.spec.starting_deadline_seconds != Some(0) {
        return None;
    }
    let mut detail = Text::from(
        "startingDeadlineSeconds is 0, so every run is too late by the time the controller syncs. \
         Nothing is ever started, and no event is recorded.",
    );
    if let Some(next) = facts.next_run() {
        detail += text!(
            " The next run that will be missed is scheduled at {}.",
            local(facts, next)
        );
    }
    Some(FindingDetails::new(detail).remedy(facts.set_deadline()))
}

pub(super) fn starting_deadline_under_every(facts: &Facts<'_>) -> Option<FindingDetails> {
    let spec = &facts.input.cron_job.spec;
    let (deadline, every) = (spec.starting_deadline_seconds?, spec.every()?);
    if deadline == 0 || facts.input.has_time_to_start() {
        return None;
    }
    let detail = format!(
        "startingDeadlineSeconds ({deadline}) is shorter than the interval of @every ({}). The times \
         of @every count from the deadline before each sync, so the next run is always still to \
         come. Nothing is ever started, and no event is recorded.",
        exact(every)
    );
    Some(FindingDetails::new(detail).remedy(facts.set_deadline()))
}

/// The first generation of the controller syncs every ten seconds only.
pub(super) fn starting_deadline_under_10s(facts: &Facts<'_>) -> Option<FindingDetails> {
    let deadline = facts.input.cron_job.spec.starting_deadline_seconds?;
    let polls = facts.input.controller.model == Model::Kubernetes
        && facts.input.behavior().generation == Generation::V1;
    if !polls || !(1..10).contains(&deadline) {
        return None;
    }
    let detail = format!(
        "startingDeadlineSeconds is {deadline}, but Kubernetes {} syncs only every 10 seconds. \
         About {} of 10 runs are seen too late and are missed without an event.",
        facts.input.controller.release,
        10 - deadline
    );
    Some(FindingDetails::new(detail).remedy(facts.set_deadline()))
}

pub(super) fn starting_deadline_shorter_than_delay(facts: &Facts<'_>) -> Option<FindingDetails> {
    let deadline = facts.input.cron_job.spec.starting_deadline_seconds;
    let deadline = deadline.filter(|deadline| *deadline > 0)?;
    let delays = facts.runs.iter().filter_map(PastRun::delay_seconds);
    let delays: Vec<i64> = delays.collect();
    let late = delays.iter().filter(|delay| **delay > deadline).count();
    // A single late run can be an outage or a suspension.
    let (longest, known) = if late >= 2 && late * 2 >= delays.len() {
        let longest = *delays.iter().max()?;
        let (known, most) = (delays.len(), exact(longest));
        let known = text!(
            "{} of {} known runs started later than that, up to {} late",
            late,
            known,
            most
        );
        (longest, known)
    } else {
        delay_of_others(facts, deadline)?
    };
    let detail = text!(
        "startingDeadlineSeconds is {}, but {}. With this deadline, such runs are missed \
         without an event.",
        deadline,
        known
    );
    let every = facts.input.cron_job.spec.every();
    let least = every.map_or(60, |_| facts.sensible_deadline());
    let seconds = longest.saturating_mul(2).max(least);
    let patch = facts.patch(&json!({ "startingDeadlineSeconds": seconds }));
    Some(FindingDetails::new(detail).remedy(patch))
}

/// How late a run of it may start because others are due at the same time, and why that is expected.
fn delay_of_others(facts: &Facts<'_>, deadline: i64) -> Option<(i64, Text)> {
    if facts.input.is_suspended() {
        return None;
    }
    let expected = facts.input.expected_delay;
    if let Some(expected) = expected.filter(|it| it.scheduled_time > facts.input.now) {
        let at = local(facts, expected.scheduled_time);
        let late = exact(expected.seconds);
        let known = text!(
            "{} of the CronJobs that were read are due at {}, and the last of them starts about {} late",
            expected.starts,
            at,
            late
        );
        return Some((expected.seconds, known));
    }
    let last = facts.timetable.as_ref()?.previous(facts.input.now)?;
    let delay = facts.input.start_delays.get(&last).copied();
    let delay = delay.filter(|delay| *delay > deadline)?;
    let (last, late) = (local(facts, last), exact(delay));
    let known = text!(
        "Jobs of other CronJobs scheduled at {} were created up to {} late",
        last,
        late
    );
    Some((delay, known))
}

/// The runs that were not started within the deadline since the last start, and the deadline.
fn lost(facts: &Facts<'_>) -> Option<(Unstarted, i64)> {
    let deadline = facts.input.cron_job.spec.starting_deadline_seconds?;
    // The tutorial's controller does not record what it started.
    let remembers = facts.input.behavior().generation != Generation::Tutorial;
    let starts_nothing =
        facts.input.is_suspended() || facts.input.cron_job.deletion_timestamp.is_some();
    // Other rules report runs that a running Job blocks, and a deadline that prevents every run.
    let is_known = facts.blockade().is_some() || !facts.input.has_time_to_start();
    if deadline <= 0 || starts_nothing || !remembers || is_known {
        return None;
    }
    let since = facts.missed?.since;
    let since = unchanged_since(&facts.input.cron_job).map_or(since, |written| written.max(since));
    let seen = facts.input.coverage.as_of.min(facts.input.now);
    // A run that is exactly as old as the deadline is still started.
    let until = seen.as_second().checked_sub(deadline)?.checked_sub(1)?;
    let lost = Unstarted::between(facts, since, Timestamp::from_second(until).ok()?)?;
    Some((lost, deadline))
}

/// Whether a run was not started within the deadline, and nothing about its CronJob shows why.
pub(in super::super) fn is_lost_without_cause(facts: &Facts<'_>) -> bool {
    lost(facts).is_some_and(|(lost, deadline)| cause(facts, lost, deadline).is_none())
}

pub(super) fn starting_deadline_exceeded(facts: &Facts<'_>) -> Option<FindingDetails> {
    let (lost, deadline) = lost(facts)?;
    let cause = cause(facts, lost, deadline);
    let cause = cause.unwrap_or_else(|| {
        "The cause is unknown; the controller may have been down or busy.".into()
    });
    let runs = match lost.count {
        1 => text!("The run scheduled at {} was", local(facts, lost.first)),
        count => text!(
            "The {} runs scheduled from {} to {} were",
            count,
            facts.local_without_zone(lost.first),
            local(facts, lost.last)
        ),
    };
    let detail = text!(
        "{} not started in time (startingDeadlineSeconds: {}) and will not be started. \
         {}",
        runs,
        deadline,
        cause
    );
    let found = FindingDetails::new(detail).remedy(remedy(facts, deadline, lost.last));
    Some(found.severity_if(lost.is_lasting(&facts.input), Severity::Error))
}

/// The shortest deadline that a remedy sets, in seconds: it has to be read and pasted in time.
const SHORTEST: i64 = 300;
const LONGEST: i64 = 3_600;

/// Runs it once, and allows later runs to start later. A longer deadline alone starts the last run, if it leaves
/// as much time again as has passed.
fn remedy(facts: &Facts<'_>, deadline: i64, last: Timestamp) -> Command {
    let run = facts.input.backfill();
    let minutes = facts.input.ago(last).saturating_mul(2).saturating_add(59) / 60;
    let enough = minutes.saturating_mul(60).max(SHORTEST);
    let longer = facts.sensible_deadline().max(SHORTEST);
    let longer = if enough <= LONGEST {
        longer.max(enough)
    } else {
        longer
    };
    if longer <= deadline {
        return run;
    }
    let spec = json!({ "startingDeadlineSeconds": longer });
    if enough <= longer && facts.after_patching(&spec).is_some() {
        return facts.patch(&spec);
    }
    let (namespace, name) = (&facts.input.cron_job.namespace, &facts.input.cron_job.name);
    let patch = patch_command(facts.input.kubectl, namespace, name, &spec);
    let longer = human(longer);
    let purpose = format!("to allow runs to start up to {longer} late");
    run.or(&purpose, patch)
}

/// What delayed the last of the runs, as far as the evidence shows.
fn cause(facts: &Facts<'_>, lost: Unstarted, deadline: i64) -> Option<Text> {
    let due = lost.last;
    let until = due.as_second().saturating_add(deadline);
    let mut runs = facts.runs.iter().filter(|run| run.controlled);
    let in_the_way = runs.find_map(|run| {
        let created = run.job.creation_timestamp;
        let created = created.filter(|created| *created < due)?;
        let ended = run.finished_at().filter(|end| end.as_second() > until)?;
        Some((one_line(&run.job.name), created, ended))
    });
    let forbids = facts.input.cron_job.spec.concurrency_policy == ConcurrencyPolicy::Forbid;
    if let Some((job, created, ended)) = in_the_way.filter(|_| forbids) {
        let (created, ended) = (local(facts, created), local(facts, ended));
        return Some(text!(
            "{} was active from {} to {} (concurrencyPolicy: Forbid).",
            job,
            created,
            ended
        ));
    }
    let event = |reason: &str| {
        facts.events_with(reason).find(|event| {
            let first = event.first_seen().map(Timestamp::as_second);
            event.last_seen() >= Some(due) && first.is_none_or(|first| first <= until)
        })
    };
    if let Some(event) = event("FailedCreate") {
        let message = one_line(&event.message);
        return Some(text!("The Job could not be created: {}.", message));
    }
    if event("JobAlreadyActive").is_some() {
        return Some("Another Job was active at that time (concurrencyPolicy: Forbid).".into());
    }
    if let Some(outage) = facts.outage_in_words() {
        return Some(text!("{}.", outage));
    }
    let outage = facts.outage_at(due.as_second());
    if let Some(outage) = outage.filter(|outage| until < outage.next_sign.as_second()) {
        return Some(text!("{}.", facts.missed_because(outage)));
    }
    // Creation times have whole seconds.
    let delay = facts.input.start_delays.get(&due);
    let delay = delay.filter(|delay| **delay >= deadline)?;
    Some(text!(
        "The controller was busy: Jobs of other CronJobs scheduled at that time were created up to {} late.",
        exact(*delay)
    ))
}
