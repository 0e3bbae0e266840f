//! The controller that the kubebuilder book builds: it believes no status, only the Jobs it sees.
//!
//! That is `docs/book/src/cronjob-tutorial` of kubernetes-sigs/kubebuilder. Many
//! controllers start as a copy of it, including its API group and its behavior: it records no
//! events, and finds the last run of a `CronJob` in the annotations of the remaining Jobs.

use jiff::Timestamp;
use kube_cron::{Endless, go_quote};

use super::Controller;
use super::decision::{Outcome, StatusCondition, Verdict};
use super::gotime::GoTime;
use super::sync::{SyncContext, SyncEnd};
use super::unmet::SearchFailure;
use super::{children, history, names, wake};
use kube_model::{ConcurrencyPolicy, Job, JobResult};

/// The annotation with the scheduled time of a Job.
pub(super) const SCHEDULED_AT: &str = "batch.tutorial.kubebuilder.io/scheduled-at";

const AVAILABLE: &str = "Available";
const PROGRESSING: &str = "Progressing";
const DEGRADED: &str = "Degraded";

/// The definition of the resource allows no longer list of running Jobs in the status.
const MOST_ACTIVE: usize = 10;

/// One sync, which the book calls a reconciliation.
pub(super) fn sync(sync: &mut SyncContext<'_>, controller: &Controller) -> SyncEnd {
    if let Err(error) = rebuild_status(sync) {
        sync.step("status", Verdict::Stop, error.clone());
        let error = Some(error);
        return SyncEnd {
            error,
            ..SyncEnd::for_good(Outcome::Blocked)
        };
    }
    clean_up(sync);
    steps(sync, controller).unwrap_or_else(|Endless| sync.hangs())
}

/// The status is rebuilt from the existing Jobs, and written immediately.
fn rebuild_status(sync: &mut SyncContext<'_>) -> Result<(), String> {
    let running = running(sync);
    if running.len() > MOST_ACTIVE {
        return Err(too_many_active(sync, running.len()));
    }
    sync.active = running.iter().map(|job| job.reference()).collect();
    let times = sync.children.iter();
    let times = times.filter_map(|child| scheduled_time_of(child.job));
    sync.last_schedule_time = times.max();
    sync.updates_status = true;
    let failed = sync.children.iter();
    let failed = failed.filter(|child| child.finish == Some(JobResult::Failed));
    note_jobs(sync, failed.count());
    let counts = children::counts(sync.children.len(), sync.active.len());
    sync.step("Jobs", Verdict::Pass, counts);
    Ok(())
}

fn running<'a>(sync: &SyncContext<'a>) -> Vec<&'a Job> {
    let children = sync.children.iter();
    let unfinished = children.filter(|child| child.finish.is_none());
    unfinished.map(|child| child.job).collect()
}

/// In the words of the API server.
fn too_many_active(sync: &SyncContext<'_>, count: usize) -> String {
    let cron_job = sync.cron_job;
    let group = cron_job.api_version.split('/').next().unwrap_or_default();
    format!(
        "CronJob.{group} {} is invalid: status.active: Too many: {count}: \
         must have at most {MOST_ACTIVE} items",
        go_quote(&cron_job.name)
    )
}

/// The scheduled time that a Job was started for; the status keeps whole seconds of it.
fn scheduled_time_of(job: &Job) -> Option<Timestamp> {
    let text = job.annotations.get(SCHEDULED_AT)?;
    // Go's layout has a `T` and no name of a zone; the parser here would let both pass.
    let as_go_writes = text.as_bytes().get(10) == Some(&b'T') && !text.contains('[');
    let scheduled_time: Timestamp = as_go_writes.then(|| text.parse().ok()).flatten()?;
    GoTime::of_seconds(GoTime::of(scheduled_time).second()).timestamp()
}

/// The Jobs beyond the history limits go, and what they remembered goes with them.
fn clean_up(sync: &mut SyncContext<'_>) {
    sync.note_deleted(history::surplus(sync));
    let mut left = sync.children.iter().filter(|child| sync.is_left(child.job));
    let remembered = left.any(|child| scheduled_time_of(child.job).is_some());
    if sync.last_schedule_time.is_some() && !remembered {
        let detail =
            "no Job with a scheduled-at annotation is left: the next sync counts from the creation";
        sync.step("history", Verdict::Note, detail);
    }
}

