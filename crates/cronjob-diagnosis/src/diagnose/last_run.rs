//! What happened to the last run, and the last success.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::ending::EndingJob;
use super::event_jobs::{EventJobs, JobRemoval};
use super::just_started::SYNC_UNDER_WAY;
use super::pods::{self, Disruption};
use super::remedies::add_causes;
use super::waiting::WaitingJob;
use super::{Facts, Input, SkippedRuns, last_run_skipped_by, local, one_line};
use cronjob_controller::controller::{Success, marks_of_run};
use cronjob_text::duration::{exact, human};
use cronjob_text::text::Text;
use cronjob_text::words::counted;
use kube_model::{Condition, ContainerEnd, CronJob, Event, Job, JobResult, PastRun, RunPhases};

/// The last run of a `CronJob`: what happened to it, since when, and why.
#[derive(Clone, Debug, Default, JsonSchema, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LastRun {
    /// The scheduled time; null for a manually created Job.
    pub scheduled_time: Option<Timestamp>,
    /// The Job.
    pub job_name: String,
    /// What happened to it.
    pub state: LastRunState,
    /// When that state began; null if it is unknown.
    pub since: Option<Timestamp>,
    /// When the Job finished.
    pub finished_at: Option<Timestamp>,
    /// How long the Job ran, in seconds.
    pub duration_seconds: Option<i64>,
    /// Where the time went; only if its pods were read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phases: Option<RunPhases>,
    /// The cause, as a part of a sentence; null if there is none to name.
    pub reason: Option<Text>,
    /// How the Job ends when its last pod has ended: `succeeded` or `failed`; only while it is `ending`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("enum" = ["succeeded", "failed"]))]
    pub ends_as: Option<&'static str>,
    /// Whether the Job was created manually. Such a Job is the last run if it is newer than that of the last
    /// scheduled run.
    pub manual: bool,
    /// All of this as a sentence.
    pub text: Text,
    /// What happened, without the run: `failed after 24s: exit code 1`
    #[serde(skip)]
    pub outcome: Text,
    /// For how many seconds it ran until it had failed, and how much later its last pod had ended.
    #[serde(skip)]
    failed_after: Option<(i64, i64)>,
    /// How many runs were skipped since, by a client that resumed the CronJob.
    #[serde(skip)]
    skipped_since: u64,
}

string_enum! {
    /// What happened to a run.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum LastRunState {
        Succeeded = "succeeded",
        Failed = "failed",
        /// A container of it has started.
        Running = "running",
        /// No container of its own has started: there is no pod, it is suspended or queued, or its pod waits for a node, an
        /// image or an init container.
        Waiting = "waiting",
        /// Its result is decided (`FailureTarget` or `SuccessCriteriaMet`), but a pod of it has not ended. Since
        /// Kubernetes 1.31 it counts as active until then.
        Ending = "ending",
        /// The Job is gone, and whether it succeeded is unknown.
        Deleted = "deleted",
        /// The Job is gone, and it cannot have succeeded.
        DeletedWithoutSuccess = "deletedWithoutSuccess",
        #[default]
        Unknown = "unknown",
    }
}

/// The last success of a `CronJob`.
#[derive(Clone, Debug, JsonSchema, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LastSuccess {
    /// When the Job finished.
    pub finished_at: Timestamp,
    /// The scheduled time of the run; null if the Job is gone or was created manually.
    pub scheduled_time: Option<Timestamp>,
    /// The Job; null if it is gone.
    pub job_name: Option<String>,
}

/// In a column of a table: the Job is gone, and it cannot have succeeded.
pub const NO_SUCCESS: &str = "no success";

impl LastRunState {
    /// In a column of a table.
    pub fn word(self) -> &'static str {
        match self {
            LastRunState::Deleted => "deleted",
            LastRunState::DeletedWithoutSuccess => NO_SUCCESS,
            state => state.as_str(),
        }
    }
}

impl LastSuccess {
    pub(crate) fn of(facts: &Facts<'_>) -> Option<Self> {
        let finished_at = facts.last_success()?;
        let mut runs = facts.runs.iter().filter(|run| run.succeeded());
        let run = runs.find(|run| run.finished_at() == Some(finished_at));
        Some(LastSuccess {
            finished_at,
            scheduled_time: run.and_then(|run| run.scheduled_time),
            job_name: run.map(|run| run.job.name.clone()),
        })
    }
}

