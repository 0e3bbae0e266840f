//! What follows from the [`Input`] about a `CronJob`, computed once for all findings.
//!
//! [`Input`] is what was read; [`Facts`] has it, and what the controller makes of it: its decision, the schedule, the
//! runs, what was missed. What takes time is computed when it is first asked for.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::OnceLock;

use jiff::Timestamp;

use super::durations::RunDurations;
use super::input::Input;
use super::last_run::{LastRun, LastRuns};
use super::missed::{MissedRuns, missed};
use crate::kubectl::Kubectl;
use cronjob_controller::controller::{Controller, Decision, NameTaken, Outcome, Success, decide};
use cronjob_controller::forecast::{Forecast, Situation, SyncCondition, forecast};
use cronjob_controller::upcoming::{ScheduleProblem, Subject, read};
use kube_cron::{Period, Schedule, Timetable, Zone};
use kube_model::{
    Coverage, CronJob, CronJobEvidence, CronJobSpec, Event, Job, PastRun, RunResult, StoredRun,
    past_runs,
};

/// Everything that is known of a `CronJob`: what was read, and what follows from it.
pub struct Facts<'a> {
    pub input: Input<'a>,
    /// The Jobs that belong to it, oldest first: controlled by it, or made from it manually.
    pub runs: Vec<PastRun<'a>>,
    /// The events about it.
    pub own_events: Vec<&'a Event>,
    /// What the controller would do now.
    pub decision: Decision,
    /// What it would do if the `CronJob` were resumed now; `None` if it is not suspended.
    pub if_resumed: Option<Decision>,
    /// The schedule, if it can be read.
    pub schedule: Result<Schedule, ScheduleProblem>,
    pub timetable: Option<Timetable>,
    /// The runs that were missed, if the schedule can be read.
    pub missed: Option<MissedRuns>,
    /// The Jobs as the controller knows them: where Jobs were not read, those in `status.active`.
    pub controller_jobs: Cow<'a, [Job]>,
    /// Whether they are about a change that makes the controller sync: nothing is overdue then.
    syncs_now: bool,
    on_demand: OnDemand,
}

/// What takes time, and what most CronJobs do not need.
#[derive(Default)]
struct OnDemand {
    intervals: OnceLock<Option<Period>>,
    outlook: OnceLock<Forecast>,
    durations: OnceLock<RunDurations>,
    last_runs: OnceLock<LastRuns>,
}

impl<'a> Facts<'a> {
    /// Gathers the facts for answers without commands. `jobs` and `events` are those of the namespace.
    pub fn gather(
        controller: &'a Controller,
        cron_job: &'a CronJob,
        jobs: &'a [Job],
        events: &'a [Event],
        now: Timestamp,
    ) -> Self {
        let input = Input::gather(controller, cron_job, jobs, events, now);
        Self::following_from(input, Cow::Borrowed(jobs))
    }

    /// Gathers the facts from the evidence of a `CronJob`.
    pub fn of(
        controller: &'a Controller,
        kubectl: &'a Kubectl,
        evidence: &'a CronJobEvidence,
        coverage: Coverage,
        now: Timestamp,
    ) -> Self {
        let controller_jobs = if coverage.jobs_read || !evidence.jobs.is_empty() {
            Cow::Borrowed(evidence.jobs.as_slice())
        } else {
            Cow::Owned(evidence.cron_job.assumed_jobs())
        };
        let input = Input::of(controller, kubectl, evidence, coverage, now);
        let mut facts = Self::following_from(input, controller_jobs);
        if facts.input.jobs_are_unknown() {
            let active = facts.input.cron_job.status.active.len();
            facts.decision.jobs_were_not_read(active);
        }
        facts
    }

