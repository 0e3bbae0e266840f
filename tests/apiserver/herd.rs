//! Very many objects.

use super::{client, names};
use crate::support::apiserver::{ApiServer, Options, protobuf};

const PROTOBUF: &str = "application/vnd.kubernetes.protobuf";

#[test]
fn pages_of_a_herd() {
    let server = ApiServer::start(Options::synthetic(120, 5));
    let admin = client(&server, "admin");
    let first = admin.get("/apis/batch/v1/jobs?limit=100").json();
    assert_eq!(first["metadata"]["remainingItemCount"], 500);
    let names = names(&first);
    assert_eq!(names[0], "ns-00/job-00000-29920448");
    assert_eq!(names[5], "ns-00/job-00050-29920448");
    let cron_jobs = admin.get("/apis/batch/v1/cronjobs").json();
    assert_eq!(cron_jobs["items"].as_array().unwrap().len(), 120);
}

/// An item made from its prototype is what the encoder makes of its JSON.
#[test]
fn both_languages_say_the_same() {
    let server = ApiServer::start(Options::synthetic(70, 2));
    for (path, message) in [
        (
            "/apis/batch/v1/namespaces/ns-07/cronjobs/job-00057",
            "CronJob",
        ),
        (
            "/apis/batch/v1/namespaces/ns-07/jobs/job-00057-29920451",
            "Job",
        ),
    ] {
        let value = client(&server, "admin").get(path).json();
        assert_eq!(value["kind"], message);
        assert_eq!(value["metadata"]["namespace"], "ns-07");
        let bytes = client(&server, "admin")
            .with("Accept", PROTOBUF)
            .get(path)
            .body;
        let expected = protobuf::envelope("batch/v1", message, &protobuf::encode(message, &value));
        assert_eq!(bytes, expected);
        assert!((2000..5000).contains(&bytes.len()), "{}", bytes.len());
    }
}

#[test]
fn a_whole_list_is_made_of_its_items() {
    let server = ApiServer::start(Options::synthetic(30, 4));
    let admin = client(&server, "admin").with("Accept", PROTOBUF);
    let list = admin.get("/apis/batch/v1/jobs").body;
    let value = client(&server, "admin").get("/apis/batch/v1/jobs").json();
    let bytes = protobuf::encode("JobList", &value);
    assert_eq!(list, protobuf::envelope("batch/v1", "JobList", &bytes));
}

/// Owners are found by uid, as with any other objects.
#[test]
fn jobs_know_their_owners() {
    let server = ApiServer::start(Options::synthetic(3, 1));
    let admin = client(&server, "admin");
    let parent = admin
        .get("/apis/batch/v1/namespaces/ns-02/cronjobs/job-00002")
        .json();
    let job = admin.get("/apis/batch/v1/namespaces/ns-02/jobs").json();
    let owner = &job["items"][0]["metadata"]["ownerReferences"][0];
    assert_eq!(owner["uid"], parent["metadata"]["uid"]);
    assert_eq!(owner["name"], parent["metadata"]["name"]);
}
