//! Decodes the objects of each kind.

use std::sync::Arc;

use jiff::Timestamp;

use super::super::field::{ApiObject, Result};
use crate::model::{
    ConcurrencyPolicy, Condition, ContainerEnd, ContainerReason, ContainerSpec, ContainerStatus,
    CronJob, CronJobSpec, CronJobStatus, Event, EventSeries, Job, LAST_APPLIED, LastApplied,
    ManagedField, ObjectReference, OwnerReference, Pod, PodContainers, ResourceQuota, Texts,
};

pub(super) fn cron_job(
    object: &ApiObject<'_>,
    api_version: &str,
    namespace: &str,
) -> Result<CronJob> {
    let meta = metadata(object, namespace)?;
    let stored = object.object("metadata", |metadata| {
        Ok((
            metadata.string_or_empty("resourceVersion")?,
            metadata.int64("generation")?,
            metadata.list("managedFields", managed_field)?,
        ))
    })?;
    let (resource_version, generation, managed_fields) = stored.unwrap_or_default();
    let spec = object
        .object("spec", cron_job_spec)?
        .ok_or_else(|| object.missing("spec", "an object with a schedule"))?;
    let annotation = meta.annotations.get(LAST_APPLIED);
    let (last_applied, applied) = LastApplied::read(annotation, &spec);
    Ok(CronJob {
        api_version: api_version.to_owned(),
        namespace: meta.namespace,
        name: meta.name,
        uid: meta.uid,
        resource_version,
        generation,
        creation_timestamp: meta.creation_timestamp,
        not_in_cluster: false,
        deletion_timestamp: meta.deletion_timestamp,
        labels: meta.labels,
        managed_fields,
        last_applied,
        applied,
        annotations: meta.annotations,
        spec,
        status: object
            .object("status", cron_job_status)?
            .unwrap_or_default(),
    })
}

fn cron_job_spec(spec: &ApiObject<'_>) -> Result<CronJobSpec> {
    Ok(CronJobSpec {
        schedule: spec
            .rendered("schedule")?
            .ok_or_else(|| spec.missing("schedule", "a cron expression"))?
            .to_owned(),
        time_zone: spec.rendered("timeZone")?.map(str::to_owned),
        starting_deadline_seconds: spec.int64("startingDeadlineSeconds")?,
        concurrency_policy: spec
            .str("concurrencyPolicy")?
            .map(ConcurrencyPolicy::from)
            .unwrap_or_default(),
        suspend: spec.boolean("suspend")?,
        successful_jobs_history_limit: spec.int32("successfulJobsHistoryLimit")?,
        failed_jobs_history_limit: spec.int32("failedJobsHistoryLimit")?,
        job_template: {
            // Its content is kept as JSON, but it must be an object.
            spec.object("jobTemplate", |_| Ok(()))?;
            Arc::new(spec.json("jobTemplate")?)
        },
    })
}

fn cron_job_status(status: &ApiObject<'_>) -> Result<CronJobStatus> {
    Ok(CronJobStatus {
        active: status.list("active", object_reference)?,
        last_schedule_time: status.time("lastScheduleTime")?,
        last_successful_time: status.time("lastSuccessfulTime")?,
        next_schedule_time: status.time("nextScheduleTime")?,
    })
}

pub(super) fn job(object: &ApiObject<'_>, namespace: &str) -> Result<Job> {
    let meta = metadata(object, namespace)?;
    let mut job = Job {
        namespace: meta.namespace,
        name: meta.name,
        uid: meta.uid,
        creation_timestamp: meta.creation_timestamp,
        deletion_timestamp: meta.deletion_timestamp,
        labels: meta.labels,
        annotations: meta.annotations,
        owner_references: owners(object)?,
        by_kubectl: is_by_kubectl(object)?,
        suspend: object
            .object("spec", |spec| spec.boolean("suspend"))?
            .flatten(),
        ..Job::default()
    };
    object.object("status", |status| {
        job.start_time = status.time("startTime")?;
        job.completion_time = status.time("completionTime")?;
        job.active = status.int32("active")?.unwrap_or_default();
        job.ready = status.int32("ready")?;
        job.succeeded = status.int32("succeeded")?.unwrap_or_default();
        job.failed = status.int32("failed")?.unwrap_or_default();
        job.conditions = status.list("conditions", condition)?;
        Ok(())
    })?;
    Ok(job)
}

