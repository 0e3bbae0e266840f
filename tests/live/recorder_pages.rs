//! The pages of the recorder's API.

use cronjob_controller::model::{RunKind, StoredRun};
use cronjob_doctor::recorder::{CronJobUpdate, StoreLocation};
use jiff::{SignedDuration, Timestamp};

use super::recorder::{SERVICE, serve};
use crate::live::prelude::*;

/// More runs than a response contains. At the time at which the first page ends there are manually created Jobs that are
/// only stored, and a Job that is left in the cluster.
#[test]
fn each_run_is_on_one_page_of_the_history() {
    let (server, folder) = (noon(), Folder::new("recorder", &[]));
    let border: Timestamp = "2026-11-21T02:00:00Z".parse().unwrap();
    let names = (0..20_010).map(|number| format!("manual-{number}"));
    let runs = names.clone().zip(0_i64..).map(|(name, number)| StoredRun {
        kind: RunKind::Manual,
        at: border + SignedDuration::from_secs((number - 19_998).min(0) + (number - 20_004).max(0)),
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
    assert!((19_000..=19_998).contains(first), "{counts:?}");
    assert_eq!(first + second, 20_011);
    let mut found: Vec<String> = pages.concat();
    found.sort_unstable();
    let mut expected: Vec<String> = names.chain(["nightly-29920440".to_owned()]).collect();
    expected.sort_unstable();
    assert!(found == expected);
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
