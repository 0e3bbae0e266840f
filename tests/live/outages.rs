//! The controller is down while single CronJobs are asked about, or changed: what is read beside them, and that no
//! start is promised.

use crate::live::call::ask;
use crate::live::prelude::*;

const NOW: &str = "2026-11-21T02:13:08Z";
/// When the controller started something last.
const LAST: &str = "2026-11-21T02:05:00Z";

fn overdue(namespace: &str, name: &str) -> Value {
    let mut object = cron_job(namespace, name, "* * * * *");
    object["status"] = json!({"lastScheduleTime": LAST});
    object
}

/// The lease of the controller manager, last renewed at this time by its clock, and written at that of the server.
fn lease(renewed: &str, written: &str) -> Value {
    json!({
        "apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
        "metadata": {
            "name": "kube-controller-manager", "namespace": "kube-system", "uid": "lease",
            "managedFields": [{"manager": "kube-controller-manager", "operation": "Update", "time": written}],
        },
        "spec": {"renewTime": renewed},
    })
}

fn server_with(objects: impl IntoIterator<Item = Value>) -> ApiServer {
    let server = ApiServer::start(Options::default().now(NOW));
    objects.into_iter().for_each(|object| server.add(object));
    server
}

/// `shop/a` is overdue, `shop/off` suspended; `ops/b` is overdue in another namespace.
fn outage() -> [Value; 3] {
    let mut off = overdue("shop", "off");
    off["spec"]["suspend"] = json!(true);
    [overdue("shop", "a"), off, overdue("ops", "b")]
}

/// The severity of `start-overdue` of `shop/a`, and whether its verdict names the controller manager.
fn judged(server: &ApiServer, user: &str, words: &str) -> (Value, bool) {
    let document = ask(server, user, words).document();
    let found = document["items"].named("a");
    let findings = found["findings"].items().iter();
    let mut overdue = findings.filter(|one| one["code"] == "start-overdue");
    let severity = overdue
        .next()
        .map_or(Value::Null, |one| one["severity"].clone());
    let is_named = found["verdict"]
        .text()
        .contains("kube-controller-manager seems to be down");
    (severity, is_named)
}

const READS: [&str; 5] = [
    "explain a -o json",
    "explain a -n shop -o json",
    "scan a -o json",
    "scan -n shop -o json",
    "scan -A -o json",
];

#[test]
fn outage_does_not_depend_on_what_was_selected() {
    let server = server_with(outage());
    for words in READS {
        assert_eq!(
            judged(&server, "viewer", words),
            (json!("error"), true),
            "{words}"
        );
    }
}

#[test]
fn renewed_lease_decides_whether_the_controller_manager_is_down() {
    let is_down = |lease: Value| {
        let all = outage().into_iter().chain([lease]);
        let server = server_with(all);
        let judged = READS.map(|words| judged(&server, "viewer", words));
        assert!(
            judged.windows(2).all(|pair| pair[0] == pair[1]),
            "{judged:?}"
        );
        judged[0].clone()
    };
    let stale = "2026-11-21T02:05:04.123456Z";
    assert_eq!(
        is_down(lease(stale, "2026-11-21T02:05:04Z")),
        (json!("error"), true)
    );
    let fresh = "2026-11-21T02:13:06.123456Z";
    assert!(!is_down(lease(fresh, "2026-11-21T02:13:06Z")).1);
    // The clock of its node is behind.
    assert!(!is_down(lease(stale, "2026-11-21T02:13:06Z")).1);
}

/// With the lease, one CronJob is enough.
#[test]
fn stale_lease_explains_a_single_overdue_cron_job() {
    let stale = lease("2026-11-21T02:05:04.123456Z", "2026-11-21T02:05:04Z");
    let server = server_with([overdue("shop", "a"), stale]);
    assert_eq!(judged(&server, "viewer", READS[0]), (json!("error"), true));
    let server = server_with([overdue("shop", "a")]);
    assert_eq!(
        judged(&server, "viewer", READS[0]),
        (json!("warning"), false)
    );
}

/// A copy of a Job has its owner and annotations, and was not created by the controller.
#[test]
fn copy_of_a_job_is_no_sign_of_the_controller() {
    let mut copy = job("shop", "a", LAST, None);
    copy["metadata"]["name"] = json!("a-again");
    copy["metadata"]["creationTimestamp"] = json!("2026-11-21T02:12:50Z");
    let server = server_with(outage().into_iter().chain([copy]));
    for words in READS {
        assert_eq!(
            judged(&server, "viewer", words),
            (json!("error"), true),
            "{words}"
        );
    }
}

#[test]
fn neighbours_are_read_only_if_a_run_is_late() {
    let server = super::scene::server();
    ask(
        &server,
        "viewer",
        format!("explain nightly {}", super::scene::NOW),
    );
    let lists = server.requests_where(|request| request.path.ends_with("/apis/batch/v1/cronjobs"));
    assert!(lists.is_empty());
    assert_lacks!(server.lines().join("\n"), "leases");
}

#[test]
fn neighbours_of_the_namespace_do_if_the_others_are_forbidden() {
    let mut objects: Vec<Value> = outage().into();
    objects.push(overdue("shop", "c"));
    let server = server_with(objects);
    server.deny(|attempt| attempt.namespace != "shop" && !attempt.resource.is_empty());
    assert_eq!(judged(&server, "viewer", READS[0]), (json!("error"), true));
}

/// While nothing starts, no change promises a start.
#[test]
fn changes_promise_no_start_during_an_outage() {
    let server = server_with(outage());
    for words in [
        "resume off --catch-up=run --dry-run",
        "resume off --catch-up=skip --dry-run",
        "trigger a --force --dry-run",
        "backfill a --last 1 --dry-run",
        "backfill off --last 1 --dry-run",
        "suspend a --dry-run",
        "explain off --what-if suspend=false",
    ] {
        let ran = ask(&server, "admin", words);
        assert_eq!(ran.code, 0, "{words}: {ran}");
        let text = ran.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_contains!(text, "kube-controller-manager, which seems to be down");
        assert_lacks!(text, "immediately for the run");
        assert_lacks!(text, "may still start");
        assert_lacks!(text, "syncs immediately");
    }
}
