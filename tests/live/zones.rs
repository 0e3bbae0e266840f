//! The time zone of the controller manager, estimated from its Jobs.

use crate::live::prelude::*;

/// A CronJob without a time zone that ran at 09:30 in Berlin on three days in a row.
fn server() -> ApiServer {
    let server = ApiServer::start(Options::default());
    let mut office = cron_job("shop", "office", "30 9 * * *");
    office["spec"].as_object_mut().unwrap().remove("timeZone");
    office["status"] = json!({"lastScheduleTime": "2026-11-20T08:30:00Z"});
    server.add(office);
    for day in ["18", "19", "20"] {
        let scheduled = format!("2026-11-{day}T08:30:00Z");
        let end = format!("2026-11-{day}T08:31:00Z");
        server.add(job("shop", "office", &scheduled, Some(&end)));
    }
    server
}

fn explained(arguments: impl CommandLine) -> (Value, Value) {
    let arguments = ("explain office -o json", arguments);
    let document = view(&server(), &arguments).document();
    let item = &document["items"][0];
    let zone = json!([
        item["controller"]["timeZone"],
        item["controller"]["timeZoneSource"]
    ]);
    (zone, item["nextRuns"][0]["scheduledTime"].clone())
}

#[test]
fn controller_time_zone_is_estimated_from_past_runs() {
    let expected = (
        json!(["Europe/Berlin", "evidence"]),
        json!("2026-11-21T08:30:00Z"),
    );
    assert_eq!(explained(""), expected);
}

#[test]
fn controller_time_zone_flag_overrides_past_runs() {
    let expected = (json!(["Asia/Tokyo", "flag"]), json!("2026-11-22T00:30:00Z"));
    assert_eq!(explained("--controller-time-zone=Asia/Tokyo"), expected);
}
