//! What objects of all kinds have, and how they point at each other.

use std::collections::{BTreeMap, HashSet};
use std::fmt;
use std::sync::Arc;

use jiff::Timestamp;
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::texts::SharedText;

/// The field manager of all changes, unless another one is specified.
pub const FIELD_MANAGER: &str = "kubectl-cronjob-doctor";

/// The annotation in which `suspend --reason` says why.
pub const SUSPEND_REASON: &str = "cronjob-doctor/suspend-reason";

/// The annotation in which `suspend` records when it did.
pub const SUSPENDED_AT: &str = "cronjob-doctor/suspended-at";

/// The annotation in which `suspend` records the user.
pub const SUSPENDED_BY: &str = "cronjob-doctor/suspended-by";

/// The annotation in which `suspend --until` records the planned end.
pub const SUSPENDED_UNTIL: &str = "cronjob-doctor/suspended-until";

/// The annotation in which `resume` records the first and the last run that it skipped.
pub const SKIPPED_RUNS: &str = "cronjob-doctor/skipped-runs";

/// The annotation in which `resume` then records when the suspension began, if that is known, and ended.
pub const LAST_SUSPENSION: &str = "cronjob-doctor/last-suspension";

/// All annotations about a suspension. Resuming removes them.
pub const SUSPENSION_ANNOTATIONS: [&str; 4] =
    [SUSPEND_REASON, SUSPENDED_AT, SUSPENDED_BY, SUSPENDED_UNTIL];

/// The namespace and the name of an object, which are unique in its kind.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectKey {
    pub namespace: String,
    pub name: String,
}

impl ObjectKey {
    pub fn new(namespace: impl Into<String>, name: impl Into<String>) -> Self {
        ObjectKey {
            namespace: namespace.into(),
            name: name.into(),
        }
    }
}

/// `shop/nightly`
impl fmt::Display for ObjectKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.namespace, self.name)
    }
}

/// Who set which fields of an object, and when: an entry of `metadata.managedFields`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ManagedField {
    pub manager: String,
    /// `Apply` or `Update`.
    pub operation: String,
    pub time: Option<Timestamp>,
    /// `status` if it wrote through the status subresource; empty for the object itself.
    pub subresource: String,
    /// The fields of the spec that it set, such as `schedule`.
    pub of_spec: Vec<Box<str>>,
    /// Whether it set anything beside the spec.
    pub beside_spec: bool,
    /// Whether it set an annotation about a suspension.
    pub of_suspension: bool,
    /// Whether it set `status.lastScheduleTime`, as the controller does and `resume --catch-up=skip`.
    pub of_last_schedule_time: bool,
}

impl ManagedField {
    /// Whether it set a field of the spec of the object itself.
    pub fn sets(&self, field: &str) -> bool {
        self.subresource.is_empty() && self.of_spec.iter().any(|name| **name == *field)
    }

    /// Takes down what it set.
    pub fn note_fields(&mut self, fields: &SetFields) {
        let SetFields {
            metadata,
            spec,
            status,
        } = fields;
        self.of_spec = names(spec).map(Box::from).collect();
        self.beside_spec = metadata.is_some() || status.is_some();
        let mut of_status = status.iter().flat_map(names);
        self.of_last_schedule_time = of_status.any(|name| name == "lastScheduleTime");
        let metadata = metadata.iter();
        let annotations = metadata.filter_map(|metadata| metadata.get("f:annotations"));
        let mut annotations = annotations.flat_map(names);
        self.of_suspension = annotations.any(|name| SUSPENSION_ANNOTATIONS.contains(&name));
    }
}

type FieldSet<T = IgnoredAny> = BTreeMap<String, T>;

/// `FieldsV1`: the fields that someone set, as deep as they are used.
// A set cannot be read from an object.
#[allow(clippy::zero_sized_map_values)]
#[derive(Debug, Default, Deserialize)]
pub struct SetFields {
    #[serde(rename = "f:metadata")]
    metadata: Option<FieldSet<FieldSet>>,
    #[serde(rename = "f:spec", default)]
    spec: FieldSet,
    #[serde(rename = "f:status")]
    status: Option<FieldSet>,
}

/// The other keys are a dot, and items of lists.
#[allow(clippy::zero_sized_map_values)]
fn names(fields: &FieldSet) -> impl Iterator<Item = &str> {
    let names = fields.keys();
    names.filter_map(|name| name.strip_prefix("f:"))
}

/// A reference to another object, such as the object of an event.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct ObjectReference {
    pub kind: String,
    pub namespace: String,
    pub name: String,
    /// Its identity; a namesake that was created later has another one.
    pub uid: String,
}

/// Something that is or is not true of an object, such as `Complete` of a Job.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Condition {
    /// What it is about.
    pub r#type: SharedText,
    /// `True`, `False` or `Unknown`.
    pub status: SharedText,
    /// Why, in one word, such as `Unschedulable`.
    pub reason: SharedText,
    pub message: SharedText,
    pub last_transition_time: Option<Timestamp>,
}

/// Why a Job failed because of its pod failure policy.
const POD_FAILURE_POLICY: &str = "PodFailurePolicy";

impl Condition {
    /// Takes each text from `known` that is there, and adds the others to it.
    pub fn share_texts(&mut self, known: &mut HashSet<Arc<str>>) {
        let Condition {
            r#type,
            status,
            reason,
            message,
            ..
        } = self;
        for text in [r#type, status, reason, message] {
            text.share(known);
        }
    }

    /// The reason without the rule of a pod failure policy.
    pub fn reason_without_rule(&self) -> &str {
        let rule = self.reason.strip_prefix(POD_FAILURE_POLICY);
        match rule {
            Some(rule) if rule.starts_with('_') => POD_FAILURE_POLICY,
            _ => &self.reason,
        }
    }

    /// The name of the rule of a pod failure policy that failed a Job, or its index. Kubernetes 1.38 adds it to the reason
    /// where the feature gate `PodFailurePolicyName` is on: `PodFailurePolicy_bad-config`.
    pub fn pod_failure_rule(&self) -> Option<&str> {
        let rule = self.reason.strip_prefix(POD_FAILURE_POLICY)?;
        rule.strip_prefix('_').filter(|rule| !rule.is_empty())
    }
}

/// A pointer to the object that this one belongs to.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct OwnerReference {
    /// The API group and version of the owner.
    pub api_version: String,
    pub kind: String,
    pub name: String,
    pub uid: String,
    /// Whether the owner is the one that manages the object.
    pub controller: Option<bool>,
}
