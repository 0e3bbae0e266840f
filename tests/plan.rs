//! `plan` through the real binary: the effects of each kind of change, derived manually.

use crate::support::markdown::{HARM, assert_inert};
use crate::support::prelude::*;

/// A Saturday.
const NOW: &str = "--now=2026-11-21T12:00:30Z";
const IN_1_36: &str = "--kubernetes-version=1.36";

/// A manifest with the five fields of its schedule and other fields of its spec, e.g. `suspend=true`.
fn manifest(name: &str, spec: &str) -> Value {
    let words: Vec<&str> = spec.split(' ').collect();
    let (schedule, fields) = words.split_at(5);
    let mut spec = json!({
        "schedule": schedule.join(" "),
        "jobTemplate": {"spec": {"template": {"spec": {
            "restartPolicy": "Never",
            "containers": [{"name": "main", "image": "shop/main:1"}],
        }}}},
    });
    for (field, value) in fields.iter().filter_map(|field| field.split_once('=')) {
        spec[field] = serde_json::from_str(value).unwrap_or(json!(value));
    }
    json!({
        "apiVersion": "batch/v1", "kind": "CronJob",
        "metadata": {"namespace": "shop", "name": name}, "spec": spec,
    })
}

/// Compares with objects by the flag `--from` or `--from-live`.
fn planned(flag: &str, old: &[Value], new: &[Value], more: impl CommandLine) -> Ran {
    let [old, new] = [list(old), list(new)];
    let folder = Folder::new("plan", &[("old.json", &old), ("new.json", &new)]);
    let arguments = ["plan", "-f", "new.json", flag, "old.json", NOW];
    doctor_in(&folder, (&arguments, more))
}

/// The only item of a plan for a version.
fn item(flag: &str, version: &str, old: &[Value], new: &[Value]) -> Value {
    let more = ["-o", "json", "--kubernetes-version", version];
    let document = planned(flag, old, new, more).json();
    let items = document["items"].items();
    assert_eq!(items.len(), 1, "{document:#}");
    items[0].clone()
}

/// The only item of a plan for a cluster of 1.36.
fn live_item(old: &[Value], new: &[Value]) -> Value {
    item("--from-live", "1.36", old, new)
}

/// Kind, time, scheduled time and Jobs of each effect.
fn effects(item: &Value) -> Vec<String> {
    let effects = item["effects"].items().iter();
    let line = |effect: &Value| {
        let times = ["at", "scheduledTime"].map(|time| effect[time].as_str().unwrap_or("-"));
        let jobs = effect["jobs"].items().iter();
        let jobs = jobs.map(|job| format!(" {}", job.text()));
        let kind = effect["kind"].text();
        format!("{kind} {}{}", times.join(" "), jobs.collect::<String>())
    };
    effects.map(line).collect()
}

/// The effects of a change of one manifest if nothing is known about the cluster.
fn changed(version: &str, old: &str, new: &str) -> Vec<String> {
    let [mut old, mut new] = [old, new].map(|spec| manifest("report", spec));
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
    let defaults = "0 10 * * * suspend=false concurrencyPolicy=Allow failedJobsHistoryLimit=1";
    let mut old = manifest("report", defaults);
    old["metadata"]["labels"] = json!({"chart": "shop-1.0"});
    let new = manifest("report", "0 10 * * * successfulJobsHistoryLimit=3");
    let item = item("--from", "1.36", &[old], &[new]);
    assert_eq!(item["change"], "unchanged");
    assert_eq!(item["fields"], json!([]));
    assert_eq!(item["effects"], json!([]));
}

/// A manifest with these containers.
fn with_containers(spec: &str, containers: Value) -> Value {
    let mut manifest = manifest("report", spec);
    manifest["spec"]["jobTemplate"]["spec"]["template"]["spec"]["containers"] = containers;
    manifest
}

fn fields(old: &Value, new: &Value) -> Value {
    let [old, new] = [old, new].map(|manifest| [manifest.clone()]);
    item("--from", "1.36", &old, &new)["fields"].take()
}

