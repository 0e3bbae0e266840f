//! Names and resources that do not exist.

use crate::live::listeners::answering;
use crate::live::prelude::*;
use crate::support::verbs;

#[test]
fn unknown_name_is_an_error_of_each_verb() {
    let server = server();
    let expected = view(&server, "scan gone").refused();
    insta::assert_snapshot!(expected);
    for verb in verbs::reading() {
        assert_eq!(
            view(&server, [&*verb, "gone"]).refused(),
            expected,
            "{verb}"
        );
    }
}

/// The same name in another namespace is more likely to be the intended one than a similar name.
#[test]
fn unknown_name_in_another_namespace_is_suggested() {
    let server = server();
    assert_ran!(view(&server, "explain never"), 2);
    server.add(cron_job("dev", "never", "@daily"));
    assert_ran!(ask(&server, "admin", "suspend never"), 2);
    // Without permission to list the other namespaces, the error does not mention them.
    server.deny(|attempt| attempt.path == "/apis/batch/v1/cronjobs");
    assert_ran!(view(&server, "explain never"), 2);
    assert_ran!(view(&server, "explain -A nevr"), 2);
}

/// The error about its field is enough: it is neither missing nor in another namespace.
#[test]
fn cronjob_that_cannot_be_read_is_not_reported_as_missing() {
    let server = server();
    let list = r#"{"kind":"CronJobList","apiVersion":"batch/v1","metadata":{"resourceVersion":"1"},"items":[
        {"metadata":{"name":"n","namespace":"shop","creationTimestamp":"9999-12-31T23:59:59Z"},
         "spec":{"schedule":"@daily","jobTemplate":{}}}]}"#;
    let path = "/apis/batch/v1/namespaces/shop/cronjobs";
    server.fault(Match::path(path), Fault::Body("application/json", list));
    let all = "/apis/batch/v1/cronjobs";
    server.fault(Match::path(all), Fault::Body("application/json", list));
    let ran = view(&server, "explain n");
    assert_lacks!(ran.stderr, "not found");
    assert_ran!(ran, 2, "");
}

/// A misspelled namespace among several is not ignored silently.
#[test]
fn empty_namespace_among_several_is_reported() {
    let server = server();
    let scan = || view(&server, "scan -n shop,osp,ops");
    assert_ran!(scan(), 0);
    server.add(namespace("shop"));
    assert_ran!(scan(), 2);
}

