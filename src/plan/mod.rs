//! What a change of manifests leads to, before it is applied.

mod apply;
mod compare;
mod effects;

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use crate::controller::Controller;
use crate::diagnose::{Coverage, Facts};
use crate::load::{LoadMember, LoadWindow, most_in_a_minute};
use crate::model::{CronJob, CronJobEvidence, LAST_APPLIED};
use crate::upcoming::{UpcomingRun, coming_runs};
use apply::{Previous, apply};
pub(crate) use compare::FieldChange;
use compare::differences;
pub(crate) use effects::{Effect, EffectKind};

/// A `CronJob` as it is before the change.
pub(crate) struct StoredCronJob {
    /// What is known about it.
    pub evidence: CronJobEvidence,
    /// The whole object.
    pub object: Value,
}

/// A `CronJob` of the manifests.
pub(crate) struct ManifestCronJob {
    /// The `CronJob`.
    pub cron_job: CronJob,
    /// The manifest.
    pub object: Value,
    /// Where it is, as `file:line`.
    pub place: String,
    /// Why the API server would refuse it.
    pub refused: Vec<String>,
}

/// How the manifests are applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ApplyMode {
    /// To a cluster, or to objects that were read from one.
    Live,
    /// To a cluster in which an earlier set of manifests was applied, and nothing was changed since.
    FromManifests,
}

/// What a plan is made of.
pub(crate) struct PlanQuestion<'a> {
    /// The controller.
    pub controller: &'a Controller<'a>,
    /// The moment of the change.
    pub now: Timestamp,
    /// How far the evidence reaches.
    pub coverage: Coverage,
    /// How the manifests are applied.
    pub mode: ApplyMode,
    /// Whether `CronJob`s that are not in the manifests are deleted.
    pub prune: bool,
    /// Reads a `CronJob` out of a whole object.
    pub read: &'a dyn Fn(&Value) -> Result<CronJob, String>,
}

string_enum! {
    /// What happens to a `CronJob`.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub(crate) enum ChangeKind {
        /// It is created.
        Added = "added",
        /// It is deleted.
        Removed = "removed",
        /// It gets another name or namespace: it is deleted, and another one is created.
        Renamed = "renamed",
        /// It is deleted and created again.
        Recreated = "recreated",
        /// Fields of it change.
        Changed = "changed",
        /// Nothing that matters changes.
        Unchanged = "unchanged",
    }
}

/// What a change of manifests leads to.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Plan {
    /// The counts.
    pub summary: PlanSummary,
    /// The most starts in a minute of the next 24 hours.
    pub peak: PeakChange,
    /// Each `CronJob`, those with effects first.
    pub items: Vec<PlannedCronJob>,
}

/// The counts of a plan.
#[derive(Clone, Copy, Debug, Default, JsonSchema, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PlanSummary {
    /// How many are created.
    pub added: usize,
    /// How many are deleted.
    pub removed: usize,
    /// How many get another name or namespace.
    pub renamed: usize,
    /// How many are deleted and created again.
    pub recreated: usize,
    /// How many change.
    pub changed: usize,
    /// How many do not change.
    pub unchanged: usize,
    /// How many start a run because of the change.
    pub starts_now: usize,
    /// How many skip runs because of the change.
    pub skips_runs: usize,
    /// How many lose running Jobs.
    pub removes_running: usize,
    /// How many the API server would refuse.
    pub refused: usize,
}

/// The most starts in a minute before and after the change.
#[derive(Clone, Copy, Debug, Default, JsonSchema, PartialEq, Eq, Serialize)]
pub(crate) struct PeakChange {
    /// Before the change.
    pub before: u64,
    /// After the change.
    pub after: u64,
}

