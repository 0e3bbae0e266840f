//! A whole document, derived manually.
//!
//! `shop/nightly` is due at 02:00, started at 02:00:03 and took 90 seconds. `shop/quarters` is suspended and runs only
//! from 9 to 11, which is a finding, so that it is first. The time is 02:13:08.

use crate::support::json::Json as _;
use serde_json::{Value, json as value};

use super::{json, report};

const MANIFESTS: &str = include_str!("../../crates/cronjob-diagnosis/tests/report.yaml");

fn controller() -> Value {
    value!({
        "model": "v2",
        "kubernetesVersion": "1.36",
        "source": "flag",
        "timeZone": "UTC",
        "timeZoneSource": "default",
    })
}

fn document() -> Value {
    json(&report(MANIFESTS, ["-o", "json"]).fine())
}

#[test]
fn scan_history_and_load_count_the_same_two_cronjobs() {
    let document = document();
    assert_eq!(
        document["scan"]["summary"],
        value!({"total": 2, "ok": 1, "info": 1, "warning": 0, "error": 0, "suspended": 1})
    );
    let nightly = &document["history"]["items"][1];
    let [run] = nightly["runs"].items() else {
        panic!("{nightly}");
    };
    let expected = (&value!("onTime"), &value!(3));
    assert_eq!((&run["status"], &run["delaySeconds"]), expected);
    insta::assert_snapshot!(serde_json::to_string_pretty(run).unwrap());
    let load = &document["load"];
    assert_eq!(
        load["summary"],
        value!({"cronJobs": 1, "otherSchedules": 0, "suspended": 1, "held": 0, "blocked": 0, "unreadable": 0, "starts": 1, "lost": 0, "mostInABucket": 1})
    );
    let buckets = load["buckets"].items();
    let busy = buckets.iter().filter(|bucket| bucket["count"] != 0);
    let busy: Vec<&Value> = busy.collect();
    let expected = [&value!({"start": "2026-11-22T02:00:00Z", "count": 1})];
    assert_eq!(busy, expected);
    for part in [&document, &document["scan"], &document["history"], load] {
        assert_eq!(part["controller"], controller());
    }
}

/// Two and a half hours from 08:00: four quarters of 09:00 to 10:00, and two of the next hour.
#[test]
fn ahead_sets_the_window() {
    let call = "report -f - --tzdb bundled --kubernetes-version 1.36 -q -o json --ahead 2h30m \
                --now 2026-11-21T08:00:00Z";
    let ran = crate::report::doctor_with_stdin(call, MANIFESTS);
    let timeline = &json(&ran.fine())["timeline"];
    let window = [&timeline["from"], &timeline["to"]];
    assert_eq!(window, ["2026-11-21T08:00:00Z", "2026-11-21T10:30:00Z"]);
    assert_eq!(timeline["items"][0]["runs"], 6);
    assert_eq!(timeline["items"][1]["runs"], 0);
}
