//! How many of the due runs succeeded in time: figures, and a calendar of days for each `CronJob`.

use std::io;

use maud::{Markup, html};

use super::ShownReport;
use super::markup::{Column, ReportList, Visible, count_cell, link, missing};
use crate::duration::human;
use crate::history::{DueRuns, ReliabilityDay};
use crate::output::reliability::{counts_in_words, percent};
use crate::report::ReportedReliability;
use crate::survey::Row;
use crate::words::{counted, occurring};

/// Only reports with a recorder contain it.
pub(super) const STYLE: &str = include_str!("reliability.css");

const COLUMNS: [Column; 11] = [
    Column::ascending("CronJob", "who"),
    Column::ascending("In time", "n"),
    Column::descending("Due", "n"),
    Column::descending("Failed", "n"),
    Column::descending("Skipped", "n"),
    Column::descending("Too late", "n"),
    Column::descending("Unknown", "n"),
    Column::descending("Streak", "n"),
    Column::descending("Delay p95", "n"),
    Column::descending("Duration p95", "n"),
    Column::new("Days", "calendar"),
];

/// What a square says of a day: its sign can be read without colors.
struct DaySign {
    class: &'static str,
    sign: &'static str,
    /// In the description of a row.
    label: &'static str,
    meaning: &'static str,
}

const FAILED: DaySign = DaySign {
    class: "failed",
    sign: "×",
    label: "failed or missed",
    meaning: "a run failed, was missed or succeeded too late",
};
const UNKNOWN: DaySign = DaySign {
    class: "unknown",
    sign: "?",
    label: "unknown",
    meaning: "the outcome of a run is unknown or was not recorded",
};
const SUCCEEDED: DaySign = DaySign {
    class: "succeeded",
    sign: "✓",
    label: "succeeded",
    meaning: "all due runs succeeded in time",
};
const SUSPENDED: DaySign = DaySign {
    class: "suspended",
    sign: "‖",
    label: "suspended",
    meaning: "suspended or skipped",
};
const IDLE: DaySign = DaySign {
    class: "idle",
    sign: "·",
    label: "without a due run",
    meaning: "no run due",
};
const SIGNS: [&DaySign; 5] = [&SUCCEEDED, &FAILED, &UNKNOWN, &SUSPENDED, &IDLE];

impl DaySign {
    fn of(runs: DueRuns) -> &'static Self {
        if runs.succeeded < runs.known() {
            &FAILED
        } else if runs.unknown > 0 {
            &UNKNOWN
        } else if runs.succeeded > 0 {
            &SUCCEEDED
        } else if runs.excluded > 0 {
            &SUSPENDED
        } else {
            &IDLE
        }
    }

    fn square(&self, title: Option<&str>) -> Markup {
        html! { span class={ "day " (self.class) } title=[title] { (self.sign) } }
    }
}

pub(super) fn content(shown: &ShownReport<'_>) -> io::Result<Markup> {
    let reported = &shown.report.reliability;
    let days = reported.iter().flatten().next();
    let days = days.map_or(&[][..], |one| &one.days);
    let (Some(first), Some(last)) = (days.first(), days.last()) else {
        return Ok(html! { p { "No recorded runs." } });
    };
    let rows = reported.iter().zip(&shown.report.survey.rows).enumerate();
    let list = ReportList {
        id: "reliability",
        caption: "Share of the due runs that succeeded in time, with a square for each day",
        columns: &COLUMNS,
        axis: Some(html! {
            div class="ends" { span { (first.date) } span { (last.date) } }
        }),
        rows: rows
            .map(|(index, (reported, row))| cron_job_row(index, reported.as_ref(), row))
            .collect(),
    };
    Ok(html! {
        p class="hint" {
            "Runs that were due and succeeded before the next one was due. The share leaves out unknown runs, and "
            "suspended ones are not due. Days in " (Visible(shown.context.zone.name())) ", the newest on the right."
        }
        p class="hint" {
            @for sign in SIGNS { span class="key-of-day" { (sign.square(None)) " " (sign.meaning) } " " }
        }
        (list.markup()?)
    })
}

fn cron_job_row(index: usize, reported: Option<&ReportedReliability>, row: &Row) -> Markup {
    html! {
        tr data-i=(index) {
            th scope="row" { (link(index, row)) }
            @if let Some(ReportedReliability { reliability, days, .. }) = reported {
                @let figures = reliability.figures;
                @let runs = figures.runs;
                @if let Some(percent) = percent(runs) {
                    td class="n" data-v=(runs.succeeded * 1_000 / runs.known()) { (percent) }
                } @else {
                    td class="n" { (missing("unknown")) }
                }
                @for count in [
                    runs.due,
                    runs.failed,
                    runs.skipped,
                    runs.late,
                    runs.unknown,
                    reliability.longest_failure_streak,
                ] {
                    (count_cell(count))
                }
                @for seconds in [figures.delay_seconds.p95, figures.duration_seconds.p95] {
                    @if let Some(seconds) = seconds {
                        td class="n" data-v=(seconds) { (human(seconds)) }
                    } @else {
                        td class="n" { (missing("none")) }
                    }
                }
                td { (calendar(days)) }
            } @else {
                td colspan="10" { (missing("unknown")) }
            }
        }
    }
}

/// A square for each day, oldest first.
fn calendar(days: &[ReliabilityDay]) -> Markup {
    let of_sign = |sign: &DaySign| {
        let days = days.iter().map(|day| DaySign::of(day.runs).class);
        (
            days.filter(|class| *class == sign.class).count(),
            sign.label,
        )
    };
    let all = occurring(SIGNS.map(of_sign)).join(", ");
    let label = format!("{}: {all}", counted(days.len(), "day"));
    html! {
        div class="days" role="img" aria-label=(label) {
            @for day in days {
                @let title = format!("{}: {}", day.date, counts_in_words(day.runs));
                (DaySign::of(day.runs).square(Some(&title)))
            }
        }
    }
}
