//! The CronJob that runs in a cluster.

use crate::support::prelude::*;

use crate::support::files::{below, text, yaml};

/// The documents of deploy/nightly.yaml: the account and the CronJob.
fn nightly() -> [Value; 2] {
    yaml(&text("deploy/nightly.yaml")).try_into().unwrap()
}

fn pod() -> Value {
    let [_, cron_job] = nightly();
    cron_job["spec"]["jobTemplate"]["spec"]["template"]["spec"].clone()
}

#[test]
fn nightly_manifests_pass_our_own_linter() {
    // Back to the first release that reads spec.timeZone by default.
    for releases in ["1.37", "1.25-1.37"] {
        let lint = "lint deploy --now=2026-11-21T00:00:00Z --output=json --kubernetes-version";
        let report = doctor((lint, [releases])).document();
        assert_eq!(report["findings"], json!([]), "{releases}");
        assert_eq!(report["summary"]["objects"], 2, "{releases}");
    }
}

#[test]
fn manifests_do_not_set_a_namespace() {
    let files = below("deploy");
    let is_manifest = |file: &&String| !file.starts_with("deploy/grafana/");
    // A kustomization and the rules of Prometheus are not objects.
    for file in files.iter().filter(is_manifest) {
        for document in yaml(&text(file)) {
            assert_eq!(document["metadata"]["namespace"], Value::Null, "{file}");
        }
    }
    let [account, _] = nightly();
    assert_eq!(account["kind"], "ServiceAccount");
    assert_eq!(pod()["serviceAccountName"], account["metadata"]["name"]);
}

/// It runs the documented command, with the restrictions and the resources of the nightly check.
#[test]
fn check_fails_if_a_cron_job_has_an_error() {
    let [account, check]: [Value; 2] = yaml(&text("deploy/check.yaml")).try_into().unwrap();
    let spec = &check["spec"]["jobTemplate"]["spec"];
    let pod = &spec["template"]["spec"];
    assert_eq!(pod["serviceAccountName"], account["metadata"]["name"]);
    // A second attempt would report the same.
    assert_eq!(spec["backoffLimit"], 0);
    let container = &pod["containers"][0];
    let nightly = &self::pod()["containers"][0];
    for field in ["securityContext", "resources"] {
        assert_eq!(container[field], nightly[field], "{field}");
    }
    let call = (check_call("examples/cluster"), "--now=2026-11-21T02:13:08Z");
    assert_eq!(doctor(call).code, 1);
}

/// The command of the check, which reads files.
fn check_call(files: &str) -> String {
    let [_, check]: [Value; 2] = yaml(&text("deploy/check.yaml")).try_into().unwrap();
    let container = &check["spec"]["jobTemplate"]["spec"]["template"]["spec"]["containers"][0];
    let arguments: Vec<&str> = container["args"].items().iter().map(Json::text).collect();
    format!("{} -f {files}", arguments.join(" "))
}

/// One failure is not reported again by the runs after it: in this cluster only the check itself has failed.
#[test]
fn check_does_not_report_its_own_failed_job() {
    let [_, mut check]: [Value; 2] = yaml(&text("deploy/check.yaml")).try_into().unwrap();
    check["metadata"] = json!({"name": check["metadata"]["name"], "namespace": "monitoring",
        "uid": "check", "creationTimestamp": "2026-11-20T00:00:00Z"});
    check["status"] = json!({"lastScheduleTime": "2026-11-21T01:23:00Z"});
    let job = json!({"apiVersion": "batch/v1", "kind": "Job",
        "metadata": {"name": "cronjob-doctor-check-29920403", "namespace": "monitoring",
            "uid": "job", "creationTimestamp": "2026-11-21T01:23:00Z",
            "ownerReferences": [{"apiVersion": "batch/v1", "kind": "CronJob", "controller": true,
                "name": check["metadata"]["name"], "uid": "check"}]},
        "status": {"failed": 1, "startTime": "2026-11-21T01:23:00Z", "conditions": [
            {"type": "Failed", "status": "True", "reason": "BackoffLimitExceeded",
                "lastTransitionTime": "2026-11-21T01:23:09Z"}]}});
    let cluster = json!({"apiVersion": "v1", "kind": "List", "items": [check, job]}).to_string();
    let folder = crate::support::folder::Folder::new("check", &[("cluster.json", &cluster)]);
    let file = &folder.file("cluster.json");
    let scan = |call: &str| doctor((call, "--now=2026-11-21T02:23:00Z")).code;
    assert_eq!(scan(&format!("scan -A --fail-on error -f {file}")), 1);
    assert_eq!(scan(&check_call(file)), 0);
}

