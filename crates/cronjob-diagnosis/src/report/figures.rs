//! Sums over many `CronJob`s: findings by rule, and past runs by status, delay and duration.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::diagnose::Severity;
use crate::history::{History, HistoryError, HistorySummary, Percentiles, WindowBasis};
use crate::survey::Row;

/// Sums over all `CronJob`s of a report.
#[derive(Debug, Default, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Figures {
    /// Findings by rule.
    pub findings: Vec<Frequency>,
    /// The past runs of all `CronJob`s.
    #[serde(flatten)]
    pub past: HistorySummary,
    /// Of the skipped runs, those during a suspension.
    pub suspended: u64,
    /// Number of runs by delay.
    pub delays: Vec<HistogramClass>,
    /// Number of runs by duration.
    pub durations: Vec<HistogramClass>,
}

/// How many `CronJob`s have a finding.
#[derive(Clone, Copy, Debug, JsonSchema, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Frequency {
    /// Name of the rule.
    pub code: &'static str,
    /// Severity of the finding.
    pub severity: Severity,
    /// Title of the finding.
    pub title: &'static str,
    /// Number of `CronJob`s with it.
    pub cron_jobs: usize,
}

/// A class of a histogram.
#[derive(Clone, Copy, Debug, JsonSchema, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct HistogramClass {
    /// Upper bound of the class, inclusive; null for the last class.
    pub up_to_seconds: Option<i64>,
    /// Number of values up to this bound and above the previous one.
    pub count: u64,
}

/// The upper bounds of the classes, in seconds. A run that starts within 10 seconds is on time.
const BOUNDS: [i64; 7] = [1, 10, 60, 600, 3_600, 6 * 3_600, 86_400];

fn histogram(values: &[i64]) -> Vec<HistogramClass> {
    let bounds = BOUNDS.into_iter().map(Some).chain([None]);
    let mut classes: Vec<HistogramClass> = bounds
        .map(|up_to_seconds| HistogramClass {
            up_to_seconds,
            count: 0,
        })
        .collect();
    for value in values {
        let class = BOUNDS.iter().take_while(|bound| **bound < *value).count();
        if let Some(class) = classes.get_mut(class) {
            class.count += 1;
        }
    }
    classes
}

/// The past of a `CronJob` without its runs.
pub struct PastFigures {
    /// Why the window starts where it starts.
    pub basis: WindowBasis,
    pub summary: HistorySummary,
    /// Why the scheduled times cannot be computed.
    pub error: Option<HistoryError>,
}

impl Figures {
    /// The sums over rows and histories, and the figures of each history.
    pub(super) fn of(
        rows: &[Row],
        histories: impl Iterator<Item = History>,
    ) -> (Self, Vec<PastFigures>) {
        let mut figures = Figures {
            findings: frequencies(rows),
            ..Figures::default()
        };
        let (mut delays, mut durations) = (Vec::new(), Vec::new());
        let mut past = Vec::with_capacity(rows.len());
        for history in histories {
            figures.past.add_counts(&history.summary);
            for entry in history.runs.entries {
                figures.suspended += entry.suspended();
                let Some(run) = entry.run else { continue };
                delays.extend(run.delay_seconds);
                durations.extend(run.duration_seconds);
            }
            past.push(PastFigures {
                basis: history.basis,
                summary: history.summary,
                error: history.error,
            });
        }
        figures.delays = histogram(&delays);
        figures.durations = histogram(&durations);
        figures.past.delay_seconds = Percentiles::of(delays);
        figures.past.duration_seconds = Percentiles::of(durations);
        (figures, past)
    }
}

/// The findings by rule: most severe first, and of these the most frequent.
fn frequencies(rows: &[Row]) -> Vec<Frequency> {
    let mut by_code: BTreeMap<&str, Frequency> = BTreeMap::new();
    for finding in rows.iter().flat_map(|row| &row.findings) {
        let frequency = by_code.entry(finding.code).or_insert(Frequency {
            code: finding.code,
            severity: finding.severity,
            title: finding.title,
            cron_jobs: 0,
        });
        frequency.cron_jobs += 1;
        frequency.severity = frequency.severity.max(finding.severity);
    }
    let mut frequencies: Vec<Frequency> = by_code.into_values().collect();
    frequencies.sort_by_key(|frequency| Reverse((frequency.severity, frequency.cron_jobs)));
    frequencies
}

#[cfg(test)]
mod tests {
    use super::histogram;

    #[test]
    fn upper_bound_belongs_to_its_class() {
        let values = [0, 1, 2, 10, 11, 60, 61, 86_400, 86_401];
        let counts = histogram(&values).into_iter().map(|class| class.count);
        assert_eq!(counts.collect::<Vec<_>>(), [2, 2, 2, 1, 0, 0, 1, 1]);
    }
}
