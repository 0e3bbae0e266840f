//! One sync of a `CronJob`: its input, and what has been recorded so far.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt::Display;
use std::ptr;
use std::sync::Arc;

use jiff::Timestamp;
use kube_cron::{Endless, ParseError};

use super::Controller;
use super::behavior::{Behavior, Children};
use super::clock::ScheduleClock;
use super::decision::{
    Decision, DecisionStep, EventType, Missed, Outcome, RecordedEvent, StatusAfter,
    StatusCondition, Verdict,
};
use super::gotime::{GoTime, seconds};
use super::unmet::{self, SearchStart, Unmet};
use kube_model::{CronJob, Job, JobResult, ObjectReference, OwnerReference};

/// One sync: its input, and what has been recorded so far.
pub(super) struct SyncContext<'a> {
    /// Whether to record steps and messages, which callers that only need the outcome do not read.
    pub(super) in_detail: bool,
    /// The schedule, where it was read before.
    pub(super) clock: Option<&'a Arc<ScheduleClock>>,
    pub(super) cron_job: &'a CronJob,
    /// All Jobs of the namespace that are known.
    pub(super) jobs: &'a [Job],
    /// The Jobs that the controller treats as this `CronJob`'s.
    pub(super) children: Vec<Child<'a>>,
    pub(super) behavior: &'a Behavior,
    pub(super) now: GoTime,
    /// Copied only when something of it changes.
    pub(super) active: Cow<'a, [ObjectReference]>,
    /// The name of a Job that counts as active since this sync.
    pub(super) started: Option<String>,
    pub(super) last_schedule_time: Option<Timestamp>,
    pub(super) last_successful_time: Option<Timestamp>,
    pub(super) events: Vec<RecordedEvent>,
    pub(super) conditions: Vec<StatusCondition>,
    pub(super) deleted: Vec<&'a Job>,
    /// The addresses of the deleted Jobs, to find them quickly: there may be thousands.
    gone: HashSet<*const Job>,
    pub(super) updates_status: bool,
    pub(super) steps: Vec<DecisionStep>,
    /// The result of the search for the scheduled time that is due.
    pub(super) unmet: Option<Unmet>,
}

pub(super) struct SyncEnd {
    pub(super) outcome: Outcome,
    pub(super) scheduled_time: Option<GoTime>,
    pub(super) job_name: Option<String>,
    pub(super) scheduled_timestamp: Option<String>,
    pub(super) requeue_after: Option<i64>,
    pub(super) error: Option<String>,
}

impl SyncEnd {
    /// The controller stops, and does not come back by itself.
    pub(super) fn for_good(outcome: Outcome) -> Self {
        SyncEnd {
            outcome,
            scheduled_time: None,
            job_name: None,
            scheduled_timestamp: None,
            requeue_after: None,
            error: None,
        }
    }

    /// The sync found a scheduled time, and the Job for it has this name.
    pub(super) fn of_run(outcome: Outcome, scheduled_time: GoTime, job_name: &str) -> Self {
        SyncEnd {
            scheduled_time: Some(scheduled_time),
            job_name: Some(job_name.to_owned()),
            ..SyncEnd::for_good(outcome)
        }
    }

    pub(super) fn with_requeue(self, requeue_after: Option<i64>) -> Self {
        SyncEnd {
            requeue_after,
            ..self
        }
    }
}

impl<'a> SyncContext<'a> {
    pub(super) fn new(
        cron_job: &'a CronJob,
        jobs: &'a [Job],
        behavior: &'a Behavior,
        now: Timestamp,
    ) -> Self {
        SyncContext {
            in_detail: true,
            clock: None,
            cron_job,
            jobs,
            children: children_of(cron_job, jobs, behavior.children),
            behavior,
            now: GoTime::of(now),
            active: Cow::Borrowed(&cron_job.status.active),
            started: None,
            last_schedule_time: cron_job.status.last_schedule_time,
            last_successful_time: cron_job.status.last_successful_time,
            events: Vec::new(),
            conditions: Vec::new(),
            deleted: Vec::new(),
            gone: HashSet::new(),
            updates_status: false,
            steps: Vec::new(),
            unmet: None,
        }
    }

