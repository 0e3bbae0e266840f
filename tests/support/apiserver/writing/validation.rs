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
    negative(
        spec,
        "startingDeadlineSeconds",
        "spec.startingDeadlineSeconds",
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