#[test]
fn defaults_order_and_spelled_quantities_of_containers_change_nothing() {
    let limits = |cpu: Value, memory: &str| json!({"limits": {"cpu": cpu, "memory": memory}});
    let mut old = with_containers(
        "0 10 * * *",
        json!([
            {"name": "a", "image": "x:1", "imagePullPolicy": "IfNotPresent", "resources": {},
             "terminationMessagePath": "/dev/termination-log"},
            {"name": "b", "image": "y", "imagePullPolicy": "Always", "resources": limits(json!("500m"), "1Gi")},
            {"name": "c", "image": "y", "resources": limits(json!("1"), "2k")},
        ]),
    );
    let template = &mut old["spec"]["jobTemplate"];
    template["metadata"] = json!({"creationTimestamp": null});
    template["spec"]["template"]["spec"]["dnsPolicy"] = json!("ClusterFirst");
    let new = with_containers(
        "0 10 * * *",
        json!([
            {"name": "c", "image": "y", "resources": limits(json!(1), "2e3")},
            {"name": "b", "image": "y", "resources": limits(json!(0.5), "1024Mi")},
            {"name": "a", "image": "x:1"},
        ]),
    );
    assert_eq!(fields(&old, &new), json!([]));
    assert_eq!(fields(&new, &old), json!([]));
}

#[test]
fn changed_fields_are_named_by_path_and_key() {
    let container = |image: &str, memory: &str, variable: &str| {
        json!([{"name": "a", "image": image, "resources": {"limits": {"memory": memory}},
                "env": [{"name": variable, "value": "1"}]}])
    };
    let old = with_containers(
        "0 10 * * * suspend=true timeZone=Etc/UTC",
        container("x:1", "1Gi", "K"),
    );
    let new = with_containers("0 10 * * * timeZone=null", container("x:2", "1G", "L"));
    let variable = |name: &str| json!({"name": name, "value": "1"});
    let of_container = |field: &str, old: Value, new: Value| {
        let field = format!("spec.jobTemplate.spec.template.spec.containers[a].{field}");
        json!({"field": field, "old": old, "new": new})
    };
    let expected = [
        of_container("image", json!("x:1"), json!("x:2")),
        of_container("resources.limits.memory", json!("1Gi"), json!("1G")),
        of_container("env[K]", variable("K"), Value::Null),
        of_container("env[L]", Value::Null, variable("L")),
        json!({"field": "spec.suspend", "old": true, "new": false}),
        json!({"field": "spec.timeZone", "old": "Etc/UTC", "new": null}),
    ];
    assert_eq!(fields(&old, &new), json!(expected));
}

