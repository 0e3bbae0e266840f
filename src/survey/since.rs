//! What changed since an earlier scan: findings that appeared and that went away.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use super::report::RowSelection;
use super::row::Row;
use crate::controller::Release;
use crate::diagnose::Severity;
use crate::model::{ObjectKey, ResourceKind, UnreadResource};

/// Which `CronJob`s a scan is about. Scans of different ones are not compared: what one of them leaves out
/// would look deleted.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ScanSelection {
    /// The namespace, or several separated by commas; null for all namespaces.
    pub namespace: Option<String>,
    /// The names, sorted; empty for all.
    pub names: Vec<String>,
    /// The label selector of `-l`.
    pub label_selector: Option<String>,
    /// The field selector of `--field-selector`.
    pub field_selector: Option<String>,
    /// The tool of `--managed-by`.
    pub managed_by: Option<String>,
}

impl ScanSelection {
    /// Whether it selects all CronJobs of its namespaces.
    pub(crate) fn is_whole(&self) -> bool {
        let selectors = [&self.label_selector, &self.field_selector, &self.managed_by];
        self.names.is_empty() && selectors.into_iter().all(Option::is_none)
    }
}

/// What an earlier `scan -o json` wrote, as far as it is compared.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct EarlierScan {
    pub now: Timestamp,
    /// Absent in documents of releases that did not write it.
    #[serde(default)]
    pub selection: Option<ScanSelection>,
    controller: EarlierController,
    summary: EarlierSummary,
    items: Vec<EarlierRow>,
    #[serde(default)]
    lacks: Vec<EarlierLack>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct EarlierController {
    kubernetes_version: String,
}

#[derive(Clone, Copy, Debug, Deserialize)]
struct EarlierSummary {
    total: usize,
}

#[derive(Clone, Debug, Deserialize)]
struct EarlierRow {
    namespace: String,
    name: String,
    findings: Vec<EarlierFinding>,
}

impl EarlierRow {
    fn key(&self) -> ObjectKey {
        ObjectKey::new(self.namespace.as_str(), self.name.as_str())
    }
}

#[derive(Clone, Debug, Deserialize)]
struct EarlierFinding {
    code: String,
    #[serde(deserialize_with = "severity")]
    severity: Severity,
    title: String,
    detail: String,
}

#[derive(Clone, Debug, Deserialize)]
struct EarlierLack {
    what: String,
}

fn severity<'de, D: Deserializer<'de>>(from: D) -> Result<Severity, D::Error> {
    let word = String::deserialize(from)?;
    let known = Severity::ALL.into_iter();
    let mut known = known.filter(|severity| severity.as_str() == word);
    let unknown = || serde::de::Error::unknown_variant(&word, Severity::STRINGS);
    known.next().ok_or_else(unknown)
}

impl EarlierScan {
    /// Whether it lists every `CronJob` that it is about, as without `--problems-only`.
    pub(crate) fn is_whole(&self) -> bool {
        self.summary.total == self.items.len()
    }
}

/// A scan to compare with an earlier one.
pub(crate) struct CurrentScan<'a> {
    pub release: Release,
    /// All rows, whether they are shown or not.
    pub rows: &'a [Row],
    pub lacks: &'a [UnreadResource],
    /// Whether everything that was selected could be read.
    pub complete: bool,
}

/// What changed since an earlier scan.
#[derive(Clone, Debug, Default, JsonSchema, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ScanChanges {
    /// The time of the earlier scan.
    pub at: Timestamp,
    /// Findings that the earlier scan did not have, most severe first. A finding is the same if the
    /// `CronJob` and the code are the same.
    pub new: Vec<FindingChange>,
    /// Findings of both scans whose severity changed.
    pub severity_changes: Vec<FindingChange>,
    /// Findings of the earlier scan that no longer exist, most severe first.
    pub gone: Vec<FindingChange>,
    /// The number of findings of both scans whose severity did not change.
    pub still: usize,
    /// `CronJob`s that the earlier scan did not find.
    pub added: Vec<CronJobName>,
    /// `CronJob`s of the earlier scan that were deleted, or that the selectors no longer select.
    pub removed: Vec<CronJobName>,
    /// What limits the comparison, as sentences.
    pub notes: Vec<String>,
    /// The highest severity of what is new or more severe, whether it is shown or not.
    #[serde(skip)]
    pub worst: Option<Severity>,
}

/// A finding that is not as it was.
#[derive(Clone, Debug, JsonSchema, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FindingChange {
    /// The namespace of the `CronJob`.
    pub namespace: String,
    /// The name of the `CronJob`.
    pub name: String,
    /// The code of the finding.
    pub code: String,
    /// The severity now; null if the finding is gone.
    pub severity: Option<Severity>,
    /// The severity in the earlier scan; null if the finding is new.
    pub earlier_severity: Option<Severity>,
    /// The title of the finding.
    pub title: String,
    /// The details; if the finding is gone, those of the earlier scan.
    pub detail: String,
}

/// A `CronJob`.
#[derive(Clone, Debug, JsonSchema, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub(crate) struct CronJobName {
    /// The namespace.
    pub namespace: String,
    /// The name.
    pub name: String,
}

impl From<&ObjectKey> for CronJobName {
    fn from(key: &ObjectKey) -> Self {
        CronJobName {
            namespace: key.namespace.clone(),
            name: key.name.clone(),
        }
    }
}

