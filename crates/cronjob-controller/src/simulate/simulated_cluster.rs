//! The state of the `CronJob` and its Jobs during the simulation.

use std::collections::HashMap;
use std::sync::Arc;

use cronjob_text::duration::later;
use cronjob_text::duration::whole_second;
use jiff::{SignedDuration, Timestamp};

use super::plan::SimulationPlan;
use super::run::JobEnding;
use crate::controller::{Controller, Decision, JobEnds, NameTaken, Outcome};
use kube_model::{CronJob, CronJobSpec, Job, JobResult, ObjectReference, OwnerReference, Texts};

/// The `CronJob` and its Jobs.
pub(super) struct SimulatedCluster<'p> {
    pub(super) cron_job: CronJob,
    pub(super) jobs: Vec<Job>,
    plan: &'p SimulationPlan,
    owner: OwnerReference,
    scheduled_time_annotation: &'static str,
    /// Whether a Job with the name of a run is never adopted.
    never_adopts: bool,
    job_ends: JobEnds,
    running: Vec<RunningJob>,
    expiries: Vec<(Timestamp, String)>,
    template: TemplateSettings,
    /// A deleted Job that is reused for the next one.
    spare: Option<Job>,
}

/// The settings of the Job template that determine how Jobs end.
struct TemplateSettings {
    suspended: bool,
    active_deadline: Option<SignedDuration>,
    /// How long a pod that is deleted may take to end.
    grace_period: SignedDuration,
    ttl: Option<SignedDuration>,
}

/// A Job that is not finished.
struct RunningJob {
    name: Arc<str>,
    /// `None` if it is suspended.
    end: Option<PlannedEnd>,
    /// The index of its run; `None` for a Job from before the simulation.
    run: Option<usize>,
}

/// When a Job finishes, and how.
#[derive(Clone, Copy)]
struct PlannedEnd {
    how: JobEnding,
    decided: Timestamp,
    /// When its last pod has ended: one that `activeDeadlineSeconds` stops takes its whole grace period.
    last_pod: Timestamp,
}

impl PlannedEnd {
    fn at(self, job_ends: JobEnds) -> Timestamp {
        match job_ends {
            JobEnds::WithVerdict => self.decided,
            JobEnds::WithLastPod => self.last_pod,
        }
    }

    fn not_before(self, earliest: Timestamp) -> Self {
        PlannedEnd {
            decided: self.decided.max(earliest),
            last_pod: self.last_pod.max(earliest),
            ..self
        }
    }
}

pub(super) struct AppliedChanges {
    pub(super) created: Option<Arc<str>>,
    /// The running Jobs that were deleted, with the indexes of their runs.
    pub(super) replaced: Vec<(Arc<str>, Option<usize>)>,
    /// Whether an object was changed, which the controller sees in its watch.
    pub(super) anything: bool,
}

impl<'p> SimulatedCluster<'p> {
    pub(super) fn new(
        controller: &Controller,
        cron_job: CronJob,
        jobs: Vec<Job>,
        plan: &'p SimulationPlan,
    ) -> Self {
        let owner = OwnerReference {
            api_version: cron_job.api_version.clone(),
            kind: "CronJob".to_owned(),
            name: cron_job.name.clone(),
            uid: cron_job.uid.clone(),
            controller: Some(true),
        };
        let mut cluster = SimulatedCluster {
            template: TemplateSettings::of(&cron_job.spec),
            owner,
            scheduled_time_annotation: controller.scheduled_time_annotation(),
            never_adopts: controller.behavior().name_taken == NameTaken::MeansToAdopt,
            job_ends: controller.behavior().job_ends,
            running: Vec::new(),
            expiries: Vec::new(),
            plan,
            cron_job,
            jobs: Vec::new(),
            spare: None,
        };
        for job in jobs {
            cluster.take_over(job);
        }
        cluster
    }

    /// Uses the rules of another controller from now on.
    pub(super) fn hand_over(&mut self, controller: &Controller, now: Timestamp) {
        self.scheduled_time_annotation = controller.scheduled_time_annotation();
        self.never_adopts = controller.behavior().name_taken == NameTaken::MeansToAdopt;
        self.job_ends = controller.behavior().job_ends;
        for end in self.running.iter_mut().filter_map(|job| job.end.as_mut()) {
            *end = end.not_before(now);
        }
    }

