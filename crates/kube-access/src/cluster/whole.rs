//! Objects with all their fields, as the server has them.

use prost::bytes::{Bytes, BytesMut};
use serde::Deserialize;
use serde_json::Value;

use super::api_request::JSON;
use super::error::ClusterError;
use super::list::{Collector, Lister, json_head};
use super::resource::ListQuery;
use super::session::Session;
use super::survey::cannot_list;
use super::transport::Response;
use super::wire::ListMetaMessage;
use kube_model::{ObjectKey, WholeObject};
use kube_objects::query::ObjectQuery;

impl Session {
    /// The objects of a kind in a namespace, or in all, as JSON. `keep` converts each while the list is read.
    pub fn objects<T>(
        &self,
        query: &ObjectQuery,
        keep: impl Fn(Value) -> T,
    ) -> Result<Vec<T>, ClusterError> {
        let namespace = query.namespace.as_deref();
        let lister = Lister::new(
            &self.transport,
            &query.resource,
            namespace,
            ListQuery::of(query),
        );
        let mut objects = KeptObjects {
            items: Vec::new(),
            problems: Vec::new(),
            keep,
        };
        match self.wait(lister.collect(&mut objects)) {
            Ok(_) => Ok(objects.items),
            Err(error) => Err(cannot_list(&query.resource.qualified(), error)),
        }
    }

    /// The objects of a kind without their status. Of those that are not wanted only what identifies them and the
    /// spec is kept.
    pub fn whole_objects(
        &self,
        query: &ObjectQuery,
        is_wanted: impl Fn(&str, &str) -> bool,
    ) -> Result<Vec<(ObjectKey, WholeObject)>, ClusterError> {
        self.objects(query, |object| wanted_fields(object, &is_wanted))
    }
}

struct KeptObjects<T, K> {
    items: Vec<T>,
    /// Always empty: each object is kept as it is.
    problems: Vec<String>,
    keep: K,
}

impl<T, K: Fn(Value) -> T> Collector for KeptObjects<T, K> {
    type Item = T;
    type Page = Bytes;
    const ACCEPT: &str = JSON;

    fn open(
        &mut self,
        lister: &Lister,
        answer: Response,
    ) -> Result<(ListMetaMessage, Bytes), ClusterError> {
        let (head, _) = json_head(&answer.body).map_err(|why| lister.wrong(why))?;
        Ok((head, answer.body))
    }

    fn take(&mut self, lister: &Lister, page: Bytes) -> Result<BytesMut, ClusterError> {
        #[derive(Deserialize)]
        struct List {
            kind: String,
            items: Vec<Value>,
        }
        let list: List =
            serde_json::from_slice(&page).map_err(|error| lister.wrong(error.to_string()))?;
        let expected = list
            .kind
            .strip_suffix("List")
            .filter(|kind| !kind.is_empty());
        let is_other = |item: &Value| {
            let kind = item.get("kind").and_then(Value::as_str);
            kind.is_some_and(|kind| expected.is_some_and(|expected| kind != expected))
        };
        if list.items.iter().any(is_other) {
            let kind = &list.kind;
            return Err(lister.wrong(format!("the {kind} has objects of another kind")));
        }
        self.items.extend(list.items.into_iter().map(&self.keep));
        Ok(page.try_into_mut().unwrap_or_default())
    }

    fn found(&mut self) -> (&mut Vec<T>, &mut Vec<String>) {
        (&mut self.items, &mut self.problems)
    }
}

/// What is kept of an object: most of it are fields that nothing depends on.
fn wanted_fields(
    mut object: Value,
    is_wanted: &impl Fn(&str, &str) -> bool,
) -> (ObjectKey, WholeObject) {
    let text = |field: &str| {
        let text = object
            .get("metadata")
            .and_then(|it| it.get(field)?.as_str());
        text.unwrap_or_default().to_owned()
    };
    let (namespace, name) = (text("namespace"), text("name"));
    let is_wanted = is_wanted(&namespace, &name);
    if let Some(fields) = object.as_object_mut() {
        fields.remove("status");
    }
    if !is_wanted && let Some(Value::Object(metadata)) = object.get_mut("metadata") {
        metadata.retain(|field, _| matches!(field.as_str(), "name" | "namespace"));
    }
    (ObjectKey { namespace, name }, WholeObject::of(&object))
}
