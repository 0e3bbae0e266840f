//! Objects with all their fields, as the server has them.

use prost::bytes::{Bytes, BytesMut};
use serde::Deserialize;
use serde_json::Value;

use super::api_request::JSON;
use super::error::ClusterError;
use super::list::{Collector, Head, Lister, json_head};
use super::session::Session;
use super::survey::{ClusterQuery, cannot_list};
use super::transport::Response;
use crate::model::WholeObject;

/// An object with all its fields but the status, after its namespace and name.
pub(crate) type NamedObject = ((String, String), WholeObject);

impl Session {
    /// The objects of a kind in a namespace, or in all, as JSON, without their status. Of those that are not
    /// wanted only what identifies them and the spec is kept.
    pub(crate) fn whole_objects(
        &self,
        query: &ClusterQuery,
        is_wanted: impl Fn(&str, &str) -> bool,
    ) -> Result<Vec<NamedObject>, ClusterError> {
        let namespace = query.namespace.as_deref();
        let lister = Lister::new(&self.transport, &query.resource, namespace, query.query());
        let mut objects = WholeObjects {
            items: Vec::new(),
            is_wanted,
        };
        match self.wait(lister.collect(&mut objects)) {
            Ok(_) => Ok(objects.items),
            Err(error) => Err(cannot_list(&query.resource.qualified(), error)),
        }
    }
}

struct WholeObjects<W> {
    items: Vec<NamedObject>,
    is_wanted: W,
}

impl<W: Fn(&str, &str) -> bool> Collector for WholeObjects<W> {
    type Page = Bytes;
    const ACCEPT: &str = JSON;

    fn open(&mut self, lister: &Lister, answer: Response) -> Result<(Head, Bytes), ClusterError> {
        let (head, _) = json_head(&answer.body).map_err(|why| lister.wrong(why))?;
        Ok((head, answer.body))
    }

    fn take(&mut self, lister: &Lister, page: Bytes) -> Result<BytesMut, ClusterError> {
        #[derive(Deserialize)]
        struct List {
            items: Vec<Value>,
        }
        let list: List =
            serde_json::from_slice(&page).map_err(|error| lister.wrong(error.to_string()))?;
        let kept = list.items.into_iter().map(|object| self.kept(object));
        let kept: Vec<NamedObject> = kept.collect();
        self.items.extend(kept);
        Ok(page.try_into_mut().unwrap_or_default())
    }

    fn len(&self) -> usize {
        self.items.len()
    }

    fn truncate(&mut self, len: usize) {
        self.items.truncate(len);
    }
}

impl<W: Fn(&str, &str) -> bool> WholeObjects<W> {
    /// What is kept of an object: most of it are fields that nothing depends on.
    fn kept(&self, mut object: Value) -> NamedObject {
        let text = |field: &str| {
            let text = object
                .get("metadata")
                .and_then(|it| it.get(field)?.as_str());
            text.unwrap_or_default().to_owned()
        };
        let (namespace, name) = (text("namespace"), text("name"));
        let is_wanted = (self.is_wanted)(&namespace, &name);
        if let Some(fields) = object.as_object_mut() {
            fields.remove("status");
        }
        if !is_wanted && let Some(Value::Object(metadata)) = object.get_mut("metadata") {
            metadata.retain(|field, _| matches!(field.as_str(), "name" | "namespace"));
        }
        ((namespace, name), WholeObject::of(&object))
    }
}
