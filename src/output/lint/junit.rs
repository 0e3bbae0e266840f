//! A `JUnit` report with a test case for each file with `CronJob`s.

use std::io::{self, Write};

use super::{help, named_headline};
use crate::output::junit::{self, Case, JunitFailure, Suite};
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
    let failure = |finding: &&LintFinding| JunitFailure {
        kind: finding.rule.name,
        message: finding.rule.title,
        lines: std::iter::once(line(finding))
            .chain(help(finding).map(|help| format!("-> {help}")))
            .collect(),
    };
    let case = |file: &str| {
        let failing = failing.iter().filter(|finding| *finding.file == *file);
        Case {
            name: file.to_owned(),
            failures: failing.map(failure).collect(),
        }
    };
    let in_file = |finding: &&LintFinding| format!("{}:{}", finding.file, line(finding));
    let suite = Suite {
        name: "lint".to_owned(),
        cases: report.manifests.iter().map(|file| case(file)).collect(),
        output: others.iter().map(in_file).collect(),
    };
    junit::write(out, now, [suite])
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
