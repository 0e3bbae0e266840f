//! What happens to one `CronJob`.

use serde_json::{Value, json};

use super::apply::{Previous, apply};
use super::compare::{FieldChange, differences};
use super::effects;
use super::{
    ApplyMode, ChangeKind, EffectKind, KeptField, ManifestCronJob, PlanEffect, PlanQuestion,
    PlannedCronJob, StoredCronJob,
};
use crate::diagnose::Facts;
use crate::kubectl::PLAIN;
use cronjob_controller::upcoming::{UpcomingRun, coming_runs};
use kube_model::{CronJob, LAST_APPLIED, is_default};

/// How many of the next runs are compared.
const NEXT_RUNS: usize = 3;

impl PlannedCronJob {
    pub(super) fn new(cron_job: &CronJob, change: ChangeKind) -> Self {
        Self::named(&cron_job.namespace, &cron_job.name, change)
    }

    pub(super) fn named(namespace: &str, name: &str, change: ChangeKind) -> Self {
        PlannedCronJob {
            namespace: namespace.to_owned(),
            name: name.to_owned(),
            change,
            previous: None,
            file: None,
            line: None,
            fields: Vec::new(),
            schedule_set_by: None,
            kept: Vec::new(),
            effects: Vec::new(),
            runs_before: Vec::new(),
            runs_after: Vec::new(),
            refused: Vec::new(),
        }
    }

    pub(super) fn of_manifest(manifest: &ManifestCronJob, change: ChangeKind) -> Self {
        PlannedCronJob {
            file: Some(manifest.file.clone()),
            line: Some(manifest.line),
            refused: manifest.refused.clone(),
            ..Self::new(&manifest.cron_job, change)
        }
    }

    /// With the effects in their order: the most severe first.
    fn with_effects(self, mut effects: Vec<PlanEffect>) -> Self {
        effects.sort_by_key(|effect| effect.kind);
        PlannedCronJob { effects, ..self }
    }
}

fn facts<'a>(question: &'a PlanQuestion<'_>, stored: &'a StoredCronJob) -> Facts<'a> {
    Facts::of(
        question.controller,
        &PLAIN,
        &stored.evidence,
        question.coverage,
        question.now,
    )
}

pub(super) struct PlannedUpdate {
    pub(super) item: PlannedCronJob,
    pub(super) new: CronJob,
    pub(super) last_apply: LastApply,
}

/// What happens to a `CronJob` that is there.
pub(super) fn planned_change(
    question: &PlanQuestion<'_>,
    old: &StoredCronJob,
    manifest: &ManifestCronJob,
) -> PlannedUpdate {
    let (stored, stated) = (old.object.parse(), manifest.object.parse());
    let last_apply = LastApply::of(&stored, question.field_manager);
    let (item, new) = if let Some(why) = recreated_by(&manifest.cron_job) {
        let fields = differences(spec(&stored), spec(&stated));
        planned_recreation(question, old, manifest, fields, why)
    } else {
        let object = applied(question, &stored, &stated, &last_apply);
        let fields = differences(spec(&stored), spec(&object));
        let changes_schedule = fields.iter().any(|change| change.field == "spec.schedule");
        let cron_job = Some(&old.evidence.cron_job).filter(|_| changes_schedule);
        let writer = cron_job.and_then(|cron_job| cron_job.set_in_cluster_by("schedule"));
        let item = PlannedCronJob {
            schedule_set_by: writer.map(str::to_owned),
            kept: fields_left_unchanged(spec(&object), &stated),
            fields,
            ..PlannedCronJob::of_manifest(manifest, ChangeKind::Unchanged)
        };
        planned_update(question, old, &object, item)
    };
    PlannedUpdate {
        item,
        new,
        last_apply,
    }
}

