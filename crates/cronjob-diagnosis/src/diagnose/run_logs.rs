//! The logs of a run: its pods and containers in order, how each of them ended, and why a log does not
//! exist.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::one_line;
use super::pods::{PodFailure, awaited_admission, ends, exit, never_ran};
use super::remedies::add_causes;
use super::{Facts, Input, PodState};
use cronjob_text::duration::{exact, human, local_time};
use cronjob_text::words::{counted, plural};
use kube_model::{Condition, ContainerEnd, ContainerStatus, Job, PastRun, Pod};

/// Why there are no logs, as the rest of a sentence, and what to do about it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NoLogs {
    pub why: String,
    /// Sentences, the most important one first.
    pub help: Vec<String>,
}

impl NoLogs {
    pub fn new(why: impl Into<String>) -> Self {
        NoLogs {
            why: why.into(),
            help: Vec::new(),
        }
    }

    #[must_use]
    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help.push(help.into());
        self
    }
}

/// Which log of a run is wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WantedLog {
    pub container: String,
    /// Their logs are shown instead if one of them failed, because the container did not start then.
    pub init_containers: Vec<String>,
    /// The name of the pod; `None` for the newest one.
    pub pod: Option<String>,
}

impl WantedLog {
    /// That of a container, or of an init container of the template that failed.
    pub fn of_template(template: &Value, container: String) -> Self {
        let init_containers = template.pointer("/spec/initContainers");
        let init_containers = init_containers.and_then(Value::as_array).into_iter();
        let names = init_containers
            .flatten()
            .filter_map(|container| container.get("name")?.as_str());
        WantedLog {
            container,
            init_containers: names.map(str::to_owned).collect(),
            ..WantedLog::default()
        }
    }

    /// The name of the container in a pod.
    fn in_pod<'a>(&'a self, pod: &'a Pod) -> &'a str {
        let failed = pod.containers.iter().find(|container| {
            let end = container.terminated.as_ref();
            let failed = end.is_some_and(|end| end.exit_code != 0);
            failed && self.init_containers.contains(&container.name)
        });
        let failed = failed.filter(|_| !has_started(pod, &self.container));
        failed.map_or(&self.container, |failed| &failed.name)
    }
}

/// Whether a container runs, or has run.
fn has_started(pod: &Pod, name: &str) -> bool {
    let status = pod.containers.iter().find(|status| status.name == name);
    status.is_some_and(|status| {
        let end = status.terminated.as_ref();
        end.is_some_and(|end| !never_ran(end)) || is_running(pod, status)
    })
}

fn is_running(pod: &Pod, status: &ContainerStatus) -> bool {
    let in_running_pod = pod.phase == "Running" && status.terminated.is_none();
    status.waiting.is_none() && (status.running_since.is_some() || in_running_pod)
}

/// Which pod of a run it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PodPlace {
    /// From 1 on.
    pub number: usize,
    pub count: usize,
}

/// The log of a container of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContainerLog<'a> {
    pub pod: &'a Pod,
    pub container: String,
    pub place: PodPlace,
    /// How the container ended, or that it is running; empty if that is not known.
    pub ending: String,
    pub is_running: bool,
    pub exit_code: Option<i32>,
    /// How often the container was started again.
    pub restarts: i32,
    /// Why there is no log to ask for.
    pub missing: Option<NoLogs>,
}

/// The log of a run: that of the newest pod which has one, or of the newest one that failed if the Job failed. `None`
/// without such a pod.
pub fn log_of_run<'a>(
    facts: &Facts<'a>,
    run: &PastRun<'_>,
    wanted: &WantedLog,
) -> Option<ContainerLog<'a>> {
    let mut pods = facts.input.pods_of(run.job);
    pods.sort_by(|one, other| {
        let key = |pod: &'a Pod| (pod.creation_timestamp, &pod.name);
        key(one).cmp(&key(other))
    });
    let rank = |pod: &&Pod| {
        let failed = run.failure().is_some() && pod.phase == "Failed";
        let has_log = has_started(pod, wanted.in_pod(pod));
        (has_log && failed, has_log)
    };
    let count = pods.len();
    let numbered = pods.into_iter().enumerate();
    let mut candidates =
        numbered.filter(|(_, pod)| wanted.pod.as_ref().is_none_or(|name| *name == pod.name));
    let first = candidates.next()?;
    let (index, pod) = candidates.fold(first, |best, next| {
        if rank(&next.1) >= rank(&best.1) {
            next
        } else {
            best
        }
    });
    let name = wanted.in_pod(pod).to_owned();
    let status = pod.containers.iter().find(|status| status.name == name);
    let end = status.and_then(|status| status.terminated.as_ref());
    Some(ContainerLog {
        pod,
        place: PodPlace {
            number: index + 1,
            count,
        },
        ending: ending(facts, pod, status),
        is_running: status.is_some_and(|status| is_running(pod, status)),
        exit_code: end.map(|end| end.exit_code),
        restarts: status.map_or(0, |status| status.restart_count),
        missing: missing(&facts.input, pod, &name, status),
        container: name,
    })
}

