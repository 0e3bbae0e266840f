//! The pods of the Jobs: their state, which of them are in trouble, and what events report of those
//! that are gone.

mod disruption;
mod ends;
mod held;
mod memory;
mod trouble;

pub(super) use disruption::Disruption;
pub(super) use ends::{PodFailure, ends, exit, failure_summary, never_ran};
pub(super) use held::HeldJob;
pub(super) use memory::OutOfMemory;
pub(super) use trouble::{Obstacle, ObstacleKind, ObstructedPods};

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

pub(super) use super::admission::awaited_admission;
use super::one_line;
use super::{Facts, Input};
use crate::kubectl::Command;
use cronjob_controller::controller::Outcome;
use cronjob_text::text::Text;
use kube_model::{
    ConcurrencyPolicy, Event, Job, PastRun, Pod, QUEUE_LABEL, prefix_of_job, prefixes_of_pod,
    runs_with_pods,
};

/// Events are kept for an hour.
const RECENT: i64 = 3_600;

impl<'a> Input<'a> {
    /// The pods of a Job, the newest first.
    pub(super) fn pods_of(&self, job: &Job) -> Vec<&'a Pod> {
        let pods: &'a [Pod] = self.pods;
        let named = self.pod_index().of_job(&job.name).iter();
        let named = named.filter_map(|number| pods.get(*number));
        let mut pods: Vec<&Pod> = named.filter(|pod| belongs(pod, job)).collect();
        pods.sort_by_key(|pod| std::cmp::Reverse(pod.creation_timestamp));
        pods
    }

    pub(super) fn events_of_job<'j>(
        &self,
        job: &'j Job,
    ) -> impl Iterator<Item = &'a Event> + use<'a, 'j> {
        let events: &'a [Event] = self.events;
        events.iter().filter(move |event| {
            let involved = &event.involved_object;
            involved.kind == "Job"
                && involved.name == job.name
                && job.namespace == involved.namespace
                && same_uid(&involved.uid, &job.uid)
        })
    }

    /// The events about pods of a Job, by their names: the pods themselves may be gone.
    pub(super) fn events_of_pods(&self, job: &Job) -> Vec<&'a Event> {
        let prefix = prefix_of_job(&job.name);
        let events: &'a [Event] = self.events;
        let about = |event: &&Event| {
            let involved = &event.involved_object;
            involved.kind == "Pod"
                && job.namespace == involved.namespace
                && prefixes_of_pod(&involved.name).any(|own| own == prefix)
        };
        events.iter().filter(about).collect()
    }

    /// Whether no pod of a Job has run yet, as far as the evidence shows.
    pub(super) fn awaits_pod(&self, job: &Job) -> bool {
        let has_started = |pod: &&Pod| !pod.phase.is_empty() && pod.phase != "Pending";
        job.decided_result().is_none()
            && job.ready == Some(0)
            && (job.succeeded, job.failed) == (0, 0)
            && !self.pods_of(job).iter().any(has_started)
            && !self
                .events_of_pods(job)
                .iter()
                .any(|event| event.reason == "Started")
    }

    /// Whether something is recent enough for events to report it.
    pub(super) fn is_recent(&self, moment: Timestamp) -> bool {
        self.ago(moment) <= RECENT
    }

    /// Shows a pod, or the events about it if it is gone.
    pub(super) fn show_pod(&self, pod: &str, exists: bool) -> Command {
        if exists {
            return self.kubectl("describe pod").name(pod);
        }
        let about = format!("involvedObject.kind=Pod,involvedObject.name={pod}");
        let events = self.kubectl("get events");
        events.value("--field-selector", &about)
    }
}

