//! The last lines of logs, for `top`.

use std::io::Write as _;

use anyhow::bail;

use super::{pod_template, with_pods};
use crate::cli::args::Common;
use crate::evidence::{Basis, Live};
use crate::output::logs::{self, log_tail};
use cronjob_diagnosis::change::choose;
use cronjob_diagnosis::diagnose::{LogTail, NoLogs, WantedLog, log_of_run, missing_pods};
use cronjob_diagnosis::history::{RunChoice, choose_run};
use cronjob_text::printable::printable;

/// The lines of a log that fill a page to scroll in.
const PAGE_LINES: u64 = 500;

/// The end of the log of the newest Job of the CronJob that is read, as text for the dashboard.
pub(crate) fn newest_logs(common: &Common, live: &Live, basis: Basis) -> anyhow::Result<String> {
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
