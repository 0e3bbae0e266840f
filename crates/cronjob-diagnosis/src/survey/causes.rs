//! What several `CronJob`s fail for.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ptr;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::row::{Health, Row};
use crate::diagnose::{CauseKind, FailureCause, Finding, Severity};
use crate::kubectl::Remedy;
use cronjob_text::printable::one_line;
use cronjob_text::words::counted_in_groups;

/// Two that fail for the same object among others that fail for other reasons are easily seen in the list.
const ENOUGH: usize = 3;
/// Two are enough where nothing else fails: then it is the answer to what is wrong.
const ENOUGH_ALONE: usize = 2;

/// An object that several `CronJob`s fail for, as the evidence of each of them says.
#[derive(Clone, Debug, JsonSchema, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SharedCause {
    /// The kind of the object.
    pub kind: CauseKind,
    /// The image as the pods name it, the host of the registry, or the name of the object.
    pub object: String,
    /// The namespace of the object; null for an image, a registry, a node and a webhook.
    pub namespace: Option<String>,
    /// The severity of the most severe finding that is due to it.
    pub severity: Severity,
    /// How many `CronJob`s fail for it.
    pub count: usize,
    /// The namespaces of these `CronJob`s, sorted.
    pub namespaces: Vec<String>,
    /// These `CronJob`s, as `NAMESPACE/NAME`, sorted.
    pub cron_jobs: Vec<String>,
    /// Since when the first of them has failed for it; null if unknown.
    pub since: Option<Timestamp>,
    /// How many `CronJob`s fail for what, in words.
    pub text: String,
    /// The command that shows the object or a pod that fails for it, and the one that lists the `CronJob`s.
    pub remedy: Remedy,
}

/// A `CronJob` that fails for an object, as one of its findings says.
type Failing<'a> = (&'a Row, &'a Finding, &'a FailureCause);

impl SharedCause {
    /// `others` is how many `CronJob`s were changed at the same time, and do not fail.
    fn of(found: &[Failing<'_>], others: usize) -> Option<Self> {
        let (_, _, first) = found.first()?;
        let mut namespaces: Vec<String> = found
            .iter()
            .map(|(row, ..)| row.namespace.clone())
            .collect();
        namespaces.dedup();
        let place = match namespaces.as_slice() {
            [only] => format!("namespace {}", one_line(only)),
            several => counted_in_groups(several.len(), "namespace"),
        };
        let cron_jobs = counted_in_groups(found.len(), "CronJob");
        let what = match first.kind {
            CauseKind::Change => changed(found.len(), others, &one_line(&first.object)),
            kind => in_words(kind, &one_line(&first.object)),
        };
        let severities = found.iter().map(|(_, finding, _)| finding.severity);
        Some(SharedCause {
            kind: first.kind,
            object: first.object.clone(),
            namespace: first.namespace.clone(),
            severity: severities.max()?,
            count: found.len(),
            namespaces,
            cron_jobs: found
                .iter()
                .map(|(row, ..)| row.key().to_string())
                .collect(),
            since: found.iter().filter_map(|(.., cause)| cause.since).min(),
            text: format!("{cron_jobs} in {place}: {what}"),
            remedy: first.remedy.clone(),
        })
    }
}

fn in_words(kind: CauseKind, object: &str) -> String {
    match kind {
        CauseKind::Image => format!("cannot pull {object}"),
        CauseKind::Registry => format!("cannot pull images from {object}"),
        CauseKind::Node => format!("node {object} is not available"),
        CauseKind::ResourceQuota => format!("ResourceQuota {object} is used up"),
        CauseKind::Webhook => format!("cannot reach the webhook {object}"),
        CauseKind::ServiceAccount => format!("ServiceAccount {object} does not exist"),
        CauseKind::ConfigMap => format!("ConfigMap {object} does not exist"),
        CauseKind::Secret => format!("Secret {object} does not exist"),
        CauseKind::PersistentVolumeClaim => {
            format!("PersistentVolumeClaim {object} does not exist")
        }
        CauseKind::Namespace => format!("namespace {object} is being deleted"),
        CauseKind::Change => format!("failing after {object} changed the Job template"),
    }
}

/// What some fail for that were changed at the same time. That others do not fail tells how likely it is.
fn changed(failing: usize, others: usize, manager: &str) -> String {
    let of = match others {
        0 => String::new(),
        others => format!(" ({} of {} changed then)", failing, failing + others),
    };
    format!("{}{of}", in_words(CauseKind::Change, manager))
}

/// Changes by the same client in the same minute are one.
fn minute(kind: CauseKind, at: Option<Timestamp>) -> Option<i64> {
    let at = at.filter(|_| kind == CauseKind::Change)?;
    Some(at.as_second().div_euclid(60))
}

/// The objects that several `CronJob`s fail for, those of the most `CronJob`s first.
pub fn shared_causes<'a>(rows: &(impl Iterator<Item = &'a Row> + Clone)) -> Vec<SharedCause> {
    let mut groups: BTreeMap<_, Vec<Failing<'_>>> = BTreeMap::new();
    for row in rows.clone() {
        for finding in &row.findings {
            let Some(cause) = finding.cause.as_deref() else {
                continue;
            };
            let minute = minute(cause.kind, cause.since);
            let object = (&cause.object, cause.kind, &cause.namespace, minute);
            let group = groups.entry(object).or_default();
            // Several findings of a CronJob may be due to the same object.
            if group.last().is_none_or(|(last, ..)| !ptr::eq(*last, row)) {
                group.push((row, finding, cause));
            }
        }
    }
    let is_broken = |row: &&Row| row.health == Health::Error;
    let broken = rows.clone().filter(is_broken).count();
    let groups = groups.into_iter().filter(|((_, kind, ..), group)| {
        let of_group = group.iter().filter(|(row, ..)| is_broken(row)).count();
        let enough = match kind {
            // It is worth a word also if it breaks only one.
            CauseKind::Change => 1,
            _ if of_group == broken => ENOUGH_ALONE,
            _ => ENOUGH,
        };
        group.len() >= enough
    });
    // How many were changed by a client in a minute, whether they fail or not.
    let mut changes: BTreeMap<(&str, Option<i64>), usize> = BTreeMap::new();
    for (who, when) in rows.clone().filter_map(|row| row.template_change.as_ref()) {
        let minute = minute(CauseKind::Change, Some(*when));
        *changes.entry((who, minute)).or_default() += 1;
    }
    let shared = groups.filter_map(|((object, kind, _, at), mut group)| {
        group.sort_by_key(|(row, ..)| (&row.namespace, &row.name));
        let is_change = kind == CauseKind::Change;
        let changed = changes.get(&(object.as_str(), at)).filter(|_| is_change);
        let others = changed.map_or(0, |changed| changed.saturating_sub(group.len()));
        SharedCause::of(&group, others)
    });
    let mut shared: Vec<SharedCause> = shared.collect();
    shared.sort_by_key(|cause| Reverse(cause.count));
    shared
}
