//! The lines of `serve --record -`: each run that was judged, as JSON.

use std::io::{self, Write};

use jiff::Timestamp;
use serde::Serialize;

use super::escapes::JsonWriter;
use crate::recorder::CronJobUpdate;
use cronjob_diagnosis::history::RecordedRun;
use kube_model::{RunKind, RunResult, RunStatus, StoredRun};

/// A run with its `CronJob`. The names of fields are those of `history -o json`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RunLine<'a> {
    namespace: &'a str,
    name: &'a str,
    kind: RunKind,
    /// Of a manually created Job, when it was created.
    scheduled_time: Timestamp,
    status: Option<RunStatus>,
    #[serde(flatten)]
    run: Option<RecordedRun>,
    cause: Option<&'a str>,
    reason: Option<&'a str>,
}

/// Writes a line for each run that is not running. Of those that were due before `since`, only Jobs are known for good.
pub(crate) fn run_lines(
    out: &mut dyn Write,
    updates: &[CronJobUpdate],
    since: Timestamp,
) -> io::Result<()> {
    for update in updates {
        let is_judged = |run: &&StoredRun| {
            let is_known = run.job_name.is_some() || run.at >= since;
            is_known && run.result != Some(RunResult::Running)
        };
        for run in update.runs.iter().filter(is_judged) {
            let line = RunLine {
                namespace: &update.namespace,
                name: &update.name,
                kind: run.kind,
                scheduled_time: run.at,
                status: run.status,
                run: RecordedRun::of_stored(run),
                cause: run.cause.as_deref(),
                reason: run.reason.as_deref(),
            };
            serde_json::to_writer(JsonWriter(&mut *out), &line)?;
            writeln!(out)?;
        }
    }
    out.flush()
}