/// The reason of a run whose result only events show.
const JOB_IS_GONE: &str = "Job deleted";

/// A Job that is deleted sooner after its end may be gone before the controller has seen its success, in seconds.
const SEEN_WITHIN: i64 = 60;

impl Input<'_> {
    /// Whether the controller deletes a Job that succeeded before it records the success, in one sync: a conflict then
    /// loses it, and the next sync finds that the active Job is missing.
    pub(crate) fn can_lose_successes(&self) -> bool {
        self.cron_job.spec.successful_jobs_history_limit == Some(0)
    }
}

impl Facts<'_> {
    /// Whether a run whose Job is gone cannot have succeeded: its success would be recorded.
    pub(crate) fn cannot_have_succeeded(&self, scheduled_time: Timestamp) -> bool {
        let CronJob { spec, status, .. } = &*self.input.cron_job;
        let ttl = spec.job_setting("ttlSecondsAfterFinished");
        let is_older = |success| success < scheduled_time;
        self.input.coverage.jobs_read
            && self.input.behavior().success == Success::Succeeded
            && ttl.is_none_or(|ttl| ttl >= SEEN_WITHIN)
            && status.last_successful_time.is_none_or(is_older)
            && !(self.is_missing(scheduled_time) && self.may_lose_success())
    }

    /// Whether a success that is not recorded may have been lost. A run whose end was not recorded is expected to have
    /// failed if the one that events reported last did.
    fn may_lose_success(&self) -> bool {
        if !self.input.can_lose_successes() {
            return false;
        }
        let events = EventJobs::of(self);
        let reported = events
            .removed()
            .filter_map(|job| Some((job.scheduled_time, job.result?)));
        let last = reported.max_by_key(|(at, _)| *at);
        let fails = last.is_some_and(|(at, result)| {
            result == JobResult::Failed && self.last_success().is_none_or(|success| success < at)
        });
        !fails
    }

    /// Whether the status still lists the Job of a run as active, or the controller has noticed that it was gone.
    fn is_missing(&self, scheduled_time: Timestamp) -> bool {
        let name =
            marks_of_run(self.input.controller, &self.input.cron_job, scheduled_time).job_name;
        let mut active = self.input.cron_job.status.active.iter();
        let mut missing = self.events_with("MissingJob");
        active.any(|active| active.name == name)
            || missing.any(|event| event.own_message().ends_with(&format!(": {name}")))
    }
}

/// The last run of the schedule, and the last manual one if it is newer.
#[derive(Clone, Debug, Default)]
pub(super) struct LastRuns {
    pub(super) scheduled: Option<LastRun>,
    pub(super) manual: Option<LastRun>,
}

impl LastRuns {
    pub(super) fn of(facts: &Facts<'_>) -> Self {
        let is_scheduled = |run: &&PastRun<'_>| !run.is_manual();
        let runs = || facts.runs.iter();
        let with_job = runs().filter(is_scheduled).max_by_key(|run| {
            let created = run.job.creation_timestamp;
            (run.scheduled_time, created)
        });
        let recorded = facts.input.cron_job.status.last_schedule_time;
        // A client that skipped a run started nothing.
        let recorded = recorded.filter(|_| last_run_skipped_by(&facts.input.cron_job).is_none());
        let recorded = recorded.filter(|at| *at <= facts.input.now);
        let gone = recorded.filter(|at| with_job.is_none_or(|run| run.scheduled_time < Some(*at)));
        let started = gone.or(with_job.and_then(|run| run.job.creation_timestamp));
        let newer = |run: &&PastRun<'_>| run.is_manual() && run.job.creation_timestamp > started;
        let manual = runs()
            .filter(newer)
            .max_by_key(|run| run.job.creation_timestamp);
        let of_job = |run| LastRun::of_job(facts, run);
        let scheduled = match (gone, with_job) {
            (Some(at), _) => Some(LastRun::of_gone(facts, at)),
            (None, Some(run)) => Some(of_job(run)),
            (None, None) => LastRun::before_skipped(facts),
        };
        let described = |last: LastRun| last.described(facts);
        LastRuns {
            scheduled: scheduled.map(described),
            manual: manual.map(of_job).map(described),
        }
    }
}

