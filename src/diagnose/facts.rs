//! Everything that is known of a `CronJob`, computed once for all findings.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, OnceLock};

use jiff::Timestamp;

use super::durations::RunDurations;
use super::expectations::Expectations;
use super::just_started::with_just_started;
use super::last_run::{LastRun, LastRuns};
use super::missed::{MissedRuns, missed};
use super::phases::PodIndex;
use crate::controller::{
    Behavior, Controller, Decision, Generation, NameTaken, Outcome, Success, decide,
};
use crate::forecast::{Forecast, Situation, forecast};
use crate::kubectl::{Kubectl, PLAIN};
use crate::model::{
    ConcurrencyPolicy, Coverage, CronJob, CronJobEvidence, CronJobRecord, CronJobSpec, Event,
    ExpectedDelay, Job, Outage, PastRun, Pod, ResourceQuota, RunResult, StoredRun, past_runs,
    times_of_cron_job,
};
use crate::schedule::{Period, Schedule, Timetable, Zone};
use crate::upcoming::{ScheduleProblem, Subject, read};

/// Everything that is known of a `CronJob`.
pub struct Facts<'a> {
    pub controller: &'a Controller<'a>,
    /// Makes the commands of remedies.
    pub kubectl: &'a Kubectl,
    /// The `CronJob`, with the status of a run that was just started.
    pub cron_job: Cow<'a, CronJob>,
    pub jobs: &'a [Job],
    /// The Jobs that belong to it, oldest first: controlled by it, or made from it manually.
    pub runs: Vec<PastRun<'a>>,
    pub events: Vec<&'a Event>,
    /// All events that were read: those about its Jobs and their pods are among them.
    pub run_events: &'a [Event],
    pub now: Timestamp,
    /// The pods of its Jobs, where they were read.
    pub pods: &'a [Pod],
    /// The quotas that limit the number of Jobs in its namespace, where they were read.
    pub quotas: &'a [ResourceQuota],
    /// How many Jobs of its namespace have not finished, where quotas were read.
    pub unfinished_in_namespace: usize,
    /// How late the last Job of each scheduled time was created, in seconds.
    pub start_delays: Cow<'a, BTreeMap<Timestamp, i64>>,
    /// The first coming run that may be past its deadline because others are due at the same time.
    pub expected_delay: Option<ExpectedDelay>,
    /// That the controller seems to be down.
    pub outage: Option<Outage>,
    /// What a recorder stored, if one was asked.
    pub record: Option<Arc<CronJobRecord>>,
    pub coverage: Coverage,
    /// What the controller would do now.
    pub decision: Decision,
    /// What it would do if the `CronJob` were resumed now; `None` if it is not suspended.
    pub if_resumed: Option<Decision>,
    /// The schedule, if it can be read.
    pub schedule: Result<Schedule, ScheduleProblem>,
    pub timetable: Option<Timetable>,
    /// The runs that were missed, if the schedule can be read.
    pub missed: Option<MissedRuns>,
    /// The Jobs that the controller goes by: where Jobs were not read, those in `status.active` stand
    /// for themselves.
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
    expectations: OnceLock<Expectations>,
    last_runs: OnceLock<LastRuns>,
    /// Where each Job of the namespace is, by its name.
    places: OnceLock<HashMap<String, usize>>,
    pods: OnceLock<PodIndex>,
}

impl<'a> Facts<'a> {
    /// Gathers the facts for answers without commands. `jobs` and `events` are those of the namespace.
    pub fn gather(
        controller: &'a Controller<'a>,
        cron_job: &'a CronJob,
        jobs: &'a [Job],
        events: &'a [Event],
        now: Timestamp,
    ) -> Self {
        let coverage = Coverage::up_to(times_of_cron_job(cron_job), jobs, events, now);
        let jobs = (jobs, Cow::Borrowed(jobs));
        Self::build(controller, cron_job, jobs, events, coverage, now)
    }

