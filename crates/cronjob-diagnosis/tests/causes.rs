//! Several CronJobs fail for the same object: it is named once, above the rows. Nothing is blamed without evidence.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::support::json::{Json as _, list};
use crate::support::troubled::Trouble::{Crashed, Nothing};
use crate::support::troubled::{
    CAUSES, IMAGE, NOW, RUN, cluster, no_image, objects, outline, troubled,
};
use crate::support::world;

fn scanned(objects: &[Value]) -> Value {
    world::scanned(&list(objects), "1.36", NOW)
}

#[test]
fn objects_that_three_cron_jobs_fail_for_are_named_once() {
    let document = scanned(&troubled());
    assert_eq!(outline(&document), CAUSES);
    let image = &document["causes"][0];
    let expected = json!(["a/image-1", "a/image-2", "b/image-3", "c/image-4"]);
    assert_eq!(image["cronJobs"], expected);
    assert_eq!(image["severity"], "error");
    // One example, and how to list all.
    assert_eq!(
        image["remedy"]["command"],
        format!("kubectl describe pod image-1-{RUN}-abcde -n a")
    );
    let lists = document["causes"].items().iter().map(|cause| {
        let kind = cause["kind"].text().to_owned();
        let notes = cause["remedy"]["notes"].items();
        (kind, notes.last().unwrap()["command"].text().to_owned())
    });
    let lists: BTreeMap<String, String> = lists.collect();
    let list = |what: &str| format!("kubectl cronjob-doctor scan {what} --problems-only");
    assert_eq!(lists["image"], list("-A"));
    assert_eq!(lists["configMap"], list("-n m1"));
    let blocked = &document["items"].named("node-3")["findings"][0];
    assert_eq!(blocked["code"], "blocked-by-running-job");
    // All rows stay.
    assert_eq!(document["items"].items().len(), 51);
}

#[test]
fn two_cron_jobs_have_a_shared_cause_only_if_nothing_else_is_broken() {
    let two = [
        ("a/image-1", "08:00", no_image()),
        ("b/image-2", "08:00", no_image()),
        ("a/healthy", "08:00", Nothing),
    ];
    let mut objects = cluster(&two);
    let found = outline(&scanned(&objects));
    assert_eq!(found, [format!("2 image - {IMAGE} [a b] 08:00")]);
    // The same image, but its program failed.
    objects.extend(cluster(&[("b/crash", "08:00", Crashed(IMAGE))]));
    let found = outline(&scanned(&objects));
    assert_eq!(found, [""; 0]);
    let one = cluster(&[("a/image-1", "08:00", no_image())]);
    assert_eq!(outline(&scanned(&one)), [""; 0]);
}

/// With the time of the last change of its Job template.
fn changed(mut objects: Vec<Value>, at: &str) -> Vec<Value> {
    objects[0]["metadata"]["generation"] = json!(2);
    objects[0]["metadata"]["managedFields"] = json!([{
        "manager": "argocd-controller", "operation": "Apply", "time": at,
        "fieldsV1": {"f:spec": {"f:jobTemplate": {}, "f:schedule": {}}},
    }]);
    objects
}

#[test]
fn runs_that_fail_after_a_change_name_it() {
    const CHANGE: &str = "2026-03-10T07:30:20Z";
    let failing = |key: &str| objects(key, "08:00", &Crashed(IMAGE));
    let fine = changed(objects("b/export", "08:00", &Nothing), CHANGE);
    let named = |objects: Vec<Value>| {
        let objects = [objects, fine.clone()].concat();
        let document = scanned(&objects);
        let texts = document["causes"].items().iter();
        texts
            .map(|cause| cause["text"].text().to_owned())
            .collect::<Vec<_>>()
    };
    let change = "argocd-controller changed the Job template";
    assert_eq!(
        named(changed(failing("a/import"), CHANGE)),
        [format!(
            "1 CronJob in namespace a: failing after {change} (1 of 2 changed then)"
        )]
    );
    let both = [failing("a/import"), failing("b/index")].map(|one| changed(one, CHANGE));
    assert_eq!(
        named(both.concat()),
        [format!(
            "2 CronJobs in 2 namespaces: failing after {change} (2 of 3 changed then)"
        )]
    );
    // Nothing was changed, or only by its creation, or after the failure.
    assert_eq!(named(failing("a/import")), [""; 0]);
    for at in ["2026-03-01T10:00:00Z", "2026-03-10T08:20:00Z"] {
        assert_eq!(named(changed(failing("a/import"), at)), [""; 0], "{at}");
    }
    // It had failed before.
    let mut before = changed(failing("a/import"), CHANGE);
    before[0]["status"]["lastSuccessfulTime"] = json!("2026-03-08T08:01:00Z");
    let mut job = before[1].clone();
    job["metadata"]["name"] = json!("import-29550720");
    job["metadata"]["uid"] = json!("import-29550720");
    job["metadata"]["creationTimestamp"] = json!("2026-03-09T08:00:00Z");
    before.push(job);
    assert_eq!(named(before), [""; 0]);
    // It succeeded after the change, and then failed.
    let mut since = changed(failing("a/import"), "2026-03-08T12:00:00Z");
    since[0]["status"]["lastSuccessfulTime"] = json!("2026-03-09T08:01:00Z");
    assert_eq!(named(since), [""; 0]);
}
