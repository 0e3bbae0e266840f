//! A list whose items are made one by one while they are written: all of them may take hundreds of megabytes.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Serialize, Serializer};

type Items<'a, T> = Box<dyn Iterator<Item = T> + 'a>;

pub(crate) struct Each<'a, T>(Box<dyn Fn() -> Items<'a, T> + 'a>);

impl<'a, T> Each<'a, T> {
    pub(crate) fn of<I: Iterator<Item = T> + 'a>(items: impl Fn() -> I + 'a) -> Self {
        Each(Box::new(move || Box::new(items())))
    }

    pub(super) fn iter(&self) -> Items<'a, T> {
        (self.0)()
    }
}

impl<T: Serialize> Serialize for Each<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl<T: JsonSchema> JsonSchema for Each<'_, T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        Vec::<T>::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Vec::<T>::json_schema(generator)
    }
}
