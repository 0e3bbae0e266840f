//! What of a row is worth telling.

use jiff::Timestamp;

use super::row::Row;
use crate::diagnose::Severity;

/// What somebody who watches wants to be told about a row: not that it has grown older.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Gist {
    schedule: String,
    time_zone: Option<String>,
    suspended: bool,
    next_run: Option<Timestamp>,
    last_schedule_time: Option<Timestamp>,
    last_successful_time: Option<Timestamp>,
    active: usize,
    codes: Vec<(&'static str, Severity)>,
}

impl Gist {
    pub(super) fn of(row: &Row) -> Self {
        Gist {
            schedule: row.schedule.clone(),
            time_zone: row.time_zone.clone(),
            suspended: row.suspended,
            next_run: row.next_run,
            last_schedule_time: row.last_schedule_time,
            last_successful_time: row.last_successful_time,
            active: row.active,
            codes: row
                .findings
                .iter()
                .map(|finding| (finding.code, finding.severity))
                .collect(),
        }
    }
}