/// What happens to one `CronJob`.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PlannedCronJob {
    /// The namespace.
    pub namespace: String,
    /// The name.
    pub name: String,
    /// What happens to it.
    pub change: ChangeKind,
    /// The namespace and name before, for one that is renamed.
    pub previous: Option<String>,
    /// Where its manifest is; null for one that is deleted.
    pub place: Option<String>,
    /// The fields that change.
    pub fields: Vec<FieldChange>,
    /// Fields that differ from their defaults and stay, because the manifest does not state them.
    pub kept: Vec<String>,
    /// What the controller does because of the change.
    pub effects: Vec<Effect>,
    /// The next runs before the change.
    pub runs_before: Vec<UpcomingRun>,
    /// The next runs after the change.
    pub runs_after: Vec<UpcomingRun>,
    /// Why the API server would refuse it.
    pub refused: Vec<String>,
    /// What is assumed because it is not known.
    pub assumptions: Vec<String>,
}

impl PlannedCronJob {
    fn has(&self, kind: EffectKind) -> bool {
        self.effects.iter().any(|effect| effect.kind == kind)
    }
}

/// How many of the next runs are compared.
const NEXT_RUNS: usize = 3;

/// A namespace and a name.
type Key<'a> = (&'a str, &'a str);

fn key(cron_job: &CronJob) -> Key<'_> {
    (&cron_job.namespace, &cron_job.name)
}

/// Computes what applying the manifests leads to.
pub(crate) fn plan(
    question: &PlanQuestion<'_>,
    stored: &[StoredCronJob],
    manifests: &[ManifestCronJob],
) -> Plan {
    let mut olds: BTreeMap<Key<'_>, &StoredCronJob> = stored
        .iter()
        .map(|stored| (key(&stored.evidence.cron_job), stored))
        .collect();
    let mut items = Vec::new();
    let mut after: Vec<LoadMember> = Vec::new();
    let mut added = Vec::new();
    for manifest in manifests {
        match olds.remove(&key(&manifest.cron_job)) {
            Some(old) => {
                let (item, new) = planned_change(question, old, manifest);
                after.push(LoadMember::from(&new));
                items.push(item);
            }
            None => added.push(manifest),
        }
    }
    let removes = question.prune || question.mode == ApplyMode::FromManifests;
    let mut taken = BTreeSet::new();
    for manifest in added {
        after.push(LoadMember::from(&manifest.cron_job));
        let twin = olds
            .values()
            .find(|old| !taken.contains(&key(&old.evidence.cron_job)) && is_renamed(old, manifest));
        let twin = twin.copied();
        if let Some(old) = twin {
            taken.insert(key(&old.evidence.cron_job));
        }
        items.push(planned_creation(question, manifest, twin, removes));
    }
    for (name, old) in &olds {
        if !removes {
            after.push(LoadMember::from(&old.evidence.cron_job));
        } else if !taken.contains(name) {
            items.push(planned_removal(question, old));
        }
    }
    let before = stored
        .iter()
        .map(|stored| LoadMember::from(&stored.evidence.cron_job));
    let before: Vec<LoadMember> = before.collect();
    items.sort_by(|one, other| {
        let rank = |item: &PlannedCronJob| {
            (
                item.refused.is_empty(),
                item.effects.is_empty(),
                item.change,
            )
        };
        let name = |item: &PlannedCronJob| (item.namespace.clone(), item.name.clone());
        (rank(one), name(one)).cmp(&(rank(other), name(other)))
    });
    Plan {
        summary: summary(&items),
        peak: PeakChange {
            before: peak(question, &before),
            after: peak(question, &after),
        },
        items,
    }
}

fn summary(items: &[PlannedCronJob]) -> PlanSummary {
    let of = |change: ChangeKind| items.iter().filter(|item| item.change == change).count();
    let with = |kind: EffectKind| items.iter().filter(|item| item.has(kind)).count();
    PlanSummary {
        added: of(ChangeKind::Added),
        removed: of(ChangeKind::Removed),
        renamed: of(ChangeKind::Renamed),
        recreated: of(ChangeKind::Recreated),
        changed: of(ChangeKind::Changed),
        unchanged: of(ChangeKind::Unchanged),
        starts_now: with(EffectKind::StartsNow),
        skips_runs: with(EffectKind::SkipsRuns),
        removes_running: with(EffectKind::RemovesRunning),
        refused: items.iter().filter(|item| !item.refused.is_empty()).count(),
    }
}

