//! How pods failed.

use std::cmp::Reverse;

use jiff::Timestamp;

use super::super::one_line;
use super::super::remedies::add_causes;
use super::super::{Facts, Input};
use super::disruption::Disruption;
use super::memory::OutOfMemory;
use crate::kubectl::Command;
use cronjob_text::text::Text;
use kube_model::{ContainerEnd, ContainerKind, ContainerStatus, Job, Pod};

/// How a pod failed, or one of its containers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PodFailure<'a> {
    pub(crate) pod: &'a Pod,
    /// The container that failed; `None` if the whole pod was stopped.
    pub(crate) container: Option<&'a ContainerStatus>,
}

/// How the pods of a Job failed, the latest first.
pub(crate) fn ends<'a>(input: &Input<'a>, job: &Job) -> Vec<PodFailure<'a>> {
    let pods = input.pods_of(job).into_iter();
    let mut ends: Vec<PodFailure<'_>> = pods.filter_map(end_of).collect();
    ends.sort_by_key(|end| Reverse(end.at()));
    ends
}

impl Facts<'_> {
    /// The exit code of the container that failed last, if the pods of the Job were read.
    pub fn exit_code(&self, job: &Job) -> Option<i32> {
        let container = ends(&self.input, job).first()?.container?;
        container.terminated.as_ref().map(|end| end.exit_code)
    }
}

/// How a pod failed; `None` if it did not.
pub(crate) fn end_of(pod: &Pod) -> Option<PodFailure<'_>> {
    let failed = pod.containers.iter().filter(|container| {
        let end = container.terminated.as_ref();
        end.is_some_and(|end| end.exit_code != 0) || cannot_run(container)
    });
    // Native sidecars are stopped after the other containers, and may exit with any code then.
    let container = failed.max_by_key(|container| {
        let end = container.terminated.as_ref();
        let is_own = container.kind != ContainerKind::NativeSidecar;
        (is_own, end.and_then(|end| end.finished_at))
    });
    let is_stopped = pod.phase == "Succeeded"
        && container.is_some_and(|container| container.kind == ContainerKind::NativeSidecar);
    let container = container.filter(|_| !is_stopped);
    let has_failed = container.is_some() || pod.phase == "Failed" || Disruption::of(pod).is_some();
    has_failed.then_some(PodFailure { pod, container })
}

/// Whether the runtime could not start the process, which therefore has no logs.
pub(crate) fn never_ran(end: &ContainerEnd) -> bool {
    matches!(end.reason.as_str(), "StartError" | "ContainerCannotRun")
}

fn cannot_run(container: &ContainerStatus) -> bool {
    let waiting = container.waiting.as_ref();
    waiting.is_some_and(|waiting| waiting.reason == "RunContainerError")
}

/// `Its pod a-1-x2v8p exited with code 1 (Error) in container main at 09:01 (3m ago)`
pub(crate) fn failure_summary(facts: &Facts<'_>, ends: &[PodFailure<'_>]) -> Option<Text> {
    let last = ends.first()?;
    let (pod, ended) = (one_line(&last.pod.name), last.sentence(facts));
    Some(match ends.len() {
        1 => text!("Its pod {} {}", pod, ended),
        many => {
            let disrupted = ends.iter().filter(|end| end.disruption().is_some());
            let disrupted = match disrupted.count() {
                0 => Text::default(),
                count if count == many => ", all because of disruptions".into(),
                1 => ", 1 because of a disruption".into(),
                count => text!(", {} because of disruptions", count),
            };
            text!(
                "{} of its pods failed{}; the last, {}, {}",
                many,
                disrupted,
                pod,
                ended
            )
        }
    })
}

