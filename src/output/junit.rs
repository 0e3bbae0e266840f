//! Reports of tests in the format of `JUnit`, as continuous integration reads them.
//!
//! The order of the elements and the attributes are such that both schemas in use accept them: Ant's, which wants
//! everything and allows nothing else, and that of Jenkins. The crate `quick-junit` writes attributes that Ant's
//! schema does not have, and leaves out elements that it wants.

use std::io::{self, Write};

use super::xml::Escaped;

pub(super) struct Suite {
    pub(super) name: String,
    pub(super) cases: Vec<Case>,
    /// Notes that are not failures, one per line.
    pub(super) output: Vec<String>,
}

pub(super) struct Case {
    pub(super) name: String,
    pub(super) failures: Vec<JunitFailure>,
}

pub(super) struct JunitFailure {
    pub(super) kind: &'static str,
    pub(super) message: &'static str,
    pub(super) lines: Vec<String>,
}

/// Writes a report of suites that ran at a time.
pub(super) fn write(
    out: &mut dyn Write,
    now: jiff::Timestamp,
    suites: impl IntoIterator<Item = Suite>,
) -> io::Result<()> {
    writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
    writeln!(out, "<testsuites>")?;
    for (id, suite) in suites.into_iter().enumerate() {
        let failures = suite.cases.iter().filter(|case| !case.failures.is_empty());
        let name = named(&suite.name);
        writeln!(
            out,
            "  <testsuite name=\"{name}\" package=\"cronjob-doctor\" id=\"{id}\" timestamp=\"{}\" \
             hostname=\"localhost\" tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"0\" time=\"0\">",
            now.strftime("%Y-%m-%dT%H:%M:%S"),
            suite.cases.len(),
            failures.count(),
        )?;
        writeln!(out, "    <properties></properties>")?;
        for case in &suite.cases {
            write_case(out, case, &name)?;
        }
        write!(out, "    <system-out>")?;
        lines(out, &suite.output)?;
        writeln!(out, "</system-out>")?;
        writeln!(out, "    <system-err></system-err>")?;
        writeln!(out, "  </testsuite>")?;
    }
    writeln!(out, "</testsuites>")
}

fn write_case(out: &mut dyn Write, case: &Case, suite: &str) -> io::Result<()> {
    let name = named(&case.name);
    write!(
        out,
        "    <testcase name=\"{name}\" classname=\"{suite}\" time=\"0\""
    )?;
    let Some(first) = case.failures.first() else {
        return writeln!(out, "/>");
    };
    let (kind, message) = (Escaped(first.kind), Escaped(first.message));
    write!(
        out,
        ">\n      <failure type=\"{kind}\" message=\"{message}\">"
    )?;
    for failure in &case.failures {
        lines(out, &failure.lines)?;
    }
    writeln!(out, "</failure>\n    </testcase>")
}

/// Lines of text; only the end of a line itself is written as such.
fn lines(out: &mut dyn Write, lines: &[String]) -> io::Result<()> {
    lines
        .iter()
        .try_for_each(|line| writeln!(out, "{}", Escaped(line)))
}

/// A name, which is never empty: the schemas want it so.
fn named(name: &str) -> String {
    let name = if name.is_empty() { "<none>" } else { name };
    Escaped(name).to_string()
}
