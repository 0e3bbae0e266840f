//! Jobs of which no container has started, and why.

use jiff::Timestamp;
use serde_json::json;

use super::admission::{AwaitedAdmission, awaited_admission};
use super::{Facts, Input, one_line};
use crate::kubectl::Command;
use cronjob_text::text::Text;
use kube_model::{ContainerKind, CronJobSpec, Job, Pod};

/// A Job of which no container of its own has started.
#[derive(Default)]
pub(super) struct WaitingJob<'a> {
    pub(super) since: Option<Timestamp>,
    /// What it waits for, as a part of a sentence.
    pub(super) reason: Option<Text>,
    /// What it waits for because of its Job template, as a part of a sentence.
    pub(super) reason_in_spec: Option<Text>,
    /// Whether the Job itself is suspended.
    pub(super) is_suspended: bool,
    /// The init container that is running.
    pub(super) init_container: Option<&'a str>,
}

/// A Job that has waited this long is worth a word, in seconds, unless the next but one run is due earlier.
const PATIENCE: i64 = 300;

impl Input<'_> {
    /// Shows what Kueue does with a Job.
    pub(super) fn show_queue(&self, admission: AwaitedAdmission<'_>) -> Command {
        let queue = self.kubectl("describe localqueue").name(admission.queue);
        self.kubectl("get workloads").or("the queue", queue)
    }

    fn patch_job(&self, job: &str, patch: &str) -> Command {
        let command = self.kubectl("patch job").name(job).with("--type=merge");
        command.value("-p", patch)
    }
}

