//! What happened at a scheduled time that has no Job, derived from the other evidence.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use jiff::Timestamp;

use super::RunStatus;
use super::deleted_jobs::{UnexplainedDeletion, latest_unexplained_deletion};
use super::retention::evidence_ends;
use super::retention::{PossibleRemoval, Retention};
use super::run::{self, RecordedRun, RunReason};
use super::schedule_changes::{ScheduleChange, last_schedule_change, resumed};
use super::window::{ResolvedWindow, ScheduledTimes, WindowBasis};
use crate::diagnose::{
    EventJob, EventJobs, Facts, JobRemoval, MissedFor, SkippedRuns, causes, last_run_skipped_by,
    local,
};
use cronjob_controller::controller::{Arithmetic, Generation, MissedCause, ON_TIME, Outcome};
use cronjob_text::text::Text;
use kube_model::{ConcurrencyPolicy, Event, PastOutage, PastRun};

/// What happened at a scheduled time without a Job. Those with the same status are reported together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WithoutJob {
    /// Nothing in the evidence is so new.
    AfterEvidence,
    /// The `CronJob` did not exist.
    NotCreated,
    /// The status says that it was started.
    StartedAndGone,
    /// The last `resume` skipped it; whether that suspension is known to have begun before it.
    SkippedByResume(bool),
    /// A client set the status, so that it is skipped.
    SkippedByStatus,
    /// The schedule may have been another.
    ScheduleChanged,
    /// It was not started yet, and is about to be.
    Due,
    /// It was not started, for one of [`causes`].
    Missed(usize),
    /// As [`WithoutJob::Missed`], but it starts when the active run finishes.
    Waits(usize),
    Blocked(usize),
    /// A run was active, and ended before the next run or the deadline: the controller starts it then, but did not.
    NotStartedAfter(usize),
    /// An event at that time says that another run was active.
    SaidToBeBlocked(Timestamp),
    NoJobs,
    /// The recorder was not watching, and nothing else shows it.
    NotRecorded,
    /// Its Job may have been removed.
    Removable(PossibleRemoval),
    /// Its Job may have been deleted, since a younger one was.
    MaybeDeleted,
    /// Its Job could not be created, by an event.
    NotCreatable(usize),
    /// The controller said that it was too late for it.
    TooLate,
    /// Its Job would have had the name of another run's.
    SameName,
    /// It was not started, and the `CronJob` was resumed later.
    BeforeResume,
    /// It was not started, as nothing was anywhere.
    ControllerDown(PastOutage),
    /// It was not started, for an unknown reason.
    Unexplained,
}

impl WithoutJob {
    pub(super) fn status(self) -> RunStatus {
        match self {
            WithoutJob::AfterEvidence
            | WithoutJob::StartedAndGone
            | WithoutJob::ScheduleChanged
            | WithoutJob::Due
            | WithoutJob::NoJobs
            | WithoutJob::NotRecorded
            | WithoutJob::MaybeDeleted
            | WithoutJob::Removable(_) => RunStatus::Unknown,
            _ => RunStatus::Skipped,
        }
    }
}

/// Everything that decides what happened at scheduled times, computed once.
pub(super) struct Classifier<'a> {
    pub(super) facts: &'a Facts<'a>,
    pub(super) event_jobs: EventJobs,
    pub(super) causes: Vec<MissedFor>,
    pub(super) blockers: BlockingRuns,
    pub(super) schedule_change: ScheduleChange,
    pub(super) resumed: Option<(&'a str, Timestamp)>,
    pub(super) skipped: Option<SkippedRuns>,
    /// The events about Jobs that could not be created.
    pub(super) failures: Vec<&'a Event>,
    /// The youngest Job that is gone without a reason.
    pub(super) deletion: Option<UnexplainedDeletion>,
    retention: Retention,
    /// When the controller said that a run was in the way.
    reported_blocked: Vec<Timestamp>,
    /// The scheduled times that the controller said it was too late for.
    said_late: Vec<i64>,
    /// The scheduled times that were started, by Jobs.
    started: BTreeSet<i64>,
    /// The last scheduled time that was started, by Jobs, events and status.
    last_started: Option<i64>,
}

