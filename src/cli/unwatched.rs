//! Reads what is not watched again and again: quotas, and the pods of Jobs that may have a problem.

use std::thread;
use std::time::{Duration, Instant};

use super::warn;
use crate::cluster::ClusterError;
use crate::evidence::{Live, Unwatched};
use cronjob_diagnosis::survey::LiveSurvey;
use kube_model::UnreadResource;

/// The time between two readings of a command at a terminal.
pub(super) const READ_EVERY: Duration = Duration::from_secs(10);

/// The state of the readings, each of which takes place in its own thread.
pub(super) struct UnwatchedReader {
    /// The time from the end of a reading to the next one.
    every: Duration,
    is_reading: bool,
    read_at: Instant,
    /// Whether the next reading does not wait.
    is_urgent: bool,
    warned: bool,
}

impl UnwatchedReader {
    /// What a program has read at its start is not due yet.
    pub(super) fn new(every: Duration) -> Self {
        UnwatchedReader {
            every,
            is_reading: false,
            read_at: Instant::now(),
            is_urgent: false,
            warned: false,
        }
    }

    /// The next reading is due now.
    pub(super) fn hasten(&mut self) {
        self.is_urgent = true;
    }

    /// Starts a reading if one is due. `then` is called in its thread.
    pub(super) fn read_if_due(
        &mut self,
        live: &Live,
        survey: &mut LiveSurvey,
        then: impl FnOnce(&Live, Result<Unwatched, ClusterError>) + Send + 'static,
    ) {
        let is_due = self.is_urgent || self.read_at.elapsed() >= self.every;
        if self.is_reading || !is_due {
            return;
        }
        (self.is_reading, self.is_urgent) = (true, false);
        let now = live.clock.now();
        let with_pods = survey.lacking_pods(now);
        let missing = survey.missing_beside();
        let selected = missing.map(|missing| (missing, survey.places().collect()));
        let wanted = &live.wanted;
        let live = live.of_names(wanted.namespace.clone(), wanted.names.clone());
        thread::spawn(move || {
            let unwatched = live.read_unwatched(with_pods, selected, now);
            then(&live, unwatched);
        });
    }

    /// Stores what was read. Returns what could not be read, or `None` if the reading failed; the first failure is
    /// a warning, unless the connection is lost, which is reported for the watches.
    pub(super) fn store(
        &mut self,
        unwatched: Result<Unwatched, ClusterError>,
        survey: &mut LiveSurvey,
        is_lost: bool,
    ) -> Option<Vec<UnreadResource>> {
        self.is_reading = false;
        self.read_at = Instant::now();
        match unwatched {
            Ok(unwatched) => {
                survey.set_unwatched(unwatched.quotas, &unwatched.unfinished, unwatched.with_pods);
                survey.set_beside(unwatched.beside);
                self.warned = false;
                Some(unwatched.lacks)
            }
            Err(error) => {
                if !is_lost && !std::mem::replace(&mut self.warned, true) {
                    warn(&format!("pods and quotas are out of date: {error}"));
                }
                None
            }
        }
    }
}