/// What happens to a `CronJob` that becomes `object`, and what it is afterwards.
fn planned_update(
    question: &PlanQuestion<'_>,
    old: &StoredCronJob,
    object: &Value,
    mut item: PlannedCronJob,
) -> (PlannedCronJob, CronJob) {
    let cron_job = &old.evidence.cron_job;
    if item.fields.is_empty() {
        return (item, cron_job.clone());
    }
    item.change = ChangeKind::Changed;
    let new = match (question.read)(object) {
        Ok(new) => new,
        Err(error) => {
            item.refused.push(error);
            return (item, cron_job.clone());
        }
    };
    let new = CronJob {
        labels: new.labels,
        spec: new.spec,
        ..cron_job.clone()
    };
    let facts = facts(question, old);
    let changes_template = changes_template(&item.fields);
    item.runs_before = next_runs(&facts);
    item.runs_after = next_runs(&facts.changed(&new));
    // What the API server refuses has no effect.
    if !item.refused.is_empty() {
        return (item, cron_job.clone());
    }
    let effects = effects::of_change(&facts, &new, changes_template);
    (item.with_effects(effects), new)
}

fn spec(object: &Value) -> &Value {
    object.get("spec").unwrap_or(&Value::Null)
}

fn changes_template(fields: &[FieldChange]) -> bool {
    let mut fields = fields.iter();
    fields.any(|change| change.field.starts_with("spec.jobTemplate"))
}

/// Why the tool that applies a manifest deletes the `CronJob` first and creates it again.
fn recreated_by(manifest: &CronJob) -> Option<&'static str> {
    const HOOK: &str = "helm.sh/hook";
    const POLICY: &str = "helm.sh/hook-delete-policy";
    const OPTIONS: &str = "argocd.argoproj.io/sync-options";
    let annotation = |name: &str| manifest.annotations.get(name).unwrap_or_default();
    let has = |name: &str, wanted: &str| {
        let mut words = annotation(name).split(',');
        words.any(|word| word.trim() == wanted)
    };
    let on_upgrade = has(HOOK, "pre-upgrade") || has(HOOK, "post-upgrade");
    let before = annotation(POLICY).is_empty() || has(POLICY, "before-hook-creation");
    if on_upgrade && before {
        Some("Helm deletes and re-creates it with each upgrade: it is a hook.")
    } else if has(OPTIONS, "Replace=true") && has(OPTIONS, "Force=true") {
        Some(
            "Argo CD deletes and re-creates it with each sync: its sync options are Replace=true \
             and Force=true.",
        )
    } else {
        None
    }
}

/// The CronJob of a manifest, as it is if it is created now.
fn created(question: &PlanQuestion<'_>, manifest: &ManifestCronJob) -> CronJob {
    CronJob {
        creation_timestamp: Some(question.now),
        ..manifest.cron_job.clone()
    }
}

fn planned_recreation(
    question: &PlanQuestion<'_>,
    old: &StoredCronJob,
    manifest: &ManifestCronJob,
    fields: Vec<FieldChange>,
    why: &'static str,
) -> (PlannedCronJob, CronJob) {
    let new = created(question, manifest);
    let before = facts(question, old);
    let after = Facts::gather(question.controller, &new, &[], &[], question.now);
    let mut item = PlannedCronJob {
        fields,
        runs_before: next_runs(&before),
        runs_after: next_runs(&after),
        ..PlannedCronJob::of_manifest(manifest, ChangeKind::Recreated)
    };
    if item.refused.is_empty() {
        let mut found = vec![PlanEffect::new(EffectKind::Recreates, why)];
        found.extend(effects::of_replacement(&before, &after));
        item = item.with_effects(found);
    }
    (item, new)
}

/// How an object was applied last, as far as it shows.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum LastApply {
    /// With `kubectl apply`, which keeps the manifest in an annotation.
    ClientSide,
    /// Server-side by a field manager, and whether others applied it, too.
    ServerSide {
        manager: String,
        others: bool,
    },
    Unknown,
}

