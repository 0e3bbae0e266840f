//! The fields that are used of each kind. Others are not read, because there are many objects.

use std::sync::Arc;

use super::shared::SharedParts;
use super::source::{ApiObject, FieldSource, ObjectKind};
use kube_model::{
    Condition, ContainerEnd, ContainerReason, ContainerSpec, ContainerStatus, CronJob, Event,
    EventSeries, Job, JobResult, LAST_APPLIED, LastApplied, ManagedField, Node, ObjectReference,
    OwnerReference, Pod, PodContainers, QUEUE_LABEL, ResourceQuota, SetFields, SharedText,
};

/// The metadata of all kinds, and `others`.
fn metadata<S: FieldSource>(
    source: &mut S,
    namespace: &mut String,
    name: &mut String,
    mut others: impl FnMut(&mut S),
) {
    source.require("metadata", "an object with a name");
    source.object("metadata", 1, |metadata| {
        metadata.object_name(name);
        metadata.namespace(namespace);
        others(metadata);
    });
}

impl ApiObject for CronJob {
    fn fields(&mut self, object: &mut impl FieldSource) {
        metadata(object, &mut self.namespace, &mut self.name, |metadata| {
            metadata.field("uid", 5, &mut self.uid);
            metadata.field("resourceVersion", 6, &mut self.resource_version);
            metadata.field("generation", 7, &mut self.generation);
            metadata.field("creationTimestamp", 8, &mut self.creation_timestamp);
            metadata.field("deletionTimestamp", 9, &mut self.deletion_timestamp);
            metadata.field("labels", 11, &mut self.labels);
            metadata.field("annotations", 12, &mut self.annotations);
            metadata.field("finalizers", 14, &mut self.finalizers);
            metadata.field("managedFields", 17, &mut self.managed_fields);
        });
        object.require("spec", "an object with a schedule");
        object.object("spec", 2, |fields| {
            let spec = &mut self.spec;
            fields.require("schedule", "a cron expression");
            fields.rendered("schedule", 1, &mut spec.schedule);
            fields.field(
                "startingDeadlineSeconds",
                2,
                &mut spec.starting_deadline_seconds,
            );
            fields.field("concurrencyPolicy", 3, &mut spec.concurrency_policy);
            fields.field("suspend", 4, &mut spec.suspend);
            fields.field("jobTemplate", 5, &mut spec.job_template);
            fields.field(
                "successfulJobsHistoryLimit",
                6,
                &mut spec.successful_jobs_history_limit,
            );
            fields.field(
                "failedJobsHistoryLimit",
                7,
                &mut spec.failed_jobs_history_limit,
            );
            fields.rendered("timeZone", 8, &mut spec.time_zone);
        });
        object.object("status", 3, |fields| {
            let status = &mut self.status;
            fields.field("active", 1, &mut status.active);
            fields.field("lastScheduleTime", 4, &mut status.last_schedule_time);
            fields.field("lastSuccessfulTime", 5, &mut status.last_successful_time);
            // An alpha field; this is its proposed number.
            fields.field("nextScheduleTime", 6, &mut status.next_schedule_time);
        });
    }
}

impl ObjectKind for CronJob {
    type Fields = Self;

    fn of_fields(mut cron_job: Self, api_version: &str) -> Self {
        cron_job.api_version = api_version.to_owned();
        let annotation = cron_job.annotations.get(LAST_APPLIED);
        let (last_applied, applied) = LastApplied::read(annotation, &cron_job.spec);
        (cron_job.last_applied, cron_job.applied) = (last_applied, applied);
        // It is as large as the whole object.
        cron_job.annotations.retain(|name| name != LAST_APPLIED);
        cron_job.managed_fields.retain(|field| {
            !field.of_spec.is_empty() || field.of_suspension || field.of_last_schedule_time
        });
        cron_job.labels.shrink_to_fit();
        cron_job.managed_fields.shrink_to_fit();
        cron_job.status.active.shrink_to_fit();
        cron_job
    }
}

impl ApiObject for ManagedField {
    fn fields(&mut self, entry: &mut impl FieldSource) {
        entry.field("manager", 1, &mut self.manager);
        entry.field("operation", 2, &mut self.operation);
        entry.field("time", 4, &mut self.time);
        let mut fields = SetFields::default();
        if entry.field("fieldsV1", 7, &mut fields) {
            self.note_fields(&fields);
        }
        entry.field("subresource", 8, &mut self.subresource);
    }
}

