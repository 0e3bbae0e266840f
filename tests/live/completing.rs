//! Names of the cluster, offered to whoever presses the tab key.

use crate::live::prelude::*;

fn next(server: &ApiServer, user: &str, words: impl CommandLine) -> Ran {
    let words = ("__complete", words);
    Call::by(server, user, words).run()
}

#[test]
fn names_of_cron_jobs() {
    let server = server();
    let cases: [(&str, &str); 8] = [
        ("explain ''", "hourly\nnightly\n:4\n"),
        ("suspend ni", "nightly\n:4\n"),
        ("explain cj/h", "cj/hourly\n:4\n"),
        ("explain cronjob/", "cronjob/hourly\ncronjob/nightly\n:4\n"),
        // One that was named is not named again.
        ("history hourly ''", "nightly\n:4\n"),
        ("-n ops next ''", "never\n:4\n"),
        ("explain -nops ''", "never\n:4\n"),
        ("explain -A n", "never\nnightly\n:4\n"),
    ];
    for (words, expected) in cases {
        assert_eq!(next(&server, "viewer", words).fine(), expected);
    }
    let requests = server.requests();
    let asked: Vec<String> = requests.iter().map(Recorded::line).collect();
    assert_eq!(asked[0], "GET /apis/batch/v1/namespaces/shop/cronjobs");
    assert_eq!(asked.len(), cases.len());
    // The names alone: the objects would be a hundred times as long.
    assert_eq!(
        requests[0].header("Accept"),
        Some("application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io, application/json")
    );
}

#[test]
fn names_of_jobs_of_the_cron_job() {
    let server = server();
    let cases: [(&str, &str); 3] = [
        ("logs nightly --job ''", "nightly-29920440\n:4\n"),
        ("logs cj/hourly --job=", "hourly-29920445\n:4\n"),
        ("logs night --job ''", ":4\n"),
    ];
    for (words, expected) in cases {
        assert_eq!(next(&server, "viewer", words).fine(), expected, "{words:?}");
    }
    assert_eq!(
        next(&server, "viewer", ["logs", "n"]).fine(),
        "nightly\n:4\n"
    );
}

#[test]
fn namespaces_and_what_a_kubeconfig_names() {
    let server = server();
    server.add(serde_json::json!({
        "apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"},
    }));
    server.add(serde_json::json!({
        "apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "ops"},
    }));
    assert_ran!(next(&server, "viewer", ["scan", "-n", ""]), 0);
    for flag in ["--context=", "--cluster=", "--user="] {
        let ran = next(&server, "viewer", ["scan", flag]);
        assert!(ran.stdout.ends_with("\n:4\n"), "{flag}: {ran:?}");
    }
    // A kubeconfig is asked no server.
    assert_eq!(server.requests().len(), 1);
}

/// Somebody who types does not want to read of it.
#[test]
fn nothing_is_said_of_what_goes_wrong() {
    let server = server();
    assert_ran!(next(&server, "nobody", ["explain", ""]), 0);
    assert_ran!(
        next(&server, "viewer", ["explain", "--context=other", ""]),
        0
    );
    assert_ran!(
        next(
            &server,
            "viewer",
            ["explain", "--server=https://127.0.0.1:1", ""],
        ),
        0
    );
}

#[test]
fn suspend_and_resume_offer_what_they_change() {
    let server = crate::changing::cast::server();
    let cases: [(&str, &str); 4] = [
        ("resume ''", "import\nreport\n:4\n"),
        ("resume cj/r", "cj/report\n:4\n"),
        ("suspend ''", "hourly\nnightly\n:4\n"),
        ("trigger re", "report\n:4\n"),
    ];
    for (words, expected) in cases {
        assert_eq!(next(&server, "viewer", words).fine(), expected, "{words:?}");
    }
}

#[test]
fn retry_offers_finished_jobs_of_cronjobs() {
    let server = server();
    let end = Some("2026-11-20T02:05:00Z");
    let slot = "2026-11-20T02:00:00Z";
    server.put(job("shop", "nightly", slot, end));
    server.put(job("shop", "nightly", "2026-11-19T02:00:00Z", None));
    let mut unowned = job("shop", "alone", slot, end);
    unowned["metadata"]["ownerReferences"] = serde_json::json!([]);
    server.put(unowned);
    let ran = next(&server, "viewer", ["retry", "nightly-2991"]);
    assert_eq!(ran.fine(), "nightly-29919000\n:4\n");
    assert_eq!(next(&server, "viewer", ["retry", "alone"]).fine(), ":4\n");
    let ran = next(&server, "viewer", ["retry", "nightly-29919000", "-c", ""]);
    assert_eq!(ran.fine(), "main\n:4\n");
}

#[test]
fn containers_variables_and_times_of_the_cronjob() {
    let server = server();
    server.edit("batch/v1", "CronJob", "shop", "nightly", |nightly| {
        let pod = &mut nightly["spec"]["jobTemplate"]["spec"]["template"]["spec"];
        pod["containers"] = serde_json::json!([
            {"name": "main", "image": "a", "env": [{"name": "MODE", "value": "full"}]},
            {"name": "proxy", "image": "b", "env": [{"name": "PORT", "value": "1"}]},
        ]);
    });
    let cases: [(&str, &str); 6] = [
        ("trigger nightly -c ''", "main\nproxy\n:4\n"),
        ("logs cj/nightly --container=p", "proxy\n:4\n"),
        ("trigger nightly --env ''", "MODE=\nPORT=\n:4\n"),
        ("trigger nightly --env=M", "MODE=\n:4\n"),
        // Without a name there is nothing to offer.
        ("trigger -c ''", ":4\n"),
        ("trigger nowhere -c ''", ":4\n"),
    ];
    for (words, expected) in cases {
        assert_eq!(next(&server, "viewer", words).fine(), expected, "{words:?}");
    }
    let ran = next(&server, "viewer", ["backfill", "nightly", "--at", ""]).fine();
    let times: Vec<&str> = ran.lines().collect();
    assert!(times.len() > 1, "{ran}");
    let (last, times) = times.split_last().unwrap();
    assert_eq!(*last, ":4");
    // Every run at two, newest first; which ones depends on today.
    assert!(
        times.iter().all(|time| time.ends_with("T02:00:00Z")),
        "{ran}"
    );
    assert!(times.is_sorted_by(|newer, older| newer > older), "{ran}");
}
