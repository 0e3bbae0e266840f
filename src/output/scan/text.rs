//! The table.

use std::io::{self, Write};

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::causes::above;
use super::columns::{ScanRow, Shown};
use super::{Layout, Scan};
use crate::output::columns::{text_columns, text_table};
use crate::output::contexts::ContextAnswers;
use crate::output::style::{Meaning, styled};
use crate::output::table::{Cell, GAP};
use cronjob_controller::controller::Outcome;
use cronjob_controller::forecast::NextState;
use cronjob_diagnosis::diagnose::LastRunState;
use cronjob_diagnosis::survey::{Health, HealthSummary, Row};
use cronjob_manifest::rules::{RESUME_STARTS_IMMEDIATELY, RuleTopic, SUSPENDED};
use cronjob_text::duration::from_now;
use cronjob_text::printable::{printable, shortened};
use cronjob_text::words::{counted, counted_in_groups, grouped, plural};
use kube_cron::Zone;

/// Writes the table, and below it a summary and the next command; nothing if there are no CronJobs.
pub(crate) fn text(
    out: &mut dyn Write,
    scans: &ContextAnswers<Scan<'_>>,
    layout: Layout,
    next: Option<&str>,
) -> io::Result<()> {
    let Some(scan) = scans.as_one() else {
        return of_several(out, scans, layout);
    };
    let summary = &scan.report.summary;
    let next = next.map(|next| format!("-> {next}"));
    let width = layout.width.unwrap_or(usize::MAX).max(1);
    let lines_of_next = next.as_ref().map_or(0, |next| next.len().div_ceil(width));
    let fit = write_above(out, &[scan], layout, lines_of_next)?;
    table(out, &[scan], layout, &mut Vec::new(), fit.folded > 0)?;
    if layout.headings && summary.total > 0 {
        if fit.shown > 0 {
            writeln!(out)?;
        }
        writeln!(out, "{}{}", in_words(summary), fit.hint())?;
        if let Some(next) = next {
            writeln!(out, "{}", styled(Meaning::Help, next))?;
        }
    }
    Ok(())
}

