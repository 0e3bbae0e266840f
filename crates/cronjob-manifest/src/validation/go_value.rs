//! Values as the server shows them: as Go does for its own types, with all their fields.

use super::at::At;
use super::schema::{FieldShape, SchemaType};
use kube_cron::go_quote;

/// The texts that are not pointers in Go, which are empty if they are not set.
const NOT_POINTERS: [&str; 5] = ["level", "name", "role", "type", "user"];

/// An object; `null` if it is not set.
pub(super) fn go_object(at: &At<'_>, object: &SchemaType) -> String {
    if !at.exists() {
        return "null".to_owned();
    }
    let fields = object.all_fields().filter(|field| field.until == u32::MAX);
    let fields = fields.map(|field| {
        let value = go_value(&at.field(field.name), &field.shape);
        format!("\"{}\":{value}", go_name(field.name))
    });
    format!("{{{}}}", fields.collect::<Vec<_>>().join(","))
}

fn go_value(at: &At<'_>, shape: &FieldShape) -> String {
    match shape {
        FieldShape::Object(object) => go_object(at, object),
        FieldShape::List(item) if at.exists() => {
            let items = at.items().map(|at| go_value(&at, item));
            format!("[{}]", items.collect::<Vec<_>>().join(","))
        }
        FieldShape::Text(_) if at.exists() || NOT_POINTERS.contains(&at.name()) => {
            go_quote(at.text())
        }
        _ => at.json(),
    }
}

/// The name of a field in Go.
fn go_name(name: &str) -> String {
    for (start, in_go) in [("seL", "SEL"), ("gmsa", "GMSA")] {
        if let Some(rest) = name.strip_prefix(start) {
            return format!("{in_go}{rest}");
        }
    }
    let (first, rest) = name.split_at_checked(1).unwrap_or_default();
    format!("{}{rest}", first.to_ascii_uppercase())
}
