//! `plan` compares manifests with the objects of a cluster.

use crate::live::prelude::*;

/// A manifest without fields that have default values or do not matter in these tests.
fn manifest(name: &str, schedule: &str) -> Value {
    let whole = cron_job("shop", name, schedule);
    json!({
        "apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": name},
        "spec": {"schedule": schedule, "jobTemplate": whole["spec"]["jobTemplate"]},
    })
}

fn planned(server: &ApiServer, user: &str, manifests: &[Value], more: impl CommandLine) -> Ran {
    let list = list(manifests);
    let folder = Folder::new("plan-live", &[("new.json", &list)]);
    let arguments = ("plan -f new.json", NOW, more);
    let config = Kubeconfig::user(user).namespace("shop");
    let call = Call::new(arguments).in_folder(&folder);
    call.with(server, &config).run()
}

/// The items of a plan by a user who may read everything.
fn items(server: &ApiServer, manifests: &[Value], more: &str) -> Value {
    let mut document = planned(server, "viewer", manifests, ("-o json", more)).document();
    document["items"].take()
}

fn requests(server: &ApiServer) -> Vec<String> {
    let mut lines = server.lines();
    lines.sort();
    lines.dedup();
    lines
}

/// `hourly` last ran at 02:05, and its next sync is at 03:05. That sync finds the run of 02:10, which is
/// within the deadline of an hour.
/// Shows whether the controller is running, so that no start is promised if not.
const LEASE: &str =
    "GET /apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-controller-manager";

#[test]
fn schedule_edit_starts_missed_run() {
    let server = server();
    let new = [manifest("hourly", "10 * * * *")];
    let items = items(&server, &new, "");
    assert_eq!(items.items().len(), 1, "{items:#}");
    let item = &items[0];
    assert_eq!(item["change"], "changed");
    let expected = json!([{"field": "spec.schedule", "old": "5 * * * *", "new": "10 * * * *"}]);
    assert_eq!(item["fields"], expected);
    let effect = &item["effects"][0];
    assert_eq!(effect["kind"], "startsNow");
    assert_eq!(effect["at"], "2026-11-21T03:05:00Z");
    assert_eq!(effect["scheduledTime"], "2026-11-21T02:10:00Z");
    let job = job_name("hourly", "2026-11-21T02:10:00Z");
    assert_eq!(effect["jobs"], json!([job]));
    // The manifest is for the namespace of the context, and does not have these fields.
    let kept = ["startingDeadlineSeconds", "timeZone", "concurrencyPolicy"];
    assert_eq!(
        item["kept"].texts("field"),
        kept.map(|field| format!("spec.{field}"))
    );
    let expected = [
        "GET /api/v1/namespaces/shop/events",
        "GET /apis/batch/v1/cronjobs",
        "GET /apis/batch/v1/namespaces/shop/cronjobs",
        "GET /apis/batch/v1/namespaces/shop/jobs",
        LEASE,
        "GET /version",
    ];
    assert_eq!(requests(&server), expected);
}

#[test]
fn pruning_deletes_what_no_manifest_names() {
    let server = server();
    let new = [manifest("nightly", "0 2 * * *")];
    let kept = items(&server, &new, "");
    assert_eq!(kept.items().len(), 1);
    assert_eq!(kept[0]["change"], "unchanged");
    let pruned = items(&server, &new, "--prune");
    let removed = &pruned[0];
    let expected = (&json!("hourly"), &json!("removed"));
    assert_eq!((&removed["name"], &removed["change"]), expected);
    let job = job_name("hourly", "2026-11-21T02:05:00Z");
    let effects = [0, 1].map(|index: usize| {
        let effect = &removed["effects"][index];
        json!([effect["kind"], effect["scheduledTime"], effect["jobs"]])
    });
    let skips = json!(["skipsRuns", "2026-11-21T03:05:00Z", []]);
    assert_eq!(effects, [skips, json!(["removesFinished", null, [job]])]);
    assert_eq!(removed["effects"].items().len(), 2);
    // CronJobs without the label are not pruned.
    let selected = planned(&server, "viewer", &[], "--prune -l app=other -o json");
    assert_eq!(selected.code, 0, "{selected}");
}

#[test]
fn plan_reads_long_lists_in_pages() {
    let server = server();
    for number in 0..520 {
        server.add(cron_job("shop", &format!("batch-{number:03}"), "0 3 * * *"));
    }
    let new = [
        manifest("batch-519", "0 2 * * *"),
        manifest("batch-000", "0 3 * * *"),
    ];
    let items = items(&server, &new, "");
    assert_eq!(items.texts("name"), ["batch-519", "batch-000"]);
    assert_eq!(items.texts("change"), ["changed", "unchanged"]);
    // Two lists, each in two pages.
    let requests = server.requests();
    let lines = requests.iter().map(Recorded::line);
    let pages = lines.filter(|line| line.ends_with("/namespaces/shop/cronjobs"));
    assert_eq!(pages.count(), 4);
}

calls! {
    plan_without_the_right_to_jobs_warns(server) { server.deny(|attempt| attempt.resource == "jobs"); }
        planned(&server, "viewer", &[manifest("nightly", "0 3 * * *")], "") => 0;
    plan_without_any_right_is_refused {} planned(&server(), "nobody", &[manifest("nightly", "0 3 * * *")], "") => 2;
}

#[test]
fn plan_without_cronjob_manifests_sends_no_request() {
    let server = server();
    assert_eq!(view(&server, "plan -f .deny.toml").code, 2);
    assert!(server.requests().is_empty());
}

/// Manifests for many namespaces are compared with one list of all namespaces, if the user may read it.
#[test]
fn plan_for_many_namespaces_reads_one_list_of_all() {
    let namespaces: Vec<String> = (0..12).map(|number| format!("team-{number:02}")).collect();
    let new = |schedule: &str| -> Vec<Value> {
        let manifests = namespaces.iter().map(|namespace| {
            let mut manifest = manifest("nightly", schedule);
            manifest["metadata"]["namespace"] = json!(namespace);
            manifest
        });
        manifests.collect()
    };
    let plan = |server: &ApiServer| {
        for namespace in &namespaces {
            server.add(cron_job(namespace, "nightly", "0 2 * * *"));
        }
        let document = planned(server, "viewer", &new("0 3 * * *"), ["-o", "json"]).document();
        assert_eq!(document["summary"]["changed"], 12);
        assert_eq!(document["items"].items().len(), 12);
        requests(server)
    };
    let cluster_wide = [
        "GET /api/v1/events",
        "GET /apis/batch/v1/cronjobs",
        "GET /apis/batch/v1/jobs",
        LEASE,
        "GET /version",
    ];
    assert_eq!(plan(&server()), cluster_wide);
    let restricted = server();
    restricted.deny(|attempt| attempt.namespace.is_empty() && !attempt.resource.is_empty());
    let lists = plan(&restricted);
    for namespace in &namespaces {
        let list = format!("GET /apis/batch/v1/namespaces/{namespace}/cronjobs");
        assert!(lists.contains(&list), "{lists:?}");
    }
}
