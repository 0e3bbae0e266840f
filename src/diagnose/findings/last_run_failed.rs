//! The latest run that is over failed.

use super::super::commands::{add, one_line, word};
use super::super::{Facts, Found, Rule, Severity};
use crate::controller::Success;
use crate::duration::human;

pub(super) const RULE: Rule = Rule {
    code: "last-run-failed",
    severity: Severity::Error,
    title: "the last run failed",
    reason: "LAST SCHEDULE in kubectl's list only tells that a Job was started. Whether it \
             succeeded is on the Job, and the Job is deleted once newer ones are there.",
    field: Some("status.lastSuccessfulTime"),
    check,
};

fn check(facts: &Facts<'_>) -> Option<Found> {
    let finished = facts.runs.iter().filter(|run| run.finished_at().is_some());
    let last = finished.max_by_key(|run| run.finished_at())?;
    let (failure, at) = (last.failure()?, last.finished_at()?);
    let name = &last.job.name;
    let by_hand = if last.by_hand() {
        " (started by hand)"
    } else {
        ""
    };
    let mut detail = format!(
        "{}{by_hand} failed at {at}, {} ago",
        one_line(name),
        human(facts.ago(at))
    );
    for why in [&failure.reason, &failure.message] {
        if !why.is_empty() {
            add(&mut detail, format_args!(": {}", one_line(why)));
        }
    }
    detail.push('.');
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
    // Pods that were stopped are deleted, and their logs with them.
    let template = &facts.cron_job.spec.job_template;
    let restarts = template.pointer("/spec/template/spec/restartPolicy");
    let stopped = failure.reason == "DeadlineExceeded"
        || restarts.is_some_and(|policy| policy == "OnFailure");
    let look = if stopped {
        format!("describe job {}", word(name))
    } else {
        format!("logs job/{} --all-containers --prefix", word(name))
    };
    Some(Found::new(detail).remedy(facts.kubectl(&look)))
}
