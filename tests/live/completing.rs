//! Shell completion with names from the cluster.

use crate::live::prelude::*;

fn next(server: &ApiServer, user: &str, words: impl CommandLine) -> Ran {
    let words = ("__complete", words);
    Call::by(server, user, words).run()
}

/// Asserts what is offered after each of these words.
#[track_caller]
fn assert_offered(server: &ApiServer, cases: &[(&str, &str)]) {
    for (words, expected) in cases {
        let offered = next(server, "viewer", *words).fine();
        assert_eq!(offered, format!("{expected}:4\n"), "{words:?}");
    }
}

#[test]
fn completion_of_names_asks_only_for_metadata() {
    let server = server();
    let cases = [
        ("explain ''", "hourly\nnightly\n"),
        ("suspend ni", "nightly\n"),
        ("explain cj/h", "cj/hourly\n"),
        ("explain cronjob/", "cronjob/hourly\ncronjob/nightly\n"),
        // A name that is already an argument is not offered again.
        ("history hourly ''", "nightly\n"),
        ("-n ops next ''", "never\n"),
        ("explain -nops ''", "never\n"),
        ("explain -A n", "never\nnightly\n"),
    ];
    assert_offered(&server, &cases);
    let requests = server.requests();
    let line = requests[0].line();
    assert_eq!(line, "GET /apis/batch/v1/namespaces/shop/cronjobs");
    assert_eq!(requests.len(), cases.len());
    // Only the metadata is requested: the objects would be a hundred times as large.
    assert_eq!(
        requests[0].header("Accept"),
        Some("application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io, application/json")
    );
}

#[test]
fn completion_of_job_flag_offers_jobs_of_the_named_cronjob() {
    let server = server();
    let cases = [
        ("logs nightly --job ''", "nightly-29920440\n"),
        ("logs cj/hourly --job=", "hourly-29920445\n"),
        ("logs night --job ''", ""),
        ("logs n", "nightly\n"),
    ];
    assert_offered(&server, &cases);
}

#[test]
fn completion_of_contexts_clusters_and_users_sends_no_request() {
    let server = server();
    for name in ["shop", "ops"] {
        server.add(namespace(name));
    }
    assert_ran!(next(&server, "viewer", "scan -n ''"), 0);
    for flag in ["--context=", "--cluster=", "--user="] {
        let ran = next(&server, "viewer", ["scan", flag]);
        assert!(ran.stdout.ends_with("\n:4\n"), "{flag}: {ran:?}");
    }
    // Only the namespaces are requested: the other names are in the kubeconfig.
    assert_eq!(server.requests().len(), 1);
}

/// Messages would disturb a user who is typing.
#[test]
fn completion_with_errors_prints_no_message() {
    let server = server();
    assert_ran!(next(&server, "nobody", "explain ''"), 0);
    for flag in ["--context=other", "--server=https://127.0.0.1:1"] {
        assert_ran!(next(&server, "viewer", ["explain", flag, ""]), 0);
    }
}

#[test]
fn suspend_and_resume_offer_what_they_change() {
    let server = crate::changing::cast::server();
    let cases = [
        ("resume ''", "import\nreport\n"),
        ("resume cj/r", "cj/report\n"),
        ("suspend ''", "hourly\nnightly\n"),
        ("trigger re", "report\n"),
    ];
    assert_offered(&server, &cases);
}

#[test]
fn retry_offers_finished_jobs_of_cronjobs() {
    let server = server();
    let end = Some("2026-11-20T02:05:00Z");
    let scheduled = "2026-11-20T02:00:00Z";
    server.put(job("shop", "nightly", scheduled, end));
    server.put(job("shop", "nightly", "2026-11-19T02:00:00Z", None));
    let mut unowned = job("shop", "alone", scheduled, end);
    unowned["metadata"]["ownerReferences"] = json!([]);
    server.put(unowned);
    let cases = [
        ("trigger --job nightly-2991", "nightly-29919000\n"),
        ("trigger --job alone", ""),
        ("trigger --job nightly-29919000 -c ''", "main\n"),
    ];
    assert_offered(&server, &cases);
}

#[test]
fn completion_offers_containers_variables_and_times_of_the_cronjob() {
    let server = server();
    server.edit("batch/v1", "CronJob", "shop", "nightly", |nightly| {
        let pod = &mut nightly["spec"]["jobTemplate"]["spec"]["template"]["spec"];
        pod["containers"] = json!([
            {"name": "main", "image": "a", "env": [{"name": "MODE", "value": "full"}]},
            {"name": "proxy", "image": "b", "env": [{"name": "PORT", "value": "1"}]},
        ]);
    });
    let cases = [
        ("trigger nightly -c ''", "main\nproxy\n"),
        ("logs cj/nightly --container=p", "proxy\n"),
        ("trigger nightly --env ''", "MODE=\nPORT=\n"),
        ("trigger nightly --env=M", "MODE=\n"),
        // Without a name there is nothing to offer.
        ("trigger -c ''", ""),
        ("trigger nowhere -c ''", ""),
    ];
    assert_offered(&server, &cases);
    let ran = next(&server, "viewer", "backfill nightly --at ''").fine();
    let times: Vec<&str> = ran.lines().collect();
    assert!(times.len() > 1, "{ran}");
    let (last, times) = times.split_last().unwrap();
    assert_eq!(*last, ":4");
    // All runs are at 02:00, newest first; which ones they are depends on the current date.
    assert!(
        times.iter().all(|time| time.ends_with("T02:00:00Z")),
        "{ran}"
    );
    assert!(times.is_sorted_by(|newer, older| newer > older), "{ran}");
}