/// What is read of a Job, from which its model is made.
#[derive(Default)]
pub struct JobFields {
    job: Job,
    namespace: String,
    owners: Vec<OwnerReference>,
    /// Nearly half of a Job is the list of managed fields, of which only the managers are used.
    managers: Vec<FieldManager>,
}

#[derive(Default)]
struct FieldManager {
    name: String,
    subresource: String,
}

impl ApiObject for FieldManager {
    fn fields(&mut self, entry: &mut impl FieldSource) {
        entry.field("manager", 1, &mut self.name);
        entry.field("subresource", 8, &mut self.subresource);
    }
}

impl ApiObject for JobFields {
    fn fields(&mut self, object: &mut impl FieldSource) {
        let job = &mut self.job;
        metadata(object, &mut self.namespace, &mut job.name, |metadata| {
            metadata.field("uid", 5, &mut job.uid);
            metadata.field("creationTimestamp", 8, &mut job.creation_timestamp);
            metadata.field("deletionTimestamp", 9, &mut job.deletion_timestamp);
            metadata.field("labels", 11, &mut job.labels);
            metadata.field("annotations", 12, &mut job.annotations);
            metadata.field("ownerReferences", 13, &mut self.owners);
            metadata.field("managedFields", 17, &mut self.managers);
        });
        object.object("spec", 2, |spec| {
            spec.field("activeDeadlineSeconds", 3, &mut job.active_deadline_seconds);
            spec.field("backoffLimit", 7, &mut job.backoff_limit);
            spec.field("suspend", 10, &mut job.suspend);
            spec.field("managedBy", 15, &mut job.managed_by);
        });
        object.object("status", 3, |status| {
            status.field("conditions", 1, &mut job.conditions);
            status.field("startTime", 2, &mut job.start_time);
            status.field("completionTime", 3, &mut job.completion_time);
            status.field("active", 4, &mut job.active);
            status.field("succeeded", 5, &mut job.succeeded);
            status.field("failed", 6, &mut job.failed);
            status.field("ready", 9, &mut job.ready);
        });
    }
}

/// The annotations of a Job that are used.
fn is_about_runs(annotation: &str) -> bool {
    let mut prefixes = ["batch.", "cronjob.kubernetes.io/", "cronjob-doctor/"].iter();
    prefixes.any(|prefix| annotation.starts_with(prefix))
}

impl ObjectKind for Job {
    type Fields = JobFields;

