//! Where fields are read from, and the types of their values.

use std::sync::Arc;

use jiff::Timestamp;
use serde_json::Value;

use super::shared::SharedParts;
use kube_model::{ConcurrencyPolicy, SetFields, SharedText, Texts};

/// A position in an encoded object: at an object, whose fields can be read, or at a value.
///
/// In protobuf, the fields of an object are read once for each encoded field, and all but one of them do nothing. So
/// reading a field must not change others.
pub trait FieldSource: Sized {
    /// Reads the value of a field of the object, and returns whether it is there.
    fn enter(&mut self, name: &'static str, number: u32, read: impl FnOnce(&mut Self)) -> bool;

    /// The value is an object.
    fn fields(&mut self, read: impl FnMut(&mut Self));
    /// The value is a list.
    fn items(&mut self, read: impl FnMut(&mut Self));
    fn text(&mut self, text: &mut String);
    fn boolean(&mut self, value: &mut bool);
    fn int32(&mut self, number: &mut i32);
    fn int64(&mut self, number: &mut i64);
    fn time(&mut self, time: &mut Option<Timestamp>);
    /// Text with arbitrary keys, such as labels.
    fn texts(&mut self, texts: &mut Texts);
    /// An object that is encoded as JSON in protobuf, too.
    fn set_fields(&mut self, fields: &mut SetFields);
    fn template(&mut self, template: &mut Arc<Value>);
    /// The quantity of one resource in a list of resources, as it is written.
    fn quantity_text(&mut self, resource: &'static str, quantity: &mut Option<String>);
    /// The quantity of one resource in a list of resources, if it is a whole number.
    fn quantity(&mut self, resource: &'static str, quantity: &mut Option<i64>);

    /// A field that every object of the kind has: the API server never omits it, but a manifest may.
    fn require(&mut self, _name: &'static str, _expected: &'static str) {}

    fn object_name(&mut self, name: &mut String) {
        self.field("name", 1, name);
    }

    /// A field that is part of an answer, so that a manifest with a template in it is useless.
    fn rendered<T: FieldValue>(&mut self, name: &'static str, number: u32, value: &mut T) {
        self.field(name, number, value);
    }

    /// Manifests may leave the namespace open.
    fn namespace(&mut self, namespace: &mut String) {
        self.field("namespace", 3, namespace);
    }

    fn field<T: FieldValue>(&mut self, name: &'static str, number: u32, value: &mut T) -> bool {
        self.enter(name, number, |source| value.read(source))
    }

    fn object(&mut self, name: &'static str, number: u32, fields: impl FnMut(&mut Self)) -> bool {
        self.enter(name, number, |source| source.fields(fields))
    }

    /// A field that another version of the API names differently.
    fn either<T: FieldValue>(&mut self, names: [&'static str; 2], number: u32, value: &mut T) {
        for name in names {
            self.field(name, number, value);
        }
    }

    /// Whether a list is not empty.
    fn has_items(&mut self, name: &'static str, number: u32) -> bool {
        let mut is_any = false;
        self.enter(name, number, |source| source.items(|_| is_any = true));
        is_any
    }
}

/// A value that a field can have.
pub trait FieldValue {
    fn read(&mut self, source: &mut impl FieldSource);
}

/// An object, or a part of one, with a list of its fields.
pub trait ApiObject: Default {
    fn fields(&mut self, source: &mut impl FieldSource);
}

/// A kind whose objects are read.
pub trait ObjectKind: Sized {
    type Fields: ApiObject;

    fn of_fields(fields: Self::Fields, api_version: &str) -> Self;

    /// Replaces what it has in common with objects read before.
    fn share(&mut self, _: &mut SharedParts) {}
}

impl<T: ApiObject> FieldValue for T {
    fn read(&mut self, source: &mut impl FieldSource) {
        source.fields(|source| self.fields(source));
    }
}

impl<T: FieldValue + Default> FieldValue for Option<T> {
    fn read(&mut self, source: &mut impl FieldSource) {
        self.get_or_insert_with(T::default).read(source);
    }
}

impl<T: FieldValue + Default> FieldValue for Vec<T> {
    fn read(&mut self, source: &mut impl FieldSource) {
        source.items(|source| {
            let mut item = T::default();
            item.read(source);
            self.push(item);
        });
    }
}

impl FieldValue for ConcurrencyPolicy {
    fn read(&mut self, source: &mut impl FieldSource) {
        let mut word = String::new();
        source.text(&mut word);
        *self = ConcurrencyPolicy::from(word.as_str());
    }
}

impl FieldValue for SharedText {
    fn read(&mut self, source: &mut impl FieldSource) {
        let mut text = String::new();
        source.text(&mut text);
        *self = text.into();
    }
}

macro_rules! values {
    ($($value:ty: $read:ident,)*) => {$(
        impl FieldValue for $value {
            fn read(&mut self, source: &mut impl FieldSource) {
                source.$read(self);
            }
        }
    )*};
}

values! {
    String: text,
    bool: boolean,
    i32: int32,
    i64: int64,
    Option<Timestamp>: time,
    Texts: texts,
    SetFields: set_fields,
    Arc<Value>: template,
}
