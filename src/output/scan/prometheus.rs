//! Metrics in the text format of Prometheus, for `node_exporter`'s textfile collector.
//!
//! All gauges, in base units, sorted by `CronJob` whatever the order of the rows: the same state is
//! the same file.

use std::io::{self, Write};

use jiff::Timestamp;

use super::Scan;
use crate::survey::Row;

/// A gauge with one value for each `CronJob`, or none where nothing is known.
struct Gauge {
    name: &'static str,
    help: &'static str,
    value: fn(&Row) -> Option<i128>,
}

const GAUGES: [Gauge; 7] = [
    Gauge {
        name: "cronjob_doctor_health",
        help: "How the CronJob is: 0 ok, 1 info, 2 warning, 3 error.",
        value: |row| Some(row.health as i128),
    },
    Gauge {
        name: "cronjob_doctor_next_run_timestamp_seconds",
        help: "The next slot that the controller will try to start; absent where there is none.",
        value: |row| row.next_run.map(seconds),
    },
    Gauge {
        name: "cronjob_doctor_last_schedule_timestamp_seconds",
        help: "The slot of the last run that was started.",
        value: |row| row.last_schedule_time.map(seconds),
    },
    Gauge {
        name: "cronjob_doctor_last_success_timestamp_seconds",
        help: "When a Job of the CronJob last succeeded.",
        value: |row| row.last_successful_time.map(seconds),
    },
    Gauge {
        name: "cronjob_doctor_missed_slots",
        help: "Slots since the last start that were not started, counted exactly.",
        value: |row| row.missed.map(i128::from),
    },
    Gauge {
        name: "cronjob_doctor_active_jobs",
        help: "Jobs that the controller believes to be running.",
        value: |row| i128::try_from(row.active).ok(),
    },
    Gauge {
        name: "cronjob_doctor_suspended",
        help: "Whether the CronJob is suspended.",
        value: |row| Some(i128::from(row.suspended)),
    },
];

/// Writes the metrics.
pub fn prometheus(out: &mut dyn Write, scan: &Scan<'_>) -> io::Result<()> {
    let rows = sorted(&scan.report.rows);
    for gauge in &GAUGES {
        let values = rows.iter().filter_map(|row| {
            let value = (gauge.value)(row)?;
            Some((labels(row, &[]), value))
        });
        family(out, gauge.name, gauge.help, values)?;
    }
    let found = rows.iter().flat_map(|row| {
        let mut findings: Vec<_> = row.findings.iter().collect();
        findings.sort_by_key(|finding| finding.code);
        findings.into_iter().map(|finding| {
            let (code, severity) = (finding.code, finding.severity.as_str());
            (labels(row, &[("code", code), ("severity", severity)]), 1)
        })
    });
    let help = "What is wrong or risky with the CronJob; always 1.";
    family(out, "cronjob_doctor_findings", help, found)?;
    let help = "The moment that all of this holds for.";
    let scanned = std::iter::once((String::new(), seconds(scan.now)));
    family(out, "cronjob_doctor_scan_timestamp_seconds", help, scanned)
}

/// One row for each name: a file in which a series comes twice is refused as a whole. Of
/// namesakes, which only files can contain, the worst counts.
fn sorted(rows: &[Row]) -> Vec<&Row> {
    let mut sorted: Vec<&Row> = rows.iter().collect();
    let place = |row: &Row| (row.namespace.clone(), row.name.clone());
    sorted.sort_by_cached_key(|row| (place(row), std::cmp::Reverse(row.health)));
    sorted.dedup_by(|one, other| one.namespace == other.namespace && one.name == other.name);
    sorted
}

fn family(
    out: &mut dyn Write,
    name: &str,
    help: &str,
    values: impl IntoIterator<Item = (String, i128)>,
) -> io::Result<()> {
    let mut values = values.into_iter().peekable();
    if values.peek().is_none() {
        return Ok(());
    }
    writeln!(out, "# HELP {name} {help}")?;
    writeln!(out, "# TYPE {name} gauge")?;
    for (labels, value) in values {
        writeln!(out, "{name}{labels} {value}")?;
    }
    Ok(())
}

fn labels(row: &Row, more: &[(&str, &str)]) -> String {
    let own = [
        ("namespace", row.namespace.as_str()),
        ("cronjob", &row.name),
    ];
    let all = own.iter().chain(more);
    let all: Vec<String> = all
        .map(|(name, value)| format!("{name}=\"{}\"", escaped(value)))
        .collect();
    format!("{{{}}}", all.join(","))
}

fn escaped(value: &str) -> String {
    value
        .replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('\n', "\\n")
}

fn seconds(at: Timestamp) -> i128 {
    at.as_second().into()
}
