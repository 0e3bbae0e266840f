//! Metrics in the text format of Prometheus, for `node_exporter`'s textfile collector.
//!
//! All metrics of a scan but one are gauges. They are in base units and sorted by `CronJob`, so that the same state gives the same file.

use std::fmt::Display;
use std::io::{self, Write};

use jiff::Timestamp;

use super::Scan;
use crate::output::contexts::ContextAnswers;
use cronjob_diagnosis::survey::Row;
use cronjob_text::printable::is_hidden;
use kube_model::UnreadResource;

/// A gauge with at most one value for each `CronJob`.
struct Gauge {
    name: &'static str,
    help: &'static str,
    value: fn(&Row) -> Option<i128>,
}

const GAUGES: [Gauge; 13] = [
    Gauge {
        name: "cronjob_doctor_health",
        help: "Health of the CronJob: 0 ok, 1 info, 2 warning, 3 error.",
        value: |row| Some(row.health as i128),
    },
    Gauge {
        name: "cronjob_doctor_next_run_timestamp_seconds",
        help: "Time of the next run; absent while it is blocked, overdue or suspended.",
        value: |row| row.next_run.map(seconds),
    },
    Gauge {
        name: "cronjob_doctor_last_schedule_timestamp_seconds",
        help: "Scheduled time of the last run that was started.",
        value: |row| row.last_schedule_time.map(seconds),
    },
    Gauge {
        name: "cronjob_doctor_last_success_timestamp_seconds",
        help: "Time when a Job of the CronJob last succeeded.",
        value: |row| row.last_success_at().map(seconds),
    },
    Gauge {
        name: "cronjob_doctor_success_due_timestamp_seconds",
        help: "Time when the next success is due, by the schedule; absent while suspended.",
        value: |row| row.success_due.map(seconds),
    },
    Gauge {
        name: "cronjob_doctor_last_run_result",
        help: "Result of the last finished run that is known: 1 succeeded, 0 failed.",
        value: |row| Some(row.last_finished?.0.into()),
    },
    Gauge {
        name: "cronjob_doctor_last_run_duration_seconds",
        help: "Duration of the last finished run, if its Job still exists.",
        value: |row| row.last_finished?.1.map(i128::from),
    },
    Gauge {
        name: "cronjob_doctor_runs_since_success",
        help: "Runs that were due since the last success, or since the creation, and did not succeed.",
        value: |row| row.runs_since_success.map(i128::from),
    },
    Gauge {
        name: "cronjob_doctor_running_since_timestamp_seconds",
        help: "Time when the Job started that has been running longest; absent if none is running.",
        value: |row| row.running_since.map(seconds),
    },
    Gauge {
        name: "cronjob_doctor_missed_runs",
        help: "Exact number of missed runs since the last run that was started.",
        value: |row| row.missed.map(i128::from),
    },
    Gauge {
        name: "cronjob_doctor_active_jobs",
        help: "Number of Jobs in status.active.",
        value: |row| i128::try_from(row.active).ok(),
    },
    Gauge {
        name: "cronjob_doctor_suspended",
        help: "Whether the CronJob is suspended.",
        value: |row| Some(i128::from(row.suspended)),
    },
    Gauge {
        name: "cronjob_doctor_suspended_until_timestamp_seconds",
        help: "Planned end of the suspension; absent if none is recorded.",
        value: |row| row.suspension.as_ref()?.until.map(seconds),
    },
];

/// What the metrics of a context are made of, or those without a context.
pub(super) struct MetricsPart<'a> {
    /// The label of the context, if there is one.
    pub(super) context: String,
    pub(super) rows: Vec<(String, &'a Row)>,
    pub(super) lacks: &'a [UnreadResource],
    pub(super) now: Timestamp,
}

pub(super) fn prometheus(out: &mut dyn Write, scans: &ContextAnswers<Scan<'_>>) -> io::Result<()> {
    let label = |context: &str| format!("context=\"{}\"", escaped(context));
    let parts = scans.each().map(|(context, scan)| MetricsPart {
        context: context.map(label).unwrap_or_default(),
        rows: sorted(&scan.report.rows),
        lacks: &scan.read.lacks,
        now: scan.now(),
    });
    families(out, &parts.collect::<Vec<_>>())?;
    let read = scans.contexts().iter().map(|context| {
        let is_complete = context.answer.is_some() && context.about.error.is_none();
        (label(&context.about.name), is_complete.into())
    });
    let help = "Whether the context could be read completely.";
    family(out, "cronjob_doctor_context_read", help, read)
}

/// Labels, with that of the context before them.
fn within(context: &str, labels: &str) -> String {
    let parts = [context, labels].into_iter();
    parts
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join(",")
}