impl PodFailure<'_> {
    fn at(&self) -> Option<Timestamp> {
        let end = self.container.and_then(|one| one.terminated.as_ref());
        let end = end.and_then(|end| end.finished_at);
        end.or_else(|| self.disruption()?.at)
    }

    /// What stopped the pod, if it did not fail on its own.
    pub(crate) fn disruption(&self) -> Option<Disruption<'_>> {
        Disruption::of(self.pod)
    }

    /// What to do about it. `failure` is the reason of the Job's failure, if it has failed.
    pub(crate) fn remedy(&self, facts: &Facts<'_>, failure: Option<&str>) -> Command {
        if let Some(disruption) = self.disruption() {
            return disruption.remedy(facts, failure);
        }
        // The logs of a process that was killed do not show why.
        let memory = self.out_of_memory(facts);
        let raise = memory.and_then(|memory| memory.remedy(&facts.input));
        raise.unwrap_or_else(|| self.show(&facts.input))
    }

    /// How often containers of the pod were started again.
    pub(crate) fn restarts(&self) -> u64 {
        let containers = self.pod.containers.iter();
        containers
            .map(|one| u64::try_from(one.restart_count).unwrap_or_default())
            .sum()
    }

    /// Whether the kubelet waits before it starts a container again.
    pub(crate) fn is_crash_loop(&self) -> bool {
        self.pod.containers.iter().any(|container| {
            let waiting = container.waiting.as_ref();
            waiting.is_some_and(|waiting| waiting.reason == "CrashLoopBackOff")
        })
    }

    /// Whether the runtime cannot start a container.
    pub(crate) fn is_no_start(&self) -> bool {
        self.pod.containers.iter().any(cannot_run)
    }

    /// Whether the pod has failed for good.
    pub(crate) fn is_final(&self) -> bool {
        self.pod.phase == "Failed"
    }

    /// Since when a container has been finished that will not be restarted, while others of the pod run.
    pub(crate) fn left_over_since(&self, input: &Input<'_>) -> Option<Timestamp> {
        let container = self.container?;
        let end = container.end()?;
        let over = self.pod.phase == "Running" && input.stays_ended(container, end);
        self.at().filter(|_| over)
    }

    /// `ended with exit code 137 (OOMKilled) in container main at 09:01 (3m ago)`
    pub(crate) fn sentence(&self, facts: &Facts<'_>) -> Text {
        if let Some(disruption) = self.disruption() {
            return disruption.sentence(facts);
        }
        let Some(container) = self.own_container() else {
            return self.stopped();
        };
        let name = one_line(&container.name);
        let Some(end) = &container.terminated else {
            let waiting = container.waiting.clone().unwrap_or_default();
            let why = [waiting.reason, waiting.message].map(|why| one_line(&why));
            return text!("cannot start container {}: {}", name, why.join(": "));
        };
        let mut text = exit(end);
        text += text!(" in container {}", name);
        if let Some(at) = end.finished_at {
            let at = text!(" at {}", facts.past_time(at));
            // The Job fails soon after its last pod.
            text += if self.is_final() { Text::aside(at) } else { at };
        }
        text
    }

    /// The container that failed, unless the whole pod was stopped.
    fn own_container(&self) -> Option<&ContainerStatus> {
        let stopped = self.is_final() && !self.pod.reason.is_empty();
        self.container.filter(|_| !stopped)
    }

    /// What stopped the whole pod, such as an eviction.
    pub(crate) fn stopped(&self) -> Text {
        let mut text = Text::from("failed");
        add_causes(&mut text, [&self.pod.reason, &self.pod.message]);
        // The Job has a deadline of the same name, which ends the Job itself.
        if self.pod.reason == "DeadlineExceeded" {
            text += " (activeDeadlineSeconds of the pod template)";
        }
        text
    }

    /// The container that was killed because it used too much memory.
    pub(crate) fn out_of_memory(&self, facts: &'_ Facts<'_>) -> Option<OutOfMemory<'_>> {
        OutOfMemory::of(&facts.input, self.pod, self.own_container()?)
    }

    /// Shows why: the logs of the container if it ran.
    fn show(&self, input: &Input<'_>) -> Command {
        let pod = &self.pod.name;
        let Some((container, previous)) = self.log() else {
            return input.kubectl("describe pod").name(pod);
        };
        let logs = input.kubectl("logs").name(pod).value("-c", &container.name);
        if previous {
            logs.with("--previous")
        } else {
            logs
        }
    }

    /// The container whose log shows why, and whether it is the log before the last restart.
    pub(crate) fn log(&self) -> Option<(&ContainerStatus, bool)> {
        let container = self.own_container()?;
        let end = container.terminated.as_ref()?;
        let previous = container.restart_count > 0 && !self.is_final();
        (!never_ran(end)).then_some((container, previous))
    }
}

/// `exited with code 137 (OOMKilled)`
pub(crate) fn exit(end: &ContainerEnd) -> Text {
    let mut text = text!("exited with code {}", end.exit_code);
    let why = [end.reason.as_str(), meaning(end), end.message.as_str()];
    let why = why.into_iter().filter(|why| !why.is_empty());
    let why: Vec<String> = why.map(one_line).collect();
    if !why.is_empty() {
        text += text!(" ({})", why.join(": "));
    }
    text
}

/// The meaning of an exit code, if the reason does not explain it.
fn meaning(end: &ContainerEnd) -> &'static str {
    if end.reason != "Error" {
        return "";
    }
    match end.exit_code {
        126 => {
            "the command cannot be executed: it is not executable, or for another CPU architecture"
        }
        127 => "the command was not found in the image",
        134 => "aborted, SIGABRT",
        137 => {
            "killed, SIGKILL, not for its memory: it did not stop in time after a failed liveness probe or a \
             deletion, for example"
        }
        139 => "segmentation fault, SIGSEGV",
        143 => "terminated, SIGTERM: something asked it to stop, such as a deletion or a drain",
        _ => "",
    }
}
