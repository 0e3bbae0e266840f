//! Runs that overlap.

use std::collections::HashSet;

use jiff::Timestamp;

use super::super::just_started::SYNC_UNDER_WAY;
use super::super::pods::awaited_admission;
use super::super::waiting::WaitingJob;
use super::super::{Facts, FindingDetails, Input, Severity, local, one_line};
use super::history::never_succeeded;
use super::pods::pod_crashes;
use cronjob_controller::controller::Outcome;
use cronjob_text::duration::{exact, human};
use cronjob_text::text::Text;
use cronjob_text::words::plural;
use kube_cron::Timetable;
use kube_model::{ConcurrencyPolicy, Event, Job, PastRun, time_of_named_job};

/// Runs that were not started although they were due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Unstarted {
    pub(super) count: u64,
    pub(super) first: Timestamp,
    pub(super) last: Timestamp,
}

/// A block that is shorter than this is not an error.
const HOUR: i64 = 3_600;

impl Unstarted {
    /// The runs that were due after a moment, up to another.
    pub(super) fn between(facts: &Facts<'_>, after: Timestamp, until: Timestamp) -> Option<Self> {
        let timetable = facts.timetable.as_ref().filter(|_| after < until)?;
        let counted = timetable.count(after, until).ok()?;
        Some(Unstarted {
            count: counted.count,
            first: counted.first?,
            last: counted.last?,
        })
    }

    /// `3 runs since T have not been started.`
    pub(super) fn in_words(self, facts: &Facts<'_>) -> Text {
        let first = local(facts, self.first);
        let runs = match self.count {
            1 => text!("The run scheduled at {} has not", first),
            count => text!("{} runs since {} have not", count, first),
        };
        text!("{} been started.", runs)
    }

    /// Whether more than a period has gone by without a start, and an hour at least.
    pub(super) fn is_lasting(self, input: &Input<'_>) -> bool {
        self.count > 1 && input.ago(self.first) >= HOUR
    }
}

/// A Job that keeps a `CronJob` from starting another one.
pub(super) struct Blockade<'a> {
    /// Its name, as the controller knows it.
    pub(super) name: &'a str,
    /// The Job, if it was read.
    pub(super) job: Option<&'a Job>,
    /// The runs that were due since it started.
    pub(super) unstarted: Unstarted,
}

impl Blockade<'_> {
    fn is_brief(&self, facts: &Facts<'_>) -> bool {
        facts.input.ago(self.unstarted.first) < BRIEF
    }
}

impl Facts<'_> {
    /// Whether a Job keeps others from being started that were due, for long enough to be reported.
    pub(super) fn is_in_the_way(&self, job: &Job) -> bool {
        let blockade = self.blockade();
        blockade.is_some_and(|blockade| blockade.name == job.name && !blockade.is_brief(self))
    }

    /// The Job that keeps others from being started, if a run was due since it was created: whether
    /// that run could still be started does not matter.
    pub(super) fn blockade(&self) -> Option<Blockade<'_>> {
        let active = &self.decision.status_after.active;
        let forbids = self.input.cron_job.spec.concurrency_policy == ConcurrencyPolicy::Forbid;
        let is_blocked = self.decision.outcome == Outcome::Blocked;
        let starts_nothing = self.input.is_suspended()
            || self.input.cron_job.deletion_timestamp.is_some()
            || !self.input.has_time_to_start();
        // A Job that is about to be started blocks nothing yet.
        if starts_nothing || self.decision.starts() || !(forbids || is_blocked) {
            return None;
        }
        let known = active.iter().map(|name| (name, self.input.job_named(name)));
        let oldest = known.min_by_key(|(_, job)| job.and_then(|job| job.creation_timestamp));
        let (name, job) = oldest?;
        let missed_since = self.missed?.since;
        let created = job.and_then(|job| job.creation_timestamp);
        let since = created.map_or(missed_since, |created| created.max(missed_since));
        let unstarted = Unstarted::between(self, since, self.input.now)?;
        Some(Blockade {
            name,
            job,
            unstarted,
        })
    }
}

/// A run that is blocked for less than this is not worth a word: the Job may be about to finish, in seconds.
const BRIEF: i64 = 30;

/// Pods take a while to start.
const POD_START: i64 = 60;

