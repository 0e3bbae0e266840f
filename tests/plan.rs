//! `plan` through the real binary: what each kind of change leads to, derived by hand.

use crate::support::command_line::{CommandLine, doctor, doctor_in};
use crate::support::folder::Folder;
use crate::support::markdown::{HARM, assert_inert};
use crate::support::run::Ran;

use serde_json::{Value, json};

/// A Saturday.
const NOW: &str = "2026-11-21T12:00:30Z";

/// A manifest. The fields replace those of the spec; null removes one.
fn manifest(name: &str, schedule: &str, fields: &Value) -> Value {
    let mut spec = json!({
        "schedule": schedule,
        "jobTemplate": {"spec": {"template": {"spec": {
            "restartPolicy": "Never", "containers": [{"name": "main", "image": "shop/main:1"}],
        }}}},
    });
    for (field, value) in fields.as_object().unwrap() {
        spec[field] = value.clone();
    }
    json!({
        "apiVersion": "batch/v1", "kind": "CronJob",
        "metadata": {"namespace": "shop", "name": name}, "spec": spec,
    })
}

fn list(objects: &[Value]) -> String {
    json!({"apiVersion": "v1", "kind": "List", "items": objects}).to_string()
}

/// Compares with objects by the flag `--from` or `--from-live`.
fn planned(flag: &str, old: &[Value], new: &[Value], more: impl CommandLine) -> Ran {
    let folder = Folder::new(
        "plan",
        &[("old.json", &list(old)), ("new.json", &list(new))],
    );
    let now = format!("--now={NOW}");
    let arguments = ["plan", "-f", "new.json", flag, "old.json", &now];
    doctor_in(&folder, (&arguments, more))
}

fn document(ran: &Ran) -> Value {
    serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {ran}"))
}

/// The only item of a plan for a version.
fn item(flag: &str, version: &str, old: &[Value], new: &[Value]) -> Value {
    let more = ["-o", "json", "--kubernetes-version", version];
    let document = document(&planned(flag, old, new, more));
    let items = document["items"].as_array().unwrap();
    assert_eq!(items.len(), 1, "{document:#}");
    items[0].clone()
}

/// Kind, time, scheduled time and Jobs of each effect.
fn effects(item: &Value) -> Value {
    let effects = item["effects"].as_array().unwrap().iter();
    let fields = ["kind", "at", "scheduledTime", "jobs"];
    json!(
        effects
            .map(|effect| fields.map(|field| effect[field].clone()))
            .collect::<Vec<_>>()
    )
}

/// A change of one manifest, with nothing known of a cluster.
#[expect(
    clippy::needless_pass_by_value,
    reason = "the cases are easier to read"
)]
fn changed(version: &str, old: (&str, Value), new: (&str, Value)) -> Value {
    let mut old = manifest("report", old.0, &old.1);
    let mut new = manifest("report", new.0, &new.1);
    if version == "1.20" {
        // The first version with batch/v1 is 1.21.
        old["apiVersion"] = json!("batch/v1beta1");
        new["apiVersion"] = json!("batch/v1beta1");
    }
    let item = item("--from", version, &[old], &[new]);
    assert_eq!(item["change"], "changed", "{item:#}");
    assert_eq!(item["refused"], json!([]), "{item:#}");
    effects(&item)
}

#[test]
fn metadata_defaults_and_order_change_nothing() {
    let mut old = manifest(
        "report",
        "0 10 * * *",
        &json!({"suspend": false, "concurrencyPolicy": "Allow", "failedJobsHistoryLimit": 1}),
    );
    old["metadata"]["labels"] = json!({"chart": "shop-1.0"});
    let new = manifest(
        "report",
        "0 10 * * *",
        &json!({"successfulJobsHistoryLimit": 3}),
    );
    let item = item("--from", "1.36", &[old], &[new]);
    assert_eq!(item["change"], "unchanged");
    assert_eq!(item["fields"], json!([]));
    assert_eq!(item["effects"], json!([]));
}

