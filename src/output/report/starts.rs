//! What starts together: the heat map, the peaks, and how to spread them.

use std::io::{self, Write};

use super::Sheet;
use super::markup::{Foreign, Moment, folded, number};
use crate::output::load::heat_map::HeatMap;
use crate::output::load::{sentences, svg};
use crate::output::xml::Escaped;
use crate::printable::shortened;

/// Where the map begins, below the headings of its columns.
const TOP: usize = 24;
/// More names of a peak are in the document.
const NAMES: usize = 8;
/// Long names are cut.
const NAMES_WIDTH: usize = 600;
/// More commands are in the document.
const COMMANDS: usize = 20;

/// Writes what stands in the section.
pub(super) fn content(out: &mut dyn Write, sheet: &Sheet<'_>) -> io::Result<()> {
    let load = sheet.shown.load;
    writeln!(out, "<p>{}.</p>", sentences::summary(load))?;
    if load.summary.starts > 0 {
        let grid = HeatMap::of(&sheet.shown);
        heat_map(out, sheet, &grid)?;
        rows(out, &grid)?;
        peaks(out, sheet)?;
        proposal(out, sheet)?;
    }
    Ok(())
}

fn heat_map(out: &mut dyn Write, sheet: &Sheet<'_>, grid: &HeatMap) -> io::Result<()> {
    let (width, height) = svg::size(grid, TOP);
    let what = grid.title(&sheet.shown);
    let what = Escaped(&what);
    let summary = sentences::summary(sheet.shown.load);
    writeln!(
        out,
        "<figure><figcaption>{what}</figcaption><div class=\"wide\" tabindex=\"0\" role=\"group\" \
         aria-label=\"Heat map\"><svg class=\"heat\" viewBox=\"0 0 {width} {height}\" role=\"img\" \
         aria-labelledby=\"heat-title heat-desc\"><title id=\"heat-title\">{what}</title>\
         <desc id=\"heat-desc\">{summary}. The numbers are in the table below.</desc>"
    )?;
    svg::map(out, grid, TOP)?;
    writeln!(out, "</svg></div></figure>")
}

/// The numbers of the map.
fn rows(out: &mut dyn Write, grid: &HeatMap) -> io::Result<()> {
    folded(out, "Numbers of the heat map", |out| {
        writeln!(
            out,
            "<div class=\"wide\"><table><caption>Starts by row of the heat map</caption><thead><tr><th \
             scope=\"col\">From</th><th scope=\"col\" class=\"n\">Starts</th><th scope=\"col\" \
             class=\"n\">Most at once</th><th scope=\"col\">First at</th></tr></thead><tbody>"
        )?;
        for row in &grid.rows {
            let cells = row.cells.iter().flatten();
            let most = cells.clone().map(|cell| cell.most).max().unwrap_or(0);
            let first = cells
                .filter(|cell| cell.most == most && most > 0)
                .map(|cell| &cell.label);
            writeln!(
                out,
                "<tr><th scope=\"row\">{}</th><td class=\"n\">{}</td><td class=\"n\">{}</td><td>{}</td></tr>",
                row.label,
                number(row.starts),
                number(most),
                first.take(1).cloned().collect::<String>()
            )?;
        }
        writeln!(out, "</tbody></table></div>")
    })
}

fn peaks(out: &mut dyn Write, sheet: &Sheet<'_>) -> io::Result<()> {
    let load = sheet.shown.load;
    writeln!(out, "<h3>Peaks</h3>")?;
    if load.peaks.is_empty() {
        let bucket = sentences::bucket(load.window.bucket_seconds());
        return writeln!(out, "<p>No two start in {bucket}.</p>");
    }
    writeln!(
        out,
        "<div class=\"wide\"><table class=\"peaks\"><caption>When most of them meet</caption><thead><tr><th \
         scope=\"col\">First (UTC)</th><th scope=\"col\" class=\"n\">Starts</th><th scope=\"col\">Delay</th><th \
         scope=\"col\">Who</th></tr></thead><tbody>"
    )?;
    for peak in &load.peaks {
        let who = sentences::who(peak, NAMES);
        writeln!(
            out,
            "<tr><th scope=\"row\">{}</th><td class=\"n\">{}</td><td>{}</td><td>{}</td></tr>",
            Moment(peak.time),
            number(peak.count),
            sentences::lateness(load, peak),
            Foreign(&shortened(&who, NAMES_WIDTH))
        )?;
    }
    writeln!(out, "</tbody></table></div>")?;
    writeln!(out, "<p class=\"hint\">{}</p>", sentences::reason(load))?;
    if load.summary.lost > 0 {
        writeln!(out, "<p>{}</p>", sentences::lost(load))?;
    }
    Ok(())
}

fn proposal(out: &mut dyn Write, sheet: &Sheet<'_>) -> io::Result<()> {
    let load = sheet.shown.load;
    writeln!(
        out,
        "<h3>How to spread them</h3><p>{}</p>",
        sentences::effect(load)
    )?;
    let suggestions = &load.proposal.suggestions;
    if suggestions.is_empty() {
        return Ok(());
    }
    if let Some(text) = sentences::applied(&sheet.shown) {
        writeln!(out, "<p>{}</p>", Foreign(&text))?;
    }
    let summary = format!(
        "{} to do so",
        sentences::counted(suggestions.len() as u64, "command")
    );
    folded(out, &summary, |out| {
        writeln!(out, "<ul class=\"commands\">")?;
        for suggestion in suggestions.iter().take(COMMANDS) {
            let command = sheet.shown.command(suggestion);
            writeln!(out, "<li><code>{}</code></li>", Foreign(&command))?;
        }
        writeln!(out, "</ul>")?;
        let more = suggestions.len().saturating_sub(COMMANDS);
        if more > 0 {
            let more = number(more as u64);
            writeln!(
                out,
                "<p>and {more} more: <code>load -o patch</code> prints them all</p>"
            )?;
        }
        Ok(())
    })
}