/// With the schedule `0 14 * * *`, it last ran yesterday at 14:00, and its next wake-up is today at 14:00. Then it finds
/// the run of 10:00, which is 2026-11-21T10:00:00Z, in minutes of the epoch (20778 days of 1440 minutes, and 600)
/// 29920920.
#[test]
fn edits_start_or_skip_what_is_due_by_the_new_spec() {
    let missed = "startsNow 2026-11-21T14:00:00Z 2026-11-21T10:00:00Z report-29920920";
    // The first generation syncs everything every 10 seconds, and names Jobs by seconds.
    let polled = "startsNow 2026-11-21T12:00:40Z 2026-11-21T10:00:00Z report-1795255200";
    // 18:00 of yesterday is after the last run, at 14:00.
    let yesterday = "startsNow 2026-11-21T14:00:00Z 2026-11-20T18:00:00Z report-29919960";
    // The wake-up of the old schedule stays in the queue.
    let old_wake_up = "nextSync 2026-11-21T13:00:00Z -";
    // 14:00 in Kolkata is 08:30 UTC, after the last run of yesterday at 14:00 UTC.
    let zone = "0 14 * * * timeZone=Asia/Kolkata";
    let by_zone = "startsNow 2026-11-21T14:00:00Z 2026-11-21T08:30:00Z report-29920830";
    // Suspended since before 10:00 today, which is missed.
    let suspended = "0 10 * * * suspend=true";
    let resumed = "startsNow 2026-11-21T12:00:30Z 2026-11-21T10:00:00Z report-29920920";
    let resumes = "resumes - 2026-11-22T10:00:00Z";
    // 10:00 is older than the deadline.
    let deadline = "0 10 * * * startingDeadlineSeconds=3600";
    let skips = "skipsRuns - 2026-11-22T10:00:00Z";
    // A CronJob that stays suspended starts nothing.
    let stays = "staysSuspended - 2026-11-22T09:00:00Z";
    let rows: [(_, _, _, &[&str]); 12] = [
        ("1.36", "0 14 * * *", "0 10 * * *", &[missed]),
        ("1.20", "0 14 * * *", "0 10 * * *", &[polled]),
        ("1.36", "0 14 * * *", "0 18 * * *", &[yesterday]),
        ("1.36", "0 10 * * *", "0 14 * * *", &[]),
        ("1.36", "0 10 * * *", "0 6 * * *", &[]),
        ("1.36", "0 * * * *", "0 6 1 1 *", &[old_wake_up]),
        ("1.36", "0 14 * * *", zone, &[by_zone]),
        ("1.36", suspended, "0 10 * * *", &[resumed, resumes]),
        ("1.20", suspended, "0 10 * * *", &[polled, resumes]),
        ("1.36", suspended, deadline, &[resumes]),
        ("1.36", "0 10 * * *", suspended, &[skips]),
        ("1.36", suspended, "0 9 * * * suspend=true", &[stays]),
    ];
    for (version, old, new, expected) in rows {
        let effects = changed(version, old, new);
        assert_eq!(effects, expected, "{version}: {old} to {new}");
    }
}

/// 10:00 in New York is 15:00 UTC.
#[test]
fn time_zone_edit_without_missed_run_starts_nothing() {
    let old = manifest("report", "0 10 * * *");
    let new = manifest("report", "0 10 * * * timeZone=America/New_York");
    let item = item("--from", "1.36", &[old], &[new]);
    assert_eq!(effects(&item), [""; 0]);
    let first = ["runsBefore", "runsAfter"].map(|runs| &item[runs][0]["scheduledTime"]);
    assert_eq!(first, ["2026-11-22T10:00:00Z", "2026-11-21T15:00:00Z"]);
}

#[test]
fn change_that_prevents_all_runs_is_reported() {
    for new in ["0 10 * * * startingDeadlineSeconds=0", "0 0 30 2 *"] {
        let edit = changed("1.36", "0 10 * * *", new);
        let never = |effect: &String| effect.starts_with("neverRuns ");
        assert!(edit.iter().any(never), "{new} {edit:?}");
    }
}

/// The changes of a plan by name, and its counts of those added, removed and not read.
fn changes(ran: &Ran) -> String {
    let document = ran.json();
    let items = document["items"].items().iter();
    let change = |item: &Value| format!("{} {}", item["name"].text(), item["change"].text());
    let mut items: Vec<String> = items.map(change).collect();
    items.sort();
    let counts = ["added", "removed", "notRead"].map(|count| &document["summary"][count]);
    let [added, removed, unread] = counts;
    format!("{}; {added} {removed} {unread}", items.join(", "))
}

