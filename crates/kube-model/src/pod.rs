//! The pod of a Job, as far as it shows why the Job makes no progress.

use jiff::Timestamp;

use super::meta::{Condition, OwnerReference};
use super::node::{Node, NodeState};

/// A pod, with the fields that show what happened to its Job.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Pod {
    pub namespace: String,
    pub name: String,
    pub uid: String,
    pub creation_timestamp: Option<Timestamp>,
    /// When it should have ended after its deletion was requested: its grace period is over then.
    pub deletion_timestamp: Option<Timestamp>,
    /// What else must be done before it can be removed, without what the Job controller does.
    pub finalizers: Vec<String>,
    pub owner_references: Vec<OwnerReference>,
    /// The node that it is on; empty if it has none yet.
    pub node: String,
    /// How the node is, if it was read.
    pub node_state: Option<NodeState>,
    /// Since when pods can run on its node, if it was read.
    pub node_ready_since: Option<Timestamp>,
    /// `Pending`, `Running`, `Succeeded`, `Failed` or `Unknown`.
    pub phase: String,
    /// Why it is in this phase, in one word, such as `Evicted`.
    pub reason: String,
    /// Why it is in this phase, in a sentence.
    pub message: String,
    /// What is and is not true of it, such as `PodScheduled`.
    pub conditions: Vec<Condition>,
    /// How its containers are, the init containers first.
    pub containers: Vec<ContainerStatus>,
}

/// The finalizer that each pod of a Job has until the Job controller has counted it.
const JOB_TRACKING: &str = "batch.kubernetes.io/job-tracking";

impl Pod {
    /// Leaves out the finalizer of the Job controller.
    #[must_use]
    pub fn with_foreign_finalizers(mut self) -> Self {
        self.finalizers.retain(|name| name != JOB_TRACKING);
        self.finalizers.shrink_to_fit();
        self
    }

    /// The names of the Jobs that own it.
    pub fn owning_jobs(&self) -> impl Iterator<Item = &str> {
        let owners = self.owner_references.iter();
        let jobs = owners.filter(|owner| owner.kind == "Job");
        jobs.map(|owner| owner.name.as_str())
    }

    /// Whether something is true of it, and since when: its condition of a type, such as `PodScheduled`.
    pub fn condition(&self, r#type: &str) -> Option<&Condition> {
        let mut conditions = self.conditions.iter();
        conditions.find(|condition| condition.r#type == r#type)
    }

    /// Since when its node has not reported that it runs: then the node controller sets the condition `Ready`, and
    /// leaves the containers as the kubelet reported them last.
    pub fn silent_since(&self) -> Option<Timestamp> {
        let ready = self.condition("Ready")?;
        let mut own = self.containers.iter();
        let all_run = own.all(|one| one.kind != ContainerKind::Ordinary || one.is_running);
        // The kubelet gives a reason.
        let by_controller = ready.status == "False" && ready.reason.is_empty();
        let is_lost = self.reason == "NodeLost";
        (self.phase == "Running" && (is_lost || by_controller && all_run))
            .then_some(ready.last_transition_time)?
    }

    /// Whether its node may be the reason that it does not end, or is silent.
    pub fn is_node_in_question(&self) -> bool {
        let is_stuck = self.deletion_timestamp.is_some() && !self.has_ended();
        !self.node.is_empty() && (is_stuck || self.silent_since().is_some())
    }

    /// Sets how its node is, if it is among these.
    pub fn set_node(&mut self, nodes: &[Node]) {
        let mut nodes = nodes.iter();
        if let Some(node) = nodes.find(|node| node.name == self.node) {
            self.node_state = Some(node.state());
            self.node_ready_since = node.ready_since();
        }
    }

    /// Whether its containers have ended for good.
    pub fn has_ended(&self) -> bool {
        matches!(self.phase.as_str(), "Succeeded" | "Failed")
    }
}

/// A container of a pod, and its state.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ContainerStatus {
    pub name: String,
    pub image: String,
    /// The image that runs, with its digest: the tag in `image` may have been moved since.
    pub image_id: String,
    /// `resources.limits.memory`, which a `LimitRange` may have set.
    pub memory_limit: Option<String>,
    /// Whether it is an ordinary container of the pod.
    pub kind: ContainerKind,
    /// Whether it is started again when it ends.
    pub restarts: ContainerRestarts,
    /// How often it was started again.
    pub restart_count: i32,
    /// Why it does not run yet.
    pub waiting: Option<ContainerReason>,
    pub is_running: bool,
    /// Since when it has been running.
    pub running_since: Option<Timestamp>,
    /// How it ended, or how it ended the last time.
    pub terminated: Option<ContainerEnd>,
}

