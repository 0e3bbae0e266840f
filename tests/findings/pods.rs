//! The other forms of the findings about pods: an example, changed in one place.

use cronjob_doctor::diagnose::Finding;
use cronjob_doctor::model::{ContainerEnd, ContainerReason, Event, JobCondition, Pod};
use jiff::Timestamp;

use super::{Example, codes, example};

const IMAGE: &str = "pod-image-not-pulled";
const NODE: &str = "pod-not-scheduled";
const CONFIG: &str = "pod-config-missing";
const CRASHES: &str = "pod-crashes";
const REFUSED: &str = "pods-refused";
const FAILED: &str = "last-run-failed";

fn at(time: &str) -> Option<Timestamp> {
    Some(format!("2026-03-10T{time}Z").parse().unwrap())
}

/// What one rule finds in an example after it was changed.
fn changed(code: &str, change: impl FnOnce(&mut Example)) -> Option<Finding> {
    let mut example = example(code);
    change(&mut example);
    let mut found = example.findings().into_iter();
    found.find(|finding| finding.code == code)
}

fn detail(code: &str, change: impl FnOnce(&mut Example)) -> String {
    changed(code, change).map_or_else(String::new, |finding| finding.detail)
}

fn remedy(code: &str, change: impl FnOnce(&mut Example)) -> String {
    let finding = changed(code, change);
    finding.and_then(|finding| finding.remedy).unwrap()
}

fn silent(code: &str, change: impl FnOnce(&mut Example)) {
    assert_eq!(changed(code, change), None);
}

/// The newest Job of an example ends.
fn end(example: &mut Example, r#type: &str, reason: &str, time: &str) {
    let job = example.evidence.jobs.last_mut().unwrap();
    job.active = 0;
    job.conditions = vec![JobCondition {
        r#type: r#type.to_owned(),
        status: "True".to_owned(),
        reason: reason.to_owned(),
        last_transition_time: at(time),
        ..JobCondition::default()
    }];
    let status = &mut example.evidence.cron_jobs[0].object.status;
    status.active.clear();
}

/// Another pod of the same Job.
fn sibling(example: &mut Example, suffix: &str, created: &str) {
    let pod = example.evidence.pods[0].clone();
    let (job, _) = pod.name.rsplit_once('-').unwrap();
    example.evidence.pods.push(Pod {
        name: format!("{job}-{suffix}"),
        uid: String::new(),
        creation_timestamp: at(created),
        ..pod
    });
}

/// An event like the first one of the example.
fn event(example: &mut Example, reason: &str, message: &str, time: &str) {
    let event = Event {
        reason: reason.to_owned(),
        message: message.to_owned(),
        first_timestamp: at(time),
        last_timestamp: at(time),
        event_time: None,
        count: Some(1),
        series: None,
        ..example.evidence.events[0].clone()
    };
    example.evidence.events.push(event);
}

fn waits(example: &mut Example, reason: &str, message: &str) {
    example.evidence.pods[0].containers[0].waiting = Some(ContainerReason {
        reason: reason.to_owned(),
        message: message.to_owned(),
    });
}

fn ended(exit_code: i32, reason: &str, message: &str, time: &str) -> Option<ContainerEnd> {
    Some(ContainerEnd {
        exit_code,
        reason: reason.to_owned(),
        message: message.to_owned(),
        finished_at: at(time),
    })
}

#[test]
fn why_no_image_came_is_in_the_events_of_older_releases() {
    let bare = |example: &mut Example| {
        let message = "Back-off pulling image \"registry.example.com/thumbnails:2.0\"";
        waits(example, "ImagePullBackOff", message);
    };
    let said = "ImagePullBackOff: registry.example.com/thumbnails:2.0: not found. Until";
    assert!(detail(IMAGE, bare).contains(said));
    let without_events = detail(IMAGE, |example| {
        bare(example);
        example.evidence.events.clear();
    });
    assert_eq!(
        without_events,
        "thumbnails-29552160 gets no image for its pod thumbnails-29552160-7xk2p since \
         2026-03-10T08:00:00Z (40m ago), container main: ImagePullBackOff: Back-off pulling image \
         \"registry.example.com/thumbnails:2.0\". Until it ends, Forbid lets nothing else start."
    );
}

