//! A Job of a CronJob's template, as kubectl makes one.

use serde_json::{Map, Value, json};

/// What tells one Job of a template from another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Making<'a> {
    /// The name of the Job.
    pub name: &'a str,
    /// Annotations for which the template's own come first.
    pub annotations: &'a [(&'a str, &'a str)],
    /// Annotations that come before the template's own.
    pub decisive_annotations: &'a [(&'a str, &'a str)],
}

impl<'a> Making<'a> {
    /// A Job that somebody starts by hand: what `kubectl create job --from` notes on it.
    pub fn by_hand(name: &'a str) -> Self {
        Making {
            name,
            annotations: &[("cronjob.kubernetes.io/instantiate", "manual")],
            decisive_annotations: &[],
        }
    }
}

/// Why no Job can be made of a CronJob.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unmakeable {
    /// A field is missing, or is something else than it should be.
    #[error("the CronJob has no {0}")]
    Lacks(&'static str),
}

/// Makes a Job of a CronJob, given as the API server gave it. The spec of its template passes
/// through untouched, with fields that are newer than this program.
///
/// ```
/// use cronjob_doctor::change::{Making, make};
/// use serde_json::json;
///
/// let cron_job = json!({
///     "apiVersion": "batch/v1",
///     "metadata": {"name": "nightly", "namespace": "shop", "uid": "1234"},
///     "spec": {"jobTemplate": {"spec": {"brandNew": true}}},
/// });
/// let job = make(&cron_job, &Making::by_hand("nightly-again"))?;
/// assert_eq!(job["spec"], json!({"brandNew": true}));
/// assert_eq!(job["metadata"]["ownerReferences"][0]["uid"], "1234");
/// # Ok::<(), cronjob_doctor::change::Unmakeable>(())
/// ```
pub fn make(cron_job: &Value, making: &Making<'_>) -> Result<Value, Unmakeable> {
    let template = cron_job
        .pointer("/spec/jobTemplate")
        .ok_or(Unmakeable::Lacks("spec.jobTemplate"))?;
    let spec = template
        .get("spec")
        .filter(|spec| spec.is_object())
        .ok_or(Unmakeable::Lacks("spec.jobTemplate.spec"))?;
    let text = |pointer: &str, field| {
        let text = cron_job.pointer(pointer).and_then(Value::as_str);
        text.ok_or(Unmakeable::Lacks(field))
    };
    let mut metadata = Map::new();
    metadata.insert("name".to_owned(), json!(making.name));
    if let Some(namespace) = cron_job.pointer("/metadata/namespace") {
        metadata.insert("namespace".to_owned(), namespace.clone());
    }
    if let Some(labels) = texts(template, "labels") {
        metadata.insert("labels".to_owned(), Value::Object(labels.clone()));
    }
    let annotations = annotations(template, making);
    if !annotations.is_empty() {
        metadata.insert("annotations".to_owned(), Value::Object(annotations));
    }
    // As the owner that controls it, since otherwise the controller would not see it. Without
    // blockOwnerDeletion, which would take the right to change finalizers of CronJobs.
    let owner = json!({
        "apiVersion": text("/apiVersion", "apiVersion")?,
        "kind": "CronJob",
        "name": text("/metadata/name", "metadata.name")?,
        "uid": text("/metadata/uid", "metadata.uid")?,
        "controller": true,
    });
    metadata.insert("ownerReferences".to_owned(), json!([owner]));
    Ok(json!({
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": metadata,
        "spec": spec,
    }))
}

/// Whether a Job starts no pods until somebody resumes it.
pub fn is_suspended(job: &Value) -> bool {
    job.pointer("/spec/suspend") == Some(&Value::Bool(true))
}

fn annotations(template: &Value, making: &Making<'_>) -> Map<String, Value> {
    let own = |pairs: &[(&str, &str)]| -> Vec<(String, Value)> {
        let pairs = pairs.iter();
        pairs
            .map(|(name, text)| ((*name).to_owned(), json!(text)))
            .collect()
    };
    let mut all = Map::new();
    all.extend(own(making.annotations));
    let of_template = texts(template, "annotations").cloned();
    all.extend(of_template.unwrap_or_default());
    all.extend(own(making.decisive_annotations));
    all
}