    /// Gathers the facts from the evidence of a `CronJob`.
    pub fn of(
        controller: &'a Controller<'a>,
        kubectl: &'a Kubectl,
        evidence: &'a CronJobEvidence,
        coverage: Coverage,
        now: Timestamp,
    ) -> Self {
        let (cron_job, jobs) = (&evidence.cron_job, &evidence.jobs);
        let controller_jobs = if coverage.jobs_read || !jobs.is_empty() {
            Cow::Borrowed(jobs.as_slice())
        } else {
            Cow::Owned(cron_job.assumed_jobs())
        };
        let (jobs, events) = ((jobs.as_slice(), controller_jobs), &evidence.events);
        let mut facts = Facts {
            kubectl,
            pods: &evidence.pods,
            quotas: &evidence.quotas,
            unfinished_in_namespace: evidence.unfinished_in_namespace,
            start_delays: Cow::Borrowed(&*evidence.start_delays),
            expected_delay: evidence.expected_delay,
            outage: evidence.outage,
            record: evidence.record.clone(),
            ..Self::build(controller, cron_job, jobs, events, coverage, now)
        };
        if facts.jobs_are_unknown() {
            let active = cron_job.status.active.len();
            facts.decision.jobs_were_not_read(active);
        }
        facts
    }

    fn build(
        controller: &'a Controller<'a>,
        cron_job: &'a CronJob,
        (jobs, controller_jobs): (&'a [Job], Cow<'a, [Job]>),
        events: &'a [Event],
        coverage: Coverage,
        now: Timestamp,
    ) -> Self {
        let cron_job = with_just_started(controller, cron_job, jobs, now);
        let schedule = read(controller, &Subject::from(&*cron_job));
        let readable = schedule.as_ref().ok();
        let timetable = readable.map(|schedule| schedule.in_zone(&controller.local));
        let decision = decide(controller, &cron_job, &controller_jobs, now);
        let missed =
            |timetable: &Timetable| missed(controller, &cron_job, timetable, decision.missed, now);
        let missed = timetable.as_ref().map(missed);
        let resume = |spec: &mut CronJobSpec| spec.suspend = Some(false);
        let if_resumed = (cron_job.spec.suspend == Some(true))
            .then(|| decide_if(controller, &cron_job, &controller_jobs, now, resume));
        let own = events.iter().filter(|event| is_about(event, &cron_job));
        Facts {
            controller,
            kubectl: &PLAIN,
            jobs,
            pods: &[],
            quotas: &[],
            unfinished_in_namespace: 0,
            start_delays: Cow::default(),
            expected_delay: None,
            outage: None,
            record: None,
            run_events: events,
            coverage,
            if_resumed,
            runs: past_runs(&cron_job, jobs),
            events: own.collect(),
            now,
            decision,
            schedule,
            timetable,
            missed,
            controller_jobs,
            syncs_now: false,
            on_demand: OnDemand::default(),
            cron_job,
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
            controller: self.controller,
            cron_job: &self.cron_job,
            jobs: &self.controller_jobs,
            events: &self.events,
            now: self.now,
            as_of: self.coverage.as_of,
            jobs_read: self.coverage.jobs_read || !self.jobs.is_empty(),
            decision: &self.decision,
            timetable: self.timetable.as_ref(),
            // A recorder changes no prediction of the controller.
            usual_seconds: RunDurations::of(&self.runs).p95(),
            syncs_now: self.syncs_now,
            quota_is_full: self.quota_is_full(),
            longest_delay: self.longest_delay(),
            controller_is_down: self.outage.is_some(),
        }
    }

    /// Whether a quota allows no other Job.
    pub(super) fn quota_is_full(&self) -> bool {
        self.quotas.iter().any(ResourceQuota::is_full)
    }

    /// How late starts are because of others that are due at the same time: the last of those of the last run, and
    /// what is expected of the next ones.
    fn longest_delay(&self) -> i64 {
        let timetable = self.timetable.as_ref();
        let last = timetable.and_then(|timetable| timetable.previous(self.now));
        let measured = last.and_then(|last| self.start_delays.get(&last));
        let expected = self.expected_delay.map(|expected| expected.seconds);
        measured.copied().max(expected).unwrap_or_default()
    }

