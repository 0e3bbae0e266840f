//! A load as an SVG: a heat map with its numbers, and the peaks below it.

use std::fmt::Display;
use std::io::{self, Write};

use super::heat_map::{ColorScale, HeatMap, HeatMapRow, HeatMapShape};
use super::{ShownLoad, sentences};
use crate::output::xml::{Escaped, begin_svg};
use cronjob_text::printable::shortened;
use cronjob_text::words::{counted_in_groups, grouped};

const MARGIN: usize = 24;
/// The width of the row labels.
const LABELS: usize = 116;
/// The width of the row totals.
const SUMS: usize = 64;
/// The top of the map, below the title and the column headings.
const TOP: usize = 92;
const LINE: usize = 20;
/// The width of a range in the legend.
const RANGE: usize = 84;
/// The maximum number of names of a peak.
const NAMES: usize = 4;
/// The maximum length of a line.
const LETTERS: usize = 130;

/// Colors by class, for light and dark backgrounds.
const STYLE: &str = include_str!("picture.css");

/// Sizes that depend on the shape.
struct Sizes {
    cell: usize,
    height: usize,
    width: usize,
}

impl Sizes {
    fn of(shape: HeatMapShape) -> Self {
        let cell = match shape {
            HeatMapShape::Hours => 18,
            HeatMapShape::Days => 34,
            HeatMapShape::Weeks => 72,
        };
        let map = LABELS + cell * shape.columns() + SUMS;
        Sizes {
            cell,
            height: 22,
            width: (map + 2 * MARGIN).max(860),
        }
    }
}

pub(super) fn svg(out: &mut dyn Write, shown: &ShownLoad<'_>) -> io::Result<()> {
    let heat_map = shown.heat_map();
    let window = shown.load.window;
    let title = sentences::summary(shown.load);
    let what = format!(
        "{}, {}",
        heat_map.title(window, &shown.zone),
        sentences::period(window, &shown.zone)
    );
    let lines = footer(shown);
    let sizes = Sizes::of(heat_map.shape);
    let below = TOP + heat_map.rows.len() * sizes.height + LINE;
    let (width, height) = (sizes.width, below + LINE * (lines.len() + 3) + MARGIN);
    let paper = format!("width=\"{width}\" height=\"{height}\"");
    let view = format!("viewBox=\"0 0 {width} {height}\"");
    let size = format!("{view} {paper} style=\"max-width: 100%; height: auto\"");
    let described = format!("{what}. {}", lines.join(" "));
    begin_svg(out, &size, &paper, &title, &described, STYLE)?;
    text(out, "title", MARGIN, 34, &title)?;
    text(out, "faint", MARGIN, 56, &what)?;
    map(out, &heat_map, TOP)?;
    for (index, line) in lines.iter().enumerate() {
        let y = below + LINE * (index + 3);
        text(out, "line", MARGIN, y, &shortened(line, LETTERS))?;
    }
    writeln!(out, "</svg>")
}

/// The width and the height of a map that begins at a height, including its legend.
pub(crate) fn size(heat_map: &HeatMap, top: usize) -> (usize, usize) {
    let sizes = Sizes::of(heat_map.shape);
    let height = top + heat_map.rows.len() * sizes.height + 2 * LINE;
    (sizes.width, height)
}

/// Draws the cells beginning at a height, with the headings above and the legend below.
pub(crate) fn map(out: &mut dyn Write, heat_map: &HeatMap, top: usize) -> io::Result<()> {
    let sizes = Sizes::of(heat_map.shape);
    headings(out, heat_map, &sizes, top)?;
    let scale = heat_map.scale();
    for (index, row) in heat_map.rows.iter().enumerate() {
        let y = top + index * sizes.height;
        draw(out, row, heat_map, scale, &sizes, y)?;
    }
    let below = top + heat_map.rows.len() * sizes.height + LINE;
    legend(out, scale, below)
}

