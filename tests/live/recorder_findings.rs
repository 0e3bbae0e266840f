//! `serve` finds what `scan` finds, with and without `--record`, also after it has read the pods again.

use std::sync::Mutex;
use std::thread;

use crate::live::prelude::*;
use crate::live::serve::Exporter;
use crate::support::control_plane::wait_until;
use crate::support::files::{below, text, yaml};

/// The metrics that depend on findings, without those that change with each second.
fn findings(metrics: &str) -> Vec<String> {
    let names = [
        "cronjob_doctor_health{",
        "cronjob_doctor_findings{",
        "cronjob_doctor_lacks{",
        "cronjob_doctor_last_run_state{",
    ];
    let lines = metrics.lines();
    let lines = lines.filter(|line| names.iter().any(|name| line.starts_with(name)));
    lines.map(str::to_owned).collect()
}

fn scan_time(metrics: &str) -> i64 {
    let name = "cronjob_doctor_scan_timestamp_seconds ";
    let mut lines = metrics.lines();
    let value = lines.find_map(|line| line.strip_prefix(name));
    value.unwrap().parse().unwrap()
}

fn objects(text: &str) -> Vec<Value> {
    let documents = yaml(text).into_iter().flat_map(|document| {
        let items = document["items"].as_array().cloned();
        items.unwrap_or_else(|| vec![document])
    });
    let kinds = ["CronJob", "Job", "Pod", "Event", "ResourceQuota"];
    documents
        .filter(|object| kinds.contains(&object["kind"].text()))
        .collect()
}

/// What is different from `scan` in an example; the API server's time advances by 20 seconds before the second reading.
fn differences(file: &str, text: &str) -> Vec<String> {
    let comment = |name: &str| {
        let mut lines = text.lines();
        lines
            .find_map(|line| line.strip_prefix(&format!("# {name}: ")))
            .map(str::to_owned)
    };
    let now = comment("now").unwrap();
    let version = comment("kubernetes").map(|version| format!("--kubernetes-version={version}"));
    let version = version.unwrap_or_default();
    let server = ApiServer::start(Options::default().now(&now));
    let mut seen = std::collections::HashSet::new();
    for object in objects(text) {
        let metadata = &object["metadata"];
        let key = format!(
            "{} {} {}",
            object["kind"], metadata["namespace"], metadata["name"]
        );
        // Some files contain an object twice.
        if seen.insert(key) {
            server.add(object);
        }
    }
    let folder = Folder::new("findings", &[]);
    let start = |record: &str| {
        let serve = format!("serve -A --listen=127.0.0.1:0 {version} {record}");
        let call = Call::by(&server, "viewer", serve.as_str()).in_folder(&folder);
        let exporter = Exporter::of(call);
        exporter.wait_until_ready();
        exporter
    };
    let exporters = [start(""), start("--record runs.db")];
    let mut wrong = Vec::new();
    let mut compare = |when: &str| {
        let scan = format!("scan -A -o prometheus --quiet {version}");
        let expected = findings(&Call::by(&server, "viewer", scan.as_str()).run().stdout);
        assert!(!expected.is_empty(), "{file}");
        for (what, exporter) in ["serve", "serve --record"].iter().zip(&exporters) {
            let shown = findings(&exporter.get("/metrics").body);
            if shown != expected {
                let lines = shown.iter().chain(&expected);
                let differ = lines.filter(|line| shown.contains(line) != expected.contains(line));
                let differ: Vec<&String> = differ.collect();
                wrong.push(format!("{file} {when}, {what}: {differ:#?}"));
            }
        }
    };
    compare("at first");
    let now: jiff::Timestamp = now.parse().unwrap();
    let later = jiff::Timestamp::from_second(now.as_second() + 20).unwrap();
    server.stop();
    for exporter in &exporters {
        let lost = "warning: connection to the cluster lost";
        exporter.going.message_where(|line| line.starts_with(lost));
    }
    server.set_date(&later.to_string());
    server.restart();
    for exporter in &exporters {
        wait_until("it has read again", || {
            scan_time(&exporter.get("/metrics").body) >= later.as_second()
        });
    }
    compare("after the second reading");
    wrong
}

#[test]
fn serve_finds_what_scan_finds_with_and_without_a_recorder() {
    let files = below("examples/findings").into_iter();
    // The test server does not support CronJobs of other controllers.
    let files: Vec<String> = files
        .filter(|path| !text(path).contains("nextScheduleTime"))
        .collect();
    assert!(files.len() > 50);
    let (files, wrong) = (Mutex::new(files), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                loop {
                    let next = files.lock().unwrap().pop();
                    let Some(file) = next else { return };
                    let found = differences(&file, &text(&file));
                    wrong.lock().unwrap().extend(found);
                }
            });
        }
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
