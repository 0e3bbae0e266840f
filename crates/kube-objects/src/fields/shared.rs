//! What objects of a list have in common, kept once.

use std::collections::HashSet;
use std::sync::Arc;

use serde_json::Value;

use kube_model::OwnerReference;

/// Parts of the objects that were read so far: most are equal to those of another one.
#[derive(Default)]
pub struct SharedParts {
    templates: HashSet<Arc<Value>>,
    /// Those of the last object. A list is in the order of the names, so that the Jobs of a `CronJob` follow each other.
    owners: Arc<Vec<OwnerReference>>,
    /// Namespaces, the names of annotations, and the texts of conditions.
    pub(super) texts: HashSet<Arc<str>>,
}

impl SharedParts {
    pub(super) fn template(&mut self, template: Value) -> Arc<Value> {
        if let Some(known) = self.templates.get(&template) {
            return Arc::clone(known);
        }
        let new = Arc::new(template);
        self.templates.insert(Arc::clone(&new));
        new
    }

    pub(super) fn share_owners(&mut self, owners: &mut Arc<Vec<OwnerReference>>) {
        if *owners == self.owners {
            *owners = Arc::clone(&self.owners);
        } else {
            self.owners = Arc::clone(owners);
        }
    }
}
