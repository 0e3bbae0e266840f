//! What goes wrong on demand, and how a test learns of it.

use std::time::Duration;

use serde_json::json;

use super::{client, cron_job, recorded_server};
use crate::support::apiserver::{ApiServer, Fault, Match, Options, Recorded};

const CRON_JOBS: &str = "/apis/batch/v1/cronjobs";
const JOBS: &str = "/apis/batch/v1/jobs";

#[test]
fn refusals_as_often_as_they_should_be() {
    let server = recorded_server();
    server.fault(Match::path(JOBS), Fault::Status(503).times(2));
    let admin = client(&server, "admin");
    let codes = |path: &str| -> Vec<u16> { (0..3).map(|_| admin.get(path).status).collect() };
    assert_eq!(codes(CRON_JOBS), [200, 200, 200]);
    assert_eq!(codes(JOBS), [503, 503, 200]);
    server.fault(Match::any().method("GET"), Fault::Status(500));
    assert_eq!(codes(JOBS), [500, 500, 500]);
    server.clear_faults();
    assert_eq!(codes(JOBS), [200, 200, 200]);
}

#[test]
fn one_page_of_a_list() {
    let server = recorded_server();
    server.fault(Match::path(CRON_JOBS).page(2), Fault::Expired.times(1));
    let admin = client(&server, "admin");
    let first = admin.get(&format!("{CRON_JOBS}?limit=5"));
    assert_eq!(first.status, 200);
    let token = first.json()["metadata"]["continue"].clone();
    let path = format!("{CRON_JOBS}?limit=5&continue={}", token.as_str().unwrap());
    let second = admin.get(&path);
    assert_eq!(second.status, 410);
    assert!(second.json()["metadata"]["continue"].is_string());
    assert_eq!(admin.get(&path).status, 200);
}

#[test]
fn too_much_to_do() {
    let server = recorded_server();
    server.fault(Match::any(), Fault::TooManyRequests { retry_after: 7 });
    let answer = client(&server, "admin").get(JOBS);
    assert_eq!(answer.status, 429);
    assert_eq!(answer.header("retry-after"), Some("7"));
    assert_eq!(
        answer.text(),
        "Too many requests, please try again later.\n"
    );
}

#[test]
fn answers_that_do_not_come() {
    let server = recorded_server();
    server.fault(Match::path(JOBS), Fault::Reset);
    assert!(
        client(&server, "admin")
            .try_ask("GET", JOBS, "", &[])
            .is_err()
    );
    server.fault(Match::path(CRON_JOBS), Fault::Hang);
    let admin = client(&server, "admin");
    let hanging = std::thread::spawn(move || admin.try_ask("GET", CRON_JOBS, "", &[]).is_err());
    server.wait_for(|requests| requests.iter().any(|request| request.path == CRON_JOBS));
    assert!(!hanging.is_finished());
    server.stop();
    assert!(hanging.join().unwrap());
}

#[test]
fn answers_that_end_early() {
    let server = recorded_server();
    let admin = client(&server, "admin");
    let whole = admin.get(CRON_JOBS).body.len();
    for bytes in [0, 1000, whole - 1] {
        server.fault(Match::any(), Fault::CutOff(bytes).times(1));
        assert!(admin.try_ask("GET", CRON_JOBS, "", &[]).is_err(), "{bytes}");
    }
    // A short one, whose length is told.
    server.fault(Match::any(), Fault::CutOff(10).times(1));
    assert!(admin.try_ask("GET", "/version", "", &[]).is_err());
    assert_eq!(admin.get("/version").status, 200);
}

#[test]
fn slow_answers_are_whole() {
    let server = recorded_server();
    let admin = client(&server, "admin");
    let whole = admin.get(JOBS).body;
    let pause = Duration::from_millis(1);
    server.fault(Match::any(), Fault::Slow { bytes: 2000, pause });
    assert_eq!(admin.get(JOBS).body, whole);
}

#[test]
fn answers_that_are_none() {
    let server = recorded_server();
    let protobuf = "application/vnd.kubernetes.protobuf";
    let admin = client(&server, "admin").with("Accept", protobuf);
    server.fault(Match::any(), Fault::Garbage.times(1));
    let answer = admin.get(JOBS);
    assert_eq!(
        (answer.status, answer.header("content-type")),
        (200, Some(protobuf))
    );
    assert!(!answer.body.starts_with(b"k8s\0"));
    server.fault(Match::any(), Fault::WrongProtobuf.times(1));
    assert!(admin.get(JOBS).body.starts_with(b"k8s\0"));
    server.fault(Match::any(), Fault::Html(503).times(1));
    let answer = admin.get(JOBS);
    assert_eq!(
        (answer.status, answer.header("content-type")),
        (503, Some("text/html"))
    );
    assert!(answer.text().starts_with("<html>"));
}

#[test]
fn a_server_that_goes_and_comes_back() {
    let server = recorded_server();
    let admin = client(&server, "admin");
    server.put(cron_job("shop", "new"));
    server.stop();
    assert!(admin.try_ask("GET", CRON_JOBS, "", &[]).is_err());
    server.restart();
    assert_eq!(
        admin.get(CRON_JOBS).json()["items"]
            .as_array()
            .unwrap()
            .len(),
        13
    );
}

#[test]
fn the_clock_is_the_tests() {
    let server = recorded_server();
    let admin = client(&server, "admin");
    server.set_date("2027-01-01T00:00:09Z");
    let date = "Fri, 01 Jan 2027 00:00:09 GMT";
    assert_eq!(admin.get(JOBS).header("date"), Some(date));
    server.tell_no_date();
    assert_eq!(admin.get(JOBS).header("date"), None);
}

#[test]
fn what_was_asked_is_known() {
    let server = recorded_server();
    let admin = client(&server, "admin");
    admin.ask(
        "GET",
        "/apis/batch/v1/jobs?limit=2&labelSelector=a%20in%20(b%2Cc)",
        "",
        &[],
    );
    admin.ask(
        "DELETE",
        "/apis/batch/v1/namespaces/ops/jobs/nope",
        "{\"a\":1}",
        &[],
    );
    let requests = server.requests();
    let lines: Vec<String> = requests.iter().map(Recorded::line).collect();
    assert_eq!(
        lines,
        [
            "GET /apis/batch/v1/jobs",
            "DELETE /apis/batch/v1/namespaces/ops/jobs/nope"
        ]
    );
    assert_eq!(requests[0].parameter("labelSelector"), Some("a in (b,c)"));
    assert_eq!(requests[1].json()["a"], 1);
    assert_eq!(
        requests[1].header("AUTHORIZATION"),
        Some("Bearer admin-token")
    );
}

/// What the server itself cannot do is its test's failure, not only its client's.
#[test]
#[should_panic(expected = "a thread of the server has panicked")]
fn a_server_that_panics_fails_its_test() {
    let server = ApiServer::start(Options::default());
    let mut object = cron_job("shop", "odd");
    object["spec"]["shedule"] = json!("* * * * *");
    server.add(object);
    let admin = client(&server, "admin").with("Accept", "application/vnd.kubernetes.protobuf");
    assert!(admin.try_ask("GET", CRON_JOBS, "", &[]).is_err());
}
