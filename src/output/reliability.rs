//! Reliability in words and tables, as several commands show it.

use jiff::Timestamp;

use super::columns::table_of;
use super::table::Table;
use cronjob_diagnosis::history::{DueRuns, Percentiles, Reliability};
use cronjob_text::duration::human;
use cronjob_text::words::{counted, grouped, occurring};
use kube_cron::Zone;

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
        None => "no finished run yet".to_owned(),
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
    let shown = |percentiles: Percentiles| match (percentiles.p50, percentiles.p95) {
        (Some(p50), Some(p95)) => format!("{}/{}", human(p50), human(p95)).into(),
        _ => "-".into(),
    };
    let from = |at: Timestamp| at.to_zoned(zone.time_zone().clone());
    table_of(
        &reliability.weeks,
        &[
            ("FROM", &|week| {
                from(week.from).strftime("%a %Y-%m-%d").to_string().into()
            }),
            ("DUE", &|week| grouped(week.figures.runs.due).into()),
            ("SUCCEEDED", &|week| {
                grouped(week.figures.runs.succeeded).into()
            }),
            ("UNKNOWN", &|week| grouped(week.figures.runs.unknown).into()),
            ("DURATION P50/P95", &|week| {
                shown(week.figures.duration_seconds)
            }),
            ("DELAY P50/P95", &|week| shown(week.figures.delay_seconds)),
        ],
    )
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
