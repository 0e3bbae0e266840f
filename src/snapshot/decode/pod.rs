//! Decodes pods.

use super::super::error::FieldError;
use super::super::field::ApiObject;
use super::meta;
use crate::model::{
    ContainerEnd, ContainerReason, ContainerSpec, ContainerStatus, Pod, PodContainers,
};

pub(super) fn read(object: &ApiObject<'_>, namespace: &str) -> Result<Pod, FieldError> {
    let meta = meta::read(object, namespace)?;
    let mut pod = Pod {
        namespace: meta.namespace,
        name: meta.name,
        uid: meta.uid,
        creation_timestamp: meta.creation_timestamp,
        deletion_timestamp: meta.deletion_timestamp,
        owner_references: meta::owners(object)?,
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
        pod.conditions = status.list("conditions", meta::condition)?;
        pod.containers = spec.complete(
            status.list("initContainerStatuses", container)?,
            status.list("containerStatuses", container)?,
        );
        Ok(())
    })?;
    Ok(pod)
}

fn container_spec(container: &ApiObject<'_>) -> Result<ContainerSpec, FieldError> {
    Ok(ContainerSpec {
        name: container.string_or_empty("name")?,
        image: container.string_or_empty("image")?,
        restart_policy: container.string_or_empty("restartPolicy")?,
        has_restart_rules: !container.nodes("restartPolicyRules")?.is_empty(),
    })
}

fn container(container: &ApiObject<'_>) -> Result<ContainerStatus, FieldError> {
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

fn reason(waiting: &ApiObject<'_>) -> Result<ContainerReason, FieldError> {
    Ok(ContainerReason {
        reason: waiting.string_or_empty("reason")?,
        message: waiting.string_or_empty("message")?,
    })
}

fn end(terminated: &ApiObject<'_>) -> Result<ContainerEnd, FieldError> {
    Ok(ContainerEnd {
        exit_code: terminated.int32("exitCode")?.unwrap_or_default(),
        reason: terminated.string_or_empty("reason")?,
        message: terminated.string_or_empty("message")?,
        started_at: terminated.time("startedAt")?,
        finished_at: terminated.time("finishedAt")?,
    })
}
