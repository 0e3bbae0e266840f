//! Watches: what they begin with, what they tell, and how they end.

use serde_json::{Value, json};

use super::{client, cron_job, recorded_server};
use crate::support::apiserver::{ApiServer, Options};
use crate::support::https::Incoming;

const CRON_JOBS: &str = "/apis/batch/v1/cronjobs";

fn watch(server: &ApiServer, query: &str) -> Incoming {
    let path = format!("{CRON_JOBS}?watch=1&{query}");
    let incoming = client(server, "viewer").open("GET", &path, "", &[]);
    let incoming = incoming.unwrap();
    assert_eq!(incoming.status, 200);
    incoming
}

/// The next event: its type, and the name and the version of its object.
fn next(watch: &mut Incoming) -> Option<Event> {
    let event: Value = serde_json::from_str(&watch.line().unwrap()?).unwrap();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let metadata = &event["object"]["metadata"];
    Some((
        text(&event["type"]),
        text(&metadata["name"]),
        text(&metadata["resourceVersion"]),
    ))
}

type Event = (String, String, String);

fn event(kind: &str, name: &str, version: &str) -> Event {
    (kind.to_owned(), name.to_owned(), version.to_owned())
}

#[test]
fn from_a_version_on() {
    let server = recorded_server();
    server.put(cron_job("shop", "new"));
    let mut watch = watch(&server, "resourceVersion=1401&allowWatchBookmarks=true");
    assert_eq!(next(&mut watch), Some(event("ADDED", "new", "1402")));
    server.edit("batch/v1", "CronJob", "shop", "new", |object| {
        object["spec"]["suspend"] = json!(true);
    });
    assert_eq!(next(&mut watch), Some(event("MODIFIED", "new", "1403")));
    // Nothing of other resources.
    server.delete("batch/v1", "Job", "ops", "manual-run");
    server.bookmark();
    assert_eq!(next(&mut watch), Some(event("BOOKMARK", "", "1404")));
    server.delete("batch/v1", "CronJob", "shop", "new");
    assert_eq!(next(&mut watch), Some(event("DELETED", "new", "1405")));
    server.close_watches();
    assert_eq!(next(&mut watch), None);
}

#[test]
fn without_a_version_from_what_there_is() {
    let server = ApiServer::start(Options::default());
    server.add(cron_job("shop", "a"));
    server.add(cron_job("ops", "b"));
    let mut watch = watch(&server, "fieldSelector=metadata.namespace%3Dshop");
    assert_eq!(next(&mut watch).unwrap().1, "a");
    // This watch wants no bookmarks.
    server.bookmark();
    server.put(cron_job("ops", "c"));
    server.put(cron_job("shop", "d"));
    assert_eq!(next(&mut watch).unwrap().1, "d");
}

/// What is selected no longer is gone, and what is selected by now is new.
#[test]
fn selectors_decide_what_an_event_is() {
    let server = ApiServer::start(Options::default());
    server.add(cron_job("shop", "a"));
    let version = server.resource_version();
    let query = format!("resourceVersion={version}&labelSelector=team");
    let mut watch = watch(&server, &query);
    let label = |labels: Value| {
        server.edit("batch/v1", "CronJob", "shop", "a", |object| {
            object["metadata"]["labels"] = labels;
        });
    };
    label(json!({"team": "data"}));
    assert_eq!(next(&mut watch).unwrap().0, "ADDED");
    label(json!({"team": "shop"}));
    assert_eq!(next(&mut watch).unwrap().0, "MODIFIED");
    label(json!({}));
    assert_eq!(next(&mut watch).unwrap().0, "DELETED");
}

#[test]
fn versions_that_are_forgotten() {
    let server = recorded_server();
    server.compact();
    let mut watch = watch(&server, "resourceVersion=1401");
    let line = watch.line().unwrap().unwrap();
    assert_eq!(
        line,
        "{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"apiVersion\":\"v1\",\
         \"metadata\":{},\"status\":\"Failure\",\
         \"message\":\"too old resource version: 1401 (1402)\",\"reason\":\"Expired\",\
         \"code\":410}}\n"
    );
    assert_eq!(watch.line().unwrap(), None);
}

#[test]
fn the_time_is_up_at_once() {
    let server = recorded_server();
    let mut watch = watch(&server, "resourceVersion=1401&timeoutSeconds=0");
    assert_eq!(next(&mut watch), None);
}

/// The frames of protobuf: a length, and an event whose object has its own envelope.
#[test]
fn in_protobuf() {
    let server = ApiServer::start(Options::default());
    server.add(cron_job("shop", "a"));
    let path = format!("{CRON_JOBS}?watch=1&timeoutSeconds=0");
    let client = client(&server, "viewer").with("Accept", "application/vnd.kubernetes.protobuf");
    let answer = client.get(&path);
    assert_eq!(
        answer.header("content-type"),
        Some("application/vnd.kubernetes.protobuf;stream=watch")
    );
    let (length, event) = answer.body.split_first_chunk::<4>().unwrap();
    assert_eq!(
        usize::try_from(u32::from_be_bytes(*length)).unwrap(),
        event.len()
    );
    assert!(event.starts_with(b"\x0a\x05ADDED\x12"));
    assert!(event.windows(4).any(|window| window == b"k8s\0"));
}

#[test]
fn a_server_that_stops_ends_its_watches() {
    let server = recorded_server();
    let mut watch = watch(&server, "resourceVersion=1401");
    server.wait_for(|requests| {
        requests
            .iter()
            .any(|request| request.line().starts_with("watch "))
    });
    server.stop();
    assert!(matches!(watch.line(), Ok(None) | Err(_)));
}
