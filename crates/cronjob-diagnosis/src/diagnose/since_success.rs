//! What has changed between the latest run that succeeded and the last one, which failed, is stuck or was not started.
//!
//! Each Job keeps the template that it was created with, so both are compared as they were. The objects themselves are
//! read for that; where they were not, nothing is said.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::{Facts, Finding, Input, LastRunState, LastSuccess};
use crate::plan::{FieldChange, job_differences};
use cronjob_manifest::rules::{self, RuleTopic};
use kube_model::{
    ContainerStatus, Job, PastRun, Pod, RunResult, StoredRun, WholeObject, template_fingerprint,
};

/// The last run of a schedule, if it failed, is stuck or was not started, and the latest one that succeeded before it.
#[derive(Clone, Copy)]
pub struct ComparedRuns<'a> {
    /// `None` if its Job could not be created.
    pub run: Option<PastRun<'a>>,
    /// `None` if its Job is gone.
    pub success: Option<PastRun<'a>>,
}

/// What differs from the last success, for a run that failed, is stuck or was not started.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SinceSuccess {
    /// The Job of the run; null if it could not be created.
    pub job_name: Option<String>,
    /// The latest run that succeeded before it.
    pub success: LastSuccess,
    /// When the Job of the first failed run since then was created; null if that is unknown.
    pub first_failure: Option<Timestamp>,
    /// What was compared.
    pub compared: Vec<ComparedPart>,
    /// The fields of the Job template that differ, the most telling ones first.
    pub fields: Vec<TemplateChange>,
    /// The containers with the same image name and another digest.
    pub images: Vec<ChangedImage>,
    /// The node of the run; null if it is the same one, or unknown.
    pub node: Option<ChangedNode>,
    /// The `ConfigMap`s of the run that were changed between the success and the first failure.
    pub config_maps: Vec<ChangedConfigMap>,
    /// The `ConfigMap`s of the run that were changed since it was started: the next run has the change.
    pub config_maps_changed_since: Vec<ChangedConfigMap>,
    /// The names of the `ConfigMap`s of the run that could not be read.
    pub config_maps_not_compared: Vec<String>,
    /// What has changed in the CronJob since the run was started: the next run has it.
    pub changed_since: Vec<TemplateChange>,
    /// What a recorder shows, if the Job of the success is gone; null otherwise.
    pub recorded: Option<RecordedChange>,
    /// Whether the Job is not finished: it keeps its template.
    #[serde(skip)]
    pub is_unfinished: bool,
    /// When the Job was created, or now if there is none.
    #[serde(skip)]
    pub started: Timestamp,
}

string_enum! {
    /// What two runs were compared by.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum ComparedPart {
        /// The templates of their Jobs.
        Template = "template",
        /// The digests of the images that their pods run.
        Images = "images",
        /// The nodes of their pods.
        Nodes = "nodes",
        /// When the `ConfigMap`s that the run refers to were changed last.
        ConfigMaps = "configMaps",
    }
}

/// A changed field of a Job template, and who set it.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TemplateChange {
    #[serde(flatten)]
    pub change: FieldChange,
    /// Whether the values are left out because they look like a secret.
    pub hidden: bool,
    /// Who set it; null if unknown.
    pub set_by: Option<FieldWriter>,
}

/// Who set a field, according to `metadata.managedFields`.
#[derive(Clone, Debug, JsonSchema, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FieldWriter {
    /// The field manager: a program such as `kubectl-edit`, not a person.
    pub field_manager: String,
    /// When it last changed the CronJob. It set the field then or earlier.
    pub no_later_than: Timestamp,
}

/// An image whose name is the same, and whose digest is another.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ChangedImage {
    /// The container.
    pub container: String,
    /// The image, as the template names it.
    pub image: String,
    /// The digest that succeeded.
    pub old_digest: String,
    /// The digest of the run.
    pub new_digest: String,
}

/// The node of a run that is another one, or that had just become ready.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ChangedNode {
    /// The node of the success; null if unknown.
    pub old: Option<String>,
    /// The node of the run.
    pub new: String,
    /// For how long the node had been ready when the pod started, in seconds; null if that is more than ten minutes,
    /// or unknown.
    pub ready_for_seconds: Option<i64>,
}

/// A `ConfigMap` that was changed, by its metadata.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ChangedConfigMap {
    /// Its name; it is in the namespace of the `CronJob`.
    pub name: String,
    /// When its data was changed last, or when it was created.
    pub changed_at: Timestamp,
    /// The field manager that changed its data: a program such as `kubectl-edit`; null if unknown.
    pub field_manager: Option<String>,
}