impl Facts<'_> {
    /// How long a Job may wait for its pod without a word, in seconds: two periods, at most five minutes.
    pub(super) fn patience(&self) -> i64 {
        let shortest = self.intervals().map(|intervals| intervals.shortest);
        shortest.map_or(PATIENCE, |shortest| {
            shortest.saturating_mul(2).clamp(1, PATIENCE)
        })
    }

    /// What an unfinished Job waits for, in the sentence about what it blocks; `None` if it runs.
    pub(super) fn waits_for(&self, job: &Job) -> Option<Text> {
        if let Some(AwaitedAdmission { queue, .. }) = awaited_admission(job) {
            let queue = one_line(queue);
            return Some(text!("waiting for admission by Kueue in queue {}", queue));
        }
        let manager = job.other_controller();
        let manager = manager.filter(|_| WaitingJob::of(&self.input, job).is_some());
        let by_manager = manager.map(|manager| text!("waiting for {}", one_line(manager)));
        let by_pod = || {
            self.input
                .awaits_pod(job)
                .then(|| "waiting for its pod".into())
        };
        by_manager.or_else(by_pod)
    }

    /// What an unfinished Job waits for; `None` if a container of it has started or its result is decided.
    pub(crate) fn what_it_awaits(&self, job: &Job) -> Option<Text> {
        WaitingJob::of(&self.input, job)?.reason
    }

    /// Makes the Job controller start the pods of a suspended Job.
    pub(super) fn resume_job(&self, job: &str) -> Command {
        self.input.patch_job(job, r#"{"spec":{"suspend":false}}"#)
    }

    /// Makes the Job controller start the pods of an unfinished Job that has none, if a field of the Job prevents it.
    pub(super) fn allow_pods(&self, job: &Job) -> Option<Command> {
        let patch = json!({"jobTemplate": {"spec": {"parallelism": 1}}});
        (self.input.cron_job.spec.job_setting("parallelism") == Some(0)).then(|| {
            let job = self
                .input
                .patch_job(&job.name, r#"{"spec":{"parallelism":1}}"#);
            job.or("and for the next runs", self.patch(&patch))
        })
    }
}

impl<'a> WaitingJob<'a> {
    /// `None` if a container of it has started, or its result is decided.
    pub(super) fn of(input: &Input<'a>, job: &Job) -> Option<Self> {
        if job.decided_result().is_some() {
            return None;
        }
        let admission = awaited_admission(job);
        if admission.is_some() || job.suspended_since().is_some() {
            let reason = admission.map_or_else(
                || "the Job is suspended".into(),
                |admission| {
                    text!(
                        "not admitted by Kueue (queue {})",
                        one_line(admission.queue)
                    )
                },
            );
            return Some(WaitingJob {
                since: job.suspended_since(),
                reason: Some(reason),
                is_suspended: true,
                ..WaitingJob::default()
            });
        }
        let started = job.start_time.or(job.creation_timestamp);
        let pods = input.pods_of(job);
        if let Some(newest) = pods.first() {
            let since = newest.creation_timestamp.or(started);
            let waits = !pods.iter().any(|pod| has_started(pod));
            return waits.then(|| Self::with_pod(input, newest, since));
        }
        // Clusters before 1.24 do not say how many pods are ready.
        let may_run = job.active > 0 && (job.ready.is_none() || !input.awaits_pod(job));
        let has_run = job.succeeded > 0 || job.failed > 0;
        (!may_run && !has_run).then(|| Self::without_pod(input, job, started))
    }

    fn with_pod(input: &Input<'_>, pod: &'a Pod, since: Option<Timestamp>) -> Self {
        let scheduled = pod.condition("PodScheduled");
        let unscheduled = scheduled.filter(|scheduled| scheduled.status == "False");
        let mut containers = pod.containers.iter();
        let init = containers.find(|one| one.kind == ContainerKind::Init && one.is_running);
        let mut containers = pod.containers.iter();
        let waiting = containers.find_map(|one| Some((one, one.waiting.as_ref()?)));
        // The next container starts when this one has passed its startup probe.
        let mut sidecars = pod.containers.iter().rev();
        let sidecar =
            sidecars.find(|one| one.kind == ContainerKind::NativeSidecar && one.is_running);
        let is_initializing = waiting.is_some_and(|(_, why)| why.reason == "PodInitializing");
        let sidecar = sidecar.filter(|_| is_initializing);
        let held = unscheduled.filter(|condition| condition.reason == "SchedulingGated");
        let reason_in_spec = held.map(|_| held_by_gate(input));
        let reason = match (&reason_in_spec, unscheduled, init, sidecar, waiting) {
            (Some(gate), ..) => gate.clone(),
            (None, Some(_), ..) => "no node is suitable for its pod".into(),
            (None, None, Some(init), ..) => {
                text!("its init container {} has not ended", one_line(&init.name))
            }
            (None, None, None, Some(sidecar), _) => {
                text!("its sidecar {} is still starting", one_line(&sidecar.name))
            }
            (None, None, None, None, Some((container, waiting))) if !waiting.reason.is_empty() => {
                let (name, why) = (one_line(&container.name), one_line(&waiting.reason));
                text!("its container {} has not started ({})", name, why)
            }
            _ => "its pod has not started".into(),
        };
        WaitingJob {
            since,
            reason: Some(reason),
            reason_in_spec,
            init_container: init.map(|init| init.name.as_str()),
            is_suspended: false,
        }
    }

    fn without_pod(input: &Input<'_>, job: &Job, since: Option<Timestamp>) -> Self {
        let reason_in_spec = no_pod_by_spec(&input.cron_job.spec, job);
        let is_rejected = || {
            let mut events = input.events_of_job(job);
            events.any(|event| event.reason == "FailedCreate")
        };
        let reason = match &reason_in_spec {
            Some(reason) => reason.clone(),
            None if job.deletion_timestamp.is_some() => "it is being deleted".into(),
            None if job.active > 0 => "none of its pods is ready".into(),
            None if is_rejected() => "its pods are rejected".into(),
            None => "it has no pod".into(),
        };
        WaitingJob {
            since,
            reason: Some(reason),
            reason_in_spec,
            ..WaitingJob::default()
        }
    }
}

/// Whether a container other than an init container has started.
fn has_started(pod: &Pod) -> bool {
    let mut containers = pod.containers.iter();
    let unknown = pod.containers.is_empty() && !matches!(pod.phase.as_str(), "" | "Pending");
    unknown
        || containers.any(|one| {
            let began = one.is_running || one.terminated.is_some() || one.restart_count > 0;
            one.kind == ContainerKind::Ordinary && began
        })
}

fn held_by_gate(input: &Input<'_>) -> Text {
    let template = &input.cron_job.spec.job_template;
    let gates = template.pointer("/spec/template/spec/schedulingGates");
    match gates.and_then(|gates| gates.get(0)?.get("name")?.as_str()) {
        Some(gate) => text!("the scheduling gate {} holds its pod", one_line(gate)),
        None => "a scheduling gate holds its pod".into(),
    }
}

/// Why the Job controller makes no pod, if that stands in the spec of the Job.
fn no_pod_by_spec(spec: &CronJobSpec, job: &Job) -> Option<Text> {
    if spec.job_setting("parallelism") == Some(0) {
        return Some("spec.parallelism of the Job is 0".into());
    }
    let manager = one_line(job.other_controller()?);
    Some(text!(
        "its pods are left to {} (spec.managedBy), which has started none",
        manager
    ))
}
