//! Decodes Jobs.

use super::super::error::FieldError;
use super::super::field::ApiObject;
use super::meta;
use crate::model::Job;

pub(super) fn read(object: &ApiObject<'_>, namespace: &str) -> Result<Job, FieldError> {
    let meta = meta::read(object, namespace)?;
    let mut job = Job {
        namespace: meta.namespace,
        name: meta.name,
        uid: meta.uid,
        creation_timestamp: meta.creation_timestamp,
        deletion_timestamp: meta.deletion_timestamp,
        labels: meta.labels,
        annotations: meta.annotations,
        owner_references: meta::owners(object)?,
        by_kubectl: meta::is_by_kubectl(object)?,
        suspend: object
            .object("spec", |spec| spec.boolean("suspend"))?
            .flatten(),
        ..Job::default()
    };
    object.object("status", |status| {
        job.start_time = status.time("startTime")?;
        job.completion_time = status.time("completionTime")?;
        job.active = status.int32("active")?.unwrap_or_default();
        job.ready = status.int32("ready")?;
        job.succeeded = status.int32("succeeded")?.unwrap_or_default();
        job.failed = status.int32("failed")?.unwrap_or_default();
        job.conditions = status.list("conditions", meta::condition)?;
        Ok(())
    })?;
    Ok(job)
}
