//! Builds trees for the YAML and the JSON reader.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::error::Problem;
use super::node::{Entry, Mapping, MappingKey, Node, Place};

/// Below this size a linear search is faster than hashing.
const SMALL: usize = 16;

/// Interns keys: a snapshot has few different keys, and many of each.
#[derive(Debug, Default)]
pub(super) struct Interner {
    known: HashSet<Arc<str>>,
}

impl Interner {
    pub(super) fn intern(&mut self, text: &str) -> Arc<str> {
        if let Some(known) = self.known.get(text) {
            return Arc::clone(known);
        }
        let new: Arc<str> = Arc::from(text);
        self.known.insert(Arc::clone(&new));
        new
    }
}

#[derive(Debug, Default)]
pub(super) struct MappingBuilder {
    entries: Vec<Entry>,
    index: HashMap<Arc<str>, usize>,
}

impl MappingBuilder {
    /// Adds a key that was written in this mapping.
    pub(super) fn insert(&mut self, key: MappingKey, value: Node, problems: &mut Vec<Problem>) {
        let Some(existing) = self.find(&key.text) else {
            self.push(Entry {
                key,
                value,
                merged: false,
            });
            return;
        };
        // An explicit key replaces a merged one.
        if !existing.merged {
            problems.push(Problem::DuplicateKey {
                key: key.text.to_string(),
                first: existing.key.place,
                second: key.place,
            });
        }
        *existing = Entry {
            key,
            value,
            merged: false,
        };
    }

    /// Adds the keys of `other` as a merge key does.
    ///
    /// go-yaml v2 merges in the order of the text, so a merge key after an explicit key replaces it,
    /// against the rules of YAML. kubectl does the same.
    pub(super) fn merge(&mut self, other: &Mapping, merge: Place, problems: &mut Vec<Problem>) {
        for entry in other.entries() {
            let merged = Entry {
                merged: true,
                ..entry.clone()
            };
            let Some(existing) = self.find(&merged.key.text) else {
                self.push(merged);
                continue;
            };
            if !existing.merged {
                problems.push(Problem::MergeReplacesKey {
                    key: merged.key.text.to_string(),
                    explicit: existing.key.place,
                    merge,
                });
            }
            *existing = merged;
        }
    }

    pub(super) fn finish(mut self) -> Mapping {
        self.entries.shrink_to_fit();
        Mapping {
            entries: self.entries,
        }
    }

    fn find(&mut self, key: &Arc<str>) -> Option<&mut Entry> {
        if self.entries.len() <= SMALL {
            return self.entries.iter_mut().find(|entry| entry.key.text == *key);
        }
        if self.index.is_empty() {
            let keys = self.entries.iter().enumerate();
            self.index = keys.map(|(at, e)| (Arc::clone(&e.key.text), at)).collect();
        }
        let at = *self.index.get(key)?;
        self.entries.get_mut(at)
    }

    fn push(&mut self, entry: Entry) {
        if !self.index.is_empty() {
            self.index
                .insert(Arc::clone(&entry.key.text), self.entries.len());
        }
        self.entries.push(entry);
    }
}