/// The part that a container has in its pod.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ContainerKind {
    /// The pod finishes when all of these have ended.
    #[default]
    Ordinary,
    /// It ends before the ordinary containers start.
    Init,
    /// An init container with `restartPolicy: Always`, which is stopped after the ordinary containers.
    NativeSidecar,
}

/// When a container is started again after it has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ContainerRestarts {
    #[default]
    Unknown,
    /// `restartPolicyRules` decide by exit code.
    ByRules,
    /// `restartPolicy: Never`
    Never,
    /// `restartPolicy: OnFailure`
    OnFailure,
    /// `restartPolicy: Always`
    Always,
}

impl ContainerRestarts {
    fn of(policy: &str) -> Self {
        match policy {
            "Never" => Self::Never,
            "OnFailure" => Self::OnFailure,
            "Always" => Self::Always,
            _ => Self::Unknown,
        }
    }
}

impl ContainerStatus {
    /// The digest of the image that runs: `sha256:` and 64 digits. An ID without a repository is one of the runtime.
    pub fn digest(&self) -> Option<&str> {
        Some(self.image_id.rsplit_once('@')?.1)
    }

    /// How it ended, unless it is running or will be started again by a kubelet that waits.
    pub fn end(&self) -> Option<&ContainerEnd> {
        let is_over = !self.is_running && self.waiting.is_none();
        self.terminated.as_ref().filter(|_| is_over)
    }
}

/// What the status of a pod leaves out about its containers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PodContainers {
    /// `restartPolicy` of the pod; empty if the spec was not read.
    pub restart_policy: String,
    pub init: Vec<ContainerSpec>,
    pub ordinary: Vec<ContainerSpec>,
}

/// A container in the spec of a pod.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ContainerSpec {
    pub name: String,
    pub image: String,
    /// `resources.limits.memory`
    pub memory_limit: Option<String>,
    /// Its own `restartPolicy`; empty if it has none.
    pub restart_policy: String,
    /// Whether it has `restartPolicyRules`.
    pub has_restart_rules: bool,
}

impl PodContainers {
    /// The statuses of the init containers and of the ordinary ones, completed from the spec.
    pub fn complete(
        &self,
        init: impl IntoIterator<Item = ContainerStatus>,
        ordinary: impl IntoIterator<Item = ContainerStatus>,
    ) -> Vec<ContainerStatus> {
        let init = init.into_iter().map(|status| {
            let status = self.of_spec(status, &self.init);
            // Its own policy: that of the pod does not make it a sidecar.
            let own = self.init.iter().find(|spec| spec.name == status.name);
            let is_sidecar = own.is_some_and(|spec| spec.restart_policy == "Always");
            let kind = if is_sidecar {
                ContainerKind::NativeSidecar
            } else {
                ContainerKind::Init
            };
            ContainerStatus { kind, ..status }
        });
        let ordinary = ordinary
            .into_iter()
            .map(|status| self.of_spec(status, &self.ordinary));
        init.chain(ordinary).collect()
    }

    fn of_spec(&self, status: ContainerStatus, specs: &[ContainerSpec]) -> ContainerStatus {
        let spec = specs.iter().find(|spec| spec.name == status.name);
        let own = spec.map_or("", |spec| &spec.restart_policy);
        let policy = if own.is_empty() {
            &self.restart_policy
        } else {
            own
        };
        let has_rules = spec.is_some_and(|spec| spec.has_restart_rules);
        let restarts = if has_rules {
            ContainerRestarts::ByRules
        } else {
            ContainerRestarts::of(policy)
        };
        // A runtime may report the digest instead of the name.
        let image = spec.map(|spec| spec.image.clone());
        ContainerStatus {
            restarts,
            memory_limit: spec.and_then(|spec| spec.memory_limit.clone()),
            image: image
                .filter(|image| !image.is_empty())
                .unwrap_or(status.image),
            ..status
        }
    }
}

/// Why a container does not run yet.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ContainerReason {
    /// In one word, such as `ImagePullBackOff`.
    pub reason: String,
    pub message: String,
}

/// How and when a container ended.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ContainerEnd {
    pub exit_code: i32,
    /// In one word, such as `OOMKilled` or `Error`.
    pub reason: String,
    pub message: String,
    pub started_at: Option<Timestamp>,
    pub finished_at: Option<Timestamp>,
}
