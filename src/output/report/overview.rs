//! The health of all `CronJob`s: counts, and a row for each.

use std::io;

use jiff::Timestamp;
use maud::{Markup, html};

use super::ShownReport;
use super::markup::{
    Column, ReportList, Share, badge, count_cell, folded, foreign, missing, name, proportions,
    remedy, table, time_cell,
};
use crate::output::scan;
use crate::output::xml::Escaped;
use cronjob_controller::forecast::NextState;
use cronjob_diagnosis::report::Frequency;
use cronjob_diagnosis::survey::{Health, Row};
use cronjob_text::words::{counted_in_groups, grouped, plural};

/// Counts by health and by finding.
pub(super) fn counts(shown: &ShownReport<'_>) -> Markup {
    let summary = &shown.report.survey.summary;
    let tiles = [
        ("error", "broken", summary.error),
        ("warning", "runs missed or at risk", summary.warning),
        ("info", "worth knowing", summary.info),
        ("ok", "no findings", summary.ok),
        ("suspended", "of any health", summary.suspended),
    ];
    let shares: [Share; 4] = [
        ("error", "error", summary.error as u64),
        ("warning", "warning", summary.warning as u64),
        ("info", "info", summary.info as u64),
        ("ok", "ok", summary.ok as u64),
    ];
    let frequencies = &shown.report.figures.findings;
    html! {
        @if let Some(outage) = &shown.report.survey.outage {
            p class="outage" {
                (badge("error")) " " (Escaped(&outage.text)) ". "
                code { (Escaped(&outage.remedy.text)) }
            }
        }
        (causes(shown))
        ul class="tiles" {
            @for (word, label, count) in tiles {
                li {
                    a class="tile" href="#cronjobs" data-state=(word) data-count=(count) {
                        b { (grouped(count)) } (badge(word)) small { (label) }
                    }
                }
            }
        }
        @if summary.total > 0 {
            (proportions("proportions", "CronJobs by health", &shares, summary.total as u64))
        }
        @if !frequencies.is_empty() { (by_code(frequencies)) }
    }
}

/// A card for each object that several `CronJob`s fail for.
pub(super) fn causes(shown: &ShownReport<'_>) -> Markup {
    let (causes, more) = scan::causes(&shown.scan);
    html! {
        @for (cause, text) in causes {
            div class="cause" {
                p { (badge(cause.severity.as_str())) " " b { (foreign(&text)) } }
                p class="remedy" { (remedy(&cause.remedy)) }
            }
        }
        @if let Some(more) = more { p class="hint" { (more) } }
    }
}

fn by_code(frequencies: &[Frequency]) -> Markup {
    let kinds = counted_in_groups(frequencies.len(), "kind");
    let summary = format!("{kinds} of finding{}", plural(frequencies.len(), "", "s"));
    let rows = html! {
        @for Frequency { code, severity, title, cron_jobs } in frequencies {
            tr {
                td { (badge(severity.as_str())) }
                th scope="row" { a href="#findings" data-code=(code) { (code) } }
                td { (title) }
                td class="n" { (grouped(*cron_jobs)) }
            }
        }
    };
    let headings = [
        ("Severity", false),
        ("Finding", false),
        ("Title", false),
        ("CronJobs", true),
    ];
    let table = table("codes", "CronJobs by finding", &headings, &rows);
    folded(&summary, &table)
}

const CRON_JOB_COLUMNS: [Column; 7] = [
    Column::descending("Health", "sev"),
    Column::ascending("CronJob", "who"),
    Column::new("Schedule", "schedule"),
    Column::ascending("Next run (UTC)", "time"),
    Column::ascending("Last run (UTC)", "time"),
    Column::descending("Missed", "n"),
    Column::new("Result", "what"),
];

/// Fewer CronJobs without findings are shown with the others.
const FEW_OK: usize = 20;

/// A row for each `CronJob`, which the script unfolds to its explanation.
pub(super) fn cron_jobs(shown: &ShownReport<'_>) -> io::Result<Markup> {
    let rows = &shown.report.survey.rows;
    if rows.is_empty() {
        return Ok(html! { p { "No CronJobs found." } });
    }
    let problems = rows.iter().filter(|row| row.health != Health::Ok).count();
    let first = if problems > 0 && rows.len() - problems >= FEW_OK {
        problems
    } else {
        usize::MAX
    };
    let rows = rows.iter().enumerate();
    let rows = rows.map(|(index, row)| cron_job_row(index, row, shown.context.header.now));
    let caption = "All CronJobs, most severe first; click a name for its explanation";
    let list = ReportList::new(["cronjobs", caption], &CRON_JOB_COLUMNS, rows).first(first);
    Ok(html! {
        p class="hint unscripted" {
            "Scripts are off, so the explanations of the CronJobs cannot be shown."
        }
        (list.markup()?)
    })
}

fn cron_job_row(index: usize, row: &Row, now: Timestamp) -> Markup {
    let health = row.health.as_str();
    let without_next = match row.next_state {
        Some(NextState::Blocked) => "blocked",
        Some(NextState::Overdue) => "overdue",
        Some(_) => "unknown",
        None if row.suspended => "none (suspended)",
        None => scan::NOTHING,
    };
    let without_last = if row.in_cluster {
        scan::NEVER
    } else {
        "not in a cluster"
    };
    html! {
        tr id={ "c" (index) } data-i=(index) data-ns=(Escaped(&row.namespace)) data-state=(health)
            data-suspended[row.suspended] {
            td data-v=(row.health as u8) { (badge(health)) }
            th scope="row" {
                button type="button" class="fold" aria-expanded="false" { (name(row)) }
            }
            td {
                code { (foreign(&row.schedule)) }
                @if let Some(zone) = &row.time_zone { " " small { (foreign(zone)) } }
                @if let Some(description) = &row.description { p { (foreign(description)) } }
            }
            (time_cell(now, row.next_run.map(|next| next.max(now)), without_next))
            (time_cell(now, row.last_schedule_time, without_last))
            @if let Some(missed) = row.missed {
                (count_cell(missed))
            } @else {
                td class="n" { (missing("unknown")) }
            }
            td {
                @if let Some(last) = &row.last_scheduled_run { (foreign(&last.outcome)) }
            }
        }
    }
}
