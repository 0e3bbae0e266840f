//! What the log of a Job needs, and the end of the newest log of a CronJob.

use std::io::Write as _;

use anyhow::bail;
use serde_json::Value;

use crate::cli::args::Common;
use crate::evidence::{Basis, Live};
use crate::output::logs::{self, log_tail};
use cronjob_diagnosis::change::choose;
use cronjob_diagnosis::diagnose::{LogTail, NoLogs, WantedLog, log_of_run, missing_pods};
use cronjob_diagnosis::history::{RunChoice, choose_run};
use cronjob_text::printable::printable;
use kube_access::OfJobs;
use kube_model::{CronJobEvidence, Job, ResourceKind};
use kube_objects::query::{PodSelection, Resource};

/// The pod template of a Job, or that of the CronJob if the Job was deleted in the meantime.
pub(super) fn pod_template(
    live: &Live,
    evidence: &CronJobEvidence,
    job: &Job,
) -> anyhow::Result<Value> {
    let job = live.whole_object(Resource::jobs(), &job.namespace, &job.name)?;
    let template = job.and_then(|job| job.parse().pointer("/spec/template").cloned());
    let of_cron_job = || {
        let job_template = &evidence.cron_job.spec.job_template;
        job_template.pointer("/spec/template").cloned()
    };
    Ok(template.or_else(of_cron_job).unwrap_or_default())
}

/// Adds the pods of a Job, and the events about them.
pub(super) fn with_pods(
    live: &Live,
    mut evidence: CronJobEvidence,
    job: &Job,
) -> anyhow::Result<CronJobEvidence> {
    let (seen, lacks) = live
        .session
        .pods(&[OfJobs::of(job)], PodSelection::OfUnsettled)?;
    if let Some(lack) = lacks.iter().find(|lack| lack.what == ResourceKind::Pods) {
        bail!("cannot list pods: {}", lack.reason);
    }
    evidence.pods = seen.pods;
    evidence.events.extend(seen.events);
    Ok(evidence)
}

/// The lines of a log that fill a page to scroll in.
const PAGE_LINES: u64 = 500;

/// The end of the log of the newest Job of the CronJob that is read, as text for the dashboard.
pub(super) fn newest_logs(common: &Common, live: &Live, basis: Basis) -> anyhow::Result<String> {
    let world = common.read_again(live, basis)?;
    let Some(selected) = world.cron_jobs.first() else {
        bail!("this CronJob no longer exists");
    };
    if !world.coverage.jobs_read {
        bail!("logs requires permission to list Jobs");
    }
    let facts = world.facts(&selected.evidence);
    let job = match choose_run(&facts, &RunChoice::Last) {
        Ok(run) => run.job.clone(),
        Err(none) => return Ok(without_logs(&none)),
    };
    let template = pod_template(live, &selected.evidence, &job)?;
    let evidence = with_pods(live, selected.evidence.clone(), &job)?;
    let facts = world.facts(&evidence);
    let Some(run) = facts.runs.iter().find(|run| run.job.uid == job.uid) else {
        bail!("Job {} was deleted in the meantime", job.name);
    };
    let wanted = WantedLog::of_template(&template, choose(&template, None)?.name);
    let Some(log) = log_of_run(&facts, run, &wanted) else {
        let none = missing_pods(&facts, run);
        return Ok(without_logs(&none.unwrap_or_default()));
    };
    if let Some(none) = &log.missing {
        return Ok(without_logs(none));
    }
    let mut out = Vec::new();
    writeln!(out, " {}", logs::between(&logs::run(&facts, run)))?;
    writeln!(out)?;
    let tail = LogTail {
        pod: log.pod.name.clone(),
        container: log.container.clone(),
        ..LogTail::default()
    };
    log_tail(&mut out, 1, &live.log_tail(&facts.input, PAGE_LINES, tail))?;
    writeln!(out, " {}", logs::between(logs::below(&log.ending)))?;
    Ok(String::from_utf8_lossy(&out).into_owned())
}

fn without_logs(none: &NoLogs) -> String {
    let mut text = format!("\n No logs: {}\n", printable(&none.why));
    for help in &none.help {
        text.push_str(&format!(" {}\n", printable(help)));
    }
    text
}