    /// The same if something makes the controller sync now.
    pub fn forecast_with_sync(&self, runs: usize) -> Forecast {
        let situation = Situation {
            syncs_now: true,
            ..self.situation()
        };
        forecast(&situation, runs)
    }

    /// The same right after a change that makes the controller sync.
    #[must_use]
    pub(crate) fn syncing_now(self) -> Self {
        Facts {
            syncs_now: true,
            ..self
        }
    }

    /// The facts if the `CronJob` were changed so.
    pub fn changed<'b>(&'b self, cron_job: &'b CronJob) -> Facts<'b> {
        Facts {
            kubectl: self.kubectl,
            quotas: self.quotas,
            coverage: self.coverage,
            ..Facts::gather(
                self.controller,
                cron_job,
                &self.controller_jobs,
                &[],
                self.now,
            )
        }
    }

    /// Whether the controller counts Jobs as running that were not read.
    pub fn jobs_are_unknown(&self) -> bool {
        let read = self.coverage.jobs_read || !self.jobs.is_empty();
        !read && !self.cron_job.status.active.is_empty()
    }

    /// How long the runs took that succeeded, also those that are only recorded.
    pub(crate) fn durations(&self) -> &RunDurations {
        let durations = &self.on_demand.durations;
        let recorded = || self.recorded_successes().map(|(run, _)| run);
        durations.get_or_init(|| RunDurations::of(&self.runs).with_recorded(recorded()))
    }

    /// The recorded runs of this `CronJob` that succeeded and whose Jobs are gone, with their ends.
    fn recorded_successes(&self) -> impl Iterator<Item = (&StoredRun, Timestamp)> {
        let created = self.cron_job.creation_timestamp;
        let left: HashSet<&str> = match self.record {
            Some(_) => self.runs.iter().map(|run| run.job.name.as_str()).collect(),
            None => HashSet::new(),
        };
        let stored = self.record.iter().flat_map(|record| &record.runs);
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

    /// What the `CronJob` states that is expected of it.
    pub(crate) fn expectations(&self) -> &Expectations {
        let read = || Expectations::of(&self.cron_job);
        self.on_demand.expectations.get_or_init(read)
    }

    /// What happened to the last run; `None` if there was none since the creation, as far as the evidence shows.
    pub(crate) fn last_run(&self) -> Option<&LastRun> {
        self.newer_manual_run().or(self.last_scheduled_run())
    }

    /// The same of the runs of the schedule.
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
        ends.chain(self.cron_job.status.last_successful_time).max()
    }

    /// Since when no Job of it has succeeded: the last success, or the creation if there was none. `None` where
    /// that is unknown: old versions record no success, and the Jobs may be gone.
    pub(crate) fn without_success_since(&self) -> Option<Timestamp> {
        let is_recorded = self.behavior().success != Success::Never;
        let created = || self.cron_job.known_creation().filter(|_| is_recorded);
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
        let own = self.timetable.as_ref().and_then(Timetable::zone);
        own.unwrap_or(&self.controller.local)
    }

    /// The time zone that times are shown in.
    pub(crate) fn display_zone(&self) -> &Zone {
        self.controller.display.as_deref().unwrap_or(self.zone())
    }

    pub fn behavior(&self) -> Behavior {
        self.controller.behavior()
    }

    /// What the controller would do now, or, if it is suspended, on being resumed.
    pub fn prospect(&self) -> &Decision {
        self.if_resumed.as_ref().unwrap_or(&self.decision)
    }

    /// What the controller would do now if the spec were changed first.
    pub fn decide_if(&self, change: impl FnOnce(&mut CronJobSpec)) -> Decision {
        let jobs = &self.controller_jobs;
        decide_if(self.controller, &self.cron_job, jobs, self.now, change)
    }

    /// The next run and the name of its Job, if another Job has that name already.
    pub(super) fn name_taken_next(&self) -> Option<(Timestamp, &str)> {
        let outcome = self.decision.outcome;
        let waits = matches!(outcome, Outcome::Wait | Outcome::AlreadyProcessed);
        let first = self.outlook().syncs.first().filter(|_| waits);
        let taken = first.filter(|sync| sync.outcome == Outcome::NameTaken)?;
        let name = taken.job_name.as_deref()?;
        let adopts = self.behavior().name_taken == NameTaken::Adopts;
        (!(adopts && self.controls(name))).then_some((taken.scheduled_time?, name))
    }

