//! The words for values of a wrong type: those of Go's `encoding/json`.

use std::fmt;

use super::super::at::{At, Step};
use super::super::schema::{CronJob, Field, Shape, Type};
use crate::document::Value;

/// A value that is not of the type of its field.
pub(super) struct Mismatch<'m> {
    pub(super) at: &'m At<'m>,
    pub(super) shape: &'m Shape,
    /// Whether a number is shown: a whole one was asked for, and it is too large or not whole.
    pub(super) shows_number: bool,
}

impl fmt::Display for Mismatch<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(node) = self.at.there() else {
            return Ok(());
        };
        write!(f, "json: cannot unmarshal {}", kind(&node.value))?;
        if self.shows_number {
            write!(f, " {}", literal(&node.value))?;
        }
        let way = Way::of(self.at);
        if way.fields.is_empty() {
            write!(f, " into Go value of type {}", self.shape)
        } else {
            let Way { object, fields } = way;
            let fields = fields.join(".");
            write!(
                f,
                " into Go struct field {object}.{fields} of type {}",
                self.shape
            )
        }
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Int(_) | Value::Float(_) => "number",
        Value::String(_) => "string",
        Value::Sequence(_) => "array",
        Value::Mapping(_) => "object",
    }
}

static TOP: Shape = Shape::Object(&CronJob);

/// The innermost Go struct on the way to a value, and the names of the fields that lead there.
struct Way {
    object: &'static str,
    fields: Vec<&'static str>,
}

impl Way {
    fn of(at: &At<'_>) -> Self {
        let mut steps = Vec::new();
        let mut next = Some(at);
        while let Some(at) = next {
            steps.push(at.step());
            next = at.up();
        }
        let mut way = Way {
            object: "",
            fields: Vec::new(),
        };
        let mut shape: &'static Shape = &TOP;
        for step in steps.into_iter().rev() {
            shape = match (step, shape) {
                (Step::Field(name), Shape::Object(object)) => match way.enter(object, name) {
                    Some(field) => &field.shape,
                    None => return way,
                },
                (Step::Index(_), Shape::List(item)) | (Step::Key(_), Shape::Map(item, _)) => item,
                _ => shape,
            };
        }
        way
    }

    fn enter(&mut self, object: &'static Type, name: &str) -> Option<&'static Field> {
        let field = object.field(name, u32::MAX)?;
        self.object = object.name;
        if !field.inside.is_empty() {
            self.fields.push(field.inside);
        }
        self.fields.push(field.name);
        Some(field)
    }
}

/// A value as JSON has it, where it is neither text nor a collection.
pub(super) fn literal(value: &Value) -> String {
    match value {
        Value::Bool(value) => value.to_string(),
        Value::Int(int) => int.to_string(),
        Value::Float(float) => number(*float),
        Value::Null | Value::String(_) => String::new(),
        Value::Sequence(_) => "[".to_owned(),
        Value::Mapping(_) => "{".to_owned(),
    }
}

/// Go changes to the exponent where JavaScript does.
fn number(float: f64) -> String {
    let size = float.abs();
    if size != 0.0 && !(1e-6..1e21).contains(&size) {
        let text = format!("{float:e}");
        return match text.split_once('e') {
            Some((mantissa, exponent)) if !exponent.starts_with('-') => {
                format!("{mantissa}e+{exponent}")
            }
            _ => text,
        };
    }
    // A whole number beyond 64 bits with a sign was one without when it was read.
    if float.fract() == 0.0 {
        return format!("{float:.0}");
    }
    float.to_string()
}
