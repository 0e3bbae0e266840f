//! The metrics of `serve`: those of a scan, and what only a program that keeps running knows.

use std::io::{self, Write};

use jiff::Timestamp;

use super::prometheus::{MetricsPart, families, family, labels_of, sorted, typed_family};
use cronjob_diagnosis::history::DueRuns;
use cronjob_diagnosis::survey::Row;
use kube_model::UnreadResource;

pub(crate) fn metrics<'r>(
    out: &mut dyn Write,
    rows: impl IntoIterator<Item = &'r Row>,
    lacks: &[UnreadResource],
    now: Timestamp,
) -> io::Result<()> {
    let part = MetricsPart {
        context: String::new(),
        rows: sorted(rows),
        lacks,
        now,
    };
    families(out, &[part])
}

/// Gauges without labels: name, help and value.
pub(crate) fn plain_metrics(
    out: &mut dyn Write,
    gauges: impl IntoIterator<Item = (&'static str, &'static str, i128)>,
) -> io::Result<()> {
    let mut gauges = gauges.into_iter();
    gauges.try_for_each(|(name, help, value)| family(out, name, help, [(String::new(), value)]))
}

/// The version of the program that serves the metrics.
pub(crate) fn build_info(out: &mut dyn Write) -> io::Result<()> {
    let version = format!("version=\"{}\"", env!("CARGO_PKG_VERSION"));
    let help = "Version of cronjob-doctor; always 1.";
    family(out, "cronjob_doctor_build_info", help, [(version, 1)])
}

/// What happened to the due runs of a `CronJob`, from a record.
pub(crate) struct CountedRuns<'a> {
    pub namespace: &'a str,
    pub name: &'a str,
    /// Since the program started.
    pub total: DueRuns,
    /// In the last 28 days.
    pub recent: DueRuns,
}

/// The metrics that a service level objective is computed from.
pub(crate) fn run_metrics(out: &mut dyn Write, counted: &[CountedRuns<'_>]) -> io::Result<()> {
    let totals = counted.iter().flat_map(|one| {
        let labels = labels_of(one.namespace, one.name);
        let outcomes = one.total.outcomes();
        outcomes.map(move |(outcome, count)| (format!("{labels},outcome=\"{outcome}\""), count))
    });
    let help = "Due runs whose outcome became known since the program started, by outcome: succeeded in time, failed, \
                late (succeeded after the next run was due), skipped, or unknown.";
    typed_family(out, "counter", "cronjob_doctor_runs_total", help, totals)?;
    let help = "Share of the runs due in the last 28 days that succeeded in time, of those with a known outcome.";
    let ratios = counted.iter().filter_map(|one| {
        let ratio = one.recent.success_rate()?;
        Some((labels_of(one.namespace, one.name), ratio))
    });
    typed_family(
        out,
        "gauge",
        "cronjob_doctor_reliability_ratio",
        help,
        ratios,
    )
}