#[test]
fn events_tell_where_pods_were_not_read() {
    let unread = |example: &mut Example| example.evidence.pods.clear();
    assert_eq!(
        detail(IMAGE, unread),
        "thumbnails-29552160 gets no image for its pod thumbnails-29552160-7xk2p since \
         2026-03-10T08:00:02Z (39m ago, 12 times): registry.example.com/thumbnails:2.0: not found. \
         Until it ends, Forbid lets nothing else start."
    );
    assert_eq!(
        remedy(IMAGE, unread),
        "kubectl -n shop get events --field-selector \
         involvedObject.kind=Pod,involvedObject.name=thumbnails-29552160-7xk2p  # the Job keeps its \
         template; after correcting the CronJob: kubectl -n shop delete job thumbnails-29552160"
    );
    assert!(detail(NODE, unread).starts_with(
        "train-29551800 finds no node for its pod train-29551800-q9d4m since \
         2026-03-10T02:00:00Z (7h ago, 84 times): 0/6 nodes"
    ));
    assert!(
        detail(CONFIG, unread).ends_with("94 times): Error: secret \"invoices-db\" not found.")
    );
    // A pod that exists tells more than events about one that does not.
    silent(IMAGE, |example| {
        let pod = &mut example.evidence.pods[0];
        pod.name = "thumbnails-29552160-other".to_owned();
        pod.containers[0].waiting = None;
    });
}

#[test]
fn events_about_what_is_over_tell_nothing() {
    silent(IMAGE, |example| {
        example.evidence.pods.clear();
        event(example, "Pulled", "Successfully pulled image", "08:37:00");
    });
    silent(NODE, |example| {
        example.evidence.pods.clear();
        event(example, "Scheduled", "Successfully assigned", "08:58:00");
    });
    // Nobody has tried for more than an hour.
    silent(IMAGE, |example| {
        example.evidence.pods.clear();
        example.now = at("09:36:12").unwrap();
    });
}

#[test]
fn a_job_that_failed_and_whose_pods_are_gone() {
    let mut example = example(IMAGE);
    example.evidence.pods.clear();
    end(&mut example, "Failed", "DeadlineExceeded", "08:39:00");
    let status = &mut example.evidence.cron_jobs[0].object.status;
    status.last_schedule_time = at("08:30:00");
    let found = example.findings();
    assert_eq!(codes(&found), [IMAGE, FAILED]);
    assert_eq!(
        found[0].detail,
        "thumbnails-29552160 got no image for its pod thumbnails-29552160-7xk2p from \
         2026-03-10T08:00:02Z on (39m ago, 12 times): registry.example.com/thumbnails:2.0: not found."
    );
    assert_eq!(
        found[0].remedy.as_deref(),
        Some(
            "kubectl -n shop get events --field-selector \
             involvedObject.kind=Pod,involvedObject.name=thumbnails-29552160-7xk2p"
        )
    );
}

#[test]
fn nothing_is_said_of_what_has_succeeded_since() {
    for code in [IMAGE, NODE, CONFIG, CRASHES, REFUSED] {
        silent(code, |example| end(example, "Complete", "", "08:10:00"));
        // Failed, and the next run succeeded.
        silent(code, |example| {
            let mut next = example.evidence.jobs[0].clone();
            next.creation_timestamp = at("08:05:00");
            next.completion_time = at("08:09:00");
            end(example, "Failed", "DeadlineExceeded", "08:04:00");
            example.evidence.jobs.push(next);
        });
    }
}

#[test]
fn pods_of_a_job_and_jobs_are_counted() {
    let many = detail(IMAGE, |example| {
        sibling(example, "b4c5d", "08:00:10");
        sibling(example, "e6f7g", "08:00:20");
    });
    assert!(many.starts_with(
        "thumbnails-29552160 gets no image for 3 of its pods, such as thumbnails-29552160-e6f7g, \
         since 2026-03-10T08:00:02Z (39m ago, 12 times), container main: ImagePullBackOff: "
    ));
    let older = detail(IMAGE, |example| {
        // The run of 07:45 hangs, too.
        let older = &mut example.evidence.jobs[0];
        older.conditions.clear();
        older.completion_time = None;
        let (name, uid) = (older.name.clone(), older.uid.clone());
        sibling(example, "b4c5d", "07:45:00");
        let pod = &mut example.evidence.pods[1];
        pod.owner_references[0].name = name;
        pod.owner_references[0].uid = uid;
    });
    assert!(older.starts_with("thumbnails-29552160 gets no image for its pod "));
    assert!(older.contains("not found. An older Job is held up in the same way. Until it ends"));
}

