//! What objects of all kinds have, and how they point at each other.

use jiff::Timestamp;

/// Who set which fields of an object, and when: an entry of `metadata.managedFields`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ManagedField {
    /// The name of the client.
    pub manager: String,
    /// `Apply` or `Update`.
    pub operation: String,
    /// When it did so last.
    pub time: Option<Timestamp>,
    /// `status` if it wrote through the status subresource; empty for the object itself.
    pub subresource: String,
    /// The fields in the form of `FieldsV1`.
    pub fields: serde_json::Value,
}

/// A pointer to another object.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct ObjectReference {
    /// The kind of the object.
    pub kind: String,
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// Its identity; a namesake that was created later has another one.
    pub uid: String,
}

/// A pointer to the object that this one belongs to.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct OwnerReference {
    /// The API group and version of the owner.
    pub api_version: String,
    /// The kind of the owner.
    pub kind: String,
    /// The name of the owner.
    pub name: String,
    /// The identity of the owner.
    pub uid: String,
    /// Whether the owner is the one that manages the object.
    pub controller: Option<bool>,
}
