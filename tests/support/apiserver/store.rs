//! The objects, their resource versions, and their changes.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value, json};

use super::objects::Object;

/// Everything that is stored.
#[derive(Default)]
pub(crate) struct Store {
    /// In etcd's order: by resource, namespace and name, as [`super::resources::Resource::key`] joins them.
    objects: BTreeMap<String, Arc<Object>>,
    /// The newest resource version.
    revision: u64,
    /// Watches and continue tokens are valid from this resource version on.
    oldest: u64,
    changes: Vec<Change>,
    closings: usize,
    closed_at: usize,
    uids: u64,
}

/// An object that was created, changed or deleted.
pub(crate) struct Change {
    pub(crate) key: String,
    pub(crate) revision: u64,
    pub(crate) before: Option<Arc<Object>>,
    pub(crate) after: Option<Arc<Object>>,
    /// A deleted object, with the resource version of its deletion.
    pub(crate) gone: Option<Arc<Object>>,
}

impl Store {
    pub(crate) fn revision(&self) -> u64 {
        self.revision.max(1)
    }

    pub(crate) fn oldest(&self) -> u64 {
        self.oldest
    }

    pub(crate) fn get(&self, key: &str) -> Option<Arc<Object>> {
        self.objects.get(key).cloned()
    }

    /// The objects whose keys have a prefix, from a key on.
    pub(crate) fn range(
        &self,
        prefix: &str,
        start: &str,
    ) -> impl Iterator<Item = (&String, &Arc<Object>)> {
        self.objects
            .range(start.to_owned()..)
            .take_while(move |(key, _)| key.starts_with(prefix))
    }

    /// Whether there is that namespace, or any object in it.
    pub(crate) fn has_namespace(&self, name: &str) -> bool {
        let mut keys = self.objects.keys();
        keys.any(|key| key.split('/').nth(1) == Some(name))
    }

    /// Forgets everything before now: older watches and continue tokens are refused.
    pub(crate) fn compact(&mut self) {
        self.revision += 1;
        self.oldest = self.revision;
    }

    pub(crate) fn next_uid(&mut self) -> String {
        self.uids += 1;
        format!("00000000-0000-4000-8000-{:012x}", self.uids)
    }

    pub(crate) fn raise_revision(&mut self, to: u64) {
        self.revision = self.revision.max(to);
    }

    pub(crate) fn changes(&self) -> &[Change] {
        &self.changes
    }

    /// Ends all watches that are open.
    pub(crate) fn close_watches(&mut self) {
        self.closings += 1;
        self.closed_at = self.changes.len();
    }

    /// How often watches were closed, and how many changes there were the last time.
    pub(crate) fn closings(&self) -> (usize, usize) {
        (self.closings, self.closed_at)
    }

    /// Stores an object with the resource version that it already has. If that is a new one, watches receive it.
    pub(crate) fn seed(&mut self, key: &str, object: Value, revision: u64) {
        let object = Arc::new(Object::Plain(object));
        let before = self.insert(key, Arc::clone(&object));
        if revision > self.revision {
            self.revision = revision;
            self.remember(key, before, Some(object), None);
        }
    }

    /// Stores an object as a change: it gets the next resource version.
    pub(crate) fn put(&mut self, key: &str, mut value: Value) -> Arc<Object> {
        self.stamp(&mut value);
        let object = Arc::new(Object::Plain(value));
        let before = self.insert(key, Arc::clone(&object));
        self.remember(key, before, Some(Arc::clone(&object)), None);
        object
    }

    /// Deletes an object.
    pub(crate) fn remove(&mut self, key: &str) -> Option<Arc<Object>> {
        let before = self.objects.remove(key)?;
        let mut last = before.value().into_owned();
        self.stamp(&mut last);
        let gone = Some(Arc::new(Object::Plain(last)));
        self.remember(key, Some(Arc::clone(&before)), None, gone);
        Some(before)
    }

    /// Stores an object without a change, so that watches do not receive it.
    pub(crate) fn insert(&mut self, key: &str, object: Arc<Object>) -> Option<Arc<Object>> {
        self.objects.insert(key.to_owned(), object)
    }

    /// Gives a value the next resource version.
    fn stamp(&mut self, value: &mut Value) {
        self.revision = self.revision() + 1;
        value["metadata"]["resourceVersion"] = json!(self.revision.to_string());
    }

    fn remember(
        &mut self,
        key: &str,
        before: Option<Arc<Object>>,
        after: Option<Arc<Object>>,
        gone: Option<Arc<Object>>,
    ) {
        self.changes.push(Change {
            key: key.to_owned(),
            revision: self.revision,
            before,
            after,
            gone,
        });
    }
}