    fn of_fields(fields: JobFields, _: &str) -> Self {
        let JobFields {
            mut job,
            namespace,
            mut owners,
            managers,
        } = fields;
        let own = |entry: &&FieldManager| entry.subresource.is_empty();
        let mut own = managers.iter().filter(own).peekable();
        job.namespace = namespace.into();
        job.by_kubectl = own.peek().is_some() && own.all(|entry| entry.name.starts_with("kubectl"));
        job.labels.retain(|name| name == QUEUE_LABEL);
        job.annotations.retain(is_about_runs);
        owners.shrink_to_fit();
        job.owner_references = Arc::new(owners);
        // Once a Job has ended, only the time of the verdict before a failure is used, if it is another one. The reason
        // of a success is not used.
        let end = job.ending().map(|ending| ending.last_transition_time);
        job.conditions.retain_mut(|condition| {
            let verdict = JobResult::of_verdict(&condition.r#type);
            let result = JobResult::of_condition(&condition.r#type).or(verdict);
            let is_over = verdict.is_some() && end.is_some();
            if is_over || result == Some(JobResult::Succeeded) {
                condition.reason = SharedText::default();
                condition.message = SharedText::default();
            }
            let is_earlier_failure =
                verdict == Some(JobResult::Failed) && end != Some(condition.last_transition_time);
            let is_used = result.is_some() && (!is_over || is_earlier_failure);
            is_used || condition.r#type == "Suspended"
        });
        job.conditions.shrink_to_fit();
        job
    }

    fn share(&mut self, parts: &mut SharedParts) {
        parts.share_owners(&mut self.owner_references);
        self.annotations.share_names(&mut parts.texts);
        self.namespace.share(&mut parts.texts);
        self.managed_by.share(&mut parts.texts);
        for condition in &mut self.conditions {
            condition.share_texts(&mut parts.texts);
        }
    }
}

impl ApiObject for OwnerReference {
    fn fields(&mut self, reference: &mut impl FieldSource) {
        reference.field("kind", 1, &mut self.kind);
        reference.field("name", 3, &mut self.name);
        reference.field("uid", 4, &mut self.uid);
        reference.field("apiVersion", 5, &mut self.api_version);
        reference.field("controller", 6, &mut self.controller);
    }
}

impl ApiObject for ObjectReference {
    fn fields(&mut self, reference: &mut impl FieldSource) {
        reference.field("kind", 1, &mut self.kind);
        reference.field("namespace", 2, &mut self.namespace);
        reference.field("name", 3, &mut self.name);
        reference.field("uid", 4, &mut self.uid);
    }
}

impl ApiObject for Condition {
    fn fields(&mut self, condition: &mut impl FieldSource) {
        condition.field("type", 1, &mut self.r#type);
        condition.field("status", 2, &mut self.status);
        condition.field("lastTransitionTime", 4, &mut self.last_transition_time);
        condition.field("reason", 5, &mut self.reason);
        condition.field("message", 6, &mut self.message);
    }
}

/// An event of `v1`, or of `events.k8s.io`, which has other names for some fields.
impl ApiObject for Event {
    fn fields(&mut self, object: &mut impl FieldSource) {
        metadata(object, &mut self.namespace, &mut self.name, |_| ());
        object.either(
            ["involvedObject", "regarding"],
            2,
            &mut self.involved_object,
        );
        object.field("reason", 3, &mut self.reason);
        object.either(["message", "note"], 4, &mut self.message);
        // Older clients only set the source, and leave the reporting component empty.
        for name in ["source", "deprecatedSource"] {
            object.object(name, 5, |source| {
                if self.reporting_component.is_empty() {
                    source.field("component", 1, &mut self.reporting_component);
                }
            });
        }
        object.either(
            ["firstTimestamp", "deprecatedFirstTimestamp"],
            6,
            &mut self.first_timestamp,
        );
        object.either(
            ["lastTimestamp", "deprecatedLastTimestamp"],
            7,
            &mut self.last_timestamp,
        );
        object.either(["count", "deprecatedCount"], 8, &mut self.count);
        object.field("type", 9, &mut self.r#type);
        object.field("eventTime", 10, &mut self.event_time);
        object.field("series", 11, &mut self.series);
        let mut component = String::new();
        object.either(
            ["reportingComponent", "reportingController"],
            14,
            &mut component,
        );
        if !component.is_empty() {
            self.reporting_component = component;
        }
    }
}

impl ApiObject for EventSeries {
    fn fields(&mut self, series: &mut impl FieldSource) {
        series.field("count", 1, &mut self.count);
        series.field("lastObservedTime", 2, &mut self.last_observed_time);
    }
}

impl ObjectKind for Event {
    type Fields = Self;

    fn of_fields(mut event: Self, _: &str) -> Self {
        // JSON omits zero.
        event.count.take_if(|count| *count == 0);
        event
    }
}

/// What is read of a pod, from which its model is made.
#[derive(Default)]
pub struct PodFields {
    pod: Pod,
    spec: PodContainers,
    init: Vec<ContainerStatus>,
    ordinary: Vec<ContainerStatus>,
}

impl ApiObject for PodFields {
    fn fields(&mut self, object: &mut impl FieldSource) {
        let pod = &mut self.pod;
        metadata(object, &mut pod.namespace, &mut pod.name, |metadata| {
            metadata.field("uid", 5, &mut pod.uid);
            metadata.field("creationTimestamp", 8, &mut pod.creation_timestamp);
            metadata.field("deletionTimestamp", 9, &mut pod.deletion_timestamp);
            metadata.field("ownerReferences", 13, &mut pod.owner_references);
            metadata.field("finalizers", 14, &mut pod.finalizers);
        });
        object.object("spec", 2, |spec| {
            spec.field("containers", 2, &mut self.spec.ordinary);
            spec.field("restartPolicy", 3, &mut self.spec.restart_policy);
            spec.field("nodeName", 10, &mut pod.node);
            spec.field("initContainers", 20, &mut self.spec.init);
        });
        object.object("status", 3, |status| {
            status.field("phase", 1, &mut pod.phase);
            status.field("conditions", 2, &mut pod.conditions);
            status.field("message", 3, &mut pod.message);
            status.field("reason", 4, &mut pod.reason);
            status.field("containerStatuses", 8, &mut self.ordinary);
            status.field("initContainerStatuses", 10, &mut self.init);
        });
    }
}

impl ObjectKind for Pod {
    type Fields = PodFields;

    fn of_fields(fields: PodFields, _: &str) -> Self {
        Pod {
            containers: fields.spec.complete(fields.init, fields.ordinary),
            ..fields.pod
        }
        .with_foreign_finalizers()
    }
}

impl ApiObject for ContainerSpec {
    fn fields(&mut self, container: &mut impl FieldSource) {
        container.field("name", 1, &mut self.name);
        container.field("image", 2, &mut self.image);
        container.object("resources", 8, |resources| {
            resources.enter("limits", 1, |limits| {
                limits.quantity_text("memory", &mut self.memory_limit);
            });
        });
        container.field("restartPolicy", 24, &mut self.restart_policy);
        self.has_restart_rules |= container.has_items("restartPolicyRules", 25);
    }
}

impl ApiObject for ContainerStatus {
    fn fields(&mut self, container: &mut impl FieldSource) {
        container.field("name", 1, &mut self.name);
        let (mut end, mut last_end) = (None, None);
        container.object("state", 2, |state| {
            state.field("waiting", 1, &mut self.waiting);
            self.is_running |= state.object("running", 2, |running| {
                running.field("startedAt", 1, &mut self.running_since);
            });
            state.field("terminated", 3, &mut end);
        });
        container.object("lastState", 3, |state| {
            state.field("terminated", 3, &mut last_end);
        });
        self.terminated = end.or(self.terminated.take()).or(last_end);
        container.field("restartCount", 5, &mut self.restart_count);
        container.field("image", 6, &mut self.image);
        container.field("imageID", 7, &mut self.image_id);
    }
}

impl ApiObject for ContainerReason {
    fn fields(&mut self, waiting: &mut impl FieldSource) {
        waiting.field("reason", 1, &mut self.reason);
        waiting.field("message", 2, &mut self.message);
    }
}

impl ApiObject for ContainerEnd {
    fn fields(&mut self, terminated: &mut impl FieldSource) {
        terminated.field("exitCode", 1, &mut self.exit_code);
        terminated.field("reason", 3, &mut self.reason);
        terminated.field("message", 4, &mut self.message);
        terminated.field("startedAt", 5, &mut self.started_at);
        terminated.field("finishedAt", 6, &mut self.finished_at);
    }
}

impl ApiObject for Node {
    fn fields(&mut self, object: &mut impl FieldSource) {
        // Nodes have no namespace.
        let mut namespace = String::new();
        metadata(object, &mut namespace, &mut self.name, |metadata| {
            metadata.field("creationTimestamp", 8, &mut self.creation_timestamp);
        });
        object.object("status", 3, |status| {
            status.field("conditions", 4, &mut self.conditions);
        });
    }
}

impl ObjectKind for Node {
    type Fields = Self;

    fn of_fields(node: Self, _: &str) -> Self {
        node
    }
}

impl ApiObject for ResourceQuota {
    fn fields(&mut self, object: &mut impl FieldSource) {
        metadata(object, &mut self.namespace, &mut self.name, |_| ());
        object.object("spec", 2, |spec| {
            self.is_scoped |= spec.has_items("scopes", 2);
            self.is_scoped |= spec.object("scopeSelector", 3, |_| ());
        });
        // The API server uses the status, which the quota controller copies from the spec.
        object.object("status", 3, |status| {
            status.enter("hard", 1, |hard| hard.quantity(Self::JOBS, &mut self.hard));
            status.enter("used", 2, |used| used.quantity(Self::JOBS, &mut self.used));
        });
    }
}

impl ObjectKind for ResourceQuota {
    type Fields = Self;

    fn of_fields(quota: Self, _: &str) -> Self {
        quota
    }
}
