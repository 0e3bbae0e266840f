//! What changed since an earlier scan: what is new first, then what is gone, then how much stayed.

use std::io::{self, Write};

use super::{Layout, Scan, meaning};
use crate::diagnose::{Severity, utc_or};
use crate::output::style::Meaning;
use crate::output::table::{Cell, Table};
use crate::printable::printable;
use crate::schedule::Zone;
use crate::survey::{FindingChange, Health, ScanChanges};
use crate::words::plural;

pub(super) struct ChangeRow<'a> {
    pub change: &'static str,
    pub namespace: &'a str,
    pub name: &'a str,
    /// `error: last-run-failed`
    pub finding: String,
    pub meaning: Meaning,
    pub is_new_error: bool,
    pub detail: &'a str,
}

/// All changes in the order in which they are shown.
pub(super) fn change_rows(changes: &ScanChanges) -> Vec<ChangeRow<'_>> {
    let (more, less): (Vec<_>, Vec<_>) = changes
        .severity_changes
        .iter()
        .partition(|change| change.severity > change.earlier_severity);
    let new = changes.new.iter().map(|change| row("new", change));
    let more = more.into_iter().map(|change| row("more severe", change));
    let less = less.into_iter().map(|change| row("less severe", change));
    let gone = changes.gone.iter().map(|change| ChangeRow {
        meaning: Meaning::Faint,
        ..row("gone", change)
    });
    let cron_jobs = [("added", &changes.added), ("removed", &changes.removed)];
    let [added, removed] = cron_jobs.map(|(change, names)| {
        names.iter().map(move |cron_job| ChangeRow {
            change,
            namespace: &cron_job.namespace,
            name: &cron_job.name,
            finding: "CronJob".to_owned(),
            meaning: Meaning::Plain,
            is_new_error: false,
            detail: "",
        })
    });
    let appeared = new.chain(more).chain(added);
    appeared.chain(gone).chain(less).chain(removed).collect()
}

fn row<'a>(change: &'static str, finding: &'a FindingChange) -> ChangeRow<'a> {
    let (now, earlier) = (finding.severity, finding.earlier_severity);
    let severity = now.or(earlier);
    let word = severity.map_or("", |severity| severity.as_str());
    let mut text = format!("{word}: {}", finding.code);
    if let (Some(_), Some(earlier)) = (now, earlier) {
        text.push_str(&format!(" (was {})", earlier.as_str()));
    }
    ChangeRow {
        change,
        namespace: &finding.namespace,
        name: &finding.name,
        finding: text,
        meaning: severity.map_or(Meaning::Plain, |severity| meaning(Health::from(severity))),
        is_new_error: now == Some(Severity::Error) && now > earlier,
        detail: &finding.detail,
    }
}

/// Writes the changes; nothing if there are none.
pub(super) fn table(
    out: &mut dyn Write,
    scan: &Scan<'_>,
    changes: &ScanChanges,
    layout: Layout,
) -> io::Result<()> {
    let rows = change_rows(changes);
    let Some(first) = rows.first() else {
        return Ok(());
    };
    let namespaces = layout.namespaces
        || scan.report.many_namespaces
        || rows.iter().any(|row| row.namespace != first.namespace);
    let mut headings = vec!["CHANGE"];
    headings.extend(namespaces.then_some("NAMESPACE"));
    headings.extend(["NAME", "FINDING"]);
    headings.extend(layout.wide.then_some("DETAIL"));
    let mut table = Table::new(headings);
    for row in &rows {
        let mut cells: Vec<Cell> = vec![row.change.into()];
        cells.extend(namespaces.then(|| Cell::from(row.namespace)));
        cells.push(row.name.into());
        cells.push(Cell::new(&row.finding, row.meaning));
        cells.extend(layout.wide.then(|| Cell::from(row.detail)));
        table.push(cells);
    }
    table.write(out, layout.headings)?;
    if layout.headings {
        writeln!(out)?;
    }
    Ok(())
}

/// Writes the counts and what limits the comparison.
pub(super) fn summary(
    out: &mut dyn Write,
    changes: &ScanChanges,
    display: Option<&Zone>,
) -> io::Result<()> {
    writeln!(out, "{}", in_words(changes, display))?;
    for note in &changes.notes {
        writeln!(out, "{}", printable(note))?;
    }
    Ok(())
}

/// `2 new findings, 1 gone, 14 unchanged since Sat 2026-11-21 02:00 UTC`
pub(super) fn in_words(changes: &ScanChanges, display: Option<&Zone>) -> String {
    let changed = match changes.severity_changes.len() {
        0 => String::new(),
        count => format!("{count} changed, "),
    };
    format!(
        "{} new {}, {changed}{} gone, {} unchanged since {}",
        changes.new.len(),
        plural(changes.new.len(), "finding", "findings"),
        changes.gone.len(),
        changes.still,
        utc_or(display, changes.at)
    )
}