/// The peaks and the proposal, line by line.
fn footer(shown: &ShownLoad<'_>) -> Vec<String> {
    let load = shown.load;
    let mut lines = Vec::new();
    for peak in &load.peaks {
        let (line, who) = (
            sentences::peak_line(shown, peak),
            sentences::who(peak, NAMES),
        );
        lines.push(format!("{line}: {who}"));
    }
    let proposal = &load.proposal;
    if !proposal.suggestions.is_empty() {
        lines.push(format!(
            "Proposal: schedule {} later; then at most {} in the same minute (now {}).",
            counted_in_groups(proposal.suggestions.len(), "CronJob"),
            counted_in_groups(proposal.effect.after.most_in_a_minute, "start"),
            grouped(proposal.effect.before.most_in_a_minute)
        ));
    }
    lines
}

fn text(
    out: &mut dyn Write,
    class: &str,
    x: impl Display,
    y: impl Display,
    text: &str,
) -> io::Result<()> {
    let text = Escaped(text);
    writeln!(
        out,
        "<text class=\"{class}\" x=\"{x}\" y=\"{y}\">{text}</text>"
    )
}

fn headings(out: &mut dyn Write, heat_map: &HeatMap, sizes: &Sizes, top: usize) -> io::Result<()> {
    for column in 0..heat_map.shape.columns() {
        if let Some(heading) = heat_map.shape.heading(column) {
            let x = MARGIN + LABELS + column * sizes.cell + sizes.cell / 2;
            text(out, "cell faint", x, top - 8, &heading)?;
        }
    }
    let x = MARGIN + LABELS + heat_map.shape.columns() * sizes.cell + SUMS;
    text(out, "end faint", x, top - 8, "starts")
}

fn draw(
    out: &mut dyn Write,
    row: &HeatMapRow,
    heat_map: &HeatMap,
    scale: ColorScale,
    sizes: &Sizes,
    y: usize,
) -> io::Result<()> {
    let baseline = y + sizes.height - 7;
    text(out, "faint", MARGIN, baseline, &row.label)?;
    for (column, cell) in row.cells.iter().enumerate() {
        let Some(cell) = cell else { continue };
        let x = MARGIN + LABELS + column * sizes.cell;
        let level = scale.level(cell.most);
        let peak = if heat_map.is_peak(cell) { " peak" } else { "" };
        let starts = counted_in_groups(cell.starts, "start");
        let mut label = format!("{}: {starts}", cell.label);
        if cell.most < cell.starts {
            label.push_str(&format!(", at most {} at the same time", cell.most));
        }
        writeln!(
            out,
            "<g data-most=\"{}\" data-starts=\"{}\"><title>{}</title><rect class=\"l{level}{peak}\" x=\"{x}\" \
             y=\"{y}\" width=\"{}\" height=\"{}\" rx=\"2\"/>",
            cell.most,
            cell.starts,
            Escaped(&label),
            sizes.cell - 2,
            sizes.height - 2
        )?;
        if cell.most > 0 {
            let middle = x + sizes.cell / 2 - 1;
            let letters = brief(cell.most);
            // Three do not fit into the narrowest cells at full size.
            let tight = letters.len() > 2 && heat_map.shape == HeatMapShape::Hours;
            let size = if tight { "cell tight" } else { "cell" };
            let class = format!("{size} on{level}");
            text(out, &class, middle, baseline, &letters)?;
        }
        writeln!(out, "</g>")?;
    }
    let x = MARGIN + LABELS + heat_map.shape.columns() * sizes.cell + SUMS;
    text(out, "end", x, baseline, &grouped(row.starts))
}

/// A number in three letters at most.
fn brief(number: u64) -> String {
    match number {
        0..1_000 => number.to_string(),
        1_000..1_000_000 => format!("{}k", number / 1_000),
        _ => format!("{}M", number / 1_000_000),
    }
}

fn legend(out: &mut dyn Write, scale: ColorScale, y: usize) -> io::Result<()> {
    for (index, (level, range)) in scale.ranges().into_iter().enumerate() {
        let x = MARGIN + LABELS + index * RANGE;
        writeln!(
            out,
            "<rect class=\"l{level}\" x=\"{x}\" y=\"{y}\" width=\"16\" height=\"16\" rx=\"2\"/>"
        )?;
        text(out, "faint", x + 22, y + 13, &range)?;
    }
    Ok(())
}
