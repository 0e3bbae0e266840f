//! A load as text.

use std::io::{self, Write};

use super::heat_map::{ColorScale, HeatMap, HeatMapRow, HeatMapShape, MARKS};
use super::{ShownLoad, sentences};
use crate::output::lines::{command, entry, heading, paragraph};
use crate::output::style::{Meaning, styled};
use crate::output::table::SCHEDULE;
use crate::printable::{printable, shortened};
use crate::words::grouped;

/// The maximum number of names of a peak.
const NAMES: usize = 6;
/// The maximum length of the names of a peak, about six lines.
const NAMES_WIDTH: usize = 400;
/// The number of marks that the legend explains in a line.
const MARKS_PER_LINE: usize = 5;
const COMMANDS: usize = 10;

/// The summary, the heat map, the peaks, the reason of their delays, and the proposal.
pub(crate) fn text(out: &mut dyn Write, shown: &ShownLoad<'_>) -> io::Result<()> {
    let load = shown.load;
    writeln!(out, "{}", styled(Meaning::Strong, sentences::summary(load)))?;
    let local = |at| sentences::local(&shown.zone, at);
    let period = format!(
        "{} to {}",
        local(load.window.from()),
        local(load.window.to())
    );
    entry(out, "Period", &printable(&period))?;
    let controller = &shown.controller;
    let release = format!(
        "{} ({}), time zone {}",
        match controller.model {
            "kubebuilder" => "kubebuilder tutorial".to_owned(),
            _ => format!("Kubernetes {}", controller.kubernetes_version),
        },
        controller.model,
        controller.time_zone
    );
    entry(out, "Controller", &release)?;
    if load.summary.starts == 0 {
        if load.summary.suspended > 0 {
            writeln!(out)?;
            paragraph(
                out,
                2,
                "To count suspended CronJobs, use --include-suspended.",
            )?;
        }
        return Ok(());
    }
    heat_map(out, shown)?;
    peaks(out, shown)?;
    proposal(out, shown)
}

fn heat_map(out: &mut dyn Write, shown: &ShownLoad<'_>) -> io::Result<()> {
    let heat_map = HeatMap::of(shown);
    heading(out, &printable(&heat_map.title(shown)))?;
    let scale = ColorScale::up_to(heat_map.most);
    let labels = heat_map.rows.iter().map(|row| row.label.chars().count());
    let width = labels.max().unwrap_or(0);
    writeln!(
        out,
        "{}",
        styled(Meaning::Faint, headings(&heat_map, width))
    )?;
    for row in &heat_map.rows {
        row_line(out, row, &heat_map, scale, width)?;
    }
    let marks: Vec<String> = scale
        .ranges(heat_map.most)
        .into_iter()
        .filter_map(|(level, range)| MARKS.get(level).map(|mark| format!("{mark} {range}")))
        .collect();
    for marks in marks.chunks(MARKS_PER_LINE) {
        let legend = format!("{:width$} {}", "", marks.join("   "));
        writeln!(out, "{}", styled(Meaning::Faint, legend))?;
    }
    Ok(())
}

fn cell_width(shape: HeatMapShape) -> usize {
    match shape {
        HeatMapShape::Hours => 1,
        HeatMapShape::Days => 2,
        HeatMapShape::Weeks => 3,
    }
}

fn headings(heat_map: &HeatMap, width: usize) -> String {
    let cell = cell_width(heat_map.shape);
    let columns = heat_map.shape.columns();
    let mut line = format!("{:width$} ", "");
    let begin = line.chars().count();
    for column in 0..columns {
        if let Some(heading) = heat_map.shape.heading(column) {
            let missing = (begin + column * cell).saturating_sub(line.chars().count());
            line.push_str(&" ".repeat(missing));
            line.push_str(&heading);
        }
    }
    let missing = (begin + columns * cell).saturating_sub(line.chars().count());
    format!("{line}{} STARTS", " ".repeat(missing))
}

fn row_line(
    out: &mut dyn Write,
    row: &HeatMapRow,
    heat_map: &HeatMap,
    scale: ColorScale,
    width: usize,
) -> io::Result<()> {
    write!(out, "{:width$} ", row.label)?;
    for cell in &row.cells {
        let level = cell.as_ref().map(|cell| scale.level(cell.most));
        let mark = level.and_then(|level| MARKS.get(level)).unwrap_or(&' ');
        let wide: String = std::iter::repeat_n(*mark, cell_width(heat_map.shape)).collect();
        match level {
            Some(0) => write!(out, "{}", styled(Meaning::Faint, wide))?,
            Some(_) if cell.as_ref().is_some_and(|cell| heat_map.is_peak(cell)) => {
                write!(out, "{}", styled(Meaning::Odd, wide))?;
            }
            _ => write!(out, "{wide}")?,
        }
    }
    writeln!(out, " {:>6}", row.starts)
}

fn peaks(out: &mut dyn Write, shown: &ShownLoad<'_>) -> io::Result<()> {
    let load = shown.load;
    heading(out, "Peaks")?;
    if load.peaks.is_empty() {
        let bucket = sentences::bucket(load.window.bucket_seconds());
        return paragraph(out, 2, &format!("No two Jobs start within {bucket}."));
    }
    for peak in &load.peaks {
        paragraph(out, 2, &printable(&sentences::peak_line(shown, peak)))?;
        let names = printable(&sentences::who(peak, NAMES));
        paragraph(out, 6, &shortened(&names, NAMES_WIDTH))?;
    }
    heading(out, "Delays")?;
    paragraph(out, 2, &sentences::reason(load))?;
    if load.summary.lost > 0 {
        paragraph(out, 2, &sentences::lost(load))?;
    }
    Ok(())
}

fn proposal(out: &mut dyn Write, shown: &ShownLoad<'_>) -> io::Result<()> {
    let load = shown.load;
    heading(out, "Proposal")?;
    paragraph(out, 2, &sentences::effect(load))?;
    if let Some(text) = sentences::applied(shown) {
        paragraph(out, 2, &text)?;
    }
    let extra_runs = shown.application.extra_runs.keys();
    for place in extra_runs.take(COMMANDS) {
        let text = sentences::extra_run(shown, *place).unwrap_or_default();
        paragraph(out, 6, &printable(&text))?;
    }
    let more = shown.application.extra_runs.len().saturating_sub(COMMANDS);
    if more > 0 {
        let more = grouped(more as u64);
        paragraph(
            out,
            6,
            &format!("and {more} more (use -o patch to list all)"),
        )?;
    }
    let suggestions = &load.proposal.suggestions;
    for suggestion in suggestions.iter().take(COMMANDS) {
        let member = shown.members.get(suggestion.member);
        let was = member.map_or("", |member| member.subject.schedule.as_str());
        writeln!(
            out,
            "  {}  {}",
            command(&shown.command(suggestion).to_string()),
            styled(
                Meaning::Faint,
                format!("# {}", shortened(&printable(was), SCHEDULE))
            )
        )?;
    }
    let more = suggestions.len().saturating_sub(COMMANDS);
    if more > 0 {
        let more = grouped(more as u64);
        paragraph(
            out,
            2,
            &format!("and {more} more (use -o patch to print all)"),
        )?;
    }
    Ok(())
}
