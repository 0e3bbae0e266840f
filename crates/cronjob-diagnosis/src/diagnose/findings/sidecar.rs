//! Jobs that do not finish because a container keeps running.

use jiff::Timestamp;
use serde_json::Value;

use super::super::pods::{HeldJob, job_in_words};
use super::super::{Facts, FindingDetails, Input, Severity, local, one_line};
use crate::kubectl::{Command, Remedy};
use cronjob_manifest::rules::has_native_sidecars;
use cronjob_text::text::Text;
use cronjob_text::words::{listed, plural, some_of};
use kube_model::{ConcurrencyPolicy, Job};

/// More names would hide the sentence.
const MOST_NAMES: usize = 4;

/// The main container of a Job has ended, and another container keeps running.
pub(super) fn held_by_sidecar(facts: &Facts<'_>) -> Option<FindingDetails> {
    let held: Vec<HeldJob<'_>> = facts.held_jobs();
    let blocks = |held: &&HeldJob<'_>| facts.is_blocking(held.run.job);
    let worst = held.iter().find(blocks).or_else(|| {
        let mut certain = held.iter().filter(|held| held.pod.is_certain());
        certain.next().or_else(|| held.first())
    })?;
    let mut detail = what(facts, worst);
    detail += consequence(facts, worst, held.len());
    let severity = match (worst.pod.is_certain(), facts.is_blocking(worst.run.job)) {
        (true, true) => Severity::Error,
        (true, false) => Severity::Warning,
        // A single one may still be at work.
        (false, _)
            if worst.is_unusual
                || held.len() > 1
                || blocked_runs(facts, worst.run.job).is_some() =>
        {
            Severity::Warning
        }
        (false, _) => Severity::Info,
    };
    let found = FindingDetails::new(detail).about(&worst.run);
    let found = found.severity(severity);
    let remedy = prevention(&facts.input, worst)
        .into_iter()
        .fold(remedy(facts, worst), Command::comment);
    Some(found.remedy(Remedy::from(remedy).whole()))
}

/// `a-1 does not finish: in its pod a-1-x2v8p, container main exited with code 0 at 09:01 (3m ago), and
/// container istio-proxy (Istio) keeps running.`
fn what(facts: &Facts<'_>, held: &HeldJob<'_>) -> Text {
    let pod = one_line(&held.pod.pod.name);
    let pods = match held.pods {
        1 => text!("its pod {}", pod),
        many => text!("{} of its pods, such as {}", many, pod),
    };
    let ended = held.pod.ended.iter();
    let ended: Vec<String> = ended.map(|one| one_line(&one.container.name)).collect();
    let last = held.pod.ended.last().map_or(0, |one| one.end.exit_code);
    let exited = plural(ended.len(), "exited", "have ended, the last");
    let does = if held.pod.is_certain() {
        "does not finish"
    } else {
        "has not finished"
    };
    let mut text = text!(
        "{} {}: in {}, {} {} with code {} at {}, and {}",
        job_in_words(&held.run),
        does,
        pods,
        containers(&ended),
        exited,
        last,
        facts.past_time(held.pod.since),
        containers(&running(held))
    );
    let (keeps, is, ends) = plural(
        held.pod.running.len(),
        ("keeps", "is", "that container ends"),
        ("keep", "are", "those containers end"),
    );
    if held.pod.is_certain() {
        text += text!(" {} running.", keeps);
        return text;
    }
    text += text!(" {} still running. The pod finishes when {}.", is, ends);
    if held.is_unusual {
        text += " The Job has been active more than twice as long as any successful run.";
    }
    text
}

/// The containers that run, with what they are.
fn running(held: &HeldJob<'_>) -> Vec<String> {
    let running = held.pod.running.iter().map(|one| {
        let name = one_line(&one.container.name);
        match one.known {
            Some(known) => format!("{name} ({})", known.product),
            None => name,
        }
    });
    running.collect()
}

/// `container a`, `containers a and b`
fn containers(names: &[String]) -> String {
    let shown = if names.len() > MOST_NAMES {
        some_of(names, MOST_NAMES)
    } else {
        listed(names)
    };
    format!("{} {shown}", plural(names.len(), "container", "containers"))
}

/// What the Job blocks, and what ends it.
fn consequence(facts: &Facts<'_>, held: &HeldJob<'_>, jobs: usize) -> Text {
    let job = held.run.job;
    let mut text = Text::default();
    let unless = if held.pod.is_certain() {
        ""
    } else {
        " unless it finishes before then"
    };
    if let Some((at, deadline)) = deadline(&facts.input, job) {
        let at = local(facts, at);
        text += text!(
            " The Job fails at {}{} (activeDeadlineSeconds: {}).",
            at,
            unless,
            deadline
        );
    }
    let is_active = facts.decision.status_after.active.contains(&job.name);
    match facts.input.cron_job.spec.concurrency_policy {
        ConcurrencyPolicy::Forbid => match blocked_runs(facts, job) {
            Some(runs) => text += text!(" It blocks {}.", runs),
            None => text += facts.and_blocks(job),
        },
        ConcurrencyPolicy::Replace if is_active && !facts.input.is_suspended() => {
            if let Some(next) = facts.next_run().filter(|_| facts.input.has_time_to_start()) {
                let next = local(facts, next);
                text += text!(
                    " The run scheduled at {} deletes it{} (concurrencyPolicy: Replace).",
                    next,
                    unless
                );
            }
        }
        _ => text += others(facts, jobs),
    }
    text
}

