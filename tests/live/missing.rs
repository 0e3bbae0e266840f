//! Names and resources that are not there.

use crate::live::call::{Call, ask};
use crate::live::listeners::answering;
use crate::live::scene::{NOW, SHOP, server, server_of};
use crate::support::apiserver::{ApiServer, Options};

#[test]
fn a_name() {
    let server = server();
    let expected = ask(&server, "viewer", &["scan", "gone"]).refused();
    insta::assert_snapshot!(expected);
    for verb in ["explain", "next-runs", "history"] {
        assert_eq!(ask(&server, "viewer", &[verb, "gone"]).refused(), expected);
    }
}

/// What is in another namespace is more likely to be meant than what is called nearly so.
#[test]
fn a_name_of_another_namespace() {
    let server = server();
    assert_ran!(ask(&server, "viewer", &["explain", "never"]), 2);
    server.add(crate::live::scene::cron_job("dev", "never", "@daily"));
    assert_ran!(ask(&server, "admin", &["suspend", "never"]), 2);
    // Whoever may not look there is told no more than before.
    server.deny(|attempt| attempt.path == "/apis/batch/v1/cronjobs");
    assert_ran!(ask(&server, "viewer", &["explain", "never"]), 2);
    assert_ran!(ask(&server, "viewer", &["explain", "-A", "nevr"]), 2);
}

/// A misspelled one of several namespaces is not passed over silently.
#[test]
fn an_empty_one_of_several_namespaces_is_noted() {
    assert_ran!(ask(&server(), "viewer", &["scan", "-n", "shop,osp,ops"]), 0);
}

/// A page of nothing would be taken for the answer.
#[test]
fn a_name_of_a_report() {
    assert_ran!(ask(&server(), "viewer", &["report", "gone"]), 2);
}

#[test]
fn one_name_of_several() {
    let server = server();
    let all = ask(
        &server,
        "viewer",
        &["scan", "gone", "nightly", "cj/hourly", "lost", "gone"],
    );
    assert_ran!(all, 2, SHOP);
}

#[test]
fn a_name_of_something_else() {
    let server = server();
    assert_ran!(
        ask(&server, "viewer", &["explain", "deployment/nightly"]),
        2
    );
    assert!(server.requests().is_empty());
}

#[test]
fn a_server_before_cron_jobs_were_stable() {
    let mut options = Options::default();
    options
        .resources
        .retain(|resource| resource.plural != "cronjobs");
    assert_ran!(
        ask(&ApiServer::start(options.clone()), "viewer", &["scan"]),
        2
    );
    options
        .resources
        .retain(|resource| resource.group != "batch");
    assert_ran!(ask(&ApiServer::start(options), "viewer", &["scan"]), 2);
}

/// A path prefix that is wrong, or a server that is another one.
#[test]
fn server_that_is_no_api_server() {
    let not_found = "HTTP/1.1 404 Not Found\r\nContent-Type: text/plain\r\nContent-Length: 19\r\n\
                     Connection: close\r\n\r\n404 page not found\n";
    let page = "HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\nContent-Length: 22\r\n\
                Connection: close\r\n\r\n<title>Nowhere</title>";
    let errors = [not_found, page].map(|answer| {
        let small = answering(answer);
        let url = format!("http://127.0.0.1:{}", small.port);
        Call::new(&["scan", NOW, "--server", &url]).run().refused()
    });
    insta::assert_snapshot!(errors.concat());
}

#[test]
fn another_resource() {
    let server =
        server_of(Options::default().custom_resource("example.com/v1", "widgets", "Widget"));
    let resources = [
        "cronjobs.v1.example.com",
        "crons.v2.example.com",
        "crons.v1.batch",
        "cronjobs",
        "jobs.v1.batch",
    ];
    let errors = resources.map(|resource| {
        let flag = format!("--resource={resource}");
        ask(&server, "viewer", &["scan", &flag]).refused()
    });
    insta::assert_snapshot!(errors.concat());
    server.add(serde_json::json!({
        "apiVersion": "example.com/v1",
        "kind": "Widget",
        "metadata": {"name": "one", "namespace": "shop"},
    }));
    assert_ran!(
        ask(
            &server,
            "viewer",
            &["scan", "--resource=widgets.v1.example.com"],
        ),
        2
    );
}