pub(super) fn blocked_by_running_job(facts: &Facts<'_>) -> Option<FindingDetails> {
    let blockade = facts.blockade()?;
    let is_brief = blockade.is_brief(facts);
    let Blockade {
        name,
        job,
        unstarted,
    } = blockade;
    let is_ending = job.is_some_and(|job| job.verdict().is_some());
    // Another rule reports what its end waits for.
    if is_ending || is_brief {
        return None;
    }
    let created = job.and_then(|job| job.creation_timestamp);
    let admission = job.and_then(awaited_admission);
    let since = admission.map_or(created, |admission| admission.since);
    let waits = job.and_then(|job| facts.waits_for(job));
    let does = match (since, waits) {
        (Some(since), waits) => {
            let what = waits.as_deref().unwrap_or("active");
            let age = human(facts.input.ago(since));
            text!(
                "has been {} for {} (since {})",
                what,
                age,
                local(facts, since)
            )
        }
        (None, Some(waits)) => text!("is {}", waits),
        (None, None) if facts.input.jobs_are_unknown() => {
            "is in status.active (Jobs were not read)".into()
        }
        (None, None) => "is active".into(),
    };
    let mut detail = text!(
        "{}{}{}",
        Text::aside(text!("{} {}. ", one_line(name), does)),
        unstarted.in_words(facts),
        then(facts, unstarted.count)
    );
    if let Some(stuck) = job.and_then(|job| stuck(facts, job)) {
        detail += text!(" {}", stuck);
    }
    let works = job.is_some_and(|job| job.ready > Some(0));
    let describe = || facts.input.kubectl("describe job").name(name);
    let show = match (admission, job) {
        (Some(admission), _) => facts.input.show_queue(admission),
        (None, Some(job)) if job.suspend == Some(true) => facts.resume_job(name),
        (None, Some(_)) if works => facts.input.last_logs(name),
        (None, Some(job)) => facts.allow_pods(job).unwrap_or_else(describe),
        (None, None) => describe(),
    };
    // Of runs that take long, each works as it should.
    let is_healthy = works && runs_longer_than_period(facts).is_some();
    let silent = job.and_then(|job| facts.input.silent_pod(job));
    let remedy = match silent {
        Some(silent) => facts.input.bring_back_node(silent.pod),
        None if is_healthy => show,
        None => show.or("to end it", facts.delete_job(name)),
    };
    let node = silent.and_then(|silent| facts.input.node_as_cause(silent.pod, Some(silent.since)));
    let found = FindingDetails::new(detail).about_job(name);
    let found = found.remedy(remedy).cause(node);
    // Some schedules are meant to start the next run as soon as the last one ends.
    let longest = facts.durations().longest_usual();
    let known = created.zip(longest);
    let is_usual = known.is_some_and(|(created, longest)| facts.input.ago(created) <= longest);
    let is_stuck = unstarted.is_lasting(&facts.input) && !is_usual;
    Some(found.severity_if(is_stuck, Severity::Error))
}

/// What happens to the runs that were not started.
fn then(facts: &Facts<'_>, count: u64) -> Text {
    let (are, none) = plural(count, ("It is", "It"), ("They are", "None of them"));
    let deadline = facts.input.cron_job.spec.starting_deadline_seconds;
    let waits = facts.decision.outcome == Outcome::Blocked;
    match (facts.decision.scheduled_time.filter(|_| waits), deadline) {
        (Some(run), deadline) => {
            let which = match count {
                1 => "It".into(),
                _ => text!("The run scheduled at {}", local(facts, run)),
            };
            let end = deadline.and_then(|deadline| run.as_second().checked_add(deadline));
            let end = end.and_then(|end| Timestamp::from_second(end).ok());
            let when = match facts.outlook().waits_until().or(end) {
                Some(end) => text!("if that Job ends by {}", local(facts, end)),
                None => "when that Job ends".into(),
            };
            let others = match count.saturating_sub(1) {
                0 => "",
                1 => " The first one is skipped.",
                _ => " All but the last are skipped.",
            };
            let starts = Text::aside(text!(" {} starts {}.", which, when));
            text!("{}{}", starts, others)
        }
        (None, Some(deadline)) => {
            text!(" {} skipped (startingDeadlineSeconds: {}).", are, deadline)
        }
        (None, None) if count == 1 => " It will not start when that Job ends.".into(),
        (None, None) => text!(" {} will start when that Job ends.", none),
    }
}

