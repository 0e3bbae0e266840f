//! A Job from the template of a CronJob, as kubectl creates one, and its name.

use kube_model::{BACKFILLED, SCHEDULED_TIME_ANNOTATION};
use serde_json::{Map, Value, json};

/// What distinguishes Jobs of the same template.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JobFromTemplate<'a> {
    pub name: &'a str,
    /// Annotations that the template may override.
    pub annotations: &'a [(&'a str, &'a str)],
    /// Annotations that override those of the template.
    pub decisive_annotations: &'a [(&'a str, &'a str)],
}

/// The annotation of `kubectl create job --from`.
const MANUAL: (&str, &str) = ("cronjob.kubernetes.io/instantiate", "manual");

impl<'a> JobFromTemplate<'a> {
    /// A manually created Job, with the annotation of `kubectl create job --from`.
    pub fn manual(name: &'a str) -> Self {
        JobFromTemplate {
            name,
            annotations: &[MANUAL],
            decisive_annotations: &[],
        }
    }
}

/// Why a Job cannot be made of a template.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TemplateError {
    /// A field is missing, or has another type.
    #[error("the CronJob has no {0}")]
    Lacks(&'static str),
}

/// Builds a Job from a CronJob as the API server returned it. The spec of its template passes
/// through untouched, with fields that are newer than this program.
pub fn create_job(cron_job: &Value, from: &JobFromTemplate<'_>) -> Result<Value, TemplateError> {
    let template = cron_job
        .pointer("/spec/jobTemplate")
        .ok_or(TemplateError::Lacks("spec.jobTemplate"))?;
    let spec = template
        .get("spec")
        .filter(|spec| spec.is_object())
        .ok_or(TemplateError::Lacks("spec.jobTemplate.spec"))?;
    let text = |pointer: &str, field| {
        let text = cron_job.pointer(pointer).and_then(Value::as_str);
        text.ok_or(TemplateError::Lacks(field))
    };
    let mut metadata = Map::new();
    metadata.insert("name".to_owned(), json!(from.name));
    if let Some(namespace) = cron_job.pointer("/metadata/namespace") {
        metadata.insert("namespace".to_owned(), namespace.clone());
    }
    if let Some(labels) = texts(template, "labels") {
        metadata.insert("labels".to_owned(), Value::Object(labels.clone()));
    }
    let annotations = annotations(template, from);
    if !annotations.is_empty() {
        metadata.insert("annotations".to_owned(), Value::Object(annotations));
    }
    // With `controller: true`, since the CronJob controller ignores the Job otherwise. Without
    // blockOwnerDeletion, which needs the right to update finalizers of CronJobs.
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

/// What the API server and the controllers add to a Job and to its pods.
const GENERATED_LABELS: [&str; 4] = [
    "batch.kubernetes.io/controller-uid",
    "batch.kubernetes.io/job-name",
    "controller-uid",
    "job-name",
];

/// Annotations that are about one Job, and not about what it runs.
const OWN_ANNOTATIONS: [&str; 4] = [
    BACKFILLED,
    "batch.kubernetes.io/cronjob-scheduled-timestamp",
    "batch.kubernetes.io/job-tracking",
    "kubectl.kubernetes.io/last-applied-configuration",
];

/// The annotation with the Job that a Job retries.
const RETRY_OF: &str = "cronjob-doctor/retry-of";

/// Builds a Job with the labels, annotations and spec of an earlier Job of the CronJob, both as the API server
/// returned them.
pub(super) fn repeat_job(
    cron_job: &Value,
    job: &Value,
    name: &str,
) -> Result<Value, TemplateError> {
    let mut template = json!({
        "metadata": job.get("metadata").cloned().unwrap_or_default(),
        "spec": job.get("spec").cloned().unwrap_or_default(),
    });
    remove_keys(&mut template, "/metadata/labels", &GENERATED_LABELS);
    remove_keys(&mut template, "/metadata/annotations", &OWN_ANNOTATIONS);
    let is_manual = template.pointer("/spec/manualSelector") == Some(&Value::Bool(true));
    if !is_manual {
        remove_keys(&mut template, "/spec", &["selector"]);
        let labels = "/spec/template/metadata/labels";
        remove_keys(&mut template, labels, &GENERATED_LABELS);
    }
    let retried = job.pointer("/metadata/name").and_then(Value::as_str);
    let from = JobFromTemplate {
        decisive_annotations: &[MANUAL, (RETRY_OF, retried.unwrap_or_default())],
        name,
        annotations: &[],
    };
    let mut of_job = json!({
        "apiVersion": cron_job.get("apiVersion"),
        "metadata": cron_job.get("metadata"),
    });
    if let Some(fields) = of_job.as_object_mut() {
        fields.insert("spec".to_owned(), json!({ "jobTemplate": template }));
    }
    create_job(&of_job, &from)
}

fn remove_keys(object: &mut Value, pointer: &str, keys: &[&str]) {
    let fields = object.pointer_mut(pointer).and_then(Value::as_object_mut);
    if let Some(fields) = fields {
        fields.retain(|key, _| !keys.contains(&key.as_str()));
    }
}

/// Has a Job deleted after it has finished.
pub(super) fn set_ttl(job: &mut Value, seconds: i32) {
    if let Some(spec) = job.pointer_mut("/spec").and_then(Value::as_object_mut) {
        spec.insert("ttlSecondsAfterFinished".to_owned(), json!(seconds));
    }
}

/// Whether a Job starts no pods until it is resumed.
pub(super) fn is_suspended(job: &Value) -> bool {
    job.pointer("/spec/suspend") == Some(&Value::Bool(true))
}

/// What a stored Job has instead of what was sent, as far as it decides whose run it is and whether it runs; `None` if
/// all that was stored. Kueue suspends the Jobs of its queues, and resumes them.
pub fn stored_instead(sent: &Value, stored: &Value) -> Option<String> {
    let is_queued = stored.pointer("/metadata/labels/kueue.x-k8s.io~1queue-name");
    let annotation = |name: &str| format!("/metadata/annotations/{}", name.replace('/', "~1"));
    let places = [
        ("kind", "/kind".to_owned()),
        ("metadata.name", "/metadata/name".to_owned()),
        ("metadata.namespace", "/metadata/namespace".to_owned()),
        (
            "the owner's uid",
            "/metadata/ownerReferences/0/uid".to_owned(),
        ),
        (BACKFILLED, annotation(BACKFILLED)),
        (
            SCHEDULED_TIME_ANNOTATION,
            annotation(SCHEDULED_TIME_ANNOTATION),
        ),
    ];
    let differences = places.iter().filter_map(|(name, pointer)| {
        let wanted = sent.pointer(pointer)?;
        let found = stored.pointer(pointer).and_then(Value::as_str);
        let shown = found.unwrap_or("unset");
        (found != wanted.as_str()).then(|| {
            format!(
                "{name} {shown} instead of {}",
                wanted.as_str().unwrap_or_default()
            )
        })
    });
    let suspended = is_queued.is_none() && is_suspended(stored) && !is_suspended(sent);
    let suspended = suspended.then(|| "spec.suspend true instead of false".to_owned());
    let differences: Vec<String> = differences.chain(suspended).collect();
    (!differences.is_empty()).then(|| differences.join(", "))
}

fn annotations(template: &Value, from: &JobFromTemplate<'_>) -> Map<String, Value> {
    let own = |pairs: &[(&str, &str)]| -> Vec<(String, Value)> {
        let pairs = pairs.iter();
        pairs
            .map(|(name, text)| ((*name).to_owned(), json!(text)))
            .collect()
    };
    let mut all = Map::new();
    all.extend(own(from.annotations));
    let of_template = texts(template, "annotations").cloned();
    all.extend(of_template.unwrap_or_default());
    all.extend(own(from.decisive_annotations));
    all
}

/// The labels or annotations of a template, if there are any.
fn texts<'t>(template: &'t Value, which: &str) -> Option<&'t Map<String, Value>> {
    let texts = template.get("metadata")?.get(which)?.as_object()?;
    (!texts.is_empty()).then_some(texts)
}

