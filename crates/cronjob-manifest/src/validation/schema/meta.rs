//! The fields of metadata, selectors and references.

use super::super::formats;
use super::Constraint::Form;
use super::{FieldShape, SchemaField, SchemaType};

types! {
    ObjectMeta {
        name: text,
        generateName: text,
        namespace: text [Form(formats::label)],
        selfLink: text,
        uid: (text "types.UID"),
        resourceVersion: text,
        generation: int64,
        creationTimestamp: time,
        deletionTimestamp: time,
        deletionGracePeriodSeconds: int64,
        labels: {text},
        annotations: {text},
        ownerReferences: [OwnerReference],
        finalizers: [text],
        managedFields: [ManagedFieldsEntry],
    }
    OwnerReference {
        apiVersion: text,
        kind: text,
        name: text,
        uid: (text "types.UID"),
        controller: bool,
        blockOwnerDeletion: bool,
    }
    ManagedFieldsEntry {
        manager: text,
        operation: (text "v1.ManagedFieldsOperationType"),
        apiVersion: text,
        time: time,
        fieldsType: text,
        fieldsV1: anything,
        subresource: text,
    }
    LabelSelector {
        matchLabels: {text},
        matchExpressions: [LabelSelectorRequirement],
    }
    LabelSelectorRequirement {
        key: text,
        operator: (text "v1.LabelSelectorOperator"),
        values: [text],
    }
    ObjectReference {
        kind: text,
        namespace: text,
        name: text,
        uid: (text "types.UID"),
        apiVersion: text,
        resourceVersion: text,
        fieldPath: text,
    }
    LocalObjectReference {
        name: text,
    }
    ObjectFieldSelector {
        apiVersion: text,
        fieldPath: text,
    }
    ResourceFieldSelector {
        containerName: text,
        resource: text,
        divisor: quantity,
    }
}
