//! A load for people at a terminal.

use std::io::{self, Write};

use super::grid::{Grid, Row, Shape};
use super::scale::{MARKS, Scale};
use super::{Shown, words};
use crate::output::lines::{command, entry, heading, paragraph};
use crate::output::style::{Meaning, styled};
use crate::output::table::SCHEDULE;
use crate::printable::{printable, shortened};

/// More names of a peak than these are in the documents.
const NAMES: usize = 6;
/// Long names are cut: this is a good six lines of them.
const NAMES_WIDTH: usize = 400;
/// More commands than these are for `-o patch`.
const COMMANDS: usize = 10;

/// The summary, the heat map, the peaks, the reason of their delays, and the proposal.
pub fn text(out: &mut dyn Write, shown: &Shown<'_>) -> io::Result<()> {
    let load = shown.load;
    writeln!(out, "{}", styled(Meaning::Strong, words::summary(load)))?;
    let window = format!("{} to {}", load.span.from(), load.span.to());
    entry(out, "Window", &window)?;
    let controller = &shown.controller;
    let release = format!(
        "{} ({}), its clock in {}",
        match controller.model {
            "kubebuilder" => "the kubebuilder book's".to_owned(),
            _ => format!("Kubernetes {}", controller.kubernetes_version),
        },
        controller.model,
        controller.time_zone
    );
    entry(out, "Controller", &release)?;
    heat_map(out, shown)?;
    peaks(out, shown)?;
    proposal(out, shown)
}

fn heat_map(out: &mut dyn Write, shown: &Shown<'_>) -> io::Result<()> {
    let grid = Grid::of(shown);
    let title = format!(
        "Most starts in {}, {}, in {}",
        words::bucket(shown.load.span.bucket_seconds()),
        grid.shape.cell(),
        printable(shown.zone.name())
    );
    heading(out, &title)?;
    let scale = Scale::up_to(grid.most);
    let labels = grid.rows.iter().map(|row| row.label.chars().count());
    let width = labels.max().unwrap_or(0);
    writeln!(out, "{}", styled(Meaning::Faint, headings(&grid, width)))?;
    for row in &grid.rows {
        row_line(out, row, grid.shape, scale, width)?;
    }
    let marks: Vec<String> = scale
        .ranges(grid.most)
        .into_iter()
        .filter_map(|(level, range)| MARKS.get(level).map(|mark| format!("{mark} {range}")))
        .collect();
    let legend = format!("{:width$} {}", "", marks.join("   "));
    writeln!(out, "{}", styled(Meaning::Faint, legend))
}

/// How wide a cell is.
fn cell_width(shape: Shape) -> usize {
    match shape {
        Shape::Hours => 1,
        Shape::Days => 2,
        Shape::Weeks => 3,
    }
}

fn headings(grid: &Grid, width: usize) -> String {
    let cell = cell_width(grid.shape);
    let columns = grid.shape.columns();
    let mut line = format!("{:width$} ", "");
    let begin = line.chars().count();
    for column in 0..columns {
        if let Some(heading) = grid.shape.heading(column) {
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
    row: &Row,
    shape: Shape,
    scale: Scale,
    width: usize,
) -> io::Result<()> {
    write!(out, "{:width$} ", row.label)?;
    for cell in &row.cells {
        let level = cell.as_ref().map(|cell| scale.level(cell.most));
        let mark = level.and_then(|level| MARKS.get(level)).unwrap_or(&' ');
        let wide: String = std::iter::repeat_n(*mark, cell_width(shape)).collect();
        match level {
            Some(0) => write!(out, "{}", styled(Meaning::Faint, wide))?,
            Some(4) => write!(out, "{}", styled(Meaning::Odd, wide))?,
            _ => write!(out, "{wide}")?,
        }
    }
    writeln!(out, " {:>6}", row.starts)
}

fn peaks(out: &mut dyn Write, shown: &Shown<'_>) -> io::Result<()> {
    let load = shown.load;
    heading(out, "Peaks")?;
    if load.peaks.is_empty() {
        let bucket = words::bucket(load.span.bucket_seconds());
        return paragraph(out, 2, &format!("No two start in {bucket}."));
    }
    for peak in &load.peaks {
        let count = words::counted(peak.count, "start");
        let line = format!("{}  {count}, {}", peak.time, words::lateness(load, peak));
        paragraph(out, 2, &line)?;
        let names = printable(&words::who(shown, peak, NAMES));
        paragraph(out, 6, &shortened(&names, NAMES_WIDTH))?;
    }
    heading(out, "Delays")?;
    paragraph(out, 2, &words::reason(load))?;
    if load.lost > 0 {
        paragraph(out, 2, &words::lost(load))?;
    }
    Ok(())
}

fn proposal(out: &mut dyn Write, shown: &Shown<'_>) -> io::Result<()> {
    let load = shown.load;
    heading(out, "Proposal")?;
    paragraph(out, 2, &words::effect(load))?;
    if let Some(text) = words::applied(shown) {
        paragraph(out, 2, &text)?;
    }
    let extra_runs = shown.application.extra_runs.keys();
    for place in extra_runs.take(COMMANDS) {
        let text = words::extra_run(shown, *place).unwrap_or_default();
        paragraph(out, 6, &printable(&text))?;
    }
    let more = shown.application.extra_runs.len().saturating_sub(COMMANDS);
    if more > 0 {
        let more = words::grouped(more as u64);
        paragraph(out, 6, &format!("and {more} more: -o patch names them all"))?;
    }
    let suggestions = &load.proposal.suggestions;
    for suggestion in suggestions.iter().take(COMMANDS) {
        let member = shown.members.get(suggestion.member);
        let was = member.map_or("", |member| member.subject.schedule.as_str());
        writeln!(
            out,
            "  {}  {}",
            command(&shown.command(suggestion)),
            styled(
                Meaning::Faint,
                format!("# {}", shortened(&printable(was), SCHEDULE))
            )
        )?;
    }
    let more = suggestions.len().saturating_sub(COMMANDS);
    if more > 0 {
        let more = words::grouped(more as u64);
        paragraph(
            out,
            2,
            &format!("and {more} more: -o patch prints them all"),
        )?;
    }
    Ok(())
}
