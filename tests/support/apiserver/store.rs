//! The objects, their revisions, and what has happened to them.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value, json};

use super::objects::Object;

/// The objects of one resource, in etcd's order: by `namespace/name`.
pub(crate) type Objects = BTreeMap<String, Arc<Object>>;

/// Everything that is stored.
#[derive(Default)]
pub(crate) struct Store {
    collections: BTreeMap<String, Arc<Objects>>,
    /// The newest resource version.
    revision: u64,
    /// Older ones are forgotten.
    oldest: u64,
    /// From this revision on the continue tokens are good.
    oldest_token: u64,
    changes: Vec<Change>,
    uids: u64,
}

/// What a watch learns of.
#[derive(Clone)]
pub(crate) enum Change {
    Object(ObjectChange),
    CloseWatches(u64),
}

/// One object that has come, changed or gone.
#[derive(Clone)]
pub(crate) struct ObjectChange {
    pub(crate) collection: String,
    pub(crate) key: String,
    pub(crate) revision: u64,
    pub(crate) before: Option<Arc<Object>>,
    pub(crate) after: Option<Arc<Object>>,
    /// What has gone, as of the revision at which it went.
    pub(crate) gone: Option<Arc<Object>>,
}

impl Store {
    pub(crate) fn revision(&self) -> u64 {
        self.revision.max(1)
    }

    pub(crate) fn is_forgotten(&self, revision: u64) -> bool {
        revision < self.oldest
    }

    pub(crate) fn oldest(&self) -> u64 {
        self.oldest
    }

    pub(crate) fn objects(&self, collection: &str) -> Arc<Objects> {
        self.collections
            .get(collection)
            .cloned()
            .unwrap_or_default()
    }

    pub(crate) fn get(&self, collection: &str, key: &str) -> Option<Arc<Object>> {
        self.collections.get(collection)?.get(key).cloned()
    }

    pub(crate) fn has_namespace(&self, name: &str) -> bool {
        let inside = format!("{name}/");
        self.collections.values().any(|objects| {
            let mut keys = objects.range(inside.clone()..).map(|(key, _)| key);
            objects.contains_key(name) || keys.next().is_some_and(|key| key.starts_with(&inside))
        })
    }

    pub(crate) fn is_token_expired(&self, revision: u64) -> bool {
        revision < self.oldest_token
    }

    /// Continue tokens that exist are too old from now on.
    pub(crate) fn expire_continue_tokens(&mut self) {
        self.revision += 1;
        self.oldest_token = self.revision;
    }

    /// Forgets all that was before now.
    pub(crate) fn compact(&mut self) {
        self.expire_continue_tokens();
        self.oldest = self.revision;
    }

    pub(crate) fn next_uid(&mut self) -> String {
        self.uids += 1;
        format!("00000000-0000-4000-8000-{:012x}", self.uids)
    }

    pub(crate) fn raise_revision(&mut self, to: u64) {
        self.revision = self.revision.max(to);
    }

    pub(crate) fn remember(&mut self, change: Change) {
        self.changes.push(change);
    }

    pub(crate) fn changes(&self) -> &[Change] {
        &self.changes
    }

    /// Puts an object there with the resource version that it already has; a new version may be a change
    /// that watches learn of.
    pub(crate) fn seed(
        &mut self,
        collection: &str,
        key: &str,
        object: Object,
        revision: u64,
        is_watched: bool,
    ) {
        let is_new = revision > self.revision;
        self.raise_revision(revision);
        let object = Arc::new(object);
        let before = self.insert(collection, key.to_owned(), Arc::clone(&object));
        if is_new && is_watched {
            self.remember_object(collection, key, before, Some(object), None);
        }
    }

    /// Stores an object as a change: it gets the next resource version.
    pub(crate) fn put(&mut self, collection: &str, key: &str, mut value: Value) -> Arc<Object> {
        self.revision = self.revision() + 1;
        value["metadata"]["resourceVersion"] = json!(self.revision.to_string());
        let object = Arc::new(Object::Plain(value));
        let before = self.insert(collection, key.to_owned(), Arc::clone(&object));
        self.remember_object(collection, key, before, Some(Arc::clone(&object)), None);
        object
    }

    /// Takes an object away.
    pub(crate) fn remove(&mut self, collection: &str, key: &str) -> Option<Arc<Object>> {
        let objects = self.collections.get_mut(collection)?;
        let before = Arc::make_mut(objects).remove(key)?;
        self.revision = self.revision() + 1;
        let mut last = before.value().into_owned();
        last["metadata"]["resourceVersion"] = json!(self.revision.to_string());
        let gone = Some(Arc::new(Object::Plain(last)));
        self.remember_object(collection, key, Some(Arc::clone(&before)), None, gone);
        Some(before)
    }

    fn remember_object(
        &mut self,
        collection: &str,
        key: &str,
        before: Option<Arc<Object>>,
        after: Option<Arc<Object>>,
        gone: Option<Arc<Object>>,
    ) {
        self.remember(Change::Object(ObjectChange {
            collection: collection.to_owned(),
            key: key.to_owned(),
            revision: self.revision,
            before,
            after,
            gone,
        }));
    }

    fn insert(
        &mut self,
        collection: &str,
        key: String,
        object: Arc<Object>,
    ) -> Option<Arc<Object>> {
        let objects = self.collections.entry(collection.to_owned()).or_default();
        Arc::make_mut(objects).insert(key, object)
    }
}
