//! Objects with all their fields.

use serde_json::Value;

/// A whole object as JSON text, which takes a fraction of the memory that its parsed form takes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WholeObject(Box<str>);

impl WholeObject {
    pub fn of(object: &Value) -> Self {
        WholeObject(object.to_string().into_boxed_str())
    }

    pub fn parse(&self) -> Value {
        serde_json::from_str(&self.0).unwrap_or_default()
    }
}