/// An object that cannot be read may exist: it is neither removed nor added.
#[test]
fn unread_objects_are_neither_removed_nor_added() {
    let [a, b] = ["a", "b"].map(|name| manifest(name, "0 2 * * *").to_string());
    let quoted = manifest("b", "0 2 * * * suspend=\"false\"").to_string();
    let conflict = format!("<<<<<<< HEAD\n{b}");
    let template = "kind: CronJob\nmetadata:\n  name: {{ .Values.name }}\n{{- end }}\n";
    for unread in [quoted.as_str(), &conflict, template] {
        for [whole, other] in [["old", "new"], ["new", "old"]] {
            let folder = Folder::new("plan-unread", &[]);
            folder.write(&format!("{whole}/a.yaml"), &a);
            folder.write(&format!("{whole}/b.yaml"), &b);
            folder.write(&format!("{other}/a.yaml"), &a);
            folder.write(&format!("{other}/b.yaml"), unread);
            for flags in ["--from old", "--from-live old", "--from-live old --prune"] {
                let plan = |format| doctor_in(&folder, ("plan -f new", [NOW, "-o", format], flags));
                let ran = plan("json");
                assert_eq!(ran.code, 2, "{ran}");
                // Without --prune, nothing happens to live objects, even if an unread object without a
                // name may be one of them.
                let is_left = flags == "--from-live old" && changes(&ran) == "a unchanged; 0 0 0";
                let is_not_read = changes(&ran) == "a unchanged, b notRead; 0 0 1";
                assert!(is_not_read || is_left, "{unread} {}", changes(&ran));
                let file = format!("{other}/b.yaml");
                assert_eq!(ran.json()["unread"][0]["file"], file, "{ran}");
                for format in ["text", "markdown", "github"] {
                    let shown = plan(format).stdout;
                    let is_named = shown.contains("Not read") && shown.contains("b.yaml");
                    assert!(is_named && !shown.contains("removed"), "{shown}");
                }
            }
        }
    }
    // The error of a file says nothing about the objects of other files.
    let conflict = "<<<<<<< HEAD\nname: a\n";
    let files = [
        ("old/a.yaml", a.as_str()),
        ("old/b.yaml", &b),
        ("new.yaml", conflict),
    ];
    let folder = Folder::new("plan-unread", &files);
    let ran = doctor_in(&folder, "plan -f new.yaml --from old -o json");
    assert_eq!(changes(&ran), "a notRead, b removed; 0 1 1");
}

/// kustomize requires neither a kind nor an API version in its own file.
#[test]
fn kustomization_without_its_type_is_not_an_error() {
    let a = manifest("a", "0 2 * * *").to_string();
    let resources = "resources:\n- a.yaml\n";
    let with_kind = format!("kind: Kustomization\n{resources}");
    for kustomization in [resources, &with_kind] {
        let files = [
            ("old/a.yaml", a.as_str()),
            ("new/a.yaml", &a),
            ("new/kustomization.yaml", kustomization),
        ];
        let folder = Folder::new("plan-kustomization", &files);
        doctor_in(&folder, "plan -f new --from old").fine();
        assert_eq!(doctor_in(&folder, "scan -f new").code, 0);
    }
}

#[test]
fn manifests_of_another_namespace_are_not_left_out_silently() {
    let [a, b] = ["a", "b"].map(|name| manifest(name, "0 2 * * *").to_string());
    let folder = Folder::new(
        "plan-namespace",
        &[("old/a.yaml", &*a), ("new/a.yaml", &a), ("new/b.yaml", &b)],
    );
    let plan = |more: &str| doctor_in(&folder, ("plan -f new --from old", more));
    let warned = |ran: &Ran| ran.stderr.contains("not compared: 2");
    assert!(!warned(&plan("-n shop")));
    let other = plan("-n other");
    assert!(warned(&other), "{other:?}");
    assert_eq!(other.code, 0);
}

#[test]
fn removal_rename_and_creation_are_recognized() {
    let old = [manifest("report", "0 10 * * *")];
    let removed = item("--from", "1.36", &old, &[]);
    assert_eq!(removed["change"], "removed");
    assert_eq!(effects(&removed), ["skipsRuns - 2026-11-22T10:00:00Z"]);
    let added = item("--from", "1.36", &[], &old);
    assert_eq!(added["change"], "added");
    assert_eq!(effects(&added), [""; 0]);
    let expected = "2026-11-24T10:00:00Z";
    assert_eq!(added["runsAfter"][2]["scheduledTime"], expected);
    let new = [manifest("reports", "0 10 * * *")];
    let renamed = item("--from", "1.36", &old, &new);
    assert_eq!(renamed["change"], "renamed");
    assert_eq!(renamed["previous"], "shop/report");
    assert_eq!(effects(&renamed), ["recreates - -"]);
}

/// A CronJob as a cluster has it, which last ran at 11:00.
fn live(name: &str, spec: &str) -> Value {
    let mut object = manifest(name, spec);
    object["metadata"]["uid"] = json!(name);
    object["metadata"]["creationTimestamp"] = json!("2026-11-01T00:00:00Z");
    object["status"] = json!({"lastScheduleTime": "2026-11-21T11:00:00Z"});
    object
}

