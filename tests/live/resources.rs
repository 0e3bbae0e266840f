//! CronJobs of other groups.

use serde_json::{Value, json};

use crate::live::call::{ask, check, fine};
use crate::live::scene::{cron_job, server_of};
use crate::support::apiserver::{ApiServer, Options};

/// A server that has such CronJobs, too, and one of them.
fn server(api_version: &str) -> ApiServer {
    let server = server_of(Options::default().custom_resource(api_version, "cronjobs", "CronJob"));
    let mut other = cron_job("shop", "other", "0 4 * * *");
    other["apiVersion"] = json!(api_version);
    other["spec"].as_object_mut().unwrap().remove("timeZone");
    other["status"] = json!({
        "lastScheduleTime": "2026-11-20T04:00:00Z",
        "lastSuccessfulTime": "2026-11-20T04:01:00Z",
    });
    server.add(other);
    server
}

const OTHER: &str = "\
NAME    NEXT      LAST   HEALTH
other   in 106m   22h    ok

1 CronJob: 1 ok
";

#[test]
fn of_the_kubebuilder_book() {
    let server = server("batch.tutorial.kubebuilder.io/v1");
    let flag = "--resource=cronjobs.v1.batch.tutorial.kubebuilder.io";
    check(&ask(&server, "viewer", &["scan", flag]), &fine(OTHER));
    let ran = ask(&server, "viewer", &["explain", "other", "-o", "json", flag]);
    let document: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(document["items"][0]["controller"]["model"], "kubebuilder");
    assert_eq!((ran.stderr.as_str(), ran.code), ("", 0));
}

#[test]
fn of_somebody_else() {
    let server = server("example.com/v1");
    let flag = "--resource=cronjobs.v1.example.com";
    check(&ask(&server, "viewer", &["scan", flag]), &fine(OTHER));
    let ran = ask(&server, "viewer", &["scan", "-o", "json", flag]);
    let document: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(document["controller"]["model"], "v2");
    assert_eq!(document["items"][0]["apiVersion"], "example.com/v1");
}

/// Kubernetes' own, as servers before 1.21 have them; those are the same objects.
#[test]
fn of_old() {
    let options = Options::default().custom_resource("batch/v1beta1", "cronjobs", "CronJob");
    let server = server_of(options);
    let flags = [
        "scan",
        "--resource=cronjobs.v1beta1.batch",
        "--kubernetes-version=1.20",
    ];
    let expected = "\
NAME      NEXT     LAST   HEALTH
hourly    in 51m   8m8s   warning: time-zone-not-read
nightly   in 23h   13m    warning: time-zone-not-read

2 CronJobs: 2 warnings
";
    check(&ask(&server, "viewer", &flags), &fine(expected));
}
