//! Findings, their remedies, and the logs that show their cause.

use std::io::{self, Write};

use super::NamedRuns;
use crate::diagnose::{Explanation, Finding, LogTail, Severity};
use crate::output::lines::{hanging, heading, paragraph, remedy};
use crate::output::style::{Meaning, styled};
use crate::printable::{printable, shortened};

/// Text and remedies of a finding begin at this column.
const INDENT: usize = 11;

/// Writes all findings, most severe first.
pub(super) fn findings(
    out: &mut dyn Write,
    explanation: &Explanation<'_>,
    named: &mut NamedRuns,
) -> io::Result<()> {
    if explanation.findings.is_empty() {
        return Ok(());
    }
    heading(out, "Findings")?;
    let mut is_shown = false;
    for finding in &explanation.findings {
        finding_title(out, finding, "")?;
        let detail = named.shortened(&explanation.facts, &finding.detail);
        paragraph(out, INDENT, &printable(&detail))?;
        if let Some(shown) = &finding.remedy {
            remedy(out, INDENT, shown)?;
        }
        if finding.rule.shows_log() && !std::mem::replace(&mut is_shown, true) {
            for log in &explanation.logs {
                log_tail(out, INDENT, log)?;
            }
        }
    }
    runbook_of(out, explanation)
}

/// Writes the most severe finding and its remedy: without details that the verdict has, and without what
/// comes after commands that only show something.
pub(super) fn most_severe(out: &mut dyn Write, explanation: &Explanation<'_>) -> io::Result<()> {
    const INDENT: usize = 2;
    let Some(finding) = explanation.findings.first() else {
        return Ok(());
    };
    let count = match explanation.findings.len() {
        1 => String::new(),
        all => format!(" (1 of {all} findings)"),
    };
    finding_title(out, finding, &count)?;
    if finding.rule.repeats != Some(explanation.decision.outcome) {
        let reason = first_sentences(&finding.detail);
        paragraph(out, INDENT, &shortened(&printable(reason), LONGEST_REASON))?;
    }
    if let Some(whole) = &finding.remedy {
        remedy(out, INDENT, &whole.clone().brief())?;
    }
    runbook_of(out, explanation)
}

const LONGEST_REASON: usize = 240;

/// The first sentence, and the next ones while it is short.
fn first_sentences(text: &str) -> &str {
    const SHORT: usize = 40;
    let mut ends = text.match_indices(". ").map(|(at, _)| at + 1);
    let end = ends.find(|end| *end > SHORT);
    end.and_then(|end| text.get(..end)).unwrap_or(text)
}

/// `error    Last run failed [last-run-failed]`
fn finding_title(out: &mut dyn Write, finding: &Finding, count: &str) -> io::Result<()> {
    let meaning = match finding.severity {
        Severity::Error => Meaning::Bad,
        Severity::Warning => Meaning::Odd,
        Severity::Info => Meaning::Plain,
    };
    let severity = styled(meaning, format!("{:<8}", finding.severity.as_str()));
    write!(out, "  {severity} ")?;
    let title = format!("{} [{}]{count}", finding.title, finding.code);
    hanging(out, INDENT, &title)
}

/// Writes the runbook below the findings.
fn runbook_of(out: &mut dyn Write, explanation: &Explanation<'_>) -> io::Result<()> {
    let expectations = explanation.expectations.as_ref();
    match expectations.and_then(|expectations| expectations.runbook.as_deref()) {
        Some(text) => {
            write!(out, "  Runbook: ")?;
            hanging(out, INDENT, &runbook(text))
        }
        None => Ok(()),
    }
}

const LONGEST_RUNBOOK: usize = 500;

pub(super) fn runbook(text: &str) -> String {
    shortened(&printable(text), LONGEST_RUNBOOK)
}

/// Writes the last lines of logs that no finding is about.
pub(super) fn logs(out: &mut dyn Write, explanation: &Explanation<'_>) -> io::Result<()> {
    let mut findings = explanation.findings.iter();
    if explanation.logs.is_empty() || findings.any(|finding| finding.rule.shows_log()) {
        return Ok(());
    }
    heading(out, "Log")?;
    for log in &explanation.logs {
        log_tail(out, 2, log)?;
    }
    Ok(())
}

/// Writes the last lines of a log. They are not wrapped.
pub(crate) fn log_tail(out: &mut dyn Write, indent: usize, log: &LogTail) -> io::Result<()> {
    const LONGEST: usize = 1_000;
    let when = if log.previous {
        " before its last restart"
    } else {
        ""
    };
    let (container, pod) = (printable(&log.container), printable(&log.pod));
    let whose = format!("container {container} of pod {pod}{when}");
    let text = match (&log.error, log.lines.len()) {
        (Some(error), _) => format!("Cannot read the log of {whose}: {}", printable(error)),
        (None, 0) => format!("The log of {whose} is empty."),
        (None, 1) => format!("Last line of the log of {whose}:"),
        (None, many) => format!("Last {many} lines of the log of {whose}:"),
    };
    paragraph(out, indent, &text)?;
    for line in &log.lines {
        let line = shortened(&printable(line), LONGEST);
        writeln!(out, "{:indent$}{} {line}", "", styled(Meaning::Faint, "|"))?;
    }
    Ok(())
}
