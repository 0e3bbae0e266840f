//! Converts protobuf messages to the model.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use jiff::Timestamp;
use prost::Message as _;
use serde_json::{Map, Value, json};

use super::wire;
use crate::model::{
    ConcurrencyPolicy, Condition, ContainerEnd, ContainerReason, ContainerSpec, ContainerStatus,
    CronJob, CronJobSpec, CronJobStatus, Event, EventSeries, Job, LAST_APPLIED, LastApplied,
    ManagedField, ObjectReference, OwnerReference, Pod, PodContainers, QUEUE_LABEL, ResourceQuota,
    is_by_kubectl,
};

/// The annotations of a Job that are used. Others are dropped, because there are many Jobs.
fn speaks_of_runs(annotation: &str) -> bool {
    let mut prefixes = ["batch.", "cronjob.kubernetes.io/", "cronjob-doctor/"].iter();
    prefixes.any(|prefix| annotation.starts_with(prefix))
}

fn time(time: Option<wire::TimeMessage>) -> Option<Timestamp> {
    // The server sends an unset time as an empty message.
    let time = time.filter(|time| *time != wire::TimeMessage::default())?;
    Timestamp::new(time.seconds, time.nanos).ok()
}

/// A list without spare capacity. Collecting reuses the allocation of the decoded list, which has
/// a capacity of four for one element.
fn exact<T>(items: impl Iterator<Item = T>) -> Vec<T> {
    let mut items: Vec<T> = items.collect();
    items.shrink_to_fit();
    items
}

impl wire::CronJobMessage {
    pub(super) fn slim(self, api_version: &str, templates: &mut Templates) -> CronJob {
        let meta = self.metadata.unwrap_or_default();
        let spec = self.spec.unwrap_or_default();
        let status = self.status.unwrap_or_default();
        let mut annotations = meta.annotations;
        // It is as large as the whole object.
        let last_applied = annotations.remove(LAST_APPLIED);
        let spec = CronJobSpec {
            schedule: spec.schedule,
            time_zone: spec.time_zone,
            starting_deadline_seconds: spec.starting_deadline_seconds,
            concurrency_policy: ConcurrencyPolicy::from(spec.concurrency_policy.as_str()),
            suspend: spec.suspend,
            successful_jobs_history_limit: spec.successful_jobs_history_limit,
            failed_jobs_history_limit: spec.failed_jobs_history_limit,
            job_template: templates.share(spec.job_template.unwrap_or_default()),
        };
        let (last_applied, applied) = LastApplied::read(last_applied.as_deref(), &spec);
        CronJob {
            last_applied,
            applied,
            api_version: api_version.to_owned(),
            namespace: meta.namespace,
            name: meta.name,
            uid: meta.uid,
            resource_version: meta.resource_version,
            generation: meta.generation,
            creation_timestamp: time(meta.creation_timestamp),
            not_in_cluster: false,
            deletion_timestamp: time(meta.deletion_timestamp),
            labels: meta.labels.into_iter().collect(),
            annotations: annotations.into_iter().collect(),
            managed_fields: managed(meta.managed_fields),
            spec,
            status: CronJobStatus {
                active: exact(status.active.into_iter().map(Into::into)),
                last_schedule_time: time(status.last_schedule_time),
                last_successful_time: time(status.last_successful_time),
                next_schedule_time: time(status.next_schedule_time),
            },
        }
    }
}

/// The managers of spec fields, of annotations about a suspension, and of `status.lastScheduleTime`.
fn managed(fields: Vec<wire::ManagedFieldMessage>) -> Vec<ManagedField> {
    let owner = |field: wire::ManagedFieldMessage| {
        let raw = field.fields.unwrap_or_default().raw;
        let fields: Value = serde_json::from_slice(&raw).ok()?;
        let mut owner = ManagedField {
            manager: field.manager,
            operation: field.operation,
            time: time(field.time),
            subresource: field.subresource,
            ..ManagedField::default()
        };
        owner.note_fields(&fields);
        let counts =
            !owner.of_spec.is_empty() || owner.of_suspension || owner.of_last_schedule_time;
        counts.then_some(owner)
    };
    exact(fields.into_iter().filter_map(owner))
}