/// Writes what is above the table, and returns what of the table fits below it, with more lines at the end.
fn write_above(
    out: &mut dyn Write,
    scans: &[&Scan<'_>],
    layout: Layout,
    lines_below: usize,
) -> io::Result<Fit> {
    let mut lines = lines_below;
    for scan in scans.iter().filter(|_| layout.headings) {
        let text = above(scan);
        lines += text.lines().count();
        out.write_all(text.as_bytes())?;
    }
    Ok(Fit::of(scans, layout, lines))
}

/// What of a long table fits in a terminal.
struct Fit {
    shown: usize,
    /// How many healthy rows are left out.
    folded: usize,
    /// Whether its first rows, which are the most severe, scroll away.
    scrolls: bool,
}

impl Fit {
    fn of(scans: &[&Scan<'_>], layout: Layout, more_lines: usize) -> Self {
        // The line of the prompt, that of headings, and those of the summary.
        const OTHERS: usize = 5;
        let rows = || scans.iter().flat_map(|scan| &scan.report.rows);
        let all = rows().count();
        let height = layout.height.filter(|_| !layout.wide && layout.headings);
        let others = OTHERS + more_lines;
        let scrolls = |rows| height.is_some_and(|height| rows + others > height);
        let healthy = rows().filter(|row| row.health == Health::Ok);
        let folded = if scrolls(all) { healthy.count() } else { 0 };
        Fit {
            shown: all - folded,
            folded,
            scrolls: scrolls(all - folded),
        }
    }

    /// How to see what is not on the screen.
    fn hint(&self) -> String {
        let ok = if self.folded > 0 {
            "; -o wide lists the healthy ones, too"
        } else {
            ""
        };
        let top = if self.scrolls {
            "; --problems-only lists only errors and warnings"
        } else {
            ""
        };
        styled(Meaning::Faint, format!("{ok}{top}"))
    }
}

/// Writes the table of several contexts, and below it the totals of each. Those without a problem share a line.
fn of_several(
    out: &mut dyn Write,
    all: &ContextAnswers<Scan<'_>>,
    layout: Layout,
) -> io::Result<()> {
    let scans: Vec<&Scan<'_>> = all.each().map(|(_, scan)| scan).collect();
    let fit = write_above(out, &scans, layout, 0)?;
    table(out, &scans, layout, &mut Vec::new(), fit.folded > 0)?;
    if !layout.headings {
        return Ok(());
    }
    if fit.shown > 0 {
        writeln!(out)?;
    }
    let (mut healthy, mut healthy_names) = (HealthSummary::default(), Vec::new());
    let mut total = HealthSummary::default();
    for context in all.contexts() {
        let summary = context.answer.as_ref().map(|scan| scan.report.summary);
        total += summary.unwrap_or_default();
        let trouble = context.trouble();
        let trouble = trouble.map(|trouble| styled(Meaning::Bad, trouble));
        match (summary, trouble) {
            (Some(summary), None) if !summary.worst().is_problem() => {
                healthy += summary;
                healthy_names.push(printable(&context.about.name));
            }
            (summary, trouble) => {
                let parts = summary.as_ref().map(in_words).into_iter().chain(trouble);
                let parts = parts.collect::<Vec<_>>().join("; ");
                writeln!(out, "{}: {parts}", printable(&context.about.name))?;
            }
        }
    }
    if !healthy_names.is_empty() {
        writeln!(out, "{}: {}", healthy_names.join(", "), in_words(&healthy))?;
    }
    writeln!(out, "{}: {}{}", all.counted(), in_words(&total), fit.hint())
}

/// Writes the table; if it is folded, without healthy rows. The widths are those of the columns above it, and grow as they
/// must.
pub(crate) fn table(
    out: &mut dyn Write,
    scans: &[&Scan<'_>],
    layout: Layout,
    widths: &mut Vec<usize>,
    is_folded: bool,
) -> io::Result<()> {
    let of_each = scans
        .iter()
        .map(|scan| scan.report.rows.iter().map(|row| (row, *scan)));
    let mut rows: Vec<(&Row, &Scan<'_>)> = of_each.flatten().collect();
    rows.retain(|(row, _)| !is_folded || row.health != Health::Ok);
    let Some((first, _)) = rows.first() else {
        return Ok(());
    };
    let has_namespaces = layout.namespaces
        || scans.iter().any(|scan| scan.report.many_namespaces)
        || rows.iter().any(|(row, _)| row.namespace != first.namespace);
    if scans.len() > 1 {
        rows.sort_by(|(one, scan), (other, others)| {
            let by_context = || scan.context.cmp(&others.context);
            layout.order.compare_all(one, other).then_with(by_context)
        });
    }
    let is_recorded = rows.iter().any(|(row, _)| row.reliability.is_some());
    let is_always_shown = |shown: Shown| match shown {
        Shown::WithContexts => scans.iter().any(|scan| scan.context.is_some()),
        Shown::WideIfRecorded => layout.wide && is_recorded,
        _ if layout.wide => true,
        Shown::Always => true,
        Shown::WithNamespaces => has_namespaces,
        Shown::IfSortedBy(order, _) => order == layout.order,
        Shown::IfItFits(_) | Shown::Wide => false,
    };
    let columns = text_columns::<ScanRow<'_>>(|shown| {
        is_always_shown(shown) || layout.width.is_some() && shown.rank().is_some()
    });
    let rows = rows.into_iter().map(|(row, scan)| ScanRow { row, scan });
    let mut table = text_table(&columns, rows);
    if let Some(width) = layout.width {
        let rank = |shown: Shown| {
            let rank = shown.rank().filter(|_| !is_always_shown(shown));
            rank.unwrap_or(0)
        };
        let mut ranked: Vec<(u8, usize, usize)> = columns
            .iter()
            .zip(table.widths())
            .enumerate()
            .map(|(index, (column, width))| (column.shown().map_or(0, rank), index, width))
            .collect();
        ranked.sort_unstable();
        // There is no gap after the last one.
        let mut left = width + GAP;
        ranked.retain(|(rank, _, width)| {
            let fits = *rank == 0 || *width <= left;
            left = left.saturating_sub(if fits { *width } else { 0 });
            fits
        });
        table.keep(|column| ranked.iter().any(|(_, shown, _)| *shown == column));
        if layout.wraps {
            table.wrap(width);
        }
    }
    out.write_all(table.text(layout.headings, widths).as_bytes())
}

/// Stands for the next run if nothing starts until something is changed.
pub(crate) const NOTHING: &str = "none";

/// Stands for the last run, or the last success, of a `CronJob` that had none.
pub(crate) const NEVER: &str = "never";

/// When the next run is due, or why it is not known: `in 12m`, `in 12m (if free)` if the running Job has
/// finished by then, `retry in 91s`, `name taken`, `blocked`, `overdue`.
pub(crate) fn next(row: &Row, distance: impl Fn(Timestamp) -> String) -> String {
    let at = row.next_run.map(distance);
    match (row.next_state, at) {
        (None, _) => NOTHING.to_owned(),
        (Some(NextState::Blocked), _) => "blocked".to_owned(),
        (Some(NextState::Overdue), _) => "overdue".to_owned(),
        (Some(NextState::Start | NextState::Waiting), Some(at)) => at,
        (Some(NextState::StartIfFinished), Some(at)) => format!("{at} (if free)"),
        (Some(NextState::Retry), Some(_)) if is_name_taken(row) => "name taken".to_owned(),
        (Some(NextState::Retry), Some(at)) => format!("retry {at}"),
        (Some(_), None) => "unknown".to_owned(),
    }
}

/// Whether a Job has the name of the one that is due: deleting it matters more than the next attempt.
fn is_name_taken(row: &Row) -> bool {
    let mut rules = row.findings.iter().map(|finding| finding.rule);
    rules.any(|rule| rule.repeats == Some(Outcome::NameTaken))
}

/// What happened to the last run.
pub(crate) fn result(row: &Row) -> Cell {
    let Some(last) = row.last_scheduled_run.as_ref().filter(|_| row.in_cluster) else {
        return "-".into();
    };
    let meaning = match last.state {
        LastRunState::Failed => Meaning::Bad,
        LastRunState::Waiting | LastRunState::Ending | LastRunState::DeletedWithoutSuccess => {
            Meaning::Odd
        }
        _ => Meaning::Plain,
    };
    Cell::new(last.state.word(), meaning)
}

pub(super) fn count(known: Option<u64>) -> Cell {
    known
        .map_or_else(|| "-".to_owned(), |count| count.to_string())
        .into()
}

pub(super) fn past(now: Timestamp, at: Option<Timestamp>) -> String {
    at.map_or_else(|| NEVER.to_owned(), |at| distance(now, known_past(now, at)))
}

/// A time that should be in the past. Clocks differ by seconds; what is further ahead is shown as it is.
pub(crate) fn known_past(now: Timestamp, at: Timestamp) -> Timestamp {
    const CLOCKS: i64 = 10;
    let is_ahead = at.as_second() - now.as_second() > CLOCKS;
    if is_ahead { at } else { at.min(now) }
}

/// `in 12m` for what is to come, and `12m` for what is past, as in kubectl's list.
pub(super) fn distance(now: Timestamp, at: Timestamp) -> String {
    from_now(now, at).replace(" ago", "")
}

/// More of a reason would push the table out of a terminal.
const REASON_WIDTH: usize = 30;

/// How wide a reason may be beside a planned end.
const REASON_WIDTH_WITH_END: usize = 18;

/// `warning: too-many-missed (+1, suspended)`, `ok (suspended until Sun 06:00 UTC: migration)`.
pub(crate) fn health(row: &Row, now: Timestamp, display: Option<&Zone>) -> String {
    let foremost = row.foremost();
    let of_suspension = [RESUME_STARTS_IMMEDIATELY.name, SUSPENDED.name];
    let has_missed = foremost.is_some_and(|it| of_suspension.contains(&it.code));
    let missed = row.missed.filter(|_| has_missed);
    let mut notes = Vec::new();
    let mut text = match (foremost, missed) {
        (Some(_), Some(missed)) => {
            notes.push(format!("missed {}", counted(missed, "run")));
            match row.health {
                Health::Ok | Health::Info => "suspended".to_owned(),
                health => format!("{}: suspended", health.as_str()),
            }
        }
        (Some(finding), None) => format!("{}: {}", row.health.as_str(), finding.code),
        (None, _) => row.health.as_str().to_owned(),
    };
    let shown =
        missed.is_some() || foremost.is_some_and(|it| it.rule.topic == Some(RuleTopic::Suspension));
    let others = row.findings.len().saturating_sub(1);
    if others > 0 {
        notes.push(format!("+{others}"));
    }
    let until = row.suspension.as_ref().and_then(|record| record.until);
    let until = until.map_or_else(String::new, |until| {
        format!(" until {}", end(now, until, display))
    });
    match &row.suspend_reason {
        Some(reason) => {
            let width = if until.is_empty() {
                REASON_WIDTH
            } else {
                REASON_WIDTH_WITH_END
            };
            let reason = shortened(reason, width);
            notes.push(format!("suspended{until}: {reason}"));
        }
        None if row.suspended && !(shown && until.is_empty()) => {
            notes.push(format!("suspended{until}"));
        }
        None => {}
    }
    if !notes.is_empty() {
        text.push_str(&format!(" ({})", notes.join(", ")));
    }
    text
}

/// A time as short as it can be, such as a planned end: a day within a week needs no date.
pub(super) fn end(now: Timestamp, until: Timestamp, display: Option<&Zone>) -> String {
    const WEEK: u64 = 6 * 86_400;
    let (zone, name) = display.map_or((TimeZone::UTC, "UTC"), |zone| {
        (zone.time_zone().clone(), zone.name())
    });
    let format = match until.as_second().abs_diff(now.as_second()) {
        ..WEEK => "%a %H:%M",
        _ => "%Y-%m-%d %H:%M",
    };
    let until = until.to_zoned(zone);
    format!("{} {name}", until.strftime(format))
}

/// The verdict and the most severe finding.
pub(super) fn detail(row: &Row) -> String {
    match row.foremost() {
        Some(finding) => format!("{}. {}", row.verdict, finding.detail),
        None => row.verdict.clone(),
    }
}

/// `12 CronJobs: 1 error, 2 warnings, 9 ok (2 suspended)`.
pub(crate) fn in_words(summary: &HealthSummary) -> String {
    summary_in_words(summary, styled)
}

/// The counts of a summary as [`in_words`] has them, with `show` in place of terminal colors.
pub(crate) fn summary_in_words(
    summary: &HealthSummary,
    show: impl Fn(Meaning, String) -> String,
) -> String {
    let counts = [
        (summary.error, "error", "errors", Meaning::Bad),
        (summary.warning, "warning", "warnings", Meaning::Odd),
        (summary.info, "info", "info", Meaning::Plain),
        (summary.ok, "ok", "ok", Meaning::Plain),
    ];
    let shown: Vec<String> = counts
        .into_iter()
        .filter(|(count, ..)| *count > 0)
        .map(|(count, one, more, meaning)| {
            let word = plural(count, one, more);
            show(meaning, format!("{} {word}", grouped(count)))
        })
        .collect();
    let total = counted_in_groups(summary.total, "CronJob");
    let colon = if shown.is_empty() { "" } else { ": " };
    let mut text = format!("{total}{colon}{}", shown.join(", "));
    if summary.suspended > 0 {
        text.push_str(&format!(" ({} suspended)", grouped(summary.suspended)));
    }
    text
}
