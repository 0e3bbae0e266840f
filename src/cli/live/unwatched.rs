//! Reads what is not watched again and again: quotas, and the pods of Jobs that may have a problem.

use std::collections::{BTreeSet, HashMap};
use std::thread;
use std::time::{Duration, Instant};

use crate::cli::warn;
use crate::evidence::Live;
use cronjob_diagnosis::diagnose::{Beside, MissingBeside};
use cronjob_diagnosis::survey::LiveSurvey;
use jiff::Timestamp;
use kube_access::ClusterError;
use kube_model::{CronJobEvidence, ObjectKey, ResourceQuota, UnreadResource};

/// What is about CronJobs, and read again and again because it is not watched.
pub(super) struct Unwatched {
    pub(super) quotas: Vec<ResourceQuota>,
    /// How many Jobs have not finished in the namespaces where a quota is used up.
    pub(super) unfinished: HashMap<String, usize>,
    /// The CronJobs with Jobs that may have a problem, and the pods of these Jobs.
    pub(super) with_pods: Vec<CronJobEvidence>,
    /// What could not be read, and why.
    pub(super) lacks: Vec<UnreadResource>,
    /// What CronJobs are judged beside, as far as that was needed.
    pub(super) beside: Beside,
}

impl Live {
    /// Reads what is not watched: the quotas, and the pods of those Jobs of these CronJobs that may have a
    /// problem, with the events about them. Also what is missing to judge the `selected` CronJobs, if that is given.
    fn read_unwatched(
        &self,
        mut with_pods: Vec<CronJobEvidence>,
        selected: Option<(MissingBeside, Vec<ObjectKey>)>,
        now: Timestamp,
    ) -> Result<Unwatched, ClusterError> {
        let quotas = self.session.quotas(&self.wanted)?;
        let full = quotas.iter().filter(|quota| quota.is_full());
        let full: BTreeSet<&str> = full.map(|quota| quota.namespace.as_str()).collect();
        let mut unfinished = HashMap::new();
        // Such a namespace has only as many Jobs as the quota allows.
        for namespace in full {
            let jobs = self.session.jobs_of(&self.wanted, namespace)?;
            let count = jobs.iter().filter(|job| job.ending().is_none()).count();
            unfinished.insert(namespace.to_owned(), count);
        }
        let mut lacks = Vec::new();
        self.read_pods(&mut with_pods, now, &mut lacks)?;
        let mut beside = Beside::default();
        if let Some((missing, selected)) = selected {
            self.read_beside(missing, selected.into_iter(), now, &mut beside);
        }
        Ok(Unwatched {
            quotas,
            unfinished,
            with_pods,
            lacks,
            beside,
        })
    }
}

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