/// Whether a run differs from a success whose Job is gone, by what a recorder stored of both.
#[derive(Clone, Copy, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RecordedChange {
    /// Whether the Job template is another one; null if unknown.
    pub template: Option<bool>,
    /// Whether the digest of an image is another one; null if unknown.
    pub images: Option<bool>,
}

/// A node is new for this long, in seconds.
const NEW_NODE: i64 = 600;

impl<'a> ComparedRuns<'a> {
    /// The runs to compare; `None` if nothing is wrong with the last one, or nothing has succeeded before.
    pub fn of(facts: &Facts<'a>, findings: &[Finding]) -> Option<Self> {
        let last = facts.last_scheduled_run();
        let not_created = findings
            .iter()
            .any(|finding| finding.code == rules::JOB_CREATION_FAILS.name);
        let run = if not_created {
            None
        } else {
            let last = last?;
            let stuck = [
                &rules::RUN_WAITING,
                &rules::RUNNING_LONGER_THAN_USUAL,
                &rules::MAX_DURATION_EXCEEDED,
                &rules::HELD_BY_SIDECAR,
                &rules::NO_POD_READY,
            ];
            let is_about_it = |finding: &Finding| {
                let is_stuck = stuck.iter().any(|rule| rule.name == finding.code);
                !finding.is_manual && (is_stuck || finding.rule.topic == Some(RuleTopic::Pods))
            };
            let is_wrong = match last.state {
                LastRunState::Failed => true,
                LastRunState::Running
                | LastRunState::Waiting
                | LastRunState::Ending
                | LastRunState::Unknown => findings.iter().any(is_about_it),
                LastRunState::Succeeded
                | LastRunState::Deleted
                | LastRunState::DeletedWithoutSuccess => false,
            };
            let scheduled = || facts.runs.iter().filter(|run| !run.is_manual());
            let is_last = |run: &&PastRun<'_>| run.job.name == last.job_name;
            let failed = |finding: &Finding| {
                finding.code == rules::LAST_RUN_FAILED.name && !finding.is_manual
            };
            // While the next run is under way, the one before it is compared.
            let run = if is_wrong {
                scheduled().find(is_last)
            } else if findings.iter().any(failed) {
                scheduled().rfind(|run| run.has_failed())
            } else {
                None
            };
            Some(*run?)
        };
        let started = run.map_or(Some(facts.input.now), |run| run.job.creation_timestamp)?;
        let is_before = |run: &&PastRun<'_>| {
            run.succeeded() && run.job.creation_timestamp.is_some_and(|at| at < started)
        };
        let success = facts.runs.iter().rev().find(is_before).copied();
        let is_known = success.is_some() || facts.last_success().is_some_and(|at| at < started);
        is_known.then_some(ComparedRuns { run, success })
    }
}

impl SinceSuccess {
    pub(crate) fn of(facts: &Facts<'_>, findings: &[Finding]) -> Option<Self> {
        let cron_job = facts.input.cron_job.whole.as_ref()?.parse();
        let ComparedRuns { run, success } = ComparedRuns::of(facts, findings)?;
        let started = run.and_then(|run| run.job.creation_timestamp);
        let started = started.unwrap_or(facts.input.now);
        let mut found = SinceSuccess {
            job_name: run.map(|run| run.job.name.clone()),
            success: match success {
                Some(run) => LastSuccess {
                    finished_at: run.finished_at()?,
                    scheduled_time: run.scheduled_time,
                    job_name: Some(run.job.name.clone()),
                },
                None => LastSuccess::of(facts)?,
            },
            first_failure: None,
            compared: Vec::new(),
            fields: Vec::new(),
            images: Vec::new(),
            node: None,
            config_maps: Vec::new(),
            config_maps_changed_since: Vec::new(),
            config_maps_not_compared: Vec::new(),
            changed_since: Vec::new(),
            recorded: None,
            is_unfinished: run.is_some_and(|run| run.ending().is_none()),
            started,
        };
        let Some(success) = success else {
            found.recorded = run.and_then(|run| RecordedChange::of(facts, run.job));
            return Some(found);
        };
        let before = success.job.creation_timestamp?;
        found.first_failure = first_failure(facts, &success);
        found.compare_templates(&cron_job, run.as_ref(), &success, before);
        if let Some(run) = run {
            found.compare_pods(facts, &run, &success);
            found.compare_config_maps(facts, run.job, before);
        }
        Some(found)
    }

