//! The effects of each kind of change of a manifest, derived manually.

use std::sync::Arc;

use cronjob_diagnosis::diagnose::with_just_started;
use cronjob_diagnosis::plan::{
    ApplyMode, ManifestCronJob, PlanQuestion, StoredCronJob, assume_history, plan,
};
use kube_model::{Coverage, CronJob, WholeObject, evidence_by_cron_job};
use kube_objects::snapshot::{Evidence, Options, cron_job_of};
use serde_json::{Value, json};

use crate::support::json::{Json as _, list};
use crate::support::model::at;
use crate::support::planned::{blocked, job, live, managed, manifest, owns, suspended_after};
use crate::support::recorded::controller;

/// How manifests are applied.
#[derive(Clone, Copy)]
struct Apply {
    mode: ApplyMode,
    version: &'static str,
    field_manager: Option<&'static str>,
    prune: bool,
}

/// To a cluster of 1.36. What is not in the manifests stays.
const LIVE: Apply = Apply {
    mode: ApplyMode::Live,
    version: "1.36",
    field_manager: None,
    prune: false,
};

/// Instead of an earlier set of manifests.
const FROM: Apply = Apply {
    mode: ApplyMode::FromManifests,
    ..LIVE
};

fn read(objects: &[Value], options: &Options) -> Evidence {
    let (evidence, errors) = Evidence::of_json("objects", list(objects), options);
    assert!(errors.is_empty(), "{errors:?}");
    evidence
}

/// Takes the whole objects out of CronJobs.
fn with_whole(evidence: Evidence) -> Vec<(CronJob, WholeObject)> {
    let cron_jobs = evidence.cron_jobs.into_iter();
    let parts = cron_jobs.map(|mut located| {
        let whole = located.object.whole.take().unwrap_or_default();
        (located.object, whole)
    });
    parts.collect()
}

/// The document of a plan, on a Saturday.
fn planned(apply: Apply, old: &[Value], new: &[Value]) -> Value {
    let (controller, now) = (controller(apply.version), at("2026-11-21T12:00:30Z"));
    let options = Options {
        keep_objects: true,
        ..Options::default()
    };
    let mut evidence = read(old, &options);
    let related = evidence.take_related();
    let all = evidence.cron_jobs.iter().map(|located| &located.object);
    let coverage = Coverage::of_files(all, &related, now);
    let (cron_jobs, objects): (Vec<_>, Vec<_>) = with_whole(evidence).into_iter().unzip();
    let all_evidence = evidence_by_cron_job(cron_jobs, related).into_iter();
    let stored = all_evidence.zip(objects).map(|(mut evidence, object)| {
        let cron_job = &evidence.cron_job;
        let started = with_just_started(&controller, cron_job, &evidence.jobs, now);
        evidence.cron_job = started.into_owned();
        StoredCronJob {
            is_assumed: assume_history(&controller, &mut evidence.cron_job, now),
            evidence,
            object,
        }
    });
    let manifests = with_whole(read(new, &options)).into_iter();
    let manifests = manifests.map(|(cron_job, object)| ManifestCronJob {
        cron_job,
        object,
        file: "new.yaml".to_owned(),
        line: 1,
        refused: Vec::new(),
    });
    let question = PlanQuestion {
        controller: &controller,
        now,
        coverage,
        mode: apply.mode,
        field_manager: apply.field_manager,
        prune: apply.prune,
        unread: &[],
        unread_before: &[],
        read: &|object| cron_job_of(object, Arc::from("manifest"), &options),
    };
    let (stored, manifests): (Vec<_>, Vec<_>) = (stored.collect(), manifests.collect());
    serde_json::to_value(plan(&question, &stored, &manifests)).unwrap()
}

/// The only item of a plan.
fn item(apply: Apply, old: &[Value], new: &[Value]) -> Value {
    let document = planned(apply, old, new);
    let items = document["items"].items();
    assert_eq!(items.len(), 1, "{document:#}");
    items[0].clone()
}

/// The only item of a plan.
fn live_item(old: &[Value], new: &[Value]) -> Value {
    item(LIVE, old, new)
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
fn changed(version: &'static str, old: &str, new: &str) -> Vec<String> {
    let [mut old, mut new] = [old, new].map(|spec| manifest("report", spec));
    if version == "1.20" {
        // The first version with batch/v1 is 1.21.
        old["apiVersion"] = json!("batch/v1beta1");
        new["apiVersion"] = json!("batch/v1beta1");
    }
    let item = item(Apply { version, ..FROM }, &[old], &[new]);
    assert_eq!(item["change"], "changed", "{item:#}");
    effects(&item)
}

#[test]
fn metadata_defaults_and_order_change_nothing() {
    let defaults = "0 10 * * * suspend=false concurrencyPolicy=Allow failedJobsHistoryLimit=1";
    let mut old = manifest("report", defaults);
    old["metadata"]["labels"] = json!({"chart": "shop-1.0"});
    let new = manifest("report", "0 10 * * * successfulJobsHistoryLimit=3");
    let item = item(FROM, &[old], &[new]);
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
    item(FROM, &old, &new)["fields"].take()
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
    let item = item(FROM, &[old], &[new]);
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

#[test]
fn removal_rename_and_creation_are_recognized() {
    let old = [manifest("report", "0 10 * * *")];
    let removed = item(FROM, &old, &[]);
    assert_eq!(removed["change"], "removed");
    assert_eq!(effects(&removed), ["skipsRuns - 2026-11-22T10:00:00Z"]);
    let added = item(FROM, &[], &old);
    assert_eq!(added["change"], "added");
    assert_eq!(effects(&added), [""; 0]);
    let expected = "2026-11-24T10:00:00Z";
    assert_eq!(added["runsAfter"][2]["scheduledTime"], expected);
    let new = [manifest("reports", "0 10 * * *")];
    let renamed = item(FROM, &old, &new);
    assert_eq!(renamed["change"], "renamed");
    assert_eq!(renamed["previous"], "shop/report");
    assert_eq!(effects(&renamed), ["recreates - -"]);
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
    let plan = |prune| planned(Apply { prune, ..LIVE }, &blocked(), &other);
    let kept = plan(false);
    // The added CronJob has the same template.
    assert_eq!(kept["items"][0]["change"], "added");
    assert_eq!(kept["items"][0]["effects"][0]["kind"], "runsTwice");
    let pruned = plan(true);
    assert_eq!(pruned["items"][0]["change"], "renamed");
    assert_eq!(effects(&pruned["items"][0])[0], removes);
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
    let plan = |field_manager| {
        let apply = Apply {
            field_manager,
            ..LIVE
        };
        planned(apply, &live, &new)
    };
    let widest = plan(None);
    assert_eq!(widest["items"][0]["change"], "changed");
    let assumptions = widest["assumptions"].to_string();
    assert_contains!(assumptions, "kustomize-controller");
    // The number of fields decides, and not the order.
    let reversed = planned(LIVE, &[suspended(&[&own, &other])], &new);
    assert_eq!(reversed["items"][0]["change"], "changed");
    let named = plan(Some("person"));
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
        let plan = planned(LIVE, old, &all);
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
}

#[test]
fn new_suspended_cron_job_starts_nothing() {
    let new = manifest("new", "0 2 * * * suspend=true");
    let effects = effects(&item(FROM, &[], &[new]));
    assert_eq!(effects, ["staysSuspended - 2026-11-22T02:00:00Z"]);
}
