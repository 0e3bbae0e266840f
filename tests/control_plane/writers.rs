//! Who suspended a `CronJob` and who changed its schedule, by the managed fields that a real API server keeps.

use std::process::Command;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::control_plane::shared_plane;
use crate::control_plane::stage::Stage;
use crate::support::control_plane::assets;
use crate::support::folder::Folder;

const YEARLY: &str = "0 0 1 1 *";
const STALE: &str = "stale-suspension-annotations";

/// Calls kubectl; `None` if there is none.
fn kubectl(stage: &Stage<'_>, arguments: &[&str]) -> Option<()> {
    let kubectl = assets()?.join("kubectl");
    if !kubectl.is_file() {
        eprintln!("skipped: there is no {}", kubectl.display());
        return None;
    }
    // It keeps what it discovers there.
    let home = Folder::new("writers-home", &[]);
    let output = Command::new(kubectl)
        .args(arguments)
        .args(["-n", &stage.namespace, "--kubeconfig"])
        .arg(stage.plane.kubeconfig("admin"))
        .env_clear()
        .env("HOME", home.path())
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    Some(())
}

fn apply(stage: &Stage<'_>, name: &str, fields: &Value, flags: &[&str]) -> Option<()> {
    let mut object = json!({
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": {"name": name},
        "spec": {
            "schedule": YEARLY,
            "timeZone": "Etc/UTC",
            "jobTemplate": {"spec": {"template": {"spec": {
                "restartPolicy": "Never",
                "containers": [{"name": "main", "image": "busybox:1"}],
            }}}},
        },
    });
    for (field, value) in fields.as_object().unwrap() {
        object["spec"][field] = value.clone();
    }
    let folder = Folder::new("writers", &[("cronjob.json", &object.to_string())]);
    let file = folder.file("cronjob.json");
    kubectl(stage, &[&["apply", "-f", &file], flags].concat())
}

fn patch(stage: &Stage<'_>, name: &str, spec: &Value) -> Option<()> {
    let patch = json!({"spec": spec}).to_string();
    kubectl(
        stage,
        &["patch", "cronjob", name, "--type=merge", "-p", &patch],
    )
}

/// Managed fields have times in seconds.
fn next_second() {
    thread::sleep(Duration::from_millis(1_100));
}

fn who(stage: &Stage<'_>, name: &str) -> [Value; 3] {
    let mut suspension = stage.explain(name, &[])["suspension"].take();
    ["user", "fieldManager", "sinceCreation"].map(|field| suspension[field].take())
}

fn has_stale_annotations(stage: &Stage<'_>, name: &str) -> bool {
    let explained = stage.explain(name, &[]);
    let findings = explained["findings"].as_array().unwrap();
    findings.iter().any(|finding| finding["code"] == STALE)
}

#[test]
fn suspension_is_attributed_to_the_user_or_else_to_the_field_manager() {
    let Some(plane) = shared_plane() else { return };
    let stage = Stage::new(plane, "suspended-by");
    let suspended = json!({"suspend": true});
    let Some(()) = apply(&stage, "created", &suspended, &[]) else {
        return;
    };
    for name in ["patched", "recorded", "impersonated"] {
        apply(&stage, name, &json!({}), &[]);
    }
    apply(&stage, "applied", &json!({}), &["--server-side"]);
    next_second();
    patch(&stage, "patched", &suspended);
    apply(&stage, "applied", &suspended, &["--server-side"]);
    stage
        .doctor(&["suspend", "recorded", "-yq", "--reason=move", "--until=1h"])
        .fine();
    let jane = ["--as=jane", "--as-group=system:masters"];
    let suspend = ["suspend", "impersonated", "-yq"];
    stage.doctor(&[&suspend[..], &jane].concat()).fine();

    let manager = |name: &str| [Value::Null, json!(name), json!(false)];
    let user = |name: &str| [json!(name), json!("kubectl-cronjob-doctor"), json!(false)];
    let created = [Value::Null, json!("kubectl-client-side-apply"), json!(true)];
    assert_eq!(who(&stage, "created"), created);
    assert_eq!(who(&stage, "patched"), manager("kubectl-patch"));
    assert_eq!(who(&stage, "applied"), manager("kubectl"));
    assert_eq!(who(&stage, "recorded"), user("admin"));
    assert_eq!(who(&stage, "impersonated"), user("jane"));
    let recorded = stage.explain("recorded", &[]);
    // Both are times of the API server.
    let suspension = &recorded["suspension"];
    assert_eq!(
        suspension["at"].as_str().unwrap().len(),
        "2026-11-22T02:00:00Z".len()
    );
    assert!(
        suspension["at"].as_str() <= suspension["noLaterThan"].as_str(),
        "{suspension}"
    );
    let begins = |name: &str, with: &str| {
        let explained = stage.explain(name, &[]);
        let verdict = explained["verdict"].as_str().unwrap();
        assert!(verdict.starts_with(with), "{verdict}");
    };
    begins("created", "Suspended since its creation at ");
    // A field manager is a program, not a person.
    begins("patched", "Suspended with kubectl patch at ");
    begins("applied", "Suspended by field manager kubectl at ");
    begins("recorded", "Suspended by admin at ");
}