    /// Whether the runs differ in something that can be the reason.
    pub fn has_changes(&self) -> bool {
        let is_new_node = self
            .node
            .as_ref()
            .and_then(|node| node.ready_for_seconds)
            .is_some();
        !self.fields.is_empty()
            || !self.images.is_empty()
            || !self.config_maps.is_empty()
            || is_new_node
    }

    /// Whether all that has changed was changed back since the run, and nothing else.
    pub fn is_reverted(&self) -> bool {
        let is_back = |later: &TemplateChange| {
            let mut fields = self.fields.iter();
            fields.any(|field| later.change.reverts(&field.change))
        };
        self.changed_since.len() == self.fields.len() && self.changed_since.iter().all(is_back)
    }

    fn compare_templates(
        &mut self,
        cron_job: &Value,
        run: Option<&PastRun<'_>>,
        success: &PastRun<'_>,
        before: Timestamp,
    ) {
        let today = cron_job.pointer("/spec/jobTemplate/spec").cloned();
        let spec = |run: &PastRun<'_>| run.job.whole.as_ref().and_then(job_spec);
        let then = run.map_or(today.clone(), spec);
        let (Some(old), Some(new), Some(today)) = (spec(success), then, today) else {
            return;
        };
        self.compared.push(ComparedPart::Template);
        let since_run = job_differences(&new, &today);
        let is_later = |at: Timestamp| at > self.started;
        let is_between = |at: Timestamp| at > before && !is_later(at);
        let changed = job_differences(&old, &new).into_iter();
        let changed = changed.map(|change| {
            // Who set another value since then did not set this one.
            let is_left = !since_run.iter().any(|later| later.field == change.field);
            let writer = writer(cron_job, &change.field).filter(|_| is_left);
            TemplateChange::new(
                change,
                writer.filter(|writer| is_between(writer.no_later_than)),
            )
        });
        let mut fields: Vec<TemplateChange> = changed
            // What is only in Jobs was added by others, such as admission webhooks.
            .filter(|field| run.is_some() || field.set_by.is_some())
            .collect();
        fields.sort_by_key(|field| rank(&field.change.field));
        let changed_since = since_run.into_iter().filter_map(|change| {
            let writer = writer(cron_job, &change.field);
            let writer = writer.filter(|writer| is_later(writer.no_later_than));
            let is_reverted = fields.iter().any(|field| change.reverts(&field.change));
            (writer.is_some() || is_reverted).then(|| TemplateChange::new(change, writer))
        });
        let mut changed_since: Vec<TemplateChange> = changed_since.collect();
        changed_since.sort_by_key(|field| rank(&field.change.field));
        self.changed_since = changed_since
            .into_iter()
            .map(TemplateChange::without_secret)
            .collect();
        self.fields = fields
            .into_iter()
            .map(TemplateChange::without_secret)
            .collect();
    }

    /// A `ConfigMap` shows only its last change: one after the first failure is not the reason for that.
    fn compare_config_maps(&mut self, facts: &Facts<'_>, job: &Job, before: Timestamp) {
        let names = job.config_maps();
        let namespace = &facts.input.cron_job.namespace;
        for name in &names {
            let mut read = facts.input.config_maps.iter();
            let Some(found) = read.find(|one| (&one.namespace, &one.name) == (namespace, name))
            else {
                self.config_maps_not_compared.push(name.clone());
                continue;
            };
            let changed = ChangedConfigMap {
                name: name.clone(),
                changed_at: found.changed_at,
                field_manager: found.field_manager.clone(),
            };
            if found.changed_at > self.started {
                self.config_maps_changed_since.push(changed);
            } else if found.changed_at > before
                && self
                    .first_failure
                    .is_none_or(|first| found.changed_at <= first)
            {
                self.config_maps.push(changed);
            }
        }
        if !names.is_empty() && self.config_maps_not_compared.is_empty() {
            self.compared.push(ComparedPart::ConfigMaps);
        }
    }