/// How a container ended whose log is shown.
fn ending(facts: &Facts<'_>, pod: &Pod, status: Option<&ContainerStatus>) -> String {
    let Some(status) = status else {
        return String::new();
    };
    if is_running(pod, status) {
        let since = status.running_since;
        let age = since.map(|since| format!(" for {}", human(facts.input.ago(since))));
        let age = age.unwrap_or_default();
        let on_node = facts.on_node(pod);
        return match (pod.deletion_timestamp, pod.silent_since()) {
            (Some(_), _) => {
                format!("was running when its pod was deleted{on_node}, and has not ended")
            }
            (None, Some(_)) => format!("was running when its node was last heard of{on_node}"),
            (None, None) => format!("has been running{age}"),
        };
    }
    let end = status.terminated.as_ref();
    let Some(end) = end.filter(|end| !never_ran(end)) else {
        return String::new();
    };
    let mut text = format!("{}{}", exit(end), at_and_after(facts, end));
    let failure = PodFailure {
        pod,
        container: Some(status),
    };
    if failure.is_final() && !pod.reason.is_empty() {
        text += &format!("; the pod {}", failure.stopped());
    }
    if let Some(waiting) = &status.waiting {
        let reason = one_line(&waiting.reason);
        text += &format!("; waiting for its restart ({reason})");
    }
    text
}

fn at_and_after(facts: &Facts<'_>, end: &ContainerEnd) -> String {
    let Some(at) = end.finished_at else {
        return String::new();
    };
    let took = end
        .started_at
        .map(|start| (at.as_second() - start.as_second()).max(0));
    let took = took.map(|seconds| format!(" after {}", human(seconds)));
    // The line above the logs has the time zone.
    let at = local_time(at, facts.display_zone().time_zone(), "");
    format!(" at {at}{}", took.unwrap_or_default())
}

/// Why a container has no log.
fn missing(
    input: &Input<'_>,
    pod: &Pod,
    name: &str,
    status: Option<&ContainerStatus>,
) -> Option<NoLogs> {
    let (pod_name, container) = (one_line(&pod.name), one_line(name));
    if has_started(pod, name) {
        return None;
    }
    let waiting = status.and_then(|status| status.waiting.as_ref());
    let end = status.and_then(|status| status.terminated.as_ref());
    let state = PodState::of(pod);
    let (reason, message) = match (waiting, end) {
        (Some(waiting), _) => (waiting.reason.as_str(), waiting.message.as_str()),
        (None, Some(end)) => (end.reason.as_str(), end.message.as_str()),
        (None, None) => (
            state.reason.unwrap_or_default(),
            state.message.unwrap_or_default(),
        ),
    };
    let mut why = if pod.phase == "Failed" && end.is_none() {
        format!("pod {pod_name} failed before container {container} started")
    } else {
        format!("container {container} of pod {pod_name} has not started")
    };
    add_causes(&mut why, [reason, message]);
    Some(NoLogs::new(why).help(show_pod(input, pod)))
}

fn show_pod(input: &Input<'_>, pod: &Pod) -> String {
    let describe = input.kubectl("describe pod").name(&pod.name);
    format!("Show the pod and its events: {describe}")
}

fn show_job(input: &Input<'_>, job: &Job) -> String {
    let describe = input.kubectl("describe job").name(&job.name);
    format!("Show the Job and its events: {describe}")
}

/// Why a run has no pods; also how many of the pods that have ended no longer exist.
pub fn missing_pods(facts: &Facts<'_>, run: &PastRun<'_>) -> Option<NoLogs> {
    let job = run.job;
    let pods = facts.input.pods_of(job);
    // A pod that is being deleted counts as failed before it has ended.
    let ended_pods = pods
        .iter()
        .filter(|pod| pod.has_ended() || pod.deletion_timestamp.is_some());
    let ended_pods = ended_pods.count();
    let ended = usize::try_from(job.failed.saturating_add(job.succeeded)).unwrap_or_default();
    let name = one_line(&job.name);
    if !pods.is_empty() {
        let lost = ended.saturating_sub(ended_pods);
        if lost == 0 {
            return None;
        }
        let mut gone = why_deleted(facts, run);
        let verb = plural(lost, "exists", "exist");
        gone.why = format!(
            "{lost} of {} that have ended no longer {verb}: {}",
            counted(ended, "pod"),
            gone.why
        );
        return Some(gone);
    }
    if job.suspend == Some(true) && run.ending().is_none() {
        let pods = if ended == 0 {
            "it has no pods"
        } else {
            "its running pods were deleted"
        };
        // Kueue resumes the Jobs of its queues.
        if let Some(admission) = awaited_admission(job) {
            let reason = facts.what_it_awaits(run.job);
            let reason = reason.unwrap_or_default();
            let queue = facts.input.show_queue(admission);
            let why = format!("Job {name} is {reason}, so {pods}");
            return Some(NoLogs::new(why).help(format!("Show its workload: {queue}")));
        }
        let why = format!("Job {name} is suspended (spec.suspend: true), so {pods}");
        let resume = facts.resume_job(&job.name);
        return Some(NoLogs::new(why).help(format!("Resume the Job: {resume}")));
    }
    if run.ending().is_none() && ended == 0 {
        let why = format!("Job {name} has no pods yet");
        return Some(NoLogs::new(why).help(show_job(&facts.input, job)));
    }
    let mut gone = why_deleted(facts, run);
    gone.why = format!("the pods of Job {name} no longer exist: {}", gone.why);
    Some(gone)
}

