//! A report of tests: each `CronJob` is a test, each namespace a suite.

use std::io::{self, Write};

use jiff::Timestamp;

use super::Scan;
use crate::diagnose::{Finding, Severity};
use crate::output::contexts::{ContextAnswer, ContextAnswers};
use crate::output::junit::{self, Case, JunitFailure, Suite};
use crate::survey::Row;

/// Writes the report. Findings at least as severe as `threshold` are failures; the others are in the
/// suite's output.
pub(super) fn junit(
    out: &mut dyn Write,
    scans: &ContextAnswers<Scan<'_>>,
    threshold: Option<Severity>,
) -> io::Result<()> {
    let fails = |finding: &&Finding| threshold.is_some_and(|least| finding.severity >= least);
    let mut suites = Vec::new();
    for (_, scan) in scans.each() {
        let mut rows: Vec<&Row> = scan.report.rows.iter().collect();
        // Stable: inside a namespace the order stays.
        rows.sort_by(|one, other| one.namespace.cmp(&other.namespace));
        let namespaces = rows.chunk_by(|one, other| one.namespace == other.namespace);
        suites.extend(namespaces.map(|rows| suite(scan, rows, fails)));
    }
    suites.extend(scans.contexts().iter().filter_map(unread));
    let first = scans.each().next();
    let now = first.map_or(Timestamp::UNIX_EPOCH, |(_, scan)| scan.now);
    junit::write(out, now, suites)
}

/// A context that could not be read, or not completely: a failed test.
fn unread(context: &ContextAnswer<Scan<'_>>) -> Option<Suite> {
    let failure = JunitFailure {
        kind: "unread-context",
        message: "Context not read completely",
        lines: vec![context.trouble()?],
    };
    Some(Suite {
        name: context.about.name.clone(),
        properties: vec![("context", context.about.name.clone())],
        cases: vec![Case {
            name: "context".to_owned(),
            failures: vec![failure],
        }],
        output: Vec::new(),
    })
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
        let last = row.last_scheduled_run.iter();
        output.extend(last.map(|run| format!("{}: last run: {}", row.name, run.text)));
        let manual = row.last_run.iter().filter(|run| run.manual);
        output.extend(manual.map(|run| format!("{}: manual run: {}", row.name, run.text)));
        let others = row.findings.iter().filter(|finding| !fails(finding));
        output.extend(others.map(|finding| format!("{}: {}", row.name, described(finding))));
    }
    let controller = &scan.controller;
    let namespace = rows.first().map_or("", |row| &row.namespace);
    let context = scan.context.map(|context| ("context", context.to_owned()));
    let controller = [
        ("controller", controller.model.to_owned()),
        (
            "kubernetesVersion",
            controller.kubernetes_version.to_string(),
        ),
    ];
    Suite {
        name: match scan.context {
            Some(context) => format!("{context}/{namespace}"),
            None => namespace.to_owned(),
        },
        properties: context.into_iter().chain(controller).collect(),
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
