//! The way back: what clients send in protobuf becomes JSON.

use jiff::Timestamp;
use serde_json::{Map, Value, json};

use super::table::{Field, Kind, Message, Shape, table};
use super::wire::{self, Content};

const MAGIC: &[u8] = b"k8s\0";

/// The object in an envelope, with its type in front; `None` if that is none.
///
/// What is zero on the wire and no pointer is left out, as Go's JSON leaves it out.
pub(crate) fn decode_envelope(bytes: &[u8]) -> Option<Value> {
    let fields = wire::read(bytes.strip_prefix(MAGIC)?)?;
    let (mut value, mut raw) = (json!({}), &[][..]);
    for (number, content) in fields {
        match (number, content) {
            (1, Content::Bytes(type_meta)) => {
                for (number, content) in wire::read(type_meta)? {
                    let name = if number == 1 { "apiVersion" } else { "kind" };
                    value[name] = json!(text(&content)?);
                }
            }
            (2, Content::Bytes(bytes)) => raw = bytes,
            _ => {}
        }
    }
    let kind = value["kind"].as_str()?;
    let new_event = kind == "Event" && value["apiVersion"] == "events.k8s.io/v1";
    let name = if new_event { "events.Event" } else { kind };
    let mut fields = decode(table().find(name)?, raw)?;
    value.as_object_mut()?.append(&mut fields);
    Some(value)
}

fn decode(message: &Message, bytes: &[u8]) -> Option<Map<String, Value>> {
    let mut object = Map::new();
    for (number, content) in wire::read(bytes)? {
        // A field that is newer than the table: a server drops those, too.
        let Some(field) = message.fields.iter().find(|field| field.number == number) else {
            continue;
        };
        if let Kind::Message(inner) = &field.kind
            && field.is_inline()
        {
            object.append(&mut decode(table().find(inner)?, content.bytes()?)?);
            continue;
        }
        let name = field.name.clone();
        match field.shape {
            Shape::Map => {
                let (key, value) = entry(field, content.bytes()?)?;
                let map = object.entry(name).or_insert_with(|| json!({}));
                map[key] = value;
            }
            Shape::List => {
                let list = object.entry(name).or_insert_with(|| json!([]));
                list.as_array_mut()?.push(value(&field.kind, &content)?);
            }
            Shape::Plain | Shape::Optional => {
                let value = value(&field.kind, &content)?;
                let zero = value.is_null() || value == "" || value == 0 || value == false;
                if field.shape == Shape::Optional || !zero {
                    object.insert(name, value);
                }
            }
        }
    }
    Some(object)
}

fn entry(field: &Field, bytes: &[u8]) -> Option<(String, Value)> {
    let (mut key, mut found) = (String::new(), Value::Null);
    for (number, content) in wire::read(bytes)? {
        if number == 1 {
            key = text(&content)?;
        } else {
            found = value(&field.kind, &content)?;
        }
    }
    Some((key, found))
}

fn value(kind: &Kind, content: &Content<'_>) -> Option<Value> {
    match kind {
        Kind::String => Some(json!(text(content)?)),
        Kind::Bool => Some(json!(content.integer()? != 0)),
        Kind::Int => Some(json!(content.integer()?)),
        Kind::Quantity => {
            let (_, amount) = wire::read(content.bytes()?)?.pop()?;
            Some(json!(text(&amount)?))
        }
        Kind::IntOrString => {
            let fields = wire::read(content.bytes()?)?;
            let field = |wanted: u32| fields.iter().find(|(number, _)| *number == wanted);
            let is_text = field(1).and_then(|(_, kind)| kind.integer()) == Some(1);
            let (_, found) = field(if is_text { 3 } else { 2 })?;
            if is_text {
                Some(json!(text(found)?))
            } else {
                Some(json!(found.integer()?))
            }
        }
        Kind::Time => {
            let (mut seconds, mut nanos) = (None, 0);
            for (number, content) in wire::read(content.bytes()?)? {
                if number == 1 {
                    seconds = content.integer();
                } else {
                    nanos = content.integer()?;
                }
            }
            let Some(seconds) = seconds else {
                return Some(Value::Null);
            };
            let time = Timestamp::new(seconds, i32::try_from(nanos).ok()?).ok()?;
            Some(json!(time.to_string()))
        }
        Kind::RawJson => {
            let (_, raw) = wire::read(content.bytes()?)?.pop()?;
            serde_json::from_slice(raw.bytes()?).ok()
        }
        Kind::Verbs => {
            let verbs = wire::read(content.bytes()?)?;
            let verbs = verbs.iter().map(|(_, verb)| text(verb));
            Some(json!(verbs.collect::<Option<Vec<_>>>()?))
        }
        Kind::Message(name) => {
            let message = table().find(name)?;
            Some(Value::Object(decode(message, content.bytes()?)?))
        }
    }
}

fn text(content: &Content<'_>) -> Option<String> {
    String::from_utf8(content.bytes()?.to_vec()).ok()
}