pub(super) fn pod(object: &ApiObject<'_>, namespace: &str) -> Result<Pod> {
    let meta = metadata(object, namespace)?;
    let mut pod = Pod {
        namespace: meta.namespace,
        name: meta.name,
        uid: meta.uid,
        creation_timestamp: meta.creation_timestamp,
        deletion_timestamp: meta.deletion_timestamp,
        owner_references: owners(object)?,
        ..Pod::default()
    };
    let spec = object.object("spec", |spec| {
        Ok(PodContainers {
            restart_policy: spec.string_or_empty("restartPolicy")?,
            init: spec.list("initContainers", container_spec)?,
            ordinary: spec.list("containers", container_spec)?,
        })
    })?;
    let spec = spec.unwrap_or_default();
    object.object("status", |status| {
        pod.phase = status.string_or_empty("phase")?;
        pod.reason = status.string_or_empty("reason")?;
        pod.message = status.string_or_empty("message")?;
        pod.conditions = status.list("conditions", condition)?;
        pod.containers = spec.complete(
            status.list("initContainerStatuses", container)?,
            status.list("containerStatuses", container)?,
        );
        Ok(())
    })?;
    Ok(pod)
}

fn container_spec(container: &ApiObject<'_>) -> Result<ContainerSpec> {
    Ok(ContainerSpec {
        name: container.string_or_empty("name")?,
        image: container.string_or_empty("image")?,
        restart_policy: container.string_or_empty("restartPolicy")?,
        has_restart_rules: !container.nodes("restartPolicyRules")?.is_empty(),
    })
}

fn container(container: &ApiObject<'_>) -> Result<ContainerStatus> {
    let state = container.object("state", |state| {
        Ok((
            state.object("waiting", reason)?,
            state.object("running", |running| running.time("startedAt"))?,
            state.object("terminated", end)?,
        ))
    })?;
    let last = container.object("lastState", |state| state.object("terminated", end))?;
    let (waiting, running, terminated) = state.unwrap_or_default();
    Ok(ContainerStatus {
        name: container.string_or_empty("name")?,
        image: container.string_or_empty("image")?,
        restart_count: container.int32("restartCount")?.unwrap_or_default(),
        waiting,
        is_running: running.is_some(),
        running_since: running.flatten(),
        terminated: terminated.or(last.flatten()),
        ..ContainerStatus::default()
    })
}

fn reason(waiting: &ApiObject<'_>) -> Result<ContainerReason> {
    Ok(ContainerReason {
        reason: waiting.string_or_empty("reason")?,
        message: waiting.string_or_empty("message")?,
    })
}

fn end(terminated: &ApiObject<'_>) -> Result<ContainerEnd> {
    Ok(ContainerEnd {
        exit_code: terminated.int32("exitCode")?.unwrap_or_default(),
        reason: terminated.string_or_empty("reason")?,
        message: terminated.string_or_empty("message")?,
        started_at: terminated.time("startedAt")?,
        finished_at: terminated.time("finishedAt")?,
    })
}

/// Reads an event of `v1`, or of `events.k8s.io`, which has other names for some fields.
pub(super) fn event(object: &ApiObject<'_>, namespace: &str, is_core: bool) -> Result<Event> {
    let meta = metadata(object, namespace)?;
    let named = |core, other| if is_core { core } else { other };
    let mut reporting_component =
        object.string_or_empty(named("reportingComponent", "reportingController"))?;
    if reporting_component.is_empty() {
        // Older clients name themselves as the source only.
        let source = named("source", "deprecatedSource");
        let component = object.object(source, |source| source.string_or_empty("component"))?;
        reporting_component = component.unwrap_or_default();
    }
    Ok(Event {
        namespace: meta.namespace,
        name: meta.name,
        r#type: object.string_or_empty("type")?,
        reason: object.string_or_empty("reason")?,
        message: object.string_or_empty(named("message", "note"))?,
        involved_object: object
            .object(named("involvedObject", "regarding"), object_reference)?
            .unwrap_or_else(ObjectReference::default),
        first_timestamp: object.time(named("firstTimestamp", "deprecatedFirstTimestamp"))?,
        last_timestamp: object.time(named("lastTimestamp", "deprecatedLastTimestamp"))?,
        event_time: object.time("eventTime")?,
        count: object.int32(named("count", "deprecatedCount"))?,
        series: object.object("series", series)?,
        reporting_component,
    })
}

fn series(series: &ApiObject<'_>) -> Result<EventSeries> {
    Ok(EventSeries {
        count: series.int32("count")?.unwrap_or_default(),
        last_observed_time: series.time("lastObservedTime")?,
    })
}