/// It last ran yesterday at 14:00, and its next wake-up is today at 14:00. Then it finds the run of 10:00,
/// which is 2026-11-21T10:00:00Z, in minutes of the epoch (20778 days of 1440 minutes, and 600) 29920920.
#[test]
fn earlier_schedule_starts_missed_run_at_old_wake_up() {
    let edit = |version| {
        changed(
            version,
            ("0 14 * * *", json!({})),
            ("0 10 * * *", json!({})),
        )
    };
    assert_eq!(
        edit("1.36"),
        json!([[
            "startsNow",
            "2026-11-21T14:00:00Z",
            "2026-11-21T10:00:00Z",
            ["report-29920920"]
        ]])
    );
    // The first generation looks at everything every 10 seconds, and names Jobs by seconds.
    assert_eq!(
        edit("1.20"),
        json!([[
            "startsNow",
            "2026-11-21T12:00:40Z",
            "2026-11-21T10:00:00Z",
            ["report-1795255200"]
        ]])
    );
}

/// 18:00 of yesterday lies after the last run, at 14:00.
#[test]
fn later_schedule_starts_run_of_yesterday() {
    let edit = changed("1.36", ("0 14 * * *", json!({})), ("0 18 * * *", json!({})));
    assert_eq!(
        edit,
        json!([[
            "startsNow",
            "2026-11-21T14:00:00Z",
            "2026-11-20T18:00:00Z",
            ["report-29919960"]
        ]])
    );
}

#[test]
fn schedule_edits_without_missed_run_start_nothing() {
    for (old, new) in [("0 10 * * *", "0 14 * * *"), ("0 10 * * *", "0 6 * * *")] {
        assert_eq!(
            changed("1.36", (old, json!({})), (new, json!({}))),
            json!([]),
            "{old} {new}"
        );
    }
    // The wake-up of the old schedule stays in the queue.
    let yearly = changed("1.36", ("0 * * * *", json!({})), ("0 6 1 1 *", json!({})));
    assert_eq!(
        yearly,
        json!([["nextSync", "2026-11-21T13:00:00Z", null, []]])
    );
}

/// 14:00 in Kolkata is 08:30 UTC, after the last run of yesterday at 14:00 UTC.
#[test]
fn time_zone_edit_starts_missed_run() {
    let edit = changed(
        "1.36",
        ("0 14 * * *", json!({})),
        ("0 14 * * *", json!({"timeZone": "Asia/Kolkata"})),
    );
    assert_eq!(
        edit,
        json!([[
            "startsNow",
            "2026-11-21T14:00:00Z",
            "2026-11-21T08:30:00Z",
            ["report-29920830"]
        ]])
    );
    // 10:00 in New York is 15:00 UTC.
    let old = manifest("report", "0 10 * * *", &json!({}));
    let zone = json!({"timeZone": "America/New_York"});
    let new = manifest("report", "0 10 * * *", &zone);
    let item = item("--from", "1.36", &[old], &[new]);
    assert_eq!(effects(&item), json!([]));
    assert_eq!(
        item["runsBefore"][0]["scheduledTime"],
        "2026-11-22T10:00:00Z"
    );
    assert_eq!(
        item["runsAfter"][0]["scheduledTime"],
        "2026-11-21T15:00:00Z"
    );
}

/// Suspended since before 10:00 today, which is missed.
#[test]
fn resuming_starts_latest_missed_run() {
    let suspended = json!({"suspend": true});
    for (version, at, job) in [
        ("1.36", "2026-11-21T12:00:30Z", "report-29920920"),
        ("1.20", "2026-11-21T12:00:40Z", "report-1795255200"),
    ] {
        let edit = changed(
            version,
            ("0 10 * * *", suspended.clone()),
            ("0 10 * * *", json!({})),
        );
        assert_eq!(
            edit,
            json!([
                ["startsNow", at, "2026-11-21T10:00:00Z", [job]],
                ["resumes", null, "2026-11-22T10:00:00Z", []],
            ])
        );
    }
    // 10:00 is older than the deadline.
    let edit = changed(
        "1.36",
        ("0 10 * * *", suspended),
        ("0 10 * * *", json!({"startingDeadlineSeconds": 3600})),
    );
    assert_eq!(edit, json!([["resumes", null, "2026-11-22T10:00:00Z", []]]));
}

