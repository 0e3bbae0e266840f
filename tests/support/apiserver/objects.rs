//! One stored object, and how it is shown.

use std::borrow::Cow;

use serde_json::{Value, json};

use super::protobuf;
use super::resources::Resource;
use super::synthetic::Synthetic;

/// An object as it is stored.
pub(crate) enum Object {
    /// As it is shown, `kind` and `apiVersion` in front.
    Plain(Value),
    /// One of very many, created on request.
    Synthetic(Synthetic),
}

impl Object {
    pub(crate) fn value(&self) -> Cow<'_, Value> {
        match self {
            Object::Plain(value) => Cow::Borrowed(value),
            Object::Synthetic(object) => Cow::Owned(object.value()),
        }
    }

    /// One message, without an envelope.
    pub(crate) fn protobuf(&self, resource: &Resource) -> Vec<u8> {
        match self {
            Object::Plain(value) => protobuf::encode(&resource.kind, value),
            Object::Synthetic(object) => object.protobuf(),
        }
    }

    /// The message in its envelope.
    pub(crate) fn envelope(&self, resource: &Resource) -> Vec<u8> {
        let message = self.protobuf(resource);
        protobuf::envelope(&resource.api_version(), &resource.kind, &message)
    }
}

/// The object with this kind and version in front, in place of its own.
pub(crate) fn typed(resource: &Resource, mut value: Value) -> Value {
    let mut whole = json!({"kind": resource.kind, "apiVersion": resource.api_version()});
    if let (Some(whole), Some(parts)) = (whole.as_object_mut(), value.as_object_mut()) {
        parts.retain(|name, _| !matches!(name.as_str(), "kind" | "apiVersion"));
        whole.append(parts);
    }
    whole
}
