//! The findings of all `CronJob`s with their remedies: by `CronJob`, or by rule where there are many.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::io;

use maud::{Markup, html};

use super::ShownReport;
use super::markup::{Column, ReportList, badge, foreign, link, remedy, runbook_link};
use cronjob_diagnosis::diagnose::{Finding, Severity};
use cronjob_diagnosis::report::Frequency;
use cronjob_diagnosis::survey::Row;
use cronjob_text::words::counted_in_groups;

/// Findings of more `CronJob`s than these are grouped by rule: few rules are behind them.
const MOST_BY_CRON_JOB: usize = 100;

pub(super) fn content(shown: &ShownReport<'_>) -> io::Result<Markup> {
    let rows = shown.report.survey.rows.iter().enumerate();
    let mut found: Vec<(usize, &Row, Severity)> = rows
        .filter_map(|(index, row)| {
            let severities = row.findings.iter().map(|finding| finding.severity);
            Some((index, row, severities.max()?))
        })
        .collect();
    // The rows are ordered by health, which depends on more than findings.
    found.sort_by_key(|(_, _, severity)| Reverse(*severity));
    match found.len() {
        0 => Ok(html! { p { "No findings." } }),
        1..=MOST_BY_CRON_JOB => by_cron_job(&found),
        _ => by_rule(shown, &found),
    }
}

const CRON_JOB_COLUMNS: [Column; 3] = [
    Column::descending("Severity", "sev"),
    Column::ascending("CronJob", "who"),
    Column::new("Findings and remedies", "what"),
];

fn by_cron_job(found: &[(usize, &Row, Severity)]) -> io::Result<Markup> {
    let rows = found.iter().map(|(index, row, severity)| {
        html! {
            tr data-i=(index) {
                td data-v=(*severity as u8) { (badge(severity.as_str())) }
                th scope="row" { (link(*index, row)) }
                td {
                    @for one in &row.findings { (finding(one, one.severity != *severity)) }
                    (runbook(row))
                }
            }
        }
    });
    let names = ["findings", "CronJobs with findings, most severe first"];
    ReportList::new(names, &CRON_JOB_COLUMNS, rows).markup()
}

/// What is wrong with a `CronJob`, and what to do about it.
pub(super) fn finding(finding: &Finding, with_severity: bool) -> Markup {
    html! {
        div class="found" data-code=(finding.code) data-state=(finding.severity.as_str()) {
            p {
                @if with_severity { (badge(finding.severity.as_str())) " " }
                b { (finding.title) } " " code { (finding.code) }
            }
            p { (foreign(&finding.detail)) }
            @if let Some(shown) = &finding.remedy { p class="remedy" { (remedy(shown)) } }
        }
    }
}

const RULE_COLUMNS: [Column; 2] = [
    Column::ascending("CronJob", "who"),
    Column::new("Details", "what"),
];

/// A finding with its row and the position of that.
type RowFinding<'a> = (usize, &'a Row, &'a Finding);

fn by_rule(shown: &ShownReport<'_>, found: &[(usize, &Row, Severity)]) -> io::Result<Markup> {
    let mut rules: BTreeMap<&str, Vec<RowFinding<'_>>> = BTreeMap::new();
    for (index, row, _) in found {
        for finding in &row.findings {
            let of_rule = rules.entry(finding.code).or_default();
            of_rule.push((*index, row, finding));
        }
    }
    Ok(html! {
        @for frequency in &shown.report.figures.findings {
            @if let Some(found) = rules.get(frequency.code) { (rule(frequency, found)?) }
        }
    })
}

fn rule(frequency: &Frequency, found: &[RowFinding<'_>]) -> io::Result<Markup> {
    let (code, title) = (frequency.code, frequency.title);
    let rows = found.iter().map(|(index, row, finding)| {
        html! {
            tr data-i=(index) {
                th scope="row" { (link(*index, row)) }
                td class="found" data-code=(code) data-state=(finding.severity.as_str()) {
                    p { (foreign(&finding.detail)) }
                    (runbook(row))
                }
            }
        }
    });
    let list = ReportList::new(["findings", title], &RULE_COLUMNS, rows);
    let first = found.first().map(|(_, _, finding)| finding);
    let shared = first.filter(|first| {
        let mut others = found.iter();
        others.all(|(_, _, finding)| finding.remedy == first.remedy)
    });
    Ok(html! {
        details class="rule" data-code=(code) {
            summary {
                (badge(frequency.severity.as_str())) " " b { (title) } " " code { (code) } " "
                span class="count" { (counted_in_groups(found.len(), "finding")) }
            }
            @if let Some(finding) = shared {
                @if let Some(shown) = &finding.remedy { p class="remedy" { (remedy(shown)) } }
            } @else {
                p class="hint" { "The remedies differ; each is in the explanation of its CronJob." }
            }
            (list.markup()?)
        }
    })
}

fn runbook(row: &Row) -> Markup {
    let expectations = row.expectations.as_ref();
    let runbook = expectations.and_then(|expectations| expectations.runbook.as_deref());
    html! {
        @if let Some(text) = runbook { p class="runbook" { "Runbook: " (runbook_link(text)) } }
    }
}
