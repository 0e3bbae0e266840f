//! What became of past slots: of all together, and the figures of each `CronJob`.

use std::io::{self, Write};

use super::Sheet;
use super::bars::Bars;
use super::markup::{Count, Foreign, Named, number};
use super::table::{Column, Table};
use crate::duration::human;
use crate::history::{CronJobHistory, HistorySummary};
use crate::survey::Row;

const COLUMNS: [Column; 10] = [
    Column::up("CronJob", "who"),
    Column::down("Slots", "n"),
    Column::down("On time", "n"),
    Column::down("Late", "n"),
    Column::down("Skipped", "n"),
    Column::down("Failed", "n"),
    Column::down("Delay p95", "n"),
    Column::down("Delay max", "n"),
    Column::down("Duration p95", "n"),
    Column::down("Duration max", "n"),
];

/// Writes what stands in the section.
pub(super) fn content(out: &mut dyn Write, sheet: &Sheet<'_>) -> io::Result<()> {
    let (past, sums) = (&sheet.report.past, &sheet.report.past.summary);
    if sums.runs == 0 {
        writeln!(out, "<p>No past slot is known of.</p>")?;
    } else {
        writeln!(
            out,
            "<p>{} that lie in the past: as far back as the Jobs of each CronJob reach. {} succeeded, {} \
             failed.</p>",
            crate::output::load::sentences::counted(sums.runs, "slot"),
            number(sums.succeeded),
            number(sums.failed)
        )?;
        fates(out, sums)?;
        writeln!(out, "<div class=\"pair\"><div>")?;
        let delays = Bars {
            id: "delays",
            title: "How late runs were started",
            what: "Runs",
            histogram: &past.delays,
            spread: sums.delay_seconds,
        };
        delays.write(out)?;
        writeln!(out, "</div><div>")?;
        let durations = Bars {
            id: "durations",
            title: "How long runs took",
            what: "Runs",
            histogram: &past.durations,
            spread: sums.duration_seconds,
        };
        durations.write(out)?;
        writeln!(out, "</div></div>")?;
        let caption = "Figures of each CronJob; its slots are in its explanation";
        let mut table = Table::begin(out, "past", caption, &COLUMNS, "")?;
        let rows = &sheet.report.survey.rows;
        for (index, (item, row)) in sheet.report.histories.iter().zip(rows).enumerate() {
            one(table.row()?, index, item, row)?;
        }
        table.end()?;
    }
    Ok(())
}

/// What became of the slots, as parts of a line.
fn fates(out: &mut dyn Write, sums: &HistorySummary) -> io::Result<()> {
    let mut parts = vec![
        ("on-time", "on time", sums.on_time),
        ("late", "late", sums.late),
        ("backfilled", "backfilled", sums.backfilled),
        ("running", "running", sums.running),
        ("skipped", "skipped", sums.skipped),
        ("unknown", "unknown", sums.unknown),
    ];
    // Few clusters have any.
    parts.retain(|(class, _, count)| *class != "backfilled" || *count > 0);
    let words: Vec<String> = parts
        .iter()
        .map(|(_, word, count)| format!("{} {word}", number(*count)))
        .collect();
    writeln!(
        out,
        "<figure><svg class=\"proportions\" viewBox=\"0 0 1000 10\" preserveAspectRatio=\"none\" role=\"img\" \
         aria-labelledby=\"fates-title fates-desc\"><title id=\"fates-title\">What became of past slots</title>\
         <desc id=\"fates-desc\">{}</desc>",
        words.join(", ")
    )?;
    let mut before = 0;
    for (class, _, count) in parts.iter().filter(|(_, _, count)| *count > 0) {
        let place = |sum: u64| sum * 1000 / sums.runs.max(1);
        let (x, end) = (place(before), place(before + count));
        writeln!(
            out,
            "<rect class=\"fill-{class}\" data-count=\"{count}\" x=\"{x}\" width=\"{}\" height=\"10\"/>",
            end - x
        )?;
        before += count;
    }
    writeln!(out, "</svg><figcaption class=\"legend\">")?;
    for (class, word, count) in parts {
        writeln!(
            out,
            "<span class=\"key {class}\"><b>{}</b> {word}</span>",
            number(count)
        )?;
    }
    writeln!(out, "</figcaption></figure>")
}

fn one(out: &mut dyn Write, index: usize, item: &CronJobHistory<'_>, row: &Row) -> io::Result<()> {
    write!(
        out,
        "<tr data-i=\"{index}\"><th scope=\"row\"><a href=\"#c{index}\">{}</a></th>",
        Named(row)
    )?;
    if let Some(error) = &item.history.error {
        let error = error.to_string();
        return writeln!(out, "<td colspan=\"9\">{}</td></tr>", Foreign(&error));
    }
    let sums = &item.history.summary;
    let counts = [
        sums.runs,
        sums.on_time,
        sums.late,
        sums.skipped,
        sums.failed,
    ];
    for count in counts {
        write!(out, "{}", Count(count))?;
    }
    let lengths = [
        sums.delay_seconds.p95,
        sums.delay_seconds.max,
        sums.duration_seconds.p95,
        sums.duration_seconds.max,
    ];
    for length in lengths {
        match length {
            Some(seconds) => write!(
                out,
                "<td class=\"n\" data-v=\"{seconds}\">{}</td>",
                human(seconds)
            )?,
            None => write!(out, "<td class=\"n\"><span class=\"none\">none</span></td>")?,
        }
    }
    writeln!(out, "</tr>")
}
