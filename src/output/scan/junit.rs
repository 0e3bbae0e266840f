//! A report of tests, as continuous integration reads it.
//!
//! Each `CronJob` is a test, each namespace a suite. The order of the elements and the attributes
//! are such that both schemas in use take it: Ant's, which wants everything, and that of Jenkins.

use std::io::{self, Write};

use super::Scan;
use crate::diagnose::{Finding, Severity};
use crate::output::xml::{Escaped, named};
use crate::survey::Row;

/// Writes the report. What is at least as bad as `threshold` is a failure; what is less bad is
/// told in the suite's output.
pub fn junit(out: &mut dyn Write, scan: &Scan<'_>, threshold: Option<Severity>) -> io::Result<()> {
    let mut rows: Vec<&Row> = scan.report.rows.iter().collect();
    // Stable: inside a namespace the order stays.
    rows.sort_by(|one, other| one.namespace.cmp(&other.namespace));
    writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
    writeln!(out, "<testsuites>")?;
    let suites = rows.chunk_by(|one, other| one.namespace == other.namespace);
    for (id, rows) in suites.enumerate() {
        suite(out, scan, id, rows, &|finding| {
            threshold.is_some_and(|threshold| finding.severity >= threshold)
        })?;
    }
    writeln!(out, "</testsuites>")
}

fn suite(
    out: &mut dyn Write,
    scan: &Scan<'_>,
    id: usize,
    rows: &[&Row],
    fails: &dyn Fn(&Finding) -> bool,
) -> io::Result<()> {
    let namespace = named(rows.first().map_or("", |row| &row.namespace));
    let failures = rows.iter().filter(|row| row.findings.iter().any(fails));
    writeln!(
        out,
        "  <testsuite name=\"{namespace}\" package=\"cronjob-doctor\" id=\"{id}\" \
         timestamp=\"{}\" hostname=\"localhost\" tests=\"{}\" failures=\"{}\" errors=\"0\" \
         skipped=\"0\" time=\"0\">",
        scan.now.strftime("%Y-%m-%dT%H:%M:%S"),
        rows.len(),
        failures.count(),
    )?;
    writeln!(out, "    <properties>")?;
    property(out, "controller", scan.controller.model)?;
    property(
        out,
        "kubernetesVersion",
        &scan.controller.kubernetes_version,
    )?;
    writeln!(out, "    </properties>")?;
    for row in rows {
        case(out, row, &namespace, fails)?;
    }
    write!(out, "    <system-out>")?;
    for row in rows {
        for finding in row.findings.iter().filter(|finding| !fails(finding)) {
            line(out, &format!("{}: {}", row.name, told(finding)))?;
        }
    }
    writeln!(out, "</system-out>")?;
    writeln!(out, "    <system-err></system-err>")?;
    writeln!(out, "  </testsuite>")
}

fn property(out: &mut dyn Write, name: &str, value: &str) -> io::Result<()> {
    let value = Escaped(value);
    writeln!(out, "      <property name=\"{name}\" value=\"{value}\"/>")
}

fn case(
    out: &mut dyn Write,
    row: &Row,
    namespace: &str,
    fails: &dyn Fn(&Finding) -> bool,
) -> io::Result<()> {
    let name = named(&row.name);
    write!(
        out,
        "    <testcase name=\"{name}\" classname=\"{namespace}\" time=\"0\""
    )?;
    let mut failing = row.findings.iter().filter(|finding| fails(finding));
    let Some(first) = failing.next() else {
        return writeln!(out, "/>");
    };
    writeln!(out, ">")?;
    write!(
        out,
        "      <failure type=\"{}\" message=\"{}\">",
        Escaped(first.code),
        Escaped(first.title)
    )?;
    for finding in std::iter::once(first).chain(failing) {
        line(out, &told(finding))?;
        if let Some(remedy) = &finding.remedy {
            line(out, &format!("-> {remedy}"))?;
        }
    }
    writeln!(out, "</failure>")?;
    writeln!(out, "    </testcase>")
}

/// A line of text; only the end of the line itself is written as such.
fn line(out: &mut dyn Write, text: &str) -> io::Result<()> {
    writeln!(out, "{}", Escaped(text))
}

fn told(finding: &Finding) -> String {
    let Finding {
        code,
        severity,
        detail,
        ..
    } = finding;
    format!("{}: {code}: {detail}", severity.as_str())
}
