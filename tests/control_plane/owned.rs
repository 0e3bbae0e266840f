//! Field managers of server-side apply, and what the next sync of a tool does to a manual suspension.

use crate::control_plane::prelude::*;

fn path(ns: &Namespace<'_>, name: &str) -> String {
    format!("{}/{name}", batch(&ns.name, "cronjobs"))
}

/// Applies a manifest as Argo CD and Flux do: by force.
fn apply(ns: &Namespace<'_>, name: &str, manager: &str, spec: &Value) {
    let base = json!({"schedule": ns.clock.hourly(-20), "jobTemplate": {"spec": job_spec()}});
    let manifest = json!({
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": {"name": name},
        "spec": with_fields(base, spec),
    });
    let path = format!("{}?fieldManager={manager}&force=true", path(ns, name));
    let headers = [("Content-Type", "application/apply-patch+yaml")];
    let answer = ns.api.ask("PATCH", &path, &manifest.to_string(), &headers);
    assert!(answer.status < 300, "{answer:?}");
}

/// Takes over the fields of kubectl, as the kustomize-controller does before it applies.
fn take_over(ns: &Namespace<'_>, name: &str) {
    let object = ns.cron_job(name);
    let mut entries = object["metadata"]["managedFields"].items().to_vec();
    let kubectl = |entry: &Value| {
        entry["manager"].text().starts_with("kubectl") && entry["operation"] == "Update"
    };
    let Some(index) = entries.iter().position(kubectl) else {
        return;
    };
    let taken = entries.remove(index);
    let own = entries
        .iter_mut()
        .find(|entry| entry["manager"] == "kustomize-controller")
        .unwrap();
    for (field, value) in taken["fieldsV1"]["f:spec"].as_object().unwrap() {
        own["fieldsV1"]["f:spec"][field] = value.clone();
    }
    ns.edit(name, &json!({"metadata": {"managedFields": entries}}));
}

/// Whether an entry of a manager lists a field of the spec.
fn owns(ns: &Namespace<'_>, name: &str, manager: &str, field: &str) -> bool {
    let object = ns.cron_job(name);
    let entries = object["metadata"]["managedFields"].items();
    let field = format!("f:{field}");
    entries
        .iter()
        .any(|entry| entry["manager"] == manager && !entry["fieldsV1"]["f:spec"][&field].is_null())
}

#[test]
fn sync_keeps_or_reverts_a_manual_suspension_as_predicted() {
    let ns = namespace!("owned");
    for (name, manager, expected) in [
        ("argo-stated", "argocd-controller", "setsBack"),
        ("argo-unstated", "argocd-controller", "keeps"),
        ("flux-stated", "kustomize-controller", "setsBack"),
        ("flux-unstated", "kustomize-controller", "setsBack"),
        ("helm-stated", "helm-controller", "setsBack"),
        ("helm-unstated", "helm-controller", "keeps"),
    ] {
        let spec = if name.ends_with("unstated") {
            json!({})
        } else {
            json!({"suspend": false})
        };
        apply(&ns, name, manager, &spec);
        let document = ns.document(["suspend", name, "-yq"]);
        let prediction = &document["items"][0]["prediction"];
        assert_eq!(prediction["syncEffect"], expected, "{name}: {prediction:#}");
        assert_eq!(ns.cron_job(name)["spec"]["suspend"], true);
        assert!(!owns(&ns, name, manager, "suspend"), "{name}");
        assert!(
            owns(&ns, name, "kubectl-cronjob-doctor", "suspend"),
            "{name}"
        );
        if manager == "kustomize-controller" {
            take_over(&ns, name);
        }
        apply(&ns, name, manager, &spec);
        let is_kept = ns.cron_job(name)["spec"]["suspend"] == true;
        assert_eq!(is_kept, expected == "keeps", "{name}");
    }
}

/// `resume --reason` resumes what the sync left suspended, and does not change what the sync resumed.
#[test]
fn resume_for_a_reason_after_a_sync_resumes_what_is_still_suspended() {
    let ns = namespace!("owned-reason");
    let manager = "argocd-controller";
    let (stated, unstated) = (json!({"suspend": false}), json!({}));
    apply(&ns, "stated", manager, &stated);
    apply(&ns, "unstated", manager, &unstated);
    let suspend = "suspend stated unstated -yq --until=4000-01-01T00:00:00Z";
    let document = ns.document((suspend, "--reason=window"));
    assert_eq!(document["items"][0]["prediction"]["syncEffect"], "setsBack");
    assert_eq!(document["items"][1]["prediction"]["syncEffect"], "keeps");
    apply(&ns, "stated", manager, &stated);
    apply(&ns, "unstated", manager, &unstated);
    let ran = ns.doctor("resume --reason=window -yq --catch-up=skip");
    assert_eq!(ran.fine(), "cronjob.batch/unstated resumed\n");
    assert_eq!(ns.cron_job("unstated")["spec"]["suspend"], false);
}

/// A removed field has no owner, although the manifest still sets it.
#[test]
fn removed_field_has_no_owner_and_is_restored_by_apply() {
    let ns = namespace!("owned-removed");
    let (name, manager) = ("argo", "argocd-controller");
    let spec = json!({"startingDeadlineSeconds": 300, "suspend": true});
    apply(&ns, name, manager, &spec);
    assert!(owns(&ns, name, manager, "startingDeadlineSeconds"));
    ns.edit(name, &json!({"spec": {"startingDeadlineSeconds": null}}));
    let object = ns.cron_job(name);
    assert!(object["spec"]["startingDeadlineSeconds"].is_null());
    assert!(!owns(&ns, name, manager, "startingDeadlineSeconds"));
    let document = ns.document(["resume", name, "-yq", "--catch-up=run", "--dry-run=client"]);
    let prediction = &document["items"][0]["prediction"];
    // The manifest suspends it.
    assert_eq!(prediction["syncEffect"], "setsBack", "{prediction:#}");
    apply(&ns, name, manager, &spec);
    assert_eq!(ns.cron_job(name)["spec"]["startingDeadlineSeconds"], 300);
}
