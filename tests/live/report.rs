//! `report` on a cluster: which clock and release it shows, which requests it sends, and what could not
//! be read.

use std::fs;

use cronjob_doctor::recorder::StoreLocation;

use crate::live::prelude::*;
use crate::live::recorder::SERVICE;
use crate::live::serve::Exporter;
use crate::support::control_plane::wait_until;

#[test]
fn report_of_the_cluster_equals_the_documents_of_the_verbs() {
    let server = server();
    let report = view(&server, "report -A -o json").document();
    let source = json!({"server": "SERVER", "namespace": null, "files": []});
    assert_eq!(report["source"], source);
    assert_eq!(report["clock"], "flag");
    let controller = &report["controller"];
    let release = (&controller["kubernetesVersion"], &controller["source"]);
    assert_eq!(release, (&json!("1.36.2"), &json!("server")));
    assert_eq!(report["lacks"], json!([]));
    for (verb, part) in [
        ("scan", "scan"),
        ("explain", "explanations"),
        ("history", "history"),
    ] {
        let mut own = view(&server, [verb, "-A", "-o", "json"]).document();
        let mut reported = report[part].clone();
        for document in [&mut own, &mut reported] {
            let items = document["items"].as_array_mut().unwrap();
            items.sort_by_key(|item| item["name"].to_string());
        }
        assert_eq!(reported, own, "{verb}");
    }
}

/// Pods are read only for stuck Jobs, and other CronJobs only where a run is missing, so these requests are sent once
/// each, and no others.
#[test]
fn report_sends_the_requests_of_explain() {
    let asked = |verb: &str| {
        let server = server();
        for name in ["nightly", "hourly"] {
            server.edit("batch/v1", "CronJob", "shop", name, |cron_job| {
                cron_job["metadata"]["creationTimestamp"] = json!("2026-11-21T01:59:00Z");
            });
        }
        let ran = view(&server, [verb]);
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
        let asked = server.sorted_lines();
        (ran.stdout, asked)
    };
    let (page, asked_by_report) = asked("report");
    assert!(page.contains("<title>CronJobs in test, namespace shop, "));
    assert!(page.contains("<bdi>SERVER, namespace shop</bdi>"));
    assert_eq!(asked_by_report, asked("explain").1);
    let expected = [
        // About CronJobs, and about Jobs.
        "GET /api/v1/namespaces/shop/events",
        "GET /api/v1/namespaces/shop/events",
        "GET /api/v1/namespaces/shop/resourcequotas",
        "GET /apis/batch/v1/namespaces/shop/cronjobs",
        "GET /apis/batch/v1/namespaces/shop/jobs",
        "GET /version",
    ];
    assert_eq!(asked_by_report, expected);
}

/// Without `--now` the server's clock is used, and the page shows that.
#[test]
fn report_uses_the_clock_of_the_server() {
    let server = server_of(Options::default().now("2150-01-01T00:00:00Z"));
    let call = |arguments: &str| Call::by(&server, "viewer", ("report -q", arguments)).run();
    let report = call("-o json").document();
    assert_eq!(report["clock"], "server");
    assert_eq!(report["now"], "2150-01-01T00:00:00Z");
    assert_eq!(report["timeline"]["from"], "2150-01-01T00:00:00Z");
    let page = call("").fine();
    assert!(page.contains("<bdi>2150-01-01 00:00:00 UTC (API server's time)</bdi>"));
}

#[test]
fn report_lists_what_could_not_be_read() {
    let server = server();
    server.deny(|attempt| attempt.resource == "jobs");
    let ran = view(&server, "report");
    let why = "from server (Forbidden): jobs.batch is forbidden: User \"viewer\" cannot list \
               resource \"jobs\" in API group \"batch\" in the namespace \"shop\"";
    let warning =
        "warning: running, failed and late runs are not shown: cannot list jobs (forbidden)\n";
    assert_eq!((ran.code, ran.stderr.as_str()), (0, warning));
    let shown = why.replace('"', "&quot;");
    let entry =
        format!("<div class=\"lacking\"><dt>Not read</dt><dd><bdi>jobs: {shown}</bdi></dd></div>");
    assert!(ran.stdout.contains(&entry), "{entry}");
    let report = view(&server, "report -q -o json").document();
    assert_eq!(report["lacks"], json!([{"what": "jobs", "reason": why}]));
}

#[test]
fn report_with_one_unknown_name_shows_the_others() {
    let server = server();
    let ran = view(&server, "report gone nightly -o json");
    let expected = "error: cronjobs.batch \"gone\" not found in namespace \"shop\"\n";
    assert_eq!((ran.code, ran.stderr.as_str()), (2, expected));
    let report = ran.json();
    assert_eq!(report["scan"]["summary"]["total"], 1);
}

/// `billing` is not in the cluster: it was deleted the day before.
#[test]
fn report_names_cronjobs_that_were_deleted() {
    const UID: &str = "6b9c5a52-0f2b-4a0d-9c1e-5d3a1f7e2b10";
    let (server, folder) = (noon(), Folder::new("recorder-report", &[]));
    folder.write("runs.db", fs::read("examples/recorder/runs.db").unwrap());
    let mut store = StoreLocation::File(folder.join("runs.db"))
        .create()
        .unwrap();
    let yesterday = "2026-11-20T12:00:00Z".parse().unwrap();
    store
        .write(&[], &[(UID.to_owned(), yesterday)], None, yesterday)
        .unwrap();
    drop(store);
    let serve = "serve -A --listen=127.0.0.1:0 --record runs.db --keep 365d";
    let exporter = Exporter::of(Call::by(&server, "viewer", serve).in_folder(&folder));
    exporter.wait_until_ready();
    let all = "/api/v1/history?since=2026-03-04T00:00:00Z";
    wait_until("runs are stored", || {
        exporter.get(all).body.contains("nightly-29920440")
    });
    let body = Box::leak(exporter.get(all).body.into_boxed_str());
    drop(exporter);
    server.fault(Match::path(SERVICE), Fault::Body("application/json", body));
    for recorder in ["runs.db", "monitoring/cronjob-doctor"] {
        let names_it = |selected: &str| {
            let report = ("report -q --summary --recorder", [recorder], selected);
            let page = Call::by(&server, "viewer", report).in_folder(&folder).run();
            page.fine().contains("<bdi>shop/billing</bdi>, deleted by ")
        };
        assert!(names_it("-n shop"), "{recorder}");
        assert!(names_it("-A"), "{recorder}");
        assert!(!names_it("-n shop nightly"), "{recorder}");
    }
    let asked = server.requests_where(|request| request.path == SERVICE);
    let is_of_one = |one: &Recorded| one.query.iter().any(|(key, _)| key == "name");
    assert_eq!(
        asked.iter().map(is_of_one).collect::<Vec<_>>(),
        [false, false, true]
    );
}
