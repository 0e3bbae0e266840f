//! The end of a sync that found a scheduled time: running Jobs replaced, the new one created.

use std::collections::{HashMap, VecDeque};

use super::behavior::NameTaken;
use super::decision::{Outcome, Verdict};
use super::gotime::GoTime;
use super::sync::SyncContext;
use kube_model::{ConcurrencyPolicy, Job};

/// Whether a Job was created, and if not, why.
pub(super) enum Started {
    /// A Job was created, after others were deleted or not.
    Created(Outcome),
    /// The Job was there already, and the status now knows it.
    Adopted,
    /// The Job was there already, and nothing is done about it.
    LeftAlone,
    /// Something failed; the controller tries again.
    Failed(Outcome, String),
}

/// Deletes the running Jobs where the policy is Replace, and creates the Job for a scheduled time.
pub(super) fn start(sync: &mut SyncContext<'_>, name: &str, scheduled_time: GoTime) -> Started {
    let mut outcome = Outcome::Start;
    if sync.cron_job.spec.concurrency_policy == ConcurrencyPolicy::Replace {
        let (found, missing) = running(sync);
        if !found.is_empty() {
            outcome = Outcome::Replace;
        }
        sync.delete(found);
        if let Some(name) = missing {
            let error = format!("jobs.batch {name:?} not found");
            sync.warning("FailedGet", format_args!("Get job: {error}"));
            return Started::Failed(Outcome::Replace, error);
        }
    }
    let policy = &sync.cron_job.spec.concurrency_policy;
    let running = sync.active.len();
    sync.step(
        "concurrency",
        Verdict::Pass,
        format_args!("concurrencyPolicy: {policy}, {running} active"),
    );
    if let Some(job) = sync.job_named(name) {
        return name_taken(sync, job, scheduled_time);
    }
    sync.normal("SuccessfulCreate", format_args!("Created job {name}"));
    sync.step("start", Verdict::Pass, format_args!("creates {name}"));
    note_started(sync, name, scheduled_time);
    Started::Created(outcome)
}

/// The Jobs that count as active, up to the first that is not there, and the name of that one.
fn running<'a>(sync: &SyncContext<'a>) -> (Vec<&'a Job>, Option<String>) {
    if sync.active.is_empty() {
        return (Vec::new(), None);
    }
    let mut named: HashMap<&str, VecDeque<&'a Job>> = HashMap::new();
    for job in sync.jobs_there() {
        named.entry(&job.name).or_default().push_back(job);
    }
    let mut found = Vec::new();
    for active in sync.active.iter() {
        match named
            .get_mut(active.name.as_str())
            .and_then(VecDeque::pop_front)
        {
            Some(job) => found.push(job),
            None => return (found, Some(active.name.clone())),
        }
    }
    (found, None)
}

fn name_taken(sync: &mut SyncContext<'_>, job: &Job, scheduled_time: GoTime) -> Started {
    let name = &job.name;
    let error = format!("jobs.batch {name:?} already exists");
    match sync.behavior.name_taken {
        NameTaken::RecordsFailure => {
            sync.step("name", Verdict::Stop, error.clone());
            sync.warning("FailedCreate", format_args!("Error creating job: {error}"));
            Started::Failed(Outcome::NameTaken, error)
        }
        NameTaken::Retries => {
            sync.step("name", Verdict::Stop, error.clone());
            Started::Failed(Outcome::NameTaken, error)
        }
        NameTaken::MeansToAdopt | NameTaken::Adopts => {
            let is_rejected = sync.behavior.name_taken == NameTaken::MeansToAdopt;
            let ours = job
                .owner_references
                .iter()
                .any(|owner| owner.controller == Some(true) && owner.uid == sync.cron_job.uid);
            let is_left_alone = !ours || sync.lists(&job.uid);
            let (verdict, then) = match (is_left_alone, is_rejected) {
                (true, true) => (Verdict::Stop, format!("; {REFUSED}")),
                (true, false) => (Verdict::Stop, ": nothing is started".to_owned()),
                (false, true) => (
                    Verdict::Note,
                    format!(", and the controller tries to adopt it; {REFUSED}"),
                ),
                (false, false) => (
                    Verdict::Note,
                    ": the controller adopts it as this run".to_owned(),
                ),
            };
            let detail = format_args!("a Job named {name} already exists{then}");
            sync.step("name", verdict, detail);
            if is_left_alone {
                return Started::LeftAlone;
            }
            note_started(sync, name, scheduled_time);
            Started::Adopted
        }
    }
}

/// Observed on a real control plane of 1.36, no matter who owns the Job; the functions of the controller
/// alone do not show it.
const REFUSED: &str = "the API server rejects the lookup, and the controller retries with back-off";

fn note_started(sync: &mut SyncContext<'_>, name: &str, scheduled_time: GoTime) {
    sync.started = Some(name.to_owned());
    sync.last_schedule_time = scheduled_time.timestamp();
    sync.updates_status = true;
}
