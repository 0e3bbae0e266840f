//! The node of a pod, as far as it shows whether the pod still runs, and whether it can end.

use jiff::Timestamp;

use super::meta::Condition;

/// A node with its conditions.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Node {
    pub name: String,
    pub creation_timestamp: Option<Timestamp>,
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
        match self.ready() {
            Some(ready) if ready.status == "True" => NodeState::Ready,
            ready => NodeState::NotReady(ready.and_then(|ready| ready.last_transition_time)),
        }
    }

    fn ready(&self) -> Option<&Condition> {
        let mut conditions = self.conditions.iter();
        conditions.find(|condition| condition.r#type == "Ready")
    }

    /// Since when pods can run on it: since it was created, or last became ready.
    pub(super) fn ready_since(&self) -> Option<Timestamp> {
        let ready = self.ready().filter(|ready| ready.status == "True");
        let ready = ready.and_then(|ready| ready.last_transition_time);
        ready.max(self.creation_timestamp)
    }
}