#[test]
fn suspending_skips_the_next_run() {
    let edit = changed(
        "1.36",
        ("0 10 * * *", json!({})),
        ("0 10 * * *", json!({"suspend": true})),
    );
    assert_eq!(
        edit,
        json!([["skipsRuns", null, "2026-11-22T10:00:00Z", []]])
    );
}

#[test]
fn changes_after_which_nothing_runs() {
    for new in [
        ("0 10 * * *", json!({"startingDeadlineSeconds": 0})),
        ("0 0 30 2 *", json!({})),
    ] {
        let edit = changed("1.36", ("0 10 * * *", json!({})), new.clone());
        let kinds: Vec<&Value> = edit.as_array().unwrap().iter().map(|one| &one[0]).collect();
        assert!(kinds.contains(&&json!("neverRuns")), "{new:?} {edit}");
    }
}

/// The changes of a plan by name, and its counts of those added, removed and not read.
fn changes(ran: &Ran) -> (Vec<(String, String)>, [i64; 3]) {
    let document = document(ran);
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let items = document["items"].as_array().unwrap().iter();
    let mut items: Vec<_> = items
        .map(|item| (text(&item["name"]), text(&item["change"])))
        .collect();
    items.sort();
    let counts = ["added", "removed", "notRead"];
    let counts = counts.map(|count| document["summary"][count].as_i64().unwrap());
    (items, counts)
}

/// What cannot be read may be there: it is neither removed nor added.
#[test]
fn unread_objects_are_neither_removed_nor_added() {
    let readable = |name: &str| manifest(name, "0 2 * * *", &json!({})).to_string();
    let quoted = manifest("b", "0 2 * * *", &json!({"suspend": "false"})).to_string();
    let conflict = format!("<<<<<<< HEAD\n{}", readable("b"));
    let template = "kind: CronJob\nmetadata:\n  name: {{ .Values.name }}\n{{- end }}\n";
    let flags: [&[&str]; 2] = [&["--from", "old"], &["--from-live", "old", "--prune"]];
    for unread in [quoted.as_str(), &conflict, template] {
        let (a, b) = (readable("a"), readable("b"));
        let removed = Folder::new(
            "plan-unread",
            &[
                ("old/a.yaml", &a),
                ("old/b.yaml", &b),
                ("new/a.yaml", &a),
                ("new/b.yaml", unread),
            ],
        );
        let added = Folder::new(
            "plan-unread",
            &[
                ("new/a.yaml", &a),
                ("new/b.yaml", &b),
                ("old/a.yaml", &a),
                ("old/b.yaml", unread),
            ],
        );
        for (folder, file) in [(&removed, "new/b.yaml"), (&added, "old/b.yaml")] {
            for flags in flags {
                let plan = |format: &str| {
                    let now = format!("--now={NOW}");
                    let arguments = ["plan", "-f", "new", &now, "-o", format];
                    doctor_in(folder, (&arguments, flags))
                };
                let ran = plan("json");
                assert_eq!(ran.code, 2, "{ran}");
                let items = [("a", "unchanged"), ("b", "notRead")];
                let items = items.map(|(name, change)| (name.to_owned(), change.to_owned()));
                assert_eq!(
                    changes(&ran),
                    (items.to_vec(), [0, 0, 1]),
                    "{unread}\n{ran}"
                );
                assert_eq!(document(&ran)["unread"][0]["file"], file, "{ran}");
                for format in ["text", "markdown", "github"] {
                    let shown = plan(format).stdout;
                    let is_named = shown.contains("Not read") && shown.contains("b.yaml");
                    assert!(is_named && !shown.contains("removed"), "{shown}");
                }
            }
        }
    }
    // The error of a file says nothing about the objects of others.
    let (a, b) = (readable("a"), readable("b"));
    let folder = Folder::new(
        "plan-unread",
        &[
            ("old/a.yaml", &a),
            ("old/b.yaml", &b),
            ("new.yaml", "<<<<<<< HEAD\nname: a\n"),
        ],
    );
    let ran = doctor_in(&folder, "plan -f new.yaml --from old -o json");
    let items = [("a", "notRead"), ("b", "removed")];
    let items = items.map(|(name, change)| (name.to_owned(), change.to_owned()));
    assert_eq!(changes(&ran), (items.to_vec(), [0, 1, 1]), "{ran}");
}

