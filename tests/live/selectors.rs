//! Selectors are the server's business, once they can be read.

use crate::live::call::{ask, check, failed, fine};
use crate::live::scene::server;
use crate::support::apiserver::ApiServer;

const HOURLY: &str = "\
NAME     NEXT     LAST   HEALTH
hourly   in 51m   8m8s   ok

1 CronJob: 1 ok
";

/// A parameter of the list of CronJobs.
fn sent(server: &ApiServer, name: &str) -> Option<String> {
    let requests = server.requests();
    let mut lists = requests
        .iter()
        .filter(|request| request.path.ends_with("/cronjobs"));
    lists.next()?.parameter(name).map(str::to_owned)
}

#[test]
fn are_sent() {
    for (flag, name, selector) in [
        ("-l", "labelSelector", "app in (hourly, x),tier!=test"),
        ("--selector", "labelSelector", "app=hourly"),
        (
            "--field-selector",
            "fieldSelector",
            "metadata.name!=nightly",
        ),
    ] {
        let server = server();
        check(
            &ask(&server, "viewer", &["scan", flag, selector]),
            &fine(HOURLY),
        );
        assert_eq!(sent(&server, name).as_deref(), Some(selector));
    }
}

#[test]
fn that_choose_nothing() {
    let mut expected = fine("");
    expected.stderr = "No CronJobs found in the namespace \"shop\"; -A looks in all.\n".to_owned();
    check(
        &ask(&server(), "viewer", &["scan", "-l", "app=x"]),
        &expected,
    );
    expected.stderr = "No CronJobs found.\n".to_owned();
    check(
        &ask(&server(), "viewer", &["scan", "-A", "-l", "app=x"]),
        &expected,
    );
    assert_ran!(ask(&server(), "viewer", &["scan", "-q", "-l", "app=x"]), 0);
}

#[test]
fn wrong_ones_are_refused_before_anything_is_asked() {
    let server = server();
    for (flag, selector, why) in [
        (
            "-l",
            "app in hourly",
            "\
error: --selector: expected '(', found \"hourly\"
  app in hourly
         ^^^^^^
",
        ),
        (
            "--field-selector",
            "spec.suspend=true",
            "\
error: --field-selector: field label not supported: spec.suspend; \
CronJobs have metadata.name and metadata.namespace
  spec.suspend=true
  ^^^^^^^^^^^^
",
        ),
    ] {
        check(
            &ask(&server, "viewer", &["scan", flag, selector]),
            &failed(why),
        );
    }
    assert!(server.requests().is_empty());
}
