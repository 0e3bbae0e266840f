//! The numbers and types of the fields of messages, from messages.txt.

use std::collections::HashMap;
use std::sync::LazyLock;

/// One message and its fields, by number.
pub(crate) struct Message {
    pub(crate) name: &'static str,
    pub(crate) fields: Vec<Field>,
    /// Whether the JSON contains `kind` and `apiVersion`, which protobuf has in the envelope.
    typed: bool,
}

/// One field of a message.
pub(crate) struct Field {
    pub(crate) number: u32,
    pub(crate) name: &'static str,
    /// `?`, `[]`, `{}` or nothing, as messages.txt explains.
    pub(crate) shape: &'static str,
    /// What it holds: a scalar such as `string`, or the name of a message.
    pub(crate) kind: &'static str,
}

/// The message of that name.
pub(crate) fn message(name: &str) -> &'static Message {
    static TABLE: LazyLock<HashMap<&str, Message>> = LazyLock::new(|| {
        let lines = include_str!("messages.txt").lines();
        let messages = lines.filter(|line| !line.starts_with('#')).map(|line| {
            let (name, fields) = line.split_once(": ").unwrap();
            Message {
                name: name.trim_end_matches('+'),
                fields: fields.split("; ").map(Field::parse).collect(),
                typed: name.ends_with('+'),
            }
        });
        messages.map(|message| (message.name, message)).collect()
    });
    let found = TABLE.get(name);
    found.unwrap_or_else(|| panic!("messages.txt has no message {name}"))
}

impl Message {
    /// Whether JSON may have a field of that name here.
    pub(crate) fn knows(&self, name: &str) -> bool {
        (self.typed && matches!(name, "kind" | "apiVersion"))
            || self.fields.iter().any(|field| {
                field.name == name || (field.is_inline() && message(field.kind).knows(name))
            })
    }
}

impl Field {
    fn parse(text: &'static str) -> Field {
        let words: Vec<&str> = text.split(' ').collect();
        let [number, name, kind] = words[..] else {
            panic!("not a field: {text}");
        };
        let (shape, kind) = kind.split_at(kind.find(char::is_alphabetic).unwrap());
        Field {
            number: number.parse().unwrap(),
            name,
            shape,
            kind,
        }
    }

    /// Whether the fields of this message are fields of the message around it in JSON.
    pub(crate) fn is_inline(&self) -> bool {
        self.name == "^"
    }
}
