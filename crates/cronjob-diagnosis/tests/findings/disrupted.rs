//! Disrupted pods: what the findings say, and which remedies help.

use kube_model::{Condition, Event, ObjectReference};

use super::Example;
use super::pods::{CRASHES, FAILED};
use super::pods::{at, changed, condition, detail, end, remedy};
use serde_json::{Value, json};

/// Every reason that Kubernetes sets, with its message, and one of another client.
const REASONS: [(&str, &str); 7] = [
    (
        "PreemptionByScheduler",
        "default-scheduler: preempting to accommodate a higher priority pod",
    ),
    ("EvictionByEvictionAPI", "Eviction API: evicting"),
    (
        "DeletionByTaintManager",
        "Taint manager: deleting due to NoExecute taint",
    ),
    ("DeletionByPodGC", "PodGC: node no longer exists"),
    (
        "TerminationByKubelet",
        "Pod was terminated in response to imminent node shutdown.",
    ),
    ("SpotInterruption", ""),
    ("PreemptionByKubeScheduler", ""),
];

/// The last pod of the failed Job was created at 02:52:50, and ended at 03:15:18.
fn disrupted(reason: &'static str, message: &'static str) -> impl Fn(&mut Example) {
    disrupted_at(reason, message, "03:15:00")
}

fn disrupted_at(
    reason: &'static str,
    message: &'static str,
    time: &'static str,
) -> impl Fn(&mut Example) {
    move |example| {
        let pod = example.last_pod();
        pod.containers[0].terminated.as_mut().unwrap().exit_code = 143;
        pod.conditions.push(Condition {
            message: message.into(),
            ..condition("DisruptionTarget", reason, time)
        });
    }
}

fn on_failure(example: &mut Example) {
    example.template()["spec"]["template"]["spec"]["restartPolicy"] = "OnFailure".into();
}

fn protected(example: &mut Example) {
    example.template()["spec"]["template"]["metadata"] = json!({"annotations": {
        "karpenter.sh/do-not-disrupt": "true",
        "cluster-autoscaler.kubernetes.io/safe-to-evict": "false",
    }});
}

/// The patches in a remedy.
fn patches(remedy: &str) -> Vec<Value> {
    let mut parts = remedy.split(" -p '");
    parts.next();
    parts
        .map(|part| serde_json::from_str(part.split('\'').next().unwrap()).unwrap())
        .collect()
}