#[test]
fn namespace_that_does_not_exist_is_an_error() {
    let server = server();
    server.add(namespace("shop"));
    let expected = view(&server, "scan -n shpo").refused();
    insta::assert_snapshot!(expected, @r#"error: namespace "shpo" not found; did you mean shop?"#);
    for arguments in [
        "scan --fail-on=error",
        "explain",
        "alerts",
        "load",
        "suspend --all --yes",
    ] {
        let ran = ask(&server, "admin", (arguments, "-n shpo"));
        assert_eq!(ran.code, 2, "{arguments:?} {}", ran.stderr);
        assert_contains!(ran.stderr, "namespace \"shpo\" not found");
    }
    assert_ran!(view(&server, "explain nightly -n shpo"), 2);
    // A namespace without CronJobs is not an error.
    server.add(namespace("empty"));
    assert_eq!(view(&server, "scan -n empty").code, 0);
}

calls! {
    namespace_that_cannot_be_read_is_not_an_error(server) {
        server.add(namespace("shop"));
        server.deny(|attempt| attempt.resource == "namespaces");
    } view(&server, "scan -n empty") => 0;
    unknown_names_are_reported_and_the_others_shown {} view(&server(), "scan gone nightly cj/hourly lost gone") => 2, SHOP;
    server_without_batch_v1_cronjobs_suggests_v1beta1 {
        let mut options = Options::default();
        options.resources.retain(|resource| resource.plural != "cronjobs");
    } view(&ApiServer::start(options), "scan") => 2;
    server_without_the_batch_group_suggests_v1beta1 {
        let mut options = Options::default();
        options.resources.retain(|resource| resource.group != "batch");
    } view(&ApiServer::start(options), "scan") => 2;
    /// An empty page would be mistaken for the report.
    report_of_an_unknown_name_is_an_error_without_a_page {} view(&server(), "report gone") => 2;
    name_of_a_deployment_is_refused_before_any_request(server) {}
        view(&server, "explain deployment/nightly")
        => 2 => server.requests().is_empty();
}

/// kubectl accepts the type as a separate argument, and events show the names of Jobs.
#[test]
fn separate_types_and_names_of_jobs_lead_to_the_cronjob() {
    let server = server();
    for kind in ["cj", "cronjob", "CronJobs"] {
        let document = view(&server, ["explain", "-ojson", kind, "nightly"]).fine();
        assert_eq!(document.matches("\"findings\"").count(), 1, "{kind}");
    }
    let errors = [
        &["history", "job", "nightly-29923084"][..],
        &["history", "jobs/by-me"],
        &["explain", "nightly-29923084"],
        &["explain", "night"],
        &["explain", "-f", "examples/cluster", "-n", "shop", "orphan"],
    ];
    let errors = errors.map(|arguments| view(&server, arguments).stderr);
    insta::assert_snapshot!(errors.concat());
}

#[test]
fn name_of_a_job_leads_to_its_cronjob_and_events_show_a_deleted_one() {
    let server = server();
    server.add(json!({
        "apiVersion": "batch/v1", "kind": "Job",
        "metadata": {"namespace": "shop", "name": "weekly-1", "uid": "j",
            "ownerReferences": [owner_reference("CronJob", "nightly", "n")]},
        "spec": {}, "status": {},
    }));
    for name in [&["weekly-1"][..], &["job/weekly-1"], &["job", "weekly-1"]] {
        let arguments = [&["explain", "-q", "-o", "json"], name].concat();
        let document = view(&server, &arguments).document();
        let items = document["items"].items();
        assert_eq!(items.len(), 1, "{name:?}");
        assert_eq!(items[0]["name"], "nightly", "{name:?}");
    }
    // A name that both a Job and a CronJob have refers to the CronJob.
    let document = view(&server, "explain nightly -o json").fine();
    assert!(document.contains("\"name\": \"nightly\""));

    server.add(json!({
        "apiVersion": "v1", "kind": "Event",
        "metadata": {"namespace": "shop", "name": "report.1", "uid": "e"},
        "involvedObject": {"apiVersion": "batch/v1", "kind": "CronJob", "namespace": "shop", "name": "report"},
        "reason": "SuccessfulCreate", "message": "Created job report-29923084",
        "firstTimestamp": "2026-11-20T22:33:00Z", "lastTimestamp": "2026-11-20T22:33:00Z",
    }));
    let errors = [
        view(&server, "explain report").refused(),
        view(&server, "explain job/none").refused(),
    ];
    insta::assert_snapshot!(errors.concat());
}

#[test]
fn several_namespaces_are_read_by_alerts_and_load() {
    let server = server();
    let load = view(&server, "load -n shop,ops -o json");
    let load = load.json();
    assert_eq!(load["summary"]["starts"], 175, "{load}");
    let rules = view(&server, "alerts -n shop,ops").stdout;
    assert_contains!(rules, "namespace: shop");
    let part = view(&server, "load -n shop");
    assert_contains!(part.stderr, "Only the selected CronJobs are counted");
    assert!(
        !view(&server, "load -A")
            .stderr
            .contains("Only the selected")
    );
}

/// The path prefix of the address is wrong, or it is the address of a different server.
#[test]
fn server_without_the_kubernetes_api_is_an_error() {
    let not_found = "HTTP/1.1 404 Not Found\r\nContent-Type: text/plain\r\nContent-Length: 19\r\n\
                     Connection: close\r\n\r\n404 page not found\n";
    let page = "HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\nContent-Length: 22\r\n\
                Connection: close\r\n\r\n<title>Nowhere</title>";
    let errors = [not_found, page].map(|answer| {
        let small = answering(answer);
        let scan = format!("scan {NOW} --server {}", small.url());
        Call::new(scan).run().refused()
    });
    insta::assert_snapshot!(errors.concat());
}

#[test]
fn resource_flag_with_an_unknown_or_other_type_is_an_error() {
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
        view(&server, ["scan", &flag]).refused()
    });
    insta::assert_snapshot!(errors.concat());
    server.add(json!({
        "apiVersion": "example.com/v1", "kind": "Widget",
        "metadata": {"name": "one", "namespace": "shop"},
    }));
    assert_ran!(view(&server, "scan --resource=widgets.v1.example.com",), 2);
}
