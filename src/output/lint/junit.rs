//! A report of tests: each file with CronJobs is one.

use std::io::{self, Write};

use super::help;
use crate::diagnose::Severity;
use crate::lint::{LintFinding, LintReport};
use crate::output::xml::{Escaped, named};

/// Writes the report. What is at least as bad as `threshold` is a failure; what is less bad is
/// told in the suite's output.
pub fn junit(
    out: &mut dyn Write,
    report: &LintReport,
    now: jiff::Timestamp,
    threshold: Option<Severity>,
) -> io::Result<()> {
    let fails = |finding: &LintFinding| threshold.is_some_and(|least| finding.severity >= least);
    let of = |file: &str| {
        let findings = report.findings.iter();
        findings.filter(|finding| *finding.file == *file).collect()
    };
    let cases: Vec<(&str, Vec<&LintFinding>)> = report
        .manifests
        .iter()
        .map(|file| (&**file, of(file)))
        .collect();
    let failing = cases
        .iter()
        .filter(|(_, findings)| findings.iter().any(|finding| fails(finding)));
    writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
    writeln!(out, "<testsuites>")?;
    writeln!(
        out,
        "  <testsuite name=\"lint\" package=\"cronjob-doctor\" id=\"0\" timestamp=\"{}\" \
         hostname=\"localhost\" tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"0\" time=\"0\">",
        now.strftime("%Y-%m-%dT%H:%M:%S"),
        cases.len(),
        failing.count(),
    )?;
    writeln!(out, "    <properties></properties>")?;
    for (file, findings) in &cases {
        let failing: Vec<&LintFinding> = findings.iter().copied().filter(|f| fails(f)).collect();
        case(out, file, &failing)?;
    }
    write!(out, "    <system-out>")?;
    for finding in report.findings.iter().filter(|finding| !fails(finding)) {
        let told = format!("{}:{}", finding.file, told(finding));
        writeln!(out, "{}", Escaped(&told))?;
    }
    writeln!(out, "</system-out>")?;
    writeln!(out, "    <system-err></system-err>")?;
    writeln!(out, "  </testsuite>")?;
    writeln!(out, "</testsuites>")
}

fn case(out: &mut dyn Write, file: &str, failing: &[&LintFinding]) -> io::Result<()> {
    let name = named(file);
    write!(
        out,
        "    <testcase name=\"{name}\" classname=\"lint\" time=\"0\""
    )?;
    let Some(first) = failing.first() else {
        return writeln!(out, "/>");
    };
    writeln!(out, ">")?;
    write!(
        out,
        "      <failure type=\"{}\" message=\"{}\">",
        Escaped(first.rule.name),
        Escaped(first.rule.title)
    )?;
    for finding in failing {
        writeln!(out, "{}", Escaped(&told(finding)))?;
        writeln!(out, "{}", Escaped(&format!("-> {}", help(finding))))?;
    }
    writeln!(out, "</failure>")?;
    writeln!(out, "    </testcase>")
}

fn told(finding: &LintFinding) -> String {
    let place = finding.found.place;
    format!(
        "{}:{}: {}: {} {}: {}",
        place.line,
        place.column,
        finding.severity.as_str(),
        finding.lint.code,
        finding.rule.name,
        finding.headline()
    )
}
