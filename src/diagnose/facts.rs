//! All that is known of a `CronJob` at a moment, computed once for all findings.

use jiff::Timestamp;

use super::missed::{MissedSlots, missed};
use crate::controller::{Controller, Decision, decide};
use crate::model::{CronJob, Event, Job};
use crate::schedule::{Schedule, Timetable};
use crate::upcoming::{Problem, Subject, read};

/// All that is known of a `CronJob` at a moment.
pub struct Facts<'a> {
    /// The controller that looks.
    pub controller: &'a Controller<'a>,
    /// The `CronJob`.
    pub cron_job: &'a CronJob,
    /// The Jobs of its namespace.
    pub jobs: &'a [Job],
    /// The Jobs that belong to it, oldest first: controlled by it, or made from it by hand.
    pub runs: Vec<PastRun<'a>>,
    /// The events about it.
    pub events: Vec<&'a Event>,
    /// The moment.
    pub now: Timestamp,
    /// What the controller would do now.
    pub decision: Decision,
    /// The schedule, if it can be read.
    pub schedule: Result<Schedule, Problem>,
    /// The schedule in its zone.
    pub timetable: Option<Timetable>,
    /// The slots that were missed, if the schedule can be read.
    pub missed: Option<MissedSlots>,
}

/// A Job that belongs to the `CronJob`.
#[derive(Clone, Copy, Debug)]
pub struct PastRun<'a> {
    /// The Job.
    pub job: &'a Job,
    /// The slot it was started for; `None` for a Job that somebody made by hand.
    pub slot: Option<Timestamp>,
    /// Whether the controller counts it as its own.
    pub controlled: bool,
}

/// The annotation that tells a Job its slot, from 1.28 on.
const SLOT_ANNOTATION: &str = "batch.kubernetes.io/cronjob-scheduled-timestamp";

impl<'a> Facts<'a> {
    /// Gathers the facts. `jobs` and `events` are those of the namespace.
    pub fn gather(
        controller: &'a Controller<'a>,
        cron_job: &'a CronJob,
        jobs: &'a [Job],
        events: &'a [Event],
        now: Timestamp,
    ) -> Self {
        let subject = Subject {
            schedule: cron_job.spec.schedule.clone(),
            time_zone: cron_job.spec.time_zone.clone(),
            ..Subject::default()
        };
        let schedule = read(controller, &subject);
        let timetable = schedule
            .as_ref()
            .ok()
            .map(|schedule| schedule.in_zone(&controller.local));
        let missed = timetable
            .as_ref()
            .map(|timetable| missed(controller, cron_job, timetable, now));
        Facts {
            controller,
            cron_job,
            jobs,
            runs: past_runs(cron_job, jobs),
            events: events
                .iter()
                .filter(|event| is_about(event, cron_job))
                .collect(),
            now,
            decision: decide(controller, cron_job, jobs, now),
            schedule,
            timetable,
            missed,
        }
    }

    /// How long ago something was, in seconds; nothing in the future is.
    pub fn ago(&self, moment: Timestamp) -> i64 {
        (self.now.as_second() - moment.as_second()).max(0)
    }

    /// `-n NAMESPACE` and the name, for commands to paste.
    pub fn kubectl_args(&self) -> String {
        format!("-n {} {}", self.cron_job.namespace, self.cron_job.name)
    }
}

fn past_runs<'a>(cron_job: &CronJob, jobs: &'a [Job]) -> Vec<PastRun<'a>> {
    let mut runs: Vec<PastRun<'a>> = jobs
        .iter()
        .filter(|job| job.namespace == cron_job.namespace)
        .filter_map(|job| {
            let owner = job.owner_references.iter().find(|owner| {
                owner.kind == "CronJob"
                    && owner.name == cron_job.name
                    && (cron_job.uid.is_empty() || owner.uid == cron_job.uid)
            })?;
            let controlled = owner.controller == Some(true);
            Some(PastRun {
                job,
                slot: slot_of(cron_job, job),
                controlled,
            })
        })
        .collect();
    runs.sort_by_key(|run| (run.job.creation_timestamp, run.slot));
    runs
}

/// The slot of a Job: its annotation, or else the number at the end of its name.
fn slot_of(cron_job: &CronJob, job: &Job) -> Option<Timestamp> {
    if let Some(slot) = job.annotations.get(SLOT_ANNOTATION) {
        return slot.parse().ok();
    }
    let number = job.name.strip_prefix(&cron_job.name)?.strip_prefix('-')?;
    let digits = number.bytes().all(|byte| byte.is_ascii_digit());
    let number: i64 = number.parse().ok().filter(|_| digits)?;
    // Minutes have eight digits for a long time to come, seconds have ten.
    let seconds = if number < 1_000_000_000 {
        number.checked_mul(60)?
    } else {
        number
    };
    Timestamp::from_second(seconds).ok()
}

fn is_about(event: &Event, cron_job: &CronJob) -> bool {
    let involved = &event.involved_object;
    involved.kind == "CronJob"
        && involved.name == cron_job.name
        && involved.namespace == cron_job.namespace
        && (cron_job.uid.is_empty() || involved.uid.is_empty() || involved.uid == cron_job.uid)
}
