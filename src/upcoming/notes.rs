//! What is unusual about a run.

use jiff::Timestamp;

use super::Run;
use crate::schedule::Timetable;

pub(super) fn annotate(
    _timetable: &Timetable,
    _after: Timestamp,
    moments: &[Timestamp],
) -> Vec<Run> {
    moments
        .iter()
        .map(|at| Run {
            at: *at,
            notes: Vec::new(),
        })
        .collect()
}