    /// Whether the `CronJob` is the controller of a Job.
    pub(super) fn controls(&self, job: &str) -> bool {
        let mut runs = self.runs.iter();
        runs.any(|run| run.controlled && run.job.name == job)
    }

    /// Whether the controller waits longer and longer after failures, up to 1,000 s.
    pub(super) fn backs_off(&self) -> bool {
        self.behavior().generation != Generation::V1
    }

    /// Whether a running Job keeps others from being started.
    pub(crate) fn forbids_overlap(&self) -> bool {
        self.cron_job.spec.concurrency_policy == ConcurrencyPolicy::Forbid
    }

    /// Whether `spec.suspend` is set.
    pub fn is_suspended(&self) -> bool {
        self.if_resumed.is_some()
    }

    /// The next scheduled time that can be started: nothing is up to `status.lastScheduleTime`, also if that is in the
    /// future.
    pub fn next_run(&self) -> Option<Timestamp> {
        let last = self.cron_job.status.last_schedule_time;
        self.next_run_after(last.map_or(self.now, |last| last.max(self.now)))
    }

    pub fn next_run_after(&self, moment: Timestamp) -> Option<Timestamp> {
        let timetable = self.timetable.as_ref()?;
        let anchor = self.cron_job.anchor().unwrap_or(moment);
        let start = timetable.search_start(anchor, moment);
        timetable.next(start).ok()?
    }

    /// Whether the deadline leaves time to start a scheduled time.
    pub fn has_time_to_start(&self) -> bool {
        self.cron_job.spec.has_time_to_start()
    }

    /// The distances between the coming runs, as if clocks were never turned.
    pub fn intervals(&self) -> Option<Period> {
        *self.on_demand.intervals.get_or_init(|| {
            if let Ok(schedule) = &self.schedule {
                return schedule.period();
            }
            // Its time zone may be wrong.
            let (text, dialect) = (&self.cron_job.spec.schedule, self.controller.dialect());
            let schedule = Schedule::parse(text, dialect, self.controller.zones);
            schedule.ok()?.period()
        })
    }

    /// When a Job of it succeeded last, if that Job is gone. The status also counts manually
    /// created Jobs.
    pub fn lost_success(&self) -> Option<Timestamp> {
        let last = self.cron_job.status.last_successful_time?;
        let own = self.runs.iter().filter(|run| run.controlled);
        let mut ends = own.filter(|run| run.succeeded()).map(PastRun::finished_at);
        let is_there = ends.any(|end| end.is_none_or(|end| end >= last));
        (!is_there).then_some(last)
    }

    /// The events about the `CronJob` with a reason.
    pub(crate) fn events_with(&self, reason: &str) -> impl Iterator<Item = &'a Event> {
        let events = self.events.iter().copied();
        events.filter(move |event| event.reason == reason)
    }

    /// The Job of a name in the namespace.
    pub fn job_named(&self, name: &str) -> Option<&'a Job> {
        let jobs: &'a [Job] = self.jobs;
        let places = self.on_demand.places.get_or_init(|| {
            let own = jobs.iter().enumerate().rev();
            let own = own.filter(|(_, job)| job.namespace == self.cron_job.namespace);
            own.map(|(place, job)| (job.name.clone(), place)).collect()
        });
        jobs.get(*places.get(name)?)
    }

    pub(super) fn pod_index(&self) -> &PodIndex {
        let read = || PodIndex::of(self.pods, self.run_events);
        self.on_demand.pods.get_or_init(read)
    }

    /// How long ago something was, in seconds; nothing in the future is.
    pub fn ago(&self, moment: Timestamp) -> i64 {
        (self.now.as_second() - moment.as_second()).max(0)
    }
}

fn decide_if(
    controller: &Controller<'_>,
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
