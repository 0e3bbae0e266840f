//! Jobs that have their result, and whose pods do not end.

use super::super::ending::EndingJob;
use super::super::last_run::why_job_failed;
use super::super::{Facts, FindingDetails, Input, Severity, one_line};
use super::concurrency::Blockade;
use crate::kubectl::Command;
use cronjob_text::text::Text;
use kube_model::{NodeState, Pod};

/// A pod ends soon after its grace period, in seconds.
const AFTER_GRACE: i64 = 60;

pub(super) fn job_ending(facts: &Facts<'_>) -> Option<FindingDetails> {
    // The one that should have ended first.
    let mut oldest_first = facts.runs.iter();
    let (run, ending) = oldest_first.find_map(|run| Some((run, EndingJob::of(facts, run.job)?)))?;
    let since = ending.since?;
    let what = text!(
        "{} {} at {}{}. ",
        one_line(&run.job.name),
        ending.result.as_str(),
        facts.past_time(since),
        why_job_failed(&facts.input, run.job, ending.condition)
    );
    let awaits = ending.what_it_awaits(facts).sentence();
    let mut detail = text!("{}{}", Text::aside(what), awaits);
    if ending.pod.and_then(|pod| pod.node_state) == Some(NodeState::Unreadable) {
        detail += " Nodes could not be read.";
    }
    if let Some(finalizer) = ending.pod.and_then(|pod| pod.finalizers.first()) {
        detail += text!(" The finalizer {} holds the pod.", one_line(finalizer));
    }
    let blockade = facts.blockade();
    let blocked = blockade
        .as_ref()
        .filter(|blockade| blockade.name == run.job.name);
    if let Some(Blockade { unstarted, .. }) = blocked {
        detail += text!(" {}", unstarted.in_words(facts));
    } else if facts.input.waits_for_last_pod() {
        detail += " Until then the Job counts as active (Kubernetes 1.31 and later).";
    }
    let pod_should_be_gone = ending.pod.and_then(|pod| pod.deletion_timestamp);
    let overdue = if let Some(at) = pod_should_be_gone {
        facts.input.ago(at)
    } else {
        let grace_period = facts.input.cron_job.spec.grace_period_seconds();
        facts.input.ago(since).saturating_sub(grace_period)
    };
    let is_stuck = blocked.is_some() || overdue > AFTER_GRACE;
    let lost = ending.pod.filter(|pod| {
        let is_lost = matches!(
            pod.node_state,
            Some(NodeState::NotReady(_) | NodeState::Gone)
        );
        is_stuck && is_lost && pod.finalizers.is_empty()
    });
    let node = lost.and_then(|pod| facts.input.node_as_cause(pod, pod_should_be_gone));
    let found = FindingDetails::new(detail).remedy(remedy(&facts.input, ending.pod, is_stuck));
    Some(found.cause(node).severity_if(is_stuck, Severity::Error))
}

fn remedy(input: &Input<'_>, pod: Option<&Pod>, is_stuck: bool) -> Command {
    match pod {
        None => input.kubectl("get pods"),
        Some(pod) if is_stuck && pod.finalizers.is_empty() => input.bring_back_node(pod),
        Some(pod) => input.kubectl("describe pod").name(&pod.name),
    }
}
