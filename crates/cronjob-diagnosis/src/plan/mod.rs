//! What a change of manifests leads to, before it is applied.
//!
//! [`plan`] compares `CronJob`s as they are stored with manifests. What the stored objects become is in
//! `apply.rs`, which of their fields differ in `compare.rs`, and what the controller does because of that
//! in `effects.rs`, which asks [`cronjob_controller::controller`].

mod apply;
mod assume;
mod change;
mod compare;
mod effects;
mod unread;

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::diagnose::DOWN;
use crate::load::{LoadMember, LoadWindow, most_in_a_minute};
pub use assume::assume_history;
use change::{LastApply, planned_change, planned_creation, planned_removal};
pub use compare::FieldChange;
use compare::differences;
pub(crate) use compare::job_differences;
use cronjob_controller::controller::Controller;
use cronjob_controller::upcoming::UpcomingRun;
pub use effects::{EffectKind, PlanEffect};
use kube_model::{Coverage, CronJob, CronJobEvidence, ObjectKey, Tool, WholeObject};
pub use unread::{MayHold, UnreadPart};

/// A `CronJob` as it is before the change.
pub struct StoredCronJob {
    pub evidence: CronJobEvidence,
    pub object: WholeObject,
    /// Whether its last run is assumed, because nothing shows it.
    pub is_assumed: bool,
}

/// A `CronJob` of a manifest.
pub struct ManifestCronJob {
    pub cron_job: CronJob,
    pub object: WholeObject,
    /// The file, or `stdin`.
    pub file: String,
    /// The line on which it begins, counted from 1.
    pub line: u32,
    pub refused: Vec<String>,
}

/// How a manifest is applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ApplyMode {
    /// To a cluster, or to objects that were read from one.
    Live,
    /// To a cluster in which an earlier set of manifests was applied, and nothing was changed since.
    FromManifests,
}

/// What a plan is about.
pub struct PlanQuestion<'a> {
    pub controller: &'a Controller,
    pub now: Timestamp,
    pub coverage: Coverage,
    pub mode: ApplyMode,
    /// The manager of a server-side apply; `None` to go by what the objects show.
    pub field_manager: Option<&'a str>,
    /// Whether `CronJob`s that are not in the manifests are deleted.
    pub prune: bool,
    /// What could not be read of the manifests.
    pub unread: &'a [UnreadPart],
    /// What could not be read of what is there before.
    pub unread_before: &'a [UnreadPart],
    /// Reads a `CronJob` out of a whole object.
    pub read: &'a dyn Fn(&Value) -> Result<CronJob, String>,
}

string_enum! {
    /// What happens to a `CronJob`.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub enum ChangeKind {
        /// It could not be read, before or after the change: what happens to it is not known.
        NotRead = "notRead",
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
pub struct Plan {
    /// The counts.
    pub summary: PlanSummary,
    /// The most starts in a minute of the next 24 hours, of the `CronJob`s that were read.
    pub peak: PeakChange,
    /// What is assumed because it is not known.
    pub assumptions: Vec<String>,
    /// What could not be read. A CronJob that may be in it is neither added nor removed.
    pub unread: Vec<UnreadPart>,
    /// Each `CronJob` of the manifests and each that is deleted, the most severe change first.
    pub items: Vec<PlannedCronJob>,
}

/// The counts of a plan.
#[derive(Clone, Copy, Debug, Default, JsonSchema, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PlanSummary {
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
    /// How many could not be read.
    pub not_read: usize,
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
pub struct PeakChange {
    /// Before the change.
    pub before: u64,
    /// After the change.
    pub after: u64,
}

/// What happens to one `CronJob`.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PlannedCronJob {
    /// The namespace.
    pub namespace: String,
    /// The name.
    pub name: String,
    /// What happens to it.
    pub change: ChangeKind,
    /// The namespace and name before, for one that is renamed.
    pub previous: Option<String>,
    /// The file of its manifest, or `stdin`; null for one that is deleted.
    pub file: Option<String>,
    /// The line on which the manifest begins, from 1.
    pub line: Option<u32>,
    /// The fields that change.
    pub fields: Vec<FieldChange>,
    /// The field manager that changed `spec.schedule` in the cluster after the tool that manages the `CronJob`
    /// wrote it, if applying the manifest overwrites that; null otherwise.
    pub schedule_set_by: Option<String>,
    /// Fields that are set in the cluster and stay, because the manifest does not state them.
    pub kept: Vec<KeptField>,
    /// What happens because of the change, most severe first.
    pub effects: Vec<PlanEffect>,
    /// The next runs before the change.
    pub runs_before: Vec<UpcomingRun>,
    /// The next runs after the change.
    pub runs_after: Vec<UpcomingRun>,
    /// Why the API server would reject the manifest.
    pub refused: Vec<String>,
}