pub(super) fn families(out: &mut dyn Write, parts: &[MetricsPart<'_>]) -> io::Result<()> {
    let rows = parts.iter().flat_map(|part| {
        let rows = part.rows.iter();
        rows.map(|(labels, row)| (within(&part.context, labels), *row))
    });
    let rows: Vec<(String, &Row)> = rows.collect();
    for gauge in &GAUGES {
        let values = rows
            .iter()
            .filter_map(|(labels, row)| Some((labels.clone(), (gauge.value)(row)?)));
        family(out, gauge.name, gauge.help, values)?;
    }
    let states = rows.iter().filter_map(|(labels, row)| {
        let state = row.last_scheduled_run.as_ref()?.state.as_str();
        Some((format!("{labels},state=\"{state}\""), 1))
    });
    let help = "What happened to the last run of the schedule; always 1.";
    family(out, "cronjob_doctor_last_run_state", help, states)?;
    usual_durations(out, &rows)?;
    let help = "Whether no CronJob is started although several are due: kube-controller-manager seems to be down.";
    let down = parts.iter().filter(|part| !part.rows.is_empty());
    let down = down.map(|part| {
        let is_down = part.rows.iter().any(|(_, row)| row.outage.is_some());
        (part.context.clone(), i128::from(is_down))
    });
    family(out, "cronjob_doctor_controller_down", help, down)?;
    let found = rows.iter().flat_map(|(labels, row)| {
        let mut findings: Vec<_> = row.findings.iter().collect();
        findings.sort_by_key(|finding| finding.code);
        findings.into_iter().map(move |finding| {
            let (code, severity) = (finding.code, finding.severity.as_str());
            let labels = format!("{labels},code=\"{code}\",severity=\"{severity}\"");
            (labels, 1)
        })
    });
    let help = "Problems and risks of the CronJob; always 1.";
    family(out, "cronjob_doctor_findings", help, found)?;
    let help = "Data that could not be read, so that problems may be hidden; always 1.";
    let lacks = parts.iter().flat_map(|part| {
        let lacks = part.lacks.iter();
        let labels = lacks.map(|lack| format!("what=\"{}\"", lack.what.as_str()));
        labels.map(|labels| (within(&part.context, &labels), 1))
    });
    family(out, "cronjob_doctor_lacks", help, lacks)?;
    let help = "Time of this scan.";
    let scanned = parts.iter();
    let scanned = scanned.map(|part| (part.context.clone(), seconds(part.now)));
    family(out, "cronjob_doctor_scan_timestamp_seconds", help, scanned)
}

/// The quantiles of the durations. Only a summary may have the label `quantile`.
fn usual_durations(out: &mut dyn Write, rows: &[(String, &Row)]) -> io::Result<()> {
    let usual = rows.iter();
    let mut usual = usual
        .filter_map(|(labels, row)| Some((labels, row.usual_duration?)))
        .peekable();
    if usual.peek().is_none() {
        return Ok(());
    }
    let name = "cronjob_doctor_usual_duration_seconds";
    let help =
        "Durations of the successful runs whose Jobs still exist; absent for fewer than five.";
    writeln!(out, "# HELP {name} {help}")?;
    writeln!(out, "# TYPE {name} summary")?;
    for (labels, usual) in usual {
        for (quantile, seconds) in [("0.5", usual.p50_seconds), ("0.95", usual.p95_seconds)] {
            writeln!(out, "{name}{{{labels},quantile=\"{quantile}\"}} {seconds}")?;
        }
        writeln!(out, "{name}_sum{{{labels}}} {}", usual.sum_seconds)?;
        writeln!(out, "{name}_count{{{labels}}} {}", usual.runs)?;
    }
    Ok(())
}

/// The rows by their labels. Each series must be unique, because Prometheus rejects a file with duplicates
/// as a whole. Of CronJobs with the same name, which only files can contain, the most severe one counts.
pub(super) fn sorted<'r>(rows: impl IntoIterator<Item = &'r Row>) -> Vec<(String, &'r Row)> {
    let rows = rows.into_iter();
    let mut sorted: Vec<(String, &Row)> = rows.map(|row| (labels(row), row)).collect();
    sorted.sort_by(|(labels, row), (others, other)| {
        let the_worse_first = other.health.cmp(&row.health);
        labels.cmp(others).then(the_worse_first)
    });
    sorted.dedup_by(|(labels, _), (others, _)| labels == others);
    sorted
}

pub(super) fn family(
    out: &mut dyn Write,
    name: &str,
    help: &str,
    values: impl IntoIterator<Item = (String, i128)>,
) -> io::Result<()> {
    typed_family(out, "gauge", name, help, values)
}

pub(super) fn typed_family(
    out: &mut dyn Write,
    kind: &str,
    name: &str,
    help: &str,
    values: impl IntoIterator<Item = (String, impl Display)>,
) -> io::Result<()> {
    let mut values = values.into_iter().peekable();
    if values.peek().is_none() {
        return Ok(());
    }
    writeln!(out, "# HELP {name} {help}")?;
    writeln!(out, "# TYPE {name} {kind}")?;
    for (labels, value) in values {
        if labels.is_empty() {
            writeln!(out, "{name} {value}")?;
        } else {
            writeln!(out, "{name}{{{labels}}} {value}")?;
        }
    }
    Ok(())
}

/// The labels of a `CronJob`, without the braces.
fn labels(row: &Row) -> String {
    labels_of(&row.namespace, &row.name)
}

pub(super) fn labels_of(namespace: &str, name: &str) -> String {
    let (namespace, name) = (escaped(namespace), escaped(name));
    format!("namespace=\"{namespace}\",cronjob=\"{name}\"")
}

/// The format has escapes for three characters. Others that cannot be seen are legal in it, but do
/// things to terminals: they are shown as escapes.
fn escaped(value: &str) -> String {
    let mut text = String::with_capacity(value.len());
    for c in value.chars() {
        match c {
            '\\' => text.push_str("\\\\"),
            '"' => text.push_str("\\\""),
            '\n' => text.push_str("\\n"),
            c if is_hidden(c) => text.push_str(&format!("\\{}", c.escape_default())),
            c => text.push(c),
        }
    }
    text
}

fn seconds(at: Timestamp) -> i128 {
    at.as_second().into()
}
