//! Names of the cluster, offered to whoever presses the tab key.

use crate::live::call::Call;
use crate::live::scene::server;
use crate::support::apiserver::{ApiServer, Kubeconfig, Recorded};
use crate::support::run::Ran;

fn next(server: &ApiServer, user: &str, words: &[&str]) -> Ran {
    let words = [&["__complete"], words].concat();
    let config = Kubeconfig::user(user).namespace("shop");
    Call::new(&words).with(server, &config).run()
}

#[test]
fn names_of_cron_jobs() {
    let server = server();
    let cases: [(&[&str], &str); 8] = [
        (&["explain", ""], "hourly\nnightly\n:4\n"),
        (&["suspend", "ni"], "nightly\n:4\n"),
        (&["explain", "cj/h"], "cj/hourly\n:4\n"),
        (
            &["explain", "cronjob/"],
            "cronjob/hourly\ncronjob/nightly\n:4\n",
        ),
        // One that was named is not named again.
        (&["history", "hourly", ""], "nightly\n:4\n"),
        (&["-n", "ops", "next", ""], "never\n:4\n"),
        (&["explain", "-nops", ""], "never\n:4\n"),
        (&["explain", "-A", "n"], "never\nnightly\n:4\n"),
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
    let cases: [(&[&str], &str); 3] = [
        (&["logs", "nightly", "--job", ""], "nightly-29920440\n:4\n"),
        (&["logs", "cj/hourly", "--job="], "hourly-29920445\n:4\n"),
        (&["logs", "night", "--job", ""], ":4\n"),
    ];
    for (words, expected) in cases {
        assert_eq!(next(&server, "viewer", words).fine(), expected, "{words:?}");
    }
    assert_eq!(
        next(&server, "viewer", &["logs", "n"]).fine(),
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
    assert_ran!(next(&server, "viewer", &["scan", "-n", ""]), 0);
    for flag in ["--context=", "--cluster=", "--user="] {
        let ran = next(&server, "viewer", &["scan", flag]);
        assert!(ran.stdout.ends_with("\n:4\n"), "{flag}: {ran:?}");
    }
    // A kubeconfig is asked no server.
    assert_eq!(server.requests().len(), 1);
}

/// Somebody who types does not want to read of it.
#[test]
fn nothing_is_said_of_what_goes_wrong() {
    let server = server();
    assert_ran!(next(&server, "nobody", &["explain", ""]), 0);
    assert_ran!(
        next(&server, "viewer", &["explain", "--context=other", ""]),
        0
    );
    assert_ran!(
        next(
            &server,
            "viewer",
            &["explain", "--server=https://127.0.0.1:1", ""],
        ),
        0
    );
}
