//! A set of manifests is applied, another one is planned and then applied: what was predicted happens.

use std::collections::BTreeSet;
use std::process::Command;

use serde_json::{Value, json};

use crate::control_plane::shared_plane;
use crate::control_plane::stage::{Stage, finish_at, job_name, owner};
use crate::support::control_plane::{ControlPlane, assets, eventually};
use crate::support::folder::Folder;

/// A manifest of a `CronJob` that ran, or should have run, ten minutes ago.
fn manifest(stage: &Stage<'_>, name: &str, fields: &Value) -> Value {
    let mut spec = json!({
        "schedule": stage.clock.hourly(10),
        "timeZone": "Etc/UTC",
        "jobTemplate": {"spec": {"template": {"spec": {
            "restartPolicy": "Never",
            "containers": [{"name": "main", "image": "busybox:1"}],
        }}}},
    });
    for (field, value) in fields.as_object().unwrap() {
        spec[field] = value.clone();
    }
    json!({
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": {"name": name},
        "spec": spec,
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
    fn apply(&self, stage: &Stage<'_>, flags: &[&str]) {
        self.kubectl(stage, &[&["apply"], flags].concat());
    }

    /// Calls kubectl with them.
    fn kubectl(&self, stage: &Stage<'_>, arguments: &[&str]) {
        let kubectl = assets().unwrap().join("kubectl");
        let kubeconfig = stage.plane.kubeconfig("admin");
        let output = Command::new(kubectl)
            .args(arguments)
            .args(["-f", &self.file(), "-n", &stage.namespace])
            .arg("--kubeconfig")
            .arg(kubeconfig)
            .env_clear()
            .env("HOME", self.0.path())
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
    }

    /// What `plan` predicts of each, by name.
    fn plan(&self, stage: &Stage<'_>, flags: &[&str]) -> impl Fn(&str) -> Value + use<> {
        let call = ["plan", "-f", &self.file(), "-o", "json"];
        let text = stage.doctor(&[&call[..], flags].concat());
        let document: Value = serde_json::from_str(&text.fine()).unwrap();
        move |name| {
            let mut items = document["items"].as_array().unwrap().iter();
            let item = items.find(|item| item["name"] == name);
            item.unwrap_or_else(|| panic!("{name}: {document:#}"))
                .clone()
        }
    }
}

fn names(jobs: &[Value]) -> BTreeSet<String> {
    let names = jobs.iter().map(|job| &job["metadata"]["name"]);
    names
        .map(|name| name.as_str().unwrap().to_owned())
        .collect()
}

/// Kind and Jobs of each effect.
fn effects(item: &Value) -> Vec<(String, Vec<String>)> {
    let effects = item["effects"].as_array().unwrap().iter();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let jobs = |effect: &Value| {
        effect["jobs"]
            .as_array()
            .unwrap()
            .iter()
            .map(text)
            .collect()
    };
    effects
        .map(|effect| (text(&effect["kind"]), jobs(effect)))
        .collect()
}

fn effect(kind: &str, jobs: &[&str]) -> (String, Vec<String>) {
    let jobs = jobs.iter().map(|job| (*job).to_owned()).collect();
    (kind.to_owned(), jobs)
}

/// The changed fields of the spec itself are those of the stored object afterwards.
fn fields_came_true(stage: &Stage<'_>, item: &Value) {
    let name = item["name"].as_str().unwrap();
    let stored = stage.cron_job(name);
    for change in item["fields"].as_array().unwrap() {
        let field = change["field"].as_str().unwrap();
        let Some(field) = field
            .strip_prefix("spec.")
            .filter(|name| !name.contains('.'))
        else {
            continue;
        };
        assert_eq!(stored["spec"][field], change["new"], "{name} {field}");
    }
    for kept in item["kept"].as_array().unwrap() {
        let field = kept["field"]
            .as_str()
            .unwrap()
            .strip_prefix("spec.")
            .unwrap();
        assert_eq!(stored["spec"][field], kept["value"], "{name} {field}");
    }
}

#[test]
fn client_side_apply_does_what_was_planned() {
    let Some(plane) = shared_plane() else { return };
    let stage = Stage::new(plane, "planned");
    let clock = stage.clock;
    let (missed, before) = (clock.minutes_ago(10), clock.hours_and_minutes_ago(1, 10));
    let old = |name: &str, fields: Value| manifest(&stage, name, &fields);
    Manifests::new(&[
        old("resumed", json!({"suspend": true})),
        old("paused", json!({})),
        old("replaced", json!({"concurrencyPolicy": "Forbid"})),
        old("limited", json!({"successfulJobsHistoryLimit": 3})),
        old("moved", json!({})),
        old("template", json!({})),
    ])
    .apply(&stage, &[]);

    stage.set_last("resumed", before);
    // Somebody suspends it manually.
    stage.edit("paused", &json!({"spec": {"suspend": true}}));
    stage.set_last("paused", before);
    stage.create_running("replaced", &["replaced-1"]);
    stage.set_last("replaced", before);
    stage.set_last("limited", missed);
    for (name, minutes) in [("limited-1", 40), ("limited-2", 30), ("limited-3", 20)] {
        stage.create_job(name, Some(&owner(&stage.cron_job("limited"))));
        finish_at(&stage, name, "Complete", minutes);
    }
    stage.set_last("moved", missed);
    stage.create_running("template", &["template-1"]);
    stage.set_last("template", missed);

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
    let planned = new.plan(&stage, &[]);
    let job = |name| job_name(name, missed);
    let (resumed, replaced) = (job("resumed"), job("replaced"));
    assert_eq!(
        effects(&planned("resumed")),
        [effect("startsNow", &[&resumed]), effect("resumes", &[])]
    );
    assert_eq!(effects(&planned("paused")), []);
    assert_eq!(
        planned("paused")["kept"],
        json!([{"field": "spec.suspend", "value": true}])
    );
    assert_eq!(
        effects(&planned("replaced")),
        [
            effect("startsNow", &[&replaced]),
            effect("removesRunning", &["replaced-1"])
        ]
    );
    assert_eq!(
        effects(&planned("limited")),
        [effect("removesFinished", &["limited-1", "limited-2"])]
    );
    let moved = job_name("moved", clock.minutes_ago(5));
    assert_eq!(effects(&planned("moved")), [effect("startsNow", &[&moved])]);
    assert_eq!(
        effects(&planned("template")),
        [effect("keepsTemplate", &["template-1"])]
    );

    new.apply(&stage, &[]);
    // Only the one with another schedule is not synced yet.
    let expected: BTreeSet<String> = [&resumed, &replaced, "limited-3", "template-1"]
        .map(str::to_owned)
        .into();
    eventually("the Jobs are as planned", || {
        (names(&stage.jobs()) == expected).then_some(())
    });
    for name in [
        "resumed", "paused", "replaced", "limited", "moved", "template",
    ] {
        fields_came_true(&stage, &planned(name));
    }
    // At its next sync, it starts the run of before the edit.
    let look = json!({"metadata": {"annotations": {"look": "again"}}});
    stage.edit("moved", &look);
    eventually("the run of before the edit starts", || {
        names(&stage.jobs()).contains(&moved).then_some(())
    });
    assert!(names(&stage.jobs()).is_superset(&expected));
    assert_eq!(stage.jobs().len(), expected.len() + 1);
}

#[test]
fn server_side_apply_does_what_was_planned() {
    let Some(plane) = shared_plane() else { return };
    let stage = Stage::new(plane, "planned-ssa");
    let before = stage.clock.hours_and_minutes_ago(1, 10);
    let manager = ["--server-side", "--field-manager=gitops"];
    let suspended = json!({"suspend": true, "startingDeadlineSeconds": 7200});
    Manifests::new(&[
        manifest(&stage, "own", &suspended),
        manifest(&stage, "shared", &suspended),
        manifest(&stage, "manual", &json!({})),
    ])
    .apply(&stage, &manager);
    // Another manager sets the same value, so that both own the field.
    let mut also = manifest(&stage, "shared", &json!({}));
    also["spec"] = json!({"suspend": true, "schedule": stage.clock.hourly(10),
        "jobTemplate": also["spec"]["jobTemplate"]});
    Manifests::new(&[also]).apply(&stage, &["--server-side", "--field-manager=person"]);
    stage.edit("manual", &json!({"spec": {"suspend": true}}));
    for name in ["own", "shared", "manual"] {
        stage.set_last(name, before);
    }

    let new = Manifests::new(
        &["own", "shared", "manual"]
            .map(|name| manifest(&stage, name, &json!({"successfulJobsHistoryLimit": 5}))),
    );
    let planned = new.plan(&stage, &[]);
    let own = job_name("own", stage.clock.minutes_ago(10));
    assert_eq!(
        effects(&planned("own")),
        [effect("startsNow", &[&own]), effect("resumes", &[])]
    );
    for name in ["shared", "manual"] {
        assert_eq!(effects(&planned(name)), [], "{name}");
        let kept = json!([{"field": "spec.suspend", "value": true}]);
        assert_eq!(planned(name)["kept"], kept, "{name}");
    }
    new.apply(&stage, &manager);
    eventually("the run starts", || {
        (names(&stage.jobs()) == BTreeSet::from([own.clone()])).then_some(())
    });
    for name in ["own", "shared", "manual"] {
        fields_came_true(&stage, &planned(name));
    }
}

/// The garbage collector deletes the Jobs of a `CronJob` that is deleted or re-created.
#[test]
fn jobs_are_deleted_as_planned() {
    let Some(assets) = assets() else { return };
    let plane = ControlPlane::start(&assets);
    plane.start_controllers_and("UTC", &["garbage-collector-controller"]);
    let stage = Stage::new(&plane, "planned-gc");
    let hook = || {
        let mut hook = manifest(&stage, "hook", &json!({}));
        hook["metadata"]["annotations"] = json!({"helm.sh/hook": "post-upgrade"});
        hook
    };
    let gone = Manifests::new(&[manifest(&stage, "gone", &json!({"timeZone": "Etc/GMT"}))]);
    let stays = Manifests::new(&[hook()]);
    for manifests in [&gone, &stays] {
        manifests.apply(&stage, &[]);
    }
    for name in ["gone", "hook"] {
        stage.create_running(name, &[&format!("{name}-1")]);
        stage.set_last(name, stage.clock.minutes_ago(10));
    }
    let mut changed = hook();
    changed["spec"]["failedJobsHistoryLimit"] = json!(2);
    let new = Manifests::new(&[changed]);
    let planned = new.plan(&stage, &["--prune"]);
    assert_eq!(planned("gone")["change"], "removed");
    assert_eq!(
        effects(&planned("gone")),
        [
            effect("removesRunning", &["gone-1"]),
            effect("skipsRuns", &[])
        ]
    );
    assert_eq!(planned("hook")["change"], "recreated");
    assert_eq!(
        effects(&planned("hook")),
        [
            effect("removesRunning", &["hook-1"]),
            effect("recreates", &[])
        ]
    );
    assert_eq!(names(&stage.jobs()).len(), 2);
    gone.kubectl(&stage, &["delete"]);
    // As Helm re-creates a hook.
    new.kubectl(&stage, &["replace", "--force"]);
    eventually("the Jobs are deleted", || {
        stage.jobs().is_empty().then_some(())
    });
}
