//! The last week for a manager: how many runs were due and how many succeeded in time, compared with the week before.

use maud::{Markup, html};

use super::ShownReport;
use super::markup::{foreign, table, time};
use crate::output::reliability::{counts_in_words, percent};
use cronjob_diagnosis::history::DueRuns;
use cronjob_diagnosis::report::{ReportedWeek, WeekFigures};
use cronjob_diagnosis::survey::Row;
use cronjob_text::words::{counted_in_groups, grouped};

/// The most groups and CronJobs of a list: a mail is short.
const MOST: usize = 50;

/// How rows name a `CronJob`: a page with the explanations links to them.
pub(super) type Named = fn(usize, &Row) -> Markup;

pub(super) fn content(shown: &ShownReport<'_>, named: Named) -> Markup {
    let Some(week) = ReportedWeek::of(shown.report) else {
        return html! { p { "No recorded runs." } };
    };
    html! {
        p class="lead" { (verdict(week.total.runs)) }
        p {
            "Since " (time(week.from)) " UTC: " (counts_in_words(week.total.runs)) "."
            @if let Some(before) = week.total.before {
                " The week before: " (share(before)) " of " (grouped(before.known())) "."
            }
        }
        (groups(&week))
        (offenders(shown, &week, named))
        (changes(shown, &week, named))
    }
}

/// `96.4% of 28 due runs succeeded in time`
fn verdict(runs: DueRuns) -> String {
    match percent(runs) {
        Some(percent) => format!(
            "{percent} of {} succeeded in time",
            counted_in_groups(runs.known(), "due run")
        ),
        None if runs.due == 0 => "No run was due in the last week".to_owned(),
        None => "It is not known whether the runs of the last week succeeded".to_owned(),
    }
}

fn share(runs: DueRuns) -> String {
    percent(runs).unwrap_or_else(|| "-".to_owned())
}

fn groups(week: &ReportedWeek) -> Markup {
    let rows = html! {
        @for (name, figures) in first(&week.groups) {
            tr {
                th scope="row" {
                    @if let Some(name) = name { (foreign(name)) } @else { "none" }
                }
                td class="n" { (grouped(figures.cron_jobs)) }
                (figures_cells(figures))
            }
        }
    };
    let headings = [
        (week.grouped_by, false),
        ("CronJobs", true),
        ("Due", true),
        ("Not in time", true),
        ("In time", true),
        ("Week before", true),
    ];
    html! {
        (table("weeks", "Runs of the last week", &headings, &rows))
        (more(week.groups.len().saturating_sub(MOST)))
    }
}

fn figures_cells(figures: &WeekFigures) -> Markup {
    html! {
        td class="n" { (grouped(figures.runs.due)) }
        td class="n" { (grouped(figures.not_in_time())) }
        td class="n" { (share(figures.runs)) }
        td class="n" { (figures.before.map_or_else(|| "-".to_owned(), share)) }
    }
}

/// How many rows of a list were left out.
pub(super) fn more(count: usize) -> Markup {
    html! {
        @if count > 0 { p class="hint" { "and " (grouped(count)) " more" } }
    }
}

/// The first rows of a list, as many as are shown.
pub(super) fn first<T>(all: &[T]) -> &[T] {
    all.get(..MOST).unwrap_or(all)
}

fn offenders(shown: &ShownReport<'_>, week: &ReportedWeek, named: Named) -> Markup {
    let survey = &shown.report.survey.rows;
    let rows = html! {
        @for (index, figures) in &week.offenders {
            @if let Some(row) = survey.get(*index) {
                tr {
                    th scope="row" { (named(*index, row)) }
                    (figures_cells(figures))
                    td { @if let Some(finding) = row.findings.first() { (finding.title) } }
                }
            }
        }
    };
    let headings = [
        ("CronJob", false),
        ("Due", true),
        ("Not in time", true),
        ("In time", true),
        ("Week before", true),
        ("Now", false),
    ];
    html! {
        @if !week.offenders.is_empty() {
            (table("offenders", "Most runs that did not succeed in time", &headings, &rows))
        }
    }
}

/// The CronJobs that are new, and those that are gone.
fn changes(shown: &ShownReport<'_>, week: &ReportedWeek, named: Named) -> Markup {
    let survey = &shown.report.survey.rows;
    let deleted = shown.context.deleted.iter();
    let mut deleted: Vec<_> = deleted.filter(|(_, at)| *at >= week.from).collect();
    deleted.sort_by_key(|(key, at)| (*at, key));
    html! {
        @if !week.created.is_empty() {
            p { (counted_in_groups(week.created.len(), "new CronJob")) ":" }
            ul {
                @for (index, at) in first(&week.created) {
                    @if let Some(row) = survey.get(*index) {
                        li { (named(*index, row)) ", created " (time(*at)) " UTC" }
                    }
                }
            }
            (more(week.created.len().saturating_sub(MOST)))
        }
        @if !deleted.is_empty() {
            p { (counted_in_groups(deleted.len(), "deleted CronJob")) ":" }
            ul {
                @for (key, at) in first(&deleted) {
                    li { (foreign(&key.to_string())) ", deleted by " (time(*at)) " UTC" }
                }
            }
            (more(deleted.len().saturating_sub(MOST)))
        }
    }
}