pub(super) fn quota(object: &ApiObject<'_>, namespace: &str) -> Result<ResourceQuota> {
    let meta = metadata(object, namespace)?;
    // The API server uses the status, which the quota controller copies from the spec.
    let counts = object.object("status", |status| {
        Ok((
            quota_of_jobs(status, "hard")?,
            quota_of_jobs(status, "used")?,
        ))
    })?;
    let (hard, used) = counts.unwrap_or_default();
    let is_scoped = object.object("spec", |spec| {
        let scopes = !spec.nodes("scopes")?.is_empty();
        Ok(scopes || spec.node("scopeSelector").is_some())
    })?;
    Ok(ResourceQuota {
        namespace: meta.namespace,
        name: meta.name,
        hard,
        used,
        is_scoped: is_scoped.unwrap_or_default(),
    })
}

fn quota_of_jobs(status: &ApiObject<'_>, name: &str) -> Result<Option<i64>> {
    let jobs = status.object(name, |amounts| amounts.count(ResourceQuota::JOBS))?;
    Ok(jobs.flatten())
}

/// The metadata that all kinds have.
#[derive(Debug, Default)]
struct Meta {
    namespace: String,
    name: String,
    uid: String,
    creation_timestamp: Option<Timestamp>,
    deletion_timestamp: Option<Timestamp>,
    labels: Texts,
    annotations: Texts,
}

fn condition(condition: &ApiObject<'_>) -> Result<Condition> {
    Ok(Condition {
        r#type: condition.string_or_empty("type")?,
        status: condition.string_or_empty("status")?,
        reason: condition.string_or_empty("reason")?,
        message: condition.string_or_empty("message")?,
        last_transition_time: condition.time("lastTransitionTime")?,
    })
}

fn metadata(object: &ApiObject<'_>, namespace: &str) -> Result<Meta> {
    let meta = object.object("metadata", |metadata| {
        Ok(Meta {
            name: metadata
                .rendered("name")?
                .filter(|name| !name.is_empty())
                .ok_or_else(|| metadata.missing("name", "a name"))?
                .to_owned(),
            namespace: metadata
                .rendered("namespace")?
                .filter(|namespace| !namespace.is_empty())
                .unwrap_or(namespace)
                .to_owned(),
            uid: metadata.string_or_empty("uid")?,
            creation_timestamp: metadata.time("creationTimestamp")?,
            deletion_timestamp: metadata.time("deletionTimestamp")?,
            labels: metadata.strings("labels")?,
            annotations: metadata.strings("annotations")?,
        })
    })?;
    meta.ok_or_else(|| object.missing("metadata", "an object with a name"))
}

fn managed_field(entry: &ApiObject<'_>) -> Result<ManagedField> {
    let mut field = ManagedField {
        manager: entry.string_or_empty("manager")?,
        operation: entry.string_or_empty("operation")?,
        time: entry.time("time")?,
        subresource: entry.string_or_empty("subresource")?,
        ..ManagedField::default()
    };
    field.note_fields(&entry.json("fieldsV1")?);
    Ok(field)
}

/// Whether kubectl or a plugin of it created an object.
fn is_by_kubectl(object: &ApiObject<'_>) -> Result<bool> {
    let managers = object.object("metadata", |metadata| {
        metadata.list("managedFields", |entry| {
            let manager = entry.string_or_empty("manager")?;
            Ok((manager, entry.string_or_empty("subresource")?))
        })
    })?;
    let managers = managers.iter().flatten();
    let names = managers.map(|(manager, subresource)| (manager.as_str(), subresource.as_str()));
    Ok(crate::model::is_by_kubectl(names))
}

fn object_reference(reference: &ApiObject<'_>) -> Result<ObjectReference> {
    Ok(ObjectReference {
        kind: reference.string_or_empty("kind")?,
        namespace: reference.string_or_empty("namespace")?,
        name: reference.string_or_empty("name")?,
        uid: reference.string_or_empty("uid")?,
    })
}

fn owners(object: &ApiObject<'_>) -> Result<Vec<OwnerReference>> {
    let owners = object.object("metadata", |metadata| {
        metadata.list("ownerReferences", owner_reference)
    })?;
    Ok(owners.unwrap_or_default())
}

fn owner_reference(reference: &ApiObject<'_>) -> Result<OwnerReference> {
    Ok(OwnerReference {
        api_version: reference.string_or_empty("apiVersion")?,
        kind: reference.string_or_empty("kind")?,
        name: reference.string_or_empty("name")?,
        uid: reference.string_or_empty("uid")?,
        controller: reference.boolean("controller")?,
    })
}