/// The characters of random names in Kubernetes: without vowels and without similar characters.
const ALPHABET: &[u8; 27] = b"bcdfghjklmnpqrstvwxz2456789";

const RANDOM: usize = 5;

/// A Job name may have 63 characters, but the names of its pods begin with at most this many of them.
const LONGEST: usize = 57;

const MIDDLE: &str = "-manual-";

const RETRY: &str = "-retry-";

/// Five characters from a random number.
pub fn suffix(mut random: u64) -> String {
    let letters = (0..RANDOM).filter_map(|_| {
        let base = ALPHABET.len() as u64;
        let index = usize::try_from(random % base).ok()?;
        random /= base;
        ALPHABET.get(index).copied().map(char::from)
    });
    letters.collect()
}

/// The name of a manually created Job: that of the CronJob, shortened if necessary, and a random suffix.
pub(super) fn manual_name(cron_job: &str, suffix: &str) -> String {
    job_name(cron_job, MIDDLE, suffix)
}

/// The name of a Job that retries another one. That of a retry of a retry is not longer.
pub(super) fn retry_name(job: &str, suffix: &str) -> String {
    let first = job.rsplit_once(RETRY).filter(|(_, random)| {
        let mut random = random.bytes();
        random.len() == RANDOM && random.all(|letter| ALPHABET.contains(&letter))
    });
    job_name(first.map_or(job, |(first, _)| first), RETRY, suffix)
}