/// kustomize does not require a kind in its own file.
#[test]
fn kustomization_without_kind_is_no_error() {
    let a = manifest("a", "0 2 * * *", &json!({})).to_string();
    let files = [
        ("old/a.yaml", a.as_str()),
        ("new/a.yaml", &a),
        ("new/kustomization.yaml", "resources:\n- a.yaml\n"),
    ];
    let folder = Folder::new("plan-kustomization", &files);
    doctor_in(&folder, "plan -f new --from old").fine();
    assert_eq!(doctor_in(&folder, "scan -f new").code, 0);
}

#[test]
fn removal_rename_and_creation() {
    let old = [manifest("report", "0 10 * * *", &json!({}))];
    let removed = item("--from", "1.36", &old, &[]);
    assert_eq!(removed["change"], "removed");
    assert_eq!(
        effects(&removed),
        json!([["skipsRuns", null, "2026-11-22T10:00:00Z", []]])
    );
    let added = item("--from", "1.36", &[], &old);
    assert_eq!(added["change"], "added");
    assert_eq!(effects(&added), json!([]));
    assert_eq!(
        added["runsAfter"][2]["scheduledTime"],
        "2026-11-24T10:00:00Z"
    );
    let new = [manifest("reports", "0 10 * * *", &json!({}))];
    let renamed = item("--from", "1.36", &old, &new);
    assert_eq!(renamed["change"], "renamed");
    assert_eq!(renamed["previous"], "shop/report");
    assert_eq!(effects(&renamed), json!([["recreates", null, null, []]]));
}

/// A CronJob as a cluster has it, which last ran at 11:00.
fn live(name: &str, schedule: &str, fields: &Value) -> Value {
    let mut object = manifest(name, schedule, fields);
    object["metadata"]["uid"] = json!(name);
    object["metadata"]["creationTimestamp"] = json!("2026-11-01T00:00:00Z");
    object["status"] = json!({"lastScheduleTime": "2026-11-21T11:00:00Z"});
    object
}

/// A Job of `report`, which ran at an hour of today.
fn job(hour: u32, running: bool) -> Value {
    let minutes = 29_920_320 + hour * 60;
    let status = if running {
        json!({"active": 1, "startTime": format!("2026-11-21T{hour:02}:00:00Z")})
    } else {
        json!({
            "succeeded": 1, "startTime": format!("2026-11-21T{hour:02}:00:00Z"),
            "completionTime": format!("2026-11-21T{hour:02}:01:00Z"),
            "conditions": [{"type": "Complete", "status": "True",
                            "lastTransitionTime": format!("2026-11-21T{hour:02}:01:00Z")}],
        })
    };
    json!({
        "apiVersion": "batch/v1", "kind": "Job",
        "metadata": {
            "namespace": "shop", "name": format!("report-{minutes}"), "uid": format!("{minutes}"),
            "creationTimestamp": format!("2026-11-21T{hour:02}:00:00Z"),
            "ownerReferences": [{"apiVersion": "batch/v1", "kind": "CronJob", "name": "report",
                                 "uid": "report", "controller": true}],
        },
        "spec": {}, "status": status,
    })
}

/// An hourly one whose run of 11:00 still runs, so that that of 12:00 waits.
fn blocked() -> [Value; 2] {
    let mut cron_job = live(
        "report",
        "0 * * * *",
        &json!({"concurrencyPolicy": "Forbid"}),
    );
    cron_job["status"]["active"] = json!([{"apiVersion": "batch/v1", "kind": "Job",
        "namespace": "shop", "name": "report-29920980", "uid": "29920980"}]);
    [cron_job, job(11, true)]
}