    pub(super) fn warning(&mut self, reason: &'static str, message: impl Display) {
        self.record(EventType::Warning, reason, message);
    }

    pub(super) fn normal(&mut self, reason: &'static str, message: impl Display) {
        self.record(EventType::Normal, reason, message);
    }

    fn record(&mut self, r#type: EventType, reason: &'static str, message: impl Display) {
        let message = if self.in_detail {
            message.to_string()
        } else {
            String::new()
        };
        self.events.push(RecordedEvent {
            r#type,
            reason,
            message,
        });
    }

    pub(super) fn step(&mut self, check: &'static str, verdict: Verdict, detail: impl Display) {
        if self.in_detail {
            let detail = detail.to_string();
            self.steps.push(DecisionStep {
                check,
                verdict,
                detail,
            });
        }
    }

    /// The schedule on the clocks that matter.
    pub(super) fn read_clock(
        &self,
        controller: &Controller,
    ) -> Result<Arc<ScheduleClock>, ParseError> {
        match self.clock {
            Some(clock) => Ok(Arc::clone(clock)),
            None => ScheduleClock::read(self.cron_job, *self.behavior, controller).map(Arc::new),
        }
    }

    /// Whether it is being deleted, which ends the sync.
    pub(super) fn stops_for_deletion(&mut self) -> bool {
        let Some(since) = self.cron_job.deletion_timestamp else {
            return false;
        };
        let detail = format!("metadata.deletionTimestamp is set: {since}");
        self.step("deletion", Verdict::Stop, detail);
        true
    }

    /// Whether it is suspended, which ends the sync.
    pub(super) fn stops_for_suspension(&mut self) -> bool {
        let suspended = self.cron_job.spec.suspend == Some(true);
        if suspended {
            self.step("suspend", Verdict::Stop, "spec.suspend: true");
        } else {
            self.step("suspend", Verdict::Pass, "not suspended");
        }
        suspended
    }

    /// Whether the run is past its deadline, which ends the sync.
    pub(super) fn stops_for_deadline(&mut self, scheduled_time: GoTime) -> bool {
        let deadline = self.cron_job.spec.starting_deadline_seconds;
        let is_past =
            deadline.is_some_and(|deadline| scheduled_time.add(seconds(deadline)) < self.now);
        if is_past {
            let detail = "the run is later than startingDeadlineSeconds allows";
            self.step("deadline", Verdict::Stop, detail);
        }
        is_past
    }

    /// The search for the next run never ends, and with it neither does the sync.
    pub(super) fn hangs(&mut self) -> SyncEnd {
        let detail = "the search for the next run never ends";
        self.step("schedule", Verdict::Stop, detail);
        SyncEnd::for_good(Outcome::Hangs)
    }

    pub(super) fn note_due(&mut self, scheduled_time: GoTime) {
        match scheduled_time.timestamp() {
            Some(scheduled_time) => self.step(
                "schedule",
                Verdict::Pass,
                format_args!("the run scheduled at {scheduled_time} is due"),
            ),
            None => self.step("schedule", Verdict::Pass, "a run is due"),
        }
    }

    /// The last scheduled time that was started, or the creation.
    pub(super) fn last(&self) -> GoTime {
        let created = self.cron_job.creation_timestamp;
        self.last_schedule_time
            .or(created)
            .map_or(GoTime::ZERO, GoTime::of)
    }

    pub(super) fn since(&self) -> SearchStart {
        let deadline = self.cron_job.spec.starting_deadline_seconds;
        let deadline_seconds = deadline.filter(|_| self.behavior.bounds_by_deadline);
        SearchStart {
            last: self.last(),
            deadline_seconds,
        }
    }

    /// Searches the scheduled time that is due, and keeps the result.
    pub(super) fn find_unmet(&mut self, clock: &ScheduleClock) -> Result<Unmet, Endless> {
        let arithmetic = self.behavior.arithmetic;
        let since = self.since();
        let unmet = if self.behavior.ignores_the_future && since.earliest(self.now) > self.now {
            unmet::nothing(since.earliest(self.now))
        } else {
            unmet::find(arithmetic, &clock.timetable, since, self.now)?
        };
        self.unmet = Some(unmet);
        Ok(unmet)
    }

