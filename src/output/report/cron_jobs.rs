//! A row for each `CronJob`, which unfolds to its explanation.

use std::io::{self, Write};

use jiff::Timestamp;

use super::Sheet;
use super::markup::{Count, Foreign, Named, badge, rank, with_distance};
use super::table::{Column, Table};
use crate::output::xml::Escaped;
use crate::survey::Row;

const COLUMNS: [Column; 7] = [
    Column::down("Health", "sev"),
    Column::up("CronJob", "who"),
    Column::new("Schedule", "schedule"),
    Column::up("Next run (UTC)", "time"),
    Column::up("Last run (UTC)", "time"),
    Column::down("Missed", "n"),
    Column::new("What the controller does", "what"),
];

/// Writes what stands in the section.
pub(super) fn content(out: &mut dyn Write, sheet: &Sheet<'_>) -> io::Result<()> {
    let rows = &sheet.report.survey.rows;
    if rows.is_empty() {
        writeln!(out, "<p>No CronJobs were found.</p>")?;
    } else {
        writeln!(
            out,
            "<p class=\"hint unscripted\">The explanation of each CronJob is unfolded by a script, and scripts \
             are off.</p>"
        )?;
        let caption = "All CronJobs, the worst first; each unfolds to its explanation";
        let mut table = Table::begin(out, "cronjobs", caption, &COLUMNS, "")?;
        for (index, row) in rows.iter().enumerate() {
            one(table.row()?, index, row, sheet.made.now)?;
        }
        table.end()?;
    }
    Ok(())
}

fn one(out: &mut dyn Write, index: usize, row: &Row, now: Timestamp) -> io::Result<()> {
    let health = row.health.as_str();
    let suspended = if row.suspended { " data-suspended" } else { "" };
    write!(
        out,
        "<tr id=\"c{index}\" data-i=\"{index}\" data-ns=\"{}\" data-state=\"{health}\"{suspended}><td \
         data-v=\"{}\">{}</td><th scope=\"row\"><button type=\"button\" class=\"fold\" \
         aria-expanded=\"false\">{}</button></th><td><code>{}</code>",
        Escaped(&row.namespace),
        rank(row.health),
        badge(health),
        Named(row),
        Foreign(&row.schedule)
    )?;
    if let Some(zone) = &row.time_zone {
        write!(out, " <small>{}</small>", Foreign(zone))?;
    }
    if let Some(description) = &row.description {
        write!(out, "<p>{}</p>", Foreign(description))?;
    }
    write!(out, "</td>")?;
    time(out, now, row.next_run.map(|next| next.max(now)), "none")?;
    let never = if row.in_cluster {
        "never"
    } else {
        "not in a cluster"
    };
    time(out, now, row.last_schedule_time, never)?;
    match row.missed {
        Some(missed) => write!(out, "{}", Count(missed))?,
        None => write!(
            out,
            "<td class=\"n\"><span class=\"none\">unknown</span></td>"
        )?,
    }
    writeln!(out, "<td>{}</td></tr>", Foreign(&row.verdict))
}

/// A cell with a moment. What is not there is sorted behind all that is.
fn time(out: &mut dyn Write, now: Timestamp, at: Option<Timestamp>, none: &str) -> io::Result<()> {
    match at {
        Some(at) => write!(
            out,
            "<td data-v=\"{}\">{}</td>",
            at.as_second(),
            with_distance(now, at)
        ),
        None => write!(out, "<td><span class=\"none\">{none}</span></td>"),
    }
}
