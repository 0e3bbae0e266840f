//! For a comment or a chat: a table, and the findings folded.

use std::io::{self, Write};

use super::Scan;
use super::since::{change_rows, in_words};
use super::text::{health, next, summary_in_words};
use crate::diagnose::utc_or;
use crate::output::markdown::{MarkdownPage, code, emphasized, named, sentence, sentences};
use crate::survey::{Health, Row, ScanChanges};

/// Writes the `CronJob`s with their health; of a comparison, what changed.
pub(crate) fn markdown(out: &mut dyn Write, scan: &Scan<'_>) -> io::Result<()> {
    let summary = &scan.report.summary;
    let heading = match summary.total {
        0 => "No CronJobs".to_owned(),
        _ => summary_in_words(summary, |_, text| text),
    };
    let mut page = MarkdownPage::new(&heading);
    for lack in &scan.lacks {
        let what = lack.what.as_str();
        page.paragraph(&sentence(&format!("Cannot read {what}: {}.", lack.reason)));
    }
    if let Some(outage) = &scan.report.outage {
        let remedy = code(&outage.remedy.text);
        page.paragraph(&format!("**{}.** {remedy}", sentence(&outage.text)));
    }
    match &scan.since {
        Some(changes) => of_changes(&mut page, scan, changes),
        None => of_rows(&mut page, scan),
    }
    page.small_print(&scan.controller.basis_in_words(scan.now));
    page.write(out)
}

fn of_rows(page: &mut MarkdownPage, scan: &Scan<'_>) {
    let rows = scan.report.rows.iter().map(|row| {
        let next = next(row, |at| {
            utc_or(scan.display.as_deref(), at.max(scan.now)).to_string()
        });
        let last = row.last_schedule_time;
        let last = last.map_or_else(
            || "-".to_owned(),
            |last| utc_or(scan.display.as_deref(), last).to_string(),
        );
        let last = match &row.last_scheduled_run {
            _ if !row.in_cluster => "not in a cluster",
            Some(run) => &run.text,
            None => &last,
        };
        vec![
            named(&row.namespace, &row.name),
            time(&next),
            time(last),
            emphasized(
                row.health == Health::Error,
                sentence(&health(row, scan.now, scan.display.as_deref())),
            ),
        ]
    });
    page.table(&["CronJob", "Next", "Last", "Health"], rows);
    let found = scan
        .report
        .rows
        .iter()
        .filter(|row| !row.findings.is_empty());
    page.details("Findings", found.map(block));
}

fn block(row: &Row) -> String {
    let mut text = format!(
        "\n{}: {}\n\n",
        named(&row.namespace, &row.name),
        sentence(&row.verdict)
    );
    for finding in &row.findings {
        text.push_str(&format!(
            "- {} {}: {}. {}\n",
            finding.severity.as_str(),
            code(finding.code),
            sentence(finding.title),
            sentences(&finding.detail)
        ));
        if let Some(remedy) = &finding.remedy {
            let shown = match remedy.command {
                Some(_) => code(&remedy.text),
                None => sentences(&remedy.text),
            };
            text.push_str(&format!("  - {shown}\n"));
        }
    }
    text
}

fn of_changes(page: &mut MarkdownPage, scan: &Scan<'_>, changes: &ScanChanges) {
    page.paragraph(&sentence(&in_words(changes, scan.display.as_deref())));
    for note in &changes.notes {
        page.paragraph(&sentence(note));
    }
    let all = change_rows(changes);
    let rows = all.iter().map(|row| {
        vec![
            row.change.to_owned(),
            named(row.namespace, row.name),
            emphasized(row.is_new_error, sentence(&row.finding)),
        ]
    });
    page.table(&["Change", "CronJob", "Finding"], rows);
    let explained = changes.new.iter().chain(&changes.severity_changes);
    let explained = explained.map(|change| {
        format!(
            "\n{}: {}: {}. {}\n",
            named(&change.namespace, &change.name),
            code(&change.code),
            sentence(&change.title),
            sentences(&change.detail)
        )
    });
    page.details("Findings", explained);
}

fn time(text: &str) -> String {
    match text {
        "-" => text.to_owned(),
        text => sentence(text),
    }
}