/// A pod that was deleted ends sooner, in seconds.
const LONG_END: i64 = 60;

impl LastRun {
    fn described(mut self, facts: &Facts<'_>) -> Self {
        self.outcome = self.in_words(&facts.input);
        self.text = self.sentence(facts);
        self
    }

    fn of_job(facts: &Facts<'_>, run: &PastRun<'_>) -> Self {
        let job = run.job;
        let finished_at = run.finished_at();
        let (state, since, reason) = match job.result() {
            Some(JobResult::Succeeded) => (LastRunState::Succeeded, finished_at, None),
            Some(JobResult::Failed) => {
                let reason = failure_reason(facts, run);
                (LastRunState::Failed, job.failed_at(), reason)
            }
            None => unfinished(facts, run),
        };
        let ending = EndingJob::of(facts, job);
        let [began, failed, ended] = [
            job.start_time.or(job.creation_timestamp),
            job.failed_at(),
            finished_at,
        ]
        .map(|at| at.map(Timestamp::as_second));
        let failed_after = began.zip(failed).zip(ended);
        LastRun {
            failed_after: failed_after
                .map(|((began, failed), ended)| ((failed - began).max(0), ended - failed)),
            scheduled_time: run.scheduled_time.filter(|_| !run.is_manual()),
            job_name: job.name.clone(),
            state,
            since,
            finished_at,
            duration_seconds: run.run_seconds(),
            phases: facts.input.phases(job),
            reason,
            ends_as: ending.map(|ending| ending.result.as_str()),
            manual: run.is_manual(),
            ..LastRun::default()
        }
    }

    /// The run before those that a client skipped, whose Job is gone; `None` if no run was started before them.
    fn before_skipped(facts: &Facts<'_>) -> Option<Self> {
        let cron_job = &*facts.input.cron_job;
        last_run_skipped_by(cron_job)?;
        let timetable = facts.timetable.as_ref()?;
        let last = cron_job.status.last_schedule_time?;
        let success = cron_job.status.last_successful_time;
        let skipped = SkippedRuns::of(cron_job).filter(|skipped| skipped.last == last);
        let success = match skipped {
            Some(skipped) => success.filter(|success| *success < skipped.first),
            None => success.filter(|success| *success <= last),
        };
        let at = timetable.previous(match skipped {
            Some(skipped) => skipped.first,
            None => success?,
        })?;
        let is_own = cron_job
            .creation_timestamp
            .is_none_or(|created| at >= created);
        let finished_at = success.filter(|success| *success >= at);
        let state = match finished_at {
            Some(_) => LastRunState::Succeeded,
            None => LastRunState::Deleted,
        };
        is_own.then(|| LastRun {
            scheduled_time: Some(at),
            job_name: marks_of_run(facts.input.controller, cron_job, at).job_name,
            state,
            since: finished_at,
            finished_at,
            reason: finished_at.map(|_| JOB_IS_GONE.into()),
            skipped_since: timetable.count(at, last).map_or(0, |counted| counted.count),
            ..LastRun::default()
        })
    }