impl<'a> Facts<'a> {
    /// The runs whose pods matter, those of the schedule before manual ones, newest first: those that are not over,
    /// and the newest of the schedule and of all if they failed. What failed before another run is the past.
    pub(super) fn unsettled(&self) -> impl Iterator<Item = &PastRun<'a>> {
        let newest_first = || self.runs.iter().rev();
        let of_kind = move |manual: bool| {
            let newest = newest_first().find(|run| manual || !run.is_manual());
            // A later success shows that the cause is gone.
            let is_past = move |run: &PastRun<'_>| {
                let is_it = |other: &PastRun<'_>| std::ptr::eq(other.job, run.job);
                let mut newer = newest_first().take_while(|other| !is_it(other));
                !newest.is_some_and(is_it) || newer.any(PastRun::succeeded)
            };
            newest_first().filter(move |run| {
                let counts = match run.ending() {
                    // Another rule reports what the end of a decided Job waits for.
                    None => run.job.verdict().is_none(),
                    Some(_) => run.failure().is_some() && !is_past(run),
                };
                run.is_manual() == manual && counts
            })
        };
        of_kind(false).chain(of_kind(true))
    }

    /// The pods of unfinished Jobs, and of the last Job if it failed.
    pub fn pods_of_interest(&self) -> Vec<PodState<'a>> {
        let jobs = runs_with_pods(&self.runs).into_iter();
        let pods = jobs.flat_map(|job| self.input.pods_of(job));
        pods.map(PodState::of).collect()
    }

    /// Whether a Job keeps others from being started.
    pub(super) fn is_blocking(&self, job: &Job) -> bool {
        let active = &self.decision.status_after.active;
        let forbids = self.input.cron_job.spec.concurrency_policy == ConcurrencyPolicy::Forbid;
        forbids && active.contains(&job.name)
    }

    /// What a Job that makes no progress will block. The verdict says what it blocks already.
    pub(super) fn and_blocks(&self, job: &Job) -> Option<Text> {
        let blocks = self.is_blocking(job) && self.decision.outcome != Outcome::Blocked;
        blocks.then(|| {
            let text = " No other run starts until it finishes (concurrencyPolicy: Forbid).";
            Text::aside(text)
        })
    }

    /// Deletes a Job, with a note on what that starts, which the verdict on a blocked CronJob says as well.
    pub(super) fn delete_job(&self, job: &str) -> Command {
        let delete = self.input.kubectl("delete job").name(job);
        let then = self.after_deleting(job);
        let is_said =
            self.decision.outcome == Outcome::Blocked && self.decide_without(job).starts();
        delete.comment(if is_said { Text::aside(then) } else { then })
    }
}

/// The queue that the Jobs of a template are for.
pub(super) fn queue_of_template(template: &serde_json::Value) -> Option<&str> {
    let labels = template.pointer("/metadata/labels")?;
    labels.get(QUEUE_LABEL)?.as_str()
}

/// The name of a Job, and whether it was created manually.
pub(super) fn job_in_words(run: &PastRun<'_>) -> String {
    let note = if run.is_manual() {
        " (created manually)"
    } else {
        ""
    };
    format!("{}{note}", one_line(&run.job.name))
}

/// Whether a pod is one of a Job, and not of an earlier one of the same name.
fn belongs(pod: &Pod, job: &Job) -> bool {
    job.namespace == pod.namespace
        && pod.owner_references.iter().any(|owner| {
            owner.kind == "Job" && owner.name == job.name && same_uid(&owner.uid, &job.uid)
        })
}

/// Files may leave out who is who.
fn same_uid(one: &str, other: &str) -> bool {
    one == other || one.is_empty() || other.is_empty()
}

/// The state of a pod.
#[derive(Clone, Copy, Debug, JsonSchema, PartialEq, Eq, Serialize)]
#[schemars(rename = "Pod")]
#[serde(rename_all = "camelCase")]
pub struct PodState<'a> {
    /// The name of the pod.
    pub name: &'a str,
    /// The Job that it belongs to.
    pub job: Option<&'a str>,
    /// `status.phase`
    pub phase: &'a str,
    /// The node; null if it has none yet.
    pub node: Option<&'a str>,
    /// When its grace period was over, if it is being deleted.
    pub terminating_since: Option<Timestamp>,
    /// The reason for a problem; null if there is none.
    pub reason: Option<&'a str>,
    /// The message for a problem; null if there is none.
    pub message: Option<&'a str>,
    /// What stopped the pod, if it did not end on its own: the reason of its condition `DisruptionTarget`,
    /// such as `EvictionByEvictionAPI`; null otherwise.
    pub disruption: Option<&'a str>,
}