/// A Job of `report`, which ran at an hour of today.
fn job(hour: u32, running: bool) -> Value {
    let minutes = 29_920_320 + hour * 60;
    let [start, end] = ["00", "01"].map(|minute| format!("2026-11-21T{hour:02}:{minute}:00Z"));
    let status = if running {
        json!({"active": 1, "startTime": start})
    } else {
        json!({
            "succeeded": 1, "startTime": start, "completionTime": end,
            "conditions": [{"type": "Complete", "status": "True", "lastTransitionTime": end}],
        })
    };
    json!({
        "apiVersion": "batch/v1", "kind": "Job",
        "metadata": {
            "namespace": "shop", "name": format!("report-{minutes}"), "uid": format!("{minutes}"),
            "creationTimestamp": start,
            "ownerReferences": [owner_reference("CronJob", "report", "report")],
        },
        "spec": {}, "status": status,
    })
}

/// An hourly CronJob whose run of 11:00 is still running, so that the run of 12:00 waits.
fn blocked() -> [Value; 2] {
    let mut cron_job = live("report", "0 * * * * concurrencyPolicy=Forbid");
    cron_job["status"]["active"] = json!([{"apiVersion": "batch/v1", "kind": "Job",
        "namespace": "shop", "name": "report-29920980", "uid": "29920980"}]);
    [cron_job, job(11, true)]
}

#[test]
fn concurrency_policy_edit_lets_waiting_run_start() {
    let starts = "startsNow 2026-11-21T12:00:30Z 2026-11-21T12:00:00Z report-29921040";
    let edit = |policy: &str| {
        let new = manifest("report", &format!("0 * * * * concurrencyPolicy={policy}"));
        effects(&live_item(&blocked(), &[new]))
    };
    assert_eq!(edit("Allow"), [starts]);
    let deletes = "removesRunning 2026-11-21T12:00:30Z - report-29920980";
    assert_eq!(edit("Replace"), [starts, deletes]);
    assert_eq!(edit("Forbid"), [""; 0]);
}

#[test]
fn schedule_edit_loses_waiting_run() {
    let new = manifest("report", "30 6 * * * concurrencyPolicy=Forbid");
    let item = live_item(&blocked(), &[new]);
    assert_eq!(effects(&item)[0], "skipsRuns - 2026-11-21T12:00:00Z");
}

#[test]
fn template_edit_leaves_running_job_alone() {
    let mut new = manifest("report", "0 * * * * concurrencyPolicy=Forbid");
    let pod = "/spec/jobTemplate/spec/template/spec/containers/0/image";
    *new.pointer_mut(pod).unwrap() = json!("shop/main:2");
    let item = live_item(&blocked(), &[new]);
    let field = "spec.jobTemplate.spec.template.spec.containers[main].image";
    let expected = json!([{"field": field, "old": "shop/main:1", "new": "shop/main:2"}]);
    assert_eq!(item["fields"], expected);
    assert_eq!(effects(&item), ["keepsTemplate - - report-29920980"]);
}

/// The run of 11:00 is an hour late: too late for the old deadline of ten minutes, not for the new one.
#[test]
fn longer_deadline_starts_missed_run() {
    let mut old = live("report", "0 11 * * * startingDeadlineSeconds=600");
    old["status"]["lastScheduleTime"] = json!("2026-11-20T11:00:00Z");
    let plan = |seconds: i64| {
        let spec = format!("0 11 * * * startingDeadlineSeconds={seconds}");
        let new = manifest("report", &spec);
        effects(&live_item(&[old.clone()], &[new]))
    };
    let expected = ["startsNow 2026-11-21T12:00:30Z 2026-11-21T11:00:00Z report-29920980"];
    assert_eq!(plan(7200), expected);
    assert_eq!(plan(1200), [""; 0]);
}

