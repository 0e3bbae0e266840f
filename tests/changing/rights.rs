//! What one may not do is said before anything is begun.

use crate::changing::cast::{call, call_as, changes, server};
use crate::live::call::{check, failed, fine};
use crate::support::apiserver::{Fault, Match};
use crate::support::run::Ran;

#[test]
fn none_at_all() {
    let server = server();
    let ran = call_as(&server, "viewer", &["suspend", "nightly", "hourly", "-yq"]);
    let refused = "error: you may not patch cronjobs.batch in the namespace \"shop\": nothing was \
                   changed\n";
    check(&ran, &failed(refused));
    assert!(changes(&server).is_empty());
}

/// Rights can be given by name: then each is asked about.
#[test]
fn for_some_names() {
    let server = server();
    server.deny(|attempt| attempt.verb == "patch" && attempt.name != "nightly");
    let ran = call(&server, &["suspend", "nightly", "-yq"]);
    check(&ran, &fine("cronjob.batch/nightly suspended\n"));
    let ran = call(&server, &["suspend", "nightly", "hourly", "-yq"]);
    // What is done already needs no right.
    let refused = Ran {
        stdout: "cronjob.batch/nightly suspended (no change)\n".to_owned(),
        ..failed(
            "error: you may not patch cronjobs.batch in the namespace \"shop\": nothing was changed\n",
        )
    };
    check(&ran, &refused);
    assert_eq!(changes(&server).len(), 1);
}

#[test]
fn in_one_of_two_namespaces() {
    let server = server();
    server.deny(|attempt| attempt.verb == "patch" && attempt.namespace != "shop");
    let ran = call(&server, &["suspend", "-A", "-yq", "-o", "name"]);
    assert_eq!(
        ran.stderr,
        "error: you may not patch cronjobs.batch in the namespace \"ops\": nothing was changed\n"
    );
    assert_eq!(ran.code, 2);
    assert!(changes(&server).is_empty());
}

/// A server that does not answer the question may still do what it is asked.
#[test]
fn nobody_says() {
    let server = server();
    let reviews = Match::path("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews");
    server.fault(reviews, Fault::Status(403));
    let ran = call(&server, &["suspend", "nightly", "-yq"]);
    check(&ran, &fine("cronjob.batch/nightly suspended\n"));
}

/// The server refuses one of them in spite of what it said: the others are done.
#[test]
fn one_that_fails() {
    let server = server();
    let hourly = Match::path("/apis/batch/v1/namespaces/shop/cronjobs/hourly").method("PATCH");
    server.fault(hourly, Fault::Status(422));
    let ran = call(&server, &["suspend", "hourly", "nightly", "-yq"]);
    assert_eq!(ran.stdout, "cronjob.batch/nightly suspended\n");
    assert!(
        ran.stderr
            .starts_with("error: cronjob.batch/hourly: from the server ("),
        "{}",
        ran.stderr
    );
    assert_eq!(ran.code, 2);
    let ran = call(&server, &["suspend", "hourly", "-yq", "-o", "json"]);
    let document: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    let item = &document["items"][0];
    assert_eq!(item["applied"], false);
    assert!(
        item["error"]
            .as_str()
            .unwrap()
            .starts_with("from the server (")
    );
}
