//! Reads what shows the changes since the last success of CronJobs whose last run failed, is stuck or was not started.

use std::thread;

use crate::evidence::{Live, World};
use cronjob_diagnosis::diagnose::{ComparedRuns, diagnose};
use kube_model::PastRun;

/// Of more CronJobs with a problem these are compared.
const MOST: usize = 20;
/// The number of CronJobs that are read at the same time.
const AT_ONCE: usize = 5;

/// Reads it for the first CronJobs with such a run; nothing is read for others. What is beside the runs, `ConfigMap`s and
/// a node, is read only if one CronJob is named.
pub(super) fn read_compared_runs(live: &Live, world: &mut World) {
    let name = |run: Option<PastRun<'_>>| run.map(|run| run.job.name.clone());
    let found = world.cron_jobs.iter().map(|one| {
        let facts = world.facts(&one.evidence);
        let runs = ComparedRuns::of(&facts, &diagnose(&facts))?;
        Some((name(runs.run), name(runs.success)))
    });
    let found: Vec<_> = found.collect();
    let is_named = !live.wanted.names.is_empty() && found.len() == 1;
    let cron_jobs = world.cron_jobs.iter_mut().zip(found);
    let bad = cron_jobs.filter_map(|(one, runs)| Some((&mut one.evidence, runs?)));
    let mut bad: Vec<_> = bad.take(MOST).collect();
    for some in bad.chunks_mut(AT_ONCE) {
        thread::scope(|scope| {
            for (evidence, (run, success)) in some {
                scope.spawn(move || {
                    live.read_whole(evidence, run.as_deref(), success.as_deref());
                    if let (Some(run), Some(_), true) = (run, success, is_named) {
                        live.read_surroundings(evidence, run);
                    }
                });
            }
        });
    }
}
