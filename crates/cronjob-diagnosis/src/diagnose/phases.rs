//! Where the time of a run went, by its Job, its pods and their events.

use std::collections::HashMap;

use jiff::Timestamp;

use super::Input;
use kube_model::{ContainerKind, ContainerStatus, Event, Job, Pod, RunPhases};

/// The pods of each Job and the events about their images, by name: a `CronJob` may have kept thousands.
#[derive(Default)]
pub(super) struct PodIndex {
    pods: HashMap<String, Vec<usize>>,
    pulls: HashMap<String, Vec<usize>>,
}

impl PodIndex {
    pub(super) fn of(pods: &[Pod], events: &[Event]) -> Self {
        let mut index = PodIndex::default();
        for (number, pod) in pods.iter().enumerate() {
            for job in pod.owning_jobs() {
                let of_job = index.pods.entry(job.to_owned()).or_default();
                if of_job.last() != Some(&number) {
                    of_job.push(number);
                }
            }
        }
        if pods.is_empty() {
            return index;
        }
        let is_pull = |event: &Event| matches!(event.reason.as_str(), "Pulling" | "Pulled");
        for (number, event) in events.iter().enumerate() {
            if event.involved_object.kind == "Pod" && is_pull(event) {
                let pod = event.involved_object.name.clone();
                index.pulls.entry(pod).or_default().push(number);
            }
        }
        index
    }

    /// The numbers of the pods that name a Job as their owner.
    pub(super) fn of_job(&self, job: &str) -> &[usize] {
        self.pods.get(job).map_or(&[], Vec::as_slice)
    }
}

/// The first start and the last end of the containers of a pod.
struct Ran {
    from: Timestamp,
    /// `None` while one is running.
    to: Option<Timestamp>,
}

impl Input<'_> {
    /// Where the time of the run of a Job went; `None` if nothing shows it.
    pub(crate) fn phases(&self, job: &Job) -> Option<RunPhases> {
        let began = job.start_time.or(job.creation_timestamp)?;
        let mut phases = RunPhases::default();
        let is_unfinished = job.ending().is_none();
        let pods = self.pods_of(job);
        if pods.is_empty() || is_unfinished && job.suspend == Some(true) {
            return None;
        }
        phases.queued_seconds = Some(between(job.creation_timestamp.unwrap_or(began), began));
        // The pod that is missing may have been the first or the last one.
        let counted = i64::from(job.active) + i64::from(job.succeeded) + i64::from(job.failed);
        if i64::try_from(pods.len()).is_ok_and(|read| read < counted) {
            return phases.if_known();
        }
        let first = pods.iter().min_by_key(|pod| {
            let ran = ran(pod);
            (
                ran.is_none(),
                ran.map(|ran| ran.from),
                pod.creation_timestamp,
            )
        });
        if let Some(pod) = first {
            phases.node_seconds = node_seconds(pod);
            phases.init_seconds = init_seconds(pod);
            if let Some(ran) = ran(pod) {
                phases.waiting_seconds = Some(between(began, ran.from));
                phases.image_seconds = self.image_seconds(pod, ran.from);
            }
        }
        let ran: Option<Vec<Ran>> = pods.iter().map(|pod| ran(pod)).collect();
        let from = ran.iter().flatten().map(|ran| ran.from).min();
        let ends: Option<Vec<Timestamp>> =
            ran.and_then(|ran| ran.into_iter().map(|ran| ran.to).collect());
        let to = ends.and_then(|ends| ends.into_iter().max());
        if let (Some(from), Some(to), Some(finished)) = (from, to, job.finished_at()) {
            phases.running_seconds = Some(between(from, to));
            phases.ending_seconds = Some(between(to, finished));
        }
        phases.if_known()
    }

    /// How long the images of a pod were pulled before its first container started. With init containers, which run in
    /// between, that is unknown.
    fn image_seconds(&self, pod: &Pod, started: Timestamp) -> Option<i64> {
        if has_init(pod) {
            return None;
        }
        let pulls = self.pod_index().pulls.get(&pod.name)?.iter();
        let pulls = pulls.filter_map(|number| self.events.get(*number));
        let pulls: Vec<&Event> = pulls
            .filter(|event| event.involved_object.namespace == pod.namespace)
            .collect();
        let at = |reason: &'static str| {
            let events = pulls.iter().filter(move |event| event.reason == reason);
            events
                .filter_map(|event| event.first_seen())
                .filter(|at| at.as_second() <= started.as_second())
        };
        let pulled = at("Pulled").max()?;
        // Without it, the image was on the node.
        Some(at("Pulling").min().map_or(0, |from| between(from, pulled)))
    }
}

/// The seconds between two moments, of which the clocks may differ.
fn between(from: Timestamp, to: Timestamp) -> i64 {
    (to.as_second() - from.as_second()).max(0)
}

fn node_seconds(pod: &Pod) -> Option<i64> {
    let scheduled = pod.condition("PodScheduled")?;
    if scheduled.status != "True" {
        return None;
    }
    Some(between(
        pod.creation_timestamp?,
        scheduled.last_transition_time?,
    ))
}

fn has_init(pod: &Pod) -> bool {
    let mut containers = pod.containers.iter();
    containers.any(|one| one.kind == ContainerKind::Init)
}

/// How long the init containers of a pod took, if all have ended.
fn init_seconds(pod: &Pod) -> Option<i64> {
    let init = pod.containers.iter();
    let init = init.filter(|one| one.kind == ContainerKind::Init);
    let spans: Option<Vec<_>> = init
        .map(|one| Some((first_start(one)?, one.end()?.finished_at?)))
        .collect();
    let spans = spans?;
    let from = spans.iter().map(|(from, _)| *from).min()?;
    let to = spans.iter().map(|(_, to)| *to).max()?;
    Some(between(from, to))
}

/// When the ordinary containers of a pod ran; `None` if none has started, or if the first start is not known any more.
fn ran(pod: &Pod) -> Option<Ran> {
    let ordinary = pod.containers.iter();
    let ordinary = ordinary.filter(|one| one.kind == ContainerKind::Ordinary);
    let (mut from, mut to) = (None, Some(Timestamp::MIN));
    for container in ordinary {
        if has_started(container) {
            let start = first_start(container)?;
            from = Some(from.map_or(start, |from: Timestamp| from.min(start)));
        }
        let end = container.end().and_then(|end| end.finished_at);
        to = to.zip(end).map(|(to, end)| to.max(end));
    }
    Some(Ran { from: from?, to })
}

fn has_started(container: &ContainerStatus) -> bool {
    container.is_running || container.terminated.is_some() || container.restart_count > 0
}

/// When a container was started first: its status also shows the run before the current one, and none before that.
fn first_start(container: &ContainerStatus) -> Option<Timestamp> {
    let ended = container.terminated.as_ref();
    let ended = ended.and_then(|end| end.started_at);
    match (container.restart_count, container.is_running) {
        (0, _) => container.running_since.or(ended),
        (1, true) => ended,
        _ => None,
    }
}