impl LastApply {
    /// How `stored` was applied last. A manager that is named applies server-side.
    pub(super) fn of(stored: &Value, field_manager: Option<&str>) -> Self {
        if let Some(manager) = field_manager {
            return LastApply::ServerSide {
                manager: manager.to_owned(),
                others: false,
            };
        }
        let entries = stored.pointer("/metadata/managedFields");
        let entries = entries.and_then(Value::as_array);
        let entries = entries.map_or(&[][..], Vec::as_slice);
        let text = |entry: &Value, field: &str| {
            let text = entry.get(field).and_then(Value::as_str);
            text.unwrap_or_default().to_owned()
        };
        let applied = entries.iter().filter(|entry| {
            text(entry, "operation") == "Apply"
                && entry.pointer("/fieldsV1/f:spec/f:schedule").is_some()
        });
        let applied: Vec<&Value> = applied.collect();
        let annotation = stored.pointer("/metadata/annotations");
        if annotation.is_some_and(|all| all.get(LAST_APPLIED).is_some()) {
            // A server-side apply of later on leaves the annotation where it is.
            let annotated = entries.iter().filter(|entry| {
                let annotations = entry.pointer("/fieldsV1/f:metadata/f:annotations");
                let field = format!("f:{LAST_APPLIED}");
                text(entry, "operation") == "Update"
                    && annotations.is_some_and(|all| all.get(field).is_some())
            });
            let client_side = annotated.map(|entry| text(entry, "time")).max();
            let server_side = applied.iter().map(|entry| text(entry, "time")).max();
            if server_side.is_none() || server_side <= client_side {
                return LastApply::ClientSide;
            }
        }
        let widest = applied
            .iter()
            .max_by_key(|entry| count(entry.get("fieldsV1")));
        let manager = widest.and_then(|entry| entry.get("manager")?.as_str());
        match manager {
            Some(manager) => LastApply::ServerSide {
                manager: manager.to_owned(),
                others: applied.len() > 1,
            },
            None => LastApply::Unknown,
        }
    }

    /// The manager that counts, where others applied the object, too.
    pub(super) fn one_of_several(&self) -> Option<&str> {
        match self {
            LastApply::ServerSide {
                manager,
                others: true,
            } => Some(manager),
            _ => None,
        }
    }
}

/// How many fields a set of them has.
fn count(fields: Option<&Value>) -> usize {
    let fields = fields.and_then(Value::as_object).into_iter().flatten();
    fields.map(|(_, below)| 1 + count(Some(below))).sum()
}