/// Why the Job may never end, as far as the Job itself shows it.
fn stuck(facts: &Facts<'_>, job: &Job) -> Option<Text> {
    let age = facts.input.ago(job.creation_timestamp?);
    if let Some(since) = job.deletion_timestamp {
        let since = local(facts, since);
        return Some(text!(
            "It has been terminating since {}; its deletion may be blocked by a finalizer.",
            since
        ));
    }
    // The queue is already named.
    if awaited_admission(job).is_some() {
        return None;
    }
    if job.suspend == Some(true) {
        let why = "The Job itself is suspended: it has no pods and does not finish on its own.";
        return Some(why.into());
    }
    if let Some(manager) = job.other_controller() {
        let manager = one_line(manager);
        return Some(text!(
            "Only {} starts and ends it (spec.managedBy of the Job).",
            manager
        ));
    }
    if job.start_time.is_none() {
        return Some("The Job controller has not started it yet.".into());
    }
    if job.active == 0 {
        return Some("It has no active pods.".into());
    }
    let run = facts.runs.iter().find(|run| std::ptr::eq(run.job, job));
    if run.is_some_and(|run| facts.held(run).is_some()) {
        // Another rule reports it, with the reason.
        return None;
    }
    if let Some(silent) = facts.input.silent_pod(job) {
        return Some(text!("It may no longer run: {}.", silent.in_words(facts)));
    }
    if job.ready == Some(0) && age >= POD_START {
        // Where pods were read, other findings say what they wait for.
        let seen = !facts.input.pods_of(job).is_empty();
        let guess = if seen {
            "."
        } else {
            "; they may be waiting for a node or an image."
        };
        return Some(text!("None of its pods is ready{}", guess));
    }
    let durations = facts.durations();
    let since = job.start_time?;
    if facts.input.ago(since) <= durations.longest_usual()? {
        return None;
    }
    Some(match durations.usual() {
        Some(usual) => text!("Usual duration: {}. It may be stuck.", usual.in_words()),
        None => text!(
            "The longest earlier run took {}, so this one may be stuck.",
            human(durations.p95()?)
        ),
    })
}

pub(super) fn runs_longer_than_period(facts: &Facts<'_>) -> Option<FindingDetails> {
    if facts.input.cron_job.spec.concurrency_policy == ConcurrencyPolicy::Replace {
        return replaced(facts);
    }
    let timetable = facts.timetable.as_ref()?;
    // One that a container holds would never end, nor one that crashes again and again, whatever the schedule. Not all
    // pods are read.
    let is_held = !facts.held_jobs().is_empty() || pod_crashes(facts).is_some();
    let of_schedule = facts.runs.iter().filter(|run| run.is_by_controller());
    let of_schedule = of_schedule.filter(|run| !is_held || run.ending().is_some());
    let judged: Vec<(bool, i64)> = of_schedule
        .filter_map(|run| judge(&facts.input, timetable, *run))
        .collect();
    let over = judged.iter().filter(|(over, _)| *over).count();
    // A single long run can be an accident.
    if over < 2 || over * 2 < judged.len() {
        return None;
    }
    let longest = judged.iter().map(|(_, took)| *took).max()?;
    let period = facts.intervals()?.shortest;
    let at_once = longest / period.max(1) + 1;
    let (known, longest, period) = (judged.len(), human(longest), exact(period));
    let forbids = facts.input.cron_job.spec.concurrency_policy == ConcurrencyPolicy::Forbid;
    let (consequence, or) = if forbids {
        let then = "Forbid, the next run starts late, and runs in between are skipped";
        (then.to_owned(), "")
    } else {
        let then = format!("Allow, up to {at_once} of them run at the same time");
        (then, ", or set concurrencyPolicy: Forbid")
    };
    let detail = format!(
        "{over} of {known} known runs had not finished when the next one was due. The longest \
         takes {longest}, and it is scheduled every {period}. With concurrencyPolicy: {consequence}."
    );
    let remedy = format!("Schedule runs more than {longest} apart{or}.");
    Some(FindingDetails::new(detail).remedy(remedy))
}

/// Whether a run was still active when the next one was due, and how long it took so far. `None` if
/// that is not known yet, or if the run has not begun.
fn judge(input: &Input<'_>, timetable: &Timetable, run: PastRun<'_>) -> Option<(bool, i64)> {
    let created = run.job.creation_timestamp?;
    let next = timetable.next(run.scheduled_time?).ok()??;
    // A run that waits for a pod would wait with every schedule, and so would one that nothing has started.
    let is_started = run.job.start_time.is_some();
    let awaits = input.awaits_pod(run.job) || WaitingJob::of(input, run.job).is_some();
    if run.ending().is_none() && (awaits || !is_started) {
        return None;
    }
    let until = match run.ending() {
        Some(_) => run.finished_at()?,
        None if input.now >= next => input.now,
        None => return None,
    };
    // A run that started late has less than a period until the next one.
    let took = until.as_second() - created.as_second();
    let period = next.as_second() - run.scheduled_time?.as_second();
    Some((took > period, took))
}