fn job_name(front: &str, middle: &str, suffix: &str) -> String {
    let prefix_limit = LONGEST.saturating_sub(middle.len() + suffix.len());
    let cut = front
        .char_indices()
        .map(|(at, letter)| at + letter.len_utf8());
    let end = cut
        .take_while(|end| *end <= prefix_limit)
        .last()
        .unwrap_or(0);
    // A part of a name ends neither with a dash nor with a dot.
    let front = front.get(..end).unwrap_or_default();
    let front = front.trim_end_matches(['-', '.']);
    format!("{front}{middle}{suffix}")
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
    fn manual_selector_is_kept() {
        let job = json!({
            "metadata": {"name": "nightly-1"},
            "spec": {
                "manualSelector": true,
                "selector": {"matchLabels": {"job-name": "a"}},
                "template": {"metadata": {"labels": {"job-name": "a"}}},
            },
        });
        let again = repeat_job(&cron_job(), &job, "again").unwrap();
        assert_eq!(again["spec"], job["spec"]);
    }

    #[test]
    fn retry_of_a_retry_has_no_longer_name() {
        let name = retry_name("nightly-29394840", "x7k2p");
        assert_eq!(name, "nightly-29394840-retry-x7k2p");
        assert_eq!(retry_name(&name, "dbcbb"), "nightly-29394840-retry-dbcbb");
        // Somebody else's name.
        let other = retry_name("nightly-retry-again", "x7k2p");
        assert_eq!(other, "nightly-retry-again-retry-x7k2p");
        let long = retry_name(&"a".repeat(63), "x7k2p");
        assert_eq!(long, format!("{}-retry-x7k2p", "a".repeat(45)));
    }

    #[test]
    fn decisive_annotations_override_those_of_the_template() {
        let mut cron_job = cron_job();
        cron_job["spec"]["jobTemplate"]["metadata"]["annotations"] =
            json!({"first": "template", "last": "template"});
        let from = JobFromTemplate {
            name: "again",
            annotations: &[("first", "ours"), ("other", "ours")],
            decisive_annotations: &[("last", "ours")],
        };
        let job = create_job(&cron_job, &from).unwrap();
        let expected = json!({"first": "template", "other": "ours", "last": "ours"});
        assert_eq!(job["metadata"]["annotations"], expected);
    }

    #[test]
    fn template_without_metadata_gives_a_job_without_labels() {
        let mut cron_job = cron_job();
        cron_job["spec"]["jobTemplate"] =
            json!({"metadata": {"labels": {}, "annotations": null}, "spec": {}});
        let from = JobFromTemplate {
            name: "again",
            ..JobFromTemplate::default()
        };
        let job = create_job(&cron_job, &from).unwrap();
        let metadata = job["metadata"].as_object().unwrap();
        let fields: Vec<&String> = metadata.keys().collect();
        assert_eq!(fields, ["name", "namespace", "ownerReferences"]);
        assert!(!is_suspended(&job));
        assert!(is_suspended(&json!({"spec": {"suspend": true}})));
    }

    #[test]
    fn cronjob_without_a_required_field_gives_no_job() {
        let cases = [
            ("/spec/jobTemplate/spec", "spec.jobTemplate.spec"),
            ("/metadata/uid", "metadata.uid"),
            ("/metadata/name", "metadata.name"),
            ("/apiVersion", "apiVersion"),
        ];
        for (pointer, field) in cases {
            let mut cron_job = cron_job();
            *cron_job.pointer_mut(pointer).unwrap() = Value::Null;
            let made = create_job(&cron_job, &JobFromTemplate::manual("again"));
            assert_eq!(made, Err(TemplateError::Lacks(field)));
        }
        let nothing = create_job(&json!({}), &JobFromTemplate::manual("again")).unwrap_err();
        assert_eq!(nothing.to_string(), "the CronJob has no spec.jobTemplate");
    }

    #[test]
    fn random_suffixes_of_job_names_are_unique() {
        let mut all: Vec<String> = (0..1000).map(suffix).collect();
        all.sort();
        all.dedup();
        assert_eq!(all.len(), 1000);
        assert_eq!(suffix(27 * 27 + 2), "dbcbb");
    }

    #[test]
    fn long_cronjob_names_are_cut_in_manual_job_names() {
        let fits = "a".repeat(44);
        assert_eq!(manual_name(&fits, "x7k2p"), format!("{fits}-manual-x7k2p"));
        let longest = "a".repeat(52);
        let name = manual_name(&longest, "x7k2p");
        assert_eq!((name.len(), name), (57, format!("{fits}-manual-x7k2p")));
    }

    #[test]
    fn cut_job_names_do_not_end_a_part_with_a_dash() {
        let dotted = format!("{}.-{}", "a".repeat(42), "b".repeat(8));
        let expected = format!("{}-manual-x7k2p", "a".repeat(42));
        assert_eq!(manual_name(&dotted, "x7k2p"), expected);
    }
}
