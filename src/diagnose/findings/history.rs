//! How runs ended, and what remains of them.

use serde_json::json;

use super::super::pods::{called, ends, story};
use super::super::remedies::{add, one_line};
use super::super::{Facts, FindingDetails, PastRun};
use crate::controller::Success;
use crate::duration::{exact, human};
use crate::kubectl::Command;

/// The latest run that is over failed.
pub(super) fn last_run_failed(facts: &Facts<'_>) -> Option<FindingDetails> {
    let finished = facts.runs.iter().filter(|run| run.finished_at().is_some());
    let last = finished.max_by_key(|run| run.finished_at())?;
    let (failure, at) = (last.failure()?, last.finished_at()?);
    let ago = human(facts.ago(at));
    let mut detail = format!("{} failed at {at}, {ago} ago", called(last));
    for why in [&failure.reason, &failure.message] {
        if !why.is_empty() {
            add(&mut detail, format_args!(": {}", one_line(why)));
        }
    }
    if let Some(limit) = limit(facts, &failure.reason) {
        add(&mut detail, format_args!(" ({limit})"));
    }
    detail.push('.');
    let ends = ends(facts, last.job);
    if let Some(story) = story(facts, &ends) {
        add(&mut detail, format_args!(" {story}."));
    }
    match facts.cron_job.status.last_successful_time {
        Some(success) => {
            let ago = human(facts.ago(success));
            add(
                &mut detail,
                format_args!(" The last success was at {success}, {ago} ago."),
            );
        }
        // Older releases do not note it.
        None if facts.behavior().success == Success::Never => {}
        None => detail.push_str(" No success is on record."),
    }
    let look = match ends.first() {
        Some(end) => end.look(facts),
        None => look(facts, last, &failure.reason),
    };
    Some(FindingDetails::new(detail).remedy(look))
}

/// What the template says about when a Job fails, for the reason that it failed for.
fn limit(facts: &Facts<'_>, reason: &str) -> Option<String> {
    let field = match reason {
        "BackoffLimitExceeded" => "backoffLimit",
        "DeadlineExceeded" => "activeDeadlineSeconds",
        _ => return None,
    };
    let template = &facts.cron_job.spec.job_template;
    let limit = template.get("spec")?.get(field)?.as_i64()?;
    Some(format!("{field} is {limit}"))
}

/// Where the pods were not seen.
fn look(facts: &Facts<'_>, run: &PastRun<'_>, reason: &str) -> Command {
    let name = &run.job.name;
    // Pods that were stopped are deleted, and their logs with them.
    let template = &facts.cron_job.spec.job_template;
    let restarts = template.pointer("/spec/template/spec/restartPolicy");
    let stopped =
        reason == "DeadlineExceeded" || restarts.is_some_and(|policy| policy == "OnFailure");
    if stopped {
        facts.kubectl("describe job").name(name)
    } else {
        let logs = facts.kubectl("logs").name(&format!("job/{name}"));
        logs.with("--all-containers --prefix")
    }
}

/// So many runs deserve a chance.
const ENOUGH: u64 = 3;

/// Runs were started, and not one succeeded.
pub(super) fn never_succeeded(facts: &Facts<'_>) -> Option<FindingDetails> {
    let status = &facts.cron_job.status;
    let (created, last) = (
        facts.cron_job.creation_timestamp?,
        status.last_schedule_time?,
    );
    let noted = facts.behavior().success != Success::Never;
    if !noted || status.last_successful_time.is_some() || facts.runs.iter().any(PastRun::succeeded)
    {
        return None;
    }
    let slots = facts.timetable.as_ref()?.count(created, last).ok()?.count;
    let all_running = !facts.runs.is_empty() && facts.runs.iter().all(|run| run.ending().is_none());
    if slots < ENOUGH || all_running {
        return None;
    }
    let failed = facts
        .runs
        .iter()
        .filter(|run| run.failure().is_some())
        .count();
    let jobs = match failed {
        0 => String::new(),
        1 => " The one run that is still there failed.".to_owned(),
        many => format!(" The {many} runs that are still there failed."),
    };
    let detail = format!(
        "It was created at {created} ({} ago) and had {slots} slots up to {last}, the last that \
         was started. No success is on record.{jobs}",
        human(facts.ago(created))
    );
    let jobs = facts.kubectl("get jobs");
    Some(FindingDetails::new(detail).remedy(jobs.with("--sort-by=.metadata.creationTimestamp")))
}

/// No failed Job is kept.
pub(super) fn history_limit_hides_failures(facts: &Facts<'_>) -> Option<FindingDetails> {
    (facts.cron_job.spec.failed_jobs_history_limit == Some(0)).then(|| {
        let detail = "failedJobsHistoryLimit is 0: a failed Job is deleted as soon as the \
            controller sees it, and its logs with it.";
        FindingDetails::new(detail).remedy(facts.patch(&json!({ "failedJobsHistoryLimit": 1 })))
    })
}

/// No successful Job is kept.
pub(super) fn history_limit_hides_successes(facts: &Facts<'_>) -> Option<FindingDetails> {
    (facts.cron_job.spec.successful_jobs_history_limit == Some(0)).then(|| {
        let detail = "successfulJobsHistoryLimit is 0: a successful Job is deleted as soon as \
            the controller sees it, so that neither its duration nor its logs are known.";
        FindingDetails::new(detail).remedy(facts.patch(&json!({ "successfulJobsHistoryLimit": 3 })))
    })
}

/// A night.
const NIGHT: i64 = 8 * 3_600;

/// Finished Jobs do not live through a night.
pub(super) fn ttl_hides_failures(facts: &Facts<'_>) -> Option<FindingDetails> {
    let template = &facts.cron_job.spec.job_template;
    let ttl = template
        .pointer("/spec/ttlSecondsAfterFinished")?
        .as_i64()?;
    if ttl >= NIGHT {
        return None;
    }
    let detail = format!(
        "ttlSecondsAfterFinished is {ttl}: Jobs are deleted {} after their end, failed ones and \
         their logs too, whatever the history limits say.",
        exact(ttl)
    );
    let patch = json!({ "jobTemplate": { "spec": { "ttlSecondsAfterFinished": null } } });
    Some(FindingDetails::new(detail).remedy(facts.patch(&patch)))
}
