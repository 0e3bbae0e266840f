//! Comma-separated values.

use std::io::{self, Write};

use jiff::Timestamp;

use super::Scan;
use crate::output::csv::record;

const HEADINGS: [&str; 13] = [
    "namespace",
    "name",
    "schedule",
    "timeZone",
    "suspended",
    "nextRun",
    "lastScheduleTime",
    "lastSuccessfulTime",
    "active",
    "missed",
    "health",
    "findings",
    "verdict",
];

/// Comma-separated values with a line of headings; of the findings there are the codes.
pub fn csv(out: &mut dyn Write, scan: &Scan<'_>, with_headings: bool) -> io::Result<()> {
    if with_headings {
        record(out, HEADINGS)?;
    }
    let time = |at: Option<Timestamp>| at.map(|at| at.to_string()).unwrap_or_default();
    for row in &scan.report.rows {
        let codes: Vec<&str> = row.findings.iter().map(|finding| finding.code).collect();
        let missed = row.missed.map(|missed| missed.to_string());
        let values: [&str; 13] = [
            &row.namespace,
            &row.name,
            &row.schedule,
            row.time_zone.as_deref().unwrap_or_default(),
            if row.suspended { "true" } else { "false" },
            &time(row.next_run),
            &time(row.last_schedule_time),
            &time(row.last_successful_time),
            &row.active.to_string(),
            &missed.unwrap_or_default(),
            row.health.as_str(),
            &codes.join("; "),
            &row.verdict,
        ];
        record(out, values)?;
    }
    Ok(())
}