/// A run that the controller starts now in any case is not an effect of the change.
#[test]
fn run_that_is_due_anyway_is_not_an_effect() {
    let old = [live("report", "0 12 * * *")];
    let mut new = manifest("report", "0 12 * * * failedJobsHistoryLimit=2");
    let same = live_item(&old, &[new.clone()]);
    assert_eq!(effects(&same), [""; 0]);
    // Unless the change prevents it.
    new["spec"]["schedule"] = json!("30 12 * * *");
    let lost = live_item(&old, &[new]);
    assert_eq!(effects(&lost), ["skipsRuns - 2026-11-21T12:00:00Z"]);
}

#[test]
fn lower_history_limit_deletes_oldest_jobs() {
    let mut old = live("report", "0 * * * * successfulJobsHistoryLimit=3");
    old["status"]["lastScheduleTime"] = json!("2026-11-21T12:00:00Z");
    let old = [old, job(10, false), job(11, false), job(12, false)];
    let new = manifest("report", "0 * * * * successfulJobsHistoryLimit=1");
    let item = live_item(&old, &[new]);
    let expected = ["removesFinished 2026-11-21T12:00:30Z - report-29920920 report-29920980"];
    assert_eq!(effects(&item), expected);
}

#[test]
fn removal_and_recreation_delete_running_jobs() {
    let mut new = manifest("report", "0 * * * * concurrencyPolicy=Forbid");
    new["metadata"]["annotations"] = json!({"helm.sh/hook": "post-upgrade"});
    let recreated = live_item(&blocked(), &[new]);
    assert_eq!(recreated["change"], "recreated");
    let removes = "removesRunning - - report-29920980";
    let skips = "skipsRuns - 2026-11-21T12:00:00Z";
    assert_eq!(effects(&recreated), [removes, skips, "recreates - -"]);
    // It is deleted only with --prune, and only in namespaces that the manifests have.
    let other = [manifest("other", "5 5 * * * suspend=true")];
    let plan = |more: &str| {
        planned(
            "--from-live",
            &blocked(),
            &other,
            (more, "-o json", IN_1_36),
        )
        .json()
    };
    let kept = plan("");
    // The added CronJob has the same template.
    assert_eq!(kept["items"][0]["change"], "added");
    assert_eq!(kept["items"][0]["effects"][0]["kind"], "runsTwice");
    let pruned = plan("--prune");
    assert_eq!(pruned["items"][0]["change"], "renamed");
    assert_eq!(effects(&pruned["items"][0])[0], removes);
}

/// A suspended CronJob, for which a manifest with this spec was applied before.
fn suspended_after(applied: &str) -> Value {
    let mut live = live("report", "0 * * * * suspend=true");
    let applied = manifest("report", applied).to_string();
    live["metadata"]["annotations"] =
        json!({"kubectl.kubernetes.io/last-applied-configuration": applied});
    live
}

#[test]
fn manual_suspension_stays_if_no_manifest_stated_it() {
    let new = [manifest("report", "0 * * * *")];
    let manually = suspended_after("0 * * * *");
    let kept = live_item(&[manually], &new);
    assert_eq!(kept["change"], "unchanged");
    let expected = json!([{"field": "spec.suspend", "value": true}]);
    assert_eq!(kept["kept"], expected);
    // The manifest that was applied before stated it: it is reset, and the run of 12:00 starts.
    let stated = suspended_after("0 * * * * suspend=true");
    let reset = live_item(&[stated], &new);
    let expected = "startsNow 2026-11-21T12:00:30Z 2026-11-21T12:00:00Z report-29921040";
    assert_eq!(effects(&reset)[0], expected);
}

/// The fields of the spec that a manager owns since a day of the month.
fn owns(manager: &str, operation: &str, day: u32, fields: &[&str]) -> Value {
    let fields = fields.iter().map(|field| (format!("f:{field}"), json!({})));
    let fields: serde_json::Map<_, _> = fields.collect();
    json!({"manager": manager, "operation": operation, "apiVersion": "batch/v1",
           "time": format!("2026-11-{day}T00:00:00Z"), "fieldsType": "FieldsV1",
           "fieldsV1": {"f:spec": fields}})
}

