//! Jobs whose result is decided, and which end when their last pod has ended.

use jiff::Timestamp;

use super::{Facts, Input, local, one_line};
use cronjob_controller::controller::JobEnds;
use cronjob_text::text::Text;
use kube_model::{Condition, Job, JobResult, Pod};

/// A Job that has its verdict, and waits for the end of its pods.
pub(super) struct EndingJob<'a> {
    pub(super) result: JobResult,
    /// When it was decided.
    pub(super) since: Option<Timestamp>,
    pub(super) condition: &'a Condition,
    /// The pod that keeps it from ending, if the pods were read.
    pub(super) pod: Option<&'a Pod>,
}

impl<'a> EndingJob<'a> {
    /// `None` if it is not decided, or if it has ended.
    pub(super) fn of(facts: &'a Facts<'_>, job: &'a Job) -> Option<Self> {
        let (result, condition) = job.verdict()?;
        let pods = facts.input.pods_of(job).into_iter();
        let left = pods.filter(|pod| !pod.has_ended());
        Some(EndingJob {
            result,
            since: condition.last_transition_time,
            condition,
            // The one that should have ended first.
            pod: left.min_by_key(|pod| pod.deletion_timestamp.unwrap_or(Timestamp::MAX)),
        })
    }

    /// `its pod report-5gtss has been terminating since 19:32:46 on node-7`
    pub(super) fn what_it_awaits(&self, facts: &Facts<'_>) -> Text {
        let Some(pod) = self.pod else {
            return "not all of its pods have ended".into();
        };
        let name = one_line(&pod.name);
        let on_node = facts.on_node(pod);
        match pod.deletion_timestamp.filter(|at| *at <= facts.input.now) {
            Some(at) => {
                let since = local(facts, at);
                text!(
                    "its pod {} has been terminating since {}{}",
                    name,
                    since,
                    on_node
                )
            }
            None => text!("its pod {} has not ended yet{}", name, on_node),
        }
    }
}

impl Input<'_> {
    /// Whether a Job counts as active until its last pod has ended.
    pub(super) fn waits_for_last_pod(&self) -> bool {
        self.behavior().job_ends == JobEnds::WithLastPod
    }
}
