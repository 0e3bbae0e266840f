//! `trigger`, and what the real controllers make of the Job.

use std::io::Write as _;
use std::process::{Command, Stdio};
use std::thread;

use serde_json::{Value, json};

use crate::control_plane::shared_plane;
use crate::control_plane::stage::{Stage, finish, job_name, owner};
use crate::support::control_plane::{assets, eventually};
use crate::support::run::doctor;

/// A CronJob that has run its last slot, ten minutes ago.
fn hourly(stage: &Stage<'_>, name: &str, more: &Value) {
    let mut spec = json!({"schedule": stage.clock.hourly(10)});
    for (field, value) in more.as_object().unwrap() {
        spec[field] = value.clone();
    }
    spec["suspend"] = json!(true);
    stage.create(name, &spec);
    stage.set_last(name, stage.clock.minutes_ago(10));
    let suspend = more.get("suspend").cloned().unwrap_or(json!(false));
    stage.edit(name, &json!({"spec": {"suspend": suspend}}));
}

/// Starts the Job `NAME-again`, and returns what is told of it.
fn trigger(stage: &Stage<'_>, name: &str, arguments: &[&str]) -> Value {
    let again = format!("--name={name}-again");
    let common = ["trigger", name, "-yq", "-o", "json", &again];
    let ran = stage.doctor(&[&common, arguments].concat());
    assert_eq!((ran.stderr.as_str(), ran.code), ("", 0), "{}", ran.stdout);
    let document: Value = serde_json::from_str(&ran.stdout).unwrap();
    document["items"][0].clone()
}

/// The same, and the controller records what was predicted, in that order.
fn as_predicted(stage: &Stage<'_>, name: &str, arguments: &[&str]) -> Value {
    let mut events = stage.api.events(&stage.namespace);
    let item = trigger(stage, name, arguments);
    let predicted = item["prediction"]["look"]["events"].as_array().unwrap();
    let last = predicted.last().expect("something is recorded");
    let recorded = events.up_to(last["reason"].as_str().unwrap(), name);
    let about = |event: &&Value| {
        event["involvedObject"]["kind"] == "CronJob" && event["involvedObject"]["name"] == *name
    };
    let line =
        |event: &Value| format!("{} {} {}", event["type"], event["reason"], event["message"]);
    let mut recorded: Vec<String> = recorded.iter().filter(about).map(line).collect();
    recorded.dedup();
    let predicted: Vec<String> = predicted.iter().map(line).collect();
    assert_eq!(recorded, predicted, "{name}");
    item
}

fn jobs(stage: &Stage<'_>) -> Vec<String> {
    let jobs = stage.jobs();
    let names = jobs.iter().map(|job| job["metadata"]["name"].as_str());
    names.map(|name| name.unwrap().to_owned()).collect()
}

