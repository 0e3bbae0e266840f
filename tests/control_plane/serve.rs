//! An exporter that follows a real control plane.

use serde_json::json;

use crate::control_plane::shared_plane;
use crate::control_plane::stage::Stage;
use crate::live::call::Call;
use crate::live::serve::Exporter;
use crate::support::control_plane::eventually;

#[test]
fn metrics_follow_a_failing_cron_job() {
    let Some(plane) = shared_plane() else { return };
    let stage = Stage::new(plane, "served");
    let template = json!({
        "restartPolicy": "Never",
        "containers": [{"name": "main", "image": "busybox:1"}],
    });
    let spec = json!({
        "schedule": stage.clock.hourly(10),
        "timeZone": "Etc/UTC",
        "suspend": true,
        "jobTemplate": {"spec": {"backoffLimit": 0, "template": {"spec": template}}},
    });
    stage.create("fails", &spec);
    stage.set_last("fails", stage.clock.hours_and_minutes_ago(1, 10));
    let kubeconfig = plane.kubeconfig("admin");
    let kubeconfig = kubeconfig.to_str().unwrap();
    let exporter = Exporter::of(Call::new(&[
        "serve",
        "-n",
        "served",
        "--listen=127.0.0.1:0",
        "--kubeconfig",
        kubeconfig,
    ]));
    exporter.wait_until_ready();
    let line = |name: &str, value: u32| {
        format!(r#"cronjob_doctor_{name}{{namespace="served",cronjob="fails"}} {value}"#)
    };
    exporter.wait_for(&line("suspended", 1), true);
    exporter.wait_for(&line("active_jobs", 0), true);
    // The missed run starts.
    stage.edit("fails", &json!({"spec": {"suspend": false}}));
    exporter.wait_for(&line("active_jobs", 1), true);
    exporter.wait_for(&line("suspended", 0), true);
    // Its pod fails, as a kubelet reports it.
    let pods = "/api/v1/namespaces/served/pods";
    let pod = eventually("the Job has a pod", || {
        let list = stage.api.get(pods);
        list["items"].as_array().unwrap().first().cloned()
    });
    let name = pod["metadata"]["name"].as_str().unwrap();
    let [began, ended] = [4, 3].map(|minutes| stage.clock.minutes_ago(minutes));
    let terminated = json!({
        "exitCode": 1, "reason": "Error", "startedAt": began, "finishedAt": ended,
    });
    let status = json!({"status": {
        "phase": "Failed",
        "startTime": began,
        "containerStatuses": [{
            "name": "main",
            "image": "busybox:1",
            "imageID": "",
            "ready": false,
            "started": false,
            "restartCount": 0,
            "state": {"terminated": terminated},
        }],
    }});
    stage.api.patch(&format!("{pods}/{name}/status"), &status);
    exporter.wait_for(&line("last_run_result", 0), true);
    exporter.wait_for(&line("active_jobs", 0), true);
    exporter.wait_for(&line("health", 0), false);
    assert_eq!(exporter.get("/").code, 200);
}
