//! Decodes pods.

use super::super::error::FieldError;
use super::super::field::ApiObject;
use super::{DecodeFailure, meta};
use crate::model::{ContainerEnd, ContainerReason, ContainerStatus, Pod, PodCondition};

pub(super) fn read(object: &ApiObject<'_>, namespace: &str) -> Result<Pod, DecodeFailure> {
    let meta = meta::read(object, namespace)?;
    let mut pod = Pod {
        namespace: meta.namespace,
        name: meta.name,
        uid: meta.uid,
        creation_timestamp: meta.creation_timestamp,
        owner_references: meta::owners(object)?,
        ..Pod::default()
    };
    object.object("status", |status| {
        pod.phase = status.string_or_empty("phase")?;
        pod.reason = status.string_or_empty("reason")?;
        pod.message = status.string_or_empty("message")?;
        pod.conditions = status.list("conditions", condition)?;
        for containers in ["initContainerStatuses", "containerStatuses"] {
            pod.containers.extend(status.list(containers, container)?);
        }
        Ok(())
    })?;
    Ok(pod)
}

fn condition(condition: &ApiObject<'_>) -> Result<PodCondition, FieldError> {
    Ok(PodCondition {
        r#type: condition.string_or_empty("type")?,
        status: condition.string_or_empty("status")?,
        reason: condition.string_or_empty("reason")?,
        message: condition.string_or_empty("message")?,
        last_transition_time: condition.time("lastTransitionTime")?,
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
        restart_count: container.int32("restartCount")?.unwrap_or_default(),
        waiting,
        running_since: running.flatten(),
        terminated: terminated.or(last.flatten()),
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
