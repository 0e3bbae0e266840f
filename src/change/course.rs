//! The course of a Job that somebody waits for.

use std::collections::{BTreeMap, BTreeSet};

use crate::diagnose::PodState;
use crate::model::{ContainerStatus, Event, Job, Pod};

/// The course of a Job that somebody waits for: what is known of it, and what was told already.
#[derive(Clone, Debug, Default)]
pub struct Course {
    job: Job,
    is_gone: bool,
    pods: BTreeMap<String, Pod>,
    /// By name, phase and reason: a pod that fails again and again in the same way is told once.
    told: BTreeSet<(String, String, String)>,
    /// By pod and how often the container was started again.
    read: BTreeSet<(String, i32)>,
}

/// Something that is worth a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Happening {
    /// The Job is suspended, and has no pods.
    Suspended,
    /// A pod is in another phase, or waits for something else.
    Pod {
        /// Its name.
        pod: String,
        /// Its phase.
        phase: String,
        /// Why it is as it is, in one word; empty where all is well.
        reason: String,
        /// Why, in a sentence.
        message: String,
    },
    /// A warning about the Job itself, such as that no pod of it may be created.
    Warning {
        /// In one word.
        reason: String,
        /// In a sentence.
        message: String,
    },
}

/// How a Job ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// It succeeded.
    Complete {
        /// How long it took from its creation, in seconds.
        seconds: Option<i64>,
    },
    /// It failed.
    Failed {
        /// How long it took from its creation, in seconds.
        seconds: Option<i64>,
        /// In one word.
        reason: String,
        /// In a sentence.
        message: String,
    },
    /// Somebody deleted it before it was over.
    Gone,
}

impl Course {
    /// A Job that was just created.
    pub fn of(job: Job) -> Self {
        Course {
            job,
            ..Course::default()
        }
    }

    /// The Job as it was last seen.
    pub fn job(&self) -> &Job {
        &self.job
    }

    /// Its pods as they were last seen, those that are gone among them.
    pub fn pods(&self) -> impl Iterator<Item = &Pod> {
        self.pods.values()
    }

    /// The Job is another than before. One of the same name that was made later is none of ours.
    pub fn set_job(&mut self, job: &Job) -> Option<Happening> {
        if job.uid != self.job.uid {
            return None;
        }
        let was_suspended = self.job.suspend == Some(true);
        self.job = job.clone();
        let suspended = job.suspend == Some(true);
        (suspended && !was_suspended).then_some(Happening::Suspended)
    }

    /// The Job is no longer there; this is the last of it.
    pub fn remove_job(&mut self, last: &Job) {
        if last.uid == self.job.uid {
            self.job = last.clone();
            self.is_gone = true;
        }
    }

    /// A pod is another than before.
    pub fn set_pod(&mut self, pod: &Pod) -> Option<Happening> {
        if !self.owns(pod) {
            return None;
        }
        let state = PodState::of(pod);
        // A container that ended well says so, too.
        let is_well = pod.phase == "Succeeded" || state.reason == Some("Completed");
        let of_state =
            |text: Option<&str>| text.filter(|_| !is_well).unwrap_or_default().to_owned();
        let (reason, message) = (of_state(state.reason), of_state(state.message));
        self.pods.insert(pod.name.clone(), pod.clone());
        let told = (pod.name.clone(), pod.phase.clone(), reason.clone());
        self.told.insert(told).then(|| Happening::Pod {
            pod: pod.name.clone(),
            phase: pod.phase.clone(),
            reason,
            message,
        })
    }

    /// Something was recorded about the Job.
    pub fn set_event(&mut self, event: &Event) -> Option<Happening> {
        let about = &event.involved_object;
        let is_ours = about.kind == "Job" && about.uid == self.job.uid;
        if !is_ours || event.r#type != "Warning" || self.is_told_by_ending(event) {
            return None;
        }
        let told = (String::new(), event.reason.clone(), event.message.clone());
        self.told.insert(told).then(|| Happening::Warning {
            reason: event.reason.clone(),
            message: event.message.clone(),
        })
    }

    /// How the Job ended; `None` while it has not.
    pub fn ending(&self) -> Option<Ending> {
        let seconds = self.job.duration_seconds();
        match (self.job.ending(), self.job.failure()) {
            (Some(_), None) => Some(Ending::Complete { seconds }),
            (_, Some(failure)) => Some(Ending::Failed {
                seconds,
                reason: failure.reason.clone(),
                message: failure.message.clone(),
            }),
            (None, None) => self.is_gone.then_some(Ending::Gone),
        }
    }

    /// The pods in which a container has begun to write something that nobody was told to read
    /// yet, in the order in which they were created.
    pub fn unread(&mut self, container: &str) -> Vec<String> {
        let mut pods: Vec<&Pod> = self.pods.values().collect();
        pods.sort_by_key(|pod| pod.creation_timestamp);
        let mut unread = Vec::new();
        for pod in pods {
            let status = pod.containers.iter().find(|one| one.name == container);
            let Some(status) = status.filter(|status| has_started(pod, status)) else {
                continue;
            };
            if self.read.insert((pod.name.clone(), status.restart_count)) {
                unread.push(pod.name.clone());
            }
        }
        unread
    }

    /// What a container wrote could not be read yet.
    pub fn forget_read(&mut self, pod: &str) {
        self.read.retain(|(read, _)| read != pod);
    }

    /// Whether pods of the Job have ended of which nothing was read yet: news of a Job may come
    /// sooner than that of its pods.
    pub fn misses_pods(&self) -> bool {
        let read: BTreeSet<&String> = self.read.iter().map(|(pod, _)| pod).collect();
        let ended = self.job.succeeded + self.job.failed;
        usize::try_from(ended).is_ok_and(|ended| read.len() < ended)
    }

    fn owns(&self, pod: &Pod) -> bool {
        let owners = &mut pod.owner_references.iter();
        owners.any(|owner| owner.kind == "Job" && owner.uid == self.job.uid)
    }

    /// That it failed is told by how it ended.
    fn is_told_by_ending(&self, event: &Event) -> bool {
        let conditions = self.job.conditions.iter();
        let mut failures = conditions.filter(|condition| condition.r#type != "Complete");
        failures.any(|failure| failure.reason == event.reason)
            || matches!(
                event.reason.as_str(),
                "BackoffLimitExceeded" | "DeadlineExceeded"
            )
    }
}

/// Whether a container runs, or has run. One that waits for its next start has what it wrote
/// before.
fn has_started(pod: &Pod, status: &ContainerStatus) -> bool {
    match (&status.terminated, &status.waiting) {
        (Some(_), _) => true,
        (None, Some(_)) => false,
        (None, None) => pod.phase == "Running",
    }
}

#[cfg(test)]
mod tests;
