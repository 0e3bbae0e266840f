//! The state of a Job over time, and what of it is worth a line.

use std::collections::{BTreeMap, BTreeSet};

use crate::diagnose::PodState;
use kube_model::{Condition, ContainerStatus, Event, Job, JobResult, Pod};

/// What is known of a Job that is waited for, and what was already reported.
#[derive(Clone, Debug, Default)]
pub struct JobProgress {
    job: Job,
    is_deleted: bool,
    pods: BTreeMap<String, Pod>,
    /// By name, phase and reason: a pod that fails repeatedly in the same way is reported once.
    reported: BTreeSet<(String, String, String)>,
    /// The logs that were read, by pod, container and restart count.
    read: BTreeSet<(String, String, i32)>,
}

/// A change of a Job that is worth a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JobUpdate {
    /// The Job is suspended, and has no pods.
    Suspended,
    /// A pod is in another phase, or has another reason.
    Pod {
        pod: String,
        phase: String,
        /// Empty if the pod is healthy.
        reason: String,
        message: String,
    },
    /// A warning about the Job itself, such as that no pod of it may be created.
    Warning { reason: String, message: String },
}

/// How a Job ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JobEnd {
    Complete {
        /// How long it took from its creation, in seconds.
        seconds: Option<i64>,
    },
    Failed {
        /// How long it took from its creation, in seconds.
        seconds: Option<i64>,
        reason: String,
        message: String,
    },
    /// It was deleted before it finished.
    Deleted,
}

impl JobEnd {
    fn of(result: JobResult, condition: &Condition, seconds: Option<i64>) -> Self {
        match result {
            JobResult::Succeeded => JobEnd::Complete { seconds },
            JobResult::Failed => JobEnd::Failed {
                seconds,
                reason: condition.reason.to_string(),
                message: condition.message.to_string(),
            },
        }
    }
}

impl JobProgress {
    /// A Job that was just created.
    pub fn of(job: Job) -> Self {
        JobProgress {
            job,
            ..JobProgress::default()
        }
    }

    pub fn job(&self) -> &Job {
        &self.job
    }

    /// Its pods as they were last seen, including deleted ones.
    pub fn pods(&self) -> impl Iterator<Item = &Pod> {
        self.pods.values()
    }

    /// Sets the Job, unless it is a later one of the same name.
    pub fn set_job(&mut self, job: &Job) -> Option<JobUpdate> {
        if job.uid != self.job.uid {
            return None;
        }
        let was_suspended = self.job.suspend == Some(true);
        self.job = job.clone();
        let suspended = job.suspend == Some(true);
        (suspended && !was_suspended).then_some(JobUpdate::Suspended)
    }

    /// Notes that the Job was deleted; `last` is its last state.
    pub fn remove_job(&mut self, last: &Job) {
        if last.uid == self.job.uid {
            self.job = last.clone();
            self.is_deleted = true;
        }
    }

    pub fn set_pod(&mut self, pod: &Pod) -> Option<JobUpdate> {
        if !self.owns(pod) {
            return None;
        }
        let state = PodState::of(pod);
        // A container that succeeded has a reason, too.
        let is_well = pod.phase == "Succeeded" || state.reason == Some("Completed");
        let of_state =
            |text: Option<&str>| text.filter(|_| !is_well).unwrap_or_default().to_owned();
        let (reason, message) = (of_state(state.reason), of_state(state.message));
        self.pods.insert(pod.name.clone(), pod.clone());
        let reported = (pod.name.clone(), pod.phase.clone(), reason.clone());
        self.reported.insert(reported).then(|| JobUpdate::Pod {
            pod: pod.name.clone(),
            phase: pod.phase.clone(),
            reason,
            message,
        })
    }