    /// Adds a Job that existed before the simulation.
    fn take_over(&mut self, job: Job) {
        let owner = &self.owner;
        let is_finished = ending(&job).is_some();
        let mut owners = job.owner_references.iter();
        let is_ours = owners.any(|one| one.name == owner.name);
        if is_ours && !is_finished {
            let started = started(&job).unwrap_or(self.plan.from);
            let is_suspended = job.suspend == Some(true);
            let decided = self.decided_end(&job);
            // Its CronJob may have changed since. Of one that only the status lists, it is not known.
            let own = job.active_deadline_seconds.map(SignedDuration::from_secs);
            let limit = match job.creation_timestamp {
                Some(_) => own,
                None => self.template.active_deadline,
            };
            let planned = || {
                if outlasts(&job, self.plan) {
                    // Only its deadline is known to end it.
                    return Some(self.stopped(started, limit?));
                }
                self.end_of(started, limit).filter(|_| !is_suspended)
            };
            // A Job that should be finished by now takes a second longer.
            let soon = later(self.plan.from, SignedDuration::from_secs(1));
            self.running.push(RunningJob {
                name: Arc::from(job.name.as_str()),
                end: decided.or_else(planned).map(|end| end.not_before(soon)),
                run: None,
            });
        }
        self.jobs.push(job);
    }

    /// When a Job finishes that has its verdict; `None` without one.
    fn decided_end(&self, job: &Job) -> Option<PlannedEnd> {
        let (result, condition) = job.verdict()?;
        let decided = condition.last_transition_time.unwrap_or(self.plan.from);
        Some(PlannedEnd {
            how: result.into(),
            decided,
            last_pod: later(decided, self.template.grace_period),
        })
    }

    fn end_of(
        &self,
        started: Timestamp,
        active_deadline: Option<SignedDuration>,
    ) -> Option<PlannedEnd> {
        if self.template.suspended {
            return None;
        }
        let takes = self.plan.job_duration;
        if let Some(limit) = active_deadline.filter(|limit| takes > *limit) {
            return Some(self.stopped(started, limit));
        }
        let decided = later(started, takes);
        Some(PlannedEnd {
            how: JobEnding::Succeeded,
            decided,
            last_pod: decided,
        })
    }

    /// The end of a Job that `activeDeadlineSeconds` stops.
    fn stopped(&self, started: Timestamp, limit: SignedDuration) -> PlannedEnd {
        let decided = later(started, limit);
        PlannedEnd {
            how: JobEnding::Failed,
            decided,
            last_pod: later(decided, self.template.grace_period),
        }
    }

    pub(super) fn next_end(&self) -> Option<Timestamp> {
        let ends = self.running.iter().filter_map(|job| job.end);
        ends.map(|end| end.at(self.job_ends)).min()
    }

    /// When the next finished Job is deleted (`ttlSecondsAfterFinished`).
    pub(super) fn next_expiry(&self) -> Option<Timestamp> {
        self.expiries.iter().map(|(at, _)| *at).min()
    }

    /// The oldest running Job that counts as active.
    pub(super) fn blocker(&self) -> Option<Arc<str>> {
        let of_status = self.cron_job.status.active.first();
        let of_jobs = || self.running.first().map(|job| Arc::clone(&job.name));
        let of_status = of_status.map(|job| Arc::from(job.name.as_str()));
        of_status.or_else(of_jobs)
    }

    /// Applies a decision of the controller.
    pub(super) fn apply(&mut self, decision: &Decision, now: Timestamp) -> AppliedChanges {
        let mut changes = AppliedChanges {
            created: None,
            replaced: Vec::new(),
            anything: !decision.deleted_jobs.is_empty(),
        };
        for name in &decision.deleted_jobs {
            if let Some(running) = self.remove(name) {
                changes.replaced.push((running.name, running.run));
            }
        }
        if decision.starts()
            && let (Some(name), Some(_)) = (&decision.job_name, decision.scheduled_time)
        {
            changes.created = Some(self.create(name, decision, now));
            changes.anything = true;
        }
        changes.anything |= self.write_status(decision);
        changes
    }