    fn following_from(input: Input<'a>, controller_jobs: Cow<'a, [Job]>) -> Self {
        let Input {
            controller,
            cron_job,
            jobs,
            now,
            ..
        } = &input;
        let schedule = read(controller, &Subject::from(&**cron_job));
        let readable = schedule.as_ref().ok();
        let timetable = readable.map(|schedule| schedule.in_zone(&controller.local));
        let decision = decide(controller, cron_job, &controller_jobs, *now);
        let missed =
            |timetable: &Timetable| missed(controller, cron_job, timetable, decision.missed, *now);
        let missed = timetable.as_ref().map(missed);
        let resume = |spec: &mut CronJobSpec| spec.suspend = Some(false);
        let if_resumed = input
            .is_suspended()
            .then(|| decide_if(controller, cron_job, &controller_jobs, *now, resume));
        let own_events = input.events.iter();
        let own_events = own_events.filter(|event| is_about(event, cron_job));
        Facts {
            runs: past_runs(cron_job, jobs),
            own_events: own_events.collect(),
            decision,
            if_resumed,
            schedule,
            timetable,
            missed,
            controller_jobs,
            syncs_now: false,
            on_demand: OnDemand::default(),
            input,
        }
    }

    /// What the controller will do if nothing changes, up to the next run.
    pub fn outlook(&self) -> &Forecast {
        let outlook = &self.on_demand.outlook;
        outlook.get_or_init(|| self.forecast(1))
    }

    /// What the controller will do if nothing changes, up to a number of runs.
    pub fn forecast(&self, runs: usize) -> Forecast {
        forecast(&self.situation(), runs)
    }

