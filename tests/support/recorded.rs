//! The objects of a recorded case, read as a snapshot reads them.

use std::sync::Arc;

use cronjob_controller::controller::{Controller, Model, Release};
use kube_cron::{BundledZones, Zone};
use kube_model::{CronJob, Job};
use kube_objects::snapshot::{Evidence, Options, SourceText};
use serde_json::{Value, json};

use super::json::list;

/// The controller of a release, with the time zone UTC.
pub(crate) fn controller(version: &str) -> Controller {
    Controller {
        model: Model::Kubernetes,
        release: version.parse::<Release>().unwrap(),
        local: Zone::utc(),
        zones: Arc::new(BundledZones),
        display: None,
    }
}

/// Reads objects as a snapshot does.
pub(crate) fn evidence(cron_job: &Value, jobs: &Value) -> (CronJob, Vec<Job>) {
    let mut items = vec![typed(cron_job, "CronJob")];
    let jobs = jobs.as_array().into_iter().flatten();
    items.extend(jobs.map(|job| typed(job, "Job")));
    let source = SourceText::new("vector".into(), list(&items).into_bytes()).unwrap();
    let mut evidence = Evidence::default();
    let errors = evidence.add(&source, &Options::default());
    assert!(errors.is_empty(), "{errors:?}");
    (evidence.cron_jobs.remove(0).object, evidence.jobs)
}

/// The cases of a file of vectors, each with the number of its line.
pub(crate) fn cases(text: &str) -> impl Iterator<Item = (usize, Value)> {
    let lines = text.lines().enumerate();
    lines.map(|(index, line)| (index + 1, serde_json::from_str(line).unwrap()))
}

fn typed(object: &Value, kind: &str) -> Value {
    let mut object = object.clone();
    object["apiVersion"] = json!("batch/v1");
    object["kind"] = json!(kind);
    object
}
