//! Which fields the types of the API have.
//!
//! Facts of the public API reference of Kubernetes 1.36, and what the `OpenAPI` document of 1.37
//! adds: the fields, in the reference's order, by the name of their type. From the releases in
//! `since` on they are there; a field without it is older than what is worth telling, or its
//! beginning is not known.

/// Lists types as `Name { field: shape, … }`. A shape is `text`, `bool`, `int32`, `int64`,
/// `quantity`, `int_or_string`, `time`, `anything`, the name of a type, `[shape]` for a list or
/// `{shape}` for a map. Text whose Go type has a name of its own is `(text "v1.Name")`.
/// `since` is the minor release that brought the field, `until` the last one that has it, and `on` the
/// one that turned its feature gate on, or [`NEVER`]: before that the API server drops the field. `inside` is the Go
/// struct that is embedded in the type and has the field, which shows in messages. Behind them the
/// constraints of the field are listed. `Name embeds Other as Struct { … }` has the fields of `Other`, too.
macro_rules! types {
    ($($type:ident $(embeds $embedded:ident as $struct:ident)? {
        $(
            $name:ident: $shape:tt
                $(since $since:literal)? $(until $until:literal)? $(on $on:tt)?
                $(inside $inside:ident)? $([$($constraint:expr),+])?,
        )*
    })*) => { $(
        #[allow(non_upper_case_globals, reason = "they are named as the API names them")]
        pub(crate) static $type: SchemaType = SchemaType {
            name: stringify!($type),
            embedded: &[$((&$embedded, stringify!($struct)))?],
            fields: &[$(SchemaField {
                name: stringify!($name),
                shape: shape!($shape),
                since: 0 $(+ $since)?,
                until: [$($until,)? u32::MAX][0],
                on: 0 $(+ $on)?,
                inside: concat!("" $(, stringify!($inside))?),
                constraints: &[$($($constraint),+)?],
            }),*],
        };
    )* };
}

macro_rules! shape {
    (text) => {
        FieldShape::Text("string")
    };
    ((text $go:literal)) => {
        FieldShape::Text($go)
    };
    (bool) => {
        FieldShape::Bool
    };
    (int32) => {
        FieldShape::Int32
    };
    (int64) => {
        FieldShape::Int64
    };
    (quantity) => {
        FieldShape::Quantity
    };
    (resources) => {
        FieldShape::Map(&FieldShape::Quantity, "v1.ResourceList")
    };
    (int_or_string) => {
        FieldShape::IntOrString
    };
    (time) => {
        FieldShape::Time
    };
    (anything) => {
        FieldShape::Anything
    };
    ([$item:tt]) => {
        FieldShape::List(&shape!($item))
    };
    ({$item:tt}) => {
        FieldShape::Map(&shape!($item), "")
    };
    ($type:ident) => {
        FieldShape::Object(&$type)
    };
}

mod batch;
mod meta;
mod pod;
mod volume;

use std::fmt;

use super::formats::TextForm;
pub(super) use batch::*;
pub(super) use meta::*;
pub(super) use pod::*;
pub(super) use volume::*;

/// The release that turns on a feature gate that is still off in the newest one.
pub(super) const NEVER: u32 = u32::MAX;

#[derive(Debug)]
pub(super) struct SchemaType {
    /// Its name, such as `PodSpec`.
    pub(super) name: &'static str,
    /// The type whose fields it has, too, and the Go struct that holds them; mostly none.
    embedded: &'static [(&'static SchemaType, &'static str)],
    /// Its own fields, in the reference's order.
    pub(super) fields: &'static [SchemaField],
}

#[derive(Debug)]
pub(super) struct SchemaField {
    pub(super) name: &'static str,
    pub(super) shape: FieldShape,
    /// The minor release that brought it; 0 where it was always there.
    pub(super) since: u32,
    /// The last minor release that has it.
    pub(super) until: u32,
    /// The minor release since which it is not dropped; 0 where it never was.
    pub(super) on: u32,
    /// The embedded Go struct that it comes from; mostly none.
    inside: &'static str,
    /// What its value must be, in the order in which the server checks it.
    pub(super) constraints: &'static [Constraint],
}

