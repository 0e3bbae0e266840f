//! The node of a pod, as far as it shows whether the pod still runs, and whether it can end.

use jiff::Timestamp;

use super::meta::Condition;

/// A node with its conditions.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Node {
    pub name: String,
    pub conditions: Vec<Condition>,
}

/// What is known of the node of a pod.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NodeState {
    Ready,
    /// Since when its kubelet does not report, or reports a problem.
    NotReady(Option<Timestamp>),
    /// It no longer exists.
    Gone,
    /// It could not be read, usually because that is forbidden.
    Unreadable,
}

impl Node {
    pub fn state(&self) -> NodeState {
        let mut conditions = self.conditions.iter();
        let ready = conditions.find(|condition| condition.r#type == "Ready");
        match ready {
            Some(ready) if ready.status == "True" => NodeState::Ready,
            ready => NodeState::NotReady(ready.and_then(|ready| ready.last_transition_time)),
        }
    }
}