/// The most starts in a minute of the next 24 hours.
fn peak(question: &PlanQuestion<'_>, members: &[LoadMember]) -> u64 {
    const DAY: i64 = 86_400;
    let from = question.now.as_second().div_euclid(60) * 60;
    let ends = (
        Timestamp::from_second(from),
        Timestamp::from_second(from + DAY),
    );
    let (Ok(from), Ok(to)) = ends else {
        return 0;
    };
    let Ok(window) = LoadWindow::new(from, to, 60) else {
        return 0;
    };
    most_in_a_minute(question.controller, members, window)
}

/// Whether a manifest is that of a stored `CronJob` under another name.
fn is_renamed(old: &StoredCronJob, manifest: &ManifestCronJob) -> bool {
    let template = |object: &Value| object.pointer("/spec/jobTemplate").cloned();
    match (template(&old.object), template(&manifest.object)) {
        (Some(one), Some(other)) => differences(&one, &other).is_empty(),
        _ => false,
    }
}

fn planned_change(
    question: &PlanQuestion<'_>,
    old: &StoredCronJob,
    manifest: &ManifestCronJob,
) -> (PlannedCronJob, CronJob) {
    let cron_job = &old.evidence.cron_job;
    let object = applied(question.mode, &old.object, &manifest.object);
    let spec = |object: &Value| object.get("spec").cloned().unwrap_or_default();
    let (old_spec, new_spec) = (spec(&old.object), spec(&object));
    let fields = differences(&old_spec, &new_spec);
    let facts = Facts::of(
        question.controller,
        &old.evidence,
        question.coverage,
        question.now,
    );
    let mut item = PlannedCronJob {
        namespace: cron_job.namespace.clone(),
        name: cron_job.name.clone(),
        change: ChangeKind::Unchanged,
        previous: None,
        place: Some(manifest.place.clone()),
        kept: kept(&new_spec, &manifest.object),
        fields,
        effects: Vec::new(),
        runs_before: Vec::new(),
        runs_after: Vec::new(),
        refused: manifest.refused.clone(),
        assumptions: Vec::new(),
    };
    if item.fields.is_empty() {
        return (item, cron_job.clone());
    }
    item.change = ChangeKind::Changed;
    match (question.read)(&object) {
        Ok(new) => {
            let changes_template = item
                .fields
                .iter()
                .any(|change| change.field.starts_with("spec.jobTemplate"));
            item.effects = effects::of_change(&facts, &new, changes_template);
            item.runs_before = next_runs(&facts);
            item.runs_after = next_runs(&facts.changed(&new));
            (item, new)
        }
        Err(error) => {
            item.refused.push(error);
            (item, cron_job.clone())
        }
    }
}

/// The stored object after a manifest is applied, with the defaults of the API server.
fn applied(mode: ApplyMode, stored: &Value, manifest: &Value) -> Value {
    let annotation = stored.pointer("/metadata/annotations");
    let annotation = annotation.and_then(|all| all.get(LAST_APPLIED)?.as_str());
    let last_applied: Option<Value> = annotation.and_then(|text| serde_json::from_str(text).ok());
    let manager = apply_manager(stored);
    let previous = match (mode, &last_applied, manager) {
        (ApplyMode::FromManifests, ..) => Previous::Manifest(stored),
        (ApplyMode::Live, Some(before), _) => Previous::Manifest(before),
        (ApplyMode::Live, None, Some(manager)) => Previous::Manager(manager),
        (ApplyMode::Live, None, None) => Previous::Unknown,
    };
    let mut object = apply(stored, previous, manifest);
    if let Some(Value::Object(spec)) = object.get_mut("spec") {
        let defaults = [
            ("concurrencyPolicy", json!("Allow")),
            ("suspend", json!(false)),
            ("successfulJobsHistoryLimit", json!(3)),
            ("failedJobsHistoryLimit", json!(1)),
        ];
        for (field, value) in defaults {
            spec.entry(field).or_insert(value);
        }
    }
    object
}

