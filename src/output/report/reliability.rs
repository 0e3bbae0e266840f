//! How many of the due runs succeeded in time: figures, and a calendar of days for each `CronJob`.

use std::io;

use maud::{Markup, html};

use super::ShownReport;
use super::markup::{Column, ReportList, count_cell, link, missing, seconds_cell};
use crate::output::reliability::{counts_in_words, percent};
use crate::output::xml::Escaped;
use cronjob_diagnosis::history::{DueRuns, ReliabilityDay};
use cronjob_diagnosis::report::ReportedReliability;
use cronjob_diagnosis::survey::Row;
use cronjob_text::words::{counted, occurring};

/// Only reports with a recorder contain it.
pub(super) const STYLE: &str = include_str!("reliability.css");

const COLUMNS: [Column; 9] = [
    Column::ascending("CronJob", "who"),
    Column::ascending("In time", "n"),
    Column::descending("Due", "n"),
    Column::descending("Not in time", "n"),
    Column::descending("Unknown", "n"),
    Column::descending("Streak", "n"),
    Column::descending("Delay p95", "n"),
    Column::descending("Duration p95", "n"),
    Column::new("Days", "days-of"),
];

/// As many as the style sheet has columns for.
const DAYS_IN_A_LINE: usize = 28;

/// The sign of a day, which can be read without colors.
struct DaySign {
    class: &'static str,
    sign: char,
    meaning: &'static str,
}

const SUCCEEDED: DaySign = DaySign::new("succeeded", '✓', "all due runs succeeded in time");
const FAILED: DaySign = DaySign::new(
    "failed",
    '×',
    "a run failed, was missed or succeeded too late",
);
const UNKNOWN: DaySign = DaySign::new("unknown", '?', "unknown or not recorded");
const SUSPENDED: DaySign = DaySign::new("suspended", '‖', "suspended or skipped");
const IDLE: DaySign = DaySign::new("idle", '·', "no run due");

impl DaySign {
    const fn new(class: &'static str, sign: char, meaning: &'static str) -> Self {
        DaySign {
            class,
            sign,
            meaning,
        }
    }

    fn of(runs: DueRuns) -> Self {
        match runs {
            _ if runs.succeeded < runs.known() => FAILED,
            DueRuns { unknown: 1.., .. } => UNKNOWN,
            DueRuns { succeeded: 1.., .. } => SUCCEEDED,
            DueRuns { excluded: 1.., .. } => SUSPENDED,
            _ => IDLE,
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
    let rows = rows.map(|(index, (reported, row))| cron_job_row(index, reported.as_ref(), row));
    let caption = "Share of the due runs that succeeded in time, and a square for each day";
    let axis = html! { div class="ends" { span { (first.date) } span { (last.date) } } };
    let list = ReportList::new(["reliability", caption], &COLUMNS, rows).with_axis(axis);
    Ok(html! {
        p class="hint" {
            "Runs that were due, started before the next one was due, and succeeded. The share leaves out unknown runs, "
            "also those that have not ended, and suspended ones are not due. Days in " (Escaped(shown.context.zone.name())) ", the newest on the right."
        }
        p class="hint" {
            @for sign in [SUCCEEDED, FAILED, UNKNOWN, SUSPENDED, IDLE] {
                span class="key-of-day" { (sign.square(None)) " " (sign.meaning) } " "
            }
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
                @let streak = reliability.longest_failure_streak;
                @for count in [runs.due, runs.known() - runs.succeeded, runs.unknown, streak] {
                    (count_cell(count))
                }
                (seconds_cell(figures.delay_seconds.p95)) (seconds_cell(figures.duration_seconds.p95))
                td { (calendar(days)) }
            } @else {
                td colspan="8" { (missing("unknown")) }
            }
        }
    }
}

/// A square for each day, oldest first.
fn calendar(days: &[ReliabilityDay]) -> Markup {
    let count = |of: DaySign| {
        let classes = days.iter().map(|day| DaySign::of(day.runs).class);
        (classes.filter(|class| *class == of.class).count(), of.class)
    };
    let counts = occurring([SUCCEEDED, FAILED, UNKNOWN, SUSPENDED, IDLE].map(count));
    let label = format!("{}: {}", counted(days.len(), "day"), counts.join(", "));
    // The last line is full, so that the newest day is on the right.
    let before = (DAYS_IN_A_LINE - days.len() % DAYS_IN_A_LINE) % DAYS_IN_A_LINE;
    html! {
        div class="days" role="img" aria-label=(label) {
            @for _ in 0..before { span {} }
            @for day in days {
                @let title = format!("{}: {}", day.date, counts_in_words(day.runs));
                (DaySign::of(day.runs).square(Some(&title)))
            }
        }
    }
}
