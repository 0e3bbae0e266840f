//! How `report` is called, and how a call ends.

use super::{json, recorded, report};
use crate::support::prelude::*;

const BROKEN: &str = "apiVersion: batch/v1\nkind: CronJob\nmetadata: {namespace: shop, name: never, creationTimestamp: \"2026-11-21T02:05:00Z\"}\nspec: \
                      {schedule: \"0 0 31 2 *\", timeZone: Etc/UTC, jobTemplate: {}}\n";

#[test]
fn fail_on_sets_the_exit_code() {
    for (threshold, code) in [("never", 0), ("error", 1), ("warning", 1), ("info", 1)] {
        assert_eq!(
            report(BROKEN, ["--fail-on", threshold]).code,
            code,
            "{threshold}"
        );
    }
    let fine = BROKEN.replace("0 0 31 2 *", "0 * * * *");
    assert_eq!(report(&fine, ["--fail-on", "info"]).code, 0);
    assert_eq!(report(BROKEN, "").code, 0);
}

#[test]
fn unreadable_file_is_reported() {
    let ran = doctor("report -f nowhere.yaml --now 2026-11-21T02:13:08Z -o json -q");
    assert_eq!(ran.code, 2);
    assert_starts!(ran.stderr, "error: cannot read nowhere.yaml: ");
    assert_eq!(json(&ran.stdout)["scan"]["summary"]["total"], 0);
}

#[test]
fn wrong_flags_are_rejected() {
    let refused = |arguments: &[&str]| recorded("report", arguments).refused();
    let far = refused(&["--ahead", "32d"]);
    assert_contains!(
        far,
        "'32d' for '--ahead <DURATION>': must be a duration from 1m to 31d, such as 24h or 7d"
    );
    assert_texts!(
        refused(&["--since", "2027-01-01T00:00:00Z", "-q"]),
        refused(&["--display-time-zone", "Europe/Berln", "-q"]),
    );
}

/// The days and hours of another zone: 02:14 in UTC is 11:14 in Tokyo.
#[test]
fn display_time_zone_sets_days_and_hours() {
    let page = recorded("report", ["-q", "--display-time-zone", "Asia/Tokyo"]).fine();
    assert!(page.contains(" UTC. Hours in Asia/Tokyo. "));
    let axis = page.split("<svg class=\"axis\"").nth(1).unwrap();
    let axis = axis.split("</svg>").next().unwrap();
    let labels: Vec<&str> = axis
        .split('>')
        .filter_map(|part| part.strip_suffix("</text"))
        .collect();
    let expected = [
        "12:00", "15:00", "18:00", "21:00", "00:00", "03:00", "06:00", "09:00",
    ];
    assert_eq!(labels, expected);
    assert!(page.contains("<text class=\"faint\" x=\"24\" y=\"39\">11-21 11:00</text>"));
}