/// A constraint on the value of a field. Only `Required` is about a field that is missing, and one
/// that breaks it is not checked further.
#[derive(Debug)]
pub(super) enum Constraint {
    /// The text must not be empty, or the list must have items.
    Required,
    /// The text must not be empty, or the list must have items, from a minor release on.
    RequiredSince(u32),
    /// The number must not be negative.
    NonNegative,
    /// The number must be within two bounds.
    Range(i64, i64),
    /// The number must be the mode of a file.
    FileMode,
    /// The text must be one of a few words.
    OneOf(&'static [&'static str]),
    /// The text must be one of a few words, or empty: then the server sets the default.
    OneOfOrEmpty(&'static [&'static str]),
    /// The list must not have more items.
    AtMost(usize),
    /// A text that is not empty must have a form. What is wrong with it is returned.
    Form(TextForm),
}

#[derive(Debug)]
pub(super) enum FieldShape {
    /// Text, and its type in Go.
    Text(&'static str),
    Bool,
    Int32,
    Int64,
    /// An amount of a resource, as text or as a number.
    Quantity,
    /// A number, or text in its place.
    IntOrString,
    /// A time in RFC 3339.
    Time,
    Anything,
    Object(&'static SchemaType),
    List(&'static FieldShape),
    /// A map from text, and its type in Go where that has a name.
    Map(&'static FieldShape, &'static str),
}

impl SchemaType {
    /// The field of a name, if a release knows it.
    pub(super) fn field(&self, name: &str, minor: u32) -> Option<&'static SchemaField> {
        let mut fields = self.all_fields();
        fields.find(|field| field.name == name && (field.since..=field.until).contains(&minor))
    }

    /// Its fields with those of the embedded type.
    pub(super) fn all_fields(&self) -> impl Iterator<Item = &'static SchemaField> + Clone + use<> {
        let embedded = self.embedded.iter();
        let embedded = embedded.flat_map(|(object, _)| object.fields);
        embedded.chain(self.fields)
    }

    /// The Go struct within this type that has a field.
    pub(super) fn struct_of(&self, field: &SchemaField) -> Option<&'static str> {
        let mut embedded = self.embedded.iter();
        let has = |object: &SchemaType| object.fields.iter().any(|own| own.name == field.name);
        let embedded = embedded.find(|(object, _)| has(object));
        let inside = embedded.map_or(field.inside, |(_, inside)| inside);
        (!inside.is_empty()).then_some(inside)
    }
}

/// The type's name in Go.
impl fmt::Display for FieldShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FieldShape::Bool => f.write_str("bool"),
            FieldShape::Int32 | FieldShape::IntOrString => f.write_str("int32"),
            FieldShape::Int64 => f.write_str("int64"),
            FieldShape::Quantity => f.write_str("resource.Quantity"),
            FieldShape::Time => f.write_str("string"),
            FieldShape::Anything => f.write_str("interface {}"),
            FieldShape::Object(object) => write!(f, "v1.{}", object.name),
            FieldShape::List(item) => write!(f, "[]{item}"),
            FieldShape::Map(item, "") => write!(f, "map[string]{item}"),
            FieldShape::Text(go) | FieldShape::Map(_, go) => f.write_str(go),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn walk(object: &'static SchemaType, seen: &mut HashSet<&'static str>) {
        if !seen.insert(object.name) {
            return;
        }
        let names: HashSet<_> = object.all_fields().map(|field| field.name).collect();
        assert_eq!(names.len(), object.all_fields().count(), "{}", object.name);
        for field in object.all_fields() {
            let mut shape = &field.shape;
            while let FieldShape::List(item) | FieldShape::Map(item, _) = shape {
                shape = item;
            }
            if let FieldShape::Object(object) = shape {
                walk(object, seen);
            }
        }
    }

    #[test]
    fn every_type_is_reached_and_has_each_field_once() {
        let mut seen = HashSet::new();
        walk(&CronJob, &mut seen);
        assert_eq!(seen.len(), 124);
    }
}
