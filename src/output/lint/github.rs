//! Annotations that GitHub shows beside the lines of a pull request.

use std::io::{self, Write};

use super::{help, named_headline};
use crate::output::workflow::{data, property};
use cronjob_diagnosis::diagnose::Severity;
use cronjob_manifest::lint::LintReport;

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
        let headline = named_headline(finding);
        let lines = std::iter::once(headline.as_str()).chain(help(finding));
        let message: Vec<String> = lines.map(data).collect();
        writeln!(out, ",title={}::{}", property(&title), message.join("%0A"))?;
    }
    Ok(())
}
