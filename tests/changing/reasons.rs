//! Why something is suspended: written down with it, shown wherever it is looked at, and forgotten
//! when it is resumed.

use serde_json::{Value, json};

use crate::changing::cast::{call, changes, patch, server, stored};

const MIGRATION: &str = "--reason=migration of the database to the new cluster";

#[test]
fn it_is_kept_with_the_object() {
    let server = server();
    let ran = call(&server, &["suspend", "nightly", "-y", "-q", MIGRATION]);
    assert_ran!(ran, 0, "cronjob.batch/nightly suspended\n");
    let body = r#"{"metadata":{"resourceVersion":"2","annotations":{"cronjob-doctor/suspend-reason":"migration of the database to the new cluster"}},"spec":{"suspend":true}}"#;
    assert_eq!(changes(&server), [patch("nightly", "", body)]);
    let ran = call(&server, &["scan", "--sort=name"]);
    assert_ran!(ran, 0);
    let ran = call(&server, &["explain", "nightly", "-o", "json"]);
    let explained: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(
        explained["items"][0]["verdict"],
        "Suspended (migration of the database to the new cluster). If resumed now, it runs next Sun 2026-11-22 02:00 Etc/UTC (in 23h)"
    );
    let ran = call(&server, &["scan", "-o", "json", "--sort=name"]);
    let scanned: Value = serde_json::from_str(&ran.stdout).unwrap();
    let reasons: Vec<&Value> = scanned["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| &item["suspendReason"])
        .collect();
    assert_eq!(
        json!(reasons),
        json!([
            null,
            null,
            "migration of the database to the new cluster",
            null
        ])
    );
}

#[test]
fn it_goes_with_the_suspension() {
    let server = server();
    call(&server, &["suspend", "nightly", "-y", MIGRATION]);
    let ran = call(&server, &["resume", "nightly", "-y", "-q"]);
    assert_ran!(ran, 0, "cronjob.batch/nightly resumed\n");
    let version = {
        let requests = server.requests();
        requests.last().unwrap().json()["metadata"]["resourceVersion"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    let body = format!(
        r#"{{"metadata":{{"resourceVersion":"{version}","annotations":{{"cronjob-doctor/suspend-reason":null}}}},"spec":{{"suspend":false}}}}"#
    );
    assert_eq!(changes(&server)[1], patch("nightly", "", &body));
    let annotations = &stored(&server, "nightly")["metadata"]["annotations"];
    assert!(
        annotations.get("cronjob-doctor/suspend-reason").is_none(),
        "{annotations}"
    );
}

/// The end is kept in UTC, and a suspension without one or without a reason does not inherit those of another.
#[test]
fn planned_end_is_kept_and_removed() {
    let server = server();
    let until = "--until=2026-11-22T06:00:00+01:00";
    call(&server, &["suspend", "nightly", "-yq", MIGRATION, until]);
    let annotations = || stored(&server, "nightly")["metadata"]["annotations"].clone();
    assert_eq!(
        annotations(),
        json!({
            "cronjob-doctor/suspend-reason": "migration of the database to the new cluster",
            "cronjob-doctor/suspended-until": "2026-11-22T05:00:00Z",
        })
    );
    let ran = call(&server, &["resume", "nightly", "--dry-run"]);
    assert!(
        ran.stdout.contains("Planned end of the suspension: Sun"),
        "{ran}"
    );
    // Someone resumes it with another client.
    server.edit("batch/v1", "CronJob", "shop", "nightly", |nightly| {
        nightly["spec"]["suspend"] = json!(false);
    });
    call(&server, &["suspend", "nightly", "-yq"]);
    assert_eq!(annotations(), Value::Null);
    call(&server, &["resume", "nightly", "-yq"]);
    call(&server, &["suspend", "nightly", "-yq", until]);
    call(&server, &["resume", "nightly", "-yq"]);
    assert_eq!(annotations(), Value::Null);
}

/// Seven hours after the planned end.
#[test]
fn overdue_resumption_is_a_warning() {
    let server = server();
    server.edit("batch/v1", "CronJob", "shop", "report", |report| {
        report["metadata"]["annotations"] =
            json!({"cronjob-doctor/suspended-until": "2026-11-20T19:13:08Z"});
    });
    let codes = |name: &str| {
        let ran = call(&server, &["explain", name, "-o", "json"]);
        let explained: Value = serde_json::from_str(&ran.stdout).unwrap();
        let findings = explained["items"][0]["findings"]
            .as_array()
            .unwrap()
            .clone();
        let codes = findings.iter().map(|finding| finding["code"].clone());
        codes.collect::<Vec<_>>()
    };
    assert!(codes("report").contains(&json!("suspended-past-until")));
    assert!(!codes("import").contains(&json!("suspended-past-until")));
    let ran = call(&server, &["explain", "report"]);
    assert_ran!(ran, 0);
}

/// Whoever may write annotations may write anything there.
#[test]
fn what_would_upset_a_terminal_is_left_out() {
    let server = server();
    server.edit("batch/v1", "CronJob", "shop", "report", |report| {
        let reason = "two\nlines and \u{1b}[2J, on and on and on";
        report["metadata"]["annotations"] = json!({"cronjob-doctor/suspend-reason": reason});
    });
    let ran = call(&server, &["scan", "--field-selector=metadata.name=report"]);
    assert_ran!(ran, 0);
}
