//! A history as comma-separated values: a line for each slot and each other Job.

use std::io::{self, Write};

use jiff::Timestamp;

use super::Item;
use crate::history::{Reason, Run};
use crate::output::csv::record;

const HEADINGS: [&str; 14] = [
    "namespace",
    "name",
    "kind",
    "scheduledTime",
    "localTime",
    "status",
    "jobName",
    "startedAt",
    "finishedAt",
    "result",
    "delaySeconds",
    "durationSeconds",
    "cause",
    "reason",
];

/// A line of what is not the same for all of a `CronJob`.
#[derive(Default)]
struct Line<'a> {
    kind: &'static str,
    scheduled: Option<Timestamp>,
    status: &'static str,
    run: Option<&'a Run>,
    reason: Option<&'a Reason>,
}

/// Writes all that a call is about: `kind` is `slot`, `offSchedule` or `manual`.
pub fn csv(out: &mut dyn Write, items: &[Item<'_>], with_headings: bool) -> io::Result<()> {
    if with_headings {
        record(out, HEADINGS)?;
    }
    for item in items {
        let history = &item.history;
        for (at, entry) in history.slots() {
            let slot = Line {
                kind: "slot",
                scheduled: Some(at),
                status: entry.status.as_str(),
                run: entry.run.as_ref(),
                reason: entry.reason.as_ref(),
            };
            line(out, item, &slot)?;
        }
        for stray in &history.off_schedule {
            let stray = Line {
                kind: "offSchedule",
                scheduled: Some(stray.scheduled_time),
                run: Some(&stray.run),
                reason: Some(&stray.reason),
                ..Line::default()
            };
            line(out, item, &stray)?;
        }
        for run in &history.manual {
            let manual = Line {
                kind: "manual",
                run: Some(run),
                ..Line::default()
            };
            line(out, item, &manual)?;
        }
    }
    Ok(())
}

fn line(out: &mut dyn Write, item: &Item<'_>, line: &Line<'_>) -> io::Result<()> {
    let run = line.run;
    let time = |at: Option<Timestamp>| at.map_or_else(String::new, |at| at.to_string());
    let number = |number: Option<i64>| number.map_or_else(String::new, |number| number.to_string());
    let result = run.and_then(|run| run.result).map(|result| result.as_str());
    record(
        out,
        [
            item.facts.cron_job.namespace.as_str(),
            &item.facts.cron_job.name,
            line.kind,
            &time(line.scheduled),
            &line
                .scheduled
                .map_or_else(String::new, |at| item.local_time(at)),
            line.status,
            run.map_or("", |run| &run.job_name),
            &time(run.and_then(|run| run.started_at)),
            &time(run.and_then(|run| run.finished_at)),
            result.unwrap_or_default(),
            &number(run.and_then(|run| run.delay_seconds)),
            &number(run.and_then(|run| run.duration_seconds)),
            line.reason.map_or("", |reason| reason.code),
            line.reason.map_or("", |reason| &reason.detail),
        ],
    )
}
