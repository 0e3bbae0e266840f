//! Runs that start at the same time: the heat map, the peaks, and how to spread them.

use std::io;

use maud::{Markup, PreEscaped, html};

use super::ShownReport;
use super::markup::{folded, foreign, remedy, table, time};
use crate::output::load::heat_map::HeatMap;
use crate::output::load::{sentences, svg};
use cronjob_text::printable::shortened;
use cronjob_text::words::{counted_in_groups, grouped};

/// The height of the column headings of the heat map.
const TOP: usize = 24;
/// The most names shown of a peak. The document has all.
const NAMES: usize = 8;
/// The most columns that these names take.
const NAMES_WIDTH: usize = 600;
const COMMANDS: usize = 20;

pub(super) fn content(shown: &ShownReport<'_>) -> io::Result<Markup> {
    let load = shown.load.load;
    let heat_map = shown.load.heat_map();
    Ok(html! {
        p { (sentences::summary(load)) "." }
        @if load.summary.starts > 0 {
            (picture(shown, &heat_map)?)
            (folded("Heat map as a table", &numbers(&heat_map)))
            h3 { "Peaks" }
            (peaks(shown))
            h3 { "How to spread them" }
            (proposal(shown))
        }
    })
}

fn picture(shown: &ShownReport<'_>, heat_map: &HeatMap) -> io::Result<Markup> {
    let (width, height) = svg::size(heat_map, TOP);
    let title = heat_map.title(shown.load.load.window, &shown.load.zone);
    let mut map = Vec::new();
    svg::map(&mut map, heat_map, TOP)?;
    Ok(html! {
        figure {
            figcaption { (title) }
            div class="wide" tabindex="0" role="group" aria-label="Heat map" {
                svg class="heat" viewBox={ "0 0 " (width) " " (height) } role="img"
                    aria-labelledby="heat-title heat-desc" {
                    title id="heat-title" { (title) }
                    desc id="heat-desc" {
                        (sentences::summary(shown.load.load)) ". The numbers are in the table below."
                    }
                    (PreEscaped(String::from_utf8_lossy(&map)))
                }
            }
        }
    })
}

fn numbers(heat_map: &HeatMap) -> Markup {
    let rows = html! {
        @for row in &heat_map.rows {
            @let cells = || row.cells.iter().flatten();
            @let most = cells().map(|cell| cell.most).max().unwrap_or(0);
            @let first = cells().find(|cell| cell.most == most && most > 0);
            tr {
                th scope="row" { (row.label) }
                td class="n" { (grouped(row.starts)) }
                td class="n" { (grouped(most)) }
                td { @if let Some(first) = first { (first.label) } }
            }
        }
    };
    let headings = [
        ("From", false),
        ("Starts", true),
        ("Most in a minute", true),
        ("First at", false),
    ];
    table("map", "Starts per row of the heat map", &headings, &rows)
}

fn peaks(shown: &ShownReport<'_>) -> Markup {
    let load = shown.load.load;
    if load.peaks.is_empty() {
        let bucket = sentences::bucket(load.window.bucket_seconds());
        return html! { p { "No two Jobs start in " (bucket) "." } };
    }
    let rows = html! {
        @for peak in &load.peaks {
            tr {
                th scope="row" { (time(peak.time)) }
                td class="n" { (grouped(peak.count)) }
                td { (sentences::lateness(load, peak)) }
                td { (foreign(&shortened(&sentences::who(peak, NAMES), NAMES_WIDTH))) }
            }
        }
    };
    let headings = [
        ("First (UTC)", false),
        ("Starts", true),
        ("Delay", false),
        ("CronJobs", false),
    ];
    html! {
        (table("peaks", "Busiest minutes", &headings, &rows))
        p class="hint" { (sentences::reason(load)) }
        @if load.summary.lost > 0 { p { (sentences::lost(load)) } }
    }
}

fn proposal(shown: &ShownReport<'_>) -> Markup {
    let suggestions = &shown.load.load.proposal.suggestions;
    let more = suggestions.len().saturating_sub(COMMANDS);
    let summary = counted_in_groups(suggestions.len(), "command");
    let commands = html! {
        ul class="commands" {
            @for suggestion in suggestions.iter().take(COMMANDS) {
                li { (remedy(&shown.load.command(suggestion).into())) }
            }
        }
        @if more > 0 {
            p { (grouped(more)) " more: " code { "load -o patch" } " prints all commands" }
        }
    };
    html! {
        p { (sentences::effect(shown.load.load)) }
        @if !suggestions.is_empty() {
            @if let Some(text) = sentences::applied(&shown.load) { p { (foreign(&text)) } }
            (folded(&summary, &commands))
        }
    }
}
