//! A Job is active, and none of its pods gets ready.

use jiff::Timestamp;

use super::super::commands::{add, one_line};
use super::super::pods::called;
use super::super::{Facts, Found, PastRun};
use super::{
    Check, pod_config_missing, pod_crashes, pod_image_not_pulled, pod_not_scheduled, pods_refused,
};
use crate::duration::human;
use crate::model::Pod;

/// Images can be large, and nodes new.
const PATIENCE: i64 = 300;

/// What finds a cause.
const CAUSES: [Check; 5] = [
    pods_refused::check,
    pod_image_not_pulled::check,
    pod_config_missing::check,
    pod_crashes::check,
    pod_not_scheduled::check,
];

pub(super) fn check(facts: &Facts<'_>) -> Option<Found> {
    let mut runs = facts.unsettled();
    let (run, since) = runs.find_map(|run| Some((run, unready_since(facts, run)?)))?;
    let job = run.job;
    // What it blocks says more than that.
    let blocks = facts
        .blockade()
        .is_some_and(|blockade| blockade.name == job.name);
    if blocks || CAUSES.iter().any(|cause| cause(facts).is_some()) {
        return None;
    }
    let what = if job.active == 0 { "pod" } else { "ready pod" };
    let age = human(facts.ago(since));
    let mut detail = format!(
        "{} has had no {what} since {since} ({age} ago).",
        called(run)
    );
    let newest = facts.pods_of(job).into_iter().next();
    if let Some(pod) = newest {
        let (name, phase) = (one_line(&pod.name), one_line(&pod.phase));
        add(&mut detail, format_args!(" Its pod {name} is {phase}."));
    } else if job.active > 0 {
        detail.push_str(" Its pods were not read.");
    }
    detail.push_str(facts.and_blocks(job));
    let look = match newest {
        Some(pod) => facts.kubectl("describe pod").name(&pod.name),
        None if job.active > 0 => {
            let label = format!("job-name={}", job.name);
            facts.kubectl("describe pods").value("-l", &label)
        }
        None => facts.kubectl("describe job").name(&job.name),
    };
    Some(Found::new(detail).remedy(look))
}

/// Since when a Job has had no ready pod, where that is long ago.
fn unready_since(facts: &Facts<'_>, run: &PastRun<'_>) -> Option<Timestamp> {
    let job = run.job;
    let waits = run.ending().is_none()
        && job.suspend != Some(true)
        && job.deletion_timestamp.is_none()
        && (job.ready == Some(0) || job.start_time.is_none());
    let started = job.start_time.or(job.creation_timestamp);
    let started = started.filter(|_| waits)?;
    let pods = facts.pods_of(job);
    let since = match pods.first() {
        Some(_) if pods.iter().any(|pod| is_at_work(pod)) => return None,
        Some(newest) => newest.creation_timestamp.unwrap_or(started),
        // Between one pod and the next none is ready.
        None if job.succeeded > 0 || job.failed > 0 => return None,
        None => started,
    };
    (facts.ago(since) >= PATIENCE).then_some(since)
}

/// Whether a container of a pod runs. An init container can take long.
fn is_at_work(pod: &Pod) -> bool {
    let mut containers = pod.containers.iter();
    pod.phase == "Running"
        || containers.any(|one| one.waiting.is_none() && one.terminated.is_none())
}
