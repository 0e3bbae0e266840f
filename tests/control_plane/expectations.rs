//! Durations and expectations, as a real API server and Job controller store them.

use crate::control_plane::prelude::*;

/// The Jobs are created suspended and then resumed, as Kueue does it: the Job controller sets
/// `status.startTime` when a Job is resumed.
#[test]
fn durations_and_expectations_of_a_real_cluster_are_read() {
    let ns = namespace!("expectations");
    ns.create(
        "report",
        &json!({"schedule": "0 0 1 1 *", "successfulJobsHistoryLimit": 10}),
    );
    let annotations = json!({
        "cronjob-doctor/max-duration": "30m",
        "cronjob-doctor/success-within": "often",
        "cronjob-doctor/runbook": "https://wiki.example.com/report",
    });
    ns.edit("report", &json!({"metadata": {"annotations": annotations}}));
    let owner = owner(&ns.cron_job("report"));
    let started = |name: &str| {
        ns.create_job(name, Some(&owner));
        let path = format!("{}/{name}", batch(&ns.name, "jobs"));
        ns.api.patch(&path, &json!({"spec": {"suspend": false}}));
        eventually("the Job starts", || {
            ns.api.get(&path)["status"]["startTime"]
                .as_str()
                .map(str::to_owned)
        })
    };
    for (number, seconds) in [240, 250, 230, 300, 360].into_iter().enumerate() {
        let name = format!("report-{number}");
        let start: Timestamp = started(&name).parse().unwrap();
        let end = start + SignedDuration::from_secs(seconds);
        // As the Job controller writes a success, except that no pod had to run.
        let condition =
            |kind: &str| json!({"type": kind, "status": "True", "lastTransitionTime": end});
        ns.set_job_status(
            &name,
            &json!({
                "completionTime": end, "succeeded": 1, "active": 0, "ready": 0,
                "uncountedTerminatedPods": {},
                "conditions": [condition("SuccessCriteriaMet"), condition("Complete")],
            }),
        );
    }
    let running = started("report-running");

    let document = ns.document("scan report");
    let row = &document["items"][0];
    let expected = json!({"p50Seconds": 250, "p95Seconds": 360, "sumSeconds": 1380, "runs": 5});
    assert_eq!(row["usualDuration"], expected);
    assert_eq!(
        row["expectations"],
        json!({
            "maxDurationSeconds": 1800,
            "successWithinSeconds": null,
            "runbook": "https://wiki.example.com/report",
        })
    );
    assert_eq!(row["runningSince"], json!(running));
    assert!(finding(row, "invalid-expectation").is_some(), "{row}");
}
