//! The runs of the next hours, in cells of time.

use std::collections::HashMap;

use jiff::Timestamp;

use super::ObjectKey;
use crate::controller::Controller;
use crate::forecast::NextState;
use crate::survey::Row;
use crate::upcoming::{Subject, read};

/// How much time a cell may stand for, in seconds.
pub(super) const ZOOMS: [i64; 7] = [60, 300, 600, 1800, 3600, 10_800, 86_400];

/// No cell shows more than that, so that no more is counted.
const MOST: u8 = 10;

/// The runs of the next hours, in cells of time. Runs are searched for once a cell of time, and only
/// for rows that are seen.
#[derive(Clone, Debug)]
pub struct Timeline {
    zoom: usize,
    start: i64,
    cells: usize,
    known: HashMap<ObjectKey, Known>,
}

/// What was found for a row.
#[derive(Clone, Debug)]
struct Known {
    schedule: String,
    time_zone: Option<String>,
    next_state: Option<NextState>,
    counts: Vec<u8>,
}

impl Default for Timeline {
    fn default() -> Self {
        Timeline {
            zoom: 2,
            start: 0,
            cells: 0,
            known: HashMap::new(),
        }
    }
}

impl Timeline {
    /// How much time a cell stands for, in seconds.
    pub fn cell(&self) -> i64 {
        ZOOMS.get(self.zoom).copied().unwrap_or(600)
    }

    /// When the first cell begins, in seconds since 1970.
    pub fn start(&self) -> i64 {
        self.start
    }

    /// Nearer, so that less time is seen.
    pub fn nearer(&mut self) {
        self.zoom = self.zoom.saturating_sub(1);
        self.known.clear();
    }

    /// Farther, so that more time is seen.
    pub fn farther(&mut self) {
        self.zoom = (self.zoom + 1).min(ZOOMS.len() - 1);
        self.known.clear();
    }

    /// Begins with the cell that a moment lies in. Everything is searched for anew in the next one.
    pub(super) fn begin(&mut self, now: Timestamp, cells: usize) {
        let start = now.as_second().div_euclid(self.cell()) * self.cell();
        if (start, cells) != (self.start, self.cells) {
            (self.start, self.cells) = (start, cells);
            self.known.clear();
        }
    }

    /// Finds the runs of a row, unless they are known.
    pub(super) fn find(&mut self, controller: &Controller<'_>, row: &Row, now: Timestamp) {
        let place = (row.namespace.clone(), row.name.clone());
        let is_known = self.known.get(&place).is_some_and(|known| {
            known.schedule == row.schedule
                && known.time_zone == row.time_zone
                && known.next_state == row.next_state
        });
        if is_known {
            return;
        }
        let known = Known {
            schedule: row.schedule.clone(),
            time_zone: row.time_zone.clone(),
            next_state: row.next_state,
            counts: self.count(controller, row, now),
        };
        self.known.insert(place, known);
    }

    fn count(&self, controller: &Controller<'_>, row: &Row, now: Timestamp) -> Vec<u8> {
        let mut counts = vec![0; self.cells];
        let subject = Subject {
            schedule: row.schedule.clone(),
            time_zone: row.time_zone.clone(),
            ..Subject::default()
        };
        let schedule = read(controller, &subject);
        let (Some(_), Ok(schedule)) = (row.next_state, schedule) else {
            return counts;
        };
        let timetable = schedule.in_zone(&controller.local);
        let mut after = now;
        while let Ok(Some(run)) = timetable.next(after) {
            let number = (run.as_second() - self.start).div_euclid(self.cell());
            let cell = usize::try_from(number).ok();
            let Some(count) = cell.and_then(|cell| counts.get_mut(cell)) else {
                break;
            };
            *count = MOST.min(*count + 1);
            let mut from = run;
            if *count == MOST {
                // What else is in this cell changes nothing.
                let end = self.start + (number + 1) * self.cell();
                from = Timestamp::from_second(end - 1).map_or(run, |last| last.max(run));
            }
            // Near some changes of the clock the search does not get on.
            if from <= after {
                break;
            }
            after = from;
        }
        counts
    }

    /// How many runs there are in each cell, up to ten.
    pub fn counts(&self, place: &ObjectKey) -> &[u8] {
        self.known.get(place).map_or(&[], |known| &known.counts)
    }
}
