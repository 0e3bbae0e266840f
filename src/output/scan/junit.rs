//! A report of tests: each `CronJob` is a test, each namespace a suite.

use std::io::{self, Write};

use super::Scan;
use crate::diagnose::{Finding, Severity};
use crate::output::junit::{self, Case, JunitFailure, Suite};
use crate::survey::Row;

/// Writes the report. Findings at least as severe as `threshold` are failures; the others are in the
/// suite's output.
pub(crate) fn junit(
    out: &mut dyn Write,
    scan: &Scan<'_>,
    threshold: Option<Severity>,
) -> io::Result<()> {
    let mut rows: Vec<&Row> = scan.report.rows.iter().collect();
    // Stable: inside a namespace the order stays.
    rows.sort_by(|one, other| one.namespace.cmp(&other.namespace));
    let suites = rows.chunk_by(|one, other| one.namespace == other.namespace);
    let fails = |finding: &&Finding| threshold.is_some_and(|least| finding.severity >= least);
    junit::write(out, scan.now, suites.map(|rows| suite(scan, rows, fails)))
}

fn suite(scan: &Scan<'_>, rows: &[&Row], fails: impl Fn(&&Finding) -> bool) -> Suite {
    let failure = |finding: &Finding| {
        let remedy = finding.remedy.as_ref();
        let remedy = remedy.map(|remedy| format!("-> {}", remedy.text));
        JunitFailure {
            kind: finding.code,
            message: finding.title,
            lines: [described(finding)].into_iter().chain(remedy).collect(),
        }
    };
    let case = |row: &&Row| {
        let failing = row.findings.iter().filter(&fails);
        Case {
            name: row.name.clone(),
            failures: failing.map(failure).collect(),
        }
    };
    let mut output = Vec::new();
    for row in rows {
        let last = row.last_run.iter();
        output.extend(last.map(|run| format!("{}: last run: {}", row.name, run.text)));
        let others = row.findings.iter().filter(|finding| !fails(finding));
        output.extend(others.map(|finding| format!("{}: {}", row.name, described(finding))));
    }
    let controller = &scan.controller;
    Suite {
        name: rows
            .first()
            .map_or_else(String::new, |row| row.namespace.clone()),
        properties: vec![
            ("controller", controller.model.to_owned()),
            ("kubernetesVersion", controller.kubernetes_version.clone()),
        ],
        cases: rows.iter().map(case).collect(),
        output,
    }
}

fn described(finding: &Finding) -> String {
    let Finding {
        code,
        severity,
        detail,
        ..
    } = finding;
    format!("{}: {code}: {detail}", severity.as_str())
}
