//! The short form of the report for the body of a mail: no script, at most about 100 kB.

use std::io::{self, Write};

use maud::{Markup, PreEscaped, html};

use super::ShownReport;
use super::markup::{foreign, name, remedy};
use super::overview::causes;
use super::page::{context, policy, title};
use super::week::{self, first, more};
use crate::output::contexts::ContextAnswers;
use crate::output::scan::summary_in_words;
use crate::output::xml::Escaped;
use cronjob_diagnosis::survey::{Health, Row};
use cronjob_text::printable::shortened;

const STYLE: &str = include_str!("summary.css");

/// The longest detail of a finding.
const LONGEST: usize = 400;

/// How many bytes the list of what is broken has, roughly.
const MOST_BYTES: usize = 50_000;

pub(super) fn write_page(
    out: &mut dyn Write,
    reports: &ContextAnswers<ShownReport<'_>>,
) -> io::Result<()> {
    let contexts: Vec<Markup> = reports.each().map(|(_, shown)| content(shown)).collect();
    let heading = reports.as_one().map(|shown| title(shown.context));
    let heading = heading.as_deref().unwrap_or("CronJobs");
    let page = html! {
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(policy(&[], &[STYLE]));
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (Escaped(heading)) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                main { @for context in &contexts { (context) } }
            }
        }
    };
    writeln!(out, "<!doctype html>\n{}", page.into_string())
}

fn content(shown: &ShownReport<'_>) -> Markup {
    let summary = &shown.report.survey.summary;
    let is_recorded = !shown.report.reliability.is_empty();
    html! {
        h1 { (foreign(&title(shown.context))) }
        @if is_recorded {
            h2 { "Last week" }
            (week::content(shown, |_, row| name(row)))
        }
        h2 { "Now" }
        p { (summary_in_words(summary, |_, text| text)) }
        @if let Some(outage) = &shown.report.survey.outage {
            p { b { (Escaped(&outage.text)) } " " code { (Escaped(&outage.remedy.text)) } }
        }
        (causes(shown))
        (broken(shown))
        @if !is_recorded {
            p class="hint" { "With --recorder, the summary shows how many runs of the last week succeeded in time." }
        }
        (context(shown))
    }
}

/// What is broken, with its cause and what to do.
fn broken(shown: &ShownReport<'_>) -> Markup {
    let rows = shown.report.survey.rows.iter();
    let all: Vec<&Row> = rows.filter(|row| row.health == Health::Error).collect();
    let mut bytes = 0;
    let rows = first(&all).iter().map(|row| {
        html! { tr { th scope="row" { (name(row)) } td { (cause(row)) } } }
    });
    let rows = rows.take_while(|row| {
        bytes += row.0.len();
        bytes <= MOST_BYTES
    });
    let rows: Vec<Markup> = rows.collect();
    html! {
        @if !all.is_empty() {
            table {
                thead { tr { th scope="col" { "CronJob" } th scope="col" { "What is broken, and what to do" } } }
                tbody { @for row in &rows { (row) } }
            }
            (more(all.len() - rows.len()))
        }
    }
}

/// The most severe finding, which comes first.
fn cause(row: &Row) -> Markup {
    let finding = row.findings.iter().max_by_key(|finding| finding.severity);
    html! {
        @if let Some(finding) = finding {
            p { b { (finding.title) } }
            p { (foreign(&shortened(&finding.detail, LONGEST))) }
            @if let Some(shown) = &finding.remedy { p { (remedy(shown)) } }
        } @else if let Some(last) = &row.last_scheduled_run {
            p { (foreign(&last.outcome)) }
        }
    }
}