fn ignoring(others: &[Value]) -> Value {
    let ignore = json!({"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]});
    let rules: Vec<&Value> = std::iter::once(&ignore).chain(others).collect();
    json!({"spec": {"jobTemplate": {"spec": {"podFailurePolicy": {"rules": rules}}}}})
}

fn protecting() -> Value {
    let annotations = json!({
        "karpenter.sh/do-not-disrupt": "true",
        "cluster-autoscaler.kubernetes.io/safe-to-evict": "false",
    });
    let pods = json!({"template": {"metadata": {"annotations": annotations}}});
    json!({"spec": {"jobTemplate": {"spec": pods}}})
}

#[test]
fn failed_run_names_what_stopped_its_pod() {
    let mut texts = Vec::new();
    for (reason, message) in REASONS {
        let change = disrupted(reason, message);
        let text = detail(FAILED, &change);
        assert_lacks!(text, "exited with code");
        texts.push(format!("{reason}\n{text}\n-> {}", remedy(FAILED, &change)));
    }
    insta::assert_snapshot!(texts.join("\n\n"));
}

#[test]
fn eviction_by_the_kubelet_names_the_low_resource() {
    let change = |example: &mut Example| {
        let message =
            "The node was low on resource: memory. Threshold quantity: 100Mi, available: 80Mi. ";
        disrupted("TerminationByKubelet", message)(example);
        example.last_pod().reason = "Evicted".to_owned();
    };
    assert_texts!(detail(FAILED, change), remedy(FAILED, change),);
}

#[test]
fn only_remedies_that_help_are_given() {
    for (reason, message) in REASONS {
        let evicted = reason == "EvictionByEvictionAPI";
        let change = disrupted(reason, message);
        let both = [ignoring(&[]), protecting()];
        let expected = if evicted { &both[..] } else { &both[..1] };
        assert_eq!(patches(&remedy(FAILED, &change)), expected, "{reason}");
        // A pod failure policy requires restartPolicy: Never.
        let remedies = remedy(FAILED, |example| {
            change(example);
            on_failure(example);
        });
        let expected = if evicted { &both[1..] } else { &[] };
        assert_eq!(patches(&remedies), expected, "{reason}");
        // Retries do not help against a deadline.
        let remedies = remedy(FAILED, |example| {
            change(example);
            end(example, "Failed", "DeadlineExceeded", "03:15:20");
        });
        assert_eq!(patches(&remedies), expected, "{reason}");
    }
    let (reason, message) = REASONS[1];
    let remedies = remedy(FAILED, |example| {
        disrupted(reason, message)(example);
        protected(example);
    });
    assert_eq!(patches(&remedies), [ignoring(&[])]);
    let nothing = |example: &mut Example| {
        disrupted(reason, message)(example);
        protected(example);
        on_failure(example);
    };
    let expected = "kubectl describe pod backup-29551830-hz7pn -n db  # save the logs first: ";
    assert_starts!(remedy(FAILED, nothing), expected);
}

#[test]
fn rules_of_a_pod_failure_policy_are_kept() {
    let codes = json!({"operator": "In", "values": [143]});
    let exit_codes = json!({"action": "FailJob", "onExitCodes": codes});
    let condition = json!({"type": "DisruptionTarget", "status": "True"});
    let ignore = json!({"action": "Ignore", "onPodConditions": [condition]});
    let with = |rules: Value, failure: &'static str| {
        let (reason, message) = REASONS[0];
        remedy(FAILED, move |example| {
            disrupted(reason, message)(example);
            end(example, "Failed", failure, "03:15:20");
            example.template()["spec"]["podFailurePolicy"] = json!({"rules": rules});
        })
    };
    let limit = "BackoffLimitExceeded";
    let added = with(json!([exit_codes]), limit);
    let expected = [ignoring(std::slice::from_ref(&exit_codes))];
    assert_eq!(patches(&added), expected);
    assert_eq!(patches(&with(json!([ignore]), limit)), [Value::Null; 0]);
    // The rule that failed the Job comes first.
    // Later releases add its name or index to the reason.
    for failure in [
        "PodFailurePolicy",
        "PodFailurePolicy_terminated",
        "PodFailurePolicy_0",
    ] {
        let moved = with(json!([exit_codes, ignore]), failure);
        let expected = [ignoring(std::slice::from_ref(&exit_codes))];
        assert_eq!(patches(&moved), expected, "{failure}");
    }
}

#[test]
fn pod_that_failed_before_the_eviction_failed_on_its_own() {
    let (reason, message) = REASONS[1];
    let text = detail(FAILED, disrupted_at(reason, message, "03:15:24"));
    assert_contains!(text, "hz7pn, exited with code 143 ");
    let text = detail(FAILED, disrupted_at(reason, message, "03:15:22"));
    assert_contains!(text, "hz7pn, was evicted through ");
    let text = detail(FAILED, |example| {
        disrupted(reason, message)(example);
        let pod = example.last_pod();
        pod.conditions.last_mut().unwrap().status = "False".into();
    });
    assert_contains!(text, "hz7pn, exited with code 143 ");
}

/// The Job fails as soon as the pod is being deleted, and not only once its containers have ended.
#[test]
fn pod_that_is_still_terminating_is_named() {
    let text = detail(FAILED, |example| {
        disrupted(REASONS[1].0, REASONS[1].1)(example);
        let pod = example.last_pod();
        pod.phase = "Running".to_owned();
        pod.containers[0].terminated = None;
    });
    let of_two = " 2 of its pods failed, 1 because of a disruption; the last, ";
    assert_contains!(text, of_two);
    assert_contains!(text, "hz7pn, was evicted through the eviction API");
}

#[test]
fn disrupted_run_that_succeeded_is_not_reported() {
    let found = changed(FAILED, |example| {
        disrupted(REASONS[1].0, REASONS[1].1)(example);
        end(example, "Complete", "", "03:15:20");
    });
    assert_eq!(found, None);
}

#[test]
fn running_job_with_repeated_disruptions_names_the_last_one() {
    let change = |example: &mut Example| {
        let pod = &mut example.evidence.pods[0];
        pod.phase = "Failed".to_owned();
        pod.containers[0].waiting = None;
        pod.containers[0].restart_count = 0;
        let end = pod.containers[0].terminated.as_mut().unwrap();
        end.reason = "Error".to_owned();
        end.finished_at = at("08:05:10");
        let (reason, message) = REASONS[0];
        disrupted_at(reason, message, "08:05:00")(example);
        super::pods::sibling(example, "b4c5d", "08:01:00");
    };
    assert_texts!(detail(CRASHES, change), remedy(CRASHES, change),);
}

/// The pod's own deadline is not the Job's, and such a pod is replaced.
#[test]
fn pod_that_exceeded_its_own_deadline_says_which_one() {
    let text = detail(FAILED, |example| {
        let pod = example.last_pod();
        pod.reason = "DeadlineExceeded".to_owned();
        pod.message = "Pod was active on the node longer than the specified deadline".to_owned();
    });
    let said = "failed: DeadlineExceeded: Pod was active on the node longer than the specified \
                deadline (activeDeadlineSeconds of the pod template). Last success";
    assert_contains!(text, said);
}

/// From Kubernetes 1.31 on, a Job fails only once its pods are gone. Then events remain for an hour.
#[test]
fn events_name_what_stopped_a_pod_that_is_gone() {
    let with = |reason: &'static str, message: &'static str, component: &'static str| {
        move |example: &mut Example| {
            let pod = example.evidence.pods.last().unwrap().clone();
            example.evidence.pods.clear();
            example.now = "2026-03-10T03:40:00Z".parse().unwrap();
            example.evidence.events = vec![Event {
                namespace: pod.namespace.clone(),
                name: "event".to_owned(),
                reason: reason.to_owned(),
                message: message.to_owned(),
                reporting_component: component.to_owned(),
                involved_object: ObjectReference {
                    kind: "Pod".to_owned(),
                    namespace: pod.namespace,
                    name: pod.name,
                    uid: pod.uid,
                },
                last_timestamp: at("03:15:00"),
                ..Event::default()
            }];
        }
    };
    let by_pod = "Preempted by pod 6a1b8a2f-6e8e-4d0a-9f5e-0a3d1c6b7e11 on node node-1";
    let low = "The node was low on resource: memory.";
    let mut texts = Vec::new();
    for (reason, message, component) in [
        ("Preempted", by_pod, "default-scheduler"),
        (
            "TaintManagerEviction",
            "Marking for deletion Pod db/backup-29551830-hz7pn",
            "taint-eviction-controller",
        ),
        ("Evicted", low, "kubelet"),
        ("Evicted", "Evicted pod: Underutilized", "karpenter"),
        (
            "ScaleDown",
            "deleting pod for node scale down",
            "cluster-autoscaler",
        ),
    ] {
        let change = with(reason, message, component);
        let (text, remedy) = (detail(FAILED, change), remedy(FAILED, change));
        let evicted = matches!(component, "karpenter" | "cluster-autoscaler");
        let both = [ignoring(&[]), protecting()];
        let expected = if evicted { &both[..] } else { &both[..1] };
        assert_eq!(patches(&remedy), expected, "{component}");
        let (_, story) = text.split_once(" (backoffLimit: 1). ").unwrap();
        texts.push(story.to_owned());
    }
    insta::assert_snapshot!(texts.join("\n"));
    // Pods of a Job that has failed are deleted, too, when their node gets a taint.
    let (marked, component) = ("Marking for deletion Pod db/a", "taint-eviction-controller");
    let text = detail(FAILED, |example| {
        with("TaintManagerEviction", marked, component)(example);
        example.evidence.events[0].last_timestamp = at("03:35:00");
    });
    assert_contains!(text, " (backoffLimit: 1). Last success: ");
    // Other events do not show that the pod was disrupted.
    for (reason, message, component) in [
        ("Killing", "Stopping container main", "kubelet"),
        (
            "TaintManagerEviction",
            "Cancelling deletion of Pod db/a",
            "taint-eviction-controller",
        ),
        ("Evicted", "anything", "another-controller"),
    ] {
        let text = detail(FAILED, with(reason, message, component));
        assert_contains!(text, " (backoffLimit: 1). Last success: ");
    }
}