    /// A run that was started, and whose Job was not read.
    fn of_gone(facts: &Facts<'_>, at: Timestamp) -> Self {
        let name = marks_of_run(facts.input.controller, &facts.input.cron_job, at).job_name;
        let active = &facts.input.cron_job.status.active;
        let is_active = active.iter().any(|active| active.name == name);
        let lost = |state, since, reason: Option<Text>| LastRun {
            scheduled_time: Some(at),
            job_name: name.clone(),
            state,
            since,
            reason,
            ..LastRun::default()
        };
        // The Job of a start may be seen later than the status.
        if is_active && (!facts.input.coverage.jobs_read || facts.input.ago(at) <= SYNC_UNDER_WAY) {
            return lost(LastRunState::Running, Some(at), None);
        }
        if !facts.input.coverage.jobs_read {
            return lost(
                LastRunState::Unknown,
                None,
                Some("Jobs were not read".into()),
            );
        }
        let events = EventJobs::of(facts);
        let event = events.removed().find(|job| job.job_name == name);
        let ended = event.and_then(|job| Some((job.result?, job.finished)));
        if let Some((result, finished_at)) = ended {
            let state = match result {
                JobResult::Succeeded => LastRunState::Succeeded,
                JobResult::Failed => LastRunState::Failed,
            };
            let started = event.and_then(|job| job.created);
            let duration = finished_at.zip(started);
            return LastRun {
                finished_at,
                duration_seconds: duration.map(|(end, start)| end.as_second() - start.as_second()),
                ..lost(state, finished_at, Some(JOB_IS_GONE.into()))
            };
        }
        let may_have_succeeded = facts.may_lose_success();
        let removed = match event.map(|job| job.removed) {
            Some(JobRemoval::Replaced(at)) => {
                Some((at, "replaced by the next run before it finished"))
            }
            // The controller may have deleted one that it saw finished.
            Some(JobRemoval::Missing(_)) if facts.input.can_lose_successes() => None,
            // Whether a container of it had started is unknown: events about pods are read for Jobs that exist.
            Some(JobRemoval::Missing(at)) => Some((at, "deleted before it finished")),
            _ => None,
        };
        if let Some((at, why)) = removed {
            return lost(
                LastRunState::DeletedWithoutSuccess,
                Some(at),
                Some(why.into()),
            );
        }
        let success = facts.input.cron_job.status.last_successful_time;
        if let Some(success) = success.filter(|success| *success >= at) {
            let why = text!("success recorded at {}", local(facts, success));
            return lost(LastRunState::Deleted, None, Some(why));
        }
        if is_active && !may_have_succeeded || facts.cannot_have_succeeded(at) {
            lost(LastRunState::DeletedWithoutSuccess, None, None)
        } else {
            lost(LastRunState::Deleted, None, None)
        }
    }

    /// The same run without why it failed or waits, for a page that says that elsewhere.
    #[must_use]
    pub fn without_reason(&self, facts: &Facts<'_>) -> Self {
        let brief = LastRun {
            reason: None,
            ..self.clone()
        };
        brief.described(facts)
    }

    /// What happened: `waiting for 52m, not admitted by Kueue (queue batch)`
    fn in_words(&self, input: &Input<'_>) -> Text {
        let ago = self.since.map(|since| human(input.ago(since)));
        let for_long = ago.map_or_else(Text::default, |ago| text!(" for {}", ago));
        let failed_after = self.failed_after.map(|(seconds, _)| seconds);
        let took = failed_after.or(self.duration_seconds).map(human);
        let after = took.map_or_else(Text::default, |took| text!(" after {}", took));
        let (what, separator) = match self.state {
            LastRunState::Succeeded => (text!("succeeded{}", after), ": "),
            LastRunState::Failed => (text!("failed{}", after), ": "),
            LastRunState::Running => (text!("running{}", for_long), ", "),
            LastRunState::Waiting => (text!("waiting{}", for_long), ", "),
            LastRunState::Ending => {
                // A finding says why, and which pod keeps it from ending.
                let result = self.ends_as.unwrap_or_default();
                return text!("{}, ending{}", result, for_long);
            }
            LastRunState::Deleted => (JOB_IS_GONE.into(), "; "),
            LastRunState::DeletedWithoutSuccess => {
                let what = self.reason.clone();
                return what.unwrap_or_else(|| "did not succeed (Job deleted)".into());
            }
            LastRunState::Unknown => ("unknown".into(), ", "),
        };
        let text = match &self.reason {
            Some(reason) if *reason == JOB_IS_GONE => text!("{} ({})", what, reason),
            Some(reason) => text!("{}{}{}", what, separator, reason),
            None if self.state == LastRunState::Deleted => text!("{}, result unknown", what),
            None => what,
        };
        let ended_later = self.failed_after.map(|(_, later)| later);
        match (
            ended_later.filter(|later| *later >= LONG_END),
            self.skipped_since,
        ) {
            (Some(later), _) => text!("{}; its last pod ended {} later", text, exact(later)),
            (None, 0) => text,
            (None, skipped) => text!("{}; {} skipped since", text, counted(skipped, "run")),
        }
    }

