//! Past runs: the sums of all `CronJob`s, and the figures of each.

use std::io;

use maud::{Markup, html};

use super::ShownReport;
use super::markup::{
    Column, ReportList, Share, count_cell, folded, foreign, link, proportions, seconds_cell, table,
};
use crate::output::history::percentiles_text;
use cronjob_diagnosis::history::{Percentiles, WindowBasis};
use cronjob_diagnosis::report::{Figures, HistogramClass, PastFigures};
use cronjob_diagnosis::survey::Row;
use cronjob_text::duration::exact;
use cronjob_text::words::{counted_in_groups, grouped};

const COLUMNS: [Column; 10] = [
    Column::ascending("CronJob", "who"),
    Column::descending("Runs", "n"),
    Column::descending("On time", "n"),
    Column::descending("Late", "n"),
    Column::descending("Skipped", "n"),
    Column::descending("Failed", "n"),
    Column::descending("Delay p95", "n"),
    Column::descending("Delay max", "n"),
    Column::descending("Duration p95", "n"),
    Column::descending("Duration max", "n"),
];

pub(super) fn content(shown: &ShownReport<'_>) -> io::Result<Markup> {
    let figures = &shown.report.figures;
    if figures.past.runs == 0 {
        return Ok(html! { p { "No past runs." } });
    }
    let (delays, durations) = (figures.past.delay_seconds, figures.past.duration_seconds);
    let rows = shown
        .report
        .past_figures
        .iter()
        .zip(&shown.report.survey.rows);
    let rows = rows.enumerate();
    let rows = rows.map(|(index, (item, row))| cron_job_row(index, item, row));
    let names = ["past", "Past runs by CronJob; its explanation has each run"];
    let list = ReportList::new(names, &COLUMNS, rows);
    let mut past = shown.report.past_figures.iter();
    let is_recorded = !shown.report.reliability.is_empty();
    let is_since_given = past.any(|item| item.basis == WindowBasis::Asked);
    Ok(html! {
        p {
            (counted_in_groups(figures.past.runs, "past run"))
            @if !is_since_given { ", as far back as the Jobs of each CronJob" @if is_recorded { " and its record" } " reach" }
            ": " (grouped(figures.past.succeeded)) " succeeded, " (grouped(figures.past.failed)) " failed."
        }
        (by_status(figures))
        div class="pair" {
            div { (histogram("delays", "Start delay", &figures.delays, delays)) }
            div { (histogram("durations", "Duration", &figures.durations, durations)) }
        }
        (list.markup()?)
    })
}

/// Runs by status, as parts of a bar.
fn by_status(figures: &Figures) -> Markup {
    let mut shares: Vec<Share> = vec![
        ("on-time", "on time", figures.past.on_time),
        ("late", "late", figures.past.late),
        ("backfilled", "backfilled", figures.past.backfilled),
        ("running", "running", figures.past.running),
        ("waiting", "waiting", figures.past.waiting),
        ("pending", "pending", figures.past.pending),
        (
            "skipped",
            "skipped",
            figures.past.skipped - figures.suspended,
        ),
        ("suspended", "suspended", figures.suspended),
        ("unknown", "unknown", figures.past.unknown),
    ];
    // Few clusters have any.
    let is_rare = |class: &str| matches!(class, "backfilled" | "waiting" | "pending" | "suspended");
    shares.retain(|(class, _, count)| !is_rare(class) || *count > 0);
    html! {
        figure {
            (proportions("past-status", "Past runs by status", &shares, figures.past.runs))
            figcaption class="legend" {
                @for (class, label, count) in &shares {
                    span class={ "key " (class) } { b { (grouped(*count)) } " " (label) }
                    " "
                }
            }
        }
    }
}

fn cron_job_row(index: usize, item: &PastFigures, row: &Row) -> Markup {
    let sums = &item.summary;
    html! {
        tr data-i=(index) {
            th scope="row" { (link(index, row)) }
            @if let Some(error) = &item.error {
                td colspan="9" { (foreign(&error.to_string())) }
            } @else {
                @for count in [sums.runs, sums.on_time, sums.late, sums.skipped, sums.failed] {
                    (count_cell(count))
                }
                @for percentiles in [sums.delay_seconds, sums.duration_seconds] {
                    (seconds_cell(percentiles.p95)) (seconds_cell(percentiles.max))
                }
            }
        }
    }
}