    /// Writes the status. Returns whether it changed.
    fn write_status(&mut self, decision: &Decision) -> bool {
        let after = &decision.status_after;
        let status = &mut self.cron_job.status;
        let refused = self.never_adopts && decision.outcome == Outcome::NameTaken;
        let adopted = |name: &String| refused && decision.job_name.as_ref() == Some(name);
        let same_times = (refused || status.last_schedule_time == after.last_schedule_time)
            && status.last_successful_time == after.last_successful_time;
        let before = status.active.iter().map(|active| &active.name);
        let wanted = || after.active.iter().filter(|name| !adopted(name));
        if same_times && before.eq(wanted()) {
            return false;
        }
        // Entries that stay keep their order, and new ones follow.
        let mut known = std::mem::take(&mut status.active).into_iter();
        for name in wanted() {
            let same = known.find(|active| active.name == *name);
            status.active.push(same.unwrap_or_else(|| {
                let job = self.jobs.iter().rev().find(|job| job.name == *name);
                ObjectReference {
                    kind: "Job".to_owned(),
                    namespace: self.cron_job.namespace.clone(),
                    name: name.clone(),
                    uid: job.map_or_else(String::new, |job| job.uid.clone()),
                }
            }));
        }
        status.last_successful_time = after.last_successful_time;
        if !refused {
            status.last_schedule_time = after.last_schedule_time;
        }
        true
    }

    fn create(&mut self, name: &str, decision: &Decision, now: Timestamp) -> Arc<str> {
        let annotation = decision.scheduled_timestamp.as_deref();
        let annotations = annotation.map(|text| (self.scheduled_time_annotation, text));
        let shared: Arc<str> = Arc::from(name);
        let mut job = self.spare.take().unwrap_or_else(|| Job {
            namespace: self.cron_job.namespace.as_str().into(),
            owner_references: Arc::new(vec![self.owner.clone()]),
            suspend: self.template.suspended.then_some(true),
            ..Job::default()
        });
        for text in [&mut job.name, &mut job.uid] {
            text.clear();
            text.push_str(name);
        }
        job.creation_timestamp = Some(whole_second(now));
        job.annotations = annotations.into_iter().collect::<Texts>();
        job.start_time = (!self.template.suspended).then(|| whole_second(now));
        job.completion_time = None;
        job.conditions.clear();
        self.jobs.push(job);
        self.running.push(RunningJob {
            name: Arc::clone(&shared),
            end: self.end_of(now, self.template.active_deadline),
            run: None,
        });
        shared
    }

    /// Sets the index of the run of the newest Job.
    pub(super) fn belongs_to(&mut self, run: usize) {
        if let Some(running) = self.running.last_mut() {
            running.run = Some(run);
        }
    }

    /// Removes a Job. Returns it if it was running.
    fn remove(&mut self, name: &str) -> Option<RunningJob> {
        if let Some(index) = self.jobs.iter().position(|job| job.name == name) {
            let job = self.jobs.remove(index);
            // The uid of a simulated Job is its name. Only these are reused.
            let is_made_here = job.uid == job.name;
            self.spare = is_made_here.then_some(job);
        }
        let index = self.running.iter().position(|job| *job.name == *name)?;
        Some(self.running.remove(index))
    }

    /// Finishes the Jobs that are due, as the Job controller does. Returns the indexes of their runs, and how they
    /// finished.
    pub(super) fn end_jobs(&mut self, now: Timestamp) -> Vec<(Option<usize>, JobEnding)> {
        let mut ended = Vec::new();
        let mut over = HashMap::new();
        let expiries = &mut self.expiries;
        let (ttl, job_ends) = (self.template.ttl, self.job_ends);
        self.running.retain(|running| {
            let Some(end) = running.end.filter(|end| end.at(job_ends) <= now) else {
                return true;
            };
            let how = end.how;
            over.insert(Arc::clone(&running.name), how);
            if let Some(ttl) = ttl {
                expiries.push((later(now, ttl), running.name.to_string()));
            }
            ended.push((running.run, how));
            false
        });
        if !over.is_empty() {
            for job in &mut self.jobs {
                if let Some(how) = over.get(job.name.as_str()) {
                    let result = match how {
                        JobEnding::Succeeded => JobResult::Succeeded,
                        JobEnding::Failed | JobEnding::Replaced => JobResult::Failed,
                    };
                    job.finish(result, now);
                }
            }
        }
        self.forget_old_jobs();
        ended
    }

