//! Applies a set of manifests, plans and applies another one, and compares the result with the prediction.

use std::collections::BTreeSet;

use crate::control_plane::prelude::*;

/// A manifest of a `CronJob` that ran, or should have run, ten minutes ago.
fn manifest(ns: &Namespace<'_>, name: &str, fields: &Value) -> Value {
    let spec = json!({
        "schedule": ns.clock.hourly(10),
        "timeZone": "Etc/UTC",
        "jobTemplate": {"spec": {"template": {"spec": {
            "restartPolicy": "Never",
            "containers": [{"name": "main", "image": "busybox:1"}],
        }}}},
    });
    json!({
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": {"name": name},
        "spec": with_fields(spec, fields),
    })
}

/// The manifests as a file that kubectl reads.
struct Manifests(Folder);

impl Manifests {
    fn new(objects: &[Value]) -> Self {
        let list = json!({"apiVersion": "v1", "kind": "List", "items": objects});
        Manifests(Folder::new("applied", &[("all.json", &list.to_string())]))
    }

    fn file(&self) -> String {
        self.0.file("all.json")
    }

    /// Applies them with kubectl.
    fn apply(&self, ns: &Namespace<'_>, flags: &[&str]) {
        self.kubectl(ns, &[&["apply"], flags].concat());
    }

    /// Calls kubectl with them.
    fn kubectl(&self, ns: &Namespace<'_>, arguments: &[&str]) {
        let file = self.file();
        ns.kubectl(&[arguments, &["-f", &file]].concat(), "")
            .unwrap();
    }

    /// What `plan` predicts of each, by name.
    fn plan(&self, ns: &Namespace<'_>, flags: &[&str]) -> impl Fn(&str) -> Value + use<> {
        let file = self.file();
        let document = ns.document([&["plan", "-f", &file], flags].concat());
        move |name| {
            let mut items = document["items"].items().iter();
            let item = items.find(|item| item["name"] == name);
            item.unwrap_or_else(|| panic!("{name}: {document:#}"))
                .clone()
        }
    }
}

fn names(ns: &Namespace<'_>) -> BTreeSet<String> {
    ns.job_names().into_iter().collect()
}

/// Kind and Jobs of each effect.
fn effects(item: &Value) -> Vec<(String, Vec<String>)> {
    let effects = item["effects"].items().iter();
    let text = |value: &Value| value.text().to_owned();
    let jobs = |effect: &Value| effect["jobs"].items().iter().map(text).collect();
    effects
        .map(|effect| (text(&effect["kind"]), jobs(effect)))
        .collect()
}

fn effect(kind: &str, jobs: &[&str]) -> (String, Vec<String>) {
    let jobs = jobs.iter().map(|job| (*job).to_owned()).collect();
    (kind.to_owned(), jobs)
}

/// Asserts that the stored object has the planned values of the changed fields that are directly in the spec.
fn assert_planned_fields(ns: &Namespace<'_>, item: &Value) {
    let name = item["name"].text();
    let stored = ns.cron_job(name);
    for change in item["fields"].items() {
        let field = change["field"].text();
        let Some(field) = field
            .strip_prefix("spec.")
            .filter(|name| !name.contains('.'))
        else {
            continue;
        };
        assert_eq!(stored["spec"][field], change["new"], "{name} {field}");
    }
    for kept in item["kept"].items() {
        let field = kept["field"].text().strip_prefix("spec.").unwrap();
        assert_eq!(stored["spec"][field], kept["value"], "{name} {field}");
    }
}

#[test]
fn client_side_apply_does_what_was_planned() {
    let ns = namespace!("planned", since 25);
    let clock = ns.clock;
    let (missed, before) = (clock.minutes_ago(10), clock.hours_and_minutes_ago(1, 10));
    let old = |name: &str, fields: Value| manifest(&ns, name, &fields);
    Manifests::new(&[
        old("resumed", json!({"suspend": true})),
        old("paused", json!({})),
        old("replaced", json!({"concurrencyPolicy": "Forbid"})),
        old("limited", json!({"successfulJobsHistoryLimit": 3})),
        old("moved", json!({})),
        old("template", json!({})),
    ])
    .apply(&ns, &[]);

    ns.set_last("resumed", before);
    // Suspended manually.
    ns.edit("paused", &json!({"spec": {"suspend": true}}));
    ns.set_last("paused", before);
    ns.create_running("replaced", &["replaced-1"]);
    ns.set_last("replaced", before);
    ns.set_last("limited", missed);
    for (name, minutes) in [("limited-1", 40), ("limited-2", 30), ("limited-3", 20)] {
        ns.create_job(name, Some(&owner(&ns.cron_job("limited"))));
        finish_at(&ns, name, "Complete", minutes);
    }
    ns.set_last("moved", missed);
    ns.create_running("template", &["template-1"]);
    ns.set_last("template", missed);

    let mut template = old("template", json!({}));
    let image = "/spec/jobTemplate/spec/template/spec/containers/0/image";
    *template.pointer_mut(image).unwrap() = json!("busybox:2");
    let new = Manifests::new(&[
        old("resumed", json!({})),
        old("paused", json!({"failedJobsHistoryLimit": 2})),
        old("replaced", json!({"concurrencyPolicy": "Replace"})),
        old("limited", json!({"successfulJobsHistoryLimit": 1})),
        old("moved", json!({"schedule": clock.hourly(5)})),
        template,
    ]);
    let planned = new.plan(&ns, &[]);
    let job = |name| job_name(name, missed);
    let (resumed, replaced) = (job("resumed"), job("replaced"));
    let moved = job_name("moved", clock.minutes_ago(5));
    let expected = [
        (
            "resumed",
            vec![effect("startsNow", &[&resumed]), effect("resumes", &[])],
        ),
        ("paused", vec![effect("staysSuspended", &[])]),
        (
            "replaced",
            vec![
                effect("startsNow", &[&replaced]),
                effect("removesRunning", &["replaced-1"]),
            ],
        ),
        (
            "limited",
            vec![effect("removesFinished", &["limited-1", "limited-2"])],
        ),
        ("moved", vec![effect("startsNow", &[&moved])]),
        ("template", vec![effect("keepsTemplate", &["template-1"])]),
    ];
    for (name, expected) in expected {
        assert_eq!(effects(&planned(name)), expected, "{name}");
    }
    let kept = json!([{"field": "spec.suspend", "value": true}]);
    assert_eq!(planned("paused")["kept"], kept);

    new.apply(&ns, &[]);
    // Only the CronJob with another schedule is not synced yet.
    let expected: BTreeSet<String> = [&resumed, &replaced, "limited-3", "template-1"]
        .map(str::to_owned)
        .into();
    wait_until("the Jobs are as planned", || names(&ns) == expected);
    for name in [
        "resumed", "paused", "replaced", "limited", "moved", "template",
    ] {
        assert_planned_fields(&ns, &planned(name));
    }
    // Its next sync starts the run from before the edit.
    let annotation = json!({"metadata": {"annotations": {"look": "again"}}});
    ns.edit("moved", &annotation);
    wait_until("the run from before the edit starts", || {
        names(&ns).contains(&moved)
    });
    assert!(names(&ns).is_superset(&expected));
    assert_eq!(ns.jobs().len(), expected.len() + 1);
}

