//! For people at a terminal.

use std::io::{self, Write};

use jiff::tz::TimeZone;

use super::{
    MOST_FIELDS, change_in_words, is_severe, is_shown, kept_in_words, overwritten, peak_in_words,
    qualified_name, runs, short_path, shown, shown_assumptions, shown_effects, summary_in_words,
    zone_name,
};
use crate::output::DocumentHeader;
use crate::output::lines::TextPage;
use crate::output::style::{Meaning, styled};
use cronjob_diagnosis::plan::{EffectKind, FieldChange, Plan, PlanEffect, PlannedCronJob};
use cronjob_text::printable::{printable, shortened, width};
use cronjob_text::text::Text;

/// The column in which values begin, at most.
const WIDEST_PATH: usize = 40;

/// Writes what happens to each `CronJob`, and a summary.
pub(super) fn text(out: &mut dyn Write, header: &DocumentHeader, plan: &Plan) -> io::Result<()> {
    let mut page = TextPage::default();
    let items: Vec<&PlannedCronJob> = plan.items.iter().filter(|item| is_shown(item)).collect();
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            page.blank();
        }
        let zone = zone_of(item);
        page.begin_part(header.now, &zone, zone_name(&zone));
        add_item(&mut page, item);
    }
    if !plan.unread.is_empty() {
        page.heading("Not read");
        for part in &plan.unread {
            marked(&mut page, SEVERE, &part.message);
        }
    }
    if !items.is_empty() {
        let mut assumptions = shown_assumptions(plan).peekable();
        if assumptions.peek().is_some() {
            page.heading("Assumptions");
        }
        for assumption in assumptions {
            marked(&mut page, MINOR, assumption);
        }
        page.blank();
    }
    page.paragraph(0, format!("{}.", summary_in_words(plan)));
    if let Some(peak) = peak_in_words(plan) {
        page.paragraph(0, peak);
    }
    if !header.controller.is_as_read() {
        page.hanging("", 0, &styled(Meaning::Faint, header.in_words()));
    }
    page.write(out)
}

/// The time zone of its runs, or else UTC.
fn zone_of(item: &PlannedCronJob) -> TimeZone {
    let run = item.runs_after.iter().chain(&item.runs_before).next();
    run.map_or(TimeZone::UTC, |run| run.local_time.time_zone().clone())
}

fn add_item(page: &mut TextPage, item: &PlannedCronJob) {
    let place = item.file.as_ref().zip(item.line);
    let place = place.map_or_else(String::new, |(file, line)| {
        let place = printable(&format!("{file}:{line}"));
        format!("  {}", styled(Meaning::Faint, place))
    });
    let name = styled(Meaning::Strong, printable(&qualified_name(item)));
    let change = printable(&change_in_words(item));
    page.hanging("", 2, &format!("{name}  {change}{place}"));
    for reason in &item.refused {
        marked(
            page,
            SEVERE,
            format!("Rejected by the API server: {reason}"),
        );
    }
    add_fields(page, &item.fields);
    if let Some(text) = overwritten(item) {
        marked(page, NOTEWORTHY, text);
    }
    for effect in shown_effects(item) {
        marked(page, sign(effect), &effect.message);
    }
    for kept in &item.kept {
        marked(page, MINOR, kept_in_words(kept));
    }
    for (label, runs) in runs(item) {
        page.entry(label, runs);
    }
}

/// What a line begins with.
type Sign = (Meaning, &'static str);

const SEVERE: Sign = (Meaning::Bad, "!");
const NOTEWORTHY: Sign = (Meaning::Odd, "!");
const MINOR: Sign = (Meaning::Faint, "-");

fn sign(effect: &PlanEffect) -> Sign {
    match effect.kind {
        EffectKind::StartsNow | EffectKind::RemovesRunning | EffectKind::NeverRuns => SEVERE,
        kind if is_severe(kind) => NOTEWORTHY,
        _ => MINOR,
    }
}

fn marked(page: &mut TextPage, (meaning, sign): Sign, text: impl Into<Text>) {
    page.item(&format!("  {} ", styled(meaning, sign)), text);
}

fn shown_path(change: &FieldChange) -> String {
    const LONGEST: usize = 200;
    shortened(&printable(short_path(&change.field)), LONGEST)
}

fn add_fields(page: &mut TextPage, fields: &[FieldChange]) {
    let listed = fields.iter().take(MOST_FIELDS);
    let listed: Vec<(String, &FieldChange)> =
        listed.map(|change| (shown_path(change), change)).collect();
    let widths = listed.iter().map(|(path, _)| width(path));
    let column = widths.max().unwrap_or(0).min(WIDEST_PATH);
    for (path, change) in &listed {
        let (old, new) = (shown(change.old.as_ref()), shown(change.new.as_ref()));
        let padding = column.saturating_sub(width(path));
        let path = styled(Meaning::Faint, path);
        page.line(format_args!("  {path}{:padding$}  {old} -> {new}", ""));
    }
    page.more(2, fields.len(), MOST_FIELDS, " fields");
}
