//! `scan --since`: what is new, what is gone, and what is only counted.

use crate::support::prelude::*;

use super::CLUSTER;

/// The document of the recorded cluster.
fn recorded(more: impl CommandLine) -> Value {
    doctor((&CLUSTER, "-o json", more)).document()
}

fn item<'a>(document: &'a mut Value, name: &str) -> &'a mut Value {
    let items = document["items"].as_array_mut().unwrap().iter_mut();
    items.into_iter().find(|item| item["name"] == name).unwrap()
}

/// Nine findings of an earlier scan. Since then, `last-run-failed` appeared; `missed-without-event` was info before.
/// `healthy` had a warning, `ghost` was deleted with its error, and `minutely` is new.
fn earlier() -> Value {
    let mut document = recorded("");
    document["now"] = json!("2026-11-20T22:13:08Z");
    item(&mut document, "failing")["findings"] = json!([]);
    item(&mut document, "office")["findings"][0]["severity"] = json!("info");
    item(&mut document, "healthy")["findings"] = json!([finding("clock-skew", "warning")]);
    let mut ghost = item(&mut document, "healthy").clone();
    ghost["name"] = json!("ghost");
    ghost["findings"] = json!([finding("last-run-failed", "error")]);
    let items = document["items"].as_array_mut().unwrap();
    items.retain(|item| item["name"] != "minutely");
    items.push(ghost);
    document
}

fn finding(code: &str, severity: &str) -> Value {
    json!({
        "code": code, "severity": severity, "title": "T", "detail": "D.", "remedy": null, "field": null,
    })
}

/// Runs `scan --since` with the document.
fn since(document: &Value, more: impl CommandLine) -> Ran {
    with_file(&document.to_string(), more)
}

fn with_file(text: &str, more: impl CommandLine) -> Ran {
    let folder = Folder::new("since", &[("last.json", text)]);
    let cluster = format!("{}/examples/cluster", env!("CARGO_MANIFEST_DIR"));
    let arguments = CLUSTER.replace("examples/cluster", &cluster);
    doctor_in(&folder, (arguments, "--since last.json", more))
}

#[test]
fn findings_are_new_gone_or_unchanged() {
    let document = since(&earlier(), "-o json").document();
    let changes = &document["since"];
    let of = |list: &str| -> Vec<String> {
        let list = changes[list].items().iter();
        let words = list.map(|change| {
            let text = |key: &str| change[key].as_str().unwrap_or("-").to_owned();
            let keys = ["name", "code", "severity", "earlierSeverity"];
            keys.map(text).join(" ")
        });
        words.collect()
    };
    assert_eq!(changes["at"], "2026-11-20T22:13:08Z");
    assert_eq!(of("new"), ["failing last-run-failed error -"]);
    let expected = ["office missed-without-event warning info"];
    assert_eq!(of("severityChanges"), expected);
    let ghost = "ghost last-run-failed - error";
    assert_eq!(of("gone"), [ghost, "healthy clock-skew - warning"]);
    assert_eq!(changes["still"], 6);
    assert_eq!(changes["notes"], json!([]));
    let expected = json!([{"namespace": "shop", "name": "minutely"}]);
    assert_eq!(changes["added"], expected);
    let expected = json!([{"namespace": "shop", "name": "ghost"}]);
    assert_eq!(changes["removed"], expected);
    // The document itself is complete.
    assert_eq!(document["items"].items().len(), 12);
    assert_eq!(document["summary"]["total"], 12);
}

#[test]
fn document_without_since_has_null() {
    assert_eq!(recorded("")["since"], Value::Null);
}

#[test]
fn text_shows_new_before_gone() {
    let text = since(&earlier(), "").fine();
    assert!(text.lines().all(|line| line.chars().count() <= 80));
    insta::assert_snapshot!(text);
    let wide = since(&earlier(), "-o wide -A --no-headers").fine();
    insta::assert_snapshot!(wide);
    let unchanged = since(&recorded(""), "").fine();
    insta::assert_snapshot!(unchanged);
}

/// `healthy` and `office` had no problem before, or have none now.
#[test]
fn problems_only_compares_warnings_and_errors() {
    let mut document = earlier();
    item(&mut document, "never")["findings"]
        .as_array_mut()
        .unwrap()
        .push(finding("clock-change-repeats-run", "info"));
    let gone = |more: &str| {
        let document = since(&document, ("-o json", more)).document();
        document["since"]["gone"].items().len()
    };
    assert_eq!(gone(""), 3);
    assert_eq!(gone("--problems-only"), 2);
}

