//! Names and resources that are not there.

use crate::live::call::{Call, ask, check, failed, fine};
use crate::live::listeners::answering;
use crate::live::scene::{NOW, SHOP, server, server_of};
use crate::support::apiserver::{ApiServer, Options};

#[test]
fn a_name() {
    let server = server();
    let gone = |verb: &str| ask(&server, "viewer", &[verb, "gone"]);
    let expected = failed("error: cronjobs.batch \"gone\" not found in the namespace \"shop\"\n");
    for verb in ["scan", "explain", "next-runs", "history"] {
        check(&gone(verb), &expected);
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
    let mut expected = fine(SHOP);
    expected.code = 2;
    expected.stderr = "\
error: cronjobs.batch \"gone\" not found in the namespace \"shop\"
error: cronjobs.batch \"lost\" not found in the namespace \"shop\"
"
    .to_owned();
    check(&all, &expected);
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
    for (answer, text) in [(not_found, "404: page not found"), (page, "404: Nowhere")] {
        let small = answering(answer);
        let url = format!("http://127.0.0.1:{}", small.port);
        let why = format!("the server answers {text}; is this the address of an API server?");
        check(
            &Call::new(&["scan", NOW, "--server", &url]).run(),
            &failed(&format!(
                "warning: the server does not tell its version, so that 1.37 is modelled ({why}); \
                 --kubernetes-version names another\n\
                 error: cannot list cronjobs.batch: {why}\n"
            )),
        );
    }
}

#[test]
fn another_resource() {
    let server =
        server_of(Options::default().custom_resource("example.com/v1", "widgets", "Widget"));
    for (resource, why) in [
        (
            "cronjobs.v1.example.com",
            "the server has no cronjobs of example.com/v1; kubectl api-resources shows what it has",
        ),
        (
            "crons.v2.example.com",
            "the server has no crons of example.com/v2; kubectl api-resources shows what it has",
        ),
        (
            "crons.v1.batch",
            "the server has no crons of batch/v1; kubectl api-resources shows what it has",
        ),
        (
            "cronjobs",
            "--resource: expected RESOURCE.VERSION.GROUP, such as cronjobs.v1.batch, found \
             \"cronjobs\"",
        ),
        (
            "jobs.v1.batch",
            "cannot list jobs.batch: SERVER gave an answer that is not Kubernetes' \
             (GET /apis/batch/v1/namespaces/shop/jobs): expected a CronJobList, found a JobList",
        ),
    ] {
        let flag = format!("--resource={resource}");
        check(
            &ask(&server, "viewer", &["scan", &flag]),
            &failed(&format!("error: {why}\n")),
        );
    }
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