/// The labels or annotations of a template, if there are any.
fn texts<'t>(template: &'t Value, which: &str) -> Option<&'t Map<String, Value>> {
    let texts = template.get("metadata")?.get(which)?.as_object()?;
    (!texts.is_empty()).then_some(texts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cron_job() -> Value {
        json!({
            "apiVersion": "batch/v1",
            "kind": "CronJob",
            "metadata": {
                "name": "nightly",
                "namespace": "shop",
                "uid": "1234",
                "labels": {"of": "the CronJob"},
                "annotations": {"of": "the CronJob"},
            },
            "spec": {
                "schedule": "0 2 * * *",
                "jobTemplate": {
                    "metadata": {
                        "creationTimestamp": null,
                        "labels": {"app": "nightly"},
                        "annotations": {"team": "data"},
                    },
                    "spec": {
                        "brandNew": {"z": 1, "a": [null]},
                        "template": {"spec": {"containers": []}},
                    },
                },
            },
        })
    }

    #[test]
    fn by_hand() {
        let job = make(&cron_job(), &Making::by_hand("again")).unwrap();
        let expected = json!({
            "apiVersion": "batch/v1",
            "kind": "Job",
            "metadata": {
                "name": "again",
                "namespace": "shop",
                "labels": {"app": "nightly"},
                "annotations": {
                    "cronjob.kubernetes.io/instantiate": "manual",
                    "team": "data",
                },
                "ownerReferences": [{
                    "apiVersion": "batch/v1",
                    "kind": "CronJob",
                    "name": "nightly",
                    "uid": "1234",
                    "controller": true,
                }],
            },
            "spec": {
                "brandNew": {"z": 1, "a": [null]},
                "template": {"spec": {"containers": []}},
            },
        });
        assert_eq!(job, expected);
        // The order of unknown fields is kept, too.
        assert_eq!(
            job["spec"].to_string(),
            r#"{"brandNew":{"z":1,"a":[null]},"template":{"spec":{"containers":[]}}}"#
        );
    }

    #[test]
    fn whose_annotation_counts() {
        let mut cron_job = cron_job();
        cron_job["spec"]["jobTemplate"]["metadata"]["annotations"] =
            json!({"first": "template", "last": "template"});
        let making = Making {
            name: "again",
            annotations: &[("first", "ours"), ("other", "ours")],
            decisive_annotations: &[("last", "ours")],
        };
        let job = make(&cron_job, &making).unwrap();
        assert_eq!(
            job["metadata"]["annotations"],
            json!({"first": "template", "other": "ours", "last": "ours"})
        );
    }

    #[test]
    fn a_bare_template() {
        let mut cron_job = cron_job();
        cron_job["spec"]["jobTemplate"] =
            json!({"metadata": {"labels": {}, "annotations": null}, "spec": {}});
        let making = Making {
            name: "again",
            ..Making::default()
        };
        let job = make(&cron_job, &making).unwrap();
        let metadata = job["metadata"].as_object().unwrap();
        let fields: Vec<&String> = metadata.keys().collect();
        assert_eq!(fields, ["name", "namespace", "ownerReferences"]);
        assert!(!is_suspended(&job));
        assert!(is_suspended(&json!({"spec": {"suspend": true}})));
    }

    #[test]
    fn what_no_job_can_be_made_of() {
        let cases = [
            ("/spec/jobTemplate/spec", "spec.jobTemplate.spec"),
            ("/metadata/uid", "metadata.uid"),
            ("/metadata/name", "metadata.name"),
            ("/apiVersion", "apiVersion"),
        ];
        for (pointer, field) in cases {
            let mut cron_job = cron_job();
            *cron_job.pointer_mut(pointer).unwrap() = Value::Null;
            let made = make(&cron_job, &Making::by_hand("again"));
            assert_eq!(made, Err(Unmakeable::Lacks(field)));
        }
        let nothing = make(&json!({}), &Making::by_hand("again")).unwrap_err();
        assert_eq!(nothing.to_string(), "the CronJob has no spec.jobTemplate");
    }
}