    /// What happened, with the run: `Sun 2026-11-22 22:04 UTC, JOB: failed after 24s: exit code 1`
    fn sentence(&self, facts: &Facts<'_>) -> Text {
        let is_read = facts.input.coverage.jobs_read || self.state == LastRunState::Running;
        let run = match self.scheduled_time {
            // Whether it has this name is not known.
            Some(at) if !is_read => local(facts, at).into(),
            // Findings name the Job.
            Some(at) => {
                let job = Text::aside(text!(", {}", one_line(&self.job_name)));
                text!("{}{}", local(facts, at), job)
            }
            None => text!("{} (created manually)", one_line(&self.job_name)),
        };
        text!("{}: {}", run, self.outcome)
    }
}

/// Whether an unfinished Job runs, waits or is ending, since when, and why.
fn unfinished(
    facts: &Facts<'_>,
    run: &PastRun<'_>,
) -> (LastRunState, Option<Timestamp>, Option<Text>) {
    if let Some(ending) = EndingJob::of(facts, run.job) {
        let awaits = ending.what_it_awaits(facts);
        let why = failure_reason(facts, run);
        let reason = why.map_or_else(|| awaits.clone(), |why| text!("{}; {}", why, awaits));
        return (LastRunState::Ending, ending.since, Some(reason));
    }
    if let Some(waits) = WaitingJob::of(&facts.input, run.job) {
        return (LastRunState::Waiting, waits.since, waits.reason);
    }
    let job = run.job;
    if let Some(silent) = facts.input.silent_pod(job) {
        let reason = Some(silent.in_words(facts));
        return (LastRunState::Unknown, Some(silent.since), reason);
    }
    let since = job.start_time.or(job.creation_timestamp);
    let reason = job.deletion_timestamp.map(|_| "being deleted".into());
    let reason = reason.or_else(|| restarts(&facts.input, job));
    (LastRunState::Running, since, reason)
}

/// `restarted 5 times`; once can happen.
fn restarts(input: &Input<'_>, job: &Job) -> Option<Text> {
    let ends = pods::ends(input, job);
    let count: u64 = ends.iter().map(pods::PodFailure::restarts).sum();
    (count > 1).then(|| text!("restarted {} times", count))
}

/// `none yet (created Sun 2026-11-22 22:04:27 UTC)`; `None` for a manifest.
pub fn no_run_yet(facts: &Facts<'_>) -> Option<Text> {
    let created = facts.input.cron_job.known_creation()?;
    let last = facts.input.cron_job.status.last_schedule_time;
    if let Some(last) = last.filter(|last| *last > facts.input.now) {
        let last = local(facts, last);
        return Some(text!(
            "unknown: status.lastScheduleTime is in the future ({})",
            last
        ));
    }
    facts.timetable.as_ref()?;
    let before = last_start_before_creation(&facts.input).map_or_else(Text::default, |at| {
        let at = local(facts, at);
        text!(
            "; an earlier CronJob with this name last started a Job at {}",
            at
        )
    });
    Some(text!(
        "none yet (created {}{})",
        local(facts, created),
        before
    ))
}

/// When a `CronJob` that had the same name, and was deleted since, last started a Job, as events show.
fn last_start_before_creation(input: &Input<'_>) -> Option<Timestamp> {
    let cron_job = &*input.cron_job;
    let is_earlier = |event: &&Event| {
        let involved = &event.involved_object;
        (involved.kind == "CronJob" && event.reason == "SuccessfulCreate")
            && (&involved.namespace, &involved.name) == (&cron_job.namespace, &cron_job.name)
            && !(involved.uid.is_empty() || cron_job.uid.is_empty())
            && involved.uid != cron_job.uid
    };
    let events = input.events.iter().filter(is_earlier);
    events.filter_map(Event::last_seen).max()
}

