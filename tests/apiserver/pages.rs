//! Lists: their order, their pages, and what limits them.

use serde_json::{Value, json};

use super::{client, cron_job, names, recorded_server};
use crate::support::apiserver::{ApiServer, Options};

const CRON_JOBS: &str = "/apis/batch/v1/cronjobs";

fn page(server: &ApiServer, path: &str) -> Value {
    client(server, "admin").get(path).json()
}

fn token(page: &Value) -> &str {
    page["metadata"]["continue"].as_str().unwrap()
}

/// A namespace's slash comes after its dash in etcd's order.
#[test]
fn objects_come_in_the_order_of_their_keys() {
    let server = ApiServer::start(Options::default());
    for (namespace, name) in [("a", "z"), ("a-b", "a"), ("a", "b"), ("A", "c")] {
        server.add(cron_job(namespace, name));
    }
    let list = page(&server, CRON_JOBS);
    assert_eq!(names(&list), ["A/c", "a-b/a", "a/b", "a/z"]);
    let list = page(&server, "/apis/batch/v1/namespaces/a/cronjobs");
    assert_eq!(names(&list), ["a/b", "a/z"]);
}

#[test]
fn pages_make_up_the_list_as_it_was_at_first() {
    let server = recorded_server();
    let first = page(&server, &format!("{CRON_JOBS}?limit=5"));
    assert_eq!(first["metadata"]["resourceVersion"], "1401");
    assert_eq!(first["metadata"]["remainingItemCount"], 7);
    server.delete("batch/v1", "CronJob", "shop", "office");
    server.put(cron_job("shop", "zzz"));
    let path = format!("{CRON_JOBS}?limit=5&continue={}", token(&first));
    let second = page(&server, &path);
    assert_eq!(second["metadata"]["resourceVersion"], "1401");
    assert_eq!(second["metadata"]["remainingItemCount"], 2);
    let path = format!("{CRON_JOBS}?limit=5&continue={}", token(&second));
    let third = page(&server, &path);
    assert_eq!(third["metadata"], json!({"resourceVersion": "1401"}));
    assert_eq!(names(&third), ["shop/nightly", "shop/office"]);
}

#[test]
fn tokens_of_one_namespace_begin_inside_of_it() {
    let server = recorded_server();
    let path = "/apis/batch/v1/namespaces/shop/jobs?limit=1";
    assert_eq!(
        page(&server, path)["metadata"],
        json!({"resourceVersion": "1401"})
    );
    let path = "/apis/batch/v1/namespaces/ops/cronjobs?limit=3";
    let first = page(&server, path);
    assert_eq!(first["metadata"]["remainingItemCount"], 4);
    let second = page(&server, &format!("{path}&continue={}", token(&first)));
    assert_eq!(names(&second), ["ops/manual", "ops/replacer", "ops/tight"]);
}

#[test]
fn who_comes_too_late_may_go_on_inconsistently() {
    let server = recorded_server();
    let first = page(&server, &format!("{CRON_JOBS}?limit=10"));
    server.expire_continue_tokens();
    server.delete("batch/v1", "CronJob", "shop", "nightly");
    let path = format!("{CRON_JOBS}?limit=10&continue={}", token(&first));
    let answer = client(&server, "admin").get(&path);
    assert_eq!(answer.status, 410);
    let refusal = answer.json();
    assert_eq!(refusal["reason"], "Expired");
    let path = format!("{CRON_JOBS}?limit=10&continue={}", token(&refusal));
    let rest = page(&server, &path);
    assert_eq!(names(&rest), ["shop/office"]);
    assert_eq!(rest["metadata"], json!({"resourceVersion": "1403"}));
}

