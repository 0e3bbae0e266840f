//! The next runs, counted in cells of equal time.

use std::collections::HashMap;

use jiff::Timestamp;

use cronjob_controller::controller::{Controller, Generation};
use cronjob_controller::forecast::NextState;
use cronjob_controller::upcoming::{Subject, read};
use cronjob_diagnosis::survey::Row;
use kube_model::ObjectKey;

/// The possible lengths of a cell, in seconds.
pub(super) const ZOOMS: [i64; 7] = [60, 300, 600, 1800, 3600, 10_800, 86_400];

/// The most runs counted in a cell: the screen shows all greater numbers with one sign.
const MOST: u8 = 10;

/// The next runs, counted in cells of equal time. They are computed only for visible rows, and again when the first
/// cell has passed.
#[derive(Clone, Debug)]
pub struct Timeline {
    zoom: usize,
    pub start: i64,
    cells: usize,
    cached: HashMap<ObjectKey, (CountedFor, Vec<u8>)>,
}

/// What the counts of a row depend on.
#[derive(Clone, Debug, PartialEq, Eq)]
struct CountedFor {
    schedule: String,
    time_zone: Option<String>,
    next_state: Option<NextState>,
    /// What `@every` counts from.
    anchor: Option<Timestamp>,
}

impl Default for Timeline {
    fn default() -> Self {
        Timeline {
            zoom: 2,
            start: 0,
            cells: 0,
            cached: HashMap::new(),
        }
    }
}

impl Timeline {
    /// The length of a cell, in seconds.
    pub fn cell(&self) -> i64 {
        ZOOMS.get(self.zoom).copied().unwrap_or(600)
    }

    pub fn zoom_in(&mut self) {
        self.zoom = self.zoom.saturating_sub(1);
        self.cached.clear();
    }

    pub fn zoom_out(&mut self) {
        self.zoom = (self.zoom + 1).min(ZOOMS.len() - 1);
        self.cached.clear();
    }

    /// Sets the first cell to the one that contains `now`.
    pub(super) fn set_window(&mut self, now: Timestamp, cells: usize) {
        let start = now.as_second().div_euclid(self.cell()) * self.cell();
        if (start, cells) != (self.start, self.cells) {
            (self.start, self.cells) = (start, cells);
            self.cached.clear();
        }
    }

    /// Counts the runs of a row, unless the cached counts are still valid.
    pub(super) fn count_runs(&mut self, controller: &Controller, row: &Row, now: Timestamp) {
        let object = row.key();
        let counted_for = CountedFor {
            schedule: row.schedule.clone(),
            time_zone: row.time_zone.clone(),
            next_state: row.next_state,
            anchor: row.anchor,
        };
        let known = self.cached.get(&object);
        if known.is_none_or(|(known, _)| *known != counted_for) {
            let counts = self.count(controller, row, now);
            self.cached.insert(object, (counted_for, counts));
        }
    }

    fn count(&self, controller: &Controller, row: &Row, now: Timestamp) -> Vec<u8> {
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
        // Of the runs in one minute, only one is started.
        let is_named_by_minute = controller.behavior().generation == Generation::V2;
        let minute_of = |run: Timestamp| run.as_second().div_euclid(60);
        let mut minute = row.anchor.map(minute_of);
        let mut after = timetable.search_start(row.anchor.unwrap_or(now), now);
        while let Ok(Some(run)) = timetable.next(after) {
            let number = (run.as_second() - self.start).div_euclid(self.cell());
            let cell = usize::try_from(number).ok();
            let Some(count) = cell.and_then(|cell| counts.get_mut(cell)) else {
                break;
            };
            let is_started = minute.replace(minute_of(run)) != Some(minute_of(run));
            if is_started || !is_named_by_minute {
                *count = MOST.min(*count + 1);
            }
            let mut from = run;
            if *count == MOST {
                // The other runs of this cell are not counted.
                let end = self.start + (number + 1) * self.cell();
                from = Timestamp::from_second(end - 1).map_or(run, |last| last.max(run));
            }
            // The controller's search can stop advancing near some clock changes.
            if from <= after {
                break;
            }
            after = from;
        }
        counts
    }

    /// The number of runs in each cell, at most ten.
    pub fn counts(&self, object: &ObjectKey) -> &[u8] {
        self.cached.get(object).map_or(&[], |(_, counts)| counts)
    }
}
