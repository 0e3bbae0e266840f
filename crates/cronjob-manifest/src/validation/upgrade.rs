//! What an upgrade of the API server changes for writes of a manifest.
//!
//! The answers for the creation of an object come from [`validate`]. The updates of an existing object are more
//! lenient: a time zone in the schedule is only rejected if it is new, and `timeZone` and the length of the name are
//! only checked if they change.

use serde::Serialize;

use super::answer::{CauseReason, ValidationResult};
use super::validate;
use cronjob_controller::controller::{Release, ZonePrefix, names_zone};
use kube_cron::Zones;
use located_yaml::Node;

/// A write of a manifest that another version of the API server answers differently.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct WriteChange {
    /// The version with the other answer.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    #[serde(rename = "kubernetesVersion")]
    pub release: Release,
    /// What changes: every write is rejected, only the creation of the object is rejected, there is a warning, or a
    /// field is stored that the old version does not store.
    pub effect: WriteEffect,
    /// The path of the field; null if the message names it.
    pub field: Option<String>,
    /// The message of the API server; null if it has none.
    pub message: Option<String>,
}

string_enum! {
    /// What changes for a write.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub enum WriteEffect {
        /// Every write of the manifest is rejected.
        WriteRejected = "writeRejected",
        /// Only creating the object is rejected, updating the existing one is not.
        CreateRejected = "createRejected",
        /// There is a warning.
        Warning = "warning",
        /// A field that the old version does not store is stored with the next write.
        FieldStored = "fieldStored",
    }
}

/// What changes for writes of a manifest that the old version has stored. The manifest is complete.
pub fn write_changes(
    object: &Node,
    old: Release,
    new: Release,
    zones: &dyn Zones,
) -> Vec<WriteChange> {
    let (before, after) = (
        validate(object, &[], old, zones),
        validate(object, &[], new, zones),
    );
    let mut changes = stored_fields(new, &before, &after);
    if precludes(&before) && !changes.iter().any(is_stored) {
        // What the old version does not decode, it has not stored.
        return changes;
    }
    let change = |effect, field: Option<&str>, message: &str| WriteChange {
        release: new,
        effect,
        field: field.map(str::to_owned),
        message: Some(message.to_owned()),
    };
    for cause in &after.causes {
        let mut known = before.causes.iter();
        // The old version rejects the field, too, perhaps for another reason.
        if known.any(|known| known.field == cause.field) {
            continue;
        }
        // The rules were not checked for the old version, so that these may not be new.
        if precludes(&before) && !cause.reason.precludes_validation() {
            continue;
        }
        let effect = match cause.field.as_str() {
            "spec.schedule" if is_zone_prefix(object, new) => WriteEffect::CreateRejected,
            "spec.timeZone" | "metadata.name" => WriteEffect::CreateRejected,
            _ => WriteEffect::WriteRejected,
        };
        changes.push(change(effect, Some(&cause.field), &cause.message));
    }
    if before.accepts() {
        let is_new = |message: &str| {
            // The name is only checked when an object is created.
            let mut known = before.warnings.iter();
            !message.starts_with("metadata.name:") && !known.any(|known| known.message == message)
        };
        let warnings = after
            .warnings
            .iter()
            .map(|warning| warning.message.as_str());
        let warnings = warnings.filter(|message| is_new(message));
        changes.extend(warnings.map(|message| change(WriteEffect::Warning, None, message)));
    }
    changes.sort_by_key(|change| change.effect);
    changes
}

fn is_stored(change: &WriteChange) -> bool {
    change.effect == WriteEffect::FieldStored
}

fn precludes(answer: &ValidationResult) -> bool {
    let mut reasons = answer.causes.iter().map(|cause| cause.reason);
    reasons.any(CauseReason::precludes_validation)
}

/// Fields that only the new version stores.
fn stored_fields(
    new: Release,
    before: &ValidationResult,
    after: &ValidationResult,
) -> Vec<WriteChange> {
    let mut fields = not_stored(before);
    let missing = not_stored(after);
    fields.retain(|field| !missing.contains(field));
    let changes = fields.into_iter().map(|field| WriteChange {
        release: new,
        effect: WriteEffect::FieldStored,
        field: Some(field.to_owned()),
        message: None,
    });
    changes.collect()
}

/// Fields that a version does not know, or drops.
fn not_stored(answer: &ValidationResult) -> Vec<&str> {
    let causes = answer.causes.iter();
    let unknown = causes.filter(|cause| cause.reason == CauseReason::UnknownField);
    let unknown = unknown.map(|cause| cause.field.as_str());
    let dropped = answer.dropped.iter().map(|dropped| dropped.field.as_str());
    unknown.chain(dropped).collect()
}

/// Whether the schedule names a time zone, which the version rejects in new objects only.
fn is_zone_prefix(object: &Node, release: Release) -> bool {
    let schedule = text_of(object, "schedule").unwrap_or_default();
    let has_field = text_of(object, "timeZone").is_some();
    release.behavior().zone_prefix == ZonePrefix::Refused && names_zone(schedule) && !has_field
}

/// The text of a field of the spec.
fn text_of<'n>(object: &'n Node, field: &str) -> Option<&'n str> {
    object.get("spec")?.get(field)?.as_str()
}
