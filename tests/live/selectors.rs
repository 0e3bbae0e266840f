//! Valid selectors are sent to the server, which evaluates them.

use crate::live::prelude::*;

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
fn selectors_are_sent_to_the_server() {
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
        assert_eq!(view(&server, ["scan", flag, selector]).fine(), HOURLY);
        assert_eq!(sent(&server, name).as_deref(), Some(selector));
    }
}

calls! {
    selector_without_a_match_suggests_all_namespaces {} view(&server(), "scan -l app=x") => 0, "";
    selector_without_a_match_in_all_namespaces_finds_none {} view(&server(), "scan -A -l app=x") => 0, "";
    selector_without_a_match_and_with_quiet_prints_nothing {} view(&server(), "scan -q -l app=x") => 0;
}

#[test]
fn selectors_with_mistakes_are_refused_before_any_request() {
    let server = server();
    let flags = [
        ["-l", "app in hourly"],
        ["--field-selector", "spec.suspend=true"],
    ];
    let errors = flags.map(|[flag, selector]| view(&server, ["scan", flag, selector]).refused());
    insta::assert_snapshot!(errors.concat());
    assert!(server.requests().is_empty());
}