/// Job templates, deduplicated: most are equal to another one.
#[derive(Default)]
pub(super) struct Templates(HashMap<Vec<u8>, Arc<Value>>);

impl Templates {
    fn share(&mut self, mut template: wire::JobTemplateMessage) -> Arc<Value> {
        template.drop_unused();
        let known = self.0.entry(template.encode_to_vec());
        Arc::clone(known.or_insert_with(|| Arc::new(template.value())))
    }
}

/// Whether an annotation of a pod is used: it says whether an autoscaler may evict the pod.
fn speaks_of_eviction(annotation: &str) -> bool {
    matches!(
        annotation,
        "karpenter.sh/do-not-disrupt" | "cluster-autoscaler.kubernetes.io/safe-to-evict"
    )
}

impl wire::JobTemplateMessage {
    /// Drops what no finding uses, and what would make equal templates differ.
    fn drop_unused(&mut self) {
        let pods = self.spec.as_mut().and_then(|spec| spec.template.as_mut());
        let Some(pods) = pods else { return };
        if let Some(meta) = pods.metadata.as_mut() {
            meta.annotations.retain(|name, _| speaks_of_eviction(name));
        }
        pods.metadata.take_if(|meta| meta.annotations.is_empty());
        // A single container holds no other one.
        if let Some(pod) = pods.spec.as_mut().filter(|pod| pod.containers.len() == 1) {
            pod.containers.clear();
        }
    }

    /// The fields that findings use, as JSON. The rules of a pod failure policy are complete: a patch of one has to
    /// repeat the others.
    fn value(self) -> Value {
        let mut template = Map::new();
        let labels = self.metadata.map(|meta| meta.labels).unwrap_or_default();
        if !labels.is_empty() {
            template.insert("metadata".to_owned(), json!({ "labels": labels }));
        }
        let mut spec = serde_json::to_value(self.spec).unwrap_or_default();
        drop_unset(&mut spec);
        template.insert("spec".to_owned(), spec);
        Value::Object(template)
    }
}

/// Drops the fields that are not set: in protobuf, they are empty.
fn drop_unset(value: &mut Value) {
    match value {
        Value::Object(fields) => fields.retain(|name, field| {
            if name != "annotations" {
                drop_unset(field);
            }
            match field {
                Value::Null => false,
                Value::String(text) => !text.is_empty(),
                Value::Array(items) => !items.is_empty(),
                Value::Object(fields) => !fields.is_empty(),
                Value::Bool(_) | Value::Number(_) => true,
            }
        }),
        Value::Array(items) => items.iter_mut().for_each(drop_unset),
        _ => {}
    }
}

impl From<wire::JobMessage> for Job {
    fn from(job: wire::JobMessage) -> Self {
        let meta = job.metadata.unwrap_or_default();
        let status = job.status.unwrap_or_default();
        let mut annotations = meta.annotations;
        annotations.retain(|name, _| speaks_of_runs(name));
        let mut labels = meta.labels;
        labels.retain(|name, _| name == QUEUE_LABEL);
        let managers = meta.managed_fields.iter();
        let managers = managers.map(|entry| (entry.manager.as_str(), entry.subresource.as_str()));
        Job {
            namespace: meta.namespace,
            name: meta.name,
            uid: meta.uid,
            creation_timestamp: time(meta.creation_timestamp),
            deletion_timestamp: time(meta.deletion_timestamp),
            labels: labels.into_iter().collect(),
            annotations: annotations.into_iter().collect(),
            owner_references: owners(meta.owner_references),
            by_kubectl: is_by_kubectl(managers),
            suspend: job.spec.and_then(|spec| spec.suspend),
            start_time: time(status.start_time),
            completion_time: time(status.completion_time),
            active: status.active,
            ready: status.ready,
            succeeded: status.succeeded,
            failed: status.failed,
            conditions: endings(status.conditions),
        }
    }
}

