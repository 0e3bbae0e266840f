//! What is wrong with many `CronJob`s, above their rows: the controller is down, or several fail for the same object.

use super::Scan;
use super::text::end;
use crate::output::lines::TextPage;
use crate::output::markdown::{MarkdownPage, code, sentence};
use crate::output::style::{Meaning, styled};
use cronjob_diagnosis::diagnose::CauseKind;
use cronjob_diagnosis::survey::SharedCause;
use cronjob_text::printable::printable;
use cronjob_text::words::counted_in_groups;

/// How many causes are shown.
const MOST: usize = 5;

/// The causes that are shown, each with its sentence, and how many are not.
pub(crate) fn causes<'a>(
    scan: &'a Scan<'_>,
) -> (
    impl Iterator<Item = (&'a SharedCause, String)>,
    Option<String>,
) {
    let causes = &scan.report.causes;
    let shown = causes.iter().take(MOST).map(move |cause| {
        let since = cause.since.map_or_else(String::new, |since| {
            // A change is an event, the others are states.
            let word = if cause.kind == CauseKind::Change {
                "at"
            } else {
                "since"
            };
            let since = end(scan.now(), since, scan.display.as_deref());
            format!(", {word} {since}")
        });
        (cause, format!("{}{since}", cause.text))
    });
    let more = causes.len().saturating_sub(MOST);
    let more =
        (more > 0).then(|| format!("and {}: -o json", counted_in_groups(more, "more cause")));
    (shown, more)
}

/// The lines above the table, with an empty line below them.
pub(crate) fn above(scan: &Scan<'_>) -> String {
    let context = scan
        .context
        .map_or_else(String::new, |name| format!("{}: ", printable(name)));
    let mut page = TextPage::default();
    if let Some(outage) = &scan.report.outage {
        let text = format!("error: {context}{}", printable(&outage.text));
        let arrow = styled(Meaning::Help, "->");
        page.line(styled(Meaning::Bad, text));
        page.line(format_args!("{arrow} {}", printable(&outage.remedy.text)));
    }
    let (shown, more) = causes(scan);
    for (cause, text) in shown {
        let severity = format!("{}: ", cause.severity.as_str());
        let lead = format!("{}{context}", styled(cause.severity.into(), severity));
        let remedy = cause.remedy.clone().without_notes();
        page.item(&lead, text).remedy(0, &remedy);
    }
    if let Some(more) = more {
        page.line(more);
    }
    let mut causes = scan.report.causes.iter();
    let several = causes.clone().find(|cause| cause.namespace.is_none());
    let list = several.or(causes.next());
    if let Some(note) = list.and_then(|cause| cause.remedy.notes.last())
        && let Some(command) = &note.command
    {
        let text = format!("   # {}: {}", note.text, printable(command));
        page.line(styled(Meaning::Faint, text));
    }
    let lines = String::from(page);
    if lines.is_empty() {
        lines
    } else {
        format!("{lines}\n")
    }
}

/// Adds what is above the table in Markdown.
pub(super) fn markdown(page: &mut MarkdownPage, scan: &Scan<'_>) {
    if let Some(outage) = &scan.report.outage {
        let remedy = code(&outage.remedy.text);
        page.paragraph(&format!("**{}.** {remedy}", sentence(&outage.text)));
    }
    let (shown, more) = causes(scan);
    for (cause, text) in shown {
        let remedy = code(&cause.remedy.text);
        page.paragraph(&format!("**{}.** {remedy}", sentence(&text)));
    }
    if let Some(more) = more {
        page.paragraph(&more);
    }
}
