//! For a comment on a pull request: a table, and the reasons and remedies folded.

use std::collections::HashSet;
use std::io::{self, Write};

use super::{display_name, headline, help, summary};
use crate::diagnose::Severity;
use crate::lint::{LintFinding, LintReport};
use crate::output::markdown::{MarkdownPage, code, emphasized, sentence, sentences};

pub(super) fn markdown(out: &mut dyn Write, report: &LintReport) -> io::Result<()> {
    let mut page = MarkdownPage::new(&summary(report).join(". "));
    let rows = report.findings.iter().map(row);
    page.table(&["Severity", "Where", "Finding"], rows);
    let mut explained = HashSet::new();
    let blocks = report.findings.iter().map(|finding| {
        // The reason is shown only once for each rule.
        block(finding, explained.insert(finding.lint.code))
    });
    page.details("Details", blocks);
    page.write(out)
}

fn row(finding: &LintFinding) -> Vec<String> {
    let severity = finding.severity.as_str().to_owned();
    let object = finding.object.as_deref();
    let object = object.map(|object| format!("<br>{}", code(&display_name(object))));
    vec![
        emphasized(finding.severity == Severity::Error, severity),
        format!("{}{}", place(finding), object.unwrap_or_default()),
        format!(
            "{} {}",
            code(finding.lint.code),
            sentence(&headline(finding))
        ),
    ]
}

fn place(finding: &LintFinding) -> String {
    let place = finding.found.place;
    code(&format!("{}:{}:{}", finding.file, place.line, place.column))
}

fn block(finding: &LintFinding, explain: bool) -> String {
    let mut text = format!(
        "\n{} {} {}\n\n",
        place(finding),
        code(finding.lint.code),
        code(finding.rule.name)
    );
    let field = Some(&finding.found.field).filter(|field| !field.is_empty());
    if let Some(field) = field {
        text.push_str(&format!("- Field: {}\n", code(field)));
    }
    for note in finding.releases.iter().chain(&finding.found.notes) {
        text.push_str(&format!("- {}\n", sentences(note)));
    }
    if explain {
        text.push_str(&format!("- {}\n", sentences(finding.rule.reason)));
    }
    text.push_str(&format!("- {}\n", sentences(help(finding))));
    if let Some(fix) = &finding.found.fix {
        let fix = sentence(&fix.description);
        text.push_str(&format!("- Fix with {}: {fix}\n", code("--fix")));
    }
    text
}
