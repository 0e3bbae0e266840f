//! Variants of the findings about pods that failed or were rejected.

use kube_model::{ContainerEnd, ContainerRestarts};

use super::Example;
use super::pods::{CRASHES, FAILED, REFUSED};
use super::pods::{at, changed, detail, event, remedy, sibling, silent, waits};

fn ended(exit_code: i32, reason: &str, message: &str, time: &str) -> ContainerEnd {
    ContainerEnd {
        exit_code,
        reason: reason.to_owned(),
        message: message.to_owned(),
        started_at: None,
        finished_at: at(time),
    }
}

/// The pod has failed, and its container is not restarted: `restartPolicy: Never`.
fn never(example: &mut Example, end: ContainerEnd) {
    let pod = &mut example.evidence.pods[0];
    pod.phase = "Failed".to_owned();
    pod.containers[0].restart_count = 0;
    pod.containers[0].waiting = None;
    pod.containers[0].restarts = ContainerRestarts::Never;
    pod.containers[0].terminated = Some(end);
    example.template()["spec"]["template"]["spec"]["restartPolicy"] = "Never".into();
}

#[test]
fn single_pod_failure_is_not_reported() {
    let error = || ended(1, "Error", "", "08:05:00");
    silent(CRASHES, |example| never(example, error()));
    let twice = |example: &mut Example| {
        never(example, error());
        sibling(example, "b4c5d", "08:05:10");
        example.evidence.pods[1].containers[0].terminated =
            Some(ended(127, "Error", "", "08:10:00"));
    };
    assert_texts!(detail(CRASHES, twice), remedy(CRASHES, twice),);
    // If many pods succeed, some may fail.
    silent(CRASHES, |example| {
        twice(example);
        example.evidence.jobs[1].succeeded = 2;
    });
    // The container was restarted, and is running.
    let running = |restarts: i32| {
        move |example: &mut Example| {
            let container = &mut example.evidence.pods[0].containers[0];
            container.waiting = None;
            container.restart_count = restarts;
        }
    };
    silent(CRASHES, running(1));
    assert!(detail(CRASHES, running(2)).contains("; it was restarted 2 times. The memory"));
}

#[test]
fn pods_that_were_evicted_or_never_started_name_the_cause() {
    let evicted = |example: &mut Example| {
        let end = ended(137, "ContainerStatusUnknown", "", "08:05:00");
        never(example, end);
        let pod = &mut example.evidence.pods[0];
        pod.reason = "Evicted".to_owned();
        pod.message = "The node was low on resource: memory. ".to_owned();
        sibling(example, "b4c5d", "07:59:00");
    };
    assert_texts!(detail(CRASHES, evicted), remedy(CRASHES, evicted),);
    let no_command = |example: &mut Example| {
        let message = "exec: \"reindexx\": executable file not found in $PATH: unknown";
        waits(example, "RunContainerError", message);
        example.evidence.pods[0].containers[0].terminated = None;
    };
    insta::assert_snapshot!(detail(CRASHES, no_command));
    let started = |example: &mut Example| {
        let end = ended(128, "StartError", "executable file not found", "08:05:00");
        example.evidence.pods[0].containers[0].terminated = Some(end);
    };
    insta::assert_snapshot!(remedy(CRASHES, started));
}

#[test]
fn failed_container_beside_a_running_one_is_reported() {
    let left_over = |time: &'static str| {
        move |example: &mut Example| {
            never(example, ended(1, "Error", "", time));
            example.evidence.pods[0].phase = "Running".to_owned();
        }
    };
    silent(CRASHES, left_over("08:11:30"));
    insta::assert_snapshot!(detail(CRASHES, left_over("08:05:00")));
}

#[test]
fn rejected_pod_creation_names_the_cause() {
    let pods = "pods \"import-29552160-x2v8p\" is forbidden:";
    let webhook = "failed calling webhook \"policy.example.com\": context deadline exceeded";
    let messages = [
        format!("{pods} exceeded quota: pods, requested: pods=1, used: pods=9, limited: pods=9"),
        format!("{pods} failed quota: memory: must specify limits.memory for: main"),
        format!("{pods} violates PodSecurity \"restricted:latest\": runAsNonRoot != true"),
        format!("{pods} no PriorityClass with name nightly was found"),
        format!("Internal error occurred: {webhook}"),
        "admission webhook \"policy.example.com\" denied the request: no owner".to_owned(),
        "the server is on fire".to_owned(),
    ];
    let found = messages.map(|message| {
        let found = changed(REFUSED, |example| {
            example.evidence.events[0].message =
                format!("(combined from similar events): Error creating: {message}");
        });
        let found = found.unwrap();
        // The pod was never created, so its name is left out.
        let reason = message.split_once(" is forbidden: ");
        let reason = reason.map_or(message.as_str(), |(_, reason)| reason);
        assert_ends!(found.detail, &format!(": {reason}."));
        format!("{}\n  -> {}", found.detail, found.remedy.unwrap().text)
    });
    insta::assert_snapshot!(found.join("\n"));
}

#[test]
fn pods_created_after_the_rejection_end_the_finding() {
    silent(REFUSED, |example| {
        event(example, "SuccessfulCreate", "Created pod: x", "08:25:10");
    });
    silent(REFUSED, |example| {
        let mut pod = super::example(CRASHES).evidence.pods.remove(0);
        let job = &example.evidence.jobs[1];
        pod.namespace = job.namespace.to_string();
        pod.owner_references[0].name.clone_from(&job.name);
        pod.owner_references[0].uid.clone_from(&job.uid);
        pod.creation_timestamp = at("08:25:10");
        pod.containers.clear();
        example.evidence.pods.push(pod);
    });
    silent(REFUSED, |example| example.evidence.jobs[1].active = 1);
    let some = detail(REFUSED, |example| {
        example.template()["spec"]["parallelism"] = 3.into();
        example.evidence.jobs[1].active = 2;
    });
    assert!(some.contains(" import-29552160 cannot create all of its pods: rejected "));
}

#[test]
fn failed_run_without_pods_shows_the_condition_of_the_job() {
    let unread = |example: &mut Example| example.evidence.pods.clear();
    assert_texts!(detail(FAILED, unread), remedy(FAILED, unread),);
    let too_long = |example: &mut Example| {
        unread(example);
        example.template()["spec"]["activeDeadlineSeconds"] = 600.into();
        example.last_job().active_deadline_seconds = Some(600);
        let condition = &mut example.evidence.jobs[2].conditions[0];
        condition.reason = "DeadlineExceeded".into();
        condition.message = "Job was active longer than specified deadline".into();
    };
    // The remedy doubles the deadline.
    let doubled = "\"activeDeadlineSeconds\":1200";
    assert!(remedy(FAILED, too_long).contains(doubled));
    let stopped = ": stopped by activeDeadlineSeconds: 600. Last";
    assert!(detail(FAILED, too_long).contains(stopped));
}
