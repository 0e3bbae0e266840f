//! Findings, their remedies, and the logs that show their cause.

use crate::output::lines::TextPage;
use crate::output::scan;
use crate::output::style::{Meaning, styled};
use cronjob_controller::controller::{MissedCause, Outcome};
use cronjob_diagnosis::diagnose::{Explanation, Finding, LogTail, Severity};
use cronjob_manifest::rules;
use cronjob_text::printable::{printable, shortened};

/// Text and remedies of a finding begin at this column.
const INDENT: usize = 11;

/// Adds all findings, most severe first.
pub(super) fn findings(page: &mut TextPage, explanation: &Explanation<'_>) {
    if explanation.findings.is_empty() {
        return;
    }
    page.heading("Findings");
    let mut logs = Some(&explanation.logs);
    for finding in &explanation.findings {
        finding_title(page, finding, finding.code, finding.severity);
        page.paragraph(INDENT, &finding.detail);
        if let Some(remedy) = &finding.remedy {
            page.remedy(INDENT, remedy);
        }
        logs_below(page, INDENT, finding, &mut logs);
    }
    runbook_of(page, explanation);
}

/// Adds all findings with their remedies, most severe first. Those with the same cause are one, a remedy that
/// another one covers is not repeated, nor is what the first lines say. Later findings that are only hints, or that
/// follow from a Job that blocks the runs, are without their details.
pub(super) fn main_findings(page: &mut TextPage, explanation: &Explanation<'_>) {
    const INDENT: usize = 4;
    let groups = by_cause(explanation);
    let mut logs = Some(&explanation.logs);
    for (index, group) in groups.iter().enumerate() {
        let finding = group.finding;
        finding_title(page, finding, &group.codes, group.severity);
        let is_consequence = index > 0 && finding.code == rules::RUNS_WITHOUT_SUCCESS.name;
        if is_consequence && is_of_blockade(explanation) {
            continue;
        }
        if index == 0 || group.severity > Severity::Info {
            let detail = finding.detail.without_asides();
            if !detail.is_empty() {
                page.paragraph(INDENT, detail);
            }
        }
        let before = groups.iter().take(index);
        let mut before = before.filter_map(|other| other.finding.remedy.as_ref());
        let remedy = finding.remedy.as_ref();
        let remedy = remedy.filter(|remedy| !before.any(|other| other.covers(remedy)));
        let remedy = remedy.filter(|_| !is_consequence);
        match remedy {
            Some(remedy) if index == 0 => page.remedy(INDENT, &remedy.clone().without_asides()),
            Some(remedy) => page.remedy(INDENT, &remedy.clone().brief()),
            None => {}
        }
        logs_below(page, INDENT, finding, &mut logs);
    }
    runbook_of(page, explanation);
}

/// Findings that are shown as one.
struct FindingGroup<'a> {
    /// The one that says most.
    finding: &'a Finding,
    codes: String,
    /// That of the most severe one.
    severity: Severity,
}

/// The findings by what they are about. One that only repeats the verdict is shown with that of its remedy or its Job,
/// and all that is to be done about a suspension is one.
fn by_cause<'a>(explanation: &'a Explanation<'_>) -> Vec<FindingGroup<'a>> {
    let outcome = explanation.decision.outcome;
    let repeats = |finding: &Finding| finding.rule.repeats == Some(outcome);
    let mut groups: Vec<FindingGroup<'_>> = Vec::new();
    for finding in &explanation.findings {
        let is_said = outcome == Outcome::Suspended || repeats(finding);
        let remedy = finding.remedy.as_ref().filter(|_| is_said);
        let group = groups
            .iter_mut()
            .find(|FindingGroup { finding: other, .. }| {
                let remedies = other.remedy.as_ref().zip(remedy);
                let has_remedy = remedies.is_some_and(|(earlier, remedy)| earlier.covers(remedy));
                let has_job = other.job.is_some() && other.job == finding.job;
                has_remedy || (has_job && (repeats(finding) || repeats(other)))
            });
        match group {
            Some(group) if repeats(group.finding) => {
                group.codes = format!("{}, {}", finding.code, group.codes);
                group.finding = finding;
            }
            Some(group) => group.codes.push_str(&format!(", {}", finding.code)),
            None => groups.push(FindingGroup {
                finding,
                codes: finding.code.to_owned(),
                severity: finding.severity,
            }),
        }
    }
    groups
}

/// Whether the runs since the last success are the one that blocks, and those that it blocks.
fn is_of_blockade(explanation: &Explanation<'_>) -> bool {
    let causes = explanation.missed.iter().flat_map(|missed| &missed.causes);
    let blocked = causes.filter(|missed| missed.cause == MissedCause::Forbid);
    let blocked: u64 = blocked.map(|missed| missed.count).sum();
    let is_blocked = explanation.decision.outcome == Outcome::Blocked;
    is_blocked
        && explanation
            .runs_since_success
            .is_some_and(|runs| runs <= blocked + 1)
}

/// Adds the logs below the first finding that they are about.
fn logs_below(
    page: &mut TextPage,
    indent: usize,
    finding: &Finding,
    logs: &mut Option<&Vec<LogTail>>,
) {
    if finding.rule.shows_log()
        && let Some(logs) = logs.take()
    {
        add_logs(page, indent, logs);
    }
}

/// `error    Last run failed [last-run-failed]`
fn finding_title(page: &mut TextPage, finding: &Finding, codes: &str, severity: Severity) {
    let meaning = scan::meaning(severity.into());
    let severity = styled(meaning, format!("{:<8}", severity.as_str()));
    let title = format!("{} [{codes}]", finding.title);
    page.item(&format!("  {severity} "), title);
}

/// Adds the runbook below the findings.
fn runbook_of(page: &mut TextPage, explanation: &Explanation<'_>) {
    let expectations = explanation.expectations.as_ref();
    if let Some(text) = expectations.and_then(|expectations| expectations.runbook.as_deref()) {
        page.item("  Runbook: ", runbook(text));
    }
}

pub(super) fn runbook(text: &str) -> String {
    const LONGEST: usize = 500;
    shortened(&printable(text), LONGEST)
}

/// Adds the last lines of logs that no finding is about.
pub(super) fn logs(page: &mut TextPage, explanation: &Explanation<'_>) {
    let mut findings = explanation.findings.iter();
    if explanation.logs.is_empty() || findings.any(|finding| finding.rule.shows_log()) {
        return;
    }
    page.heading("Log");
    add_logs(page, 2, &explanation.logs);
}

/// Adds the last lines of logs. They are not wrapped.
pub(crate) fn add_logs(page: &mut TextPage, indent: usize, logs: &[LogTail]) {
    const LONGEST: usize = 1_000;
    for log in logs {
        let when = if log.previous {
            " before its last restart"
        } else {
            ""
        };
        let whose = format!("container {} of pod {}{when}", log.container, log.pod);
        let text = match (&log.error, log.lines.len()) {
            (Some(error), _) => format!("Cannot read the log of {whose}: {error}"),
            (None, 0) => format!("The log of {whose} is empty."),
            (None, 1) => format!("Last line of the log of {whose}:"),
            (None, many) => format!("Last {many} lines of the log of {whose}:"),
        };
        page.paragraph(indent, text);
        for line in &log.lines {
            let line = shortened(&printable(line), LONGEST);
            let bar = styled(Meaning::Faint, "|");
            page.line(format_args!("{:indent$}{bar} {line}", ""));
        }
    }
}