/// The stored object after a manifest is applied, with the defaults of the API server.
fn applied(
    question: &PlanQuestion<'_>,
    stored: &Value,
    manifest: &Value,
    last_apply: &LastApply,
) -> Value {
    let annotation = stored.pointer("/metadata/annotations");
    let annotation = annotation.and_then(|all| all.get(LAST_APPLIED)?.as_str());
    let last_applied: Option<Value> = annotation.and_then(|text| serde_json::from_str(text).ok());
    let previous = match (question.mode, last_apply, &last_applied) {
        (ApplyMode::FromManifests, ..) => Previous::Manifest(stored),
        (ApplyMode::Live, LastApply::ClientSide, Some(before)) => Previous::Manifest(before),
        (ApplyMode::Live, LastApply::ServerSide { manager, .. }, _) => Previous::Manager(manager),
        (ApplyMode::Live, ..) => Previous::Unknown,
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

/// The fields that stay as they are because the manifest does not state them, where they matter.
fn fields_left_unchanged(new_spec: &Value, manifest: &Value) -> Vec<KeptField> {
    const FIELDS: [&str; 6] = [
        "suspend",
        "startingDeadlineSeconds",
        "timeZone",
        "concurrencyPolicy",
        "successfulJobsHistoryLimit",
        "failedJobsHistoryLimit",
    ];
    let stated = manifest.get("spec");
    let fields = FIELDS.iter().filter_map(|field| {
        let is_stated = stated.is_some_and(|spec| spec.get(*field).is_some());
        let value = new_spec.get(*field).filter(|_| !is_stated)?;
        (!is_default(field, value)).then(|| KeptField {
            field: format!("spec.{field}"),
            value: value.clone(),
        })
    });
    fields.collect()
}

/// The next runs. Those of `@every` are counted from the last start.
fn next_runs(facts: &Facts<'_>) -> Vec<UpcomingRun> {
    if facts.input.is_suspended() || !facts.input.has_time_to_start() {
        return Vec::new();
    }
    let Some(timetable) = &facts.timetable else {
        return Vec::new();
    };
    let anchor = facts.input.cron_job.anchor();
    coming_runs(timetable, facts.zone(), anchor, facts.input.now, NEXT_RUNS)
}

/// What happens where a manifest is of a `CronJob` that is not there. `twin` is the one that it takes
/// the place of, which is deleted if `removes` says so.
pub(super) fn planned_creation(
    question: &PlanQuestion<'_>,
    manifest: &ManifestCronJob,
    twin: Option<&StoredCronJob>,
    removes: bool,
) -> PlannedCronJob {
    let new = created(question, manifest);
    let after = Facts::gather(question.controller, &new, &[], &[], question.now);
    let mut item = PlannedCronJob {
        runs_after: next_runs(&after),
        ..PlannedCronJob::of_manifest(manifest, ChangeKind::Added)
    };
    let Some(twin) = twin else {
        if !item.refused.is_empty() {
            return item;
        }
        return item.with_effects(effects::of_creation(&after));
    };
    let old = &twin.evidence.cron_job;
    let previous = format!("{}/{}", old.namespace, old.name);
    let before = facts(question, twin);
    let mut found;
    if removes {
        item.change = ChangeKind::Renamed;
        item.fields = differences(spec(&twin.object.parse()), spec(&manifest.object.parse()));
        item.runs_before = next_runs(&before);
        found = effects::of_replacement(&before, &after);
        found.push(PlanEffect::new(
            EffectKind::Recreates,
            format!(
                "Deletes {previous} and creates {}/{}, which does not catch up on missed runs.",
                new.namespace, new.name
            ),
        ));
    } else {
        found = effects::of_creation(&after);
        found.push(effects::of_twin(&previous));
    }
    item.previous = Some(previous);
    if item.refused.is_empty() {
        item = item.with_effects(found);
    }
    item
}

pub(super) fn planned_removal(question: &PlanQuestion<'_>, old: &StoredCronJob) -> PlannedCronJob {
    let facts = facts(question, old);
    PlannedCronJob {
        runs_before: next_runs(&facts),
        ..PlannedCronJob::new(&facts.input.cron_job, ChangeKind::Removed)
    }
    .with_effects(effects::of_removal(&facts))
}

#[cfg(test)]
mod tests {
    use super::*;
    use kube_model::CronJob;

    fn annotated(annotations: &[(&str, &str)]) -> CronJob {
        CronJob {
            annotations: annotations.iter().copied().collect(),
            ..CronJob::default()
        }
    }

    #[test]
    fn later_one_of_both_kinds_of_apply_counts() {
        let object = |client_side: &str, server_side: &str| {
            json!({"metadata": {
                "annotations": {LAST_APPLIED: "{}"},
                "managedFields": [
                    {"manager": "kubectl-client-side-apply", "operation": "Update", "time": client_side,
                     "fieldsV1": {"f:metadata": {"f:annotations": {format!("f:{LAST_APPLIED}"): {}}}}},
                    {"manager": "gitops", "operation": "Apply", "time": server_side,
                     "fieldsV1": {"f:spec": {"f:schedule": {}}}},
                ],
            }})
        };
        let (early, late) = ("2026-11-20T00:00:00Z", "2026-11-21T00:00:00Z");
        assert_eq!(
            LastApply::of(&object(late, early), None),
            LastApply::ClientSide
        );
        let server_side = LastApply::ServerSide {
            manager: "gitops".to_owned(),
            others: false,
        };
        assert_eq!(LastApply::of(&object(early, late), None), server_side);
    }

    #[test]
    fn hooks_and_forced_replacement_recreate() {
        let recreates =
            |annotations: &[(&str, &str)]| recreated_by(&annotated(annotations)).is_some();
        let hook = |events: &str| recreates(&[("helm.sh/hook", events)]);
        assert!(hook("pre-upgrade,post-install"));
        assert!(hook("post-upgrade"));
        assert!(!hook("post-install"));
        let policy = |policy: &str| {
            let hook = ("helm.sh/hook", "pre-upgrade");
            recreates(&[hook, ("helm.sh/hook-delete-policy", policy)])
        };
        assert!(policy("hook-succeeded, before-hook-creation"));
        assert!(!policy("hook-failed"));
        let options = |options: &str| recreates(&[("argocd.argoproj.io/sync-options", options)]);
        assert!(options("Force=true, Replace=true"));
        assert!(!options("Replace=true"));
        assert!(!recreates(&[]));
    }
}