#[test]
fn the_job_that_kubectl_makes() {
    let Some(plane) = shared_plane() else { return };
    let kubectl = assets().unwrap().join("kubectl");
    if !kubectl.is_file() {
        eprintln!("skipped: there is no {}", kubectl.display());
        return;
    }
    let stage = Stage::new(plane, "triggered-as-kubectl");
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
    stage.create("nightly", &yearly);
    trigger(&stage, "nightly", &[]);
    let kubeconfig = plane.kubeconfig("admin");
    let made = Command::new(&kubectl)
        .args(["create", "job", "nightly-kubectl", "--from=cronjob/nightly"])
        .args(["-n", &stage.namespace, "--kubeconfig"])
        .arg(&kubeconfig)
        .env("HOME", kubeconfig.parent().unwrap())
        .output()
        .unwrap();
    assert!(made.status.success(), "{made:?}");
    let jobs = stage.jobs();
    let plain = |name: &str| {
        let mut found = jobs.iter().filter(|job| job["metadata"]["name"] == name);
        let mut job = found.next().unwrap().clone();
        let uid = job["metadata"]["uid"].as_str().unwrap().to_owned();
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
fn what_the_controller_records() {
    let Some(plane) = shared_plane() else { return };
    let stage = Stage::new(plane, "triggered");
    hourly(&stage, "allow", &json!({}));
    let item = as_predicted(&stage, "allow", &[]);
    assert_eq!(item["prediction"]["look"]["outcome"], "wait");

    hourly(&stage, "suspended", &json!({"suspend": true}));
    let item = as_predicted(&stage, "suspended", &[]);
    assert_eq!(item["prediction"]["look"]["outcome"], "suspended");

    // It runs beside what Forbid and Replace are about, and leaves that as it is.
    for policy in ["Forbid", "Replace"] {
        let name = policy.to_lowercase();
        let before = format!("{name}-before");
        hourly(&stage, &name, &json!({"concurrencyPolicy": policy}));
        stage.create_running(&name, &[&before]);
        let item = as_predicted(&stage, &name, &["--force"]);
        assert_eq!(item["prediction"]["running"], json!([before]));
        assert!(jobs(&stage).contains(&before));
        let active = &stage.cron_job(&name)["status"]["active"];
        assert_eq!(active.as_array().unwrap().len(), 1);
        assert_eq!(active[0]["name"], json!(before));
    }

    // Resumed with another schedule it waits for the next slot, although one was missed. The new
    // Job makes the controller look, and so it starts that one, too.
    let spec = json!({"schedule": "0 0 1 1 *", "suspend": true});
    stage.create("due", &spec);
    stage.set_last("due", stage.clock.hours_and_minutes_ago(1, 10));
    let schedule = stage.clock.hourly(10);
    let edit = json!({"spec": {"schedule": schedule, "suspend": false}});
    stage.edit("due", &edit);
    let item = as_predicted(&stage, "due", &[]);
    let late = job_name("due", stage.clock.minutes_ago(10));
    assert_eq!(item["prediction"]["look"]["outcome"], "start");
    assert_eq!(item["prediction"]["look"]["jobName"], json!(late));
    assert!(jobs(&stage).contains(&late));
}

#[test]
fn forbidden() {
    let Some(plane) = shared_plane() else { return };
    let stage = Stage::new(plane, "triggered-forbidden");
    hourly(&stage, "forbid", &json!({"concurrencyPolicy": "Forbid"}));
    stage.create_running("forbid", &["forbid-before"]);
    let ran = stage.doctor(&["trigger", "forbid", "-yq"]);
    assert_eq!((ran.stdout.as_str(), ran.code), ("", 2));
    assert!(
        ran.stderr.contains("forbid-before is running"),
        "{}",
        ran.stderr
    );
    assert_eq!(jobs(&stage), ["forbid-before"]);
}

/// The Job is waited for while its pod succeeds; then the history has room for one only.
#[test]
fn until_it_is_over() {
    let Some(plane) = shared_plane() else { return };
    let stage = Stage::new(plane, "triggered-awaited");
    hourly(&stage, "history", &json!({"successfulJobsHistoryLimit": 1}));
    stage.create_job("history-old", Some(&owner(&stage.cron_job("history"))));
    finish(&stage, "history-old", "Complete");
    let kubeconfig = plane.kubeconfig("admin").display().to_string();
    let namespace = stage.namespace.clone();
    let ran = thread::scope(|scope| {
        let call = scope.spawn(|| {
            doctor(&[
                "trigger",
                "history",
                "-yq",
                "--name=history-again",
                "--wait=60s",
                "-o",
                "json",
                "-n",
                &namespace,
                "--kubeconfig",
                &kubeconfig,
            ])
        });
        let pods = format!("/api/v1/namespaces/{namespace}/pods");
        let pod = eventually("the pod of the Job", || {
            let list = stage.api.get(&pods);
            let pod = list["items"].as_array().unwrap().first().cloned();
            Some(pod?["metadata"]["name"].as_str().unwrap().to_owned())
        });
        let status = json!({"status": {"phase": "Succeeded"}});
        stage.api.patch(&format!("{pods}/{pod}/status"), &status);
        call.join().unwrap()
    });
    assert_eq!((ran.stderr.as_str(), ran.code), ("", 0), "{}", ran.stdout);
    let document: Value = serde_json::from_str(&ran.stdout).unwrap();
    let item = &document["items"][0];
    assert_eq!(item["observed"]["result"], "succeeded");
    let after = &item["prediction"]["onSuccess"];
    assert_eq!(after["deletedJobs"], json!(["history-old"]));
    assert_eq!(after["notesSuccess"], json!(true));
    eventually("only the new Job is left", || {
        (jobs(&stage) == ["history-again"]).then_some(())
    });
    let completed = stage.jobs()[0]["status"]["completionTime"].clone();
    eventually("the success is noted", || {
        (stage.cron_job("history")["status"]["lastSuccessfulTime"] == completed).then_some(())
    });
}

/// kubectl creates the Job of a manifest as `trigger` and `retry` would have; a retry has a selector and pods of
/// its own.
#[test]
fn manifests_for_kubectl() {
    let Some(plane) = shared_plane() else { return };
    let kubectl = assets().unwrap().join("kubectl");
    if !kubectl.is_file() {
        eprintln!("skipped: there is no {}", kubectl.display());
        return;
    }
    let stage = Stage::new(plane, "triggered-manifests");
    hourly(&stage, "manifest", &json!({}));
    stage.create_job("manifest-old", Some(&owner(&stage.cron_job("manifest"))));
    finish(&stage, "manifest-old", "Failed");
    let edit = json!({"spec": {"jobTemplate": {"spec": {"backoffLimit": 1}}}});
    stage.edit("manifest", &edit);
    let kubeconfig = plane.kubeconfig("admin");
    for (arguments, name) in [
        (&["trigger", "manifest", "--dry-run", "--ttl=1h"][..], "new"),
        (&["trigger", "manifest", "--dry-run=server"], "checked"),
        (&["retry", "manifest", "--dry-run=server"], "again"),
    ] {
        let more = ["-qo", "job", "--name", name];
        let ran = stage.doctor(&[arguments, &more[..]].concat());
        assert_eq!((ran.stderr.as_str(), ran.code), ("", 0), "{name}");
        let mut creating = Command::new(&kubectl)
            .args(["create", "-f", "-", "--kubeconfig"])
            .arg(&kubeconfig)
            .env("HOME", kubeconfig.parent().unwrap())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = creating.stdin.take().unwrap();
        stdin.write_all(ran.stdout.as_bytes()).unwrap();
        drop(stdin);
        let created = creating.wait_with_output().unwrap();
        assert!(created.status.success(), "{created:?}\n{}", ran.stdout);
    }
    let jobs = stage.jobs();
    let job = |name: &str| {
        jobs.iter()
            .find(|job| job["metadata"]["name"] == name)
            .unwrap()
    };
    assert_eq!(job("new")["spec"]["ttlSecondsAfterFinished"], 3600);
    assert_eq!(job("checked")["spec"]["backoffLimit"], 1);
    let (old, again) = (job("manifest-old"), job("again"));
    assert_eq!(again["metadata"]["ownerReferences"][0]["name"], "manifest");
    assert_ne!(again["spec"]["selector"], old["spec"]["selector"]);
    let image = "/spec/template/spec/containers/0/image";
    assert_eq!(again.pointer(image), old.pointer(image));
}

/// The controller treats the Job of a retry like one that was created manually, and --rm deletes it.
#[test]
fn retried_and_removed() {
    let Some(plane) = shared_plane() else { return };
    let stage = Stage::new(plane, "triggered-retried");
    hourly(&stage, "retried", &json!({"failedJobsHistoryLimit": 5}));
    // Not suspended, so that the retry has a pod.
    trigger(&stage, "retried", &[]);
    let job = format!(
        "/apis/batch/v1/namespaces/{}/jobs/retried-again",
        stage.namespace
    );
    let pods = format!("/api/v1/namespaces/{}/pods", stage.namespace);
    let pod_of = |name: &str| {
        eventually("the pod of the Job", || {
            let list = stage.api.get(&pods);
            let mut all = list["items"].as_array().unwrap().iter();
            let pod = all.find(|pod| pod["metadata"]["labels"]["job-name"] == *name);
            Some(pod?["metadata"]["name"].as_str().unwrap().to_owned())
        })
    };
    let end = |pod: &str, phase: &str| {
        let status = json!({"status": {"phase": phase}});
        stage.api.patch(&format!("{pods}/{pod}/status"), &status);
    };
    end(&pod_of("retried-again"), "Succeeded");
    eventually("the end of the Job", || {
        let job = stage.api.get(&job);
        (job["status"]["succeeded"] == 1 && job["status"]["completionTime"].is_string())
            .then_some(())
    });
    let mut events = stage.api.events(&stage.namespace);
    let kubeconfig = plane.kubeconfig("admin").display().to_string();
    let ran = thread::scope(|scope| {
        let arguments = [
            "retry",
            "retried-again",
            "-yq",
            "--name=retried-twice",
            "--rm",
        ];
        let call = scope.spawn(move || {
            let more = ["-n", "triggered-retried", "--kubeconfig", &kubeconfig];
            doctor(&[&arguments[..], &more[..]].concat())
        });
        end(&pod_of("retried-twice"), "Succeeded");
        call.join().unwrap()
    });
    assert_eq!((ran.stderr.as_str(), ran.code), ("", 0), "{}", ran.stdout);
    assert!(
        ran.stdout.ends_with("job.batch/retried-twice deleted\n"),
        "{}",
        ran.stdout
    );
    events.up_to("UnexpectedJob", "retried");
    assert!(!jobs(&stage).contains(&"retried-twice".to_owned()));
}
