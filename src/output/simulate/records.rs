//! A simulation as comma-separated values: a line for each run of each release.

use std::io::{self, Write};

use jiff::Timestamp;

use super::{Item, Subject};
use crate::output::csv::record;
use crate::simulate::Run;

const HEADINGS: [&str; 14] = [
    "namespace",
    "name",
    "kubernetesVersion",
    "slot",
    "localTime",
    "status",
    "startedAt",
    "finishedAt",
    "result",
    "jobName",
    "replacedJob",
    "delaySeconds",
    "cause",
    "reason",
];

/// Writes all that a call is about.
pub fn csv(out: &mut dyn Write, items: &[Item<'_>], with_headings: bool) -> io::Result<()> {
    if with_headings {
        record(out, HEADINGS)?;
    }
    for item in items {
        for (release, simulation) in &item.simulations {
            let release = release.to_string();
            for run in &simulation.runs {
                line(out, &item.subject, &release, run)?;
            }
        }
    }
    Ok(())
}

fn line(out: &mut dyn Write, subject: &Subject<'_>, release: &str, run: &Run) -> io::Result<()> {
    let time = |at: Option<Timestamp>| at.map_or_else(String::new, |at| at.to_string());
    let named = |text| if subject.is_named { text } else { "" };
    let delay = run.delay_seconds().map(|seconds| seconds.to_string());
    record(
        out,
        [
            named(subject.cron_job.namespace.as_str()),
            named(&subject.cron_job.name),
            release,
            &run.slot.to_string(),
            &subject.local_time(run.slot),
            run.status.as_str(),
            &time(run.started_at),
            &time(run.finished_at),
            run.result.map_or("", |ending| ending.as_str()),
            run.job_name.as_deref().unwrap_or_default(),
            run.replaced.as_deref().unwrap_or_default(),
            &delay.unwrap_or_default(),
            run.why.as_ref().map_or("", |why| why.cause.as_str()),
            &Subject::reason(run).unwrap_or_default(),
        ],
    )
}