    pub fn set_event(&mut self, event: &Event) -> Option<JobUpdate> {
        let about = &event.involved_object;
        let is_ours = about.kind == "Job" && about.uid == self.job.uid;
        if !is_ours || event.r#type != "Warning" || self.is_reported_by_end(event) {
            return None;
        }
        let reported = (String::new(), event.reason.clone(), event.message.clone());
        self.reported.insert(reported).then(|| JobUpdate::Warning {
            reason: event.reason.clone(),
            message: event.message.clone(),
        })
    }

    /// How the Job ended; `None` while it has not.
    pub fn ending(&self) -> Option<JobEnd> {
        let job = &self.job;
        let ended = job.result().zip(job.ending());
        let ended = ended.map(|(result, by)| JobEnd::of(result, by, job.duration_seconds()));
        ended.or(self.is_deleted.then_some(JobEnd::Deleted))
    }

    /// How the Job ended, or how it will end when its last pod has ended.
    pub fn decided(&self) -> Option<JobEnd> {
        let verdict = || {
            let (result, by) = self.job.verdict()?;
            let decided = by.last_transition_time.zip(self.job.creation_timestamp);
            let seconds = decided
                .map(|(decided, created)| (decided.as_second() - created.as_second()).max(0));
            Some(JobEnd::of(result, by, seconds))
        };
        self.ending().or_else(verdict)
    }

    /// The pods in which a container has started whose log was not returned yet, oldest first.
    pub fn unread(&mut self, container: &str) -> Vec<String> {
        let unread = self.unread_containers(|pod| {
            let status = pod.containers.iter().find(|one| one.name == container);
            let started = status.filter(|status| has_started(pod, status));
            started
                .map(|status| status.name.clone())
                .into_iter()
                .collect()
        });
        unread.into_iter().map(|(pod, _)| pod).collect()
    }

    /// The pods and their started containers whose logs were not returned yet, oldest first.
    pub(crate) fn unread_containers(
        &mut self,
        started: impl Fn(&Pod) -> Vec<String>,
    ) -> Vec<(String, String)> {
        let mut pods: Vec<&Pod> = self.pods.values().collect();
        pods.sort_by_key(|pod| pod.creation_timestamp);
        let mut unread = Vec::new();
        for pod in pods {
            for container in started(pod) {
                let status = pod.containers.iter().find(|one| one.name == container);
                let restarts = status.map_or(0, |status| status.restart_count);
                let read = (pod.name.clone(), container.clone(), restarts);
                if self.read.insert(read) {
                    unread.push((pod.name.clone(), container));
                }
            }
        }
        unread
    }

    /// Whether pods have finished whose logs were not read: changes of a Job may come before those of its
    /// pods.
    pub fn misses_pods(&self) -> bool {
        let read: BTreeSet<&String> = self.read.iter().map(|(pod, ..)| pod).collect();
        let ended = self.job.succeeded + self.job.failed;
        usize::try_from(ended).is_ok_and(|ended| read.len() < ended)
    }

    /// Whether a container of a pod has ended while another one runs.
    pub fn has_ended_partly(&self) -> bool {
        self.pods.values().any(|pod| {
            let ended = pod.containers.iter().filter(|one| one.terminated.is_some());
            let ended = ended.count();
            ended > 0 && ended < pod.containers.len()
        })
    }

    fn owns(&self, pod: &Pod) -> bool {
        let owners = &mut pod.owner_references.iter();
        owners.any(|owner| owner.kind == "Job" && owner.uid == self.job.uid)
    }

    fn is_reported_by_end(&self, event: &Event) -> bool {
        let conditions = self.job.conditions.iter();
        let mut failures = conditions.filter(|condition| condition.r#type != "Complete");
        failures.any(|failure| *failure.reason == *event.reason)
            || matches!(
                event.reason.as_str(),
                "BackoffLimitExceeded" | "DeadlineExceeded"
            )
    }
}

