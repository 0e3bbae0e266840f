//! Decodes `CronJob`s, which have the same fields in all API versions.

use std::sync::Arc;

use super::super::error::FieldError;
use super::super::field::ApiObject;
use super::meta;
use crate::model::{
    ConcurrencyPolicy, CronJob, CronJobSpec, CronJobStatus, LAST_APPLIED, LastApplied,
};

pub(super) fn read(
    object: &ApiObject<'_>,
    api_version: &str,
    namespace: &str,
) -> Result<CronJob, FieldError> {
    let meta = meta::read(object, namespace)?;
    let stored = object.object("metadata", |metadata| {
        Ok((
            metadata.string_or_empty("resourceVersion")?,
            metadata.int64("generation")?,
            metadata.list("managedFields", meta::managed_field)?,
        ))
    })?;
    let (resource_version, generation, managed_fields) = stored.unwrap_or_default();
    let spec = object
        .object("spec", spec)?
        .ok_or_else(|| object.missing("spec", "an object with a schedule"))?;
    let annotation = meta.annotations.get(LAST_APPLIED);
    let (last_applied, applied) = LastApplied::read(annotation, &spec);
    Ok(CronJob {
        api_version: api_version.to_owned(),
        namespace: meta.namespace,
        name: meta.name,
        uid: meta.uid,
        resource_version,
        generation,
        creation_timestamp: meta.creation_timestamp,
        not_in_cluster: false,
        deletion_timestamp: meta.deletion_timestamp,
        labels: meta.labels,
        managed_fields,
        last_applied,
        applied,
        annotations: meta.annotations,
        spec,
        status: object.object("status", status)?.unwrap_or_default(),
    })
}

fn spec(spec: &ApiObject<'_>) -> Result<CronJobSpec, FieldError> {
    Ok(CronJobSpec {
        schedule: spec
            .rendered("schedule")?
            .ok_or_else(|| spec.missing("schedule", "a cron expression"))?
            .to_owned(),
        time_zone: spec.rendered("timeZone")?.map(str::to_owned),
        starting_deadline_seconds: spec.int64("startingDeadlineSeconds")?,
        concurrency_policy: spec
            .str("concurrencyPolicy")?
            .map(ConcurrencyPolicy::from)
            .unwrap_or_default(),
        suspend: spec.boolean("suspend")?,
        successful_jobs_history_limit: spec.int32("successfulJobsHistoryLimit")?,
        failed_jobs_history_limit: spec.int32("failedJobsHistoryLimit")?,
        job_template: {
            // Its content is kept as JSON, but it must be an object.
            spec.object("jobTemplate", |_| Ok(()))?;
            Arc::new(spec.json("jobTemplate")?)
        },
    })
}

fn status(status: &ApiObject<'_>) -> Result<CronJobStatus, FieldError> {
    Ok(CronJobStatus {
        active: status.list("active", meta::object_reference)?,
        last_schedule_time: status.time("lastScheduleTime")?,
        last_successful_time: status.time("lastSuccessfulTime")?,
        next_schedule_time: status.time("nextScheduleTime")?,
    })
}
