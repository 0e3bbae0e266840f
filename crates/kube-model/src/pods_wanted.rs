//! Which pods are worth asking a cluster for.

use jiff::Timestamp;

use super::cronjob::CronJobSpec;
use super::evidence::CronJobEvidence;
use super::job::Job;
use super::run::{PastRun, past_runs};

/// A cluster with thousands of `CronJob`s should not be asked for all their pods.
pub const MOST_WITH_PODS: usize = 5;

/// The Jobs whose pods matter, at most five, newest first: the unfinished ones, and the last finished one if it
/// failed. Findings examine the pods of no other Job.
pub fn pods_wanted(evidence: &CronJobEvidence) -> Vec<&Job> {
    runs_with_pods(&past_runs(&evidence.cron_job, &evidence.jobs))
}

/// A pod that is not ready is not unusual for this many seconds.
const STARTING: i64 = 10;

/// The unfinished Jobs among them whose own status shows that something may be wrong with their
/// pods: one is missing, not ready, has failed, or keeps the Job from ending.
pub fn pods_in_question(evidence: &CronJobEvidence, now: Timestamp) -> Vec<&Job> {
    let is_new = |job: &Job| {
        let created = job.creation_timestamp;
        created.is_some_and(|created| now.as_second() - created.as_second() < STARTING)
    };
    let in_question = |job: &Job| {
        let not_ready = job.ready.unwrap_or_default() < job.active;
        let is_unusual = not_ready || job.failed > 0 || lacks_pods(evidence, job);
        job.ending().is_none() && (job.verdict().is_some() || !is_new(job) && is_unusual)
    };
    // Of most CronJobs nothing has to be sorted.
    if !evidence.jobs.iter().any(in_question) {
        return Vec::new();
    }
    let mut wanted = pods_wanted(evidence);
    wanted.retain(|job| in_question(job));
    wanted
}

/// Whether an unfinished Job has fewer pods than its template asks for, before one has ended.
pub fn lacks_pods(evidence: &CronJobEvidence, job: &Job) -> bool {
    let (parallelism, completions) = sizes(&evidence.cron_job.spec);
    let none_ended = job.succeeded == 0 && job.failed == 0;
    job.active == 0 || none_ended && i64::from(job.active) < parallelism.min(completions)
}

/// Whether an unfinished Job has as many pods as it may have now, by its own status.
pub fn has_all_pods(spec: &CronJobSpec, job: &Job) -> bool {
    let (parallelism, completions) = sizes(spec);
    let missing = completions.saturating_sub(i64::from(job.succeeded));
    job.active > 0 && i64::from(job.active) >= parallelism.min(missing)
}

/// How many pods the Job template asks for at a time, and how many must succeed.
fn sizes(spec: &CronJobSpec) -> (i64, i64) {
    let parallelism = spec.job_setting("parallelism").unwrap_or(1);
    let completions = spec.job_setting("completions").unwrap_or(parallelism);
    (parallelism, completions)
}

/// The Jobs of these runs whose pods matter, as for [`pods_wanted`].
pub fn runs_with_pods<'a>(runs: &[PastRun<'a>]) -> Vec<&'a Job> {
    let over = || runs.iter().filter(|run| run.finished_at().is_some());
    let last = over().max_by_key(|run| run.finished_at());
    // A manual run says little about those of the schedule.
    let scheduled = over().filter(|run| !run.is_manual());
    let scheduled = scheduled.max_by_key(|run| run.finished_at());
    let newest_first = runs.iter().rev();
    newest_first
        .filter(|run| {
            let mut last = last.iter().chain(&scheduled);
            let is_last = last.any(|last| std::ptr::eq(last.job, run.job));
            is_last && run.failure().is_some() || may_have_pods(run)
        })
        .map(|run| run.job)
        .take(MOST_WITH_PODS)
        .collect()
}

/// Whether a run is not over. The pods of a Job that is suspended are deleted.
fn may_have_pods(run: &PastRun<'_>) -> bool {
    run.ending().is_none() && (run.job.suspend != Some(true) || run.job.active > 0)
}
