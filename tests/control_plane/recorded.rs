//! `serve --record` with a real controller, which deletes Jobs beyond the history limits.

use crate::control_plane::last_run::start;
use crate::control_plane::prelude::*;
use crate::live::call::Call;
use crate::live::serve::Exporter;

/// Both recorders are killed: the first one before the run ends, the second one after it has stored the end.
#[test]
fn end_of_a_run_whose_job_is_deleted_immediately_is_stored() {
    let ns = namespace!("recorded");
    let folder = Folder::new("recorded", &[]);
    let file = folder.join("runs.db");
    let serve = || {
        let kubeconfig = ns.plane.kubeconfig("admin");
        let place = ["-n", &ns.name, "--kubeconfig", kubeconfig.to_str().unwrap()];
        let record = ["--record", file.to_str().unwrap()];
        let exporter = Exporter::of(Call::new((("serve --listen=127.0.0.1:0", record), place)));
        exporter.wait_until_ready();
        exporter
    };
    let stored = |exporter: &Exporter, name: &str, result: &str| {
        eventually(&format!("{name} is {result}"), || {
            let path = format!("/api/v1/history?namespace={}&name={name}", ns.name);
            let document: Value = serde_json::from_str(&exporter.get(&path).body).ok()?;
            let runs = document["items"][0]["runs"].as_array()?.clone();
            runs.into_iter().find(|run| {
                // Of a run whose pod waits, nothing is known yet.
                let known = run["result"].as_str().unwrap_or("waiting");
                known == result && run["jobName"] != Value::Null
            })
        })
    };
    let none = json!({});
    let kept = json!({"successfulJobsHistoryLimit": 0, "failedJobsHistoryLimit": 0});
    let first = serve();
    let jobs = ["succeeds", "fails"]
        .map(|name| start(&ns, name, &kept, &json!({"backoffLimit": 0}), &none));
    for name in ["succeeds", "fails"] {
        stored(&first, name, "waiting");
    }
    drop(first);
    let second = serve();
    ns.end_pod_of("succeeds", "Succeeded");
    ns.end_pod_of("fails", "Failed");
    wait_until("the controller deletes both", || ns.job_names().is_empty());
    let ended = [
        stored(&second, "succeeds", "succeeded"),
        stored(&second, "fails", "failed"),
    ];
    drop(second);
    let read = |name: &str| {
        let history = [
            "history",
            name,
            "--since",
            "1h",
            "--recorder",
            file.to_str().unwrap(),
        ];
        let document = ns.document(history.as_slice());
        let runs = document["items"][0]["runs"].items().iter();
        let with_job: Vec<Value> = runs
            .filter(|run| run["jobName"] != Value::Null)
            .cloned()
            .collect();
        with_job
    };
    for ((name, job), run) in ["succeeds", "fails"].iter().zip(jobs).zip(ended) {
        let [read] = <[Value; 1]>::try_from(read(name)).unwrap();
        assert_eq!(read["jobName"], json!(job));
        // Before 1.29, the status can show the run, too.
        assert!(
            ns.plane.minor < 29 || read["source"] == "recorder",
            "{read}"
        );
        for field in ["scheduledTime", "startedAt", "finishedAt", "result"] {
            assert_eq!(read[field], run[field], "{name} {field}");
        }
    }
}
