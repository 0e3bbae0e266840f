//! Pods that something else stopped: the scheduler, an eviction, a taint, or the kubelet.
//!
//! The condition `DisruptionTarget` names it, and events do where the pod is gone: most disrupted pods are
//! deleted before their Job counts as failed. The exit code of such a pod says nothing about its work.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::super::{Facts, Input, one_line};
use crate::kubectl::Command;
use cronjob_text::duration::human;
use cronjob_text::text::Text;
use kube_model::{Event, Job, Pod};

/// The clocks of a node and of the API server may differ by this many seconds.
const CLOCKS: i64 = 5;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DisruptedBy {
    /// The scheduler, for a pod with a higher priority.
    Scheduler,
    /// A client of the eviction API: `kubectl drain`, an autoscaler, the descheduler.
    EvictionApi,
    /// The controller that deletes pods from nodes with a `NoExecute` taint.
    TaintManager,
    /// The controller that deletes the pods of nodes that no longer exist.
    PodGc,
    /// The kubelet, because its node runs low on a resource.
    KubeletEviction,
    /// The kubelet, because its node shuts down, for example.
    Kubelet,
    /// Something that sets a reason of its own.
    Other,
}

/// Why something else stopped a pod.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Disruption<'a> {
    pub(crate) pod: &'a str,
    /// Whether the pod was read, and not only an event about it.
    is_seen: bool,
    created: Option<Timestamp>,
    by: DisruptedBy,
    /// Why, in one word, such as `EvictionByEvictionAPI`.
    pub(crate) reason: &'a str,
    message: &'a str,
    pub(crate) at: Option<Timestamp>,
}

impl<'a> Disruption<'a> {
    /// What stopped a pod; `None` if the pod ended on its own.
    pub(crate) fn of(pod: &'a Pod) -> Option<Self> {
        let condition = pod.condition("DisruptionTarget");
        let condition =
            condition.filter(|found| found.status == "True" && pod.phase != "Succeeded")?;
        let by = match &*condition.reason {
            // The earlier name is that of 1.26.
            "PreemptionByScheduler" | "PreemptionByKubeScheduler" => DisruptedBy::Scheduler,
            "EvictionByEvictionAPI" => DisruptedBy::EvictionApi,
            "DeletionByTaintManager" => DisruptedBy::TaintManager,
            "DeletionByPodGC" => DisruptedBy::PodGc,
            "TerminationByKubelet" if pod.reason == "Evicted" => DisruptedBy::KubeletEviction,
            "TerminationByKubelet" => DisruptedBy::Kubelet,
            _ => DisruptedBy::Other,
        };
        let disruption = Disruption {
            pod: &pod.name,
            is_seen: true,
            created: pod.creation_timestamp,
            by,
            reason: &condition.reason,
            message: &condition.message,
            at: condition.last_transition_time,
        };
        (!disruption.came_after_the_end_of(pod)).then_some(disruption)
    }

    /// What an event about a pod reports to have stopped it.
    fn of_event(event: &'a Event) -> Option<Self> {
        let says = |words: &str| event.message.starts_with(words);
        let by = match event.reason.as_str() {
            "Preempted" if says("Preempted by ") => DisruptedBy::Scheduler,
            "TaintManagerEviction" if says("Marking for deletion ") => DisruptedBy::TaintManager,
            "Evicted" if event.reporting_component == "kubelet" => DisruptedBy::KubeletEviction,
            // Of Karpenter, and of the Cluster Autoscaler.
            "Evicted" if says("Evicted pod") => DisruptedBy::EvictionApi,
            "ScaleDown" if says("deleting pod ") => DisruptedBy::EvictionApi,
            _ => return None,
        };
        Some(Disruption {
            pod: &event.involved_object.name,
            is_seen: false,
            created: None,
            by,
            reason: &event.reason,
            message: &event.message,
            at: event.last_seen(),
        })
    }