    fn situation(&self) -> Situation<'_> {
        Situation {
            controller: self.input.controller,
            cron_job: &self.input.cron_job,
            jobs: &self.controller_jobs,
            events: &self.own_events,
            now: self.input.now,
            as_of: self.input.coverage.as_of,
            jobs_read: self.input.coverage.jobs_read || !self.input.jobs.is_empty(),
            decision: &self.decision,
            timetable: self.timetable.as_ref(),
            // A recorder changes no prediction of the controller.
            usual_seconds: RunDurations::of(&self.runs).p95(),
            syncs_now: self.syncs_now,
            quota_is_full: self.input.quota_is_full(),
            longest_delay: self.longest_delay(),
            controller_is_down: self.input.outage.is_some(),
            passed_over_since: self.input.passed_over_since,
        }
    }

    /// How late starts are because of others that are due at the same time: the last of those of the last run, and
    /// what is expected of the next ones.
    fn longest_delay(&self) -> i64 {
        let timetable = self.timetable.as_ref();
        let last = timetable.and_then(|timetable| timetable.previous(self.input.now));
        let measured = last.and_then(|last| self.input.start_delays.get(&last));
        let expected = self.input.expected_delay.map(|expected| expected.seconds);
        measured.copied().max(expected).unwrap_or_default()
    }

    /// What the controller will do if something makes it sync now, up to a number of runs.
    pub(crate) fn forecast_with_sync(&self, runs: usize) -> Forecast {
        let situation = Situation {
            syncs_now: true,
            ..self.situation()
        };
        forecast(&situation, runs)
    }

    /// These facts right after a change that makes the controller sync.
    #[must_use]
    pub fn syncing_now(self) -> Self {
        Facts {
            syncs_now: true,
            ..self
        }
    }

    /// The facts if the `CronJob` were changed so.
    pub fn changed<'b>(&'b self, cron_job: &'b CronJob) -> Facts<'b> {
        let Input {
            controller,
            kubectl,
            quotas,
            outage,
            coverage,
            now,
            ..
        } = self.input;
        let mut facts = Facts::gather(controller, cron_job, &self.controller_jobs, &[], now);
        facts.input.kubectl = kubectl;
        facts.input.quotas = quotas;
        facts.input.outage = outage;
        facts.input.coverage = coverage;
        facts
    }

    /// How long the runs took that succeeded, also those that are only recorded.
    pub(crate) fn durations(&self) -> &RunDurations {
        let durations = &self.on_demand.durations;
        let recorded = || self.recorded_successes().map(|(run, _)| run);
        durations.get_or_init(|| RunDurations::of(&self.runs).with_recorded(recorded()))
    }

    /// The recorded runs of this `CronJob` that succeeded and whose Jobs are gone, with their ends.
    fn recorded_successes(&self) -> impl Iterator<Item = (&StoredRun, Timestamp)> {
        let created = self.input.cron_job.creation_timestamp;
        let left: HashSet<&str> = match self.input.record {
            Some(_) => self.runs.iter().map(|run| run.job.name.as_str()).collect(),
            None => HashSet::new(),
        };
        let stored = self.input.record.iter().flat_map(|record| &record.runs);
        let succeeded = stored.filter(move |run| {
            let is_left = run
                .job_name
                .as_deref()
                .is_some_and(|name| left.contains(name));
            // A CronJob that was re-created is another one.
            let is_own = created.is_none_or(|created| run.started_at >= Some(created));
            run.result == Some(RunResult::Succeeded) && is_own && !is_left
        });
        succeeded.filter_map(|run| Some((run, run.finished_at?)))
    }

    /// What happened to the last run; `None` if there was none since the creation, as far as the evidence shows.
    pub(crate) fn last_run(&self) -> Option<&LastRun> {
        self.newer_manual_run().or(self.last_scheduled_run())
    }

    /// What happened to the last run of the schedule; `None` if there was none since the creation.
    pub(crate) fn last_scheduled_run(&self) -> Option<&LastRun> {
        self.last_runs().scheduled.as_ref()
    }

    /// The last manually created Job, if it is newer than the last run of the schedule.
    pub(crate) fn newer_manual_run(&self) -> Option<&LastRun> {
        self.last_runs().manual.as_ref()
    }

    fn last_runs(&self) -> &LastRuns {
        let last_runs = &self.on_demand.last_runs;
        last_runs.get_or_init(|| LastRuns::of(self))
    }

    /// When a Job of it succeeded last, whether that Job still exists or not.
    pub(crate) fn last_success(&self) -> Option<Timestamp> {
        let succeeded = self.runs.iter().filter(|run| run.succeeded());
        let ends = succeeded.filter_map(PastRun::finished_at);
        let recorded = self.recorded_successes().map(|(_, end)| end);
        let ends = ends.chain(recorded);
        ends.chain(self.input.cron_job.status.last_successful_time)
            .max()
    }

    /// Since when no Job of it has succeeded: the last success, or the creation if there was none. `None` where
    /// that is unknown: old versions record no success, and the Jobs may be gone.
    pub(crate) fn without_success_since(&self) -> Option<Timestamp> {
        let is_recorded = self.input.behavior().success != Success::Never;
        let created = || self.input.cron_job.known_creation().filter(|_| is_recorded);
        self.last_success().or_else(created)
    }

    /// The running Job that started first, and when it started.
    pub(crate) fn longest_running(&self) -> Option<(&PastRun<'a>, Timestamp)> {
        let runs = self.runs.iter();
        let running = runs.filter_map(|run| Some((run, run.job.running_since()?)));
        running.min_by_key(|(_, since)| *since)
    }

    pub(crate) fn last_finished(&self) -> Option<(&PastRun<'a>, Timestamp)> {
        let runs = self.runs.iter();
        let finished = runs.filter_map(|run| Some((run, run.finished_at()?)));
        finished.max_by_key(|(_, end)| *end)
    }

    /// The zone whose clock decides: the schedule's, or that of the controller.
    pub fn zone(&self) -> &Zone {
        self.input.controller.zone_of(self.timetable.as_ref())
    }

    /// The time zone that times are shown in.
    pub fn display_zone(&self) -> &Zone {
        let controller = &self.input.controller;
        controller.display_zone_of(self.timetable.as_ref())
    }

    /// What the controller would do now, or, if it is suspended, on being resumed.
    pub fn prospect(&self) -> &Decision {
        self.if_resumed.as_ref().unwrap_or(&self.decision)
    }

    /// What the controller would do now if the spec were changed first.
    pub(crate) fn decide_if(&self, change: impl FnOnce(&mut CronJobSpec)) -> Decision {
        let jobs = &self.controller_jobs;
        decide_if(
            self.input.controller,
            &self.input.cron_job,
            jobs,
            self.input.now,
            change,
        )
    }

    /// The next run and the name of its Job, if another Job has that name already.
    pub(super) fn name_taken_next(&self) -> Option<(Timestamp, &str)> {
        let outcome = self.decision.outcome;
        let waits = matches!(outcome, Outcome::Wait | Outcome::AlreadyProcessed);
        let first = self.outlook().syncs.first().filter(|_| waits);
        let taken = first.filter(|sync| sync.outcome == Outcome::NameTaken)?;
        if matches!(taken.condition, Some(SyncCondition::Unknown(_))) {
            return None;
        }
        let name = taken.job_name.as_deref()?;
        let adopts = self.input.behavior().name_taken == NameTaken::Adopts;
        (!(adopts && self.controls(name))).then_some((taken.scheduled_time?, name))
    }

    /// Whether the next sync takes an existing Job as the run that is due.
    pub(super) fn adopts(&self) -> bool {
        let decision = &self.decision;
        let taken = decision.job_name.as_deref().filter(|_| {
            decision.outcome == Outcome::NameTaken
                && self.input.behavior().name_taken == NameTaken::Adopts
        });
        let last = decision.status_after.last_schedule_time;
        taken.is_some_and(|job| self.controls(job)) && last == decision.scheduled_time
    }

    /// Whether the `CronJob` is the controller of a Job.
    pub(super) fn controls(&self, job: &str) -> bool {
        let mut runs = self.runs.iter();
        runs.any(|run| run.controlled && run.job.name == job)
    }

    /// The next scheduled time that can be started: nothing is up to `status.lastScheduleTime`, also if that is in the
    /// future.
    pub fn next_run(&self) -> Option<Timestamp> {
        let last = self.input.cron_job.status.last_schedule_time;
        self.next_run_after(last.map_or(self.input.now, |last| last.max(self.input.now)))
    }

    pub(crate) fn next_run_after(&self, moment: Timestamp) -> Option<Timestamp> {
        let timetable = self.timetable.as_ref()?;
        let anchor = self.input.cron_job.anchor().unwrap_or(moment);
        let start = timetable.search_start(anchor, moment);
        timetable.next(start).ok()?
    }

    /// The distances between the coming runs, as if clocks were never turned.
    pub fn intervals(&self) -> Option<Period> {
        *self.on_demand.intervals.get_or_init(|| {
            if let Ok(schedule) = &self.schedule {
                return schedule.period();
            }
            // Its time zone may be wrong.
            let (text, dialect) = (
                &self.input.cron_job.spec.schedule,
                self.input.controller.dialect(),
            );
            let schedule = Schedule::parse(text, dialect, &*self.input.controller.zones);
            schedule.ok()?.period()
        })
    }

    /// When a Job of it succeeded last, if that Job is gone. The status also counts manually
    /// created Jobs.
    pub(crate) fn lost_success(&self) -> Option<Timestamp> {
        let last = self.input.cron_job.status.last_successful_time?;
        let own = self.runs.iter().filter(|run| run.controlled);
        let mut ends = own.filter(|run| run.succeeded()).map(PastRun::finished_at);
        let is_there = ends.any(|end| end.is_none_or(|end| end >= last));
        (!is_there).then_some(last)
    }

    /// The events about the `CronJob` with a reason.
    pub(crate) fn events_with(&self, reason: &str) -> impl Iterator<Item = &'a Event> {
        let events = self.own_events.iter().copied();
        events.filter(move |event| event.reason == reason)
    }
}

fn decide_if(
    controller: &Controller,
    cron_job: &CronJob,
    jobs: &[Job],
    now: Timestamp,
    change: impl FnOnce(&mut CronJobSpec),
) -> Decision {
    let mut changed = cron_job.clone();
    change(&mut changed.spec);
    decide(controller, &changed, jobs, now)
}

fn is_about(event: &Event, cron_job: &CronJob) -> bool {
    let involved = &event.involved_object;
    involved.kind == "CronJob"
        && involved.name == cron_job.name
        && involved.namespace == cron_job.namespace
        && (cron_job.uid.is_empty() || involved.uid.is_empty() || involved.uid == cron_job.uid)
}
