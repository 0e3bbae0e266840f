//! How runs ended, and what remains of them.

use jiff::Timestamp;
use serde_json::json;

use super::super::event_jobs::EventJobs;
use super::super::failure_cause::FailureCause;
use super::super::last_run::why_job_failed;
use super::super::pods::{Disruption, ends, failure_summary, job_in_words};
use super::super::{Facts, FindingDetails, Input, LastRunState, Severity, local, one_line};
use crate::kubectl::Command;
use cronjob_controller::controller::Success;
use cronjob_text::duration::exact;
use cronjob_text::text::Text;
use kube_model::{ConcurrencyPolicy, Job, JobResult, PastRun};

pub(super) fn last_run_failed(facts: &Facts<'_>) -> Option<FindingDetails> {
    failed_and_gone(facts).or_else(|| run_failed(facts, false))
}

/// The run that ended last failed, as events report: its Job is gone.
fn failed_and_gone(facts: &Facts<'_>) -> Option<FindingDetails> {
    let last = facts.last_scheduled_run()?;
    let (name, at) = match last.state {
        LastRunState::Failed => (last.job_name.clone(), last.finished_at),
        LastRunState::Running | LastRunState::Waiting => failed_before(facts)?,
        _ => return None,
    };
    if facts.input.job_named(&name).is_some() || facts.last_success() > at {
        return None;
    }
    let at = at.map(|at| text!(" at {}", facts.past_time(at)));
    let detail = text!(
        "{} failed{}. Its Job is gone, with its pods and logs.",
        one_line(&name),
        at.unwrap_or_default()
    );
    let again = facts.input.doctor("trigger").comment("runs it again now");
    Some(FindingDetails::new(detail).remedy(again))
}

/// The failed run of which only events remain, if no run ended later.
fn failed_before(facts: &Facts<'_>) -> Option<(String, Option<Timestamp>)> {
    let events = EventJobs::of(facts);
    let removed = events.removed();
    let last = removed.max_by_key(|event_job| event_job.scheduled_time)?;
    let with_job = facts.runs.iter().filter(|run| !run.is_manual());
    let finished = with_job.filter_map(PastRun::finished_at).max();
    let is_last = finished.is_none_or(|finished| last.finished > Some(finished));
    let has_failed = last.result == Some(JobResult::Failed);
    (is_last && has_failed).then(|| (last.job_name.clone(), last.finished))
}

pub(super) fn manual_run_failed(facts: &Facts<'_>) -> Option<FindingDetails> {
    run_failed(facts, true)
}

/// The scheduled or the manual run that has failed or finished last failed, and none has succeeded since. It has failed
/// before its last pod has ended.
fn run_failed(facts: &Facts<'_>, manual: bool) -> Option<FindingDetails> {
    let runs = facts.runs.iter().filter(|run| run.is_manual() == manual);
    let over = runs.filter_map(|run| Some((run, run.job.failed_at().or(run.finished_at())?)));
    let (last, at) = over.max_by_key(|(_, at)| *at)?;
    let failure = last.job.decided_failure()?;
    if facts.last_success() > Some(at) {
        return None;
    }
    let mut detail = text!(
        "{} failed at {}{}.",
        job_in_words(last),
        facts.past_time(at),
        why_job_failed(&facts.input, last.job, failure)
    );
    let ends = ends(&facts.input, last.job);
    let disruption = Disruption::of_events(&facts.input, last.job).filter(|_| ends.is_empty());
    if let Some(stopped) = facts.what_stopped(last.job) {
        detail += text!(" {}", stopped);
    }
    match facts.input.cron_job.status.last_successful_time {
        Some(success) => {
            let success = facts.past_time(success);
            detail += Text::aside(text!(" Last success: {}.", success));
        }
        // Older versions do not record it.
        None if facts.input.behavior().success == Success::Never => {}
        None => detail += Text::aside(" No success is recorded."),
    }
    let memory = ends
        .first()
        .and_then(|end| end.out_of_memory(facts)?.raised());
    let raised = memory.or_else(|| raised_deadline(&facts.input, last.job, &failure.reason));
    let found = FindingDetails::new(detail).about(last);
    let found = found.cause(FailureCause::of_change(facts).filter(|_| !manual));
    if let Some(raised) = raised {
        let again = facts.input.doctor("trigger");
        return Some(found.remedy(again.comment(format!("the CronJob now has {raised}"))));
    }
    let look = match (ends.first(), disruption) {
        (Some(end), _) => end.remedy(facts, Some(failure.reason_without_rule())),
        (None, Some(disruption)) => disruption.remedy(facts, Some(failure.reason_without_rule())),
        (None, None) => show_cause(&facts.input, last, &failure.reason),
    };
    let look = match longer_deadline(facts, last.job, &failure.reason) {
        Some(raise) => look.or("if its runs may take longer", raise),
        None => look,
    };
    let remedy = facts.input.then_run_again(look, last);
    Some(found.remedy(remedy))
}