impl<'a> Classifier<'a> {
    pub(super) fn new(facts: &'a Facts<'a>) -> Self {
        let event_jobs = EventJobs::of(facts);
        let blocked = facts.events_with("JobAlreadyActive");
        let of_jobs = facts.runs.iter().filter_map(run::started_time);
        let of_status = facts.input.cron_job.status.last_schedule_time;
        let started = of_jobs.clone().chain(event_jobs.removed_times());
        let started = started.chain(of_status);
        let retention = Retention::of(facts);
        Classifier {
            facts,
            deletion: latest_unexplained_deletion(facts, &event_jobs, &retention),
            causes: causes(facts),
            blockers: BlockingRuns::of(facts, &event_jobs),
            schedule_change: last_schedule_change(&facts.input.cron_job),
            resumed: resumed(&facts.input.cron_job),
            skipped: SkippedRuns::of(&facts.input.cron_job),
            failures: facts.events_with("FailedCreate").collect(),
            retention,
            reported_blocked: blocked
                .flat_map(|event| [event.first_seen(), event.last_seen()])
                .flatten()
                .collect(),
            said_late: facts
                .events_with("MissSchedule")
                .filter_map(late_time)
                .collect(),
            started: of_jobs.clone().map(Timestamp::as_second).collect(),
            last_started: started.map(Timestamp::as_second).max(),
            event_jobs,
        }
    }

    pub(super) fn retention(&self) -> Retention {
        self.retention
    }

    /// Whether every Job since the creation would still be there.
    pub(super) fn remembers_all(&self) -> bool {
        let created = self.facts.input.cron_job.creation_timestamp;
        self.deletion.is_none()
            && created.is_some_and(|created| {
                !self
                    .retention
                    .removal(created.as_second(), true)
                    .is_possible()
            })
    }

    /// What happened at a scheduled time without a Job; `next` is the scheduled time after it.
    pub(super) fn without_job(&self, scheduled_time: i64, next: Option<i64>) -> WithoutJob {
        let case = self.by_own_evidence(scheduled_time, next);
        match self.facts.outage_at(scheduled_time) {
            Some(outage) if self.is_unexplained(case) => WithoutJob::ControllerDown(outage),
            _ => case,
        }
    }

    /// Whether it was not started, and the evidence of the `CronJob` does not show why.
    fn is_unexplained(&self, case: WithoutJob) -> bool {
        match case {
            WithoutJob::Missed(index) => {
                let cause = self.causes.get(index).map(|missed| missed.cause);
                // The controller would have started it before its deadline.
                matches!(cause, Some(MissedCause::Unknown | MissedCause::Deadline))
            }
            WithoutJob::NotStartedAfter(_) | WithoutJob::BeforeResume | WithoutJob::Unexplained => {
                true
            }
            _ => false,
        }
    }

    /// What happened at a scheduled time, as far as the evidence of the `CronJob` shows it.
    fn by_own_evidence(&self, scheduled_time: i64, next: Option<i64>) -> WithoutJob {
        let facts = self.facts;
        let status = &facts.input.cron_job.status;
        let created = facts.input.cron_job.creation_timestamp;
        if scheduled_time > evidence_ends(&facts.input).as_second() {
            return WithoutJob::AfterEvidence;
        }
        let is_last = self.status_is_kept()
            && status.last_schedule_time.map(Timestamp::as_second) == Some(scheduled_time);
        let is_last_skipped = is_last && last_run_skipped_by(&facts.input.cron_job).is_some();
        if let Some(skipped) = self.skipped.filter(|_| !is_last || is_last_skipped)
            && (skipped.first.as_second()..=skipped.last.as_second()).contains(&scheduled_time)
            && !self.may_be_backfilled(scheduled_time)
        {
            let suspended_at = skipped.suspended_at.map(Timestamp::as_second);
            return WithoutJob::SkippedByResume(
                suspended_at.is_some_and(|at| at <= scheduled_time),
            );
        }
        if created.is_some_and(|created| scheduled_time <= created.as_second()) {
            return WithoutJob::NotCreated;
        }
        if is_last_skipped {
            return WithoutJob::SkippedByStatus;
        }
        if is_last {
            return WithoutJob::StartedAndGone;
        }
        if matches!(self.schedule_change, ScheduleChange::UpTo(moment) if scheduled_time <= moment.as_second())
        {
            return self
                .by_event(scheduled_time)
                .unwrap_or(WithoutJob::ScheduleChanged);
        }
        if self.was_never_started(scheduled_time) {
            return self.missed(scheduled_time);
        }
        let blocker = self.blockers.at(scheduled_time);
        // Of several scheduled times only the last is made up for.
        if let Some(index) = blocker
            && next.is_some_and(|next| self.blockers.last_until(index, next))
        {
            return WithoutJob::Blocked(index);
        }
        if !facts.input.coverage.jobs_read {
            return WithoutJob::NoJobs;
        }
        let followed = self.last_started.is_some_and(|last| last > scheduled_time);
        let removal = self.retention.removal(scheduled_time, followed);
        if removal.is_possible() {
            return WithoutJob::Removable(removal);
        }
        let deletion = self.deletion.as_ref();
        if deletion.is_some_and(|deletion| scheduled_time <= deletion.at) {
            return WithoutJob::MaybeDeleted;
        }
        match (self.skipped(scheduled_time, next), blocker) {
            (_, Some(index)) if self.blocks_up_to_deadline(index, scheduled_time, next) => {
                WithoutJob::Blocked(index)
            }
            (WithoutJob::Unexplained, Some(index)) => WithoutJob::NotStartedAfter(index),
            (case, _) => case,
        }
    }

