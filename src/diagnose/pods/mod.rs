//! The pods of the Jobs: which of them do not get on, and what events tell of those that are gone.

mod ends;
mod names;
mod state;
mod trouble;
mod wanted;

pub(super) use ends::{End, ends, story};
pub(super) use names::{prefix_of_job, prefixes_of_pod};
pub use state::PodState;
pub(super) use trouble::{Hold, Kind, Trouble};
pub use wanted::{lacks_pods, pods_in_question, pods_wanted};

use jiff::Timestamp;

use super::commands::one_line;
use super::{Facts, PastRun};
use crate::model::{ConcurrencyPolicy, Event, Job, Pod, QUEUE_LABEL};

/// Events are kept for an hour.
const RECENT: i64 = 3_600;

impl<'a> Facts<'a> {
    /// The runs of which the pods are worth a word, the newest first: those that are not over, and
    /// the newest of all if it failed. What failed before another run is the past.
    pub(super) fn unsettled(&self) -> impl Iterator<Item = &PastRun<'a>> {
        let newest_first = self.runs.iter().rev().enumerate();
        newest_first
            .filter(|(age, run)| match run.ending() {
                None => true,
                Some(_) => *age == 0 && run.failure().is_some(),
            })
            .map(|(_, run)| run)
    }

    /// The pods of a Job, the newest first.
    pub(super) fn pods_of(&self, job: &Job) -> Vec<&'a Pod> {
        let pods: &'a [Pod] = self.pods;
        let mut pods: Vec<&Pod> = pods.iter().filter(|pod| belongs(pod, job)).collect();
        pods.sort_by_key(|pod| std::cmp::Reverse(pod.creation_timestamp));
        pods
    }

    /// How the pods are that tell something: those of the Jobs that are not over, and of the last
    /// one if it failed.
    pub fn telling_pods(&self) -> Vec<PodState<'a>> {
        let jobs = wanted::wanted(&self.runs).into_iter();
        let pods = jobs.flat_map(|job| self.pods_of(job));
        pods.map(PodState::of).collect()
    }

    /// The events about a Job.
    pub(super) fn events_of_job(&self, job: &'a Job) -> impl Iterator<Item = &'a Event> {
        let events: &'a [Event] = self.run_events;
        events.iter().filter(move |event| {
            let involved = &event.involved_object;
            involved.kind == "Job"
                && involved.name == job.name
                && involved.namespace == job.namespace
                && same_uid(&involved.uid, &job.uid)
        })
    }

    /// The events about pods of a Job, by their names: the pods themselves may be gone.
    pub(super) fn events_of_pods(&self, job: &Job) -> Vec<&'a Event> {
        let prefix = prefix_of_job(&job.name);
        let events: &'a [Event] = self.run_events;
        let about = |event: &&Event| {
            let involved = &event.involved_object;
            involved.kind == "Pod"
                && involved.namespace == job.namespace
                && prefixes_of_pod(&involved.name).any(|own| own == prefix)
        };
        events.iter().filter(about).collect()
    }

    /// Whether no pod of a Job has run yet, as far as the evidence shows.
    pub(super) fn awaits_pod(&self, run: &PastRun<'_>) -> bool {
        let job = run.job;
        let has_started = |pod: &&Pod| !pod.phase.is_empty() && pod.phase != "Pending";
        run.ending().is_none()
            && job.ready == Some(0)
            && (job.succeeded, job.failed) == (0, 0)
            && !self.pods_of(job).iter().any(has_started)
            && !self
                .events_of_pods(job)
                .iter()
                .any(|event| event.reason == "Started")
    }

    /// The queue in which a suspended Job waits until Kueue admits it.
    pub(super) fn queue_of(&self, job: &'a Job) -> Option<&str> {
        let of_template = queue_of_template(&self.cron_job.spec.job_template);
        let queue = job.labels.get(QUEUE_LABEL).or(of_template);
        queue.filter(|_| job.suspend == Some(true))
    }

    /// Whether something is so recent that events still tell of it.
    pub(super) fn is_recent(&self, moment: Timestamp) -> bool {
        self.ago(moment) <= RECENT
    }

    /// What is to be added where a Job does not get on.
    pub(super) fn and_blocks(&self, job: &Job) -> &'static str {
        let active = &self.decision.status_after.active;
        let forbids = self.cron_job.spec.concurrency_policy == ConcurrencyPolicy::Forbid;
        if forbids && active.contains(&job.name) {
            " Until it ends, nothing else starts (concurrencyPolicy: Forbid)."
        } else {
            ""
        }
    }

    /// Ends a Job, and says what that sets off.
    pub(super) fn delete_job(&self, job: &str) -> String {
        let delete = self.kubectl("delete job").name(job);
        format!("{delete}; {}", self.after_deleting(job))
    }
}

/// The queue that the Jobs of a template are for.
pub(super) fn queue_of_template(template: &serde_json::Value) -> Option<&str> {
    let labels = template.pointer("/metadata/labels")?;
    labels.get(QUEUE_LABEL)?.as_str()
}

/// The name of a Job, and whether somebody started it by hand.
pub(super) fn called(run: &PastRun<'_>) -> String {
    let by_hand = if run.by_hand() {
        " (started by hand)"
    } else {
        ""
    };
    format!("{}{by_hand}", one_line(&run.job.name))
}

/// A moment without its fraction, which events of the new form have.
pub(super) fn to_second(moment: Timestamp) -> Timestamp {
    Timestamp::from_second(moment.as_second()).unwrap_or(moment)
}

/// Whether a pod is one of a Job, and not of an earlier one of the same name.
fn belongs(pod: &Pod, job: &Job) -> bool {
    pod.namespace == job.namespace
        && pod.owner_references.iter().any(|owner| {
            owner.kind == "Job" && owner.name == job.name && same_uid(&owner.uid, &job.uid)
        })
}

/// Files may leave out who is who.
fn same_uid(one: &str, other: &str) -> bool {
    one == other || one.is_empty() || other.is_empty()
}
