//! The `Job`.

use std::sync::Arc;

use cronjob_text::duration::whole_second;
use jiff::Timestamp;

use super::meta::{Condition, ObjectReference, OwnerReference};
use super::texts::{SharedText, Texts};
use super::whole::WholeObject;

/// The label that names the queue in which Kueue lets a suspended Job wait for its admission.
pub const QUEUE_LABEL: &str = "kueue.x-k8s.io/queue-name";

/// The annotation that kubectl gives a Job that is created manually from a `CronJob`.
pub(crate) const MANUAL_ANNOTATION: &str = "cronjob.kubernetes.io/instantiate";

/// A Job, by a `CronJob` or manually.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Job {
    pub namespace: SharedText,
    pub name: String,
    pub uid: String,
    pub creation_timestamp: Option<Timestamp>,
    /// When its deletion was asked for.
    pub deletion_timestamp: Option<Timestamp>,
    pub labels: Texts,
    /// The annotations; the scheduled time of a run is among them.
    pub annotations: Texts,
    /// The Jobs of a `CronJob` share them, as far as they were read one after the other.
    pub owner_references: Arc<Vec<OwnerReference>>,
    /// Whether kubectl or a plugin of it created it, by `metadata.managedFields`: only its status was
    /// written by others.
    pub by_kubectl: bool,
    pub suspend: Option<bool>,
    /// `spec.activeDeadlineSeconds`, which its CronJob may have changed since.
    pub active_deadline_seconds: Option<i64>,
    /// `spec.backoffLimit`
    pub backoff_limit: Option<i32>,
    /// `spec.managedBy`; empty if the Job controller creates its pods and writes its status.
    pub managed_by: SharedText,
    /// When the Job controller took it up.
    pub start_time: Option<Timestamp>,
    /// When it succeeded; a Job that failed has none.
    pub completion_time: Option<Timestamp>,
    /// How many of its pods run.
    pub active: i32,
    /// How many of its pods are ready; clusters before 1.24 do not say.
    pub ready: Option<i32>,
    /// How many of its pods succeeded.
    pub succeeded: i32,
    /// How many of its pods failed.
    pub failed: i32,
    pub conditions: Vec<Condition>,
    /// The [fingerprint](super::template_fingerprint) of its template; unknown where few fields were read.
    pub template: Option<String>,
    /// The object with all its fields, where they are needed.
    pub whole: Option<WholeObject>,
}

/// The Job controller as `spec.managedBy` names it.
const JOB_CONTROLLER: &str = "kubernetes.io/job-controller";

/// The controller of another program that `spec.managedBy` names.
pub fn other_controller(managed_by: &str) -> Option<&str> {
    Some(managed_by).filter(|name| !name.is_empty() && *name != JOB_CONTROLLER)
}

impl Job {
    /// The controller of another program that creates its pods and writes its status.
    pub fn other_controller(&self) -> Option<&str> {
        other_controller(&self.managed_by)
    }

    /// As `status.active` lists it.
    pub fn reference(&self) -> ObjectReference {
        ObjectReference {
            kind: "Job".to_owned(),
            namespace: self.namespace.to_string(),
            name: self.name.clone(),
            uid: self.uid.clone(),
        }
    }

    /// The name of the CronJob that owns it.
    pub fn owner(&self) -> Option<&str> {
        let mut owners = self.owner_references.iter();
        let owner =
            owners.find(|owner| owner.kind == "CronJob" && owner.controller == Some(true))?;
        Some(&owner.name)
    }

