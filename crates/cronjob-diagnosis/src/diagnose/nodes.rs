//! Pods whose node does not respond, so that it is unknown whether they run.

use jiff::Timestamp;

use super::{CauseKind, Facts, FailureCause, Input, local, one_line};
use crate::kubectl::Command;
use cronjob_text::text::Text;
use kube_model::{Job, NodeState, Pod};

/// A pod that was running when its node was last heard of.
#[derive(Clone, Copy)]
pub(super) struct SilentPod<'a> {
    pub(super) pod: &'a Pod,
    /// When the node controller noticed.
    pub(super) since: Timestamp,
}

impl SilentPod<'_> {
    /// `its node node-7 has not responded since 19:32:46`
    pub(super) fn in_words(self, facts: &Facts<'_>) -> Text {
        let node = one_line(&self.pod.node);
        match self.pod.node_state {
            Some(NodeState::Gone) => text!("its node {} no longer exists", node),
            Some(NodeState::NotReady(Some(since))) => {
                text!(
                    "its node {} has been NotReady since {}",
                    node,
                    local(facts, since)
                )
            }
            _ => text!(
                "its node {} has not responded since {}",
                node,
                local(facts, self.since)
            ),
        }
    }
}

impl<'a> Input<'a> {
    /// The newest pod of an undecided Job, if the nodes of all its pods are silent.
    pub(super) fn silent_pod(&self, job: &Job) -> Option<SilentPod<'a>> {
        if job.decided_result().is_some() {
            return None;
        }
        let pods = self.pods_of(job).into_iter();
        let mut silent = pods.filter(|pod| !pod.has_ended()).map(|pod| {
            let since = pod.silent_since()?;
            // The node is back, and the pod follows.
            let is_back = pod.node_state == Some(NodeState::Ready);
            (!is_back).then_some(SilentPod { pod, since })
        });
        let newest = silent.next()??;
        silent.all(|other| other.is_some()).then_some(newest)
    }

    /// That a pod does not run or end because of its node.
    pub(super) fn node_as_cause(
        &self,
        pod: &Pod,
        since: Option<Timestamp>,
    ) -> Option<FailureCause> {
        let since = match pod.node_state {
            Some(NodeState::NotReady(Some(since))) => Some(since),
            _ => since,
        };
        let node = Some(&pod.node).filter(|node| !node.is_empty())?;
        let show = self.kubectl.command("get node").name(node);
        Some(FailureCause::new(self, CauseKind::Node, node, since, show))
    }

    /// Nothing ends a process on a node that does not respond: the node first, then the pod, never the Job.
    pub(super) fn bring_back_node(&self, pod: &Pod) -> Command {
        let describe = self.kubectl("describe pod").name(&pod.name);
        let node = self.kubectl.command("get node").name(&pod.node);
        let first = match pod.node_state {
            _ if pod.node.is_empty() => describe,
            Some(NodeState::Ready) => describe.comment("its node is Ready"),
            Some(NodeState::NotReady(_)) => {
                node.comment("the pod continues or ends when the node comes back")
            }
            Some(NodeState::Gone) => describe,
            Some(NodeState::Unreadable) | None => {
                node.comment("if it is NotReady: the pod ends when the node comes back")
            }
        };
        let force = self.kubectl("delete pod").name(&pod.name);
        let force = force.with("--force --grace-period=0");
        let condition = match pod.node_state {
            Some(NodeState::Gone) => "the old process may still run",
            _ => "only if the node is gone for good, because the old process may still run",
        };
        first.or(condition, force)
    }
}

impl Facts<'_> {
    /// Why it is unknown whether a Job runs: `its node node-7 has not responded since 19:32:46`
    pub(crate) fn silence_of(&self, job: &Job) -> Option<Text> {
        Some(self.input.silent_pod(job)?.in_words(self))
    }

    /// Where a pod is, and how its node is: ` on node-7, which has been NotReady since 19:30:12`
    pub(super) fn on_node(&self, pod: &Pod) -> Text {
        if pod.node.is_empty() {
            return Text::default();
        }
        let on = text!(" on {}", one_line(&pod.node));
        match pod.node_state {
            Some(NodeState::NotReady(Some(since))) => {
                text!(
                    "{}, which has been NotReady since {}",
                    on,
                    local(self, since)
                )
            }
            Some(NodeState::NotReady(None)) => text!("{}, which is NotReady", on),
            Some(NodeState::Gone) => text!("{}, which no longer exists", on),
            Some(NodeState::Ready) => text!("{}, which is Ready", on),
            Some(NodeState::Unreadable) | None => on,
        }
    }
}
