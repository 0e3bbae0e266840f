//! A few of the things that a server does not take.

use serde_json::Value;

use super::super::resources::Resource;
use super::super::status::Status;

type Cause = (&'static str, String, &'static str);

/// Complains as the API server does.
pub(super) fn check(resource: &Resource, name: &str, object: &Value) -> Result<(), Status> {
    let causes = match resource.full_name().as_str() {
        "cronjobs.batch" => cron_job(&object["spec"]),
        _ => Vec::new(),
    };
    if causes.is_empty() {
        Ok(())
    } else {
        Err(Status::invalid(resource, name, &causes))
    }
}

fn cron_job(spec: &Value) -> Vec<Cause> {
    let mut causes = Vec::new();
    let schedule = spec["schedule"].as_str().unwrap_or_default();
    if schedule.is_empty() {
        causes.push((
            "FieldValueRequired",
            "Required value".to_owned(),
            "spec.schedule",
        ));
    } else if let Some(complaint) = unparseable(schedule) {
        causes.push((
            "FieldValueInvalid",
            format!("Invalid value: {schedule:?}: {complaint}"),
            "spec.schedule",
        ));
    }
    negative(
        spec,
        "startingDeadlineSeconds",
        "spec.startingDeadlineSeconds",
        &mut causes,
    );
    let policy = spec["concurrencyPolicy"].as_str().unwrap_or_default();
    if !matches!(policy, "Allow" | "Forbid" | "Replace") {
        causes.push((
            "FieldValueNotSupported",
            format!(
                "Unsupported value: {policy:?}: supported values: \"Allow\", \"Forbid\", \"Replace\""
            ),
            "spec.concurrencyPolicy",
        ));
    }
    negative(
        spec,
        "successfulJobsHistoryLimit",
        "spec.successfulJobsHistoryLimit",
        &mut causes,
    );
    negative(
        spec,
        "failedJobsHistoryLimit",
        "spec.failedJobsHistoryLimit",
        &mut causes,
    );
    causes
}

fn negative(spec: &Value, field: &str, path: &'static str, causes: &mut Vec<Cause>) {
    if let Some(number) = spec[field].as_i64().filter(|number| *number < 0) {
        causes.push((
            "FieldValueInvalid",
            format!("Invalid value: {number}: must be greater than or equal to 0"),
            path,
        ));
    }
}

/// Only what is wrong at first sight: the number of fields.
fn unparseable(schedule: &str) -> Option<String> {
    let fields: Vec<&str> = schedule.split_whitespace().collect();
    let is_word = schedule.starts_with('@') || schedule.contains("TZ=");
    (!is_word && fields.len() != 5).then(|| {
        let (found, listed) = (fields.len(), fields.join(" "));
        format!("expected exactly 5 fields, found {found}: [{listed}]")
    })
}
