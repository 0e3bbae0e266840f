//! For people at a terminal.

use std::io::{self, Write};

use super::{
    MOST_FIELDS, called, change_in_words, is_severe, is_shown, kept_in_words, overwritten,
    peak_in_words, runs, short_path, shown, summary_in_words,
};
use crate::output::DocumentHeader;
use crate::output::lines::{entry, hanging, heading, paragraph};
use crate::output::style::{Meaning, styled};
use crate::plan::{EffectKind, FieldChange, Plan, PlanEffect, PlannedCronJob};
use crate::printable::{printable, shortened, width};

/// The column in which values begin, at most.
const WIDEST_PATH: usize = 40;

/// Writes what happens to each `CronJob`, and a summary.
pub(crate) fn text(out: &mut dyn Write, header: &DocumentHeader, plan: &Plan) -> io::Result<()> {
    let shown = plan.items.iter().filter(|item| is_shown(item));
    let mut is_first = true;
    for item in shown {
        if !is_first {
            writeln!(out)?;
        }
        is_first = false;
        write_item(out, item)?;
    }
    if !plan.unread.is_empty() {
        heading(out, "Not read")?;
        for part in &plan.unread {
            marked(out, &styled(Meaning::Bad, "!"), &printable(&part.message))?;
        }
    }
    if !plan.assumptions.is_empty() && !is_first {
        heading(out, "Assumptions")?;
        for assumption in &plan.assumptions {
            marked(out, &styled(Meaning::Faint, "-"), assumption)?;
        }
    }
    if !is_first {
        writeln!(out)?;
    }
    hanging(out, 0, &format!("{}.", summary_in_words(plan)))?;
    if let Some(peak) = peak_in_words(plan) {
        hanging(out, 0, &peak)?;
    }
    hanging(out, 0, &styled(Meaning::Faint, header.in_words()))
}

fn write_item(out: &mut dyn Write, item: &PlannedCronJob) -> io::Result<()> {
    let place = item.file.as_ref().zip(item.line);
    let place = place.map_or_else(String::new, |(file, line)| {
        let place = printable(&format!("{file}:{line}"));
        format!("  {}", styled(Meaning::Faint, place))
    });
    let name = styled(Meaning::Strong, printable(&called(item)));
    let change = printable(&change_in_words(item));
    hanging(out, 2, &format!("{name}  {change}{place}"))?;
    for reason in &item.refused {
        let text = format!("Rejected by the API server: {}", printable(reason));
        marked(out, &styled(Meaning::Bad, "!"), &text)?;
    }
    write_fields(out, &item.fields)?;
    if let Some(text) = overwritten(item) {
        marked(out, &styled(Meaning::Odd, "!"), &text)?;
    }
    for effect in &item.effects {
        let sign = sign(effect);
        marked(out, &sign, &printable(&effect.message))?;
    }
    for kept in &item.kept {
        marked(out, &styled(Meaning::Faint, "-"), &kept_in_words(kept))?;
    }
    for (label, runs) in runs(item) {
        entry(out, label, &printable(&runs))?;
    }
    Ok(())
}

fn sign(effect: &PlanEffect) -> String {
    match effect.kind {
        EffectKind::StartsNow | EffectKind::RemovesRunning | EffectKind::NeverRuns => {
            styled(Meaning::Bad, "!")
        }
        kind if is_severe(kind) => styled(Meaning::Odd, "!"),
        _ => styled(Meaning::Faint, "-"),
    }
}

fn marked(out: &mut dyn Write, sign: &str, text: &str) -> io::Result<()> {
    write!(out, "  {sign} ")?;
    hanging(out, 4, text)
}

fn shown_path(change: &FieldChange) -> String {
    const LONGEST: usize = 200;
    shortened(&printable(short_path(&change.field)), LONGEST)
}

fn write_fields(out: &mut dyn Write, fields: &[FieldChange]) -> io::Result<()> {
    let listed = fields.iter().take(MOST_FIELDS);
    let listed: Vec<(String, &FieldChange)> =
        listed.map(|change| (shown_path(change), change)).collect();
    let widths = listed.iter().map(|(path, _)| width(path));
    let column = widths.max().unwrap_or(0).min(WIDEST_PATH);
    for (path, change) in &listed {
        let (old, new) = (shown(change.old.as_ref()), shown(change.new.as_ref()));
        let padding = column.saturating_sub(width(path));
        let path = styled(Meaning::Faint, path);
        let line = format!("  {path}{:padding$}  {old} -> {new}", "");
        writeln!(out, "{line}")?;
    }
    match fields.len().saturating_sub(MOST_FIELDS) {
        0 => Ok(()),
        more => paragraph(out, 2, &format!("and {more} more fields")),
    }
}