    /// Whether a run was active until the next one was due or the deadline had passed, or until just before.
    fn blocks_up_to_deadline(&self, index: usize, scheduled_time: i64, next: Option<i64>) -> bool {
        let deadline = self.facts.input.cron_job.spec.starting_deadline_seconds;
        let deadline = deadline.map(|seconds| scheduled_time.saturating_add(seconds));
        let mut too_late = next.into_iter().chain(deadline);
        too_late.any(|at| self.blockers.last_until(index, at.saturating_sub(ON_TIME)))
    }

    /// Whether its Job may have been backfilled and then removed, as runs are backfilled oldest first.
    fn may_be_backfilled(&self, scheduled_time: i64) -> bool {
        let mut runs = self.facts.runs.iter();
        let is_later = |time: Timestamp| time.as_second() > scheduled_time;
        runs.any(|run| run.backfilled && run.scheduled_time.is_some_and(is_later))
            && self.retention.removal(scheduled_time, true).is_possible()
    }

    /// A scheduled time whose Job would still be there.
    fn skipped(&self, scheduled_time: i64, next: Option<i64>) -> WithoutJob {
        if let Some(case) = self.by_event(scheduled_time) {
            return case;
        }
        let fails = |event: &&Event| {
            let first = event.first_seen().map(Timestamp::as_second);
            let last = event.last_seen().map(Timestamp::as_second);
            first.is_some_and(|first| next.is_none_or(|next| first < next))
                && last.is_some_and(|last| last >= scheduled_time)
        };
        if let Some(index) = self.failures.iter().position(fails) {
            return WithoutJob::NotCreatable(index);
        }
        if self.takes_name_of_another(scheduled_time) {
            return WithoutJob::SameName;
        }
        let resumed = self.resumed.map(|(_, at)| at);
        if resumed.is_some_and(|at| self.first_to_start_after(at, scheduled_time)) {
            WithoutJob::BeforeResume
        } else {
            WithoutJob::Unexplained
        }
    }

    /// What an event of the controller says of a scheduled time.
    fn by_event(&self, scheduled_time: i64) -> Option<WithoutJob> {
        let soon_after = scheduled_time..=scheduled_time.saturating_add(ON_TIME);
        let mut reported = self.reported_blocked.iter().copied();
        let blocked = reported.find(|at| soon_after.contains(&at.as_second()));
        let is_late = self.said_late.contains(&scheduled_time);
        let late = is_late.then_some(WithoutJob::TooLate);
        blocked.map(WithoutJob::SaidToBeBlocked).or(late)
    }

    /// Whether a Job of the same minute was started for another scheduled time: names of Jobs have minutes.
    fn takes_name_of_another(&self, scheduled_time: i64) -> bool {
        let minute = scheduled_time.div_euclid(60) * 60;
        let mut others = self.started.range(minute..minute.saturating_add(60));
        others.any(|other| *other != scheduled_time)
    }

    /// Whether nothing was started between a scheduled time and a later moment.
    fn first_to_start_after(&self, at: Timestamp, scheduled_time: i64) -> bool {
        let between = |run: &Timestamp| run.as_second() > scheduled_time && *run < at;
        let runs = self.facts.runs.iter().filter(|run| run.is_by_controller());
        let mut starts = runs.filter_map(|run| run.job.creation_timestamp);
        scheduled_time < at.as_second() && !starts.any(|start| between(&start))
    }