#[test]
fn server_side_apply_does_what_was_planned() {
    let ns = namespace!("planned-ssa", since 25);
    let before = ns.clock.hours_and_minutes_ago(1, 10);
    let manager = ["--server-side", "--field-manager=gitops"];
    let suspended = json!({"suspend": true, "startingDeadlineSeconds": 7200});
    Manifests::new(&[
        manifest(&ns, "own", &suspended),
        manifest(&ns, "shared", &suspended),
        manifest(&ns, "manual", &json!({})),
    ])
    .apply(&ns, &manager);
    // Another manager sets the same value, so that both own the field.
    let mut also = manifest(&ns, "shared", &json!({}));
    also["spec"] = json!({"suspend": true, "schedule": ns.clock.hourly(10),
        "jobTemplate": also["spec"]["jobTemplate"]});
    Manifests::new(&[also]).apply(&ns, &["--server-side", "--field-manager=person"]);
    ns.edit("manual", &json!({"spec": {"suspend": true}}));
    for name in ["own", "shared", "manual"] {
        ns.set_last(name, before);
    }

    let new = Manifests::new(
        &["own", "shared", "manual"]
            .map(|name| manifest(&ns, name, &json!({"successfulJobsHistoryLimit": 5}))),
    );
    let planned = new.plan(&ns, &[]);
    let own = job_name("own", ns.clock.minutes_ago(10));
    let expected = [effect("startsNow", &[&own]), effect("resumes", &[])];
    assert_eq!(effects(&planned("own")), expected);
    for name in ["shared", "manual"] {
        assert_eq!(
            effects(&planned(name)),
            [effect("staysSuspended", &[])],
            "{name}"
        );
        let kept = json!([{"field": "spec.suspend", "value": true}]);
        assert_eq!(planned(name)["kept"], kept, "{name}");
    }
    new.apply(&ns, &manager);
    wait_until("the run starts", || {
        names(&ns) == BTreeSet::from([own.clone()])
    });
    for name in ["own", "shared", "manual"] {
        assert_planned_fields(&ns, &planned(name));
    }
}

/// The garbage collector deletes the Jobs of a `CronJob` that is deleted or re-created.
#[test]
fn jobs_are_deleted_as_planned() {
    let Some(assets) = assets() else { return };
    let plane = ControlPlane::start(&assets);
    if !plane.is_since(25) {
        return;
    }
    plane.start_controllers_and("UTC", &["garbage-collector"]);
    let ns = Namespace::new(&plane, "planned-gc");
    let hook = || {
        let mut hook = manifest(&ns, "hook", &json!({}));
        hook["metadata"]["annotations"] = json!({"helm.sh/hook": "post-upgrade"});
        hook
    };
    let gone = Manifests::new(&[manifest(&ns, "gone", &json!({"timeZone": "Etc/GMT"}))]);
    let stays = Manifests::new(&[hook()]);
    for manifests in [&gone, &stays] {
        manifests.apply(&ns, &[]);
    }
    for name in ["gone", "hook"] {
        ns.create_running(name, &[&format!("{name}-1")]);
        ns.set_last(name, ns.clock.minutes_ago(10));
    }
    let mut changed = hook();
    changed["spec"]["failedJobsHistoryLimit"] = json!(2);
    let new = Manifests::new(&[changed]);
    let planned = new.plan(&ns, &["--prune"]);
    assert_eq!(planned("gone")["change"], "removed");
    let expected = [
        effect("removesRunning", &["gone-1"]),
        effect("skipsRuns", &[]),
    ];
    assert_eq!(effects(&planned("gone")), expected);
    assert_eq!(planned("hook")["change"], "recreated");
    let removes = effect("removesRunning", &["hook-1"]);
    let expected = [removes, effect("recreates", &[])];
    assert_eq!(effects(&planned("hook")), expected);
    assert_eq!(names(&ns).len(), 2);
    gone.kubectl(&ns, &["delete"]);
    // As Helm re-creates a hook.
    new.kubectl(&ns, &["replace", "--force"]);
    wait_until("the Jobs are deleted", || ns.jobs().is_empty());
}
