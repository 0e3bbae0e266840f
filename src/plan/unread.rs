//! What could not be read, and which `CronJob`s may be in it: nothing is predicted for them.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;

use super::{ChangeKind, PlannedCronJob};

/// A file, or a part of one, that could not be read.
#[derive(Clone, Debug, JsonSchema, PartialEq, Eq, Serialize)]
pub(crate) struct UnreadPart {
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
pub(crate) enum MayHold {
    Nothing,
    /// Only the one of this namespace and name.
    Named(String, String),
    /// Those whose name is in the text.
    InText(String),
    Anything,
}

impl UnreadPart {
    pub(super) fn may_hold(&self, namespace: &str, name: &str) -> bool {
        match &self.may_hold {
            MayHold::Nothing => false,
            MayHold::Named(own_namespace, own) => own_namespace == namespace && own == name,
            // The values of a template are not known.
            MayHold::InText(text) => text.contains(name) || text.contains("{{"),
            MayHold::Anything => true,
        }
    }

    /// The `CronJob` that could not be read, if its name could.
    pub(super) fn named(&self) -> Option<(&str, &str)> {
        match &self.may_hold {
            MayHold::Named(namespace, name) => Some((namespace, name)),
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
    let mut known: BTreeSet<(String, String)> = known
        .map(|item| (item.namespace.clone(), item.name.clone()))
        .collect();
    for part in parts {
        let Some((namespace, name)) = part.named() else {
            continue;
        };
        if known.insert((namespace.to_owned(), name.to_owned())) {
            items.push(PlannedCronJob {
                file: part.file.clone(),
                line: part.line,
                ..PlannedCronJob::named(namespace, name, ChangeKind::NotRead)
            });
        }
    }
}