/// kubectl resumes it: the annotations stay until the command of the finding removes them, or until this program
/// suspends or resumes it.
#[test]
fn annotations_of_an_earlier_suspension_are_found_and_not_believed() {
    let Some(plane) = shared_plane() else { return };
    let stage = Stage::new(plane, "suspended-before");
    let Some(()) = apply(&stage, "nightly", &json!({}), &[]) else {
        return;
    };
    let suspend = || {
        stage
            .doctor(&["suspend", "nightly", "-yq", "--reason=move", "--until=1h"])
            .fine()
    };
    let annotations = || {
        let nightly = stage.cron_job("nightly");
        let annotations = nightly["metadata"]["annotations"]
            .as_object()
            .unwrap()
            .clone();
        let ours = annotations
            .keys()
            .filter(|name| name.starts_with("cronjob-doctor/"));
        ours.cloned().collect::<Vec<_>>()
    };
    suspend();
    assert_eq!(annotations().len(), 4);
    assert!(!has_stale_annotations(&stage, "nightly"));
    next_second();
    patch(&stage, "nightly", &json!({"suspend": false}));
    assert!(has_stale_annotations(&stage, "nightly"));
    next_second();
    patch(&stage, "nightly", &json!({"suspend": true}));
    let again = stage.explain("nightly", &[]);
    for field in ["user", "at", "reason", "until"] {
        assert_eq!(again["suspension"][field], Value::Null, "{again:#}");
    }
    patch(&stage, "nightly", &json!({"suspend": false}));

    // As its remedy says.
    let explained = stage.explain("nightly", &[]);
    let findings = explained["findings"].as_array().unwrap().iter();
    let mut remedies = findings.filter(|finding| finding["code"] == STALE);
    let remedy = remedies.next().unwrap()["remedy"]["text"].as_str().unwrap();
    let command = remedy.split_whitespace().skip(1);
    let is_of_kubeconfig = |word: &&str| !word.starts_with("--") && !word.starts_with('/');
    let words: Vec<&str> = command
        .take_while(|word| *word != "-n")
        .filter(is_of_kubeconfig)
        .collect();
    kubectl(&stage, &words);
    assert!(!has_stale_annotations(&stage, "nightly"));
    assert!(annotations().is_empty());

    suspend();
    stage.doctor(&["resume", "nightly", "-yq"]).fine();
    assert!(annotations().is_empty());
}

#[test]
fn edit_of_a_schedule_is_attributed_to_its_field_manager() {
    let Some(plane) = shared_plane() else { return };
    let stage = Stage::new(plane, "edited-by");
    let Some(()) = apply(&stage, "untouched", &json!({}), &[]) else {
        return;
    };
    for name in ["patched", "reapplied", "other"] {
        apply(&stage, name, &json!({}), &[]);
    }
    apply(&stage, "server-side", &json!({}), &["--server-side"]);
    next_second();
    let moved = json!({"schedule": "0 1 1 1 *"});
    patch(&stage, "patched", &moved);
    apply(&stage, "reapplied", &moved, &[]);
    apply(&stage, "server-side", &moved, &["--server-side"]);
    // Another field.
    patch(&stage, "other", &json!({"concurrencyPolicy": "Forbid"}));
    let edit = |name: &str| {
        let mut edit = stage.explain(name, &[])["scheduleEdit"].take();
        if edit.is_null() {
            return Value::Null;
        }
        json!([
            edit["fieldManager"].take(),
            edit["isCertain"].take(),
            edit["appliedSchedule"].take()
        ])
    };
    assert_eq!(edit("untouched"), Value::Null);
    assert_eq!(edit("other"), Value::Null);
    assert_eq!(edit("patched"), json!(["kubectl-patch", true, YEARLY]));
    // It owns the whole manifest, and may have changed anything of it.
    assert_eq!(
        edit("reapplied"),
        json!(["kubectl-client-side-apply", false, null])
    );
    assert_eq!(edit("server-side"), json!(["kubectl", false, null]));
}
