//! For a comment or a chat: a table, and the findings folded.

use std::io::{self, Write};

use super::Scan;
use super::causes;
use super::columns::ScanRow;
use super::text::summary_in_words;
use crate::output::columns::markdown_table;
use crate::output::markdown::{MarkdownPage, code, named, sentence, sentences};
use cronjob_diagnosis::survey::Row;

/// Writes the `CronJob`s with their health.
pub(super) fn markdown(out: &mut dyn Write, scan: &Scan<'_>) -> io::Result<()> {
    let summary = &scan.report.summary;
    let heading = match summary.total {
        0 => "No CronJobs".to_owned(),
        _ => summary_in_words(summary, |_, text| text),
    };
    let mut page = MarkdownPage::new(&heading);
    for lack in &scan.read.lacks {
        let what = lack.what.as_str();
        page.paragraph(&sentence(&format!("Cannot read {what}: {}.", lack.reason)));
    }
    causes::markdown(&mut page, scan);
    let rows = scan.report.rows.iter().map(|row| ScanRow { row, scan });
    let (headings, rows) = markdown_table::<ScanRow<'_>>(rows);
    page.table(&headings, rows);
    let rows = scan.report.rows.iter();
    let found = rows.filter(|row| !row.findings.is_empty());
    page.details("Findings", found.map(block));
    page.small_print(&scan.read.header.in_words());
    page.write(out)
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
