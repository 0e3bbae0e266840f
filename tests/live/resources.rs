//! CronJobs of other API groups.

use crate::live::prelude::*;

/// A server that also has CronJobs of this API version, and one object of them.
fn server(api_version: &str) -> ApiServer {
    let server = server_of(Options::default().custom_resource(api_version, "cronjobs", "CronJob"));
    let mut other = cron_job("shop", "other", "0 4 * * *");
    other["apiVersion"] = json!(api_version);
    other["spec"].as_object_mut().unwrap().remove("timeZone");
    other["status"] = json!({
        "lastScheduleTime": "2026-11-20T04:00:00Z", "lastSuccessfulTime": "2026-11-20T04:01:00Z",
    });
    server.add(other);
    server
}

#[test]
fn resource_flag_with_the_kubebuilder_group_uses_its_model() {
    let server = server("batch.tutorial.kubebuilder.io/v1");
    let flag = "--resource=cronjobs.v1.batch.tutorial.kubebuilder.io";
    assert_ran!(view(&server, ["scan", flag]), 0);
    let ran = view(&server, ["explain", "other", "-o", "json", flag]);
    let document = ran.json();
    assert_eq!(document["items"][0]["controller"]["model"], "kubebuilder");
    assert_eq!((ran.stderr.as_str(), ran.code), ("", 0));
}

#[test]
fn resource_flag_with_an_unknown_group_uses_model_v2() {
    let server = server("example.com/v1");
    let flag = "--resource=cronjobs.v1.example.com";
    assert_ran!(view(&server, ["scan", flag]), 0);
    let document = view(&server, ["scan", "-o", "json", flag]).json();
    assert_eq!(document["controller"]["model"], "v2");
    assert_eq!(document["items"][0]["apiVersion"], "example.com/v1");
}

calls! {
    /// Servers before 1.21 have Kubernetes' own CronJobs in this version; those are the same objects.
    resource_flag_with_v1beta1_reads_cronjobs_before_1_21 {
        let options = Options::default().custom_resource("batch/v1beta1", "cronjobs", "CronJob");
        let flags = "scan --resource=cronjobs.v1beta1.batch --kubernetes-version=1.20";
    } view(&server_of(options), flags) => 0;
}
