//! For people: the line, a caret below it, the reason, and what to do.

use std::collections::HashSet;
use std::io::{self, Write};

use super::{called, headline, help, in_words, meaning};
use crate::lint::{Excerpt, LintFinding, LintReport};
use crate::output::lines::hanging;
use crate::output::style::{Meaning, styled};
use crate::printable::{printable, width};

/// Writes all findings, and a line that sums them up. Nothing is written where nothing was found.
pub fn text(out: &mut dyn Write, report: &LintReport) -> io::Result<()> {
    let mut explained = HashSet::new();
    for finding in &report.findings {
        // Once is enough.
        let explain = explained.insert(finding.lint.code);
        show(out, finding, explain)?;
        writeln!(out)?;
    }
    if report.findings.is_empty() {
        return Ok(());
    }
    writeln!(out, "{}", in_words(report))
}

fn show(out: &mut dyn Write, finding: &LintFinding, explain: bool) -> io::Result<()> {
    let LintFinding {
        rule,
        lint,
        severity,
        file,
        found,
        line,
        ..
    } = finding;
    let head = format!("{}[{} {}]", severity.as_str(), lint.code, rule.name);
    let message = headline(finding);
    writeln!(
        out,
        "{}: {}",
        styled(meaning(*severity), head),
        styled(Meaning::Strong, message)
    )?;
    let number = found.place.line.to_string();
    let margin = number.len();
    let (file, column) = (printable(file), found.place.column);
    let faint = |text: &str| styled(Meaning::Faint, text);
    writeln!(
        out,
        "{:margin$}{} {file}:{number}:{column}",
        "",
        faint("-->")
    )?;
    if !line.text.is_empty() {
        let (shown, marks) = underlined(line, found.place.span.range().len());
        writeln!(out, "{:margin$} {}", "", faint("|"))?;
        writeln!(out, "{} {} {shown}", faint(&number), faint("|"))?;
        let marks = styled(meaning(*severity), marks.trim_end());
        let indent = " ".repeat(marks_indent(line));
        writeln!(out, "{:margin$} {} {indent}{marks}", "", faint("|"))?;
    }
    let mut entry = |label: &str, text: &str| {
        write!(out, "{:margin$} {} {label}: ", "", faint("="))?;
        hanging(out, margin + 5 + label.len(), &printable(text))
    };
    if let Some(object) = &finding.object {
        let called = called(object);
        // The API server's messages name the field already.
        if found.field.is_empty() || finding.headline().contains(&found.field) {
            entry("in", &called)?;
        } else {
            entry("in", &format!("{called}, {}", found.field))?;
        }
    }
    if let Some(releases) = &finding.releases {
        entry("release", releases)?;
    }
    for note in &found.notes {
        entry("note", note)?;
    }
    if explain {
        entry("why", rule.reason)?;
    }
    entry("help", help(finding))?;
    if let Some(fix) = &found.fix {
        entry("fix", &format!("{} (--fix does it)", fix.what))?;
    }
    Ok(())
}

/// The line as it can be shown, and carets as wide as what they stand below.
fn underlined(line: &Excerpt, length: usize) -> (String, String) {
    let end = line.before.saturating_add(length).min(line.text.len());
    let covered = line.text.get(line.before..end).unwrap_or_default();
    let width = width(&printable(covered.trim_end())).max(1);
    let (before, after) = (dots(line.cut_before), dots(line.cut_after));
    let shown = format!("{before}{}{after}", printable(&line.text));
    (shown.trim_end().to_owned(), "^".repeat(width))
}

fn marks_indent(line: &Excerpt) -> usize {
    let before = line.text.get(..line.before).unwrap_or_default();
    width(&printable(before)) + width(dots(line.cut_before))
}

fn dots(cut: bool) -> &'static str {
    if cut { "…" } else { "" }
}
