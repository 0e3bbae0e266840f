//! `trigger`, and what the real controllers do with the Job.

use crate::control_plane::prelude::*;

/// Creates a CronJob whose last run, ten minutes ago, was started.
fn hourly(ns: &Namespace<'_>, name: &str, more: &Value) {
    let mut spec = with_fields(json!({"schedule": ns.clock.hourly(10)}), more);
    spec["suspend"] = json!(true);
    ns.create(name, &spec);
    ns.set_last(name, ns.clock.minutes_ago(10));
    let suspend = more.get("suspend").cloned().unwrap_or(json!(false));
    ns.edit(name, &json!({"spec": {"suspend": suspend}}));
}

/// Creates the Job `NAME-again`, and returns its item in the document.
fn trigger(ns: &Namespace<'_>, name: &str, arguments: &[&str]) -> Value {
    let again = format!("--name={name}-again");
    let common = ["trigger", name, "-yq", "-o", "json", &again];
    let ran = ns.doctor([&common, arguments].concat());
    let document = ran.document();
    document["items"][0].clone()
}

/// Like [`trigger`], and asserts that the controller records the predicted events in that order.
fn as_predicted(ns: &Namespace<'_>, name: &str, arguments: &[&str]) -> Value {
    let mut events = ns.api.events(&ns.name);
    let item = trigger(ns, name, arguments);
    let predicted = item["prediction"]["sync"]["events"].items();
    let last = predicted.last().expect("something is recorded");
    let reason = last["reason"].text();
    let mut recorded = events.up_to(reason, name);
    // The controller may see a Job that was already running before it sees the status that lists the Job, more than
    // once.
    let is_of_before = |event: &Value| event["message"].to_string().contains("-before");
    while recorded.last().is_some_and(is_of_before) {
        recorded.extend(events.up_to(reason, name));
    }
    let about = |event: &&Value| {
        let of_cron_job = event["involvedObject"]["kind"] == "CronJob";
        of_cron_job && event["involvedObject"]["name"] == *name && !is_of_before(event)
    };
    let line =
        |event: &Value| format!("{} {} {}", event["type"], event["reason"], event["message"]);
    let mut recorded: Vec<String> = recorded.iter().filter(about).map(line).collect();
    recorded.dedup();
    let predicted: Vec<String> = predicted.iter().map(line).collect();
    assert_eq!(recorded, predicted, "{name}");
    item
}

#[test]
fn triggered_job_equals_the_one_of_a_real_kubectl() {
    let ns = namespace!("triggered-as-kubectl");
    let template = json!({
        "metadata": {"labels": {"run": "manual"}, "annotations": {"team": "data"}},
        "spec": {
            "backoffLimit": 0,
            "activeDeadlineSeconds": 3600,
            "ttlSecondsAfterFinished": 86_400,
            "suspend": true,
            "podFailurePolicy": {"rules": [{
                "action": "FailJob",
                "onExitCodes": {"containerName": "main", "operator": "In", "values": [42]},
            }]},
            "template": {
                "metadata": {"labels": {"a": "b"}},
                "spec": {
                    "restartPolicy": "Never",
                    "containers": [
                        {"name": "main", "image": "busybox:1.36", "command": ["date"]},
                        {"name": "side", "image": "busybox:1.36"},
                    ],
                },
            },
        },
    });
    let yearly = json!({"schedule": "0 0 1 1 *", "jobTemplate": template});
    ns.create("nightly", &yearly);
    trigger(&ns, "nightly", &[]);
    let create = ["create", "job", "nightly-kubectl", "--from=cronjob/nightly"];
    if ns.kubectl(&create, "").is_none() {
        return;
    }
    let plain = |name: &str| {
        let mut job = ns.job(name);
        let uid = job["metadata"]["uid"].text().to_owned();
        for field in ["creationTimestamp", "resourceVersion", "managedFields"] {
            job["metadata"][field] = Value::Null;
        }
        job["status"] = Value::Null;
        let text = job.to_string().replace(name, "NAME").replace(&uid, "UID");
        serde_json::from_str::<Value>(&text).unwrap()
    };
    assert_eq!(plain("nightly-again"), plain("nightly-kubectl"));
}

#[test]
fn triggered_job_is_recorded_as_predicted() {
    let ns = namespace!("triggered", since 24);
    hourly(&ns, "allow", &json!({}));
    let item = as_predicted(&ns, "allow", &[]);
    assert_eq!(item["prediction"]["sync"]["outcome"], "wait");

    hourly(&ns, "suspended", &json!({"suspend": true}));
    let item = as_predicted(&ns, "suspended", &[]);
    assert_eq!(item["prediction"]["sync"]["outcome"], "suspended");

    // The new Job runs at the same time as the Job that Forbid and Replace apply to, and that Job does not change.
    for policy in ["Forbid", "Replace"] {
        let name = policy.to_lowercase();
        let before = format!("{name}-before");
        hourly(&ns, &name, &json!({"concurrencyPolicy": policy}));
        ns.create_running(&name, &[&before]);
        let item = as_predicted(&ns, &name, &["--force"]);
        assert_eq!(item["prediction"]["running"], json!([before]));
        assert!(ns.job_names().contains(&before));
        let active = &ns.cron_job(&name)["status"]["active"];
        assert_eq!(active.items().len(), 1);
        assert_eq!(active[0]["name"], json!(before));
    }

    // After a resume with another schedule, the controller waits for the next run, although one was missed. The new Job
    // makes the controller sync, which also starts the missed run.
    let spec = json!({"schedule": "0 0 1 1 *", "suspend": true});
    ns.create("due", &spec);
    ns.set_last("due", ns.clock.hours_and_minutes_ago(1, 10));
    let schedule = ns.clock.hourly(10);
    let edit = json!({"spec": {"schedule": schedule, "suspend": false}});
    ns.edit("due", &edit);
    let item = as_predicted(&ns, "due", &[]);
    let late = job_name("due", ns.clock.minutes_ago(10));
    assert_eq!(item["prediction"]["sync"]["outcome"], "start");
    assert_eq!(item["prediction"]["sync"]["jobName"], json!(late));
    assert!(ns.job_names().contains(&late));
}