#[test]
fn pods_of_a_namesake_are_not_its_own() {
    silent(CRASHES, |example| {
        example.evidence.pods[0].owner_references[0].uid = "another".to_owned();
    });
}

#[test]
fn what_a_blocked_run_waits_for_is_not_guessed_where_it_is_known() {
    let found = example(IMAGE).findings();
    assert_eq!(
        found[1].detail,
        "The run of 2026-03-10T08:30:00Z waits for thumbnails-29552160, which is there for 40m \
         (since 2026-03-10T08:00:00Z). 1 slot before it got no Job. None of its pods is ready."
    );
}

#[test]
fn a_node_takes_a_minute() {
    silent(NODE, |example| example.now = at("02:00:59").unwrap());
    let after = changed(NODE, |example| example.now = at("02:01:00").unwrap());
    assert!(after.is_some());
}

#[test]
fn what_the_scheduler_says() {
    let said = |message: &str| {
        let detail = detail(NODE, |example| {
            example.evidence.pods[0].conditions[0].message = message.to_owned();
        });
        let (_, said) = detail.split_once(", 84 times): ").unwrap();
        said.to_owned()
    };
    let no_room = "0/3 nodes are available: 3 Insufficient memory";
    let victims = "preemption: 0/3 nodes are available: 3 No preemption victims found.";
    // 1.36, 1.25, 1.20, and the words of somebody else's scheduler.
    assert_eq!(
        said(&format!(
            "{no_room}. no new claims to deallocate, {victims}"
        )),
        format!("{no_room}.")
    );
    assert_eq!(
        said(&format!("{no_room}. {victims}")),
        format!("{no_room}.")
    );
    assert_eq!(said(&format!("{no_room}.")), format!("{no_room}."));
    assert_eq!(said("queue is full"), "queue is full.");
    let no_more = detail(NODE, |example| {
        let message = "pod didn't trigger scale-up: 1 max node group size reached";
        event(example, "NotTriggerScaleUp", message, "08:59:00");
    });
    assert!(no_more.ends_with(" The autoscaler has no node to add that would do."));
}

#[test]
fn a_gate_is_no_lack_of_nodes() {
    silent(NODE, |example| {
        let condition = &mut example.evidence.pods[0].conditions[0];
        condition.reason = "SchedulingGated".to_owned();
        example.evidence.events.clear();
    });
}

#[test]
fn a_volume_without_its_secret_is_told_of_by_events_only() {
    let mounts = |example: &mut Example, message: &str| {
        waits(example, "ContainerCreating", "");
        example.evidence.events[1].reason = "FailedMount".to_owned();
        example.evidence.events[1].message = message.to_owned();
    };
    let missing =
        "MountVolume.SetUp failed for volume \"config\" : configmap \"invoices\" not found";
    let detail = detail(CONFIG, |example| mounts(example, missing));
    assert_eq!(
        detail,
        format!(
            "invoices-29552160 cannot make a container for its pod invoices-29552160-m2w6z since \
             2026-03-10T08:00:01Z (19m ago, 94 times): {missing}."
        )
    );
    // Nothing is missing: the kubelet has not seen it yet.
    silent(CONFIG, |example| {
        let late = "MountVolume.SetUp failed for volume \"config\" : failed to sync configmap cache: \
                    timed out waiting for the condition";
        mounts(example, late);
    });
}

#[test]
fn what_is_not_missing_is_mended_in_the_cronjob() {
    let as_root = |example: &mut Example| {
        let message = "container has runAsNonRoot and image will run as root";
        waits(example, "CreateContainerConfigError", message);
    };
    assert!(remedy(CONFIG, as_root).ends_with(
        "  # the Job keeps its template; after correcting the CronJob: kubectl -n billing delete job \
         invoices-29552160"
    ));
}