    /// The controller of Kubernetes records the scheduled time of each start, and continues from there. The
    /// tutorial's computes it again from the Jobs that are left.
    fn status_is_kept(&self) -> bool {
        self.facts.input.behavior().generation != Generation::Tutorial
    }

    /// Whether the status proves that a scheduled time was not started.
    fn was_never_started(&self, scheduled_time: i64) -> bool {
        let cron_job = &*self.facts.input.cron_job;
        // Without a creation it was never in a cluster, and its status means nothing.
        let exists = cron_job.creation_timestamp.is_some();
        let last = cron_job.status.last_schedule_time;
        self.status_is_kept()
            && last.map_or(exists, |last| last.as_second() < scheduled_time)
            && self.last_started.is_none_or(|last| last < scheduled_time)
    }

    /// A scheduled time after the last start.
    fn missed(&self, scheduled_time: i64) -> WithoutJob {
        let decision = &self.facts.decision;
        let found = decision.scheduled_time.map(Timestamp::as_second) == Some(scheduled_time);
        let starts = decision.starts();
        let just_now =
            scheduled_time.saturating_add(ON_TIME) >= evidence_ends(&self.facts.input).as_second();
        let index = self.causes.iter().position(|cause| {
            (cause.first.as_second()..=cause.last.as_second()).contains(&scheduled_time)
        });
        match index {
            _ if starts && (found || just_now) => WithoutJob::Due,
            Some(index) if found && decision.outcome == Outcome::Blocked => {
                WithoutJob::Waits(index)
            }
            Some(_) | None if self.takes_name_of_another(scheduled_time) => WithoutJob::SameName,
            Some(index) => WithoutJob::Missed(index),
            None => WithoutJob::Unexplained,
        }
    }

    /// What is to be said of a run beside its figures.
    pub(super) fn about_run(&self, scheduled_time: i64, run: &RecordedRun) -> Option<RunReason> {
        if let Some(removed) = run.removed {
            let failed = run.is_unsuccessful;
            return Some(RunReason::removed(self.facts, removed, failed));
        }
        if let Some(failure) = &run.failure {
            return Some(RunReason::failure(failure));
        }
        if run.backfilled {
            return Some(RunReason::backfilled());
        }
        let started = run.started_at?.as_second();
        let blocker = self.blockers.get(self.blockers.at(scheduled_time)?)?;
        let at_its_end = (0..=ON_TIME).contains(&started.saturating_sub(blocker.end()));
        (run.delay_seconds > Some(ON_TIME) && at_its_end)
            .then(|| RunReason::waited(self.facts, blocker))
    }

    /// The note about a run for a time that is not in the schedule.
    pub(super) fn about_off_schedule_run(&self, time: Timestamp) -> RunReason {
        RunReason::off_schedule_run(self.facts, self.schedule_change, time)
    }

    /// Where runs show that another schedule was in effect until the last edit, those runs count in place of the times
    /// that the schedule has now.
    pub(super) fn replace_edited_times(
        &self,
        times: &mut ScheduledTimes,
        within: &RangeInclusive<i64>,
    ) {
        let ScheduleChange::UpTo(changed) = self.schedule_change else {
            return;
        };
        // Some versions start runs at times that are not in the schedule.
        if self.facts.input.behavior().arithmetic == Arithmetic::Multiplied {
            return;
        }
        let of_jobs = self.facts.runs.iter().filter_map(run::scheduled_time);
        let runs = of_jobs.chain(self.event_jobs.removed_times());
        let runs = runs.filter(|at| at.subsec_nanosecond() == 0);
        let runs: BTreeSet<i64> = runs.map(Timestamp::as_second).collect();
        let runs: Vec<i64> = runs
            .into_iter()
            .filter(|run| within.contains(run))
            .collect();
        let (earlier, later) =
            runs.split_at(runs.partition_point(|run| *run < changed.as_second()));
        let is_other = |run: &&i64| times.seconds.binary_search(run).is_err();
        let Some(first) = earlier.iter().find(is_other).copied() else {
            return;
        };
        // Runs outside of the schedule since then have another reason, such as a time zone that is not known.
        if later.iter().any(|run| is_other(&run)) {
            return;
        }
        let counts = |second: &i64| *second < first || *second >= changed.as_second();
        times.seconds.retain(counts);
        times.seconds.extend(earlier);
        times.seconds.sort_unstable();
        times.seconds.dedup();
    }

