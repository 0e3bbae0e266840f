//! Variants of the findings about waiting pods: an example with one change.

use cronjob_diagnosis::diagnose::Finding;
use jiff::Timestamp;
use kube_model::{Condition, ContainerReason, Event, Pod};

use super::{Example, codes, example};

const IMAGE: &str = "pod-image-pull-fails";
const NODE: &str = "pod-not-scheduled";
const CONFIG: &str = "pod-config-missing";
pub(crate) const CRASHES: &str = "pod-crashes";
pub(crate) const REFUSED: &str = "pod-creation-rejected";
pub(crate) const FAILED: &str = "last-run-failed";

pub(crate) fn at(time: &str) -> Option<Timestamp> {
    format!("2026-03-10T{time}Z").parse().ok()
}

/// What one rule finds in an example after it was changed.
pub(crate) fn changed(code: &str, change: impl FnOnce(&mut Example)) -> Option<Finding> {
    let mut example = example(code);
    change(&mut example);
    example.found(code)
}

/// What one rule finds in an example after it was changed, at another time of the day.
pub(crate) fn changed_at(
    code: &str,
    time: &str,
    change: impl FnOnce(&mut Example),
) -> Option<Finding> {
    changed(code, |example| {
        example.now = at(time).unwrap();
        change(example);
    })
}

pub(crate) fn detail(code: &str, change: impl FnOnce(&mut Example)) -> String {
    changed(code, change).map_or_else(String::new, |finding| finding.detail.to_string())
}

pub(crate) fn remedy(code: &str, change: impl FnOnce(&mut Example)) -> String {
    let finding = changed(code, change);
    finding.and_then(|finding| finding.remedy).unwrap().text
}

pub(crate) fn silent(code: &str, change: impl FnOnce(&mut Example)) {
    assert_eq!(changed(code, change), None);
}

