//! The last lines of logs, for `explain --logs` and `top`.

use std::io::Write as _;

use anyhow::bail;

use super::{pod_template, with_pods};
use crate::cli::args::Common;
use crate::cli::world::facts_of;
use crate::cluster::{ClusterError, LogOptions, LogSource};
use crate::evidence::{Basis, Live};
use crate::output::explain::log_tail;
use crate::output::logs;
use cronjob_diagnosis::change::choose;
use cronjob_diagnosis::diagnose::{
    Facts, Input, LogTail, NoLogs, WantedLog, first_logs, log_of_run, missing_pods,
};
use cronjob_diagnosis::history::{RunChoice, choose_run};
use cronjob_text::printable::printable;

/// The most bytes that are shown.
const MOST_SHOWN: usize = 64 << 10;
/// The most bytes that are read.
const MOST_READ: u64 = 1 << 20;

/// Reads the last lines of the log that shows why the last run failed, or of those that are running.
pub(crate) fn log_tails(live: &Live, facts: &Facts<'_>, lines: u64) -> Vec<LogTail> {
    let tails = first_logs(facts).into_iter();
    tails
        .map(|tail| filled(live, &facts.input, lines, tail))
        .collect()
}

fn filled(live: &Live, input: &Input<'_>, lines: u64, tail: LogTail) -> LogTail {
    let source = LogSource {
        namespace: input.cron_job.namespace.clone(),
        pod: tail.pod.clone(),
        container: tail.container.clone(),
    };
    let options = LogOptions {
        previous: tail.previous,
        tail: Some(lines),
        limit_bytes: Some(MOST_READ),
        ..LogOptions::default()
    };
    match read(live, &source, &options) {
        Ok((text, truncated)) => LogTail {
            lines: text.lines().map(str::to_owned).collect(),
            truncated,
            ..tail
        },
        Err(error) => LogTail {
            error: Some(error.to_string()),
            ..tail
        },
    }
}

/// The end of a log, and whether something before it was left out.
fn read(
    live: &Live,
    source: &LogSource,
    options: &LogOptions,
) -> Result<(String, bool), ClusterError> {
    let mut stream = live.session.log(source, options)?;
    let mut text = Vec::new();
    let (mut read, mut truncated) = (0, false);
    while let Some(piece) = stream.piece()? {
        read += u64::try_from(piece.len()).unwrap_or(u64::MAX);
        text.extend_from_slice(&piece);
        if let Some(extra) = text
            .len()
            .checked_sub(MOST_SHOWN)
            .filter(|extra| *extra > 0)
        {
            text.drain(..extra);
            truncated = true;
        }
        if read >= MOST_READ {
            truncated = true;
            break;
        }
    }
    Ok((String::from_utf8_lossy(&text).into_owned(), truncated))
}

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
    let controller = world.basis.controller();
    let facts = facts_of(&controller, &world, &selected.evidence);
    let job = match choose_run(&facts, &RunChoice::Last) {
        Ok(run) => run.job.clone(),
        Err(none) => return Ok(without_logs(&none)),
    };
    let template = pod_template(live, &selected.evidence, &job)?;
    let evidence = with_pods(live, selected.evidence.clone(), &job)?;
    let facts = facts_of(&controller, &world, &evidence);
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
    log_tail(&mut out, 1, &filled(live, &facts.input, PAGE_LINES, tail))?;
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
