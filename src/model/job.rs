//! The `Job`.

use jiff::Timestamp;

use super::meta::OwnerReference;
use super::texts::Texts;

/// The label that names the queue in which Kueue lets a suspended Job wait for its admission.
pub const QUEUE_LABEL: &str = "kueue.x-k8s.io/queue-name";

/// The annotation that kubectl gives a Job that is created manually from a `CronJob`.
pub const MANUAL_ANNOTATION: &str = "cronjob.kubernetes.io/instantiate";

/// A Job, by a `CronJob` or by hand.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Job {
    /// The namespace.
    pub namespace: String,
    /// The name.
    pub name: String,
    /// The identity.
    pub uid: String,
    /// When it was created.
    pub creation_timestamp: Option<Timestamp>,
    /// When its deletion was asked for.
    pub deletion_timestamp: Option<Timestamp>,
    /// The labels.
    pub labels: Texts,
    /// The annotations; the slot of a run is among them.
    pub annotations: Texts,
    /// What it belongs to.
    pub owner_references: Vec<OwnerReference>,
    /// Whether kubectl or a plugin of it created it, by `metadata.managedFields`: nobody else wrote
    /// anything of it but its status.
    pub by_kubectl: bool,
    /// Whether no pods are started.
    pub suspend: Option<bool>,
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
    /// What became of it.
    pub conditions: Vec<JobCondition>,
}

impl Job {
    /// The condition that it ended with; `None` while it is not finished. As the controller sees it:
    /// `SuccessCriteriaMet` and `FailureTarget` are no end yet.
    pub fn ending(&self) -> Option<&JobCondition> {
        let is_end = |kind: &str| matches!(kind, "Complete" | "Failed");
        let mut conditions = self.conditions.iter();
        conditions.find(|condition| is_end(&condition.r#type) && condition.status == "True")
    }

    /// Gives it the status that the Job controller gives one that ended.
    pub fn finish(&mut self, succeeded: bool, at: Timestamp) {
        // The API keeps whole seconds.
        let at = Timestamp::from_second(at.as_second()).unwrap_or(at);
        self.completion_time = succeeded.then_some(at);
        self.conditions.push(JobCondition {
            r#type: if succeeded { "Complete" } else { "Failed" }.to_owned(),
            status: "True".to_owned(),
            last_transition_time: Some(at),
            ..JobCondition::default()
        });
    }
}

/// Something that became true of a Job, such as `Complete` or `Failed`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct JobCondition {
    /// What it is about.
    pub r#type: String,
    /// `True`, `False` or `Unknown`.
    pub status: String,
    /// Why, in one word.
    pub reason: String,
    /// Why, in a sentence.
    pub message: String,
    /// Since when.
    pub last_transition_time: Option<Timestamp>,
}
