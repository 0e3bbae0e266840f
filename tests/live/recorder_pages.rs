//! The pages of the recorder's API.

use cronjob_doctor::recorder::{CronJobUpdate, StoreLocation};
use jiff::{SignedDuration, Timestamp};
use kube_model::{RunKind, StoredRun};

use super::recorder::{SERVICE, serve};
use crate::live::prelude::*;

/// More runs than a response contains. At the time at which the first page ends there are manually created Jobs that are
/// only stored, and a Job that is left in the cluster.
#[test]
fn each_run_is_on_one_page_of_the_history() {
    let (server, folder) = (noon(), Folder::new("recorder", &[]));
    let border: Timestamp = "2026-11-21T02:00:00Z".parse().unwrap();
    let names = (0..1_010).map(|number| format!("manual-{number}"));
    let runs = names.clone().zip(0_i64..).map(|(name, number)| StoredRun {
        kind: RunKind::Manual,
        at: border + SignedDuration::from_secs((number - 998).min(0) + (number - 1_004).max(0)),
        job_name: Some(name),
        ..StoredRun::default()
    });
    let update = CronJobUpdate {
        uid: "uid-of-nightly".to_owned(),
        namespace: "shop".to_owned(),
        name: "nightly".to_owned(),
        judged_until: border,
        spec: None,
        runs: runs.collect(),
    };
    let mut store = StoreLocation::File(folder.join("runs.db"))
        .create()
        .unwrap();
    store.write(&[update], &[], None, border).unwrap();
    drop(store);
    let exporter = serve(&server, &folder);
    exporter.wait_until_ready();
    let (mut next, mut pages) = (String::new(), Vec::new());
    loop {
        let path = format!("/api/v1/history?namespace=shop&name=nightly{next}");
        let page: Value = serde_json::from_str(&exporter.get(&path).body).unwrap();
        let item = &page["items"][0];
        let runs = item["runs"].items().iter().chain(item["manual"].items());
        let names = runs.filter_map(|run| run["jobName"].as_str().map(str::to_owned));
        pages.push(names.collect::<Vec<String>>());
        let Some(place) = page["continue"].as_str() else {
            break;
        };
        next = format!("&continue={place}");
    }
    let counts: Vec<usize> = pages.iter().map(Vec::len).collect();
    // Runs without a Job count for the page, too.
    let [first, second] = counts.as_slice() else {
        panic!("{counts:?}");
    };
    assert!((900..=998).contains(first), "{counts:?}");
    assert_eq!(first + second, 1_011);
    let mut found: Vec<String> = pages.concat();
    found.sort_unstable();
    let mut expected: Vec<String> = names.chain(["nightly-29920440".to_owned()]).collect();
    expected.sort_unstable();
    assert!(found == expected);
}

/// The recorder was not watching in the three days, so that nothing is stored of 864 runs of each of 4 CronJobs.
#[test]
fn pages_are_bounded_where_nothing_is_stored() {
    let server = ApiServer::start(Options::default().now("2026-11-21T12:00:05Z"));
    let folder = Folder::new("recorder", &[]);
    let first: Timestamp = "2026-11-18T12:00:00Z".parse().unwrap();
    let mut store = StoreLocation::File(folder.join("runs.db"))
        .create()
        .unwrap();
    let names = ["a", "b", "c", "d"];
    for name in names {
        let mut frequent = cron_job("shop", name, "*/5 * * * *");
        frequent["metadata"]["creationTimestamp"] = json!("2026-11-01T00:00:00Z");
        server.add(frequent);
        let run = StoredRun {
            kind: RunKind::Scheduled,
            at: first,
            job_name: Some(format!("{name}-29917640")),
            ..StoredRun::default()
        };
        let update = CronJobUpdate {
            uid: format!("uid-of-{name}"),
            namespace: "shop".to_owned(),
            name: name.to_owned(),
            judged_until: first,
            spec: None,
            runs: vec![run],
        };
        store.write(&[update], &[], None, first).unwrap();
    }
    drop(store);
    let exporter = serve(&server, &folder);
    exporter.wait_until_ready();
    let (mut next, mut found, mut pages) = (String::new(), Vec::new(), 0);
    loop {
        // An end, so that the recorder does not judge runs in the meantime.
        let until = "until=2026-11-21T11:59:00Z";
        let body = exporter.get(&format!("/api/v1/history?{until}{next}")).body;
        assert!(body.len() < 1_000_000, "{}", body.len());
        let page: Value = serde_json::from_str(&body).unwrap();
        for item in page["items"].items() {
            let times = item["runs"].items().iter();
            let times = times.map(|run| run["scheduledTime"].text().to_owned());
            found.extend(times.map(|at| (item["name"].text().to_owned(), at)));
        }
        pages += 1;
        let Some(place) = page["continue"].as_str() else {
            break;
        };
        next = format!("&continue={place}");
    }
    // From 12:00 three days before until 11:55.
    let times = (0..3 * 288).map(|number| first + SignedDuration::from_mins(5 * number));
    let times: Vec<String> = times.map(|at| at.to_string()).collect();
    let expected = names
        .iter()
        .flat_map(|name| times.iter().map(|at| ((*name).to_owned(), at.clone())));
    assert!(found == expected.collect::<Vec<_>>());
    assert_eq!(pages, 4);
}

/// A recorder, or a proxy in front of it, may send pages without an end.
#[test]
fn recorder_that_repeats_continue_is_an_error() {
    let server = noon();
    let page = r#"{"items": [], "continue": "shop/nightly"}"#;
    server.fault(Match::path(SERVICE), Fault::Body("application/json", page));
    for names in ["nightly", "gone"] {
        server.clear_requests();
        let history = format!("history {names} --recorder monitoring/cronjob-doctor");
        let ran = Call::by(&server, "viewer", history.as_str()).run();
        assert_eq!(ran.code, 2, "{ran}");
        assert_contains!(ran.stderr, "sent the same value of continue twice");
        let asked = server.requests_where(|request| request.path == SERVICE);
        assert_eq!(asked.len(), 2, "{names}");
    }
}

/// A folder of that name is not a file of recorded runs, and all pages are read.
#[test]
fn deleted_cronjob_on_a_later_page_is_found_beside_a_folder_with_the_name_of_the_service() {
    let server = noon();
    let folder = Folder::new("recorder", &[("monitoring/cronjob-doctor/values.yaml", "")]);
    let first = r#"{"items": [], "continue": "shop/a"}"#;
    let second = r#"{"items": [{"namespace": "shop", "name": "gone", "schedule": "0 5 * * *", "runs": [],
        "offSchedule": [], "manual": [], "recorded": {"watched": [], "cronJobs": []}}]}"#;
    for (page, body) in [(1, first), (2, second)] {
        server.fault(
            Match::path(SERVICE).page(page),
            Fault::Body("application/json", body),
        );
    }
    let history =
        "history gone -o json --now=2020-01-01T00:00:00Z --recorder monitoring/cronjob-doctor";
    let ran = Call::by(&server, "viewer", history)
        .in_folder(&folder)
        .run();
    assert_contains!(ran.stderr, "gone: showing only stored runs");
    // Its runs are not downloaded to learn its name.
    let asked = server.requests_where(|request| request.path == SERVICE);
    for request in &asked[..2] {
        let since = request.query.iter().find(|(name, _)| name == "since");
        assert!(
            since.is_some_and(|(_, since)| since.starts_with("9999-")),
            "{request:?}"
        );
    }
    let document: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(document["items"][0]["schedule"], "0 5 * * *");
}