/// What a finding of two scans is the same by. Several of the same code are distinguished by their order.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct FindingKey<'a> {
    cron_job: ObjectKey,
    code: &'a str,
    number: usize,
}

impl ScanChanges {
    /// Compares two scans. With `problems_only` only errors and warnings are listed.
    pub(crate) fn between(
        earlier: &EarlierScan,
        now: &CurrentScan<'_>,
        selection: RowSelection,
    ) -> Self {
        let rows = now.rows.iter().filter(|row| selection.selects(row));
        let rows: Vec<&Row> = rows.collect();
        let old_keys: BTreeSet<ObjectKey> = earlier.items.iter().map(EarlierRow::key).collect();
        let new_keys: BTreeSet<ObjectKey> = rows.iter().map(|row| row.key()).collect();
        let old = by_key(earlier.items.iter().map(|row| {
            let findings = row.findings.iter();
            let findings = findings.map(|finding| (finding.code.as_str(), finding));
            (row.key(), findings)
        }));
        let new = by_key(rows.iter().map(|row| {
            let findings = row.findings.iter();
            (row.key(), findings.map(|finding| (finding.code, finding)))
        }));
        let mut changes = ScanChanges {
            at: earlier.now,
            notes: notes(earlier, now),
            ..ScanChanges::default()
        };
        for (key, finding) in &new {
            let before = old.get(key).map(|finding| finding.severity);
            if before == Some(finding.severity) {
                changes.still += usize::from(is_listed(selection, before));
                continue;
            }
            let change = change(key, finding.title, &finding.detail);
            let change = FindingChange {
                severity: Some(finding.severity),
                earlier_severity: before,
                ..change
            };
            if before < change.severity {
                changes.worst = changes.worst.max(change.severity);
            }
            if before.is_none() {
                changes.new.push(change);
            } else {
                changes.severity_changes.push(change);
            }
        }
        for (key, finding) in &old {
            if new.contains_key(key) {
                continue;
            }
            // What could not be read may still exist.
            if !now.complete && !new_keys.contains(&key.cron_job) {
                continue;
            }
            changes.gone.push(FindingChange {
                earlier_severity: Some(finding.severity),
                ..change(key, &finding.title, &finding.detail)
            });
        }
        let added = new_keys.difference(&old_keys);
        changes.added = added.map(CronJobName::from).collect();
        let missing = old_keys.difference(&new_keys).map(CronJobName::from);
        let missing: Vec<CronJobName> = missing.collect();
        if now.complete {
            changes.removed = missing;
        } else if !missing.is_empty() {
            let count = missing.len();
            changes.notes.push(format!(
                "Not everything could be read: {count} of the CronJobs of the earlier scan are not compared."
            ));
        }
        for list in [
            &mut changes.new,
            &mut changes.severity_changes,
            &mut changes.gone,
        ] {
            list.retain(|change| {
                is_listed(selection, change.severity.max(change.earlier_severity))
            });
            list.sort_by_cached_key(|change| {
                let severity = change.severity.or(change.earlier_severity);
                (Reverse(severity), change.clone())
            });
        }
        changes
    }
}

fn is_listed(selection: RowSelection, severity: Option<Severity>) -> bool {
    !selection.problems_only || severity >= Some(Severity::Warning)
}

fn by_key<'a, F: 'a, I>(
    rows: impl Iterator<Item = (ObjectKey, I)>,
) -> BTreeMap<FindingKey<'a>, &'a F>
where
    I: Iterator<Item = (&'a str, &'a F)>,
{
    let mut findings = BTreeMap::new();
    for (cron_job, of_row) in rows {
        for (code, finding) in of_row {
            let mut key = FindingKey {
                cron_job: cron_job.clone(),
                code,
                number: 0,
            };
            while findings.contains_key(&key) {
                key.number += 1;
            }
            findings.insert(key, finding);
        }
    }
    findings
}

fn change(key: &FindingKey<'_>, title: &str, detail: &str) -> FindingChange {
    FindingChange {
        namespace: key.cron_job.namespace.clone(),
        name: key.cron_job.name.clone(),
        code: key.code.to_owned(),
        severity: None,
        earlier_severity: None,
        title: title.to_owned(),
        detail: detail.to_owned(),
    }
}

/// Why findings may differ although the `CronJob`s did not change.
fn notes(earlier: &EarlierScan, now: &CurrentScan<'_>) -> Vec<String> {
    let mut notes = Vec::new();
    let old = |what: &str| earlier.lacks.iter().any(|lack| lack.what == what);
    let new = |what: &str| now.lacks.iter().any(|lack| lack.what.as_str() == what);
    for what in ResourceKind::STRINGS {
        match (old(what), new(what)) {
            (true, false) => notes.push(format!(
                "The earlier scan did not read {what}: findings listed as new may be older."
            )),
            (false, true) => notes.push(format!(
                "This scan did not read {what}: findings listed as gone may still exist."
            )),
            _ => {}
        }
    }
    let version = &earlier.controller.kubernetes_version;
    if *version != now.release.to_string() {
        notes.push(format!(
            "The earlier scan was for Kubernetes {version}, this one is for {}.",
            now.release
        ));
    }
    notes
}
