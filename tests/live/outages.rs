//! The controller is down while single CronJobs are asked about, or changed: what is read beside them, and that no
//! start is promised.

use crate::live::call::{Call, ask};
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

/// `shop/nightly` ran last night. Nothing about it is late.
fn nightly() -> Value {
    let mut object = cron_job("shop", "nightly", "0 2 * * *");
    object["status"] = json!({"lastScheduleTime": "2026-11-21T02:00:00Z"});
    object
}

/// The calls that predict changes of `shop/nightly`; the last file name is that of a manifest with another schedule.
fn changes_of_nightly(manifest: &str) -> [Vec<String>; 5] {
    [
        vec!["trigger", "nightly", "--dry-run"],
        vec![
            "backfill",
            "nightly",
            "--last=1",
            "--include-unknown",
            "--dry-run",
        ],
        vec!["suspend", "nightly", "--dry-run"],
        vec!["explain", "nightly", "--what-if=schedule=1-59/2 * * * *"],
        vec!["plan", "-f", manifest],
    ]
    .map(|words| words.into_iter().map(str::to_owned).collect())
}

fn manifest() -> (Folder, String) {
    let mut new = nightly();
    new["spec"]["schedule"] = json!("1-59/2 * * * *");
    new["spec"]["startingDeadlineSeconds"] = Value::Null;
    let folder = Folder::new("outage", &[("new.json", &new.to_string())]);
    let path = folder.file("new.json");
    (folder, path)
}