    fn compare_pods(&mut self, facts: &Facts<'_>, run: &PastRun<'_>, success: &PastRun<'_>) {
        let now = facts.input.pods_of(run.job);
        let before = facts.input.pods_of(success.job);
        let succeeded = before.iter().find(|pod| pod.phase == "Succeeded");
        let before = succeeded.or(before.first()).copied();
        let Some(pod) = now.first().copied() else {
            return;
        };
        for container in &pod.containers {
            let earlier = before.iter().flat_map(|pod| &pod.containers);
            let mut earlier = earlier
                .filter(|one| (&one.name, &one.image) == (&container.name, &container.image));
            let earlier = earlier.next().and_then(ContainerStatus::digest);
            let Some((old, new)) = earlier.zip(container.digest()) else {
                continue;
            };
            if !self.compared.contains(&ComparedPart::Images) {
                self.compared.push(ComparedPart::Images);
            }
            if old != new {
                self.images.push(ChangedImage {
                    container: container.name.clone(),
                    image: container.image.clone(),
                    old_digest: old.to_owned(),
                    new_digest: new.to_owned(),
                });
            }
        }
        let old = before
            .map(|pod| pod.node.clone())
            .filter(|node| !node.is_empty());
        if pod.node.is_empty() {
            return;
        }
        if old.is_some() {
            self.compared.push(ComparedPart::Nodes);
        }
        let ready_for_seconds = ready_for(pod);
        let is_other = old.as_ref().is_some_and(|old| *old != pod.node);
        if is_other || ready_for_seconds.is_some() {
            self.node = Some(ChangedNode {
                old,
                new: pod.node.clone(),
                ready_for_seconds,
            });
        }
    }
}

impl RecordedChange {
    /// What changed since the recorded run that succeeded last before a Job; `None` if none is recorded.
    fn of(facts: &Facts<'_>, job: &Job) -> Option<Self> {
        let record = facts.input.record.as_ref()?;
        let is_before = |run: &&StoredRun| {
            run.result == Some(RunResult::Succeeded) && run.started_at < job.creation_timestamp
        };
        let success = record.runs.iter().rev().find(is_before)?;
        let is_it = |run: &&StoredRun| run.job_uid.as_ref() == Some(&job.uid);
        let stored = record.runs.iter().rev().find(is_it);
        let whole = job.whole.as_ref().and_then(job_spec);
        let template = whole.as_ref().and_then(template_fingerprint);
        let template = template.or_else(|| job.template.clone());
        let template = template.or_else(|| stored?.template.clone());
        let images = facts.input.image_digests(job);
        let images = images.or_else(|| stored?.images.clone());
        let differs = |then: &Option<String>, now: Option<String>| Some(*then.as_ref()? != now?);
        Some(RecordedChange {
            template: differs(&success.template, template),
            images: differs(&success.images, images),
        })
    }
}

impl Input<'_> {
    /// The digests of the images of a Job by container, as the recorder stores them; `None` if its pods are gone.
    pub(crate) fn image_digests(&self, job: &Job) -> Option<String> {
        let pods = self.pods_of(job);
        let containers = pods.first()?.containers.iter();
        let digests = containers.filter_map(|one| Some(format!("{}={}", one.name, one.digest()?)));
        let digests: Vec<String> = digests.collect();
        (!digests.is_empty()).then(|| digests.join(","))
    }
}

impl TemplateChange {
    fn new(change: FieldChange, set_by: Option<FieldWriter>) -> Self {
        TemplateChange {
            change,
            hidden: false,
            set_by,
        }
    }

    /// Without the value of a variable of the environment that looks like a secret.
    fn without_secret(mut self) -> Self {
        let field = &self.change.field;
        let variable = field
            .rsplit_once(".env[")
            .and_then(|(_, rest)| rest.strip_suffix("].value"));
        let values = [&mut self.change.old, &mut self.change.new];
        if let Some(variable) = variable {
            let is_secret = |value: &Value| looks_secret(variable, value);
            if values.iter().any(|value| value.iter().any(is_secret)) {
                self.hidden = true;
                for value in values {
                    *value = None;
                }
            }
        } else {
            for value in values.into_iter().flatten() {
                hide_secrets(value);
            }
        }
        self
    }
}