    /// What stopped the last disrupted pod of a Job whose pods are gone, according to events about them.
    pub(crate) fn of_events(input: &Input<'a>, job: &Job) -> Option<Self> {
        let decided = job.decided_at();
        // Pods that have ended are deleted, too, when their node gets a taint.
        let is_later = |event: &Event| {
            let times = event.first_seen().or(event.last_seen()).zip(decided);
            times.is_some_and(|(seen, decided)| decided.as_second() + CLOCKS < seen.as_second())
        };
        let events = input.events_of_pods(job).into_iter();
        let events = events.filter(|event| !is_later(event));
        let reported = events.filter_map(Disruption::of_event);
        reported.max_by_key(|disruption| disruption.at)
    }

    /// Whether the pod had failed before: the eviction API also accepts a pod that has ended.
    fn came_after_the_end_of(&self, pod: &Pod) -> bool {
        let ends = pod.containers.iter();
        let mut ends = ends.filter_map(|container| container.terminated.as_ref());
        let last = ends.try_fold(Timestamp::MIN, |last, end| Some(last.max(end.finished_at?)));
        // The kubelet leaves pods alone that have ended.
        let by_kubelet = matches!(self.by, DisruptedBy::Kubelet | DisruptedBy::KubeletEviction);
        let can_be_late = pod.phase == "Failed" && !by_kubelet;
        let last = last.filter(|last| *last != Timestamp::MIN).zip(self.at);
        can_be_late && last.is_some_and(|(last, at)| last.as_second() + CLOCKS < at.as_second())
    }

    /// `was evicted by the kubelet at T (3m ago), 12m after it was created: The node was low on resource: memory`
    pub(crate) fn sentence(&self, facts: &Facts<'_>) -> Text {
        let (verb, why) = self.in_short();
        let mut text = Text::from(verb);
        if let Some(at) = self.at {
            text += text!(" at {}", facts.past_time(at));
            if let Some(created) = self.created {
                let age = human((at.as_second() - created.as_second()).max(0));
                text += text!(", {} after it was created", age);
            }
        }
        text += why;
        if self.by == DisruptedBy::Other {
            text += text!(": {}", one_line(self.reason));
        }
        let message = one_line(self.message);
        let message = message.trim_end_matches(['.', ' ']);
        if !message.is_empty() {
            text += text!(": {}", message);
        }
        text
    }

    /// `was evicted by the kubelet`, and what that is often caused by
    pub(crate) fn in_short(&self) -> (&'static str, &'static str) {
        match self.by {
            DisruptedBy::Scheduler => ("was preempted by the scheduler", ""),
            DisruptedBy::EvictionApi if self.is_seen => (
                "was evicted through the eviction API",
                ", for example by a drain or an autoscaler",
            ),
            // The event is one of an autoscaler.
            DisruptedBy::EvictionApi => {
                ("was evicted through the eviction API", ", by an autoscaler")
            }
            DisruptedBy::TaintManager => {
                ("was deleted", ", because its node has a NoExecute taint")
            }
            DisruptedBy::PodGc => ("was deleted", ", because its node no longer exists"),
            DisruptedBy::KubeletEviction => ("was evicted by the kubelet", ""),
            DisruptedBy::Kubelet => ("was stopped by the kubelet", ""),
            DisruptedBy::Other => ("was disrupted", ""),
        }
    }

    /// What helps against it in later Jobs. `failure` is the reason of the Job's failure, if it has failed.
    pub(crate) fn remedy(&self, facts: &Facts<'_>, failure: Option<&str>) -> Command {
        let describe = || facts.input.show_pod(self.pod, self.is_seen);
        let protect = self.protect(facts);
        if let Some(ignore) = ignore_disruptions(facts, failure) {
            let ignore = ignore.comment(
                "later Jobs then replace a disrupted pod without counting it towards backoffLimit",
            );
            return match (protect, self.advice()) {
                (Some(protect), _) => ignore.or("to prevent evictions by autoscalers", protect),
                (None, Some(advice)) => ignore.correction(advice),
                (None, None) => ignore,
            };
        }
        match (protect, self.advice()) {
            (Some(protect), _) => protect.comment(
                "Karpenter and the Cluster Autoscaler then do not evict pods of later Jobs",
            ),
            (None, Some(advice)) => describe().correction(advice),
            (None, None) => describe(),
        }
    }