/// Why a Job failed, in a few words: `exit code 1`
pub(crate) fn failure_reason(facts: &Facts<'_>, run: &PastRun<'_>) -> Option<Text> {
    let failure = run.job.decided_failure()?;
    let reason = short_reason(facts, run, failure);
    // The message has the index already.
    let is_named = |rule: &&str| {
        !reason
            .to_string()
            .ends_with(&format!("rule at index {rule}"))
    };
    Some(match failure.pod_failure_rule().filter(is_named) {
        Some(rule) => text!("{} (podFailurePolicy rule {})", reason, one_line(rule)),
        None => reason,
    })
}

fn short_reason(facts: &Facts<'_>, run: &PastRun<'_>, failure: &Condition) -> Text {
    let ends = pods::ends(&facts.input, run.job);
    if let Some(end) = ends.first() {
        let container = end.container.and_then(|one| one.terminated.as_ref());
        return match (end.disruption(), container) {
            (Some(disruption), _) => text!("its pod {}", disruption.in_short().0),
            (None, Some(container)) if end.pod.reason.is_empty() => exit_code(container),
            (None, _) => text!("its pod {}", end.stopped()),
        };
    }
    if let Some(disruption) = Disruption::of_events(&facts.input, run.job) {
        return text!("its pod {}", disruption.in_short().0);
    }
    limit_reached(&facts.input, run.job, failure).unwrap_or_else(|| {
        let words = [&failure.message, &failure.reason];
        let words = words.into_iter().find(|words| !words.is_empty());
        words.map_or_else(
            || "no reason recorded".into(),
            |words| one_line(words).into(),
        )
    })
}

/// Why a Job has failed, behind when it did: ` after 2 attempts (backoffLimit: 1)`, `: DeadlineExceeded: …`
pub(super) fn why_job_failed(input: &Input<'_>, job: &Job, failure: &Condition) -> Text {
    if let Some(limit) = limit_reached(input, job, failure) {
        return match &*failure.reason {
            BACKOFF_LIMIT => {
                let limit = job.backoff_limit.unwrap_or_default();
                let limit = Text::aside(text!(" (backoffLimit: {})", limit));
                let attempts = attempts(input, job).unwrap_or_default();
                text!(" after {}{}", counted(attempts, "attempt"), limit)
            }
            _ => text!(": {}", limit),
        };
    }
    let mut text = Text::default();
    add_causes(&mut text, [&failure.reason, &failure.message]);
    if failure.reason != BACKOFF_LIMIT {
        return text;
    }
    if let Some(limit) = job.backoff_limit {
        text += text!(" (backoffLimit: {})", limit);
    }
    // What its pods ended with says more.
    if pods::ends(input, job).is_empty() {
        text
    } else {
        Text::aside(text)
    }
}

const BACKOFF_LIMIT: &str = "BackoffLimitExceeded";

/// How many pods a Job started that failed because it could not start more; `None` if that is not certain.
fn attempts(input: &Input<'_>, job: &Job) -> Option<u64> {
    let spec = &input.cron_job.spec;
    // Other Jobs fail several times at once, or in one pod.
    let is_plain = spec.restart_policy() == Some("Never")
        && spec.job_setting("parallelism").is_none_or(|pods| pods <= 1)
        && spec.job_setting("completions").is_none_or(|pods| pods <= 1);
    let limit = u64::try_from(job.backoff_limit?).ok()?;
    let failed = u64::try_from(job.failed).ok().filter(|failed| *failed > 0);
    Some(failed.unwrap_or(limit + 1)).filter(|_| is_plain)
}

/// `exit code 137 (OOMKilled)`
fn exit_code(end: &ContainerEnd) -> Text {
    let code = text!("exit code {}", end.exit_code);
    match end.reason.as_str() {
        "" | "Error" => code,
        reason => text!("{} ({})", code, one_line(reason)),
    }
}

/// `stopped by activeDeadlineSeconds: 20`, `gave up after 2 attempts`
fn limit_reached(input: &Input<'_>, job: &Job, failure: &Condition) -> Option<Text> {
    match &*failure.reason {
        "DeadlineExceeded" => {
            let limit = job.active_deadline_seconds?;
            Some(text!("stopped by activeDeadlineSeconds: {}", limit))
        }
        BACKOFF_LIMIT => {
            let attempts = counted(attempts(input, job)?, "attempt");
            Some(text!("gave up after {}", attempts))
        }
        _ => None,
    }
}