/// A field that stays as it is because the manifest does not state it.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct KeptField {
    /// The field, such as `spec.suspend`.
    pub field: String,
    /// Its value.
    pub value: Value,
}

impl PlannedCronJob {
    pub fn has(&self, kind: EffectKind) -> bool {
        self.effects.iter().any(|effect| effect.kind == kind)
    }
}

pub fn plan(
    question: &PlanQuestion<'_>,
    stored: &[StoredCronJob],
    manifests: &[ManifestCronJob],
) -> Plan {
    let mut olds: BTreeMap<ObjectKey, &StoredCronJob> = stored
        .iter()
        .map(|stored| (stored.evidence.cron_job.key(), stored))
        .collect();
    let mut items = Vec::new();
    let mut after: Vec<LoadMember> = Vec::new();
    let mut added = Vec::new();
    let may_be_in =
        |parts: &[UnreadPart], key: &ObjectKey| parts.iter().any(|part| part.may_hold(key));
    let mut last_applies = BTreeSet::new();
    for manifest in manifests {
        let key = manifest.cron_job.key();
        match olds.remove(&key) {
            Some(old) => {
                let change = planned_change(question, old, manifest);
                last_applies.insert(change.last_apply);
                after.push(LoadMember::from(&change.new));
                items.push(change.item);
            }
            None if may_be_in(question.unread_before, &key) => {
                after.push(LoadMember::from(&manifest.cron_job));
                items.push(PlannedCronJob::of_manifest(manifest, ChangeKind::NotRead));
            }
            None => added.push(manifest),
        }
    }
    let removes = question.removes();
    let namespaces: BTreeSet<&str> = manifests
        .iter()
        .map(|manifest| manifest.cron_job.namespace.as_str())
        .collect();
    let is_removed = |old: &StoredCronJob| {
        let namespace = old.evidence.cron_job.namespace.as_str();
        removes && (question.mode == ApplyMode::FromManifests || namespaces.contains(namespace))
    };
    olds.retain(|key, old| {
        let is_unread = is_removed(old) && may_be_in(question.unread, key);
        if is_unread {
            let cron_job = &old.evidence.cron_job;
            after.push(LoadMember::from(cron_job));
            items.push(PlannedCronJob::new(cron_job, ChangeKind::NotRead));
        }
        !is_unread
    });
    let known = || stored.iter().map(|old| &old.evidence.cron_job);
    let namespaces_of = |argo_cd: bool| -> BTreeSet<&str> {
        let some = known().filter(|cron_job| is_of_argo_cd(cron_job) == argo_cd);
        some.map(|cron_job| cron_job.namespace.as_str()).collect()
    };
    // Where it manages all others, it will manage a new one.
    let of_argo_cd = &namespaces_of(true) - &namespaces_of(false);
    // Most plans add nothing, and comparing templates takes long.
    let twins = (!added.is_empty()).then(|| Twins::among(&olds));
    for manifest in added {
        if manifest.refused.is_empty() {
            after.push(LoadMember::from(&manifest.cron_job));
        }
        let twin = twins.as_ref();
        let twin = twin.and_then(|it| it.of(manifest, removes, |key| olds.contains_key(key)));
        if removes && let Some(twin) = twin {
            olds.remove(&twin.evidence.cron_job.key());
        }
        let mut item = planned_creation(question, manifest, twin, removes);
        let is_in_argo_cd = of_argo_cd.contains(manifest.cron_job.namespace.as_str())
            || is_of_argo_cd(&manifest.cron_job);
        if is_in_argo_cd && item.change == ChangeKind::Added && item.refused.is_empty() {
            item.effects.push(effects::looks_healthy());
        }
        items.push(item);
    }
    for old in olds.values() {
        if is_removed(old) {
            items.push(planned_removal(question, old));
        } else {
            after.push(LoadMember::from(&old.evidence.cron_job));
        }
    }
    let lost_before = question.unread_before.iter().filter(|_| removes);
    unread::add_named(&mut items, question.unread.iter().chain(lost_before));
    let before = stored
        .iter()
        .map(|stored| LoadMember::from(&stored.evidence.cron_job));
    let before: Vec<LoadMember> = before.collect();
    items.sort_by_cached_key(|item| {
        let worst = item.effects.first().map(|effect| effect.kind);
        let severity = (item.refused.is_empty(), worst.is_none(), worst);
        let key = ObjectKey::new(&*item.namespace, &*item.name);
        (severity, item.change, key)
    });
    Plan {
        summary: summary(&items),
        peak: PeakChange {
            before: peak(question, &before),
            after: peak(question, &after),
        },
        assumptions: assumptions(question, stored, &last_applies),
        unread: [question.unread, question.unread_before].concat(),
        items,
    }
}

impl PlanQuestion<'_> {
    /// Whether `CronJob`s that are not in the manifests are deleted.
    fn removes(&self) -> bool {
        self.prune || self.mode == ApplyMode::FromManifests
    }
}