fn managed(spec: &str, entries: &[&Value]) -> Value {
    let mut live = live("report", spec);
    live["metadata"]["managedFields"] = json!(entries);
    live
}

#[test]
fn server_side_apply_resets_what_its_manager_alone_owns() {
    let both = ["schedule", "suspend"];
    let own = owns("kustomize-controller", "Apply", 20, &both);
    let patch = owns("kubectl-patch", "Update", 20, &["suspend"]);
    let new = [manifest("report", "0 * * * *")];
    let suspended = |entries: &[&Value]| managed("0 * * * * suspend=true", entries);
    let plan = |entries: &[&Value]| live_item(&[suspended(entries)], &new);
    assert_eq!(plan(&[&own, &patch])["change"], "unchanged");
    let reset = plan(&[&own]);
    let expected = json!([{"field": "spec.suspend", "old": true, "new": false}]);
    assert_eq!(reset["fields"], expected);
    assert_starts!(effects(&reset)[0], "startsNow ");
    // Another manager of a server-side apply owns only the schedule.
    let other = owns("person", "Apply", 20, &["schedule"]);
    let live = [suspended(&[&other, &own])];
    let plan = |more: &str| planned("--from-live", &live, &new, (more, "-o=json", IN_1_36)).json();
    let widest = plan("");
    assert_eq!(widest["items"][0]["change"], "changed");
    let assumptions = widest["assumptions"].to_string();
    assert_contains!(assumptions, "kustomize-controller");
    let named = plan("--field-manager=person");
    assert_eq!(named["items"][0]["change"], "unchanged");
    let unread = "Jobs were not read: those in status.active are running, and no others.";
    assert_eq!(named["assumptions"], json!([unread]));
}

/// The schedule was edited in the cluster; the manifest has another one, which overwrites it.
#[test]
fn schedule_edited_in_the_cluster_is_overwritten() {
    let argo = |day, field| owns("argocd-controller", "Apply", day, &[field]);
    let edit = owns("kubectl-edit", "Update", 20, &["schedule"]);
    let first = owns("before-first-apply", "Update", 20, &["schedule"]);
    let cases: [(&[&Value], Value); 5] = [
        (&[&argo(19, "suspend"), &edit], json!("kubectl-edit")),
        // The manifest was changed, and not the object.
        (&[&argo(19, "schedule")], Value::Null),
        // It was created with kubectl, and applied since then.
        (&[&argo(21, "schedule"), &edit], Value::Null),
        // It had no managers before the first server-side apply.
        (&[&argo(20, "schedule"), &first], Value::Null),
        // No tool manages it.
        (&[&edit], Value::Null),
    ];
    let new = [manifest("report", "0 14 * * *")];
    for (entries, writer) in cases {
        let live = [managed("0 15 * * *", entries)];
        let item = live_item(&live, &new);
        assert_eq!(item["change"], "changed");
        assert_eq!(item["scheduleSetBy"], writer);
        if writer.is_string() {
            assert_ran!(planned("--from-live", &live, &new, IN_1_36), 0);
        }
    }
}

#[test]
fn rejected_manifest_has_no_effect() {
    let old = [manifest("report", "0 14 * * *")];
    let new = [manifest("report", "0 10 * * * concurrencyPolicy=Sometimes")];
    let item = item("--from", "1.36", &old, &new);
    assert_eq!(effects(&item), [""; 0]);
    assert_eq!(item["refused"].items().len(), 1);
    let code = |more: &str| planned("--from", &old, &new, more).code;
    assert_eq!(code(""), 1);
    assert_eq!(code("--fail-on=starts-now"), 0);
    assert_eq!(code("--fail-on=never"), 0);
    assert_ran!(planned("--from", &old, &new, IN_1_36), 1);
}

