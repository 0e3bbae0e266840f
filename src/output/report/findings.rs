//! All that was found, each with what to do about it.

use std::io::{self, Write};

use super::Sheet;
use super::markup::{Foreign, Named, badge, severity_rank};
use super::table::{Column, Table};
use crate::diagnose::Finding;
use crate::output::xml::Escaped;
use crate::survey::Row;

const COLUMNS: [Column; 4] = [
    Column::down("Severity", "sev"),
    Column::up("CronJob", "who"),
    Column::up("Code", "code"),
    Column::new("What is the case, and what to do", "what"),
];

/// Writes what stands in the section.
pub(super) fn content(out: &mut dyn Write, sheet: &Sheet<'_>) -> io::Result<()> {
    let rows = sheet.report.survey.rows.iter().enumerate();
    let mut found: Vec<(usize, &Row, &Finding)> = rows
        .flat_map(|(index, row)| {
            row.findings
                .iter()
                .map(move |finding| (index, row, finding))
        })
        .collect();
    found.sort_by_key(|(_, _, finding)| std::cmp::Reverse(finding.severity));
    if found.is_empty() {
        writeln!(out, "<p>Nothing was found.</p>")?;
    } else {
        let caption = "What is wrong or risky, the worst first";
        let mut table = Table::begin(out, "findings", caption, &COLUMNS, "")?;
        for (index, row, finding) in found {
            one(table.row()?, index, row, finding)?;
        }
        table.end()?;
    }
    Ok(())
}

fn one(out: &mut dyn Write, index: usize, row: &Row, finding: &Finding) -> io::Result<()> {
    let (code, severity) = (finding.code, finding.severity.as_str());
    write!(
        out,
        "<tr data-i=\"{index}\" data-ns=\"{}\" data-state=\"{severity}\" data-code=\"{code}\"><td \
         data-v=\"{}\">{}</td><th scope=\"row\"><a href=\"#c{index}\">{}</a></th><td><code>{code}</code></td>\
         <td><b>{}</b><p>{}</p>",
        Escaped(&row.namespace),
        severity_rank(finding.severity),
        badge(severity),
        Named(row),
        Escaped(finding.title),
        Foreign(&finding.detail)
    )?;
    if let Some(remedy) = &finding.remedy {
        // A command is shown as one; advice is read.
        let (begin, end) = if remedy.starts_with("kubectl ") {
            ("<code>", "</code>")
        } else {
            ("", "")
        };
        write!(
            out,
            "<p class=\"remedy\">{begin}{}{end}</p>",
            Foreign(remedy)
        )?;
    }
    writeln!(out, "</td></tr>")
}