/// The final condition of a Job. The controller ignores the conditions before that, and the reason
/// of a success is not used.
fn endings(conditions: Vec<wire::ConditionMessage>) -> Vec<Condition> {
    let is_ending = |condition: &wire::ConditionMessage| {
        matches!(
            condition.r#type.as_str(),
            "Complete" | "Failed" | "Suspended"
        )
    };
    let endings = conditions.into_iter().filter(is_ending);
    exact(endings.map(|condition| {
        let mut ending = Condition::from(condition);
        if ending.r#type == "Complete" {
            ending.reason = String::new();
            ending.message = String::new();
        }
        ending
    }))
}

fn owners(owners: Vec<wire::OwnerReferenceMessage>) -> Vec<OwnerReference> {
    let owner = |owner: wire::OwnerReferenceMessage| OwnerReference {
        api_version: owner.api_version,
        kind: owner.kind,
        name: owner.name,
        uid: owner.uid,
        controller: owner.controller,
    };
    exact(owners.into_iter().map(owner))
}

impl From<wire::ConditionMessage> for Condition {
    fn from(condition: wire::ConditionMessage) -> Self {
        Condition {
            r#type: condition.r#type,
            status: condition.status,
            reason: condition.reason,
            message: condition.message,
            last_transition_time: time(condition.last_transition_time),
        }
    }
}

impl From<wire::ObjectReferenceMessage> for ObjectReference {
    fn from(reference: wire::ObjectReferenceMessage) -> Self {
        ObjectReference {
            kind: reference.kind,
            namespace: reference.namespace,
            name: reference.name,
            uid: reference.uid,
        }
    }
}

impl From<wire::EventMessage> for Event {
    fn from(event: wire::EventMessage) -> Self {
        let meta = event.metadata.unwrap_or_default();
        // Older clients only set `source`, and leave the reporting component empty.
        let reporting_component = if event.reporting_component.is_empty() {
            event.source.unwrap_or_default().component
        } else {
            event.reporting_component
        };
        let series = event.series.map(|series| EventSeries {
            count: series.count,
            last_observed_time: time(series.last_observed_time),
        });
        Event {
            namespace: meta.namespace,
            name: meta.name,
            r#type: event.r#type,
            reason: event.reason,
            message: event.message,
            involved_object: event.involved_object.unwrap_or_default().into(),
            first_timestamp: time(event.first_timestamp),
            last_timestamp: time(event.last_timestamp),
            event_time: time(event.event_time),
            // JSON omits zero.
            count: event.count.filter(|count| *count != 0),
            series,
            reporting_component,
        }
    }
}

impl From<wire::PodMessage> for Pod {
    fn from(pod: wire::PodMessage) -> Self {
        let meta = pod.metadata.unwrap_or_default();
        let status = pod.status.unwrap_or_default();
        let spec = pod.spec.unwrap_or_default();
        let containers = |containers: Vec<wire::ContainerMessage>| -> Vec<ContainerSpec> {
            containers.into_iter().map(Into::into).collect()
        };
        let spec = PodContainers {
            restart_policy: spec.restart_policy,
            init: containers(spec.init_containers),
            ordinary: containers(spec.containers),
        };
        let statuses = |statuses: Vec<wire::ContainerStatusMessage>| {
            statuses.into_iter().map(ContainerStatus::from)
        };
        Pod {
            namespace: meta.namespace,
            name: meta.name,
            uid: meta.uid,
            creation_timestamp: time(meta.creation_timestamp),
            deletion_timestamp: time(meta.deletion_timestamp),
            owner_references: owners(meta.owner_references),
            phase: status.phase,
            reason: status.reason,
            message: status.message,
            conditions: status.conditions.into_iter().map(Into::into).collect(),
            containers: spec.complete(
                statuses(status.init_container_statuses),
                statuses(status.container_statuses),
            ),
        }
    }
}

impl From<wire::ContainerMessage> for ContainerSpec {
    fn from(container: wire::ContainerMessage) -> Self {
        ContainerSpec {
            name: container.name,
            image: container.image,
            restart_policy: container.restart_policy,
            has_restart_rules: !container.restart_policy_rules.is_empty(),
        }
    }
}