#[test]
fn concurrency_policy_edit_lets_waiting_run_start() {
    let starts = json!([
        "startsNow",
        "2026-11-21T12:00:30Z",
        "2026-11-21T12:00:00Z",
        ["report-29921040"]
    ]);
    let edit = |policy: &str| {
        let fields = json!({"concurrencyPolicy": policy});
        let new = manifest("report", "0 * * * *", &fields);
        effects(&item("--from-live", "1.36", &blocked(), &[new]))
    };
    assert_eq!(edit("Allow"), json!([starts]));
    let deletes = json!([
        "removesRunning",
        "2026-11-21T12:00:30Z",
        null,
        ["report-29920980"]
    ]);
    assert_eq!(edit("Replace"), json!([starts, deletes]));
    assert_eq!(edit("Forbid"), json!([]));
}

#[test]
fn schedule_edit_loses_waiting_run() {
    let fields = json!({"concurrencyPolicy": "Forbid"});
    let new = manifest("report", "30 6 * * *", &fields);
    let item = item("--from-live", "1.36", &blocked(), &[new]);
    assert_eq!(
        effects(&item)[0],
        json!(["skipsRuns", null, "2026-11-21T12:00:00Z", []])
    );
}

#[test]
fn template_edit_leaves_running_job_alone() {
    let mut new = manifest(
        "report",
        "0 * * * *",
        &json!({"concurrencyPolicy": "Forbid"}),
    );
    let pod = "/spec/jobTemplate/spec/template/spec/containers/0/image";
    *new.pointer_mut(pod).unwrap() = json!("shop/main:2");
    let item = item("--from-live", "1.36", &blocked(), &[new]);
    assert_eq!(
        item["fields"],
        json!([{"field": "spec.jobTemplate.spec.template.spec.containers[main].image",
                "old": "shop/main:1", "new": "shop/main:2"}])
    );
    assert_eq!(
        effects(&item),
        json!([["keepsTemplate", null, null, ["report-29920980"]]])
    );
}

/// The run of 11:00 is an hour late: too late for the old deadline of ten minutes, not for the new one.
#[test]
fn longer_deadline_starts_missed_run() {
    let mut old = live(
        "report",
        "0 11 * * *",
        &json!({"startingDeadlineSeconds": 600}),
    );
    old["status"]["lastScheduleTime"] = json!("2026-11-20T11:00:00Z");
    let plan = |seconds: i64| {
        let fields = json!({"startingDeadlineSeconds": seconds});
        let new = manifest("report", "0 11 * * *", &fields);
        effects(&item("--from-live", "1.36", &[old.clone()], &[new]))
    };
    assert_eq!(
        plan(7200),
        json!([[
            "startsNow",
            "2026-11-21T12:00:30Z",
            "2026-11-21T11:00:00Z",
            ["report-29920980"]
        ]])
    );
    assert_eq!(plan(1200), json!([]));
}

/// A run that the controller starts now in any case is not an effect of the change.
#[test]
fn run_that_is_due_anyway_is_no_effect() {
    let old = [live("report", "0 12 * * *", &json!({}))];
    let mut new = manifest(
        "report",
        "0 12 * * *",
        &json!({"failedJobsHistoryLimit": 2}),
    );
    let same = item("--from-live", "1.36", &old, &[new.clone()]);
    assert_eq!(effects(&same), json!([]));
    // Unless the change takes it away.
    new["spec"]["schedule"] = json!("30 12 * * *");
    let lost = item("--from-live", "1.36", &old, &[new]);
    assert_eq!(
        effects(&lost),
        json!([["skipsRuns", null, "2026-11-21T12:00:00Z", []]])
    );
}

#[test]
fn lower_history_limit_deletes_oldest_jobs() {
    let mut old = live(
        "report",
        "0 * * * *",
        &json!({"successfulJobsHistoryLimit": 3}),
    );
    old["status"]["lastScheduleTime"] = json!("2026-11-21T12:00:00Z");
    let old = [old, job(10, false), job(11, false), job(12, false)];
    let fields = json!({"successfulJobsHistoryLimit": 1});
    let new = manifest("report", "0 * * * *", &fields);
    let item = item("--from-live", "1.36", &old, &[new]);
    assert_eq!(
        effects(&item),
        json!([[
            "removesFinished",
            "2026-11-21T12:00:30Z",
            null,
            ["report-29920920", "report-29920980"]
        ]])
    );
}

