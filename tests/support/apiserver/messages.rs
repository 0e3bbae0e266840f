//! The numbers and types of the fields of messages, from messages.txt.

use std::collections::HashMap;
use std::sync::LazyLock;

/// One message and its fields, by number.
pub(crate) struct Message {
    pub(crate) name: &'static str,
    pub(crate) fields: Vec<Field>,
    /// Whether JSON has `kind` and `apiVersion` in it, which the wire has in the envelope.
    typed: bool,
}

/// One field of a message.
#[derive(Clone, Debug)]
pub(crate) struct Field {
    pub(crate) number: u32,
    pub(crate) name: String,
    pub(crate) shape: Shape,
    pub(crate) kind: Kind,
}

/// How often a field may occur, and whether it is written when it is absent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Plain,
    Optional,
    List,
    Map,
}

/// What a field holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    String,
    Bool,
    Int,
    Quantity,
    IntOrString,
    /// Seconds and nanoseconds, for `Time` and `MicroTime` alike.
    Time,
    /// `FieldsV1`: JSON inside the message.
    RawJson,
    Message(String),
}

/// The message of that name.
pub(crate) fn message(name: &str) -> &'static Message {
    static TABLE: LazyLock<HashMap<&str, Message>> = LazyLock::new(|| {
        let lines = include_str!("messages.txt").lines();
        let lines = lines.filter(|line| !line.starts_with('#'));
        lines
            .map(Message::parse)
            .map(|message| (message.name, message))
            .collect()
    });
    match TABLE.get(name) {
        Some(message) => message,
        None => panic!("messages.txt has no message {name}"),
    }
}

impl Message {
    fn parse(line: &'static str) -> Message {
        let (name, fields) = line.split_once(": ").unwrap();
        Message {
            name: name.trim_end_matches('+'),
            typed: name.ends_with('+'),
            fields: fields.split("; ").map(Field::parse).collect(),
        }
    }

    /// Whether JSON may have a field of that name here.
    pub(crate) fn knows(&self, name: &str) -> bool {
        (self.typed && matches!(name, "kind" | "apiVersion"))
            || self.fields.iter().any(|field| match &field.kind {
                Kind::Message(inner) if field.is_inline() => message(inner).knows(name),
                _ => field.name == name,
            })
    }
}

impl Field {
    fn parse(text: &str) -> Field {
        let mut words = text.split(' ');
        let mut word = || words.next().unwrap();
        let (number, name, kind) = (word(), word(), word());
        let shapes = [
            ("?", Shape::Optional),
            ("[]", Shape::List),
            ("{}", Shape::Map),
        ];
        let (shape, kind) = shapes
            .into_iter()
            .find_map(|(sign, shape)| Some((shape, kind.strip_prefix(sign)?)))
            .unwrap_or((Shape::Plain, kind));
        Field {
            number: number.parse().unwrap(),
            name: name.to_owned(),
            shape,
            kind: Kind::parse(kind),
        }
    }

    /// Whether the message's fields lie among those of the message around it, in JSON.
    pub(crate) fn is_inline(&self) -> bool {
        self.name == "^"
    }
}

impl Kind {
    fn parse(text: &str) -> Kind {
        match text {
            "string" => Kind::String,
            "bool" => Kind::Bool,
            "int" => Kind::Int,
            "Quantity" => Kind::Quantity,
            "IntOrString" => Kind::IntOrString,
            "Time" | "MicroTime" => Kind::Time,
            "FieldsV1" => Kind::RawJson,
            message => Kind::Message(message.to_owned()),
        }
    }
}
