//! When the controller started nothing for a while, and then all that was due.
//!
//! Runs of several CronJobs that were due at different times and started together have one cause, unless something
//! about the CronJobs themselves kept them from starting until then: a suspension, a schedule of that time, or an
//! earlier Job.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use super::outage::{ENOUGH, PATIENCE, other_signs, starts, starts_of_jobs};
use super::suspension::unchanged_since;
use kube_model::{
    ConcurrencyPolicy, CronJob, CronJobEvidence, Job, PastOutage, PastRun, other_controller,
    past_runs,
};

/// How many seconds after its return the controller has started what was due.
const BURST: i64 = 10;

/// The times in which the controller seems to have been down, as far as Jobs are left that show it.
pub(super) fn past_outages<'a>(
    all_evidence: &(impl Iterator<Item = &'a CronJobEvidence> + Clone),
) -> Vec<PastOutage> {
    let late: Vec<LateStart<'_>> = all_evidence.clone().flat_map(late_starts).collect();
    if late.len() < ENOUGH {
        return Vec::new();
    }
    let mut signs: Vec<Timestamp> = all_evidence.clone().flat_map(signs).collect();
    signs.sort_unstable();
    let mut returns: BTreeMap<(Timestamp, Timestamp), Vec<LateStart<'_>>> = BTreeMap::new();
    for start in late {
        let index = signs.partition_point(|sign| *sign <= start.due);
        let last = index.checked_sub(1).and_then(|last| signs.get(last));
        let Some((last_sign, next_sign)) = last.copied().zip(signs.get(index).copied()) else {
            continue;
        };
        if start.started.as_second() - next_sign.as_second() <= BURST {
            let starts = returns.entry((last_sign, next_sign));
            starts.or_default().push(start);
        }
    }
    returns.retain(|_, starts| {
        let cron_jobs = starts.iter().map(|start| start.cron_job.key());
        // Attempts for runs that were due at the same time are repeated at the same times.
        let due = starts.iter().map(|start| start.due);
        cron_jobs.collect::<BTreeSet<_>>().len() >= ENOUGH
            && due.collect::<BTreeSet<_>>().len() >= ENOUGH
    });
    let outages = returns
        .into_keys()
        .map(|(last_sign, next_sign)| PastOutage {
            last_start: all_evidence
                .clone()
                .flat_map(starts)
                .filter(|at| *at <= last_sign)
                .max(),
            last_sign,
            next_sign,
        });
    outages.collect()
}

/// A run that the controller started late, and nothing about its `CronJob` explains that.
struct LateStart<'a> {
    cron_job: &'a CronJob,
    due: Timestamp,
    started: Timestamp,
}

fn late_starts(evidence: &CronJobEvidence) -> impl Iterator<Item = LateStart<'_>> {
    let CronJobEvidence { cron_job, jobs, .. } = evidence;
    let late = past_runs(cron_job, jobs).into_iter();
    let late = late.filter(|run| run.delay_seconds() > Some(PATIENCE));
    let due = late.filter_map(|run| Some((run.scheduled_time?, run.job.creation_timestamp?)));
    let due = due.filter(|(due, _)| might_start(cron_job, jobs, *due));
    due.map(|(due, started)| LateStart {
        cron_job,
        due,
        started,
    })
}

/// Whether a run would have started at its time, by all that is known of its `CronJob`.
fn might_start(cron_job: &CronJob, jobs: &[Job], due: Timestamp) -> bool {
    let is_known = cron_job.is_unchanged() || cron_job.schedule_owners().next().is_some();
    let is_steady = is_known && unchanged_since(cron_job).is_none_or(|written| written < due);
    let existed = cron_job
        .known_creation()
        .is_some_and(|created| created < due);
    let mut earlier = jobs.iter().filter(|job| job.creation_timestamp < Some(due));
    let is_free = cron_job.spec.concurrency_policy != ConcurrencyPolicy::Forbid
        || jobs.iter().any(|job| job.creation_timestamp < Some(due))
            && earlier.all(|job| job.finished_at().is_some_and(|end| end <= due));
    is_steady && existed && is_free
}

/// When the controller manager did something.
fn signs(evidence: &CronJobEvidence) -> impl Iterator<Item = Timestamp> + '_ {
    let CronJobEvidence { cron_job, jobs, .. } = evidence;
    let finished = jobs
        .iter()
        .filter(|job| other_controller(&job.managed_by).is_none());
    let finished = finished.filter_map(Job::finished_at);
    // Its Job shows when the run was started.
    let runs = past_runs(cron_job, jobs);
    let is_left = |at: &Timestamp| {
        runs.iter()
            .any(|run: &PastRun<'_>| run.scheduled_time == Some(*at))
    };
    let recorded = cron_job.status.last_schedule_time.filter(|at| !is_left(at));
    let others = other_signs(evidence).chain(recorded);
    starts_of_jobs(evidence).chain(finished).chain(others)
}
