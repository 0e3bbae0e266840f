//! One stored object, and the ways in which it is shown.

use std::borrow::Cow;

use serde_json::{Value, json};

use super::gojson;
use super::protobuf;
use super::resources::Resource;
use super::synthetic::Made;

/// An object as it is kept.
pub(crate) enum Object {
    /// As it is shown, `kind` and `apiVersion` in front.
    Plain(Value),
    /// One of very many, made when it is asked for.
    Made(Made),
}

impl Object {
    pub(crate) fn plain(value: Value) -> Object {
        Object::Plain(value)
    }

    pub(crate) fn value(&self) -> Cow<'_, Value> {
        match self {
            Object::Plain(value) => Cow::Borrowed(value),
            Object::Made(made) => Cow::Owned(made.value()),
        }
    }
}

/// One item of a list in JSON. Those of typed lists do not repeat their kind.
pub(crate) fn item_json(resource: &Resource, object: &Object) -> Vec<u8> {
    if let Object::Made(made) = object {
        return made.json();
    }
    let mut value = object.value().into_owned();
    if resource.message.is_some() {
        strip_type(&mut value);
    }
    gojson::compact(&value).into_bytes()
}

/// One message, without an envelope.
pub(crate) fn item_protobuf(resource: &Resource, object: &Object) -> Vec<u8> {
    match (object, resource.message) {
        (Object::Made(made), _) => made.protobuf(),
        (Object::Plain(_), Some(message)) => protobuf::encode(message, &object.value()),
        (Object::Plain(_), None) => panic!("{} has no protobuf", resource.full_name()),
    }
}

/// Takes kind and version off, as typed lists do with their items.
pub(crate) fn strip_type(value: &mut Value) {
    if let Some(object) = value.as_object_mut() {
        object.shift_remove("kind");
        object.shift_remove("apiVersion");
    }
}

/// The object with its kind and version in front, whatever it said about them.
pub(crate) fn typed(resource: &Resource, mut value: Value) -> Value {
    strip_type(&mut value);
    let mut whole = json!({"kind": resource.kind, "apiVersion": resource.api_version()});
    if let (Some(whole), Some(parts)) = (whole.as_object_mut(), value.as_object_mut()) {
        whole.append(parts);
    }
    if resource.message.is_none() {
        // A server keeps the fields of what it has no types for in the order of their names.
        whole.sort_all_objects();
    }
    whole
}

/// Where an object stands in its collection.
pub(crate) fn key(resource: &Resource, namespace: &str, name: &str) -> String {
    if resource.namespaced {
        format!("{namespace}/{name}")
    } else {
        name.to_owned()
    }
}
