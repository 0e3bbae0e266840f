//! A load as text.

use std::io::{self, Write};

use super::heat_map::{ColorScale, HeatMap, HeatMapRow, HeatMapShape, MARKS};
use super::{ShownLoad, sentences};
use crate::output::lines::{TextPage, command};
use crate::output::style::{Meaning, styled};
use crate::output::table::SCHEDULE;
use cronjob_text::printable::{printable, shortened};

/// The maximum number of names of a peak.
const NAMES: usize = 6;
/// The maximum length of the names of a peak, about six lines.
const NAMES_WIDTH: usize = 400;
/// The number of marks that the legend explains in a line.
const MARKS_PER_LINE: usize = 5;
const COMMANDS: usize = 10;

/// The summary, the heat map, the peaks, the reason of their delays, and the proposal.
pub(super) fn text(out: &mut dyn Write, shown: &ShownLoad<'_>) -> io::Result<()> {
    let load = shown.load;
    let mut page = TextPage::of_days(&shown.zone);
    page.line(styled(Meaning::Strong, sentences::summary(load)));
    page.entry("Period", sentences::period(load.window, &shown.zone));
    page.entry("Controller", shown.controller.in_words());
    if load.summary.starts > 0 {
        let map = shown.heat_map();
        heat_map(&mut page, &map, &map.title(load.window, &shown.zone));
        peaks(&mut page, shown);
        proposal(&mut page, shown);
    } else if load.summary.suspended > 0 {
        let text = "To count suspended CronJobs, use --include-suspended.";
        page.blank().paragraph(2, text);
    }
    page.write(out)
}

pub(super) fn heat_map(page: &mut TextPage, heat_map: &HeatMap, title: &str) {
    page.heading(title);
    let scale = heat_map.scale();
    let labels = heat_map.rows.iter().map(|row| row.label.chars().count());
    let width = labels.max().unwrap_or(0);
    page.line(styled(Meaning::Faint, headings(heat_map, width)));
    for row in &heat_map.rows {
        page.line(row_line(row, heat_map, scale, width));
    }
    let marks: Vec<String> = scale
        .ranges()
        .into_iter()
        .filter_map(|(level, range)| MARKS.get(level).map(|mark| format!("{mark} {range}")))
        .collect();
    for marks in marks.chunks(MARKS_PER_LINE) {
        let legend = format!("{:width$} {}", "", marks.join("   "));
        page.line(styled(Meaning::Faint, legend));
    }
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

fn row_line(row: &HeatMapRow, heat_map: &HeatMap, scale: ColorScale, width: usize) -> String {
    let cells = row.cells.iter().map(|cell| {
        let level = cell.as_ref().map(|cell| scale.level(cell.most));
        let mark = level.and_then(|level| MARKS.get(level)).unwrap_or(&' ');
        let wide: String = std::iter::repeat_n(*mark, cell_width(heat_map.shape)).collect();
        match level {
            Some(0) => styled(Meaning::Faint, wide),
            Some(_) if cell.as_ref().is_some_and(|cell| heat_map.is_peak(cell)) => {
                styled(Meaning::Odd, wide)
            }
            _ => wide,
        }
    });
    let cells: String = cells.collect();
    format!("{:width$} {cells} {:>6}", row.label, row.starts)
}

fn peaks(page: &mut TextPage, shown: &ShownLoad<'_>) {
    let load = shown.load;
    page.heading("Peaks");
    if load.peaks.is_empty() {
        let bucket = sentences::bucket(load.window.bucket_seconds());
        page.paragraph(2, format!("No two Jobs start within {bucket}."));
        return;
    }
    for peak in &load.peaks {
        page.paragraph(2, sentences::peak_line(shown, peak));
        let names = printable(&sentences::who(peak, NAMES));
        page.paragraph(6, shortened(&names, NAMES_WIDTH));
    }
    page.heading("Delays").paragraph(2, sentences::reason(load));
    if load.summary.lost > 0 {
        page.paragraph(2, sentences::lost(load));
    }
}

pub(super) fn proposal(page: &mut TextPage, shown: &ShownLoad<'_>) {
    let load = shown.load;
    page.heading("Proposal")
        .paragraph(2, sentences::effect(load));
    if let Some(text) = sentences::applied(shown) {
        page.paragraph(2, text);
    }
    let extra_runs = &shown.application.extra_runs;
    for place in extra_runs.keys().take(COMMANDS) {
        page.paragraph(6, sentences::extra_run(shown, *place).unwrap_or_default());
    }
    page.more(6, extra_runs.len(), COMMANDS, " (use -o json to list all)");
    let suggestions = &load.proposal.suggestions;
    for suggestion in suggestions.iter().take(COMMANDS) {
        let member = shown.members.get(suggestion.member);
        let was = member.map_or("", |member| member.subject.schedule.as_str());
        let was = format!("# {}", shortened(&printable(was), SCHEDULE));
        page.line(format_args!(
            "  {}  {}",
            command(&shown.command(suggestion).to_string()),
            styled(Meaning::Faint, was)
        ));
    }
    page.more(2, suggestions.len(), COMMANDS, " (use -o json to list all)");
}