const BARS_WIDTH: u64 = 520;
const BARS_HEIGHT: u64 = 172;
const BASELINE: u64 = 150;
const HIGHEST_BAR: u64 = 120;
const BAR_DISTANCE: u64 = 64;
const BAR_WIDTH: u64 = 48;

/// A histogram as bars, with a table of its numbers.
fn histogram(
    id: &str,
    title: &str,
    classes: &[HistogramClass],
    percentiles: Percentiles,
) -> Markup {
    let percentiles = percentiles_text(percentiles);
    let classes = labeled(classes);
    let described: Vec<String> = classes
        .iter()
        .map(|(label, count)| format!("{label}: {count}"))
        .collect();
    let rows = html! {
        @for (label, count) in &classes {
            tr { th scope="row" { (label) } td class="n" { (grouped(*count)) } }
        }
    };
    let table = table("histogram", title, &[(title, false), ("Runs", true)], &rows);
    html! {
        figure {
            figcaption { b { (title) } " " small { (percentiles.as_deref().unwrap_or("no data")) } }
            svg class="bars" viewBox={ "0 0 " (BARS_WIDTH) " " (BARS_HEIGHT) } role="img"
                aria-labelledby={ (id) "-title " (id) "-desc" } {
                title id={ (id) "-title" } { (title) }
                desc id={ (id) "-desc" } { (described.join("; ")) }
                (bars(&classes))
                path class="ground" d={ "M0 " (BASELINE) "h" (BARS_WIDTH) } {}
            }
        }
        (folded(&format!("{title} as a table"), &table))
    }
}

fn bars(classes: &[(String, u64)]) -> Markup {
    let most = classes.iter().map(|(_, count)| *count).max();
    let most = most.unwrap_or(0).max(1);
    html! {
        @for (index, (label, count)) in (0..).zip(classes) {
            @let x = 4 + index * BAR_DISTANCE;
            @let middle = x + BAR_WIDTH / 2;
            // Even a small count can be seen.
            @let height = (count * HIGHEST_BAR / most).max(u64::from(*count > 0) * 2);
            @let top = BASELINE - height;
            rect data-count=(count) x=(x) y=(top) width=(BAR_WIDTH) height=(height) {}
            text x=(middle) y=(top - 5) { (grouped(*count)) }
            text class="faint" x=(middle) y=(BARS_HEIGHT) dy="-4" { (label) }
        }
    }
}

/// Classes with their labels: `≤ 1s`, …, `> 1d`
fn labeled(classes: &[HistogramClass]) -> Vec<(String, u64)> {
    let mut before = 0;
    let mut label = |class: &HistogramClass| match class.up_to_seconds {
        Some(bound) => {
            before = bound;
            format!("≤ {}", exact(bound))
        }
        None => format!("> {}", exact(before)),
    };
    let classes = classes.iter();
    classes.map(|class| (label(class), class.count)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::report::page::STYLE;

    /// Without a color a part of the bar would be black.
    #[test]
    fn each_status_has_a_color_in_the_bar_and_in_its_legend() {
        let mut figures = Figures::default();
        (
            figures.past.backfilled,
            figures.past.waiting,
            figures.past.pending,
        ) = (1, 1, 1);
        (figures.past.skipped, figures.suspended) = (1, 1);
        let markup = by_status(&figures).into_string();
        let classes = markup.split("class=\"key ").skip(1);
        let classes: Vec<&str> = classes
            .map(|rest| rest.split('"').next().unwrap())
            .collect();
        assert_eq!(classes.len(), 9);
        for class in classes {
            assert!(STYLE.contains(&format!(".fill-{class}")), "{class}");
            assert!(STYLE.contains(&format!(".key.{class}::before")), "{class}");
        }
    }
}
