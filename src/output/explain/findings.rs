//! Findings, their remedies, and the logs that show their cause.

use std::borrow::Cow;

use crate::output::lines::TextPage;
use crate::output::scan;
use crate::output::style::{Meaning, styled};
use cronjob_controller::controller::Outcome;
use cronjob_diagnosis::diagnose::{Explanation, Finding, LastRun, LogTail, Severity};
use cronjob_manifest::rules::{self, Rule};
use cronjob_text::printable::{printable, shortened};
use cronjob_text::text::{AddToText, Text};

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
        finding_title(page, &finding.title, finding.code, finding.severity);
        page.paragraph(INDENT, &finding.detail);
        if let Some(remedy) = &finding.remedy {
            page.remedy(INDENT, remedy);
        }
        logs_below(page, INDENT, finding, &mut logs);
    }
    runbook_of(page, explanation);
}

/// The findings with their remedies, most severe first. Those with the same cause are one, a remedy that another one
/// covers is not repeated, nor is what the first lines say. Later findings that are only hints are without their
/// details, and those that follow from the first one are one sentence.
pub(super) struct MainFindings<'e> {
    groups: Vec<FindingGroup<'e>>,
}

impl<'e> MainFindings<'e> {
    pub(super) fn of(explanation: &'e Explanation<'_>) -> Self {
        let groups = by_cause(explanation);
        MainFindings { groups }
    }

    pub(super) fn add_to(&self, page: &mut TextPage, explanation: &Explanation<'_>) {
        const INDENT: usize = 4;
        let mut logs = Some(&explanation.logs);
        for (index, group) in self.groups.iter().enumerate() {
            let finding = group.finding;
            let mut consequences = CONSEQUENCES.iter().filter(|_| index > 0);
            if consequences.any(|rule| rule.name == finding.code) {
                let title = finding.detail.without_asides().as_title();
                finding_title(page, &title, &group.codes, group.severity);
                continue;
            }
            finding_title(page, &finding.title, &group.codes, group.severity);
            if let Some(detail) = self.detail(index) {
                page.paragraph(INDENT, detail);
            }
            let before = self.groups.iter().take(index);
            let mut before = before.filter_map(|other| other.finding.remedy.as_ref());
            let remedy = finding.remedy.as_ref();
            let remedy = remedy.filter(|remedy| !before.any(|other| other.covers(remedy)));
            match remedy {
                Some(remedy) if index == 0 => page.remedy(INDENT, &remedy.clone().without_asides()),
                Some(remedy) => page.remedy(INDENT, &remedy.clone().brief()),
                None => {}
            }
            logs_below(page, INDENT, finding, &mut logs);
        }
        runbook_of(page, explanation);
    }

    /// The detail that is shown of a group.
    fn detail(&self, index: usize) -> Option<Text> {
        let group = self.groups.get(index)?;
        let is_shown = index == 0 || group.severity > Severity::Info;
        let detail = is_shown.then(|| group.finding.detail.without_asides());
        detail.filter(|detail| !detail.is_empty())
    }

    /// A run without what these findings say of it.
    pub(super) fn rest_of<'r>(
        &self,
        run: &'r LastRun,
        explanation: &Explanation<'_>,
    ) -> Cow<'r, LastRun> {
        let reason = run.reason.as_ref().map(|reason| reason.to_lowercase());
        let has_reason = |detail: &str| {
            let reason = reason.as_ref();
            reason.is_some_and(|reason| detail.to_lowercase().contains(reason))
        };
        let says_why = |(index, group): (usize, &FindingGroup<'_>)| {
            let is_about = group.finding.job.as_ref() == Some(&run.job_name);
            let detail = is_about.then(|| self.detail(index)).flatten();
            detail.is_some_and(|detail| group.finding.rule.shows_log() || has_reason(&detail))
        };
        if self.groups.iter().enumerate().any(says_why) {
            Cow::Owned(run.without_reason(&explanation.facts))
        } else {
            Cow::Borrowed(run)
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }
}

/// What another finding is the cause of.
const CONSEQUENCES: [&Rule; 2] = [&rules::RUNS_WITHOUT_SUCCESS, &rules::NEVER_SUCCEEDED];

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
fn finding_title(page: &mut TextPage, title: &dyn AddToText, codes: &str, severity: Severity) {
    let meaning = scan::meaning(severity.into());
    let severity = styled(meaning, format!("{:<8}", severity.as_str()));
    page.item(&format!("  {severity} "), text!("{} [{}]", title, codes));
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