/// The manager of the server-side apply that set the schedule.
fn apply_manager(stored: &Value) -> Option<&str> {
    let entries = stored.pointer("/metadata/managedFields")?.as_array()?;
    let entry = entries.iter().find(|entry| {
        entry.get("operation").and_then(Value::as_str) == Some("Apply")
            && entry.pointer("/fieldsV1/f:spec/f:schedule").is_some()
    })?;
    entry.get("manager")?.as_str()
}

/// The fields that stay as they are because the manifest does not state them, where they matter.
fn kept(new_spec: &Value, manifest: &Value) -> Vec<String> {
    const FIELDS: [&str; 6] = [
        "suspend",
        "startingDeadlineSeconds",
        "timeZone",
        "concurrencyPolicy",
        "successfulJobsHistoryLimit",
        "failedJobsHistoryLimit",
    ];
    let stated = manifest.get("spec");
    let fields = FIELDS.iter().filter(|field| {
        let is_stated = stated.is_some_and(|spec| spec.get(**field).is_some());
        let value = new_spec.get(**field);
        !is_stated && value.is_some_and(|value| !compare::is_default(field, value))
    });
    fields
        .map(|field| {
            let value = new_spec.get(*field).unwrap_or(&Value::Null);
            format!("spec.{field} stays {value}: the manifest does not state it, so apply does not reset it.")
        })
        .collect()
}

fn next_runs(facts: &Facts<'_>) -> Vec<UpcomingRun> {
    if facts.is_suspended() || !facts.has_time_to_start() {
        return Vec::new();
    }
    let timetable = facts.timetable.as_ref();
    timetable.map_or_else(Vec::new, |timetable| {
        coming_runs(timetable, facts.zone(), facts.now, NEXT_RUNS)
    })
}

fn planned_creation(
    question: &PlanQuestion<'_>,
    manifest: &ManifestCronJob,
    twin: Option<&StoredCronJob>,
    removes: bool,
) -> PlannedCronJob {
    let facts = Facts::gather(
        question.controller,
        &manifest.cron_job,
        &[],
        &[],
        question.now,
    );
    let mut item = PlannedCronJob {
        namespace: manifest.cron_job.namespace.clone(),
        name: manifest.cron_job.name.clone(),
        change: ChangeKind::Added,
        previous: None,
        place: Some(manifest.place.clone()),
        fields: Vec::new(),
        kept: Vec::new(),
        effects: effects::of_creation(&facts),
        runs_before: Vec::new(),
        runs_after: next_runs(&facts),
        refused: manifest.refused.clone(),
        assumptions: Vec::new(),
    };
    let Some(twin) = twin else {
        return item;
    };
    let old = &twin.evidence.cron_job;
    let previous = format!("{}/{}", old.namespace, old.name);
    let facts = Facts::of(
        question.controller,
        &twin.evidence,
        question.coverage,
        question.now,
    );
    item.runs_before = next_runs(&facts);
    if removes {
        item.change = ChangeKind::Renamed;
        let lost = effects::of_removal(&facts).into_iter();
        item.effects
            .extend(lost.filter(|effect| effect.kind != EffectKind::SkipsRuns));
    } else {
        item.effects.push(effects::of_twin(&previous));
    }
    item.previous = Some(previous);
    item
}

fn planned_removal(question: &PlanQuestion<'_>, old: &StoredCronJob) -> PlannedCronJob {
    let facts = Facts::of(
        question.controller,
        &old.evidence,
        question.coverage,
        question.now,
    );
    PlannedCronJob {
        namespace: facts.cron_job.namespace.clone(),
        name: facts.cron_job.name.clone(),
        change: ChangeKind::Removed,
        previous: None,
        place: None,
        fields: Vec::new(),
        kept: Vec::new(),
        effects: effects::of_removal(&facts),
        runs_before: next_runs(&facts),
        runs_after: Vec::new(),
        refused: Vec::new(),
        assumptions: Vec::new(),
    }
}