#[test]
fn exit_codes_follow_effects() {
    let old = [manifest("report", "0 14 * * *")];
    let starts = [manifest("report", "0 10 * * *")];
    let suspends = [manifest("report", "0 14 * * * suspend=true")];
    let code =
        |new: &[Value], fail_on: &str| planned("--from", &old, new, ["--fail-on", fail_on]).code;
    assert_eq!(code(&starts, "refused"), 0);
    assert_eq!(code(&starts, "refused,starts-now"), 1);
    assert_eq!(code(&starts, "starts-now,never"), 0);
    assert_eq!(code(&suspends, "starts-now"), 0);
    assert_eq!(code(&suspends, "skips-runs"), 1);
    let new = [manifest("report", "0 * * * *")];
    let running = |fail_on| {
        let more = ["--fail-on", fail_on, "--prune"];
        let other = manifest("other", "0 * * * * timeZone=Etc/UTC");
        planned("--from-live", &blocked(), &[other], more).code
    };
    assert_eq!(running("removes-running"), 1);
    assert_eq!(running("starts-now"), 0);
    assert_eq!(planned("--from", &old, &new, ["--fail-on=x"]).code, 2);
}

// Windows has other words for a missing file.
#[cfg(unix)]
#[test]
fn wrong_calls_are_refused_with_usage() {
    let calls: [&str; 4] = [
        "plan",
        "plan -f examples/plan/new",
        "plan -f - --from -",
        "plan -f no/such/folder --from examples/plan/old",
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
fn live_changes_are_described_as_text() {
    let [cron_job, job] = blocked();
    let mut stays = suspended_after("0 * * * *");
    stays["metadata"]["name"] = json!("paused");
    stays["metadata"]["uid"] = json!("paused");
    let old = [cron_job, job, stays];
    let new = [
        manifest("report", "0 * * * * concurrencyPolicy=Replace"),
        manifest("paused", "0 * * * *"),
        manifest("spring", "30 2 28-30 3 * timeZone=Europe/Berlin"),
    ];
    insta::assert_snapshot!(planned("--from-live", &old, &new, IN_1_36).fine());
}

/// Any name or value is one cell of the table, inside `<code>`, and never starts Markdown markup.
#[test]
fn hostile_text_is_escaped_in_markdown() {
    let mut old = manifest("report", "0 14 * * *");
    let mut new = manifest("report", "0 10 * * *");
    for (object, argument) in [(&mut old, "a"), (&mut new, HARM)] {
        let container = "/spec/jobTemplate/spec/template/spec/containers/0";
        object.pointer_mut(container).unwrap()["args"] = json!([argument]);
        object["metadata"] = json!({"name": HARM, "namespace": "@org/team"});
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

#[test]
fn new_cron_job_is_healthy_in_argo_cd_whether_it_works_or_not() {
    let mut managed = manifest("managed", "0 2 * * *");
    managed["metadata"]["creationTimestamp"] = json!("2026-11-01T00:00:00Z");
    managed["metadata"]["annotations"] =
        json!({"argocd.argoproj.io/tracking-id": "shop:batch/CronJob:shop/managed"});
    let new = manifest("new", "0 2 * * * startingDeadlineSeconds=60");
    let looks_healthy = |old: &[Value], name: &str| {
        let all = [old, std::slice::from_ref(&new)].concat();
        let plan = planned("--from-live", old, &all, "-o json").json();
        let effects = plan["items"].named(name)["effects"].to_string();
        effects.contains("looksHealthy")
    };
    let mut elsewhere = managed.clone();
    elsewhere["metadata"]["namespace"] = json!("ops");
    assert!(!looks_healthy(&[elsewhere], "new"));
    let managed = [managed];
    assert!(looks_healthy(&managed, "new"));
    assert!(!looks_healthy(&managed, "managed"));
    assert!(!looks_healthy(&[], "new"));
    // The next run is still in the table.
    let runs = manifest("new", "0 2 * * *");
    let ran = planned(
        "--from-live",
        &managed,
        &[managed[0].clone(), runs],
        "-o markdown",
    );
    assert_contains!(ran.stdout, "Next run: Sun 2026-11-22 02:00 UTC.<br>Argo CD");
}

#[test]
fn new_suspended_cron_job_starts_nothing() {
    let new = manifest("new", "0 2 * * * suspend=true");
    let effects = effects(&item("--from", "1.36", &[], &[new]));
    assert_eq!(effects, ["staysSuspended - 2026-11-22T02:00:00Z"]);
}
