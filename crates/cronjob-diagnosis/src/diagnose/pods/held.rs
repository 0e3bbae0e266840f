//! Pods that do not finish because a container keeps running after the others have ended.

use jiff::Timestamp;

use super::super::{Facts, Input};
use cronjob_manifest::rules::KnownSidecar;
use kube_model::{
    ContainerEnd, ContainerKind, ContainerRestarts, ContainerStatus, MOST_WITH_PODS, PastRun, Pod,
};

/// The containers of a pod may end at slightly different times, and some sidecars are stopped by
/// another program.
const LAST_CONTAINER: i64 = 60;

/// A Job with a pod that does not finish.
pub(crate) struct HeldJob<'a> {
    pub(crate) run: PastRun<'a>,
    /// The newest of these pods, or of those that only known sidecars hold.
    pub(crate) pod: HeldPod<'a>,
    /// How many pods of the Job are held.
    pub(crate) pods: u64,
    /// Whether only known sidecars run, or the Job has been active much longer than earlier runs.
    pub(crate) is_unusual: bool,
}

/// A pod of which some containers have ended for good, while others run.
pub(crate) struct HeldPod<'a> {
    pub(crate) pod: &'a Pod,
    /// The containers that have ended, in the order of their ends. None is a known sidecar.
    pub(crate) ended: Vec<EndedContainer<'a>>,
    pub(crate) running: Vec<RunningContainer<'a>>,
    pub(crate) since: Timestamp,
}

/// A container that has ended, and will not be restarted.
pub(crate) struct EndedContainer<'a> {
    pub(crate) container: &'a ContainerStatus,
    pub(crate) end: &'a ContainerEnd,
    at: Timestamp,
}

pub(crate) struct RunningContainer<'a> {
    pub(crate) container: &'a ContainerStatus,
    pub(crate) known: Option<&'static KnownSidecar>,
}

impl HeldPod<'_> {
    /// Whether only known sidecars run, which do not end on their own.
    pub(crate) fn is_certain(&self) -> bool {
        self.running.iter().all(|running| running.known.is_some())
    }
}

impl<'a> Input<'a> {
    fn held_pod(&self, pod: &'a Pod) -> Option<HeldPod<'a>> {
        if pod.phase != "Running" || pod.deletion_timestamp.is_some() {
            return None;
        }
        let (mut ended, mut running) = (Vec::new(), Vec::new());
        let ordinary = pod.containers.iter();
        for container in ordinary.filter(|one| one.kind == ContainerKind::Ordinary) {
            let known = KnownSidecar::of(&container.name, &container.image);
            if container.is_running {
                running.push(RunningContainer { container, known });
                continue;
            }
            // One that waits, or is about to be restarted, is not over.
            let end = container.end()?;
            if !self.stays_ended(container, end) {
                return None;
            }
            if known.is_none() {
                let at = end.finished_at?;
                ended.push(EndedContainer { container, end, at });
            }
        }
        ended.sort_by_key(|one| one.at);
        let since = ended.last()?.at;
        let held = HeldPod {
            pod,
            ended,
            running,
            since,
        };
        // That a container has failed beside one that may be at work is what pod-crashes reports.
        let failed = held.ended.iter().any(|one| one.end.exit_code != 0);
        let is_clear = held.is_certain() || !failed;
        let is_held = !held.running.is_empty() && is_clear && self.ago(since) >= LAST_CONTAINER;
        is_held.then_some(held)
    }

    /// Whether a container that has ended is not started again.
    pub(super) fn stays_ended(&self, container: &ContainerStatus, end: &ContainerEnd) -> bool {
        match (container.restarts, end.exit_code) {
            (ContainerRestarts::OnFailure, 1.. | ..0)
            | (ContainerRestarts::Always | ContainerRestarts::ByRules, _) => false,
            // Without the pod's spec: Jobs may only have Never and OnFailure.
            (ContainerRestarts::Unknown, 1.. | ..0) => {
                self.cron_job.spec.restart_policy() == Some("Never")
            }
            (ContainerRestarts::Never, _)
            | (ContainerRestarts::OnFailure | ContainerRestarts::Unknown, 0) => true,
        }
    }
}

impl<'a> Facts<'a> {
    /// The Jobs that do not finish because a container keeps running, newest first: of those whose
    /// pods are read.
    pub(crate) fn held_jobs(&self) -> Vec<HeldJob<'a>> {
        let newest = self.unsettled().take(MOST_WITH_PODS);
        newest.filter_map(|run| self.held(run)).collect()
    }

    /// How a Job is held. A container that is not a known sidecar may still be at work, which is not
    /// reported while the Job takes at most twice as long as a successful run.
    pub(crate) fn held(&self, run: &PastRun<'a>) -> Option<HeldJob<'a>> {
        let job = run.job;
        let is_over = job.decided_result().is_some() || job.deletion_timestamp.is_some();
        if is_over || job.suspend == Some(true) {
            return None;
        }
        let pods = self.input.pods_of(job).into_iter();
        let mut held: Vec<HeldPod<'a>> = pods.filter_map(|pod| self.input.held_pod(pod)).collect();
        // Of a known sidecar more can be said.
        held.sort_by_key(|pod| !pod.is_certain());
        let pods = u64::try_from(held.len()).unwrap_or_default();
        let pod = held.into_iter().next()?;
        let is_unusual = pod.is_certain() || self.outlasts_others(run);
        let is_usual = !is_unusual && self.runs.iter().any(PastRun::succeeded);
        (!is_usual).then_some(HeldJob {
            run: *run,
            pod,
            pods,
            is_unusual,
        })
    }

    /// Whether a run has been active twice as long as each one that succeeded.
    fn outlasts_others(&self, run: &PastRun<'_>) -> bool {
        let succeeded = self.runs.iter().filter(|run| run.succeeded());
        let longest = succeeded.filter_map(PastRun::duration_seconds).max();
        let age = run
            .job
            .creation_timestamp
            .map(|created| self.input.ago(created));
        age.zip(longest)
            .is_some_and(|(age, longest)| age > 2 * longest.max(LAST_CONTAINER))
    }
}
