//! Jobs that were created from the CronJob, but that its controller does not count.

use super::super::{Facts, FindingDetails, Input, one_line};
use cronjob_text::text::Text;
use cronjob_text::words::{counted, plural, some_of};
use kube_model::{ConcurrencyPolicy, Job, JobResult, is_unowned};

/// No more names than these are listed.
const NAMED: usize = 5;

/// Jobs run beside the schedule, or are never cleaned up, because the `CronJob` does not control them.
pub(super) fn job_not_owned(facts: &Facts<'_>) -> Option<FindingDetails> {
    let jobs = facts.input.jobs.iter();
    let unowned = || {
        let unowned = jobs
            .clone()
            .filter(|job| is_unowned(&facts.input.cron_job, job));
        unowned.filter(|job| job.deletion_timestamp.is_none())
    };
    let unfinished: Vec<&Job> = unowned().filter(|job| job.ending().is_none()).collect();
    let finished: Vec<&Job> = unowned().filter(|job| job.ending().is_some()).collect();
    let finished = if is_surplus(&facts.input, &finished) {
        finished
    } else {
        Vec::new()
    };
    let all: Vec<&Job> = unfinished.iter().chain(&finished).copied().collect();
    if all.is_empty() {
        return None;
    }
    let mut detail = Text::default();
    if !unfinished.is_empty() {
        let (have, them) = plural(unfinished.len(), ("has", "it"), ("have", "them"));
        let effect = match facts.input.cron_job.spec.concurrency_policy {
            ConcurrencyPolicy::Forbid => "concurrencyPolicy: Forbid does not wait for",
            ConcurrencyPolicy::Replace => "concurrencyPolicy: Replace does not delete",
            _ => "status.active does not list",
        };
        let names = names(&unfinished);
        detail += text!("{} {} not finished, and {} {}. ", names, have, effect, them);
    }
    if !finished.is_empty() {
        let are = plural(finished.len(), "is", "are");
        let (count, names) = (counted(finished.len(), "finished Job"), names(&finished));
        detail += text!(
            "{} {} not deleted by the history limits: {}. ",
            count,
            are,
            names
        );
    }
    detail += cause(&all);
    let named = |verb, jobs: &[&Job]| {
        let named = jobs.iter().take(NAMED);
        let command = named.fold(facts.input.kubectl(verb), |command, job| {
            command.name(&job.name)
        });
        match jobs.len().saturating_sub(NAMED) {
            0 => command,
            more => command.comment(text!("and {} more", more)),
        }
    };
    let remedy = if finished.is_empty() {
        let delete = named("delete job", &unfinished);
        named("describe job", &unfinished).or("to end what is running", delete)
    } else {
        let trigger = facts.input.doctor("trigger");
        named("delete job", &finished).or(
            "the history limits delete finished Jobs that this creates",
            trigger,
        )
    };
    Some(FindingDetails::new(detail).remedy(remedy))
}

/// Whether there are more finished Jobs than the limits would keep, and nothing else deletes them.
fn is_surplus(input: &Input<'_>, finished: &[&Job]) -> bool {
    let spec = &input.cron_job.spec;
    let exceeds = |result: JobResult, limit: Option<i32>| {
        let count = finished.iter().filter(|job| job.result() == Some(result));
        limit.is_some_and(|limit| count.count() > usize::try_from(limit).unwrap_or_default())
    };
    let is_over = exceeds(JobResult::Succeeded, spec.successful_jobs_history_limit)
        || exceeds(JobResult::Failed, spec.failed_jobs_history_limit);
    is_over && spec.job_setting("ttlSecondsAfterFinished").is_none()
}

/// `a, b and 3 more`
fn names(jobs: &[&Job]) -> String {
    let names: Vec<String> = jobs.iter().map(|job| one_line(&job.name)).collect();
    some_of(&names, NAMED)
}

/// Why the controller does not count them.
fn cause(jobs: &[&Job]) -> String {
    let bare = jobs.iter().filter(|job| job.owner_references.is_empty());
    let has = |count: usize| plural(count, "has", "have");
    match (bare.count(), jobs.len()) {
        (0, 1) => "Its owner reference does not have controller: true.".to_owned(),
        (0, _) => "Their owner references do not have controller: true.".to_owned(),
        (bare, all) if bare == all && all == 1 => {
            "It has no owner reference to the CronJob.".to_owned()
        }
        (bare, all) if bare == all => "They have no owner reference to the CronJob.".to_owned(),
        (bare, all) => format!(
            "{} {} no owner reference to the CronJob, and {} {} one without controller: true.",
            counted(bare, "Job"),
            has(bare),
            all - bare,
            has(all - bare)
        ),
    }
}
