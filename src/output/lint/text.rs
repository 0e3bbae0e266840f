//! Text: the line, a caret below it, the reason, and what to do.

use std::borrow::Cow;
use std::collections::HashSet;
use std::io::{self, Write};

use annotate_snippets::renderer::{AnsiColor, Style};
use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Renderer, Snippet};

use super::{LONGEST_NAME, display_name, headline, help};
use crate::output::lines::wrapped;
use crate::output::style::{Meaning, styled};
use cronjob_diagnosis::diagnose::Severity;
use cronjob_manifest::lint::{Excerpt, LintFinding, LintReport};
use cronjob_text::printable::{printable, shortened};

/// Writes the findings, each with an empty line behind it.
pub fn text(out: &mut dyn Write, report: &LintReport) -> io::Result<()> {
    let mut explained = HashSet::new();
    for finding in &report.findings {
        // The reason is shown only once for each rule.
        let explain = explained.insert(finding.lint.code);
        writeln!(out, "{}", shown(finding, explain))?;
    }
    Ok(())
}

/// The colors of [`style`](crate::output::style), which are removed unless the output is a terminal.
const RENDERER: Renderer = Renderer::styled()
    .error(AnsiColor::Red.on_default().bold())
    .warning(AnsiColor::Yellow.on_default())
    .info(Style::new().bold())
    .emphasis(Style::new().bold())
    .line_num(Style::new().dimmed())
    // Excerpts are already short, and logs should contain them completely.
    .term_width(10_000);

fn shown(finding: &LintFinding, explain: bool) -> String {
    let (severity, found, line) = (finding.severity, &finding.found, &finding.line);
    let level = match severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Info => Level::INFO,
    };
    let (number, column) = (found.place.line, found.place.column);
    let margin = number.to_string().len();
    let head = styled(
        Meaning::from(severity),
        format!(
            "{}[{} {}]",
            severity.as_str(),
            finding.lint.code,
            finding.rule.name
        ),
    );
    let message = styled(Meaning::Strong, headline(finding));
    let arrow = styled(Meaning::Faint, "-->");
    // The excerpt may begin in the middle of a line, and annotate_snippets would count columns from there.
    let place = format!("{}:{number}:{column}", printable(&finding.file));
    let place = match &finding.object {
        Some(object) => {
            let name = shortened(&printable(&display_name(object)), LONGEST_NAME);
            // The line of a rendered text is in no file, so the object comes first.
            if finding.rendered {
                format!("{name} ({place})")
            } else {
                format!("{place} ({name})")
            }
        }
        None => place,
    };
    let mut text = format!("{head}: {message}\n{:margin$}{arrow} {place}\n", "");
    let mut group = Group::with_level(level);
    if !line.text.is_empty() {
        group = group.element(excerpt(line, number, found.place.span.range().len()));
    }
    let mut entries: Vec<(&str, Cow<'_, str>)> = Vec::new();
    entries.extend(finding.releases.iter().map(|text| ("version", text.into())));
    entries.extend(found.notes.iter().map(|text| ("note", text.into())));
    if explain {
        entries.push(("why", finding.rule.reason.into()));
    }
    entries.extend(help(finding).map(|help| ("help", help.into())));
    if let Some(fix) = &found.fix {
        entries.push((
            "fix",
            format!("{} (apply with --fix)", fix.description).into(),
        ));
    }
    if !line.text.is_empty() {
        text.push_str(&RENDERER.render(&[group]));
        text.push('\n');
    }
    for (label, entry) in entries {
        text.push_str(&note(margin, label, &printable(&entry)));
    }
    text
}

/// A line such as `= help: …`, below the excerpt.
fn note(margin: usize, label: &str, text: &str) -> String {
    let indent = margin + 5 + label.len();
    let lines = wrapped(indent, text).join(&format!("\n{:indent$}", ""));
    let (sign, label) = (styled(Meaning::Faint, "="), styled(Meaning::Strong, label));
    format!("{:margin$} {sign} {label}: {lines}\n", "")
}

/// The printable line, with the part that is marked.
fn excerpt(line: &Excerpt, number: u32, length: usize) -> Snippet<'static, Annotation<'static>> {
    let (before, rest) = line.text.split_at_checked(line.before).unwrap_or_default();
    let marked = rest.get(..length).unwrap_or(rest).trim_end();
    let dots = |cut: bool| if cut { "…" } else { "" };
    let mut source = format!("{}{}", dots(line.cut_before), printable(before));
    let from = source.len();
    source.push_str(&printable(rest));
    source.push_str(dots(line.cut_after));
    Snippet::source(source)
        .line_start(number as usize)
        .annotation(AnnotationKind::Primary.span(from..from + printable(marked).len()))
}