/// The output in one line.
fn said(server: &ApiServer, user: &str, words: &[String]) -> String {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let ran = ask(server, user, words);
    assert_eq!(ran.code, 0, "{ran}");
    ran.stdout.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The CronJob itself is neither late nor suspended, so only the lease or its neighbours show the outage.
#[test]
fn changes_of_a_cronjob_that_is_not_late_know_the_outage() {
    let stale = lease("2026-11-21T02:05:04.123456Z", "2026-11-21T02:05:04Z");
    let fresh = lease("2026-11-21T02:13:06.123456Z", "2026-11-21T02:13:06Z");
    let (_folder, path) = manifest();
    for (lease, is_down) in [(None, true), (Some(stale), true), (Some(fresh), false)] {
        let server = server_with(outage().into_iter().chain([nightly()]).chain(lease));
        for words in changes_of_nightly(&path) {
            server.clear_requests();
            let text = said(&server, "admin", &words);
            let down = "kube-controller-manager, which seems to be down";
            assert_eq!(text.contains(down), is_down, "{words:?}: {text}");
            let lists =
                server.requests_where(|request| request.path.ends_with("/apis/batch/v1/cronjobs"));
            // The namespace of a plan has a CronJob that is late.
            if words[0] != "plan" {
                assert_eq!(lists.is_empty(), !is_down, "{words:?}");
            }
        }
    }
}

/// Without the permission to get the lease, a bounded number of CronJobs is listed.
#[test]
fn neighbours_of_a_changed_cronjob_are_a_bounded_list() {
    let many = (0..1200).map(|number| cron_job("other", &format!("c{number}"), "0 3 * * *"));
    let server = server_with(outage().into_iter().chain([nightly()]).chain(many));
    server.deny(|attempt| attempt.resource == "leases");
    let trigger = ["trigger", "nightly", "--dry-run"].map(str::to_owned);
    said(&server, "admin", &trigger);
    let lists = server.requests_where(|request| request.path.ends_with("/apis/batch/v1/cronjobs"));
    assert!(!lists.is_empty() && lists.len() <= 3, "{}", lists.len());
}

/// The runs that were missed while it was suspended are not missed because of the outage.
#[test]
fn what_if_resumed_blames_the_outage_for_no_run_of_the_suspension() {
    let server = server_with(outage());
    let document = ask(
        &server,
        "viewer",
        "explain off --what-if suspend=false -o json",
    )
    .document();
    let what_if = &document["items"][0]["whatIf"];
    assert_eq!(
        what_if["verdict"],
        "Nothing starts until kube-controller-manager, which seems to be down, is running again; then it starts the \
         latest run that is due"
    );
    let text = ask(&server, "viewer", "explain off --what-if suspend=false").stdout;
    let outcome = text.lines().find(|line| line.contains("outcome")).unwrap();
    assert_contains!(outcome, "starts once the controller is running");
    // One that was resumed in the meantime has missed two runs since.
    let mut resumed = overdue("shop", "a");
    resumed["metadata"]["generation"] = json!(3);
    resumed["metadata"]["managedFields"] = json!([{
        "manager": "kubectl-patch", "operation": "Update", "time": "2026-11-21T02:11:30Z",
        "fieldsV1": {"f:spec": {"f:suspend": {}}},
    }]);
    let server = server_with([resumed, overdue("ops", "b")]);
    let document = ask(&server, "viewer", "explain a -o json").document();
    assert_starts!(
        document["items"][0]["verdict"].text(),
        "Overdue: 2 runs since Sat 2026-11-21 02:12"
    );
}

/// A suspension that is lifted during an outage starts nothing.
#[test]
fn suspend_promises_no_start_without_the_controller() {
    let mut late = nightly();
    late["spec"]["startingDeadlineSeconds"] = Value::Null;
    let server = server_with(outage().into_iter().chain([late]));
    let condition = "and kube-controller-manager, which seems to be down, is running again";
    for (words, promise) in [
        (
            vec!["suspend", "nightly", "--dry-run"],
            "the last missed run starts immediately",
        ),
        (
            vec!["suspend", "a", "--dry-run"],
            "within 60m of a missed run",
        ),
        (
            vec![
                "suspend",
                "nightly",
                "--until=2026-11-23T12:00:00Z",
                "--dry-run",
            ],
            "it starts nightly-",
        ),
    ] {
        let words: Vec<String> = words.into_iter().map(str::to_owned).collect();
        let text = said(&server, "admin", &words);
        let (before, _) = text.split_once(promise).expect(&text);
        let sentence = before.rsplit(". ").next().unwrap();
        assert_contains!(sentence, condition);
    }
}

/// Waiting for what the controller does ends with the reason, and not with a refuted prediction.
#[test]
fn waiting_ends_with_the_outage() {
    let server = server_with(outage());
    let run = |words| Call::by(&server, "admin", words).run();
    let resumed = run("resume off --catch-up=run --wait -y");
    assert_eq!(resumed.code, 2, "{resumed}");
    assert_contains!(
        resumed.stderr,
        "shop/off: the controller has done nothing yet: kube-controller-manager, which seems to be down,"
    );
    assert_lacks!(resumed.stdout, "Not as predicted");
    let triggered = run("trigger a --force --wait=1s -y");
    assert_eq!(triggered.code, 2, "{triggered}");
    assert_contains!(
        triggered.stderr,
        "timed out after 1s; the Job has not started: kube-controller-manager, which seems to be down,"
    );
    assert_lacks!(triggered.stderr, "still running");
}

/// The controller was down from 00:15 to 02:12:03. It then started the latest runs of `often` and of `half`, which is in
/// another namespace, and none of `strict`: its run of 02:00 was too late. Nothing of `daily` was due. All Jobs are left.
fn after_an_outage() -> Vec<Value> {
    const BACK: &str = "2026-11-21T02:12:03Z";
    let known = |namespace, name, schedule, last: &str| {
        let mut object = cron_job(namespace, name, schedule);
        let created = if name == "often" {
            "21T00:12"
        } else {
            "20T23:50"
        };
        object["metadata"]["creationTimestamp"] = json!(format!("2026-11-{created}:00Z"));
        object["metadata"]["generation"] = json!(1);
        object["spec"]["concurrencyPolicy"] = json!("Allow");
        object["status"] = json!({"lastScheduleTime": last});
        object
    };
    let mut strict = known("shop", "strict", "*/30 * * * *", "2026-11-21T00:00:00Z");
    strict["spec"]["startingDeadlineSeconds"] = json!(600);
    let run = |namespace, name, scheduled: &str, created: &str| {
        let end = created.replace(":00Z", ":30Z").replace(":03Z", ":33Z");
        let mut run = job(namespace, name, scheduled, Some(&end));
        run["metadata"]["creationTimestamp"] = json!(created);
        run["status"]["startTime"] = json!(created);
        run
    };
    let (first, later) = ("2026-11-21T00:00:00Z", "2026-11-21T00:15:00Z");
    vec![
        known("shop", "often", "*/5 * * * *", "2026-11-21T02:10:00Z"),
        run("shop", "often", later, later),
        run("shop", "often", "2026-11-21T02:10:00Z", BACK),
        known("ops", "half", "*/30 * * * *", "2026-11-21T02:00:00Z"),
        run("ops", "half", first, first),
        run("ops", "half", "2026-11-21T02:00:00Z", BACK),
        strict,
        run("shop", "strict", first, first),
        known("shop", "daily", "0 0 * * *", first),
        run("shop", "daily", first, first),
    ]
}

/// The runs of a CronJob of `shop` that were missed, and why.
fn missed(server: &ApiServer, name: &str, words: &str) -> Vec<String> {
    let document = ask(server, "viewer", words).document();
    let runs = document["items"].named(name)["runs"].items().iter();
    let runs = runs.filter(|run| run["status"] == "skipped");
    let line = |run: &Value| {
        let clock = &run["scheduledTime"].text()[11..16];
        format!("{clock} {}", run["cause"].as_str().unwrap_or_default())
    };
    runs.map(line).collect()
}

const ALL_CRON_JOBS: &str = "/apis/batch/v1/cronjobs";
const ALL_JOBS: &str = "/apis/batch/v1/jobs";

/// How many requests list something of all namespaces.
fn lists_of_all(server: &ApiServer, path: &str) -> usize {
    server
        .requests_where(|request| request.path.ends_with(path))
        .len()
}

/// What happened to a run does not depend on what was selected: the Jobs of the others show the outage.
#[test]
fn past_outage_does_not_depend_on_what_was_selected() {
    let server = server_with(after_an_outage());
    let down = ["00:30", "01:00", "01:30", "02:00"].map(|at| format!("{at} controllerDown"));
    for words in [
        "history strict -o json",
        "history strict often -o json",
        "history -n shop -o json",
        "history -A -o json",
    ] {
        assert_eq!(missed(&server, "strict", words), down, "{words}");
    }
    let often = missed(&server, "often", "history often -o json");
    assert_eq!(often.len(), 22, "{often:?}");
    assert!(
        often.iter().all(|run| run.ends_with(" controllerDown")),
        "{often:?}"
    );
    let lost = |words: &str| {
        let document = ask(&server, "viewer", words).document();
        let findings = document["items"].named("strict")["findings"].items().iter();
        let mut lost = findings.filter(|one| one["code"] == "starting-deadline-exceeded");
        lost.next().unwrap()["detail"].text().to_owned()
    };
    let all = lost("scan -A -o json");
    assert_contains!(all, "kube-controller-manager seems to have been down");
    for words in [
        "scan strict -o json",
        "scan -n shop -o json",
        "explain strict -o json",
    ] {
        assert_eq!(lost(words), all, "{words}");
    }
}

/// One list each of all CronJobs and Jobs, and only where a run was missed for no other reason.
#[test]
fn jobs_of_neighbours_are_read_only_if_a_run_was_missed() {
    let server = server_with(after_an_outage());
    for (words, expected) in [
        ("history strict", 1),
        ("history often", 1),
        ("report strict", 1),
        ("explain strict", 1),
        // Nothing is said of runs before the last one.
        ("explain often", 0),
        ("history daily", 0),
        ("explain daily", 0),
    ] {
        server.clear_requests();
        ask(&server, "viewer", words);
        let lists = [ALL_CRON_JOBS, ALL_JOBS].map(|path| lists_of_all(&server, path));
        assert_eq!(lists, [expected; 2], "{words}");
    }
    // The Jobs of the namespace were read already.
    server.clear_requests();
    ask(&server, "viewer", "history -A");
    assert_eq!(lists_of_all(&server, ALL_JOBS), 1);
}

/// Where the Jobs of all namespaces may not be listed, those of the namespace count.
#[test]
fn past_outage_is_judged_by_the_namespace_if_the_others_are_forbidden() {
    let mut objects = after_an_outage();
    for object in &mut objects {
        if object["metadata"]["namespace"] == "ops" {
            object["metadata"]["namespace"] = json!("shop");
        }
    }
    let server = server_with(objects);
    server.deny(|attempt| attempt.namespace != "shop" && !attempt.resource.is_empty());
    let missed = missed(&server, "strict", "history strict -o json");
    assert_eq!(missed.len(), 4);
    assert!(
        missed.iter().all(|run| run.ends_with(" controllerDown")),
        "{missed:?}"
    );
}

/// In a cluster with more Jobs, those of the namespace count.
#[test]
fn neighbours_are_read_up_to_a_number_of_jobs() {
    const OF_NAMESPACE: &str = "/apis/batch/v1/namespaces/shop/jobs";
    for (others, lists) in [(0, 1), (8_000, 2)] {
        let server = server_with(after_an_outage());
        for number in 0..others {
            let name = format!("other-{number}");
            server.add(job("dev", &name, "2026-11-21T00:00:00Z", None));
        }
        ask(&server, "viewer", "history strict").fine();
        assert_eq!(lists_of_all(&server, OF_NAMESPACE), lists, "{others}");
    }
}
