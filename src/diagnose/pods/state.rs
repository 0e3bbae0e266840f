//! How a pod is, in a word and a sentence.

use schemars::JsonSchema;
use serde::Serialize;

use crate::model::Pod;

/// The state of a pod.
#[derive(Clone, Copy, Debug, JsonSchema, PartialEq, Eq, Serialize)]
#[schemars(rename = "Pod")]
pub struct PodState<'a> {
    /// Its name.
    pub name: &'a str,
    /// The Job that it belongs to.
    pub job: Option<&'a str>,
    /// Its phase, as in `status.phase`.
    pub phase: &'a str,
    /// Why it is in that state, in one word; null where nothing is wrong.
    pub reason: Option<&'a str>,
    /// The same in a sentence.
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
            name: &pod.name,
            phase: &pod.phase,
            job: owner
                .filter(|owner| owner.kind == "Job")
                .map(|owner| owner.name.as_str())
                .next(),
            reason: Some(reason).filter(|reason| !reason.is_empty()),
            message: Some(message).filter(|message| !message.is_empty()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{ContainerEnd, ContainerReason, ContainerStatus, PodCondition};

    fn state(pod: &Pod) -> (Option<&str>, Option<&str>) {
        let state = PodState::of(pod);
        (state.reason, state.message)
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

    #[test]
    fn what_waits_says_more_than_what_ended() {
        let mut pod = Pod {
            containers: vec![ended(0, "Completed"), ended(1, "Error")],
            ..Pod::default()
        };
        assert_eq!(state(&pod), (Some("Error"), None));
        pod.containers.push(ContainerStatus {
            waiting: Some(ContainerReason {
                reason: "CrashLoopBackOff".to_owned(),
                message: "back-off".to_owned(),
            }),
            ..ContainerStatus::default()
        });
        assert_eq!(state(&pod), (Some("CrashLoopBackOff"), Some("back-off")));
        pod.reason = "Evicted".to_owned();
        assert_eq!(state(&pod), (Some("Evicted"), None));
    }

    #[test]
    fn without_a_node_there_are_no_containers() {
        let condition = PodCondition {
            r#type: "PodScheduled".to_owned(),
            status: "False".to_owned(),
            reason: "Unschedulable".to_owned(),
            message: "0/3 nodes".to_owned(),
            ..PodCondition::default()
        };
        let pod = Pod {
            conditions: vec![condition],
            ..Pod::default()
        };
        assert_eq!(state(&pod), (Some("Unschedulable"), Some("0/3 nodes")));
    }

    #[test]
    fn where_all_is_well_there_is_nothing_to_say() {
        let pod = Pod {
            phase: "Running".to_owned(),
            containers: vec![ended(0, "Completed"), ContainerStatus::default()],
            ..Pod::default()
        };
        assert_eq!(state(&pod), (None, None));
    }
}
