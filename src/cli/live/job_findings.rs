//! Why a Job that is waited for does not finish, or has failed: the findings about its pods, and its logs.

use super::changing::ChangeRun;
use crate::cli::{say_plainly, stdio};
use crate::evidence::Basis;
use crate::output::logs::log_tail;
use cronjob_diagnosis::change::JobProgress;
use cronjob_diagnosis::diagnose::{Facts, Finding, diagnose};
use cronjob_manifest::rules::{HELD_BY_SIDECAR, RuleTopic};
use kube_model::{Coverage, CronJob, CronJobEvidence, Event};

/// Prints the findings about the pods of a Job, and the last lines of the log that shows why it failed.
pub(super) fn say_why(
    run: &ChangeRun<'_>,
    cron_job: &CronJob,
    progress: &JobProgress,
    events: Vec<Event>,
    lines: Option<u64>,
) {
    let (basis, evidence) = (now(run), evidence(cron_job, progress, events));
    let facts = basis.facts(&evidence, Coverage::all(basis.now));
    say_findings(&facts, |finding| {
        finding.rule.shows_log() || finding.code == HELD_BY_SIDECAR.name
    });
    let Some(lines) = lines else {
        return;
    };
    let logs = run.live.log_tails(&facts, lines, usize::MAX);
    for log in logs.into_iter().flatten() {
        // The log is an extra: if it cannot be read, nothing is said about it.
        if log.error.is_none() {
            // An error of a closed stderr changes nothing.
            let _ = log_tail(&mut stdio::stderr(), 0, &log);
        }
    }
}

/// Prints which sidecar keeps a Job running, and returns whether one does.
pub(super) fn say_sidecar(run: &ChangeRun<'_>, cron_job: &CronJob, progress: &JobProgress) -> bool {
    let (basis, evidence) = (now(run), evidence(cron_job, progress, Vec::new()));
    let facts = basis.facts(&evidence, Coverage::all(basis.now));
    say_findings(&facts, |finding| finding.code == HELD_BY_SIDECAR.name)
}

fn now(run: &ChangeRun<'_>) -> Basis {
    run.basis.at(run.live.clock.now())
}

/// What is known of a Job and its pods.
fn evidence(cron_job: &CronJob, progress: &JobProgress, events: Vec<Event>) -> CronJobEvidence {
    CronJobEvidence {
        cron_job: cron_job.clone(),
        jobs: vec![progress.job().clone()],
        pods: progress.pods().cloned().collect(),
        events,
        ..CronJobEvidence::default()
    }
}

/// Prints findings, and returns whether there are some.
fn say_findings(facts: &Facts<'_>, is_wanted: impl Fn(&Finding) -> bool) -> bool {
    let mut found = diagnose(facts);
    found.retain(is_wanted);
    for finding in &found {
        // The line about its end has already said why the Job failed.
        let is_known = finding.rule.topic == Some(RuleTopic::FailedJob);
        let mut jobs = facts.input.jobs.iter().filter(|_| is_known);
        match jobs.next() {
            Some(job) => facts
                .what_stopped(job)
                .iter()
                .for_each(|text| say_plainly(text)),
            None => say_plainly(&finding.detail),
        }
        if let Some(remedy) = &finding.remedy {
            say_plainly(&format!("  {}", remedy.text));
        }
    }
    !found.is_empty()
}