#[test]
fn tokens_that_nobody_gave_out() {
    let server = recorded_server();
    let complaint = |token: &str| {
        let path = format!("{CRON_JOBS}?limit=1&continue={token}");
        let answer = client(&server, "admin").get(&path);
        assert_eq!(answer.status, 400);
        answer.json()["message"].as_str().unwrap().to_owned()
    };
    let invalid = "invalid continue token: continue key is not valid";
    assert_eq!(
        complaint("a!b"),
        format!("{invalid}: illegal base64 data at input byte 1")
    );
    // {"v":"meta.k8s.io/v9"}
    assert_eq!(
        complaint("eyJ2IjoibWV0YS5rOHMuaW8vdjkifQ"),
        format!("{invalid}: server does not recognize this encoded version meta.k8s.io/v9")
    );
    // {"v":"meta.k8s.io/v1","rv":1}
    assert_eq!(
        complaint("eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MX0"),
        format!("{invalid}: encoded start key empty (version meta.k8s.io/v1)")
    );
}

#[test]
fn versions_that_a_list_is_asked_for() {
    let server = recorded_server();
    // From the cache: all of it, whatever the limit.
    let list = page(&server, &format!("{CRON_JOBS}?limit=2&resourceVersion=0"));
    assert_eq!(names(&list).len(), 12);
    let answer = client(&server, "admin").get(&format!("{CRON_JOBS}?resourceVersion=5000"));
    assert_eq!(answer.status, 504);
    assert_eq!(answer.header("retry-after"), Some("1"));
    let message = "Timeout: Too large resource version: 5000, current: 1401";
    assert_eq!(answer.json()["message"], message);
}

#[test]
fn selectors_of_labels() {
    let server = recorded_server();
    let selected = |selector: &str| {
        let path = format!("/apis/batch/v1/namespaces/shop/cronjobs?labelSelector={selector}");
        names(&page(&server, &path))
    };
    assert_eq!(selected("app%3Dnightly"), ["shop/nightly"]);
    assert_eq!(
        selected("app+in+(never,office),app"),
        ["shop/never", "shop/office"]
    );
    assert_eq!(
        selected("app+notin+(never,office),app!=nightly,!team"),
        ["shop/healthy", "shop/minutely"]
    );
    assert!(selected("team").is_empty());
    // Nobody knows how many more there are that match.
    let path = format!("{CRON_JOBS}?limit=1&labelSelector=app");
    assert_eq!(
        page(&server, &path)["metadata"]["remainingItemCount"],
        Value::Null
    );
}

#[test]
fn selectors_of_fields() {
    let server = recorded_server();
    let selected = |path: &str| names(&page(&server, path));
    assert_eq!(
        selected(&format!(
            "{CRON_JOBS}?fieldSelector=metadata.name%3Dnightly"
        )),
        ["shop/nightly"]
    );
    assert_eq!(
        selected(&format!(
            "{CRON_JOBS}?fieldSelector=metadata.namespace!%3Dops"
        ))
        .len(),
        5
    );
    assert_eq!(
        selected("/apis/batch/v1/jobs?fieldSelector=status.successful%3D1"),
        ["ops/manual-run"]
    );
    let event = "involvedObject.name%3Dmanual,reason%3DUnexpectedJob,type%3DWarning";
    assert_eq!(
        selected(&format!("/api/v1/events?fieldSelector={event}")),
        selected("/apis/events.k8s.io/v1/events?fieldSelector=regarding.name%3Dmanual")
    );
    let complaint = |path: &str| {
        let answer = client(&server, "admin").get(path);
        assert_eq!(answer.status, 400);
        answer.json()["message"].as_str().unwrap().to_owned()
    };
    assert_eq!(
        complaint(&format!("{CRON_JOBS}?fieldSelector=spec.suspend%3Dtrue")),
        "\"spec.suspend\" is not a known field selector: only \"metadata.name\", \"metadata.namespace\""
    );
    assert_eq!(
        complaint("/apis/batch/v1/jobs?fieldSelector=spec.x%3D1"),
        "field label \"spec.x\" not supported for Job"
    );
    assert_eq!(
        complaint("/api/v1/pods?fieldSelector=spec.x%3D1"),
        "field label not supported: spec.x"
    );
}
