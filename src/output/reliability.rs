//! Reliability in words and tables, as several commands show it.

use super::table::Table;
use crate::duration::{human, local_time};
use crate::history::{DueRuns, Reliability};
use crate::schedule::Zone;
use crate::words::{counted, grouped, occurring};

/// The share of runs that succeeded: `96.4%`. It is rounded down, so that only 100% is shown as 100%.
pub(super) fn percent(runs: DueRuns) -> Option<String> {
    let permille = (runs.succeeded * 1_000).checked_div(runs.known())?;
    Some(match permille % 10 {
        0 => format!("{}%", permille / 10),
        tenth => format!("{}.{tenth}%", permille / 10),
    })
}

/// `96.4% of due runs succeeded in time (27 of 28); 1 late; 3 unknown; longest failure streak: 2 runs`
pub(super) fn in_words(reliability: &Reliability) -> String {
    let runs = reliability.figures.runs;
    let share = match percent(runs) {
        Some(percent) => {
            let (succeeded, known) = (grouped(runs.succeeded), grouped(runs.known()));
            format!("{percent} of due runs succeeded in time ({succeeded} of {known})")
        }
        None if runs.due == 0 => "no runs were due".to_owned(),
        None => "the outcome of no due run is known".to_owned(),
    };
    let mut parts = vec![share];
    let others = [
        (runs.late, "succeeded too late"),
        (runs.unknown, "unknown"),
        (runs.excluded, "suspended or skipped"),
    ];
    parts.extend(occurring(others));
    let streak = reliability.longest_failure_streak;
    if streak > 0 {
        parts.push(format!(
            "longest failure streak: {}",
            counted(streak, "run")
        ));
    }
    parts.join("; ")
}

/// A line for each week.
pub(super) fn weeks(reliability: &Reliability, zone: &Zone) -> Table {
    let headings = "FROM, DUE, SUCCEEDED, UNKNOWN, DURATION P50, P95, DELAY P50, P95";
    let mut table = Table::new(headings.split(", "));
    let shown = |seconds: Option<i64>| seconds.map_or_else(|| "-".to_owned(), human);
    for week in &reliability.weeks {
        let figures = week.figures;
        let (duration, delay) = (figures.duration_seconds, figures.delay_seconds);
        let mut row = vec![local_time(week.from, zone.time_zone(), "").into()];
        let counts = [
            figures.runs.due,
            figures.runs.succeeded,
            figures.runs.unknown,
        ];
        row.extend(counts.map(|count| grouped(count).into()));
        let percentiles = [duration.p50, duration.p95, delay.p50, delay.p95];
        row.extend(percentiles.map(|seconds| shown(seconds).into()));
        table.push(row);
    }
    table
}

/// What happened in words: `3 succeeded, 1 failed, 2 unknown`.
pub(super) fn counts_in_words(runs: DueRuns) -> String {
    let counts = occurring([
        (runs.succeeded, "succeeded"),
        (runs.late, "succeeded too late"),
        (runs.failed, "failed"),
        (runs.skipped, "not started"),
        (runs.unknown, "unknown"),
        (runs.excluded, "suspended or skipped"),
    ]);
    if counts.is_empty() {
        "nothing due".to_owned()
    } else {
        counts.join(", ")
    }
}