impl From<wire::ContainerStatusMessage> for ContainerStatus {
    fn from(status: wire::ContainerStatusMessage) -> Self {
        let state = status.state.unwrap_or_default();
        let before = status.last_state.unwrap_or_default();
        let waiting = state.waiting.map(|waiting| ContainerReason {
            reason: waiting.reason,
            message: waiting.message,
        });
        let terminated = state.terminated.or(before.terminated);
        let terminated = terminated.map(|end| ContainerEnd {
            exit_code: end.exit_code,
            started_at: time(end.started_at),
            finished_at: time(end.finished_at),
            reason: end.reason,
            message: end.message,
        });
        ContainerStatus {
            name: status.name,
            image: status.image,
            restart_count: status.restart_count,
            waiting,
            is_running: state.running.is_some(),
            running_since: state.running.and_then(|running| time(running.started_at)),
            terminated,
            ..ContainerStatus::default()
        }
    }
}

impl From<wire::ResourceQuotaMessage> for ResourceQuota {
    fn from(quota: wire::ResourceQuotaMessage) -> Self {
        let meta = quota.metadata.unwrap_or_default();
        let spec = quota.spec.unwrap_or_default();
        let status = quota.status.unwrap_or_default();
        let jobs = |amounts: &BTreeMap<String, wire::QuantityMessage>| {
            ResourceQuota::count(&amounts.get(ResourceQuota::JOBS)?.string)
        };
        ResourceQuota {
            namespace: meta.namespace,
            name: meta.name,
            hard: jobs(&status.hard),
            used: jobs(&status.used),
            is_scoped: !spec.scopes.is_empty() || spec.scope_selector.is_some(),
        }
    }
}

#[cfg(test)]
mod tests {
    use prost::Message as _;

    use crate::cluster::wire;
    use crate::model::Condition;

    /// As a 1.36 API server sends it: field 4, of no bytes.
    #[test]
    fn a_condition_without_a_transition_has_no_time() {
        let condition =
            wire::ConditionMessage::decode(&b"\x0a\x05Ready\x12\x05False\x22\x00"[..]).unwrap();
        let condition = Condition::from(condition);
        assert_eq!(
            (condition.r#type.as_str(), condition.status.as_str()),
            ("Ready", "False")
        );
        assert_eq!(condition.last_transition_time, None);
    }

    /// Annotations that say nothing about eviction would only make templates differ.
    #[test]
    fn template_keeps_what_findings_and_remedies_use() {
        let rule = wire::PodFailureRuleMessage {
            action: "FailJob".to_owned(),
            on_exit_codes: Some(wire::ExitCodesMessage {
                container_name: None,
                operator: "In".to_owned(),
                values: vec![3, 143],
            }),
            on_pod_conditions: Vec::new(),
        };
        let annotations = [("checksum", "1"), ("karpenter.sh/do-not-disrupt", "true")];
        let annotations = annotations.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let pods = wire::PodTemplateMessage {
            metadata: Some(wire::PodTemplateMetaMessage {
                annotations: annotations.into(),
            }),
            spec: Some(wire::TemplatePodSpecMessage {
                scheduling_gates: vec![wire::NamedPartMessage {
                    name: "example.com/wait".to_owned(),
                }],
                ..wire::TemplatePodSpecMessage::default()
            }),
        };
        let template = wire::JobTemplateMessage {
            metadata: None,
            spec: Some(wire::JobSpecMessage {
                pod_failure_policy: Some(wire::PodFailurePolicyMessage { rules: vec![rule] }),
                template: Some(pods),
                managed_by: Some("example.com/queue".to_owned()),
                ..wire::JobSpecMessage::default()
            }),
        };
        let template = super::Templates::default().share(template);
        let expected = serde_json::json!({"spec": {
            "podFailurePolicy": {"rules": [
                {"action": "FailJob", "onExitCodes": {"operator": "In", "values": [3, 143]}},
            ]},
            "managedBy": "example.com/queue",
            "template": {
                "metadata": {"annotations": {"karpenter.sh/do-not-disrupt": "true"}},
                "spec": {"schedulingGates": [{"name": "example.com/wait"}]},
            },
        }});
        assert_eq!(*template, expected);
    }
}