/// Whether a container runs, or has run. While it waits for a restart its log is the one before.
fn has_started(pod: &Pod, status: &ContainerStatus) -> bool {
    match (&status.terminated, &status.waiting) {
        (Some(_), _) => true,
        (None, Some(_)) => false,
        (None, None) => pod.phase == "Running",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kube_model::testing::{self, at_second as at, condition, ended, waiting};

    fn job() -> Job {
        Job {
            uid: "1".to_owned(),
            creation_timestamp: at(100),
            ..testing::job("a", "")
        }
    }

    fn over(kind: &str, reason: &str) -> Job {
        let condition = Condition {
            last_transition_time: at(130),
            ..condition(kind, "True", reason)
        };
        Job {
            conditions: vec![condition],
            ..job()
        }
    }

    fn pod(name: &str, phase: &str, status: ContainerStatus) -> Pod {
        let mut pod = testing::pod(name, "a");
        pod.phase = phase.to_owned();
        pod.owner_references[0].uid = "1".to_owned();
        pod.containers = vec![ContainerStatus {
            name: "main".to_owned(),
            ..status
        }];
        pod
    }

    fn waits(reason: &str) -> ContainerStatus {
        waiting(reason, "why")
    }

    #[test]
    fn pods_and_jobs_with_another_uid_are_ignored() {
        let mut progress = JobProgress::of(job());
        let mut other = pod("a-x", "Pending", ContainerStatus::default());
        other.owner_references[0].uid = "2".to_owned();
        assert_eq!(progress.set_pod(&other), None);
        assert_eq!(progress.pods().count(), 0);
        let namesake = Job {
            uid: "2".to_owned(),
            ..over("Complete", "")
        };
        assert_eq!(progress.set_job(&namesake), None);
        progress.remove_job(&namesake);
        assert_eq!(progress.ending(), None);
    }

    #[test]
    fn pod_is_reported_once_with_what_is_wrong_with_it() {
        let mut progress = JobProgress::of(job());
        let mut reported = |phase: &str, status| {
            let update = progress.set_pod(&pod("a-x", phase, status))?;
            let JobUpdate::Pod {
                phase,
                reason,
                message,
                ..
            } = update
            else {
                panic!("{update:?}");
            };
            Some([phase, reason, message])
        };
        let of = |texts: [&str; 3]| Some(texts.map(str::to_owned));
        let pulls = ["Pending", "ImagePullBackOff", "why"];
        assert_eq!(reported("Pending", waits("ImagePullBackOff")), of(pulls));
        assert_eq!(reported("Pending", waits("ImagePullBackOff")), None);
        // The reason of a container that succeeded is no problem, in a pod that runs or is done.
        let runs = reported("Running", ended(0, "Completed"));
        assert_eq!(runs, of(["Running", "", ""]));
        let done = reported("Succeeded", ended(0, "Completed"));
        assert_eq!(done, of(["Succeeded", "", ""]));
    }

    #[test]
    fn failure_target_decides_the_result_before_the_job_ends() {
        let decided = |verdict: &str| {
            let mut progress = JobProgress::of(job());
            progress.set_job(&over(verdict, "DeadlineExceeded"));
            assert_eq!(progress.ending(), None, "{verdict}");
            progress.decided()
        };
        let success = decided("SuccessCriteriaMet");
        assert!(matches!(success, Some(JobEnd::Complete { .. })));
        let Some(JobEnd::Failed { reason, .. }) = decided("FailureTarget") else {
            panic!("a Job with FailureTarget fails");
        };
        assert_eq!(reason, "DeadlineExceeded");
        assert_eq!(decided("Suspended"), None);
    }

    #[test]
    fn suspended_job_is_reported_once() {
        let mut progress = JobProgress::of(job());
        let suspended = Job {
            suspend: Some(true),
            ..job()
        };
        assert_eq!(progress.set_job(&suspended), Some(JobUpdate::Suspended));
        assert_eq!(progress.set_job(&suspended), None);
    }

    #[test]
    fn warning_event_of_the_job_is_reported_once() {
        let mut progress = JobProgress::of(job());
        let mut event = Event {
            r#type: "Warning".to_owned(),
            reason: "FailedCreate".to_owned(),
            message: "exceeded quota".to_owned(),
            ..testing::event("Job", "a")
        };
        event.involved_object.uid = "1".to_owned();
        let warning = JobUpdate::Warning {
            reason: "FailedCreate".to_owned(),
            message: "exceeded quota".to_owned(),
        };
        assert_eq!(progress.set_event(&event), Some(warning));
        assert_eq!(progress.set_event(&event), None, "once is enough");
        event.message = "other".to_owned();
        event.involved_object.uid = "2".to_owned();
        assert_eq!(progress.set_event(&event), None, "of an earlier namesake");
        event.involved_object.uid = "1".to_owned();
        event.reason = "BackoffLimitExceeded".to_owned();
        assert_eq!(progress.set_event(&event), None, "it is part of the end");
    }

    #[test]
    fn log_is_read_once_for_each_container_start() {
        let mut progress = JobProgress::of(job());
        let mut unread = |phase: &str, status| {
            progress.set_pod(&pod("a-x", phase, status));
            progress.unread("main").len()
        };
        assert_eq!(unread("Pending", waits("ContainerCreating")), 0);
        assert_eq!(unread("Pending", ContainerStatus::default()), 0);
        assert_eq!(unread("Running", ContainerStatus::default()), 1);
        assert_eq!(unread("Running", ContainerStatus::default()), 0);
        assert_eq!(unread("Running", ended(1, "Error")), 0);
        let again = ContainerStatus {
            restart_count: 1,
            ..ContainerStatus::default()
        };
        assert_eq!(unread("Running", again), 1);
        assert_eq!(progress.unread("other").len(), 0);
    }
}
