//! The user or field manager that suspended a `CronJob` or changed its schedule, according to the managed fields of a
//! real API server.

use std::time::Duration;

use crate::control_plane::prelude::*;

const YEARLY: &str = "0 0 1 1 *";
const STALE: &str = "stale-suspension-annotations";

fn apply(ns: &Namespace<'_>, name: &str, fields: &Value, flags: &[&str]) -> Option<()> {
    let base = json!({
        "schedule": YEARLY,
        "timeZone": "Etc/UTC",
        "jobTemplate": {"spec": job_spec()},
    });
    let object = json!({
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": {"name": name},
        "spec": with_fields(base, fields),
    });
    let apply = [&["apply", "-f", "-"], flags].concat();
    ns.kubectl(&apply, &object.to_string())
}

fn patch(ns: &Namespace<'_>, name: &str, spec: &Value) -> Option<()> {
    let patch = json!({"spec": spec}).to_string();
    ns.kubectl(
        &["patch", "cronjob", name, "--type=merge", "-p", &patch],
        "",
    )
}

/// Waits for the next second, because managed fields record times in whole seconds.
fn next_second() {
    thread::sleep(Duration::from_millis(1_100));
}

fn suspended_by(ns: &Namespace<'_>, name: &str) -> [Value; 3] {
    let mut suspension = ns.explain(name, "")["suspension"].take();
    ["user", "fieldManager", "sinceCreation"].map(|field| suspension[field].take())
}

fn has_stale_annotations(ns: &Namespace<'_>, name: &str) -> bool {
    finding(&ns.explain(name, ""), STALE).is_some()
}

#[test]
fn suspension_is_attributed_to_the_user_or_else_to_the_field_manager() {
    let ns = namespace!("suspended-by", since 25);
    let suspended = json!({"suspend": true});
    let Some(()) = apply(&ns, "created", &suspended, &[]) else {
        return;
    };
    for name in ["patched", "recorded", "impersonated"] {
        apply(&ns, name, &json!({}), &[]);
    }
    apply(&ns, "applied", &json!({}), &["--server-side"]);
    next_second();
    patch(&ns, "patched", &suspended);
    apply(&ns, "applied", &suspended, &["--server-side"]);
    ns.doctor("suspend recorded -yq --reason=move --until=1h")
        .fine();
    let jane = ["--as=jane", "--as-group=system:masters"];
    let suspend = ["suspend", "impersonated", "-yq"];
    ns.doctor([&suspend[..], &jane].concat()).fine();

    let manager = |name: &str| [Value::Null, json!(name), json!(false)];
    let user = |name: &str| [json!(name), json!("kubectl-cronjob-doctor"), json!(false)];
    let created = [Value::Null, json!("kubectl-client-side-apply"), json!(true)];
    assert_eq!(suspended_by(&ns, "created"), created);
    assert_eq!(suspended_by(&ns, "patched"), manager("kubectl-patch"));
    assert_eq!(suspended_by(&ns, "applied"), manager("kubectl"));
    assert_eq!(suspended_by(&ns, "recorded"), user("admin"));
    assert_eq!(suspended_by(&ns, "impersonated"), user("jane"));
    let recorded = ns.explain("recorded", "");
    // Both are times of the API server.
    let suspension = &recorded["suspension"];
    assert_eq!(suspension["at"].text().len(), "2026-11-22T02:00:00Z".len());
    assert!(
        suspension["at"].as_str() <= suspension["noLaterThan"].as_str(),
        "{suspension}"
    );
    let begins = |name: &str, with: &str| {
        let explained = ns.explain(name, "");
        let verdict = explained["verdict"].text();
        assert_starts!(verdict, with);
    };
    begins("created", "Suspended since its creation at ");
    // A field manager is a program, not a person.
    begins("patched", "Suspended with kubectl patch at ");
    begins("applied", "Suspended by field manager kubectl at ");
    begins("recorded", "Suspended by admin at ");
}

/// If kubectl resumes the CronJob, the annotations of the suspension stay until the command of the finding removes
/// them, or until this program suspends or resumes the CronJob.
#[test]
fn annotations_of_an_earlier_suspension_are_reported_as_stale_and_ignored() {
    let ns = namespace!("suspended-before", since 25);
    let Some(()) = apply(&ns, "nightly", &json!({}), &[]) else {
        return;
    };
    let suspend = || {
        ns.doctor("suspend nightly -yq --reason=move --until=1h")
            .fine()
    };
    let annotations = || {
        let annotations = ns.cron_job("nightly")["metadata"]["annotations"].take();
        let names = annotations.as_object().unwrap().keys();
        let ours = names.filter(|name| name.starts_with("cronjob-doctor/"));
        ours.cloned().collect::<Vec<_>>()
    };
    suspend();
    assert_eq!(annotations().len(), 4);
    assert!(!has_stale_annotations(&ns, "nightly"));
    next_second();
    patch(&ns, "nightly", &json!({"suspend": false}));
    assert!(has_stale_annotations(&ns, "nightly"));
    next_second();
    patch(&ns, "nightly", &json!({"suspend": true}));
    let again = ns.explain("nightly", "");
    for field in ["user", "at", "reason", "until"] {
        assert_eq!(again["suspension"][field], Value::Null, "{again:#}");
    }
    patch(&ns, "nightly", &json!({"suspend": false}));

    // Run the command of the remedy.
    let explained = ns.explain("nightly", "");
    let remedy = &finding(&explained, STALE).unwrap()["remedy"]["text"];
    let remedy = remedy.text();
    let command = remedy.split_whitespace().skip(1);
    let is_of_kubeconfig = |word: &&str| !word.starts_with("--") && !word.starts_with('/');
    let words: Vec<&str> = command
        .take_while(|word| *word != "-n")
        .filter(is_of_kubeconfig)
        .collect();
    ns.kubectl(&words, "");
    assert!(!has_stale_annotations(&ns, "nightly"));
    assert!(annotations().is_empty());

    suspend();
    ns.doctor("resume nightly -yq").fine();
    assert!(annotations().is_empty());
}

#[test]
fn edit_of_a_schedule_is_attributed_to_its_field_manager() {
    let ns = namespace!("edited-by", since 25);
    let Some(()) = apply(&ns, "untouched", &json!({}), &[]) else {
        return;
    };
    for name in ["patched", "reapplied", "other"] {
        apply(&ns, name, &json!({}), &[]);
    }
    apply(&ns, "server-side", &json!({}), &["--server-side"]);
    next_second();
    let moved = json!({"schedule": "0 1 1 1 *"});
    patch(&ns, "patched", &moved);
    apply(&ns, "reapplied", &moved, &[]);
    apply(&ns, "server-side", &moved, &["--server-side"]);
    // An edit of another field is not reported as an edit of the schedule.
    patch(&ns, "other", &json!({"concurrencyPolicy": "Forbid"}));
    let edit = |name: &str| {
        let mut edit = ns.explain(name, "")["scheduleEdit"].take();
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
    // This field manager owns the whole manifest, and may have changed any field of it.
    let expected = json!(["kubectl-client-side-apply", false, null]);
    assert_eq!(edit("reapplied"), expected);
    assert_eq!(edit("server-side"), json!(["kubectl", false, null]));
}