/// Replaces the values of variables that look like secrets, in a container or a part of it.
fn hide_secrets(value: &mut Value) {
    let name = value
        .get("name")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let is_secret = value
        .get("value")
        .is_some_and(|value| looks_secret(name, value));
    match value {
        Value::Object(fields) => {
            for (field, value) in fields {
                if is_secret && field == "value" {
                    *value = Value::from("(hidden)");
                } else {
                    hide_secrets(value);
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(hide_secrets),
        _ => {}
    }
}

/// Whether a variable seems to hold a secret, by its name, or because it is a URL with a password.
fn looks_secret(name: &str, value: &Value) -> bool {
    const WORDS: [&str; 7] = [
        "pass",
        "pwd",
        "secret",
        "token",
        "key",
        "credential",
        "auth",
    ];
    let name = name.to_ascii_lowercase();
    let login = value
        .as_str()
        .and_then(|text| text.split_once("://")?.1.split_once('@'));
    WORDS.iter().any(|word| name.contains(word)) || login.is_some()
}

fn job_spec(job: &WholeObject) -> Option<Value> {
    job.parse().get("spec").cloned()
}

/// When the Job of the first failed run after a success was created, if no run between them is missing.
fn first_failure(facts: &Facts<'_>, success: &PastRun<'_>) -> Option<Timestamp> {
    let after = |run: &&PastRun<'_>| {
        !run.is_manual() && run.job.creation_timestamp > success.job.creation_timestamp
    };
    let first = facts
        .runs
        .iter()
        .find(after)
        .filter(|run| run.has_failed())?;
    let (before, at) = (success.scheduled_time?, first.scheduled_time?);
    let due = facts.timetable.as_ref()?.count(before, at).ok()?;
    (due.count == 1).then_some(first.job.creation_timestamp)?
}

/// For how long the node of a pod had been ready when the pod started, if that is short.
fn ready_for(pod: &Pod) -> Option<i64> {
    let own = pod.containers.iter();
    let ended = own
        .clone()
        .filter_map(|one| one.terminated.as_ref()?.started_at);
    let started = own.filter_map(|one| one.running_since).chain(ended).min()?;
    let seconds = started.as_second() - pod.node_ready_since?.as_second();
    (0..=NEW_NODE).contains(&seconds).then_some(seconds)
}

/// How telling a field is: what a container runs comes first.
fn rank(field: &str) -> usize {
    let is = |part: &str| field.contains(part);
    let last = field.rsplit('.').next().unwrap_or_default();
    let is_container = last.starts_with("containers[") || last.starts_with("initContainers[");
    let ranks = [
        last == "image" || is_container,
        matches!(last, "command" | "args"),
        is(".env[") || last == "envFrom",
        is(".resources"),
        last == "serviceAccountName",
        matches!(
            last,
            "activeDeadlineSeconds" | "terminationGracePeriodSeconds"
        ),
        is(".volumes[") || is(".volumeMounts["),
        !is(".metadata."),
    ];
    ranks.iter().position(|is_it| *is_it).unwrap_or(ranks.len())
}

/// The last field manager of the CronJob that owns a field of its Jobs.
fn writer(cron_job: &Value, field: &str) -> Option<FieldWriter> {
    let of_job = field.strip_prefix("spec")?;
    let path = format!(".spec.jobTemplate.spec{of_job}");
    let entries = cron_job.pointer("/metadata/managedFields")?.as_array()?;
    let writers = entries.iter().filter_map(|entry| {
        let text = |field: &str| entry.get(field).and_then(Value::as_str);
        let is_owner = text("subresource").unwrap_or_default().is_empty()
            && owns(entry.get("fieldsV1")?, &path);
        let writer = FieldWriter {
            field_manager: text("manager")?.to_owned(),
            no_later_than: text("time")?.parse().ok()?,
        };
        is_owner.then_some(writer)
    });
    writers.max_by_key(|writer| writer.no_later_than)
}

/// Whether a set of fields (`FieldsV1`) has the one of a path such as `.spec.containers[main].image`.
fn owns(set: &Value, path: &str) -> bool {
    let Some(set) = set.as_object() else {
        return false;
    };
    // What has no parts is set as a whole.
    set.is_empty()
        || path.is_empty()
        || set.iter().any(|(element, below)| {
            below_element(element, path).is_some_and(|rest| owns(below, rest))
        })
}

/// The rest of a path behind an element such as `f:image` or `k:{"name":"main"}`.
fn below_element<'p>(element: &str, path: &'p str) -> Option<&'p str> {
    let (kind, name) = element.split_once(':')?;
    if kind == "f" {
        let rest = path.strip_prefix('.')?.strip_prefix(name)?;
        return (rest.is_empty() || rest.starts_with(['.', '['])).then_some(rest);
    }
    let key: Value = serde_json::from_str(name).ok().filter(|_| kind == "k")?;
    key.as_object()?.values().find_map(|value| {
        let text = value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned);
        path.strip_prefix('[')?
            .strip_prefix(&*text)?
            .strip_prefix(']')
    })
}