#[test]
fn removal_and_recreation_delete_running_jobs() {
    let mut new = manifest(
        "report",
        "0 * * * *",
        &json!({"concurrencyPolicy": "Forbid"}),
    );
    new["metadata"]["annotations"] = json!({"helm.sh/hook": "post-upgrade"});
    let recreated = item("--from-live", "1.36", &blocked(), &[new]);
    assert_eq!(recreated["change"], "recreated");
    let removes = json!(["removesRunning", null, null, ["report-29920980"]]);
    let skips = json!(["skipsRuns", null, "2026-11-21T12:00:00Z", []]);
    assert_eq!(
        effects(&recreated),
        json!([removes, skips, ["recreates", null, null, []]])
    );
    // Deleted only with --prune, and only in namespaces that the manifests have.
    let other = [manifest("other", "5 5 * * *", &json!({"suspend": true}))];
    let plan = |more: &[&str]| {
        let more = (more, "-o json --kubernetes-version=1.36");
        document(&planned("--from-live", &blocked(), &other, more))
    };
    let kept = plan(&[]);
    // It has the same template.
    assert_eq!(kept["items"][0]["change"], "added");
    assert_eq!(kept["items"][0]["effects"][0]["kind"], "runsTwice");
    let pruned = plan(&["--prune"]);
    assert_eq!(pruned["items"][0]["change"], "renamed");
    assert_eq!(effects(&pruned["items"][0])[0], removes);
}

fn suspended_by_hand() -> Value {
    let mut live = live("report", "0 * * * *", &json!({"suspend": true}));
    let applied = manifest("report", "0 * * * *", &json!({}));
    live["metadata"]["annotations"] =
        json!({"kubectl.kubernetes.io/last-applied-configuration": applied.to_string()});
    live
}

#[test]
fn manual_suspension_stays_if_no_manifest_stated_it() {
    let new = [manifest("report", "0 * * * *", &json!({}))];
    let kept = item("--from-live", "1.36", &[suspended_by_hand()], &new);
    assert_eq!(kept["change"], "unchanged");
    assert_eq!(
        kept["kept"],
        json!([{"field": "spec.suspend", "value": true}])
    );
    // The manifest that was applied before stated it: it is reset, and the run of 12:00 starts.
    let mut live = suspended_by_hand();
    let applied = manifest("report", "0 * * * *", &json!({"suspend": true}));
    live["metadata"]["annotations"] =
        json!({"kubectl.kubernetes.io/last-applied-configuration": applied.to_string()});
    let reset = item("--from-live", "1.36", &[live], &new);
    assert_eq!(
        effects(&reset)[0],
        json!([
            "startsNow",
            "2026-11-21T12:00:30Z",
            "2026-11-21T12:00:00Z",
            ["report-29921040"]
        ])
    );
}