    /// What should be known before something is concluded.
    pub(super) fn notes(&self, span: &ResolvedWindow, chain: &ScheduledTimes) -> Vec<Text> {
        let mut notes = Vec::new();
        if span.ends_with_evidence {
            notes.push(text!(
                "the files end at {}; use --now to give the time at which they were made",
                local(self.facts, span.until)
            ));
        }
        if let ScheduleChange::SomeTime { generation } = self.schedule_change
            && !(chain.seconds.is_empty() && span.basis != WindowBasis::Asked)
        {
            notes.push(text!(
                "the spec was changed after the creation (generation {}) at an unknown time; \
                 scheduled times are those of the current schedule",
                generation
            ));
        }
        if chain.stands_still {
            notes.push("the search for runs does not get past the last one".into());
        }
        notes
    }
}

/// The scheduled time that the controller said it was too late for.
fn late_time(event: &Event) -> Option<i64> {
    let (_, time) = event.message.rsplit_once("start a job: ")?;
    let time = jiff::fmt::rfc2822::parse(time.trim()).ok()?;
    Some(time.timestamp().as_second())
}

/// A run with a known start, and possibly a known end.
#[derive(Clone, Debug)]
pub(super) struct BlockingRun {
    pub(super) job_name: String,
    pub(super) from: Timestamp,
    /// `None` while it is not finished.
    pub(super) until: Option<Timestamp>,
    scheduled_time: i64,
}

/// The runs that can have been in the way, by start.
#[derive(Default)]
pub(super) struct BlockingRuns {
    all: Vec<BlockingRun>,
    /// For each index, which of the runs up to it ended last.
    longest: Vec<usize>,
}

impl BlockingRuns {
    pub(super) fn of(facts: &Facts<'_>, event_jobs: &EventJobs) -> Self {
        if facts.input.cron_job.spec.concurrency_policy != ConcurrencyPolicy::Forbid {
            return BlockingRuns::default();
        }
        let of_jobs = facts.runs.iter().filter_map(of_job);
        let of_events = event_jobs.removed().filter_map(of_event_job);
        let mut all: Vec<BlockingRun> = of_jobs.chain(of_events).collect();
        all.sort_by_key(|blocker| blocker.from);
        let mut longest: Vec<usize> = Vec::with_capacity(all.len());
        for (index, blocker) in all.iter().enumerate() {
            let before = longest.last().copied();
            let ends_later = before
                .and_then(|before| all.get(before))
                .is_some_and(|before| before.end() >= blocker.end());
            longest.push(before.filter(|_| ends_later).unwrap_or(index));
        }
        BlockingRuns { all, longest }
    }

    /// The run that was still going at a scheduled time, and not for that scheduled time.
    pub(super) fn at(&self, scheduled_time: i64) -> Option<usize> {
        let started = self
            .all
            .partition_point(|blocker| blocker.from.as_second() <= scheduled_time);
        let index = *self.longest.get(started.checked_sub(1)?)?;
        let blocker = self.all.get(index)?;
        (blocker.end() > scheduled_time && blocker.scheduled_time < scheduled_time).then_some(index)
    }

    pub(super) fn get(&self, index: usize) -> Option<&BlockingRun> {
        self.all.get(index)
    }

    /// Whether the run of an index was active up to that second.
    fn last_until(&self, index: usize, second: i64) -> bool {
        self.get(index).is_some_and(|run| run.end() >= second)
    }
}

impl BlockingRun {
    /// The second in which it ended; never, as long as it has not.
    pub(super) fn end(&self) -> i64 {
        self.until.map_or(i64::MAX, Timestamp::as_second)
    }
}

fn of_job(run: &PastRun<'_>) -> Option<BlockingRun> {
    let until = match run.ending() {
        Some(_) => Some(run.finished_at()?),
        None => None,
    };
    Some(BlockingRun {
        job_name: run.job.name.clone(),
        from: run.job.creation_timestamp?,
        until,
        scheduled_time: run::started_time(run)?.as_second(),
    })
}

fn of_event_job(event_job: &EventJob) -> Option<BlockingRun> {
    Some(BlockingRun {
        job_name: event_job.job_name.clone(),
        from: event_job.created?,
        until: Some(match event_job.removed {
            JobRemoval::Missing(at) => event_job.finished.unwrap_or(at),
            _ => event_job.finished?,
        }),
        scheduled_time: event_job.scheduled_time.as_second(),
    })
}
