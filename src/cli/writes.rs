//! What the API servers of newer versions in `--compare` answer differently when a CronJob is written.

use serde_json::{Value, json};

use cronjob_controller::controller::{Controller, Model};
use cronjob_manifest::validation::{WriteChange, validate, write_changes};
use kube_model::CronJob;

/// What changes for writes of a CronJob with each newer version. The Job template is only checked if it is
/// `complete`; lists of a cluster have a few of its fields.
pub(super) fn changes(
    cron_job: &CronJob,
    complete: bool,
    controller: &Controller,
    compared: &[Controller],
) -> Vec<WriteChange> {
    let is_newer = |other: &&Controller| other.release.minor() > controller.release.minor();
    if controller.model == Model::Kubebuilder || !compared.iter().any(|other| is_newer(&other)) {
        return Vec::new();
    }
    let parsed = located_yaml::parse(&manifest(cron_job, complete).to_string());
    let Some(manifest) = parsed.documents.first() else {
        return Vec::new();
    };
    let changes = compared.iter().filter(is_newer).flat_map(|other| {
        let (old, new) = (controller.release, other.release);
        write_changes(&manifest.root, old, new, &*controller.zones)
    });
    changes.collect()
}

/// Whether the API server would reject a manifest, as far as it was read.
pub(super) fn is_rejected(cron_job: &CronJob, controller: &Controller) -> bool {
    if controller.model == Model::Kubebuilder || !cron_job.not_in_cluster {
        return false;
    }
    let parsed = located_yaml::parse(&manifest(cron_job, true).to_string());
    let manifest = parsed.documents.first();
    manifest.is_some_and(|manifest| {
        !validate(&manifest.root, &[], controller.release, &*controller.zones).accepts()
    })
}

/// The manifest, as far as versions differ about it.
fn manifest(cron_job: &CronJob, complete: bool) -> Value {
    let template = if complete {
        (*cron_job.spec.job_template).clone()
    } else {
        let container = json!({"name": "any", "image": "any"});
        let pod = json!({"restartPolicy": "Never", "containers": [container]});
        json!({"spec": {"template": {"spec": pod}}})
    };
    let mut spec = json!({"schedule": cron_job.spec.schedule, "jobTemplate": template});
    if let (Some(zone), Some(spec)) = (&cron_job.spec.time_zone, spec.as_object_mut()) {
        spec.insert("timeZone".to_owned(), zone.as_str().into());
    }
    json!({
        "apiVersion": cron_job.api_version,
        "kind": "CronJob",
        "metadata": {"name": cron_job.name, "namespace": cron_job.namespace},
        "spec": spec,
    })
}
