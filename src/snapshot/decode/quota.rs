//! Decodes quotas.

use super::super::error::FieldError;
use super::super::field::ApiObject;
use super::meta;
use crate::model::ResourceQuota;

pub(super) fn read(object: &ApiObject<'_>, namespace: &str) -> Result<ResourceQuota, FieldError> {
    let meta = meta::read(object, namespace)?;
    // The API server uses the status, which the quota controller copies from the spec.
    let counts = object.object("status", |status| {
        Ok((jobs(status, "hard")?, jobs(status, "used")?))
    })?;
    let (hard, used) = counts.unwrap_or_default();
    let is_scoped = object.object("spec", |spec| {
        let scopes = !spec.nodes("scopes")?.is_empty();
        Ok(scopes || spec.node("scopeSelector").is_some())
    })?;
    Ok(ResourceQuota {
        namespace: meta.namespace,
        name: meta.name,
        hard,
        used,
        is_scoped: is_scoped.unwrap_or_default(),
    })
}

fn jobs(status: &ApiObject<'_>, name: &str) -> Result<Option<i64>, FieldError> {
    let jobs = status.object(name, |amounts| amounts.count(ResourceQuota::JOBS))?;
    Ok(jobs.flatten())
}
