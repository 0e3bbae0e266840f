//! What many `CronJob`s come to together.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::diagnose::Severity;
use crate::history::{CronJobHistory, HistorySummary, Percentiles};
use crate::survey::Row;

/// What was found how often.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Frequency {
    /// The rule's code.
    pub code: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// The rule's title.
    pub title: &'static str,
    /// With how many `CronJob`s.
    pub count: usize,
}

/// What became of past slots, taken together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Past {
    /// The sums; delays and durations are spread over the runs of all.
    pub summary: HistorySummary,
    /// How many starts were how late.
    pub delays: Histogram,
    /// How many runs took how long.
    pub durations: Histogram,
}

/// How many values lie where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Histogram {
    /// One for each of [`BOUNDS`], and one for what is beyond the last.
    pub counts: [u64; BOUNDS.len() + 1],
}

/// The greatest values of the classes, in seconds. The first two are what the controller takes for a
/// start, and what is called on time.
pub(crate) const BOUNDS: [i64; 7] = [1, 10, 60, 600, 3_600, 6 * 3_600, 86_400];

impl Default for Histogram {
    fn default() -> Self {
        Histogram {
            counts: [0; BOUNDS.len() + 1],
        }
    }
}

impl Histogram {
    fn of(values: &[i64]) -> Self {
        let mut histogram = Histogram::default();
        for value in values {
            let class = BOUNDS.iter().take_while(|bound| **bound < *value).count();
            if let Some(count) = histogram.counts.get_mut(class) {
                *count += 1;
            }
        }
        histogram
    }
}

/// The findings by their codes: the worst first, and of these the most frequent.
pub(super) fn frequencies(rows: &[Row]) -> Vec<Frequency> {
    let mut by_code: BTreeMap<&str, Frequency> = BTreeMap::new();
    for finding in rows.iter().flat_map(|row| &row.findings) {
        let frequency = by_code.entry(finding.code).or_insert(Frequency {
            code: finding.code,
            severity: finding.severity,
            title: finding.title,
            count: 0,
        });
        frequency.count += 1;
        frequency.severity = frequency.severity.max(finding.severity);
    }
    let mut all: Vec<Frequency> = by_code.into_values().collect();
    all.sort_by_key(|frequency| (Reverse(frequency.severity), Reverse(frequency.count)));
    all
}

impl Past {
    /// Adds up histories.
    pub(super) fn of(items: &[CronJobHistory<'_>]) -> Self {
        let mut sums = HistorySummary::default();
        let (mut delays, mut durations) = (Vec::new(), Vec::new());
        for item in items {
            let summary = &item.history.summary;
            sums.runs += summary.runs;
            sums.on_time += summary.on_time;
            sums.late += summary.late;
            sums.backfilled += summary.backfilled;
            sums.running += summary.running;
            sums.skipped += summary.skipped;
            sums.unknown += summary.unknown;
            sums.succeeded += summary.succeeded;
            sums.failed += summary.failed;
            sums.overlaps += summary.overlaps;
            let runs = item
                .history
                .runs
                .entries
                .iter()
                .filter_map(|e| e.run.as_ref());
            for run in runs {
                delays.extend(run.delay_seconds);
                durations.extend(run.duration_seconds);
            }
        }
        Past {
            delays: Histogram::of(&delays),
            durations: Histogram::of(&durations),
            summary: HistorySummary {
                delay_seconds: Percentiles::of(delays),
                duration_seconds: Percentiles::of(durations),
                ..sums
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_belongs_to_the_class_that_ends_with_it() {
        let values = [0, 1, 2, 10, 11, 60, 61, 86_400, 86_401];
        assert_eq!(Histogram::of(&values).counts, [2, 2, 2, 1, 0, 0, 1, 1]);
    }
}
