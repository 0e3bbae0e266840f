//! Annotations that GitHub shows beside the lines of a pull request.

use std::io::{self, Write};

use super::{headline, help};
use crate::diagnose::Severity;
use crate::lint::LintReport;
use crate::printable::printable;

/// Writes a workflow command for each finding.
pub fn github(out: &mut dyn Write, report: &LintReport) -> io::Result<()> {
    for finding in &report.findings {
        let command = match finding.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Info => "notice",
        };
        let region = finding.region;
        write!(
            out,
            "::{command} file={},line={},endLine={}",
            property(&finding.file),
            region.start.0,
            region.end.0
        )?;
        // Columns are those of one line.
        if region.start.0 == region.end.0 {
            write!(out, ",col={},endColumn={}", region.start.1, region.end.1)?;
        }
        let title = format!("{} {}", finding.lint.code, finding.rule.name);
        let message = [headline(finding), help(finding).to_owned()].map(|line| data(&line));
        writeln!(out, ",title={}::{}", property(&title), message.join("%0A"))?;
    }
    Ok(())
}

/// Text behind the two colons.
fn data(text: &str) -> String {
    let escaped = text.replace('%', "%25");
    let escaped = escaped.replace('\r', "%0D").replace('\n', "%0A");
    printable(&escaped)
}

/// Text between commas.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
