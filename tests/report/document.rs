//! The document contains the documents of the other verbs.

use crate::support::json::Json as _;
use serde_json::{Value, json as value};

use super::{json, recorded};

/// Sorts the items by name, because each verb has its own order.
fn by_name(mut document: Value) -> Value {
    let items = document["items"].as_array_mut().unwrap();
    items.sort_by_key(|item| {
        let text = |field: &str| item[field].text().to_owned();
        (text("namespace"), text("name"))
    });
    document
}

fn of(verb: &str, arguments: &[&str]) -> Value {
    json(&recorded(verb, [&["-o", "json", "--quiet"], arguments].concat()).stdout)
}

#[test]
fn each_part_equals_the_document_of_its_verb() {
    let report = of("report", &[]);
    assert_eq!(report["scan"], of("scan", &[]));
    let expected = by_name(of("explain", &[]));
    assert_eq!(by_name(report["explanations"].clone()), expected);
    assert_eq!(
        by_name(report["history"].clone()),
        by_name(of("history", &[]))
    );
    // The first full minute after 02:13:08.
    let from = ["--from", "2026-11-21T02:14:00Z", "--for", "24h"];
    let mut load = of("load", &from);
    let mut own = report["load"].clone();
    // Each verb lists the CronJobs of a peak in its own order.
    for document in [&mut load, &mut own] {
        for peak in document["peaks"].as_array_mut().unwrap() {
            let who = peak["cronJobs"].as_array_mut().unwrap();
            who.sort_by_key(|who| (who["namespace"].to_string(), who["name"].to_string()));
        }
        document["suggestions"].as_array_mut().unwrap().clear();
    }
    assert_eq!(own, load);
    let since = "2026-11-21T02:00:00Z";
    assert_eq!(
        by_name(of("report", &["--since", since])["history"].clone()),
        by_name(of("history", &["--since", since]))
    );
}

/// The items at one index of all lists are about the same CronJob.
#[test]
fn all_lists_have_one_order() {
    let report = of("report", &[]);
    let names = |list: &str| -> Vec<String> {
        let items = report[list]["items"].items();
        let name = |item: &Value| format!("{}/{}", item["namespace"], item["name"]);
        items.iter().map(name).collect()
    };
    let scan = names("scan");
    assert_eq!(scan.len(), 12);
    for list in ["timeline", "explanations", "history"] {
        assert_eq!(names(list), scan, "{list}");
    }
}

#[test]
fn document_names_time_source_and_controller() {
    let report = of("report", &[]);
    let expected = value!({
        "apiVersion": "cronjob-doctor/v1",
        "kind": "Report",
        "clientVersion": env!("CARGO_PKG_VERSION"),
        "now": "2026-11-21T02:13:08Z",
        "clock": "flag",
        "source": {"server": null, "namespace": null, "files": ["examples/cluster"]},
        "controller": {
            "model": "v2",
            "kubernetesVersion": "1.36",
            "source": "flag",
            "timeZone": "UTC",
            "timeZoneSource": "default",
        },
        "lacks": [],
    });
    for (field, value) in expected.as_object().unwrap() {
        assert_eq!(report[field], *value, "{field}");
    }
    let tzdb = &report["tzdb"];
    let expected = (&value!("bundled"), &Value::Null);
    assert_eq!((&tzdb["source"], &tzdb["folder"]), expected);
    assert!(tzdb["version"].text().starts_with("20"));
}
