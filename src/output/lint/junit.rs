//! A `JUnit` report with a test case for each file with `CronJob`s, as continuous integration reads it.
//!
//! The order of the elements and the attributes are such that both schemas in use accept them: Ant's, which wants
//! everything and allows nothing else, and that of Jenkins. The crate `quick-junit` writes attributes that Ant's
//! schema does not have, and leaves out elements that it wants.

use std::io::{self, Write};

use super::{help, named_headline};
use crate::output::xml::Escaped;
use cronjob_diagnosis::diagnose::Severity;
use cronjob_manifest::lint::{LintFinding, LintReport};

/// Writes the report. Findings of at least the severity `threshold` are failures; others are in the
/// output of the suite.
pub(super) fn junit(
    out: &mut dyn Write,
    report: &LintReport,
    now: jiff::Timestamp,
    threshold: Option<Severity>,
) -> io::Result<()> {
    let (failing, others): (Vec<&LintFinding>, Vec<&LintFinding>) = report
        .findings
        .iter()
        .partition(|finding| threshold.is_some_and(|least| finding.severity >= least));
    let cases = report.manifests.iter().map(|file| {
        let failures = failing.iter().filter(|finding| *finding.file == **file);
        (&**file, failures.copied().collect())
    });
    let cases: Vec<(&str, Vec<&LintFinding>)> = cases.collect();
    let failed = cases.iter().filter(|(_, failures)| !failures.is_empty());
    writeln!(
        out,
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite name=\"lint\" \
         package=\"cronjob-doctor\" id=\"0\" timestamp=\"{}\" hostname=\"localhost\" tests=\"{}\" \
         failures=\"{}\" errors=\"0\" skipped=\"0\" time=\"0\">\n    <properties></properties>",
        now.strftime("%Y-%m-%dT%H:%M:%S"),
        cases.len(),
        failed.count(),
    )?;
    for (file, failures) in &cases {
        case(out, file, failures)?;
    }
    write!(out, "    <system-out>")?;
    for finding in others {
        let line = format!("{}:{}", finding.file, line(finding));
        writeln!(out, "{}", Escaped(&line))?;
    }
    writeln!(
        out,
        "</system-out>\n    <system-err></system-err>\n  </testsuite>\n</testsuites>"
    )
}

fn case(out: &mut dyn Write, file: &str, failures: &[&LintFinding]) -> io::Result<()> {
    // The schemas want a name that is not empty.
    let name = Escaped(if file.is_empty() { "<none>" } else { file });
    write!(
        out,
        "    <testcase name=\"{name}\" classname=\"lint\" time=\"0\""
    )?;
    let Some(first) = failures.first() else {
        return writeln!(out, "/>");
    };
    let (kind, message) = (Escaped(first.rule.name), Escaped(first.rule.title));
    write!(
        out,
        ">\n      <failure type=\"{kind}\" message=\"{message}\">"
    )?;
    for finding in failures {
        writeln!(out, "{}", Escaped(&line(finding)))?;
        if let Some(help) = help(finding) {
            writeln!(out, "-&gt; {}", Escaped(help))?;
        }
    }
    writeln!(out, "</failure>\n    </testcase>")
}

fn line(finding: &LintFinding) -> String {
    let place = finding.found.place;
    format!(
        "{}:{}: {}: {} {}: {}",
        place.line,
        place.column,
        finding.severity.as_str(),
        finding.lint.code,
        finding.rule.name,
        named_headline(finding)
    )
}
