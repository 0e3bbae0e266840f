//! What a server fills in.

use serde_json::{Value, json};

use super::super::resources::Resource;

/// The defaults of a resource.
pub(super) fn apply(resource: &Resource, object: &mut Value) {
    match resource.full_name().as_str() {
        "cronjobs.batch" => {
            let spec = &mut object["spec"];
            for (name, value) in [
                ("concurrencyPolicy", json!("Allow")),
                ("suspend", json!(false)),
                ("successfulJobsHistoryLimit", json!(3)),
                ("failedJobsHistoryLimit", json!(1)),
            ] {
                set(spec, name, value);
            }
            set(&mut spec["jobTemplate"], "metadata", json!({}));
            pod_template(&mut spec["jobTemplate"]["spec"]["template"]);
        }
        "jobs.batch" => job(object),
        "pods" => pod_spec(&mut object["spec"]),
        _ => {}
    }
}

/// The selector of a Job, which is made of its uid.
pub(super) fn select_pods(resource: &Resource, object: &mut Value) {
    if resource.full_name() != "jobs.batch" || object["spec"]["manualSelector"] == true {
        return;
    }
    let uid = object["metadata"]["uid"].clone();
    let name = object["metadata"]["name"].clone();
    let metadata = &mut object["spec"]["template"]["metadata"];
    set(metadata, "labels", json!({}));
    let labels = &mut metadata["labels"];
    set(labels, "batch.kubernetes.io/controller-uid", uid.clone());
    set(labels, "batch.kubernetes.io/job-name", name.clone());
    set(labels, "controller-uid", uid.clone());
    set(labels, "job-name", name);
    labels.sort_all_objects();
    set(&mut object["spec"], "selector", json!({"matchLabels": {}}));
    let selected = &mut object["spec"]["selector"]["matchLabels"];
    set(selected, "batch.kubernetes.io/controller-uid", uid);
}

fn job(object: &mut Value) {
    let labels = object["spec"]["template"]["metadata"]["labels"].clone();
    let has_labels = object["metadata"]["labels"]
        .as_object()
        .is_some_and(|labels| !labels.is_empty());
    if labels.is_object() && !has_labels {
        object["metadata"]["labels"] = labels;
    }
    let spec = &mut object["spec"];
    if spec["parallelism"].is_null() {
        set(spec, "completions", json!(1));
    }
    for (name, value) in [
        ("parallelism", json!(1)),
        ("backoffLimit", json!(6)),
        ("completionMode", json!("NonIndexed")),
        ("suspend", json!(false)),
        ("podReplacementPolicy", json!("TerminatingOrFailed")),
        ("manualSelector", json!(false)),
    ] {
        set(spec, name, value);
    }
    pod_template(&mut spec["template"]);
}

fn pod_template(template: &mut Value) {
    if template.is_object() {
        set(template, "metadata", json!({}));
        pod_spec(&mut template["spec"]);
    }
}

fn pod_spec(spec: &mut Value) {
    if !spec.is_object() {
        return;
    }
    for (name, value) in [
        ("restartPolicy", json!("Always")),
        ("terminationGracePeriodSeconds", json!(30)),
        ("dnsPolicy", json!("ClusterFirst")),
        ("securityContext", json!({})),
        ("schedulerName", json!("default-scheduler")),
    ] {
        set(spec, name, value);
    }
    for container in spec["containers"].as_array_mut().into_iter().flatten() {
        let image = container["image"].as_str().unwrap_or_default();
        let newest = image.ends_with(":latest") || !image.contains(':');
        let policy = if newest { "Always" } else { "IfNotPresent" };
        for (name, value) in [
            ("resources", json!({})),
            ("terminationMessagePath", json!("/dev/termination-log")),
            ("terminationMessagePolicy", json!("File")),
            ("imagePullPolicy", json!(policy)),
        ] {
            set(container, name, value);
        }
    }
}

fn set(object: &mut Value, name: &str, value: Value) {
    if object.is_null() {
        *object = json!({});
    }
    if object[name].is_null() {
        object[name] = value;
    }
}
