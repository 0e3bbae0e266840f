//! `backfill`: its Jobs compared with those of the real controller, and how the controller treats them.

use crate::control_plane::prelude::*;
use crate::control_plane::resuming::{jobs_of, suspended};

/// The API server's answer when the controller requests the existing Job without a namespace.
const NO_NAMESPACE: &str = "the server could not find the requested resource";

/// Backfills, and marks the pods of that many Jobs as succeeded, because there are no nodes here.
fn backfill(ns: &Namespace<'_>, name: &str, arguments: &[&str], jobs: usize) -> String {
    let arguments = [&["backfill", name, "-yq"], arguments].concat();
    thread::scope(|scope| {
        let call = scope.spawn(|| ns.doctor(&arguments).fine());
        let mut ended: Vec<String> = Vec::new();
        while ended.len() < jobs {
            let pod = eventually("the pod of a Job", || {
                let mut pods = ns.pods().into_iter().map(|pod| name_of(&pod));
                pods.find(|pod| pod.starts_with(&format!("{name}-")) && !ended.contains(pod))
            });
            ns.succeed_pod(&pod);
            ended.push(pod);
        }
        call.join().unwrap()
    })
}

/// A Job without the fields that no two Jobs share.
fn shared_with_others(mut job: Value) -> Value {
    let metadata = job["metadata"].as_object_mut().unwrap();
    let own = "name uid resourceVersion creationTimestamp managedFields generation";
    for own in own.split(' ') {
        metadata.remove(own);
    }
    // Only the Jobs of backfill have this annotation.
    if let Some(annotations) = job["metadata"]["annotations"].as_object_mut() {
        annotations.remove("cronjob-doctor/backfilled");
    }
    for own in ["name", "uid", "blockOwnerDeletion"] {
        job["metadata"]["ownerReferences"][0][own].take();
    }
    let spec = job["spec"].as_object_mut().unwrap();
    spec.remove("selector");
    spec["template"]["metadata"].take();
    job.as_object_mut().unwrap().remove("status");
    job
}

/// The runs of two hours and ten minutes, one hour and ten minutes, and ten minutes ago.
#[test]
fn backfilled_jobs_equal_those_of_the_controller() {
    let ns = namespace!("backfilled");
    let spec = json!({
        "timeZone": "Europe/Berlin",
        "jobTemplate": {
            "metadata": {"labels": {"app": "x"}, "annotations": {"team": "data"}},
            "spec": {"backoffLimit": 2, "template": {"spec": {
                "restartPolicy": "Never",
                "containers": [{"name": "main", "image": "busybox"}],
            }}},
        },
    });
    let due = |hours| ns.clock.hours_and_minutes_ago(hours, 10);
    suspended(&ns, "ours", &spec);
    let created = backfill(&ns, "ours", &["--since", "4h"], 3);
    let names = [2, 1, 0].map(|hours| job_name("ours", due(hours)));
    let lines = names
        .iter()
        .map(|name| format!("job.batch/{name} created\n"));
    assert_eq!(created, lines.collect::<String>());
    assert_eq!(jobs_of(&ns, "ours"), names);
    // A second call has nothing to run.
    let again = ns.doctor("backfill ours --since 4h -yq");
    assert_eq!((again.stdout.as_str(), again.code), ("", 0));
    assert_eq!(jobs_of(&ns, "ours"), names);

    // The controller's own Job for the same run.
    suspended(&ns, "theirs", &spec);
    ns.edit("theirs", &json!({"spec": {"suspend": false}}));
    let theirs = job_name("theirs", due(0));
    wait_until("the controller's Job", || {
        jobs_of(&ns, "theirs") == [theirs.clone()]
    });
    let expected = shared_with_others(ns.job(&theirs));
    assert_eq!(shared_with_others(ns.job(&names[2])), expected);
}

/// If another tool has already started the newest run, the controller tries in vain, as documented.
#[test]
fn resume_after_backfill_of_the_newest_run_fails() {
    let ns = namespace!("backfilled-newest", since 24);
    suspended(&ns, "newest", &json!({}));
    backfill(&ns, "newest", &["--last", "1"], 1);
    let names = [job_name("newest", ns.clock.minutes_ago(10))];
    let log = ns.plane.log();
    ns.edit("newest", &json!({"spec": {"suspend": false}}));
    let failure = eventually("a sync that fails", || log.syncs(&ns.name, "newest").pop());
    let expected = if ns.plane.minor < 28 {
        format!("jobs.batch \"{}\" already exists", names[0])
    } else {
        NO_NAMESPACE.to_owned()
    };
    assert_eq!(failure, SyncEnd::Failed(expected));
    assert_eq!(jobs_of(&ns, "newest"), names);
    let status = &ns.cron_job("newest")["status"];
    let before = ns.clock.hours_and_minutes_ago(3, 10);
    assert_eq!(status["lastScheduleTime"], json!(before));

    // If the run is skipped, the controller continues with the next one.
    suspended(&ns, "skipped", &json!({}));
    backfill(&ns, "skipped", &["--last", "1"], 1);
    let log = ns.plane.log();
    ns.doctor("resume skipped -yq --catch-up=skip").fine();
    let sync = eventually("a sync", || log.syncs(&ns.name, "skipped").pop());
    assert!(matches!(sync, SyncEnd::Again(_)), "{sync:?}");
    assert_eq!(jobs_of(&ns, "skipped").len(), 1);
}

/// The controller starts the newest missed run, which was not backfilled.
#[test]
fn resume_after_backfill_of_older_runs_starts_the_newest() {
    let ns = namespace!("backfilled-older");
    suspended(&ns, "older", &json!({}));
    let until = ns.clock.hours_and_minutes_ago(1, 10).to_string();
    backfill(&ns, "older", &["--last", "1", "--until", &until], 1);
    let due = |hours| ns.clock.hours_and_minutes_ago(hours, 10);
    let ours = job_name("older", due(1));
    assert_eq!(jobs_of(&ns, "older"), std::slice::from_ref(&ours));
    ns.edit("older", &json!({"spec": {"suspend": false}}));
    let both = [ours, job_name("older", due(0))];
    wait_until("the controller's Job", || jobs_of(&ns, "older") == both);
}

/// The README's "Resume without running missed jobs", and then its "Run missed jobs again".
#[test]
fn runs_that_resume_skipped_can_be_started() {
    let ns = namespace!("backfilled-skipped");
    let due = |hours| ns.clock.hours_and_minutes_ago(hours, 10);
    for method in ["status", "deadline"] {
        ns.create(method, &json!({"schedule": ns.clock.hourly(10)}));
        ns.set_last(method, due(0));
        ns.doctor(["suspend", method, "-yq"]).fine();
        ns.set_last(method, due(3));
        let editor = ["--as=editor", "--as-group=editors"];
        let user = &editor[..if method == "deadline" { 2 } else { 0 }];
        let resume = [&["resume", method, "-yq", "--catch-up=skip"], user].concat();
        ns.doctor(&resume).fine();
        let history = ns.document(["history", method, "--since=2h30m"]);
        let runs = history["items"][0]["runs"].items();
        let last = runs.last().unwrap();
        let expected = (&json!("skipped"), &json!("skipped"));
        assert_eq!((&last["status"], &last["cause"]), expected);
        // The earlier ones were before the CronJob was created.
        let created = backfill(&ns, method, &["--last", "1"], 1);
        let name = job_name(method, due(0));
        assert_eq!(created, format!("job.batch/{name} created\n"));
        assert_eq!(jobs_of(&ns, method), [name]);
    }
}