    /// Deletes finished Jobs whose `ttlSecondsAfterFinished` has passed.
    pub(super) fn expire_jobs(&mut self, now: Timestamp) {
        let due = |(at, _): &(Timestamp, String)| *at <= now;
        let expired: Vec<_> = self.expiries.extract_if(.., |expiry| due(expiry)).collect();
        for (_, name) in expired {
            self.jobs
                .retain(|job| job.name != name || ending(job).is_none());
        }
    }

    /// Drops old finished Jobs if no history limit removes them, since they would slow down every sync.
    fn forget_old_jobs(&mut self) {
        const KEPT: usize = 64;
        let spec = &self.cron_job.spec;
        let successful = spec.successful_jobs_history_limit;
        let failed = spec.failed_jobs_history_limit;
        if self.jobs.len() < 2 * KEPT || successful.is_some() && failed.is_some() {
            return;
        }
        let mut surplus = self.jobs.len() - KEPT;
        let active = &self.cron_job.status.active;
        self.jobs.retain(|job| {
            let limit = match ending(job) {
                None => return true,
                Some(JobEnding::Failed) => failed,
                Some(_) => successful,
            };
            let is_listed = active.iter().any(|one| one.name == job.name);
            let goes = surplus > 0 && limit.is_none() && !is_listed;
            surplus -= usize::from(goes);
            !goes
        });
    }
}

impl TemplateSettings {
    fn of(spec: &CronJobSpec) -> Self {
        let template = &spec.job_template;
        let seconds = |path: &str| {
            let seconds = template.pointer(path)?.as_i64()?;
            Some(SignedDuration::from_secs(seconds.max(0)))
        };
        let suspend = template.pointer("/spec/suspend");
        TemplateSettings {
            suspended: suspend.and_then(serde_json::Value::as_bool) == Some(true),
            active_deadline: seconds("/spec/activeDeadlineSeconds"),
            grace_period: SignedDuration::from_secs(spec.grace_period_seconds()),
            ttl: seconds("/spec/ttlSecondsAfterFinished"),
        }
    }
}

/// The Jobs of a `CronJob` that have been active for longer than Jobs take when a simulation begins. It assumes that
/// none of them ends, unless `activeDeadlineSeconds` stops it.
pub fn outlasting_jobs<'a>(
    cron_job: &CronJob,
    jobs: &'a [Job],
    plan: &SimulationPlan,
) -> impl Iterator<Item = (&'a Job, SignedDuration)> {
    let is_of = |job: &&Job| {
        let mut owners = job.owner_references.iter();
        owners.any(|owner| owner.name == cron_job.name) && outlasts(job, plan)
    };
    let jobs = jobs.iter().filter(is_of);
    jobs.filter_map(|job| Some((job, plan.from.duration_since(started(job)?))))
}

/// Whether a Job has been active for longer than Jobs take when the simulation begins. Of one that only the status
/// lists, that is not known.
fn outlasts(job: &Job, plan: &SimulationPlan) -> bool {
    let is_active = job.decided_result().is_none() && job.suspend != Some(true);
    let is_known = job.creation_timestamp.is_some();
    let started = started(job).filter(|_| is_active && is_known);
    started.is_some_and(|started| later(started, plan.job_duration) < plan.from)
}

fn started(job: &Job) -> Option<Timestamp> {
    job.start_time.or(job.creation_timestamp)
}

/// How a Job finished, if it has.
fn ending(job: &Job) -> Option<JobEnding> {
    job.result().map(JobEnding::from)
}
