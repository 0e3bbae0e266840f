//! What could not be read, and which `CronJob`s may be in it: nothing is predicted for them.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;

use super::{ChangeKind, PlannedCronJob};
use kube_model::ObjectKey;

/// A file, or a part of one, that could not be read.
#[derive(Clone, Debug, JsonSchema, PartialEq, Eq, Serialize)]
pub struct UnreadPart {
    /// The file or directory, or `stdin`; null if it is not known.
    pub file: Option<String>,
    /// The line of the error, from 1.
    pub line: Option<u32>,
    /// Why it could not be read, with the place.
    pub message: String,
    #[serde(skip)]
    pub may_hold: MayHold,
}

/// Which `CronJob`s may be in a part that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MayHold {
    Nothing,
    /// Only the one of this namespace and name.
    Named(ObjectKey),
    /// Those whose name is in the text.
    InText(String),
    Anything,
}

impl UnreadPart {
    pub(super) fn may_hold(&self, key: &ObjectKey) -> bool {
        match &self.may_hold {
            MayHold::Nothing => false,
            MayHold::Named(own) => own == key,
            // The values of a template are not known.
            MayHold::InText(text) => text.contains(&key.name) || text.contains("{{"),
            MayHold::Anything => true,
        }
    }

    /// The `CronJob` that could not be read, if its name could.
    pub(super) fn named(&self) -> Option<&ObjectKey> {
        match &self.may_hold {
            MayHold::Named(key) => Some(key),
            _ => None,
        }
    }
}

/// Adds those that have a name and are not in the plan.
pub(super) fn add_named<'p>(
    items: &mut Vec<PlannedCronJob>,
    parts: impl Iterator<Item = &'p UnreadPart>,
) {
    let known = items.iter();
    let mut known: BTreeSet<ObjectKey> = known
        .map(|item| ObjectKey::new(item.namespace.as_str(), item.name.as_str()))
        .collect();
    for part in parts {
        let Some(key) = part.named() else {
            continue;
        };
        if known.insert(key.clone()) {
            items.push(PlannedCronJob {
                file: part.file.clone(),
                line: part.line,
                ..PlannedCronJob::named(&key.namespace, &key.name, ChangeKind::NotRead)
            });
        }
    }
}
