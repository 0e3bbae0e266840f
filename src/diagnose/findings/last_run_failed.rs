//! The latest run that is over failed.

use super::super::commands::{add, one_line};
use super::super::pods::{called, ends, story};
use super::super::{Facts, Found, PastRun};
use crate::controller::Success;
use crate::duration::human;
use crate::kubectl::Command;

pub(super) fn check(facts: &Facts<'_>) -> Option<Found> {
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
        None if facts.behaviour().success == Success::Never => {}
        None => detail.push_str(" No success is on record."),
    }
    let look = match ends.first() {
        Some(end) => end.look(facts),
        None => look(facts, last, &failure.reason),
    };
    Some(Found::new(detail).remedy(look))
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
