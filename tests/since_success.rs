//! What has changed since the last success: with recorded runs, and in text.

use cronjob_diagnosis::history::RunStatus;
use cronjob_doctor::recorder::{CronJobUpdate, StoredSpec};
use kube_model::{RunResult, StoredRun, template_fingerprint};

use crate::recorder::{failed_at_ten, file, open, pod_of_ten, record, stored};
use crate::support::files::{below, text};
use crate::support::model::at;
use crate::support::prelude::*;

/// A store with the success of `gone.yaml`, whose Job had this template.
fn recorder_with(folder: &Folder, template: &str, images: Option<&str>) {
    let mut store = file(folder).create().unwrap();
    let run = StoredRun {
        at: at("2026-03-09T02:00:00Z"),
        status: Some(RunStatus::OnTime),
        result: Some(RunResult::Succeeded),
        job_name: Some("report-29550360".to_owned()),
        started_at: Some(at("2026-03-09T02:00:00Z")),
        finished_at: Some(at("2026-03-09T02:10:00Z")),
        template: Some(template.to_owned()),
        images: images.map(str::to_owned),
        ..StoredRun::default()
    };
    let update = CronJobUpdate {
        uid: "uid-of-report".to_owned(),
        namespace: "shop".to_owned(),
        name: "report".to_owned(),
        judged_until: at("2026-03-10T03:00:00Z"),
        spec: Some(StoredSpec {
            schedule: "0 2 * * *".to_owned(),
            time_zone: Some("Etc/UTC".to_owned()),
            suspend: false,
            concurrency_policy: "Forbid".to_owned(),
            starting_deadline: None,
            generation: Some(2),
        }),
        runs: vec![run],
    };
    let watched = at("2026-03-09T00:00:00Z")..at("2026-03-10T03:00:00Z");
    store
        .write(&[update], &[], Some(&watched), watched.end)
        .unwrap();
}

#[test]
fn recorder_shows_whether_the_template_is_the_one_of_a_success_that_is_gone() {
    let spec = json!({
        "backoffLimit": 0, "suspend": false, "selector": {"matchLabels": {"controller-uid": "u"}},
        "template": {
            "metadata": {"labels": {"controller-uid": "u", "job-name": "report-29550360"}},
            "spec": {
                "containers": [{"image": "registry.example.com/report:1.4", "name": "main", "resources": {}}],
                "dnsPolicy": "ClusterFirst", "restartPolicy": "Never",
            },
        },
    });
    let same = template_fingerprint(&spec).unwrap();
    for (template, differs) in [(&*same, false), ("0123456789abcdef", true)] {
        let folder = Folder::new("since-recorder", &[]);
        recorder_with(&folder, template, Some("main=sha256:abc"));
        let call = "explain report -n shop -f examples/since/gone.yaml --now=2026-03-10T09:00:00Z";
        let ran = doctor((call, ["--recorder", &*folder.file("runs.db"), "-o", "json"]));
        let found = &ran.document()["items"][0]["sinceSuccess"];
        assert_eq!(
            found["recorded"],
            json!({"template": differs, "images": null})
        );
    }
}

#[test]
fn template_and_digests_are_recorded_and_kept() {
    let folder = Folder::new("since-recorded", &[]);
    let mut evidence = failed_at_ten();
    let digest = format!("sha256:{}", "a".repeat(64));
    let mut pod = pod_of_ten();
    pod.containers[0].image_id = format!("registry.example.com/tick@{digest}");
    let container = pod.containers[0].name.clone();
    evidence.pods = vec![pod];
    evidence.jobs[0].template = Some("0123456789abcdef".to_owned());
    record(&mut open(&folder), &evidence, at("10:05"));
    let kept = || {
        let runs = stored(&folder).runs;
        let run = runs.into_iter().find(|run| run.job_name.is_some()).unwrap();
        (run.template, run.images)
    };
    let expected = (
        Some("0123456789abcdef".to_owned()),
        Some(format!("{container}={digest}")),
    );
    assert_eq!(kept(), expected);
    // As a list shows it, after the pods are gone.
    evidence.jobs[0].template = None;
    evidence.pods.clear();
    record(&mut open(&folder), &evidence, at("10:15"));
    assert_eq!(kept(), expected);
}

#[test]
fn node_that_was_ready_for_long_is_not_shown() {
    let call = "explain mirror -n shop -f examples/since/node.yaml --now=2026-03-10T09:00:00Z";
    let text = doctor(call).fine();
    assert!(!text.contains("node-b"), "an old node is no cause");
}

#[test]
fn history_marks_the_run_with_another_template() {
    let marked = |name: &str| {
        let call = format!(
            "history {name} -n shop -o wide -f examples/since/image.yaml --now=2026-03-10T09:00:00Z"
        );
        let text = doctor(call.as_str()).fine();
        let marked = text
            .lines()
            .filter(|line| line.contains("new Job template"));
        marked.map(str::to_owned).collect::<Vec<_>>()
    };
    let report = marked("report");
    assert_eq!(report.len(), 1);
    assert_contains!(report[0], "report-29551800");
    assert_eq!(marked("mirror"), Vec::<String>::new());
}

/// The lines of the default text, as in other examples.
const LONGEST: usize = 26;

#[test]
fn examples_in_text() {
    let mut texts = String::new();
    for file in below("examples/since") {
        let text = text(&file);
        let now = text
            .lines()
            .find_map(|line| line.strip_prefix("# now: "))
            .unwrap();
        let call = format!("explain -q -f {file} --kubernetes-version=1.36 --now={now}");
        for more in ["", "-o wide"] {
            let shown = doctor((call.as_str(), more)).fine();
            for page in shown.split("\nshop/") {
                assert!(
                    !more.is_empty() || page.lines().count() <= LONGEST,
                    "{page}"
                );
                let begins = |line: &&str| {
                    let starts = ["Changed since", "Same Job template", "Cannot compare"];
                    starts
                        .iter()
                        .any(|start| line.trim_start().starts_with(start))
                };
                let block = page.lines().skip_while(|line| !begins(line));
                let block = block
                    .take_while(|line| !line.trim().is_empty() && !line.starts_with("  Schedule"));
                let block: Vec<&str> = block.collect();
                // The line of the last success may say it.
                let page_words = words(page);
                let same = page_words.split_once(" ago, same ");
                let same = same.and_then(|(_, rest)| rest.split('.').next());
                let block = same.map_or_else(|| block.join("\n"), |same| format!("same {same}"));
                let name = page.lines().next().unwrap().trim_start_matches("shop/");
                texts += &format!("---- {file} {name} {more}\n{block}\n");
            }
        }
    }
    insta::assert_snapshot!(texts);
}
