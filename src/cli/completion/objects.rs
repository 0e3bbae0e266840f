//! Candidates from the fields of objects.

use std::sync::Arc;

use serde_json::Value;

use crate::cli::world::read_clock;
use cronjob_controller::controller::Controller;
use cronjob_diagnosis::diagnose::Facts;
use cronjob_diagnosis::history::{HistoryWindow, history};
use cronjob_diagnosis::kubectl::PLAIN;
use kube_model::{Coverage, CronJobEvidence, JobResult};
use kube_objects::snapshot::{Options, cron_job_of};

/// More scheduled times would fill the screen.
const FEW: usize = 20;

/// The name of a CronJob that is suspended, or is not.
pub(super) fn if_suspended(cron_job: &Value, wanted: bool) -> Vec<String> {
    let suspend = cron_job.pointer("/spec/suspend") == Some(&Value::Bool(true));
    let name = name(cron_job).filter(|_| suspend == wanted);
    name.into_iter().collect()
}

/// The name of a Job of a CronJob that has finished.
pub(super) fn finished_job(job: &Value) -> Vec<String> {
    let is_owned = array(job, "/metadata/ownerReferences")
        .iter()
        .any(|owner| text(owner, "kind") == Some("CronJob"));
    let has_ended = array(job, "/status/conditions").iter().any(|condition| {
        let kind = text(condition, "type").and_then(JobResult::of_condition);
        kind.is_some() && text(condition, "status") == Some("True")
    });
    let name = name(job).filter(|_| is_owned && has_ended);
    name.into_iter().collect()
}

/// The containers of the pod template of a CronJob or Job, without init containers.
pub(super) fn containers(object: &Value) -> Vec<String> {
    let containers = array(pod_spec(object), "/containers").iter();
    containers
        .filter_map(|container| Some(text(container, "name")?.to_owned()))
        .collect()
}

/// `NAME=` of the environment variables of the containers.
pub(super) fn variables(object: &Value) -> Vec<String> {
    let containers = array(pod_spec(object), "/containers").iter();
    let variables = containers.flat_map(|container| array(container, "/env"));
    variables
        .filter_map(|variable| Some(format!("{}=", text(variable, "name")?)))
        .collect()
}

/// The last scheduled times of a CronJob, newest first.
pub(super) fn past_runs(cron_job: &Value) -> Vec<String> {
    let server = Arc::from("the server");
    let Ok(cron_job) = cron_job_of(&with_type(cron_job), server, &Options::default()) else {
        return Vec::new();
    };
    let evidence = CronJobEvidence {
        cron_job,
        ..CronJobEvidence::default()
    };
    let now = read_clock();
    let controller = Controller::assumed();
    let coverage = Coverage::none(now);
    let facts = Facts::of(&controller, &PLAIN, &evidence, coverage, now);
    let past = history(&facts, &HistoryWindow::default());
    let times = past.runs.iter().rev().take(FEW);
    times.map(|(time, _)| time.to_string()).collect()
}

/// An item of a list has neither `apiVersion` nor `kind`.
fn with_type(cron_job: &Value) -> Value {
    let mut object = cron_job.clone();
    if let Some(fields) = object.as_object_mut() {
        let typed = [("apiVersion", "batch/v1"), ("kind", "CronJob")];
        for (field, value) in typed {
            fields.entry(field).or_insert_with(|| Value::from(value));
        }
    }
    object
}

fn pod_spec(object: &Value) -> &Value {
    let of_cron_job = object.pointer("/spec/jobTemplate/spec/template/spec");
    let of_job = object.pointer("/spec/template/spec");
    of_cron_job.or(of_job).unwrap_or(&Value::Null)
}

fn name(object: &Value) -> Option<String> {
    let name = object.pointer("/metadata/name")?.as_str()?;
    Some(name.to_owned())
}

fn text<'v>(object: &'v Value, field: &str) -> Option<&'v str> {
    object.get(field)?.as_str()
}

fn array<'v>(object: &'v Value, pointer: &str) -> &'v [Value] {
    let array = object.pointer(pointer).and_then(Value::as_array);
    array.map_or(&[], Vec::as_slice)
}