#[test]
fn fail_on_counts_only_new_and_more_severe_findings() {
    let code =
        |document: &Value, fail_on: &str| since(document, format!("--fail-on {fail_on}")).code;
    let all = earlier();
    assert_eq!(code(&all, "error"), 1);
    assert_eq!(code(&all, "never"), 0);
    // The earlier document already has the error; the warning that was info before remains.
    let mut warning = recorded("");
    item(&mut warning, "office")["findings"][0]["severity"] = json!("info");
    assert_eq!(code(&warning, "error"), 0);
    assert_eq!(code(&warning, "warning"), 1);
    // All findings existed before, and one is less severe now.
    let mut nothing = recorded("");
    item(&mut nothing, "office")["findings"][0]["severity"] = json!("error");
    assert_eq!(code(&nothing, "info"), 0);
}

/// A CronJob that could not be read was not deleted, and its findings may still exist.
#[test]
fn unread_cronjobs_are_not_removed() {
    let folder = Folder::new("since", &[]);
    let manifest = |name: &str| {
        json!({
            "apiVersion": "batch/v1", "kind": "CronJob",
            "metadata": {"name": name, "namespace": "a"},
            "spec": {"schedule": "0 0 31 2 *", "jobTemplate": {}},
        })
    };
    folder.write("one.json", manifest("one").to_string());
    folder.write("two.json", manifest("two").to_string());
    let call = "scan -f=one.json -f=two.json --now=2026-11-21T02:00:00Z";
    folder.write("last.json", doctor_in(&folder, (call, "-o=json")).stdout);
    folder.write("two.json", "spec: [");
    let ran = doctor_in(&folder, (call, "--since=last.json -o=json"));
    assert_eq!(ran.code, 2, "{ran}");
    let document = ran.json();
    let changes = &document["since"];
    for list in ["new", "gone", "removed", "added"] {
        assert_eq!(changes[list], json!([]), "{list}");
    }
    assert_eq!(changes["notes"].items().len(), 1);
}

#[test]
fn evidence_and_versions_that_differ_are_noted() {
    let mut document = recorded("");
    document["lacks"] = json!([{"what": "jobs", "reason": "forbidden"}]);
    document["controller"]["kubernetesVersion"] = json!("1.35");
    insta::assert_snapshot!(since(&document, "").fine());
}

#[test]
fn wrong_files_are_errors_with_a_remedy() {
    let mut of_other = recorded("");
    of_other["selection"]["namespace"] = json!("a|b");
    let problems = recorded("--problems-only");
    let mut newer = recorded("");
    newer["apiVersion"] = json!("cronjob-doctor/v2");
    let mut incomplete = recorded("");
    incomplete["items"][0]["findings"][0]["severity"] = json!("deadly");
    let texts = [
        String::new(),
        "NAME   NEXT\n".to_owned(),
        "{\"apiVersion\": ".to_owned(),
        "[]".to_owned(),
        "{}".to_owned(),
        json!({"apiVersion": "v1", "kind": "List", "items": []}).to_string(),
        json!({"apiVersion": "cronjob-doctor/v1", "kind": "History"}).to_string(),
        newer.to_string(),
        incomplete.to_string(),
        problems.to_string(),
        of_other.to_string(),
    ];
    let mut shown = texts.map(|text| with_file(&text, "").refused()).to_vec();
    let same = recorded("");
    shown.push(since(&same, "-l app=x --managed-by=helm").refused());
    shown.push(since(&same, "cj/nightly").refused());
    shown.push(since(&same, "-n shop").refused());
    for format in ["name", "csv", "junit", "prometheus"] {
        let refused = since(&same, format!("-o {format}")).refused();
        assert_contains!(refused, "--since");
    }
    insta::assert_snapshot!(shown.join("\n"));
}

#[cfg(unix)]
#[test]
fn pipes_directories_and_huge_files_are_not_read() {
    let folder = Folder::new("since", &[]);
    std::fs::create_dir(folder.join("folder")).unwrap();
    let huge = std::fs::File::create(folder.join("huge")).unwrap();
    // A sparse file.
    huge.set_len(1 << 30).unwrap();
    crate::support::files::pipe(&folder.join("pipe"));
    let refused = |file: &str| {
        let call = ["scan", "-f", "-", "--since", file];
        doctor_in(&folder, call).refused()
    };
    let shown = ["absent", "-", "folder", "huge", "pipe"].map(refused);
    insta::assert_snapshot!(shown.join("\n"));
    let utf16: Vec<u8> = "{}".encode_utf16().flat_map(u16::to_le_bytes).collect();
    folder.write("utf16", [vec![0xff, 0xfe], utf16].concat());
    assert!(refused("utf16").contains("UTF-16"));
}

#[test]
fn watch_with_since_is_rejected() {
    doctor("scan --watch --since last.json").refused();
}