/// Ends the newest Job of an example.
pub(crate) fn end(example: &mut Example, r#type: &str, reason: &str, time: &str) {
    let job = example.last_job();
    job.active = 0;
    job.conditions = vec![condition(r#type, reason, time)];
    example.cron_job().status.active.clear();
}

/// A condition that holds since a time of the day.
pub(crate) fn condition(r#type: &str, reason: &str, time: &str) -> Condition {
    Condition {
        r#type: r#type.into(),
        status: "True".into(),
        reason: reason.into(),
        last_transition_time: at(time),
        ..Condition::default()
    }
}

/// Adds another pod of the same Job.
pub(crate) fn sibling(example: &mut Example, suffix: &str, created: &str) {
    let pod = example.evidence.pods[0].clone();
    let (job, _) = pod.name.rsplit_once('-').unwrap();
    example.evidence.pods.push(Pod {
        name: format!("{job}-{suffix}"),
        uid: String::new(),
        creation_timestamp: at(created),
        ..pod
    });
}

/// Adds an event like the first one of the example.
pub(crate) fn event(example: &mut Example, reason: &str, message: &str, time: &str) {
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

pub(crate) fn waits(example: &mut Example, reason: &str, message: &str) {
    example.evidence.pods[0].containers[0].waiting = Some(ContainerReason {
        reason: reason.to_owned(),
        message: message.to_owned(),
    });
}

#[test]
fn image_pull_error_of_older_releases_is_read_from_events() {
    let bare = |example: &mut Example| {
        let message = "Back-off pulling image \"registry.example.com/thumbnails:2.0\"";
        waits(example, "ImagePullBackOff", message);
    };
    let said = "ImagePullBackOff: registry.example.com/thumbnails:2.0: not found.";
    assert!(detail(IMAGE, bare).contains(said));
    let without_events = detail(IMAGE, |example| {
        bare(example);
        example.evidence.events.clear();
    });
    insta::assert_snapshot!(without_events);
}

#[test]
fn events_are_used_if_pods_were_not_read() {
    let unread = |example: &mut Example| example.evidence.pods.clear();
    assert_texts!(detail(IMAGE, unread), remedy(IMAGE, unread),);
    assert!(detail(NODE, unread).starts_with(
        "train-29551800 cannot get a node for its pod train-29551800-q9d4m since \
         Tue 2026-03-10 02:00 UTC (7h ago, 84 times): 0/6 nodes"
    ));
    let missing = "94 times): Error: secret \"invoices-db\" not found. No other run";
    assert!(detail(CONFIG, unread).contains(missing));
    // A pod that exists is better evidence than events about one that does not.
    silent(IMAGE, |example| {
        let pod = &mut example.evidence.pods[0];
        pod.name = "thumbnails-29552160-other".to_owned();
        pod.containers[0].waiting = None;
    });
}

#[test]
fn events_about_problems_that_are_over_are_ignored() {
    silent(IMAGE, |example| {
        example.evidence.pods.clear();
        event(example, "Pulled", "Successfully pulled image", "08:37:00");
    });
    silent(NODE, |example| {
        example.evidence.pods.clear();
        event(example, "Scheduled", "Successfully assigned", "08:58:00");
    });
    // The last attempt was more than an hour ago.
    silent(IMAGE, |example| {
        example.evidence.pods.clear();
        example.now = at("09:36:12").unwrap();
    });
}

#[test]
fn failed_job_whose_pods_are_gone_is_explained_by_events() {
    let mut example = example(IMAGE);
    example.evidence.pods.clear();
    end(&mut example, "Failed", "DeadlineExceeded", "08:39:00");
    example.cron_job().status.last_schedule_time = at("08:30:00");
    let found = example.findings();
    assert_eq!(codes(&found), [IMAGE, FAILED, "runs-without-success"]);
    insta::assert_snapshot!(found[0].detail);
    let expected = "kubectl get events -n shop --field-selector \
                    involvedObject.kind=Pod,involvedObject.name=thumbnails-29552160-7xk2p  \
                    # run it again: kubectl cronjob-doctor trigger thumbnails -n shop";
    assert_eq!(found[0].remedy.as_ref().unwrap().text, expected);
}

#[test]
fn pod_problem_before_a_success_is_not_reported() {
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
        "thumbnails-29552160 cannot pull the image for 3 of its pods, such as \
         thumbnails-29552160-e6f7g, container main, since Tue 2026-03-10 08:00 UTC (40m ago, 12 \
         times): ImagePullBackOff: "
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
    assert!(older.starts_with("thumbnails-29552160 cannot pull the image for its pod "));
    assert!(older.contains("not found. An older Job has the same problem."));
}

#[test]
fn pod_of_another_job_with_the_same_name_is_ignored() {
    silent(CRASHES, |example| {
        example.evidence.pods[0].owner_references[0].uid = "another".to_owned();
    });
}

#[test]
fn block_with_a_known_pod_problem_does_not_guess_the_cause() {
    let found = example(IMAGE).findings();
    insta::assert_snapshot!(found[1].detail);
}

#[test]
fn pod_without_a_node_is_reported_after_a_minute() {
    assert_eq!(changed_at(NODE, "02:00:59", |_| {}), None);
    assert!(changed_at(NODE, "02:01:00", |_| {}).is_some());
}

#[test]
fn scheduler_message_is_shortened_to_its_first_sentence() {
    let said = |message: &str| {
        let detail = detail(NODE, |example| {
            example.evidence.pods[0].conditions[0].message = message.into();
        });
        let (_, said) = detail.split_once(", 84 times): ").unwrap();
        said.to_owned()
    };
    let insufficient = "0/3 nodes are available: 3 Insufficient memory";
    let victims = "preemption: 0/3 nodes are available: 3 No preemption victims found.";
    // The messages of 1.36, 1.25 and 1.20, and that of another scheduler.
    for rest in [
        &format!(" no new claims to deallocate, {victims}"),
        &format!(" {victims}"),
        "",
    ] {
        assert_eq!(
            said(&format!("{insufficient}.{rest}")),
            format!("{insufficient}.")
        );
    }
    assert_eq!(said("queue is full"), "queue is full.");
    let no_scale_up = detail(NODE, |example| {
        let message = "pod didn't trigger scale-up: 1 max node group size reached";
        event(example, "NotTriggerScaleUp", message, "08:59:00");
    });
    assert!(no_scale_up.ends_with(" The autoscaler cannot add a suitable node."));
}

#[test]
fn pod_with_a_scheduling_gate_is_not_reported() {
    silent(NODE, |example| {
        let condition = &mut example.evidence.pods[0].conditions[0];
        condition.reason = "SchedulingGated".into();
        example.evidence.events.clear();
    });
}

#[test]
fn volume_with_missing_configuration_is_reported_from_events() {
    let mounts = |example: &mut Example, message: &str| {
        waits(example, "ContainerCreating", "");
        example.evidence.events[1].reason = "FailedMount".to_owned();
        example.evidence.events[1].message = message.to_owned();
    };
    let missing =
        "MountVolume.SetUp failed for volume \"config\" : configmap \"invoices\" not found";
    let detail = detail(CONFIG, |example| mounts(example, missing));
    let expected = format!(
        "invoices-29552160 cannot mount a volume of its pod invoices-29552160-m2w6z since \
         Tue 2026-03-10 08:00:01 UTC (19m ago, 94 times): {missing}. No other run starts until it \
         finishes (concurrencyPolicy: Forbid)."
    );
    assert_eq!(detail, expected);
    // Nothing is missing: the kubelet has not read the ConfigMap yet.
    silent(CONFIG, |example| {
        let late = "MountVolume.SetUp failed for volume \"config\" : failed to sync configmap cache: \
                    timed out waiting for the condition";
        mounts(example, late);
    });
    // A Secret can be missing, too. An existing one may be late, and a PersistentVolumeClaim is not
    // configuration.
    let mounted = |message: &str| changed(CONFIG, |example| mounts(example, message));
    assert!(mounted("MountVolume.SetUp failed: secret \"db\" not found").is_some());
    assert_eq!(mounted("persistentvolumeclaim \"data\" not found"), None);
    let late = "MountVolume.SetUp failed: secret \"db\": timed out";
    assert_eq!(mounted(late), None);
}

#[test]
fn remedy_without_missing_object_recreates_the_job() {
    let as_root = |example: &mut Example| {
        let message = "container has runAsNonRoot and image will run as root";
        waits(example, "CreateContainerConfigError", message);
    };
    assert!(remedy(CONFIG, as_root).ends_with(
        "  # fix the CronJob, then: kubectl delete job \
         invoices-29552160 -n billing; the next run is then scheduled at Tue 2026-03-10 08:30 UTC; \
         run it again: kubectl cronjob-doctor trigger invoices -n billing"
    ));
}

#[test]
fn condition_without_a_time_holds_since_the_pod_was_created() {
    let mut created = None;
    let text = detail(NODE, |example| {
        let pod = &mut example.evidence.pods[0];
        created = pod.creation_timestamp;
        pod.conditions[0].last_transition_time = None;
    });
    let since = created.unwrap().strftime("since %a %Y-%m-%d %H:%M UTC");
    assert_contains!(text, &since.to_string());
}
