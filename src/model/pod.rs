//! The pod of a Job, as far as it shows why the Job makes no progress.

use jiff::Timestamp;

use super::meta::OwnerReference;

/// A pod.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Pod {
    /// The namespace.
    pub namespace: String,
    /// The name.
    pub name: String,
    /// The identity.
    pub uid: String,
    /// When it was created.
    pub creation_timestamp: Option<Timestamp>,
    /// What it belongs to.
    pub owner_references: Vec<OwnerReference>,
    /// `Pending`, `Running`, `Succeeded`, `Failed` or `Unknown`.
    pub phase: String,
    /// Why it is in this phase, in one word, such as `Evicted`.
    pub reason: String,
    /// Why it is in this phase, in a sentence.
    pub message: String,
    /// What is and is not true of it, such as `PodScheduled`.
    pub conditions: Vec<PodCondition>,
    /// How its containers are, the init containers first.
    pub containers: Vec<ContainerStatus>,
}

/// Something that is or is not true of a pod.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PodCondition {
    /// What it is about.
    pub r#type: String,
    /// `True`, `False` or `Unknown`.
    pub status: String,
    /// Why, in one word, such as `Unschedulable`.
    pub reason: String,
    /// Why, in a sentence.
    pub message: String,
    /// Since when.
    pub last_transition_time: Option<Timestamp>,
}

/// How a container is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ContainerStatus {
    /// The name of the container.
    pub name: String,
    /// How often it was started again.
    pub restart_count: i32,
    /// Why it does not run yet.
    pub waiting: Option<ContainerReason>,
    /// Since when it runs.
    pub running_since: Option<Timestamp>,
    /// How it ended, or how it ended the last time.
    pub terminated: Option<ContainerEnd>,
}

/// Why a container does not run yet.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ContainerReason {
    /// In one word, such as `ImagePullBackOff`.
    pub reason: String,
    /// In a sentence.
    pub message: String,
}

/// How a container ended.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ContainerEnd {
    /// What its process returned.
    pub exit_code: i32,
    /// In one word, such as `OOMKilled` or `Error`.
    pub reason: String,
    /// In a sentence.
    pub message: String,
    /// When it started.
    pub started_at: Option<Timestamp>,
    /// When it ended.
    pub finished_at: Option<Timestamp>,
}