#[test]
fn server_side_apply_resets_what_its_manager_alone_owns() {
    let entry = |manager: &str, operation: &str, fields: Value| {
        json!({"manager": manager, "operation": operation, "apiVersion": "batch/v1",
               "time": "2026-11-20T00:00:00Z", "fieldsType": "FieldsV1",
               "fieldsV1": {"f:spec": fields}})
    };
    let own = entry(
        "kustomize-controller",
        "Apply",
        json!({"f:schedule": {}, "f:suspend": {}}),
    );
    let patch = entry("kubectl-patch", "Update", json!({"f:suspend": {}}));
    let new = [manifest("report", "0 * * * *", &json!({}))];
    let plan = |entries: Value| {
        let mut live = live("report", "0 * * * *", &json!({"suspend": true}));
        live["metadata"]["managedFields"] = entries;
        item("--from-live", "1.36", &[live], &new)
    };
    assert_eq!(plan(json!([own, patch]))["change"], "unchanged");
    let reset = plan(json!([own]));
    assert_eq!(
        reset["fields"],
        json!([{"field": "spec.suspend", "old": true, "new": false}])
    );
    assert_eq!(effects(&reset)[0][0], "startsNow");
    // Another manager of a server-side apply owns only the schedule.
    let other = entry("person", "Apply", json!({"f:schedule": {}}));
    let plan = |more: &[&str]| {
        let mut live = live("report", "0 * * * *", &json!({"suspend": true}));
        live["metadata"]["managedFields"] = json!([other, own]);
        let more = (more, "-o=json --kubernetes-version=1.36");
        document(&planned("--from-live", &[live], &new, more))
    };
    let widest = plan(&[]);
    assert_eq!(widest["items"][0]["change"], "changed");
    assert!(
        widest["assumptions"]
            .to_string()
            .contains("kustomize-controller")
    );
    let named = plan(&["--field-manager=person"]);
    assert_eq!(named["items"][0]["change"], "unchanged");
    assert_eq!(
        named["assumptions"],
        json!(["Jobs were not read: those in status.active are running, and no others."])
    );
}

/// Somebody edited the schedule in the cluster: the manifest has another one, and wins.
#[test]
fn schedule_edited_in_the_cluster_is_overwritten() {
    let entry = |manager: &str, operation: &str, time: &str, fields: Value| {
        json!({"manager": manager, "operation": operation, "apiVersion": "batch/v1",
               "time": time, "fieldsType": "FieldsV1", "fieldsV1": {"f:spec": fields}})
    };
    let day = "2026-11-20T00:00:00Z";
    let argo = |time: &str, fields: Value| entry("argocd-controller", "Apply", time, fields);
    let edit = entry("kubectl-edit", "Update", day, json!({"f:schedule": {}}));
    let cases = [
        (
            json!([argo("2026-11-19T00:00:00Z", json!({"f:suspend": {}})), edit]),
            json!("kubectl-edit"),
        ),
        // The manifest was changed, and not the object.
        (
            json!([argo("2026-11-19T00:00:00Z", json!({"f:schedule": {}}))]),
            Value::Null,
        ),
        // It was created with kubectl, and applied since.
        (
            json!([
                argo("2026-11-21T00:00:00Z", json!({"f:schedule": {}})),
                edit
            ]),
            Value::Null,
        ),
        // It had no managers before the first server-side apply.
        (
            json!([
                argo(day, json!({"f:schedule": {}})),
                entry(
                    "before-first-apply",
                    "Update",
                    day,
                    json!({"f:schedule": {}})
                ),
            ]),
            Value::Null,
        ),
        // No tool manages it.
        (json!([edit]), Value::Null),
    ];
    let new = [manifest("report", "0 14 * * *", &json!({}))];
    for (entries, writer) in cases {
        let mut live = live("report", "0 15 * * *", &json!({}));
        live["metadata"]["managedFields"] = entries;
        let item = item("--from-live", "1.36", &[live.clone()], &new);
        assert_eq!(item["change"], "changed");
        assert_eq!(item["scheduleSetBy"], writer);
        if writer.is_string() {
            let flags = "--kubernetes-version=1.36";
            assert_ran!(planned("--from-live", &[live], &new, flags), 0);
        }
    }
}

#[test]
fn rejected_manifest_has_no_effect() {
    let old = [manifest("report", "0 14 * * *", &json!({}))];
    let new = [manifest(
        "report",
        "0 10 * * *",
        &json!({"concurrencyPolicy": "Sometimes"}),
    )];
    let item = item("--from", "1.36", &old, &new);
    assert_eq!(effects(&item), json!([]));
    assert_eq!(item["refused"].as_array().unwrap().len(), 1);
    let code = |more: &[&str]| planned("--from", &old, &new, more).code;
    assert_eq!(code(&[]), 1);
    assert_eq!(code(&["--fail-on=starts-now"]), 0);
    assert_eq!(code(&["--fail-on=never"]), 0);
    assert_ran!(
        planned("--from", &old, &new, ["--kubernetes-version=1.36"]),
        1
    );
}

