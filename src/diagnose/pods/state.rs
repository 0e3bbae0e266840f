//! How a pod is, in a word and a sentence.

use crate::model::Pod;

/// How a pod is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PodState<'a> {
    /// The pod.
    pub pod: &'a Pod,
    /// The name of the Job that it belongs to.
    pub job: Option<&'a str>,
    /// Why it is as it is, in one word; `None` where all is well.
    pub reason: Option<&'a str>,
    /// Why, in a sentence.
    pub message: Option<&'a str>,
}

impl<'a> PodState<'a> {
    /// How a pod is: what its first container that waits or failed says, or else the pod itself.
    pub fn of(pod: &'a Pod) -> Self {
        let waiting = pod.containers.iter().filter_map(|container| {
            let waiting = container.waiting.as_ref()?;
            Some((waiting.reason.as_str(), waiting.message.as_str()))
        });
        let ended = pod.containers.iter().filter_map(|container| {
            let end = container.terminated.as_ref()?;
            (end.exit_code != 0).then_some((end.reason.as_str(), end.message.as_str()))
        });
        let unscheduled = pod.conditions.iter().filter_map(|condition| {
            (condition.r#type == "PodScheduled" && condition.status == "False")
                .then_some((condition.reason.as_str(), condition.message.as_str()))
        });
        let own = [(pod.reason.as_str(), pod.message.as_str())].into_iter();
        let mut why = own.chain(waiting).chain(ended).chain(unscheduled);
        let (reason, message) = why
            .find(|(reason, _)| !reason.is_empty())
            .unwrap_or_default();
        let owner = pod.owner_references.iter();
        PodState {
            pod,
            job: owner
                .filter(|owner| owner.kind == "Job")
                .map(|owner| owner.name.as_str())
                .next(),
            reason: Some(reason).filter(|reason| !reason.is_empty()),
            message: Some(message).filter(|message| !message.is_empty()),
        }
    }
}