#[test]
fn trigger_under_forbid_with_a_running_job_is_refused() {
    let ns = namespace!("triggered-forbidden");
    hourly(&ns, "forbid", &json!({"concurrencyPolicy": "Forbid"}));
    ns.create_running("forbid", &["forbid-before"]);
    let ran = ns.doctor("trigger forbid -yq");
    assert_eq!((ran.stdout.as_str(), ran.code), ("", 2));
    assert_contains!(ran.stderr, "forbid-before has not finished");
    assert_eq!(ns.job_names(), ["forbid-before"]);
}

/// `--wait` waits for the Job, whose pod succeeds. Afterwards the history limit allows only one Job.
#[test]
fn trigger_wait_sees_the_job_succeed_and_the_history_shrink() {
    let ns = namespace!("triggered-awaited", since 22);
    hourly(&ns, "history", &json!({"successfulJobsHistoryLimit": 1}));
    ns.create_job("history-old", Some(&owner(&ns.cron_job("history"))));
    finish(&ns, "history-old", "Complete");
    let wait = "trigger history -yq --name=history-again --wait=60s -o=json";
    let ran = thread::scope(|scope| {
        let call = scope.spawn(|| ns.doctor(wait));
        ns.succeed_pod(&ns.pod_of("history-again"));
        call.join().unwrap()
    });
    let document = ran.document();
    let item = &document["items"][0];
    assert_eq!(item["observed"]["result"], "succeeded");
    let after = &item["prediction"]["onSuccess"];
    assert_eq!(after["deletedJobs"], json!(["history-old"]));
    assert_eq!(after["notesSuccess"], json!(true));
    wait_until("only the new Job is left", || {
        ns.job_names() == ["history-again"]
    });
    let completed = ns.jobs()[0]["status"]["completionTime"].clone();
    wait_until("the success is noted", || {
        ns.cron_job("history")["status"]["lastSuccessfulTime"] == completed
    });
}

/// kubectl creates the Job of a manifest as `trigger` would have created it. A retry has its own selector
/// and pods.
#[test]
fn manifests_of_trigger_are_accepted_by_kubectl_create() {
    let ns = namespace!("triggered-manifests", since 22);
    hourly(&ns, "manifest", &json!({}));
    ns.create_job("manifest-old", Some(&owner(&ns.cron_job("manifest"))));
    finish(&ns, "manifest-old", "Failed");
    let edit = json!({"spec": {"jobTemplate": {"spec": {"backoffLimit": 1}}}});
    ns.edit("manifest", &edit);
    for (arguments, name) in [
        (&["trigger", "manifest", "--dry-run", "--ttl=1h"][..], "new"),
        (&["trigger", "manifest", "--dry-run=server"], "checked"),
        (
            &["trigger", "--job", "manifest", "--dry-run=server"],
            "again",
        ),
    ] {
        let more = ["-qo", "job", "--name", name];
        let ran = ns.doctor([arguments, &more[..]].concat());
        assert_eq!((ran.stderr.as_str(), ran.code), ("", 0), "{name}");
        if ns.kubectl(&["create", "-f", "-"], &ran.stdout).is_none() {
            return;
        }
    }
    assert_eq!(ns.job("new")["spec"]["ttlSecondsAfterFinished"], 3600);
    assert_eq!(ns.job("checked")["spec"]["backoffLimit"], 1);
    let (old, again) = (ns.job("manifest-old"), ns.job("again"));
    assert_eq!(again["metadata"]["ownerReferences"][0]["name"], "manifest");
    assert_ne!(again["spec"]["selector"], old["spec"]["selector"]);
    let image = "/spec/template/spec/containers/0/image";
    assert_eq!(again.pointer(image), old.pointer(image));
}

/// The controller treats the Job of a retry like a manually created Job, and `--rm` deletes it.
#[test]
fn retried_job_is_unexpected_to_the_controller_and_removed_by_rm() {
    let ns = namespace!("triggered-retried");
    hourly(&ns, "retried", &json!({"failedJobsHistoryLimit": 5}));
    // Not suspended, so that the retry has a pod.
    trigger(&ns, "retried", &[]);
    ns.succeed_pod(&ns.pod_of("retried-again"));
    wait_until("the end of the Job", || {
        let status = ns.job("retried-again")["status"].take();
        status["succeeded"] == 1 && status["completionTime"].is_string()
    });
    let mut events = ns.api.events(&ns.name);
    let retry = "trigger --job retried-again -yq --name=retried-twice --rm";
    let ran = thread::scope(|scope| {
        let call = scope.spawn(|| ns.doctor(retry));
        ns.succeed_pod(&ns.pod_of("retried-twice"));
        call.join().unwrap()
    });
    assert_eq!((ran.stderr.as_str(), ran.code), ("", 0), "{}", ran.stdout);
    assert_ends!(ran.stdout, "job.batch/retried-twice deleted\n");
    events.up_to("UnexpectedJob", "retried");
    assert!(!ns.job_names().contains(&"retried-twice".to_owned()));
}
