//! Decodes metadata.

use jiff::Timestamp;

use super::super::error::FieldError;
use super::super::field::ApiObject;
use crate::model::{Condition, ManagedField, ObjectReference, OwnerReference, Texts};

/// The metadata that all kinds have.
#[derive(Debug, Default)]
pub(super) struct Meta {
    pub(super) namespace: String,
    pub(super) name: String,
    pub(super) uid: String,
    pub(super) creation_timestamp: Option<Timestamp>,
    pub(super) deletion_timestamp: Option<Timestamp>,
    pub(super) labels: Texts,
    pub(super) annotations: Texts,
}

pub(super) fn condition(condition: &ApiObject<'_>) -> Result<Condition, FieldError> {
    Ok(Condition {
        r#type: condition.string_or_empty("type")?,
        status: condition.string_or_empty("status")?,
        reason: condition.string_or_empty("reason")?,
        message: condition.string_or_empty("message")?,
        last_transition_time: condition.time("lastTransitionTime")?,
    })
}

pub(super) fn read(object: &ApiObject<'_>, namespace: &str) -> Result<Meta, FieldError> {
    let meta = object.object("metadata", |metadata| {
        Ok(Meta {
            name: metadata
                .rendered("name")?
                .filter(|name| !name.is_empty())
                .ok_or_else(|| metadata.missing("name", "a name"))?
                .to_owned(),
            namespace: metadata
                .rendered("namespace")?
                .filter(|namespace| !namespace.is_empty())
                .unwrap_or(namespace)
                .to_owned(),
            uid: metadata.string_or_empty("uid")?,
            creation_timestamp: metadata.time("creationTimestamp")?,
            deletion_timestamp: metadata.time("deletionTimestamp")?,
            labels: metadata.strings("labels")?,
            annotations: metadata.strings("annotations")?,
        })
    })?;
    meta.ok_or_else(|| object.missing("metadata", "an object with a name"))
}

pub(super) fn managed_field(entry: &ApiObject<'_>) -> Result<ManagedField, FieldError> {
    let mut field = ManagedField {
        manager: entry.string_or_empty("manager")?,
        operation: entry.string_or_empty("operation")?,
        time: entry.time("time")?,
        subresource: entry.string_or_empty("subresource")?,
        ..ManagedField::default()
    };
    field.note_fields(&entry.json("fieldsV1")?);
    Ok(field)
}

/// Whether kubectl or a plugin of it created an object.
pub(super) fn is_by_kubectl(object: &ApiObject<'_>) -> Result<bool, FieldError> {
    let managers = object.object("metadata", |metadata| {
        metadata.list("managedFields", |entry| {
            let manager = entry.string_or_empty("manager")?;
            Ok((manager, entry.string_or_empty("subresource")?))
        })
    })?;
    let managers = managers.iter().flatten();
    let names = managers.map(|(manager, subresource)| (manager.as_str(), subresource.as_str()));
    Ok(crate::model::is_by_kubectl(names))
}

pub(super) fn object_reference(reference: &ApiObject<'_>) -> Result<ObjectReference, FieldError> {
    Ok(ObjectReference {
        kind: reference.string_or_empty("kind")?,
        namespace: reference.string_or_empty("namespace")?,
        name: reference.string_or_empty("name")?,
        uid: reference.string_or_empty("uid")?,
    })
}

pub(super) fn owners(object: &ApiObject<'_>) -> Result<Vec<OwnerReference>, FieldError> {
    let owners = object.object("metadata", |metadata| {
        metadata.list("ownerReferences", owner_reference)
    })?;
    Ok(owners.unwrap_or_default())
}

fn owner_reference(reference: &ApiObject<'_>) -> Result<OwnerReference, FieldError> {
    Ok(OwnerReference {
        api_version: reference.string_or_empty("apiVersion")?,
        kind: reference.string_or_empty("kind")?,
        name: reference.string_or_empty("name")?,
        uid: reference.string_or_empty("uid")?,
        controller: reference.boolean("controller")?,
    })
}