    /// Sets the annotations that autoscalers respect, unless the template has them.
    fn protect(&self, facts: &Facts<'_>) -> Option<Command> {
        if self.by != DisruptedBy::EvictionApi {
            return None;
        }
        let template = &facts.input.cron_job.spec.job_template;
        let annotations = template.pointer("/spec/template/metadata/annotations");
        let is_set = |(name, value): &(&str, &str)| {
            annotations.and_then(|annotations| annotations.get(name)?.as_str()) == Some(*value)
        };
        if PROTECTION.iter().all(is_set) {
            return None;
        }
        let annotations: Value = PROTECTION.iter().copied().collect();
        let pods = json!({ "template": { "metadata": { "annotations": annotations } } });
        Some(facts.patch(&json!({ "jobTemplate": { "spec": pods } })))
    }

    /// What prevents it, if that cannot be written as a command.
    fn advice(&self) -> Option<&'static str> {
        match self.by {
            DisruptedBy::Scheduler => Some(
                "to prevent preemption, set priorityClassName in the pod template to a class with a \
                 higher value",
            ),
            DisruptedBy::TaintManager => Some(
                "a toleration in the pod template prevents this if the node itself still works",
            ),
            DisruptedBy::KubeletEviction => Some(
                "the kubelet first evicts pods that use more than they request: set \
                 resources.requests to what the pod uses",
            ),
            _ => None,
        }
    }
}

/// The annotations of a pod that keep Karpenter and the Cluster Autoscaler from evicting it.
const PROTECTION: [(&str, &str); 2] = [
    ("karpenter.sh/do-not-disrupt", "true"),
    ("cluster-autoscaler.kubernetes.io/safe-to-evict", "false"),
];

/// Makes later Jobs ignore disruptions, if that would have helped and is possible: a pod failure policy
/// requires `restartPolicy: Never`.
fn ignore_disruptions(facts: &Facts<'_>, failure: Option<&str>) -> Option<Command> {
    let spec = &facts.input.cron_job.spec;
    if spec.restart_policy() != Some("Never") {
        return None;
    }
    let rules = spec.job_template.pointer("/spec/podFailurePolicy/rules");
    let rules = rules.and_then(Value::as_array);
    let rules = rules.map_or(&[][..], Vec::as_slice);
    // Older versions require the status.
    let disrupted = json!({ "type": "DisruptionTarget", "status": "True" });
    let ignore = json!({ "action": "Ignore", "onPodConditions": [disrupted] });
    // The first rule that matches counts, and may be another one.
    let helps = match failure {
        Some("DeadlineExceeded") => false,
        Some("PodFailurePolicy") => true,
        _ => !rules.iter().any(ignores_disruptions),
    };
    if !helps {
        return None;
    }
    let others = rules.iter().filter(|rule| !ignores_disruptions(rule));
    let rules: Vec<&Value> = std::iter::once(&ignore).chain(others).collect();
    let policy = json!({ "podFailurePolicy": { "rules": rules } });
    Some(facts.patch(&json!({ "jobTemplate": { "spec": policy } })))
}

/// Whether a rule of a pod failure policy ignores all disrupted pods.
fn ignores_disruptions(rule: &Value) -> bool {
    let conditions = rule.get("onPodConditions").and_then(Value::as_array);
    let mut conditions = conditions.into_iter().flatten();
    rule.get("action").is_some_and(|action| action == "Ignore")
        && conditions.any(|condition| {
            let text = |field: &str| condition.get(field).and_then(Value::as_str);
            text("type") == Some("DisruptionTarget")
                && matches!(text("status"), None | Some("" | "True"))
        })
}
