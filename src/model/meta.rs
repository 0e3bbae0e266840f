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
    /// The fields of the spec that it set, such as `schedule`.
    pub of_spec: Vec<Box<str>>,
    /// Whether it set anything beside the spec.
    pub beside_spec: bool,
}

impl ManagedField {
    /// Whether it set a field of the spec of the object itself.
    pub fn sets(&self, field: &str) -> bool {
        self.subresource.is_empty() && self.of_spec.iter().any(|name| **name == *field)
    }

    /// Takes down what it set, out of the form of `FieldsV1`.
    pub fn note_fields(&mut self, fields: &serde_json::Value) {
        const SPEC: &str = "f:spec";
        let spec = fields.get(SPEC).and_then(serde_json::Value::as_object);
        let names = spec.into_iter().flat_map(|spec| spec.keys());
        let names = names.filter_map(|name| name.strip_prefix("f:"));
        self.of_spec = names.map(Box::from).collect();
        let all = fields.as_object();
        self.beside_spec = all.is_some_and(|all| all.keys().any(|name| name != SPEC));
    }
}

/// Whether kubectl or a plugin of it created an object, by the names and subresources of those who
/// set its fields.
pub(crate) fn is_by_kubectl<'m>(managers: impl IntoIterator<Item = (&'m str, &'m str)>) -> bool {
    let mut managers = managers
        .into_iter()
        .filter(|(_, subresource)| subresource.is_empty())
        .peekable();
    managers.peek().is_some() && managers.all(|(manager, _)| manager.starts_with("kubectl"))
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