    /// Whether the status lists the Job of this identity.
    pub(super) fn lists(&self, uid: &str) -> bool {
        self.active.iter().any(|active| active.uid == uid)
    }

    /// Strikes the Jobs of these identities from the status.
    pub(super) fn forget(&mut self, uids: &HashSet<&str>) {
        let stays = |active: &ObjectReference| !uids.contains(active.uid.as_str());
        match &mut self.active {
            _ if uids.is_empty() => {}
            Cow::Owned(active) => active.retain(stays),
            Cow::Borrowed(active) if active.iter().all(stays) => {}
            Cow::Borrowed(active) => {
                let others = active.iter().filter(|active| stays(active));
                self.active = others.cloned().collect();
            }
        }
    }

    /// Deletes Jobs and their references, and records it.
    pub(super) fn delete(&mut self, jobs: Vec<&'a Job>) {
        let uids = jobs.iter().map(|job| job.uid.as_str()).collect();
        self.forget(&uids);
        for job in &jobs {
            self.normal("SuccessfulDelete", format_args!("Deleted job {}", job.name));
            self.updates_status = true;
        }
        self.note_deleted(jobs);
    }

    pub(super) fn note_deleted(&mut self, jobs: Vec<&'a Job>) {
        self.gone.extend(jobs.iter().copied().map(ptr::from_ref));
        self.deleted.extend(jobs);
    }

    /// Whether a Job is still there.
    pub(super) fn is_left(&self, job: &Job) -> bool {
        !self.gone.contains(&ptr::from_ref(job))
    }

    /// The Job of a name that would be found now.
    pub(super) fn job_named(&self, name: &str) -> Option<&'a Job> {
        self.jobs_there().find(|job| job.name == name)
    }

    /// The Jobs of the namespace that would be found now.
    pub(super) fn jobs_there(&self) -> impl Iterator<Item = &'a Job> {
        let namespace = &self.cron_job.namespace;
        let jobs: &'a [Job] = self.jobs;
        jobs.iter()
            .filter(|job| job.namespace == *namespace && self.is_left(job))
    }

    pub(super) fn finish(self, end: SyncEnd) -> Decision {
        Decision {
            outcome: end.outcome,
            scheduled_time: end.scheduled_time.and_then(GoTime::timestamp),
            job_name: end.job_name,
            scheduled_timestamp: end.scheduled_timestamp,
            deleted_jobs: self.deleted.iter().map(|job| job.name.clone()).collect(),
            events: self.events,
            conditions: self.conditions,
            requeue_after: end.requeue_after,
            wakes_at: (end.requeue_after).and_then(|after| self.now.add(after).timestamp()),
            updates_status: self.updates_status,
            status_after: StatusAfter {
                active: (self.active.iter().map(|job| job.name.clone()))
                    .chain(self.started)
                    .collect(),
                last_schedule_time: self.last_schedule_time,
                last_successful_time: self.last_successful_time,
            },
            error: end.error,
            steps: self.steps,
            missed: self.unmet.map(|unmet| Missed {
                since: unmet.earliest.timestamp(),
                estimate: unmet.estimate,
                class: unmet.class,
                scheduled_time: unmet.scheduled_time.and_then(GoTime::timestamp),
            }),
        }
    }
}

/// A Job of the `CronJob`.
#[derive(Clone, Copy)]
pub(super) struct Child<'a> {
    pub(super) job: &'a Job,
    /// What happened to it, if it is finished.
    pub(super) finish: Option<JobResult>,
}

fn children_of<'a>(cron_job: &CronJob, jobs: &'a [Job], how: Children) -> Vec<Child<'a>> {
    let is_ours = |job: &&Job| {
        let controller = job.controller();
        let same = |owner: &OwnerReference| match how {
            Children::Uid => owner.uid == cron_job.uid,
            Children::Name => owner.name == cron_job.name,
            Children::KindAndName => {
                owner.name == cron_job.name
                    && owner.kind == "CronJob"
                    && owner.api_version == cron_job.api_version
            }
        };
        job.namespace == cron_job.namespace && controller.is_some_and(same)
    };
    let child = |job| Child {
        job,
        finish: job.result(),
    };
    jobs.iter().filter(is_ours).map(child).collect()
}
