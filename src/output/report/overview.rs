//! How they all are, at a glance: counts by health, and what was found most often.

use std::io::{self, Write};

use super::Sheet;
use super::markup::{badge, counted, folded, number};
use crate::output::xml::Escaped;
use crate::survey::HealthSummary;

/// A count that leads to what it counts.
struct Tile {
    word: &'static str,
    label: &'static str,
    count: usize,
}

fn tiles(summary: &HealthSummary) -> [Tile; 5] {
    let tile = |word, label, count| Tile { word, label, count };
    [
        tile("error", "something does not work", summary.error),
        tile("warning", "something is lost, or will be", summary.warning),
        tile("info", "something is worth knowing", summary.info),
        tile("ok", "nothing was found", summary.ok),
        tile("suspended", "whatever their health", summary.suspended),
    ]
}

/// Writes what stands in the section.
pub(super) fn content(out: &mut dyn Write, sheet: &Sheet<'_>) -> io::Result<()> {
    let summary = &sheet.report.survey.summary;
    writeln!(out, "<ul class=\"tiles\">")?;
    for Tile { word, label, count } in tiles(summary) {
        writeln!(
            out,
            "<li><a class=\"tile\" href=\"#cronjobs\" data-state=\"{word}\" data-count=\"{count}\">\
             <b>{}</b>{}<small>{label}</small></a></li>",
            number(count as u64),
            badge(word)
        )?;
    }
    writeln!(out, "</ul>")?;
    if summary.total > 0 {
        proportions(out, summary)?;
    }
    frequencies(out, sheet)
}

/// The four healths as parts of a line.
fn proportions(out: &mut dyn Write, summary: &HealthSummary) -> io::Result<()> {
    let parts = [
        ("error", summary.error),
        ("warning", summary.warning),
        ("info", summary.info),
        ("ok", summary.ok),
    ];
    let words: Vec<String> = parts
        .iter()
        .map(|(word, count)| format!("{count} {word}"))
        .collect();
    writeln!(
        out,
        "<svg class=\"proportions\" viewBox=\"0 0 1000 10\" preserveAspectRatio=\"none\" role=\"img\" \
         aria-labelledby=\"proportions-title proportions-desc\"><title id=\"proportions-title\">CronJobs by \
         health</title><desc id=\"proportions-desc\">{}</desc>",
        words.join(", ")
    )?;
    let mut before = 0;
    for (word, count) in parts.into_iter().filter(|(_, count)| *count > 0) {
        let place = |sum: usize| sum * 1000 / summary.total;
        let (x, end) = (place(before), place(before + count));
        writeln!(
            out,
            "<rect class=\"fill-{word}\" data-count=\"{count}\" x=\"{x}\" width=\"{}\" height=\"10\"/>",
            end - x
        )?;
        before += count;
    }
    writeln!(out, "</svg>")
}

fn frequencies(out: &mut dyn Write, sheet: &Sheet<'_>) -> io::Result<()> {
    let frequencies = &sheet.report.frequencies;
    if frequencies.is_empty() {
        return Ok(());
    }
    let summary = format!("What was found: {}", counted(frequencies.len(), "kind"));
    folded(out, &summary, |out| {
        writeln!(
            out,
            "<div class=\"wide\"><table class=\"codes\"><caption>Findings by code</caption><thead><tr><th \
             scope=\"col\">Severity</th><th scope=\"col\">Code</th><th scope=\"col\">What it is</th><th \
             scope=\"col\" class=\"n\">CronJobs</th></tr></thead><tbody>"
        )?;
        for frequency in frequencies {
            let code = frequency.code;
            writeln!(
                out,
                "<tr><td>{}</td><th scope=\"row\"><a href=\"#findings\" data-code=\"{code}\">{code}</a></th>\
                 <td>{}</td><td class=\"n\">{}</td></tr>",
                badge(frequency.severity.as_str()),
                Escaped(frequency.title),
                number(frequency.count as u64)
            )?;
        }
        writeln!(out, "</tbody></table></div>")
    })
}
