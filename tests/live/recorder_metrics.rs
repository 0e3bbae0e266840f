//! The metrics of `serve --record` about runs, and about the recorder.

use cronjob_doctor::recorder::{CronJobUpdate, StoreLocation, StoredSpec};
use jiff::{SignedDuration, Timestamp};
use kube_model::{RunKind, RunResult, RunStatus, StoredRun};

use crate::live::prelude::*;
use crate::live::serve::Exporter;
use crate::support::control_plane::eventually;
use crate::support::local_clock::LocalClock;
use crate::support::promtool::promtool;

/// Stores runs of `nightly` on the days from one on, at 02:00, of five minutes each.
fn store_nightly(folder: &Folder, first: &str, results: &[RunResult]) {
    let first: Timestamp = first.parse().unwrap();
    let runs = results.iter().zip(0_i64..).map(|(result, day)| {
        let at = first + SignedDuration::from_hours(24 * day);
        StoredRun {
            kind: RunKind::Scheduled,
            at,
            status: Some(RunStatus::OnTime),
            result: Some(*result),
            job_name: Some(format!("nightly-{}", at.as_second() / 60)),
            started_at: Some(at),
            finished_at: Some(at + SignedDuration::from_mins(5)),
            ..StoredRun::default()
        }
    });
    let until: Timestamp = "2026-11-20T14:00:00Z".parse().unwrap();
    let update = CronJobUpdate {
        uid: "uid-of-nightly".to_owned(),
        namespace: "shop".to_owned(),
        name: "nightly".to_owned(),
        judged_until: until,
        spec: Some(StoredSpec {
            schedule: "0 2 * * *".to_owned(),
            time_zone: Some("Etc/UTC".to_owned()),
            suspend: false,
            concurrency_policy: "Forbid".to_owned(),
            starting_deadline: Some(3600),
            generation: None,
        }),
        runs: runs.collect(),
    };
    let mut store = StoreLocation::File(folder.join("runs.db"))
        .create()
        .unwrap();
    store.write(&[update], &[], None, until).unwrap();
}

/// A recorder of the scene at noon, with the local clock there.
fn serve(server: &ApiServer, folder: &Folder) -> Option<(LocalClock, Exporter)> {
    let clock = LocalClock::showing("2026-11-21T12:00:05Z")?;
    let serve = "serve -A --listen=127.0.0.1:0 --record runs.db";
    let mut call = Call::by(server, "viewer", serve).in_folder(folder);
    for (name, value) in clock.variables() {
        call = call.variable(name, &value);
    }
    let exporter = Exporter::of(call);
    exporter.wait_until_ready();
    Some((clock, exporter))
}

/// The value of a metric, once it is there.
fn value_of(exporter: &Exporter, metric: &str) -> String {
    eventually(metric, || {
        let metrics = exporter.get("/metrics").body;
        let mut lines = metrics.lines();
        lines.find_map(|line| {
            line.strip_prefix(metric)?
                .strip_prefix(' ')
                .map(str::to_owned)
        })
    })
}

/// Three runs are stored, and the Job of a fourth one is left in the cluster: three of four succeeded.
#[test]
fn reliability_and_counters_are_metrics_that_promtool_accepts() {
    let (server, folder) = (noon(), Folder::new("recorder", &[]));
    let (succeeded, failed) = (RunResult::Succeeded, RunResult::Failed);
    store_nightly(
        &folder,
        "2026-11-18T02:00:00Z",
        &[succeeded, failed, succeeded],
    );
    let Some((_clock, exporter)) = serve(&server, &folder) else {
        return;
    };
    let of_nightly = "namespace=\"shop\",cronjob=\"nightly\"";
    let ratio = value_of(
        &exporter,
        &format!("cronjob_doctor_reliability_ratio{{{of_nightly}}}"),
    );
    assert_eq!(ratio, "0.75");
    let metrics = exporter.get("/metrics").body;
    // What was due before the start is not counted.
    for outcome in ["succeeded", "failed", "late", "skipped", "unknown"] {
        let count = format!("cronjob_doctor_runs_total{{{of_nightly},outcome=\"{outcome}\"}} 0\n");
        assert_contains!(metrics, &count);
    }
    assert_contains!(metrics, "# TYPE cronjob_doctor_runs_total counter\n");
    assert_lacks!(metrics, "timestamp_seconds 0\n");
    let Some(output) = promtool(&folder, &["check", "metrics"], &metrics) else {
        return;
    };
    assert!(output.status.success(), "{output:?}");
    assert_eq!((output.stdout, output.stderr), (vec![], vec![]));
}

/// Of seven successes six are only stored, of five minutes each; the Job of the seventh is left. The next run may take
/// twice as long as usual, and five minutes to start.
#[test]
fn usual_duration_and_due_success_count_stored_runs() {
    let (server, folder) = (noon(), Folder::new("recorder", &[]));
    store_nightly(&folder, "2026-11-15T02:00:00Z", &[RunResult::Succeeded; 6]);
    let Some((_clock, exporter)) = serve(&server, &folder) else {
        return;
    };
    let value = |metric: &str, more: &str| {
        let labels = format!("namespace=\"shop\",cronjob=\"nightly\"{more}");
        value_of(&exporter, &format!("cronjob_doctor_{metric}{{{labels}}}"))
    };
    assert_eq!(value("usual_duration_seconds", ",quantile=\"0.95\""), "300");
    assert_eq!(value("usual_duration_seconds_count", ""), "7");
    let due: Timestamp = "2026-11-22T02:15:00Z".parse().unwrap();
    let due = due.as_second().to_string();
    assert_eq!(value("success_due_timestamp_seconds", ""), due);
}