/// Fewer replaced runs may be an accident.
const FEW: u64 = 3;

/// With Replace the Jobs are deleted, and only events show those that the next start replaced.
fn replaced(facts: &Facts<'_>) -> Option<FindingDetails> {
    let spec = &facts.input.cron_job.spec;
    // With a limit of 0, finished runs are deleted too.
    if spec.successful_jobs_history_limit == Some(0) || spec.failed_jobs_history_limit == Some(0) {
        return None;
    }
    let timetable = facts.timetable.as_ref()?;
    let delay = |event: &Event| {
        let job = event.message.rsplit(' ').next()?;
        let due = time_of_named_job(&facts.input.cron_job, job, None)?;
        let next = timetable.next(due).ok()??;
        Some(event.last_seen()?.as_second() - next.as_second())
    };
    let deleted = facts.events_with("SuccessfulDelete");
    let killed = deleted.filter(|event| delay(event).is_some_and(|delay| (0..30).contains(&delay)));
    // An event that stands for similar ones is about the last of them, and counts all.
    let killed = killed.map(|event| u64::from(event.occurrences().unsigned_abs()));
    let killed: u64 = killed.sum();
    if killed < 2 {
        return None;
    }
    let none_succeeds = facts.runs_since_success() >= Some(killed.max(FEW));
    let is_known = never_succeeded(facts).is_some();
    let since = facts.without_success_since();
    let since = since.filter(|_| none_succeeds && !is_known);
    let then = since.map_or_else(Text::default, |since| {
        text!(" No run has succeeded since {}.", local(facts, since))
    });
    let period = exact(facts.intervals()?.shortest);
    let detail = text!(
        "{} runs were deleted before they finished, because the next one was due \
         (concurrencyPolicy: Replace). It is scheduled every {}.{}",
        killed,
        period,
        then
    );
    let found = FindingDetails::new(detail).remedy(text!(
        "Make runs shorter than {}, schedule them further apart, or set concurrencyPolicy: Forbid.",
        period
    ));
    Some(found.severity_if(none_succeeds, Severity::Error))
}

/// The first generation syncs every ten seconds, and less often with many CronJobs.
const FINISHED_FOR: i64 = 120;

pub(super) fn finished_job_still_active(facts: &Facts<'_>) -> Option<FindingDetails> {
    let active = &facts.input.cron_job.status.active;
    let listed: HashSet<&str> = active.iter().map(|active| active.uid.as_str()).collect();
    let (run, finished) = facts.runs.iter().find_map(|run| {
        let listed = listed.contains(run.job.uid.as_str());
        Some((run, run.finished_at().filter(|_| listed)?))
    })?;
    if facts.input.ago(finished) < FINISHED_FOR {
        return None;
    }
    let detail = text!(
        "status.active still lists {}, which finished at {}. The controller has not synced since.",
        one_line(&run.job.name),
        facts.past_time(finished)
    );
    Some(FindingDetails::new(detail).remedy(facts.input.show_lease()))
}

/// The list of Jobs may be a little older than the `CronJob`.
const VANISHED_FOR: i64 = 60;

pub(super) fn deleted_job_still_active(facts: &Facts<'_>) -> Option<FindingDetails> {
    if !facts.input.coverage.jobs_read {
        return None;
    }
    let status = &facts.input.cron_job.status;
    // A sync deletes Jobs before it writes the status.
    let due = facts.decision.scheduled_time.max(status.last_schedule_time);
    let syncs = due.is_some_and(|due| facts.input.ago(due) <= SYNC_UNDER_WAY);
    if status.active.is_empty() || syncs {
        return None;
    }
    let known: HashSet<&str> = facts
        .input
        .jobs
        .iter()
        .map(|job| job.uid.as_str())
        .collect();
    let gone = status.active.iter().find(|active| {
        let known = known.contains(active.uid.as_str());
        let due = time_of_named_job(&facts.input.cron_job, &active.name, None);
        let new = due.is_some_and(|due| facts.input.ago(due) < VANISHED_FOR);
        !known && !new && facts.input.job_named(&active.name).is_none()
    })?;
    let detail = format!(
        "status.active lists {}, but the namespace has no such Job. At its next sync, the \
         controller removes it and records a MissingJob event.",
        one_line(&gone.name)
    );
    Some(FindingDetails::new(detail).remedy(facts.input.show_lease()))
}