/// The pod has failed, and is not started again: `restartPolicy` Never.
fn never(example: &mut Example, end: Option<ContainerEnd>) {
    let pod = &mut example.evidence.pods[0];
    pod.phase = "Failed".to_owned();
    pod.containers[0].restart_count = 0;
    pod.containers[0].waiting = None;
    pod.containers[0].terminated = end;
    let template = &mut example.evidence.cron_jobs[0].object.spec.job_template;
    template["spec"]["template"]["spec"]["restartPolicy"] = "Never".into();
}

#[test]
fn one_failure_is_what_retries_are_for() {
    let error = || ended(1, "Error", "", "08:05:00");
    silent(CRASHES, |example| never(example, error()));
    let twice = |example: &mut Example| {
        never(example, error());
        sibling(example, "b4c5d", "08:05:10");
        example.evidence.pods[1].containers[0].terminated = ended(127, "Error", "", "08:10:00");
    };
    assert_eq!(
        detail(CRASHES, twice),
        "reindex-29552160 does not get through. 2 of its pods failed; the last, \
         reindex-29552160-b4c5d, ended with exit code 127 (Error: the command was not found) in \
         container main at 2026-03-10T08:10:00Z (2m ago)."
    );
    assert_eq!(
        remedy(CRASHES, twice),
        "kubectl -n shop logs reindex-29552160-b4c5d -c main"
    );
    // Where many succeed, some may fail.
    silent(CRASHES, |example| {
        twice(example);
        example.evidence.jobs[1].succeeded = 2;
    });
    // Started again once, and running.
    let running = |restarts: i32| {
        move |example: &mut Example| {
            let container = &mut example.evidence.pods[0].containers[0];
            container.waiting = None;
            container.restart_count = restarts;
        }
    };
    silent(CRASHES, running(1));
    assert!(detail(CRASHES, running(2)).contains("; it was restarted 2 times. Its memory"));
}

#[test]
fn pods_that_were_stopped_or_never_started() {
    let evicted = |example: &mut Example| {
        never(
            example,
            ended(137, "ContainerStatusUnknown", "", "08:05:00"),
        );
        let pod = &mut example.evidence.pods[0];
        pod.reason = "Evicted".to_owned();
        pod.message = "The node was low on resource: memory. ".to_owned();
        sibling(example, "b4c5d", "07:59:00");
    };
    assert_eq!(
        detail(CRASHES, evicted),
        "reindex-29552160 does not get through. 2 of its pods failed; the last, \
         reindex-29552160-t5b8r, failed: Evicted: The node was low on resource: memory."
    );
    assert_eq!(
        remedy(CRASHES, evicted),
        "kubectl -n shop describe pod reindex-29552160-t5b8r"
    );
    let no_command = |example: &mut Example| {
        let message = "exec: \"reindexx\": executable file not found in $PATH: unknown";
        waits(example, "RunContainerError", message);
        example.evidence.pods[0].containers[0].terminated = None;
    };
    assert_eq!(
        detail(CRASHES, no_command),
        "reindex-29552160 does not get through. Its pod reindex-29552160-t5b8r cannot start container \
         main: RunContainerError: exec: \"reindexx\": executable file not found in $PATH: unknown; it \
         was restarted 5 times."
    );
    let started = |example: &mut Example| {
        let end = ended(128, "StartError", "executable file not found", "08:05:00");
        example.evidence.pods[0].containers[0].terminated = end;
    };
    assert_eq!(
        remedy(CRASHES, started),
        "kubectl -n shop describe pod reindex-29552160-t5b8r"
    );
}

#[test]
fn a_pod_that_only_its_other_containers_keep() {
    let left_over = |time: &'static str| {
        move |example: &mut Example| {
            never(example, ended(1, "Error", "", time));
            example.evidence.pods[0].phase = "Running".to_owned();
        }
    };
    silent(CRASHES, left_over("08:11:30"));
    assert_eq!(
        detail(CRASHES, left_over("08:05:00")),
        "reindex-29552160 does not get through. Its pod reindex-29552160-t5b8r ended with exit code 1 \
         (Error) in container main at 2026-03-10T08:05:00Z (7m ago). The pod does not end while \
         another of its containers runs."
    );
}