fn steps(sync: &mut SyncContext<'_>, controller: &Controller) -> Result<SyncEnd, Endless> {
    let cron_job = sync.cron_job;
    let spec = &cron_job.spec;
    if cron_job.deletion_timestamp.is_some() {
        let detail = "being deleted, but this controller does not check metadata.deletionTimestamp";
        sync.step("deletion", Verdict::Note, detail);
    }
    if sync.stops_for_suspension() {
        return Ok(SyncEnd::for_good(Outcome::Suspended));
    }
    let clock = match sync.read_clock(controller) {
        Ok(clock) => clock,
        Err(error) => {
            let why = sync.behavior.wording.unparseable_listed;
            sync.step("schedule", Verdict::Stop, error.to_string());
            let quoted = go_quote(&spec.schedule);
            no_schedule(sync, &format!("{why} {quoted}: {error}"));
            return Ok(SyncEnd::for_good(Outcome::UnparseableSchedule));
        }
    };
    let unmet = sync.find_unmet(&clock)?;
    if unmet.failure == Some(SearchFailure::TooMany) {
        let detail =
            "more than 100 missed start times: starts none of them, and does not sync again";
        sync.step("missed", Verdict::Stop, detail);
        no_schedule(sync, sync.behavior.wording.too_many_listed);
        return Ok(SyncEnd::for_good(Outcome::TooManyMissed));
    }
    let requeue_after = wake::requeue_after(sync.behavior, &clock, sync.last(), sync.now, None)?;
    let Some(scheduled_time) = unmet.scheduled_time else {
        sync.step("schedule", Verdict::Stop, "no run is due");
        return Ok(SyncEnd::for_good(Outcome::Wait).with_requeue(requeue_after));
    };
    let end = run(sync, controller, scheduled_time);
    // A sync that failed is repeated later and later, not at a time.
    let requeue_after = requeue_after.filter(|_| end.error.is_none());
    Ok(end.with_requeue(requeue_after))
}

/// The checks of a scheduled time that is due, and the start of its Job.
fn run(sync: &mut SyncContext<'_>, controller: &Controller, scheduled_time: GoTime) -> SyncEnd {
    let cron_job = sync.cron_job;
    let name = names::job_name(&cron_job.name, scheduled_time, sync.behavior.generation);
    let ended = |outcome| SyncEnd::of_run(outcome, scheduled_time, &name);
    sync.note_due(scheduled_time);
    if sync.stops_for_deadline(scheduled_time) {
        let time = names::plain(scheduled_time, &controller.local);
        let message = format!("Missed starting deadline for run at {time}");
        set(sync, DEGRADED, "True", "MissedSchedule", message);
        return ended(Outcome::DeadlineExceeded);
    }
    let running = running(sync);
    let policy = &cron_job.spec.concurrency_policy;
    if *policy == ConcurrencyPolicy::Forbid && !running.is_empty() {
        let names: Vec<&str> = running.iter().map(|job| job.name.as_str()).collect();
        let detail = format!(
            "concurrencyPolicy: Forbid, and {} is active",
            names.join(", ")
        );
        sync.step("concurrency", Verdict::Stop, detail);
        return ended(Outcome::Blocked);
    }
    sync.step(
        "concurrency",
        Verdict::Pass,
        format!("concurrencyPolicy: {policy}, {} active", running.len()),
    );
    let mut outcome = Outcome::Start;
    if *policy == ConcurrencyPolicy::Replace && !running.is_empty() {
        sync.deleted.extend(running);
        outcome = Outcome::Replace;
    }
    if sync.job_named(&name).is_some() {
        let error = format!("jobs.batch {} already exists", go_quote(&name));
        sync.step("name", Verdict::Stop, error.clone());
        let message = format!("Failed to create job: {error}");
        set(sync, DEGRADED, "True", "JobCreationFailed", message);
        let error = Some(error);
        return SyncEnd {
            error,
            ..ended(Outcome::NameTaken)
        };
    }
    sync.step("start", Verdict::Pass, format_args!("creates {name}"));
    let message = format!("Created job {name}");
    set(sync, PROGRESSING, "True", "JobCreated", message);
    // The status learns of the new Job with the next sync, and only then forgets the replaced ones.
    let scheduled_timestamp = names::rfc3339(scheduled_time, &controller.local);
    SyncEnd {
        scheduled_timestamp,
        ..ended(outcome)
    }
}

/// Sets a condition: this controller reports so what it did, and records no events. A later condition takes the place
/// of an earlier one of its type, and nothing ever sets `Degraded` back to `False`.
fn set(
    sync: &mut SyncContext<'_>,
    r#type: &'static str,
    status: &'static str,
    reason: &'static str,
    message: String,
) {
    sync.conditions.push(StatusCondition {
        r#type,
        status,
        reason,
        message,
    });
}

/// The conditions that follow from the existing Jobs.
fn note_jobs(sync: &mut SyncContext<'_>, failed: usize) {
    let active = sync.active.len();
    if sync.cron_job.spec.suspend == Some(true) {
        let message = "CronJob is suspended".to_owned();
        set(sync, AVAILABLE, "False", "Suspended", message);
    } else if failed > 0 {
        let message = format!("{failed} job(s) have failed");
        set(sync, DEGRADED, "True", "JobsFailed", message.clone());
        set(sync, AVAILABLE, "False", "JobsFailed", message);
    } else if active > 0 {
        let message = format!("{active} job(s) are currently active");
        set(sync, PROGRESSING, "True", "JobsActive", message);
        let message = format!("CronJob is progressing with {active} active job(s)");
        set(sync, AVAILABLE, "True", "JobsActive", message);
    } else {
        let message = "All jobs have completed successfully".to_owned();
        set(sync, AVAILABLE, "True", "AllJobsCompleted", message);
        let message = "No jobs are currently active".to_owned();
        set(sync, PROGRESSING, "False", "NoJobsActive", message);
    }
}

/// The schedule cannot be read, or too many scheduled times were missed: upstream does not distinguish the two.
fn no_schedule(sync: &mut SyncContext<'_>, why: &str) {
    let message = format!("Failed to parse schedule: {why}");
    set(sync, DEGRADED, "True", "InvalidSchedule", message);
}
