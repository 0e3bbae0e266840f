//! Annotations that GitHub shows beside the lines of a pull request.

use std::io::{self, Write};

use super::{help, named_headline, with_slashes};
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
            property(&with_slashes(&finding.file)),
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use cronjob_manifest::lint::Linter;
    use kube_cron::{BundledZones, Zone};

    /// GitHub attaches an annotation only to a path with slashes.
    #[test]
    fn path_of_windows_is_written_with_slashes() {
        let linter = Linter {
            now: "2026-11-21T08:00:00Z".parse().unwrap(),
            zones: &BundledZones,
            local: Zone::utc(),
        };
        let file = Arc::from(r"examples\shop\x.yaml");
        let never = include_bytes!("../../../examples/lint/never-scheduled/bad.yaml");
        let report = linter.finish(vec![linter.read(&file, never, &Arc::default())]);
        let mut out = Vec::new();
        github(&mut out, &report).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert!(
            text.starts_with("::error file=examples/shop/x.yaml,line="),
            "{text}"
        );
    }
}