fn others(facts: &Facts<'_>, jobs: usize) -> Text {
    let unfinished = facts.runs.iter().filter(|run| run.ending().is_none());
    match (jobs, unfinished.count()) {
        (0 | 1, _) => Text::default(),
        (jobs, unfinished) if unfinished > jobs => text!(
            " {} Jobs of this CronJob are unfinished, at least {} of them for this \
             reason.",
            unfinished,
            jobs
        ),
        (jobs, _) => text!(
            " {} Jobs of this CronJob are unfinished for this reason.",
            jobs
        ),
    }
}

/// The runs that a Job blocks: `the run scheduled at 09:00`, `3 runs since 09:00`.
fn blocked_runs(facts: &Facts<'_>, job: &Job) -> Option<Text> {
    let blockade = facts.blockade().filter(|it| it.name == job.name)?;
    let first = local(facts, blockade.unstarted.first);
    Some(match blockade.unstarted.count {
        1 => text!("the run scheduled at {}", first),
        count => text!("{} runs since {}", count, first),
    })
}

/// When the Job is failed, and after how many seconds.
fn deadline(input: &Input<'_>, job: &Job) -> Option<(Timestamp, i64)> {
    let seconds = job.active_deadline_seconds?;
    let end = job.start_time?.as_second().checked_add(seconds)?;
    let end = Timestamp::from_second(end).ok()?;
    (end > input.now).then_some((end, seconds))
}

/// How to keep it from happening again.
fn prevention(input: &Input<'_>, held: &HeldJob<'_>) -> Vec<String> {
    let minor = input.controller.release.minor();
    let running = held.pod.running.iter();
    let names: Vec<String> = running.map(|one| one_line(&one.container.name)).collect();
    let (it, sidecar) = match names.len() {
        1 => ("it", "a native sidecar"),
        _ => ("them", "native sidecars"),
    };
    if !held.pod.is_certain() {
        let advice = format!(
            "if {} only supports the main container, make {it} {sidecar}: an init container with \
             restartPolicy: Always",
            containers(&names)
        );
        return has_native_sidecars(minor)
            .then_some(advice)
            .into_iter()
            .collect();
    }
    let mut known: Vec<_> = held.pod.running.iter().collect();
    known.dedup_by_key(|one| one.known.map(|known| known.product));
    let advice = known.into_iter().enumerate().map(|(place, one)| {
        let name = one_line(&one.container.name);
        let to = if place == 0 { "to prevent it," } else { "also" };
        let is_in_template = input.has_in_template(&one.container.name);
        let documented = one
            .known
            .and_then(|known| known.remedy(minor, is_in_template));
        match (documented, has_native_sidecars(minor)) {
            (Some(clause), _) => format!("{to} {clause}"),
            (None, true) => format!(
                "{to} make {name} a native sidecar: an init container with restartPolicy: Always"
            ),
            (None, false) => format!(
                "{to} stop {name} at the end of the main container; Kubernetes 1.29 and later \
                 have native sidecars, which do not hold a Job"
            ),
        }
    });
    advice.collect()
}

impl Input<'_> {
    /// Whether a container is one of the CronJob's template, and not injected into the pods.
    fn has_in_template(&self, name: &str) -> bool {
        let template = &self.cron_job.spec.job_template;
        let containers = template.pointer("/spec/template/spec/containers");
        let mut containers = containers.and_then(Value::as_array).into_iter().flatten();
        containers.any(|container| container.get("name").and_then(Value::as_str) == Some(name))
    }
}

/// Ends the Job, or first shows what the container does, or why the main one failed.
fn remedy(facts: &Facts<'_>, held: &HeldJob<'_>) -> Command {
    let job = &held.run.job.name;
    let pod = &held.pod.pod.name;
    let failed = held.pod.ended.iter().find(|one| one.end.exit_code != 0);
    let failed = failed.map(|one| one.container);
    let mut unknown = held.pod.running.iter().filter(|one| one.known.is_none());
    let unknown = unknown.next().map(|one| one.container);
    if let Some(container) = unknown.or(failed) {
        let logs = facts
            .input
            .kubectl("logs")
            .name(pod)
            .value("-c", &container.name);
        return logs.or("to end the Job", facts.delete_job(job));
    }
    facts.delete_job(job)
}