    /// The condition that it ended with; `None` while it is not finished. As the controller sees it:
    /// `SuccessCriteriaMet` and `FailureTarget` are no end yet.
    pub fn ending(&self) -> Option<&Condition> {
        let mut conditions = self.conditions.iter();
        conditions.find(|condition| {
            condition.status == "True" && JobResult::of_condition(&condition.r#type).is_some()
        })
    }

    /// The condition that decided its result while its pods have not all ended. Up to Kubernetes 1.30 the end follows
    /// immediately; since 1.31 the Job counts as active until the last of them has ended.
    pub fn verdict(&self) -> Option<(JobResult, &Condition)> {
        if self.ending().is_some() {
            return None;
        }
        self.conditions.iter().find_map(|condition| {
            let result = JobResult::of_verdict(&condition.r#type)?;
            (condition.status == "True").then_some((result, condition))
        })
    }

    /// The owner that manages it.
    pub fn controller(&self) -> Option<&OwnerReference> {
        let mut owners = self.owner_references.iter();
        owners.find(|owner| owner.controller == Some(true))
    }

    /// The condition that it failed with.
    pub fn failure(&self) -> Option<&Condition> {
        self.ending()
            .filter(|condition| condition.r#type == JobResult::Failed.condition())
    }

    /// The condition that it failed with, or will fail with when its last pod has ended.
    pub fn decided_failure(&self) -> Option<&Condition> {
        self.failure().or_else(|| {
            let (result, condition) = self.verdict()?;
            (result == JobResult::Failed).then_some(condition)
        })
    }

    /// When it failed, although pods of it may have ended later.
    pub fn failed_at(&self) -> Option<Timestamp> {
        self.decided_failure()?;
        self.decided_at()
    }

    /// How it ended; `None` while it is not finished.
    pub fn result(&self) -> Option<JobResult> {
        JobResult::of_condition(&self.ending()?.r#type)
    }

    /// How it ended, or how it will end when its last pod has ended.
    pub fn decided_result(&self) -> Option<JobResult> {
        self.result().or(self.verdict().map(|(result, _)| result))
    }

    /// When its result was decided, although pods of it may have ended later.
    pub fn decided_at(&self) -> Option<Timestamp> {
        let decisive = self.conditions.iter().filter(|condition| {
            let r#type = &*condition.r#type;
            let result = JobResult::of_verdict(r#type).or(JobResult::of_condition(r#type));
            condition.status == "True" && result.is_some()
        });
        let decided = decisive.filter_map(|condition| condition.last_transition_time);
        decided.min()
    }

    pub fn finished_at(&self) -> Option<Timestamp> {
        let ending = self.ending()?;
        self.completion_time.or(ending.last_transition_time)
    }

    /// Since when it has been suspended; `None` if it is not.
    pub fn suspended_since(&self) -> Option<Timestamp> {
        let mut conditions = self.conditions.iter();
        let suspended = conditions
            .find(|condition| condition.r#type == "Suspended" && condition.status == "True");
        let since = suspended.and_then(|condition| condition.last_transition_time);
        since
            .or(self.creation_timestamp)
            .filter(|_| self.suspend == Some(true))
    }

    /// How long it took from its creation to its end, in seconds.
    pub fn duration_seconds(&self) -> Option<i64> {
        let created = self.creation_timestamp?;
        Some((self.finished_at()?.as_second() - created.as_second()).max(0))
    }

    /// How long it ran, from `status.startTime` to its end, in seconds: the time in which it was suspended
    /// does not count.
    pub fn run_seconds(&self) -> Option<i64> {
        let started = self.start_time.or(self.creation_timestamp)?;
        Some((self.finished_at()?.as_second() - started.as_second()).max(0))
    }

    /// Since when it is running; `None` if its result is decided, if it is suspended, or was not started yet.
    pub fn running_since(&self) -> Option<Timestamp> {
        let is_decided = self.ending().is_some() || self.verdict().is_some();
        let runs = !is_decided && self.suspend != Some(true);
        self.start_time.filter(|_| runs)
    }

    /// Gives it the status that the Job controller gives one that ended.
    pub fn finish(&mut self, result: JobResult, at: Timestamp) {
        let at = whole_second(at);
        self.completion_time = (result == JobResult::Succeeded).then_some(at);
        self.conditions.push(Condition {
            r#type: result.condition().into(),
            status: "True".into(),
            last_transition_time: Some(at),
            ..Condition::default()
        });
    }
}

/// How a Job ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JobResult {
    Succeeded,
    Failed,
}

impl JobResult {
    /// As documents write it.
    pub fn as_str(self) -> &'static str {
        match self {
            JobResult::Succeeded => "succeeded",
            JobResult::Failed => "failed",
        }
    }

    pub fn condition(self) -> &'static str {
        match self {
            JobResult::Succeeded => "Complete",
            JobResult::Failed => "Failed",
        }
    }

    /// What a type of condition says about a Job with pods that have not ended.
    pub fn of_verdict(condition: &str) -> Option<Self> {
        match condition {
            "SuccessCriteriaMet" => Some(JobResult::Succeeded),
            "FailureTarget" => Some(JobResult::Failed),
            _ => None,
        }
    }

    /// What a type of condition says.
    pub fn of_condition(condition: &str) -> Option<Self> {
        let mut results = [JobResult::Succeeded, JobResult::Failed].into_iter();
        results.find(|result| result.condition() == condition)
    }
}