#[test]
fn why_pods_are_refused() {
    let pods = "pods \"import-29552160-x2v8p\" is forbidden:";
    let describe = "kubectl -n batch describe job import-29552160";
    let webhook = "failed calling webhook \"policy.example.com\": context deadline exceeded";
    let cases = [
        (
            format!(
                "{pods} exceeded quota: pods, requested: pods=1, used: pods=9, limited: pods=9"
            ),
            "The quota of the namespace is used up.",
            "kubectl -n batch describe resourcequota",
        ),
        (
            format!("{pods} failed quota: memory: must specify limits.memory for: main"),
            "The quota of the namespace asks for requests or limits that the pods do not have.",
            "kubectl -n batch describe resourcequota,limitrange",
        ),
        (
            format!("{pods} violates PodSecurity \"restricted:latest\": runAsNonRoot != true"),
            "The namespace does not allow such pods.",
            "kubectl get namespace batch --show-labels",
        ),
        (
            format!("{pods} no PriorityClass with name nightly was found"),
            "The priority class of the pods does not exist.",
            "kubectl get priorityclasses",
        ),
        (
            format!("Internal error occurred: {webhook}"),
            "An admission webhook cannot be reached.",
            "kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations",
        ),
        (
            "admission webhook \"policy.example.com\" denied the request: no owner".to_owned(),
            "An admission check refuses the pods.",
            describe,
        ),
        (
            "the server is on fire".to_owned(),
            "The API server refuses the pods.",
            describe,
        ),
    ];
    for (message, why, look) in cases {
        let found = changed(REFUSED, |example| {
            example.evidence.events[0].message =
                format!("(combined from similar events): Error creating: {message}");
        });
        let found = found.unwrap();
        assert_eq!(
            found.detail,
            format!(
                "{why} import-29552160 cannot create its pods since 2026-03-10T08:00:00Z (25m ago); \
                 it was refused 31 times, last at 2026-03-10T08:25:03Z: {message}."
            )
        );
        assert_eq!(found.remedy.as_deref(), Some(look));
    }
}

#[test]
fn pods_that_came_after_all() {
    silent(REFUSED, |example| {
        event(example, "SuccessfulCreate", "Created pod: x", "08:25:10");
    });
    silent(REFUSED, |example| {
        let mut pod = super::example(CRASHES).evidence.pods.remove(0);
        let job = &example.evidence.jobs[1];
        pod.namespace.clone_from(&job.namespace);
        pod.owner_references[0].name.clone_from(&job.name);
        pod.owner_references[0].uid.clone_from(&job.uid);
        pod.creation_timestamp = at("08:25:10");
        pod.containers.clear();
        example.evidence.pods.push(pod);
    });
    let some = detail(REFUSED, |example| example.evidence.jobs[1].active = 2);
    assert!(some.contains(" import-29552160 cannot create all of its pods since "));
}

#[test]
fn a_failed_run_without_its_pods() {
    let unread = |example: &mut Example| example.evidence.pods.clear();
    assert_eq!(
        detail(FAILED, unread),
        "backup-29551830 failed at 2026-03-10T03:15:20Z, 5h44m ago: BackoffLimitExceeded: Job has \
         reached the specified backoff limit (backoffLimit is 1). The last success was at \
         2026-03-09T02:41:05Z, 30h ago."
    );
    assert_eq!(
        remedy(FAILED, unread),
        "kubectl -n db logs job/backup-29551830 --all-containers --prefix"
    );
    let too_long = detail(FAILED, |example| {
        unread(example);
        let template = &mut example.evidence.cron_jobs[0].object.spec.job_template;
        template["spec"]["activeDeadlineSeconds"] = 600.into();
        let condition = &mut example.evidence.jobs[2].conditions[0];
        condition.reason = "DeadlineExceeded".to_owned();
        condition.message = "Job was active longer than specified deadline".to_owned();
    });
    assert!(too_long.contains(
        ": DeadlineExceeded: Job was active longer than specified deadline (activeDeadlineSeconds is \
         600). The last"
    ));
}