impl<'a> PodState<'a> {
    /// The state of a pod: the reason of its first waiting or failed container, or else that of the pod.
    pub fn of(pod: &'a Pod) -> Self {
        let waiting = pod.containers.iter().filter_map(|container| {
            let waiting = container.waiting.as_ref()?;
            Some((waiting.reason.as_str(), waiting.message.as_str()))
        });
        let ended = pod.containers.iter().filter_map(|container| {
            let end = container.terminated.as_ref()?;
            (end.exit_code != 0).then_some((end.reason.as_str(), end.message.as_str()))
        });
        let unscheduled = pod.condition("PodScheduled").into_iter();
        let unscheduled = unscheduled.filter(|condition| condition.status == "False");
        let unscheduled = unscheduled.map(|condition| (&*condition.reason, &*condition.message));
        let own = [(pod.reason.as_str(), pod.message.as_str())].into_iter();
        // The node controller records an event with these words.
        let silent = pod
            .silent_since()
            .map(|_| ("NodeNotReady", "Node is not ready"));
        let mut why = own
            .chain(silent)
            .chain(waiting)
            .chain(ended)
            .chain(unscheduled);
        let (reason, message) = why
            .find(|(reason, _)| !reason.is_empty())
            .unwrap_or_default();
        PodState {
            name: &pod.name,
            phase: &pod.phase,
            node: Some(pod.node.as_str()).filter(|node| !node.is_empty()),
            terminating_since: pod.deletion_timestamp,
            job: pod.owning_jobs().next(),
            reason: Some(reason).filter(|reason| !reason.is_empty()),
            message: Some(message).filter(|message| !message.is_empty()),
            disruption: Disruption::of(pod).map(|disruption| disruption.reason),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kube_model::ContainerStatus;
    use kube_model::testing::{condition, ended, waiting};

    fn state(pod: &Pod) -> (Option<&str>, Option<&str>) {
        let state = PodState::of(pod);
        (state.reason, state.message)
    }

    #[test]
    fn waiting_container_takes_precedence_over_an_ended_one() {
        let mut pod = Pod {
            containers: vec![ended(0, "Completed"), ended(1, "Error")],
            ..Pod::default()
        };
        assert_eq!(state(&pod), (Some("Error"), None));
        pod.containers.push(waiting("CrashLoopBackOff", "back-off"));
        assert_eq!(state(&pod), (Some("CrashLoopBackOff"), Some("back-off")));
        pod.reason = "Evicted".to_owned();
        assert_eq!(state(&pod), (Some("Evicted"), None));
    }

    #[test]
    fn unscheduled_pod_shows_the_reason_of_the_scheduler() {
        let mut pod = Pod {
            conditions: vec![condition("PodScheduled", "False", "Unschedulable")],
            ..Pod::default()
        };
        pod.conditions[0].message = "0/3 nodes".into();
        assert_eq!(state(&pod), (Some("Unschedulable"), Some("0/3 nodes")));
    }

    #[test]
    fn disruption_of_a_pod_is_the_reason_of_its_condition() {
        let mut pod = Pod {
            phase: "Failed".to_owned(),
            containers: vec![ended(143, "Error")],
            conditions: vec![condition(
                "DisruptionTarget",
                "True",
                "EvictionByEvictionAPI",
            )],
            ..Pod::default()
        };
        let disruption = |pod: &Pod| PodState::of(pod).disruption.map(str::to_owned);
        assert_eq!(disruption(&pod).as_deref(), Some("EvictionByEvictionAPI"));
        pod.phase = "Succeeded".to_owned();
        assert_eq!(disruption(&pod), None);
    }

    #[test]
    fn healthy_pod_has_no_reason() {
        let pod = Pod {
            phase: "Running".to_owned(),
            containers: vec![ended(0, "Completed"), ContainerStatus::default()],
            ..Pod::default()
        };
        assert_eq!(state(&pod), (None, None));
    }
}