#[test]
fn exit_codes_follow_effects() {
    let old = [manifest("report", "0 14 * * *", &json!({}))];
    let starts = [manifest("report", "0 10 * * *", &json!({}))];
    let suspends = [manifest("report", "0 14 * * *", &json!({"suspend": true}))];
    let code =
        |new: &[Value], fail_on: &str| planned("--from", &old, new, ["--fail-on", fail_on]).code;
    assert_eq!(code(&starts, "refused"), 0);
    assert_eq!(code(&starts, "refused,starts-now"), 1);
    assert_eq!(code(&starts, "starts-now,never"), 0);
    assert_eq!(code(&suspends, "starts-now"), 0);
    assert_eq!(code(&suspends, "skips-runs"), 1);
    let new = [manifest("report", "0 * * * *", &json!({}))];
    let running = |fail_on| {
        let more = ["--fail-on", fail_on, "--prune"];
        let other = manifest("other", "0 * * * *", &json!({"timeZone": "Etc/UTC"}));
        planned("--from-live", &blocked(), &[other], more).code
    };
    assert_eq!(running("removes-running"), 1);
    assert_eq!(running("starts-now"), 0);
    assert_eq!(planned("--from", &old, &new, ["--fail-on=x"]).code, 2);
}

#[test]
fn wrong_calls() {
    let calls: [&[&str]; 4] = [
        &["plan"],
        &["plan", "-f", "examples/plan/new"],
        &["plan", "-f", "-", "--from", "-"],
        &[
            "plan",
            "-f",
            "no/such/folder",
            "--from",
            "examples/plan/old",
        ],
    ];
    let shown = calls.map(|call| {
        let ran = doctor(call);
        assert_eq!(ran.code, 2, "{ran}");
        ran.stderr
    });
    insta::assert_snapshot!(shown.join("\n"));
}

#[test]
fn example_in_each_format() {
    for format in ["text", "markdown", "github"] {
        let ran = doctor(format!(
            "plan -f=examples/plan/new --from=examples/plan/old --now=2026-11-21T12:07:00Z \
             --kubernetes-version=1.36 -o {format}"
        ));
        insta::assert_snapshot!(format!("example_{format}"), ran.fine());
    }
}

/// Live objects with running Jobs, fields that stay, and a change of the clock.
#[test]
fn live_changes_in_words() {
    let [cron_job, job] = blocked();
    let mut stays = suspended_by_hand();
    stays["metadata"]["name"] = json!("paused");
    stays["metadata"]["uid"] = json!("paused");
    let old = [cron_job, job, stays];
    let berlin = json!({"timeZone": "Europe/Berlin"});
    let new = [
        manifest(
            "report",
            "0 * * * *",
            &json!({"concurrencyPolicy": "Replace"}),
        ),
        manifest("paused", "0 * * * *", &json!({})),
        manifest("spring", "30 2 28-30 3 *", &berlin),
    ];
    let ran = planned("--from-live", &old, &new, ["--kubernetes-version=1.36"]);
    insta::assert_snapshot!(ran.fine());
}

/// Whatever a name or a value contains: in the table it is one cell, inside `<code>`, and begins nothing.
#[test]
fn hostile_text_is_text_in_markdown() {
    let mut old = manifest("report", "0 14 * * *", &json!({}));
    let mut new = manifest("report", "0 10 * * *", &json!({}));
    let container = "/spec/jobTemplate/spec/template/spec/containers/0";
    old.pointer_mut(container).unwrap()["args"] = json!(["a"]);
    new.pointer_mut(container).unwrap()["args"] = json!([HARM]);
    for object in [&mut old, &mut new] {
        object["metadata"]["name"] = json!(HARM);
        object["metadata"]["namespace"] = json!("@org/team");
    }
    let ran = planned("--from", &[old], &[new], ["-o", "markdown"]);
    let text = &ran.stdout;
    assert_inert(text);
    let rows: Vec<&str> = text.lines().filter(|line| line.starts_with('|')).collect();
    assert_eq!(rows.len(), 3, "{text}");
    for row in rows {
        assert_eq!(row.matches('|').count(), 4, "{row}");
    }
}