impl Facts<'_> {
    /// What happened to the pods of a failed Job, in sentences; `None` if that is not known.
    pub fn what_stopped(&self, job: &Job) -> Option<Text> {
        let ends = ends(&self.input, job);
        if let Some(failure_summary) = failure_summary(self, &ends) {
            let memory = ends.first().and_then(|end| end.out_of_memory(self));
            let memory =
                memory.map_or_else(Text::default, |memory| text!(" {}", memory.sentence()));
            return Some(text!("{}.{}", failure_summary, memory));
        }
        let disruption = Disruption::of_events(&self.input, job).filter(|_| ends.is_empty())?;
        let (pod, stopped) = (one_line(disruption.pod), disruption.sentence(self));
        Some(text!("Its pod {} {}.", pod, stopped))
    }
}

/// The Job of the last run is gone, and it cannot have succeeded; or that of the run before the one that is under way.
pub(super) fn last_run_without_success(facts: &Facts<'_>) -> Option<FindingDetails> {
    let last = facts.last_scheduled_run()?;
    // A Job that the controller is replacing is gone before the next one exists.
    let is_replaced = facts.decision.starts();
    let is_known = is_replaced || facts.input.is_suspended() || last_run_failed(facts).is_some();
    if is_known {
        return None;
    }
    let what = match last.state {
        LastRunState::DeletedWithoutSuccess => last.text.clone(),
        LastRunState::Running | LastRunState::Waiting => {
            let before = unsuccessful_before(facts, last.scheduled_time?)?;
            text!(
                "The run scheduled at {} did not succeed",
                local(facts, before)
            )
        }
        _ => return None,
    };
    let success = match facts.last_success() {
        Some(at) => text!("The last recorded success was at {}.", facts.past_time(at)),
        None => "No success is recorded.".into(),
    };
    let detail = Text::aside(text!("{}. {}", what, success));
    let look = facts.input.doctor("history");
    Some(FindingDetails::new(detail).remedy(look.then_run_again(facts.input.doctor("trigger"))))
}

/// The run before a scheduled time, if it is the only one since the last success. More than one is another finding, and
/// so is a Job that is replaced, or that takes longer than a period.
fn unsuccessful_before(facts: &Facts<'_>, scheduled: Timestamp) -> Option<Timestamp> {
    let policy = &facts.input.cron_job.spec.concurrency_policy;
    if *policy == ConcurrencyPolicy::Replace || facts.runs_since_success() != Some(1) {
        return None;
    }
    let before = facts.timetable.as_ref()?.previous(scheduled)?;
    (facts.last_success()? < before).then_some(before)
}

/// As many runs in a row are an error.
const ERROR: u64 = 3;

pub(super) fn runs_without_success(facts: &Facts<'_>) -> Option<FindingDetails> {
    let count = facts.runs_since_success().filter(|count| *count > 1)?;
    // Another rule is about CronJobs that have never succeeded.
    let last = facts
        .last_success()
        .filter(|_| !facts.input.is_suspended())?;
    let since = Text::aside(text!(" since {}", facts.past_time(last)));
    let detail = text!("No success in {} runs{}.", count, since);
    let found = FindingDetails::new(detail).remedy(facts.input.doctor("history"));
    Some(found.severity_if(count >= ERROR, Severity::Error))
}

/// The deadline that a Job exceeded, and that of its CronJob now.
fn exceeded_deadline(input: &Input<'_>, job: &Job, reason: &str) -> Option<(i64, Option<i64>)> {
    let then = job
        .active_deadline_seconds
        .filter(|_| reason == "DeadlineExceeded")?;
    Some((
        then,
        input.cron_job.spec.job_setting("activeDeadlineSeconds"),
    ))
}

