//! The course of a Job that somebody waits for.

use std::collections::{BTreeMap, BTreeSet};

use crate::diagnose::{PastRun, PodState};
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
        let run = PastRun {
            job: &self.job,
            slot: None,
            controlled: true,
        };
        let seconds = run.duration_seconds();
        match (run.ending(), run.failure()) {
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
mod tests {
    use super::*;
    use crate::model::{
        ContainerEnd, ContainerReason, JobCondition, ObjectReference, OwnerReference,
    };
    use jiff::Timestamp;

    fn at(second: i64) -> Option<Timestamp> {
        Timestamp::from_second(second).ok()
    }

    fn job() -> Job {
        Job {
            name: "a".to_owned(),
            uid: "1".to_owned(),
            creation_timestamp: at(100),
            ..Job::default()
        }
    }

    fn over(kind: &str, reason: &str) -> Job {
        let condition = JobCondition {
            r#type: kind.to_owned(),
            status: "True".to_owned(),
            reason: reason.to_owned(),
            last_transition_time: at(130),
            ..JobCondition::default()
        };
        Job {
            conditions: vec![condition],
            ..job()
        }
    }

    fn pod(name: &str, phase: &str, status: ContainerStatus) -> Pod {
        let owner = OwnerReference {
            kind: "Job".to_owned(),
            name: "a".to_owned(),
            uid: "1".to_owned(),
            ..OwnerReference::default()
        };
        Pod {
            name: name.to_owned(),
            phase: phase.to_owned(),
            owner_references: vec![owner],
            containers: vec![ContainerStatus {
                name: "main".to_owned(),
                ..status
            }],
            ..Pod::default()
        }
    }

    fn waits(reason: &str) -> ContainerStatus {
        ContainerStatus {
            waiting: Some(ContainerReason {
                reason: reason.to_owned(),
                message: "why".to_owned(),
            }),
            ..ContainerStatus::default()
        }
    }

    fn ended(exit_code: i32, reason: &str) -> ContainerStatus {
        ContainerStatus {
            terminated: Some(ContainerEnd {
                exit_code,
                reason: reason.to_owned(),
                ..ContainerEnd::default()
            }),
            ..ContainerStatus::default()
        }
    }

    fn told(happening: Option<Happening>) -> Option<(String, String, String)> {
        match happening? {
            Happening::Pod {
                phase,
                reason,
                message,
                ..
            } => Some((phase, reason, message)),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn each_state_of_a_pod_is_told_once() {
        let mut course = Course::of(job());
        let mut set = |phase: &str, status| told(course.set_pod(&pod("a-x", phase, status)));
        let is = |phase: &str, reason: &str, message: &str| {
            Some((phase.to_owned(), reason.to_owned(), message.to_owned()))
        };
        assert_eq!(
            set("Pending", ContainerStatus::default()),
            is("Pending", "", "")
        );
        assert_eq!(set("Pending", ContainerStatus::default()), None);
        assert_eq!(
            set("Pending", waits("ErrImagePull")),
            is("Pending", "ErrImagePull", "why")
        );
        assert_eq!(
            set("Pending", waits("ImagePullBackOff")),
            is("Pending", "ImagePullBackOff", "why")
        );
        assert_eq!(set("Pending", waits("ErrImagePull")), None);
        assert_eq!(
            set("Running", ContainerStatus::default()),
            is("Running", "", "")
        );
        assert_eq!(
            set("Succeeded", ended(0, "Completed")),
            is("Succeeded", "", "")
        );
    }

    #[test]
    fn pods_of_others_are_no_news() {
        let mut course = Course::of(job());
        let mut other = pod("a-x", "Pending", ContainerStatus::default());
        other.owner_references[0].uid = "2".to_owned();
        assert_eq!(course.set_pod(&other), None);
        assert_eq!(course.pods().count(), 0);
        let namesake = Job {
            uid: "2".to_owned(),
            ..over("Complete", "")
        };
        assert_eq!(course.set_job(&namesake), None);
        course.remove_job(&namesake);
        assert_eq!(course.ending(), None);
    }

    #[test]
    fn endings() {
        let ending = |job: &Job| {
            let mut course = Course::of(super::tests::job());
            course.set_job(job);
            course.ending()
        };
        assert_eq!(ending(&job()), None);
        let seconds = Some(30);
        assert_eq!(ending(&over("SuccessCriteriaMet", "")), None);
        assert_eq!(
            ending(&over("Complete", "")),
            Some(Ending::Complete { seconds })
        );
        assert_eq!(
            ending(&over("Failed", "DeadlineExceeded")),
            Some(Ending::Failed {
                seconds,
                reason: "DeadlineExceeded".to_owned(),
                message: String::new(),
            })
        );
        let mut course = Course::of(job());
        course.remove_job(&job());
        assert_eq!(course.ending(), Some(Ending::Gone));
        // One that was deleted after it was over was over.
        course.remove_job(&over("Complete", ""));
        assert_eq!(course.ending(), Some(Ending::Complete { seconds }));
    }

    #[test]
    fn a_job_that_is_suspended() {
        let mut course = Course::of(job());
        let suspended = Job {
            suspend: Some(true),
            ..job()
        };
        assert_eq!(course.set_job(&suspended), Some(Happening::Suspended));
        assert_eq!(course.set_job(&suspended), None);
    }

    #[test]
    fn warnings_about_the_job() {
        let mut course = Course::of(job());
        let mut event = Event {
            r#type: "Warning".to_owned(),
            reason: "FailedCreate".to_owned(),
            message: "exceeded quota".to_owned(),
            involved_object: ObjectReference {
                kind: "Job".to_owned(),
                uid: "1".to_owned(),
                ..ObjectReference::default()
            },
            ..Event::default()
        };
        let warning = Happening::Warning {
            reason: "FailedCreate".to_owned(),
            message: "exceeded quota".to_owned(),
        };
        assert_eq!(course.set_event(&event), Some(warning));
        assert_eq!(course.set_event(&event), None, "once is enough");
        event.message = "other".to_owned();
        event.involved_object.uid = "2".to_owned();
        assert_eq!(course.set_event(&event), None, "of an earlier namesake");
        event.involved_object.uid = "1".to_owned();
        event.reason = "BackoffLimitExceeded".to_owned();
        assert_eq!(course.set_event(&event), None, "the end tells of it");
    }

    #[test]
    fn logs_are_read_once_a_start() {
        let mut course = Course::of(job());
        let mut unread = |phase: &str, status| {
            course.set_pod(&pod("a-x", phase, status));
            course.unread("main").len()
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
        assert_eq!(course.unread("other").len(), 0);
    }

    #[test]
    fn pods_that_ended_unseen() {
        let mut course = Course::of(job());
        let failed = Job { failed: 1, ..job() };
        course.set_job(&failed);
        assert!(course.misses_pods());
        course.set_pod(&pod("a-x", "Failed", ended(1, "Error")));
        assert_eq!(course.unread("main"), ["a-x"]);
        assert!(!course.misses_pods());
    }
}
