//! A Job that is waited for, and the news of it.

use std::time::Instant;

use serde_json::Value;

use crate::change::{Course, Happening, choose};
use crate::cli::changing::job_from_object;
use crate::cli::trigger::CreatedJob;
use crate::cluster::{WatchEvent, WatchedObject, WatchedObjects};
use crate::model::CronJob;

/// A Job that is waited for.
pub(super) struct Run {
    pub(super) cron_job: CronJob,
    pub(super) container: Option<String>,
    pub(super) course: Course,
    /// When a log is asked for again that could not be had yet.
    pub(super) again_at: Option<Instant>,
    pub(super) ended_at: Option<Instant>,
    pub(super) is_told: bool,
}

impl Run {
    pub(super) fn of(made: &CreatedJob, container: Option<&str>) -> Self {
        Run {
            container: writer(&made.object, container),
            course: Course::of(job_from_object(&made.object)),
            cron_job: made.cron_job.clone(),
            again_at: None,
            ended_at: None,
            is_told: false,
        }
    }
}

/// The container whose logs are shown.
fn writer(job: &Value, named: Option<&str>) -> Option<String> {
    let choice = choose(job.pointer("/spec/template")?, named).ok()?;
    Some(choice.name)
}

/// Takes what changed about a Job, and returns what of it is worth a line.
pub(in crate::cli) fn update(course: &mut Course, change: WatchEvent) -> Vec<Happening> {
    match change {
        WatchEvent::Now(WatchedObject::Job(job)) => course.set_job(&job).into_iter().collect(),
        WatchEvent::Gone(WatchedObject::Job(job)) => {
            course.remove_job(&job);
            Vec::new()
        }
        WatchEvent::All(WatchedObjects::Jobs(jobs)) => {
            let own = jobs.iter().find(|job| job.uid == course.job().uid);
            if let Some(own) = own {
                return course.set_job(own).into_iter().collect();
            }
            let last = course.job().clone();
            course.remove_job(&last);
            Vec::new()
        }
        WatchEvent::Now(WatchedObject::Pod(pod)) | WatchEvent::Gone(WatchedObject::Pod(pod)) => {
            course.set_pod(&pod).into_iter().collect()
        }
        WatchEvent::All(WatchedObjects::Pods(pods)) => {
            pods.iter().filter_map(|pod| course.set_pod(pod)).collect()
        }
        WatchEvent::Now(WatchedObject::Event(event)) => {
            course.set_event(&event).into_iter().collect()
        }
        WatchEvent::All(WatchedObjects::Events(events)) => {
            let events = events.iter();
            events.filter_map(|event| course.set_event(event)).collect()
        }
        _ => Vec::new(),
    }
}
