//! The `CronJob` itself. Its own fields are judged where the controller's are.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::super::answer::{Cause, Reason};
use super::super::at::At;
use super::super::review::Review;
use super::super::warnings;
use super::{job, metadata};
use crate::controller::Release;
use crate::controller::validation::{FieldError, stages};
use crate::model::{ConcurrencyPolicy, CronJob, CronJobSpec};
use crate::schedule::Zones;

/// Holds a `CronJob` that is to be created against all rules, in the server's order.
pub(in crate::admission) fn check(
    review: &mut Review,
    top: &At<'_>,
    release: Release,
    zones: &dyn Zones,
) {
    let stages = stages(&model(top), release, zones);
    if stages.panics {
        review.causes.push(panic(top));
        return;
    }
    metadata::generate_name(review, &top.field("metadata").field("generateName"));
    note(review, top, stages.name);
    metadata::check(review, &top.field("metadata"));
    note(review, top, stages.spec);
    let spec = top.field("spec");
    let template = spec.field("jobTemplate");
    let job = template.field("spec");
    job::check(review, &job, |review| {
        note(review, top, stages.policy_of_pods);
    });
    note(review, top, stages.policy_of_jobs);
    note(review, top, stages.selector);
    note(review, top, stages.limits);
    note(review, top, stages.long_name);
    if review.causes.is_empty() {
        let place = |path: &str| with(top, path, &|at| at.place());
        if let Some(warning) = stages.name_warning {
            review.warn(place("metadata.name"), warning);
        }
        warnings::check(review, &job);
        if let Some(warning) = stages.schedule_warning {
            review.warn(place("spec.schedule"), warning);
        }
    }
}

/// The fields that the controller's rules look at.
fn model(top: &At<'_>) -> CronJob {
    let (metadata, spec) = (top.field("metadata"), top.field("spec"));
    let generated = metadata.field("generateName");
    let name = match metadata.field("name").text() {
        "" if !generated.text().is_empty() => metadata::generated(generated.text()),
        name => name.to_owned(),
    };
    let policy = spec.field("concurrencyPolicy");
    let limit = |name| {
        let limit = spec.field(name).int();
        limit.and_then(|limit| i32::try_from(limit).ok())
    };
    CronJob {
        name,
        spec: CronJobSpec {
            schedule: spec.field("schedule").text().to_owned(),
            time_zone: spec.field("timeZone").some_text().map(str::to_owned),
            starting_deadline_seconds: spec.field("startingDeadlineSeconds").int(),
            concurrency_policy: policy
                .some_text()
                .map(ConcurrencyPolicy::from)
                .unwrap_or_default(),
            suspend: spec.field("suspend").bool(),
            successful_jobs_history_limit: limit("successfulJobsHistoryLimit"),
            failed_jobs_history_limit: limit("failedJobsHistoryLimit"),
            job_template: Arc::new(template(&spec.field("jobTemplate"))),
        },
        ..CronJob::default()
    }
}

/// Of the template, only what makes a Job one of a `CronJob`.
fn template(at: &At<'_>) -> Value {
    let job = at.field("spec");
    let mut spec = Map::new();
    for name in ["selector", "manualSelector"] {
        let value = job.field(name).there().and_then(|node| node.to_json().ok());
        spec.extend(value.map(|value| (name.to_owned(), value)));
    }
    if job.field("podFailurePolicy").exists() {
        spec.insert("podFailurePolicy".to_owned(), Value::Object(Map::new()));
    }
    let pod_template = job.field("template");
    let pod = pod_template.field("spec");
    if let Some(policy) = pod.field("restartPolicy").some_text() {
        spec.insert(
            "template".to_owned(),
            serde_json::json!({"spec": {"restartPolicy": policy}}),
        );
    }
    serde_json::json!({ "spec": spec })
}

fn note(review: &mut Review, top: &At<'_>, errors: Vec<FieldError>) {
    for error in errors {
        let (reason, place) = with(top, &error.field, &|at| {
            (reason(&error.message), at.place())
        });
        let meant = meant(top, &error);
        review.note(reason, place, error);
        review.suggest(meant);
    }
}

/// The kind of cause, which the message begins with.
fn reason(message: &str) -> Reason {
    match message.split(':').next() {
        Some("Required value") => Reason::Required,
        Some("Unsupported value") => Reason::NotSupported,
        _ => Reason::Invalid,
    }
}

/// What was probably meant by a word that is none of a few.
fn meant(top: &At<'_>, error: &FieldError) -> Option<&'static str> {
    let words: &[&'static str] = match error.field.as_str() {
        "spec.concurrencyPolicy" => &["Allow", "Forbid", "Replace"],
        "spec.jobTemplate.spec.template.spec.restartPolicy" => &["OnFailure", "Never"],
        _ => return None,
    };
    with(top, &error.field, &|at| {
        super::super::meant(at.text(), words.iter().copied())
    })
}

/// Goes to a field by its path.
fn with<T>(at: &At<'_>, path: &str, then: &dyn Fn(&At<'_>) -> T) -> T {
    match path.split_once('.') {
        Some((name, rest)) => with(&at.field(name), rest, then),
        None => then(&at.field(path)),
    }
}

/// The cause where the server does not get beyond the schedule.
fn panic(top: &At<'_>) -> Cause {
    let spec = top.field("spec");
    let schedule = spec.field("schedule");
    Cause {
        field: schedule.path(),
        reason: Reason::Internal,
        message: "the API server panics on this schedule, and the request fails".to_owned(),
        place: schedule.place(),
        suggestion: None,
    }
}