/// What the CronJob has now, if it gives its runs more time than a Job had that was stopped because it took too long.
fn raised_deadline(input: &Input<'_>, job: &Job, reason: &str) -> Option<String> {
    match exceeded_deadline(input, job, reason)? {
        (_, None) => Some("no activeDeadlineSeconds".to_owned()),
        (then, Some(now)) => (now > then).then(|| format!("activeDeadlineSeconds: {now}")),
    }
}

/// Gives the runs twice the time that a Job had, if it was stopped because it took too long.
fn longer_deadline(facts: &Facts<'_>, job: &Job, reason: &str) -> Option<Command> {
    let (then, _) = exceeded_deadline(&facts.input, job, reason)?;
    let template = json!({ "spec": { "activeDeadlineSeconds": then.checked_mul(2)? } });
    Some(facts.patch(&json!({ "jobTemplate": template })))
}

/// Shows why a Job failed whose pods were not read.
fn show_cause(input: &Input<'_>, run: &PastRun<'_>, reason: &str) -> Command {
    let name = &run.job.name;
    // Pods that were stopped are deleted with their logs.
    let restarts = input.cron_job.spec.restart_policy() == Some("OnFailure");
    let stopped = restarts || reason == "DeadlineExceeded";
    if stopped {
        input.kubectl("describe job").name(name)
    } else {
        let logs = input.kubectl("logs").name(&format!("job/{name}"));
        logs.with("--all-containers --prefix")
    }
}

/// With fewer runs it is too early to say.
const ENOUGH: u64 = 3;

pub(super) fn never_succeeded(facts: &Facts<'_>) -> Option<FindingDetails> {
    let status = &facts.input.cron_job.status;
    let created = facts.input.cron_job.creation_timestamp?;
    let last = status.last_schedule_time?.min(facts.input.now);
    let noted = facts.input.behavior().success != Success::Never;
    if !noted || status.last_successful_time.is_some() || facts.runs.iter().any(PastRun::succeeded)
    {
        return None;
    }
    let runs = facts.timetable.as_ref()?.count(created, last).ok()?.count;
    // What is under way may succeed. That it starts does not end the problem.
    let unfinished = facts.runs.iter().filter(|run| run.ending().is_none());
    let unfinished = unfinished.count().max(status.active.len());
    let runs = runs.saturating_sub(u64::try_from(unfinished).unwrap_or_default());
    if runs < ENOUGH {
        return None;
    }
    let detail = text!(
        "No success in {} runs since its creation at {}.",
        runs,
        facts.past_time(created)
    );
    // Where nothing is left of the runs, a list of Jobs is empty.
    let look = if facts.runs.is_empty() {
        facts.input.doctor("history")
    } else {
        let jobs = facts.input.kubectl("get jobs");
        jobs.with("--sort-by=.metadata.creationTimestamp")
    };
    Some(FindingDetails::new(detail).remedy(look))
}

pub(super) fn history_limit_hides_failures(facts: &Facts<'_>) -> Option<FindingDetails> {
    (facts.input.cron_job.spec.failed_jobs_history_limit == Some(0)).then(|| {
        let detail = "failedJobsHistoryLimit is 0: a failed Job is deleted with its logs as soon \
            as the controller sees it.";
        FindingDetails::new(detail).remedy(facts.patch(&json!({ "failedJobsHistoryLimit": 1 })))
    })
}

pub(super) fn history_limit_hides_successes(facts: &Facts<'_>) -> Option<FindingDetails> {
    (facts.input.cron_job.spec.successful_jobs_history_limit == Some(0)).then(|| {
        let detail = "successfulJobsHistoryLimit is 0: a successful Job is deleted as soon as the \
            controller sees it, so its duration and its logs are lost.";
        FindingDetails::new(detail).remedy(facts.patch(&json!({ "successfulJobsHistoryLimit": 3 })))
    })
}

/// Failures of a night should still be visible in the morning.
const NIGHT: i64 = 8 * 3_600;

pub(super) fn ttl_hides_failures(facts: &Facts<'_>) -> Option<FindingDetails> {
    let ttl = (facts.input.cron_job.spec).job_setting("ttlSecondsAfterFinished")?;
    if ttl >= NIGHT {
        return None;
    }
    let detail = format!(
        "ttlSecondsAfterFinished is {ttl}: Jobs are deleted {} after they finish, including failed \
         ones and their logs, regardless of the history limits.",
        exact(ttl)
    );
    let patch = json!({ "jobTemplate": { "spec": { "ttlSecondsAfterFinished": null } } });
    Some(FindingDetails::new(detail).remedy(facts.patch(&patch)))
}