/// What deletes pods of a Job that still exists.
fn why_deleted(facts: &Facts<'_>, run: &PastRun<'_>) -> NoLogs {
    let spec = &facts.input.cron_job.spec;
    let reason = run.failure().map_or("", Condition::reason_without_rule);
    let was_suspended = run.job.conditions.iter().any(|it| it.r#type == "Suspended");
    match reason {
        "DeadlineExceeded" => {
            let deadline = run.job.active_deadline_seconds;
            let deadline = deadline.map(|seconds| format!(" ({})", exact(seconds)));
            let why = format!(
                "the Job controller deletes running pods after activeDeadlineSeconds{}",
                deadline.unwrap_or_default()
            );
            NoLogs::new(why).help(
                "Set a shorter activeDeadlineSeconds in spec.jobTemplate.spec.template.spec: the \
                 kubelet then stops the pod first, and its log is kept.",
            )
        }
        "BackoffLimitExceeded" if spec.restart_policy() == Some("OnFailure") => {
            let why = "with restartPolicy: OnFailure, the Job controller deletes the pod once \
                       backoffLimit is reached";
            let never = json!({ "restartPolicy": "Never" });
            NoLogs::new(why).help(keep(
                facts,
                "Keep the pods of failed runs",
                &of_pods(&never),
            ))
        }
        "PodFailurePolicy" | "FailedIndexes" | "MaxFailedIndexesExceeded" => {
            NoLogs::new("when a Job fails, the Job controller deletes the pods that still run")
        }
        _ if was_suspended => {
            NoLogs::new("while a Job is suspended, the Job controller deletes its running pods")
        }
        _ => {
            let why = "pods are deleted by the garbage collector of kube-controller-manager \
                       (--terminated-pod-gc-threshold), together with their node, or by a client";
            NoLogs::new(why).help(show_job(&facts.input, run.job))
        }
    }
}

/// Fields of the pod template as fields of the spec of the `CronJob`.
fn of_pods(fields: &Value) -> Value {
    json!({ "jobTemplate": { "spec": { "template": { "spec": fields } } } })
}

/// What keeps logs the next time.
pub fn keep(facts: &Facts<'_>, what: &str, spec: &Value) -> String {
    format!("{what}: {}", facts.patch(spec))
}

/// The last lines of the log of a container.
#[derive(Clone, Debug, Default, JsonSchema, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LogTail {
    /// The name of the pod.
    pub pod: String,
    /// The name of the container.
    pub container: String,
    /// Whether it is the log before the last restart of the container.
    pub previous: bool,
    /// The last lines.
    pub lines: Vec<String>,
    /// Whether the lines were longer than what was read of them.
    pub truncated: bool,
    /// Why the log could not be read; null if it could.
    pub error: Option<String>,
}

/// The most containers of a running pod whose logs are shown.
const FEW_CONTAINERS: usize = 3;

/// The logs that are worth reading first, without their lines: that of the last run if it failed, or else
/// those of the containers that run in the newest pod.
pub fn first_logs(facts: &Facts<'_>) -> Vec<LogTail> {
    let tail = |pod: &Pod, container: &str, previous: bool| LogTail {
        pod: pod.name.clone(),
        container: container.to_owned(),
        previous,
        ..LogTail::default()
    };
    let finished = facts.runs.iter().filter(|run| run.finished_at().is_some());
    let last = finished.max_by_key(|run| run.finished_at());
    let failed = last.filter(|run| run.failure().is_some());
    let unfinished = facts.runs.iter().rev().filter(|run| run.ending().is_none());
    for run in failed.into_iter().chain(unfinished) {
        let failures = ends(&facts.input, run.job);
        let of_failure = failures.iter().find_map(|end| {
            let (container, previous) = end.log()?;
            Some(tail(end.pod, &container.name, previous))
        });
        if let Some(of_failure) = of_failure {
            return vec![of_failure];
        }
        for pod in facts.input.pods_of(run.job) {
            let running = pod.containers.iter();
            let running = running.filter(|container| is_running(pod, container));
            let running = running.map(|container| tail(pod, &container.name, false));
            let running: Vec<LogTail> = running.take(FEW_CONTAINERS).collect();
            if !running.is_empty() {
                return running;
            }
        }
    }
    Vec::new()
}