/// What is assumed of manifests of which it is not known what was applied before.
pub const FIELDS_ARE_KEPT: &str = "Fields that are missing in a manifest keep their values.";

fn assumptions(
    question: &PlanQuestion<'_>,
    stored: &[StoredCronJob],
    last_applies: &BTreeSet<LastApply>,
) -> Vec<String> {
    let is_live = question.mode == ApplyMode::Live;
    let assumed = || stored.iter().filter(|stored| stored.is_assumed);
    let is_suspended = |stored: &StoredCronJob| stored.evidence.cron_job.spec.suspend == Some(true);
    let mut managers = last_applies.iter().filter_map(LastApply::one_of_several);
    let assume = |holds: bool, text: &str| holds.then(|| text.to_owned());
    let is_down = stored.iter().any(|stored| stored.evidence.outage.is_some());
    let assumptions = [
        is_down.then(|| format!("{DOWN} is running again when the runs are due.")),
        assume(
            !is_live,
            "The old manifests are applied, and nothing was changed in the cluster since. CronJobs \
             that are not in the new manifests are deleted, as Helm, and Argo CD and Flux with \
             pruning, do.",
        ),
        assume(
            assumed().next().is_some(),
            "Where nothing shows when a CronJob last ran, its latest run before now has started, and \
             none of its Jobs is running.",
        ),
        assume(
            assumed().any(is_suspended),
            "A suspended CronJob was suspended before its latest run, which it missed.",
        ),
        assume(
            is_live && last_applies.contains(&LastApply::Unknown),
            FIELDS_ARE_KEPT,
        ),
        managers.next().filter(|_| is_live).map(|manager| {
            format!(
                "Several managers applied some of the objects server-side. The one with most fields \
                 applies the manifests: {manager}. --field-manager sets another one."
            )
        }),
        assume(
            is_live && !question.coverage.jobs_read && !stored.is_empty(),
            "Jobs were not read: those in status.active are running, and no others.",
        ),
    ];
    assumptions.into_iter().flatten().collect()
}

/// What the template of a Job has in it, as far as two that are alike have it in common.
fn images(object: &Value) -> Vec<String> {
    let containers = object.pointer("/spec/jobTemplate/spec/template/spec/containers");
    let containers = containers.and_then(Value::as_array).into_iter().flatten();
    let images = containers.filter_map(|container| container.get("image")?.as_str());
    let mut images: Vec<String> = images.map(str::to_owned).collect();
    images.sort_unstable();
    images
}

/// `CronJob`s by the images of their templates.
struct Twins<'s>(BTreeMap<Vec<String>, Vec<&'s StoredCronJob>>);

impl<'s> Twins<'s> {
    fn among(olds: &BTreeMap<ObjectKey, &'s StoredCronJob>) -> Self {
        let mut twins: BTreeMap<Vec<String>, Vec<&StoredCronJob>> = BTreeMap::new();
        for old in olds.values().copied() {
            let images = images(&old.object.parse());
            twins.entry(images).or_default().push(old);
        }
        Twins(twins)
    }

    /// The `CronJob` that a new one takes the place of: one with the same template that no manifest
    /// names.
    fn of(
        &self,
        manifest: &ManifestCronJob,
        removes: bool,
        is_left: impl Fn(&ObjectKey) -> bool,
    ) -> Option<&'s StoredCronJob> {
        let new = &manifest.cron_job;
        let object = manifest.object.parse();
        let alike = self.0.get(&images(&object))?.iter().copied();
        let candidates = alike.filter(|stored| {
            let old = &stored.evidence.cron_job;
            // The same application in two namespaces is not a rename.
            let is_near = old.namespace == new.namespace || (removes && old.name == new.name);
            is_near && is_left(&old.key()) && has_same_template(&stored.object.parse(), &object)
        });
        candidates.min_by_key(|old| {
            let old = &old.evidence.cron_job;
            (
                old.name != new.name,
                old.spec.schedule != new.spec.schedule,
                &old.name,
            )
        })
    }
}

fn has_same_template(old: &Value, new: &Value) -> bool {
    const TEMPLATE: &str = "/spec/jobTemplate";
    match (old.pointer(TEMPLATE), new.pointer(TEMPLATE)) {
        (Some(one), Some(other)) => differences(one, other).is_empty(),
        _ => false,
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
        not_read: of(ChangeKind::NotRead),
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
    let [from, to] = [from, from + DAY].map(Timestamp::from_second);
    let window = from.ok().zip(to.ok());
    let window = window.and_then(|(from, to)| LoadWindow::new(from, to, 60).ok());
    window.map_or(0, |window| {
        most_in_a_minute(question.controller, members, window)
    })
}

fn is_of_argo_cd(cron_job: &CronJob) -> bool {
    let managed = cron_job.managed_by();
    managed.is_some_and(|managed| managed.tool == Tool::ArgoCd)
}
