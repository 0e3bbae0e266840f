//! `simulate` and `load` with the objects of a cluster.

use crate::live::prelude::*;
use crate::live::scene;

calls! {
    simulate_starts_from_the_jobs_of_the_cluster { let server = scene::server(); }
        ask(&server, "viewer", "simulate hourly --for=4h --job-duration=from-history")
        => 0;
    simulate_of_an_unknown_name_is_an_error { let server = scene::server(); }
        ask(&server, "viewer", "simulate nigthly") => 2;
}

#[test]
fn simulate_of_a_namespace_after_an_outage() {
    let server = scene::server();
    let outage = "--outage=2026-11-21T02:30:00Z/2026-11-21T04:30:00Z";
    let call = ["simulate", "--for=4h", outage];
    let document = ask(&server, "viewer", (&call, "-o json")).document();
    let [hourly, nightly] = [0, 1].map(|index| &document["items"][index]["summary"]);
    let counts = |summary: &Value| ["runs", "late", "lost"].map(|count| summary[count].clone());
    assert_eq!(counts(hourly), [4, 1, 1]);
    assert_eq!(counts(nightly), [0, 0, 0]);
    assert_ran!(ask(&server, "viewer", call), 0);
}

/// The server's own version is the one before the upgrade. `hourly` misses the run of 03:05, and that of 04:05 is late,
/// as in an outage. A list has only parts of the Job templates, so nothing is reported about them. Creating `zoned`
/// again would be rejected.
#[test]
fn simulate_of_an_upgrade_begins_with_the_version_of_the_server() {
    let server = scene::server_of(Options::default().git_version("v1.28.4"));
    let mut zoned = scene::cron_job("shop", "zoned", "TZ=UTC 0 1 * * *");
    zoned["spec"].as_object_mut().unwrap().remove("timeZone");
    server.add(zoned);
    let call =
        "simulate --for=4h --compare=1.36 --upgrade-at=2026-11-21T02:30:00Z/2026-11-21T04:30:00Z";
    let document = ask(&server, "viewer", (&call, "-o json")).document();
    let counts = json!({"total": 3, "same": 2, "different": 1});
    assert_eq!(document["comparison"], counts);
    let items = document["items"].items();
    let of = |name: &str| items.iter().find(|item| item["name"] == name).unwrap();
    let hourly = of("hourly");
    let counts = |summary: &Value| ["runs", "late", "lost"].map(|count| summary[count].clone());
    assert_eq!(counts(&hourly["summary"]), [4, 1, 1]);
    assert_eq!(counts(&hourly["compared"][0]["summary"]), [4, 0, 0]);
    assert_eq!(hourly["controller"]["kubernetesVersion"], "1.28.4");
    assert_eq!(of("nightly")["writes"], json!([]));
    let writes = of("zoned")["writes"].items();
    assert_eq!(writes.len(), 1);
    assert_eq!(writes[0]["effect"], "createRejected");
    assert_ran!(ask(&server, "viewer", call), 0);
}

#[test]
fn load_of_the_whole_cluster() {
    let server = scene::server();
    let ran = ask(&server, "viewer", "load -A --for=24h");
    assert_ran!(ran, 0);
    let asked = server.sorted_lines();
    // Past runs are not needed, so neither Jobs nor events are read.
    assert_eq!(asked, ["GET /apis/batch/v1/cronjobs", "GET /version"]);
}

#[test]
fn simulate_and_load_without_the_right_to_list_are_refused() {
    let server = scene::server();
    let expected = ask(&server, "nobody", "simulate").refused();
    assert_eq!(ask(&server, "nobody", "load").refused(), expected);
    insta::assert_snapshot!(expected);
}