/// The Pod Security Standard `restricted`, and a root file system that cannot be written.
#[test]
fn nightly_check_meets_the_restricted_pod_security_standard() {
    let pod = pod();
    let all = &pod["securityContext"];
    assert_eq!(all["runAsNonRoot"], true);
    assert_eq!(all["seccompProfile"], json!({"type": "RuntimeDefault"}));
    let containers = pod["containers"].items();
    for container in containers {
        let expected = json!({
            "allowPrivilegeEscalation": false,
            "readOnlyRootFilesystem": true,
            "capabilities": {"drop": ["ALL"]},
        });
        assert_eq!(container["securityContext"], expected);
        assert!(container["resources"]["limits"]["memory"].is_string());
        assert!(container["resources"]["requests"].is_object());
    }
    let volumes = pod["volumes"].items();
    assert!(volumes.iter().all(|volume| volume["emptyDir"].is_object()));
}

/// The images run as the same unprivileged user, which has no name in an image without a list of users.
#[test]
fn images_run_as_an_unnamed_user() {
    let dockerfile = text("packaging/Dockerfile");
    let stages = dockerfile.lines().filter(|line| line.starts_with("FROM "));
    let users: Vec<&str> = dockerfile
        .lines()
        .filter_map(|line| line.strip_prefix("USER "))
        .collect();
    assert_eq!(users, ["65532:65532"; 2]);
    assert_eq!(stages.count(), 2);
    let last = dockerfile.lines().rfind(|line| line.starts_with("FROM "));
    assert_eq!(last, Some("FROM scratch AS plain"));
    let pod = pod();
    assert_eq!(pod["securityContext"]["runAsUser"], 65532);
    assert_eq!(pod["securityContext"]["runAsGroup"], 65532);
}

/// Runs the command of the container with a stand-in for curl that keeps its arguments and the metrics.
#[cfg(unix)]
#[test]
fn nightly_check_pushes_its_metrics() {
    use std::process::Command;

    let folder = crate::support::folder::Folder::new("nightly", &[]);
    let binary = crate::support::run::binary();
    let examples = crate::support::files::root().join("examples/cluster");
    let scan = |from: &str| {
        format!("#!/bin/sh\nexec {binary} \"$@\" -f {from} --now 2026-11-21T02:13:08Z\n")
    };
    let scans = scan(examples.to_str().unwrap());
    folder.program("bin/kubectl-cronjob_doctor", &scans);
    let curl =
        "#!/bin/sh\nprintf '%s\\n' \"$@\" > \"$FOLDER/curl\"\ncp metrics \"$FOLDER/pushed\"\n";
    folder.program("bin/curl", curl);
    let pod = pod();
    let container = &pod["containers"][0];
    let command = container["command"].items().iter();
    let command: Vec<&str> = command.map(Json::text).collect();
    let variable = &container["env"][0];
    let call = || {
        let path = std::env::var("PATH").unwrap();
        let bin = folder.join("bin");
        Command::new(command[0])
            .args(&command[1..])
            .current_dir(folder.path())
            .env_clear()
            .env("HOME", "/no/such/folder")
            .env("FOLDER", folder.path())
            .env("PATH", format!("{}:{path}", bin.display()))
            .env(variable["name"].text(), variable["value"].text())
            .output()
            .unwrap()
    };
    let output = call();
    assert!(output.status.success(), "{output:?}");
    let words = folder.read("curl");
    let words: Vec<&str> = words.lines().collect();
    for flag in [["--request", "PUT"], ["--data-binary", "@metrics"]] {
        assert!(words.windows(2).any(|pair| pair == flag), "{words:?}");
    }
    let expected = "http://pushgateway:9091/metrics/job/cronjob-doctor";
    assert_eq!(words.last(), Some(&expected));
    let last = "cronjob_doctor_scan_timestamp_seconds 1795227188\n";
    assert_ends!(folder.read("pushed"), last);
    // If the scan fails, nothing is pushed.
    std::fs::remove_file(folder.join("curl")).unwrap();
    folder.program("bin/kubectl-cronjob_doctor", &scan("/no/such/file"));
    assert_eq!(call().status.code(), Some(2));
    assert!(!folder.join("curl").exists());
}
