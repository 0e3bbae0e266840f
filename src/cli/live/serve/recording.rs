//! `--record`: stores what happened to runs while the cluster is followed, and answers from what is stored.

use std::borrow::Cow;
use std::collections::HashSet;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::Timestamp;

use super::status::ExporterStatus;
use crate::cli::stdio::stdout;
use crate::cli::world::read_clock;
use crate::cli::{complain, say_plainly, warn};
use crate::evidence::Basis;
use crate::output::run_lines::run_lines;
use crate::recorder::{
    ChangedCronJob, ClockReading, Recorder, RecordingBasis, RecordingScope, StoreError,
    StoreLocation,
};
use cronjob_diagnosis::survey::LiveSurvey;
use kube_model::Coverage;

/// The shortest time between two writes of runs.
const STORE_EVERY: Duration = Duration::from_secs(1);
/// The time between two attempts while nothing can be stored, or another replica stores.
const RETRY_EVERY: Duration = Duration::from_secs(5);

/// For how long runs that are printed are known, in seconds.
const KEPT_IN_MEMORY: i64 = 86_400;

/// Stores runs, and reports whether that works.
pub(super) struct Recording {
    location: StoreLocation,
    keep: i64,
    /// `None` while another replica stores.
    recorder: Option<Recorder>,
    pub(super) scope: RecordingScope,
    /// When runs were judged first.
    since: Option<Timestamp>,
    /// When something is stored next.
    next: Instant,
    status: Arc<ExporterStatus>,
    /// Why nothing is stored, if it was reported.
    problem: Option<String>,
    /// Whether it was reported that runs are recorded late.
    is_late: bool,
    /// Whether this replica stores, as it was reported.
    is_leader: Option<bool>,
}

impl Recording {
    pub(super) fn open(
        location: StoreLocation,
        keep: i64,
        status: &Arc<ExporterStatus>,
    ) -> Result<Self, StoreError> {
        let mut recording = Recording {
            location,
            keep,
            recorder: None,
            scope: RecordingScope::default(),
            since: None,
            next: Instant::now(),
            status: Arc::clone(status),
            problem: None,
            is_late: false,
            is_leader: None,
        };
        if matches!(recording.location, StoreLocation::Stdout) {
            recording.keep = keep.min(KEPT_IN_MEMORY);
        }
        recording.open_recorder()?;
        Ok(recording)
    }

    /// Opens the database. One that several replicas share may be another one's.
    fn open_recorder(&mut self) -> Result<(), StoreError> {
        let opened = self.location.create();
        match opened.and_then(|store| Recorder::new(store, self.keep)) {
            Ok(recorder) => self.recorder = Some(recorder),
            Err(StoreError::Locked(_)) if self.location.is_shared() => {}
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// Stores what is new, if it is time for that. While the connection is lost, nothing is known. Returns whether a
    /// clock was found to be wrong.
    pub(super) fn step(
        &mut self,
        survey: &mut LiveSurvey,
        server: Timestamp,
        basis: &Basis,
        coverage: Coverage,
        is_lost: bool,
    ) -> bool {
        let local = read_clock();
        let clocks = ClockReading { server, local };
        survey.note_deletions(clocks.now());
        if is_lost {
            self.recorder.iter_mut().for_each(Recorder::interrupt);
            return false;
        }
        if Instant::now() < self.next {
            return false;
        }
        let was_late = self.is_late;
        let result = if self.recorder.is_some() {
            let stored = self.store(survey, &basis.at(server), coverage, clocks);
            self.report_clocks(clocks);
            stored
        } else {
            self.open_recorder()
        };
        let problem = result.err().map(|error| error.to_string());
        match (&problem, &self.problem) {
            (Some(problem), None) => complain(&format!("cannot record: {problem}")),
            (None, Some(_)) => say_plainly("Recording again."),
            _ => {}
        }
        if problem.is_none() && self.location.is_shared() {
            self.report_leader();
        }
        let is_storing = problem.is_none() && self.recorder.is_some();
        let pause = if is_storing { STORE_EVERY } else { RETRY_EVERY };
        self.next = Instant::now() + pause;
        self.status.set_recording(problem.clone(), Instant::now());
        self.problem = problem;
        self.is_late && !was_late
    }

    /// What cannot be stored is tried again, with what is new by then.
    fn store(
        &mut self,
        survey: &mut LiveSurvey,
        basis: &Basis,
        coverage: Coverage,
        clocks: ClockReading,
    ) -> Result<(), StoreError> {
        let Some(recorder) = &mut self.recorder else {
            return Ok(());
        };
        recorder.set_scope(self.scope.clone());
        if survey.forgot_jobs() {
            recorder.interrupt();
        }
        let now = clocks.now();
        let changed = survey.unrecorded(|cron_job| recorder.is_due(cron_job, now));
        let is_same = changed.is_empty() && survey.all_evidence().count() == recorder.count();
        let uids = (!is_same).then(|| {
            let all = survey.all_evidence();
            all.map(|one| one.cron_job.uid.as_str())
                .collect::<HashSet<_>>()
        });
        let controller = &basis.controller;
        let recording = RecordingBasis {
            controller,
            kubectl: &basis.kubectl,
            coverage,
            clocks,
        };
        let changed = changed.iter().map(|one| ChangedCronJob {
            evidence: Cow::Borrowed(&*one.evidence),
            removed_jobs: one.removed_jobs.clone(),
            deleted_at: one.deleted_at,
        });
        let exists = |uid: &str| uids.as_ref().is_none_or(|uids| uids.contains(uid));
        match recorder.step(&recording, changed, exists) {
            Err(StoreError::Locked(_)) if self.location.is_shared() => self.recorder = None,
            Err(error @ StoreError::Reverted(_)) => {
                // What is left in the cluster is stored again.
                warn(&error.to_string());
                self.recorder = None;
                survey.set_unrecorded();
            }
            Err(error @ StoreError::Value(..)) => {
                warn(&error.to_string());
                survey.set_recorded();
            }
            result => {
                let stored = result?;
                survey.set_recorded();
                if matches!(self.location, StoreLocation::Stdout) {
                    let since = *self.since.get_or_insert(now);
                    let written = run_lines(&mut stdout(), &stored, since);
                    let failed = |error: io::Error| {
                        StoreError::Other(self.location.to_string(), error.to_string())
                    };
                    written.map_err(failed)?;
                }
            }
        }
        Ok(())
    }

    /// Reports once that runs are recorded late because of a clock.
    fn report_clocks(&mut self, clocks: ClockReading) {
        let recorder = self.recorder.as_ref();
        let delay = recorder.and_then(|recorder| recorder.delay(clocks));
        let delay = delay.map(|delay| delay.to_string());
        if let Some(delay) = delay.as_ref().filter(|_| !self.is_late) {
            warn(delay);
        }
        self.is_late = delay.is_some();
        self.status.set_clocks(delay);
    }

    /// Reports which replica stores, once it changes.
    fn report_leader(&mut self) {
        let is_leader = self.recorder.is_some();
        if self.is_leader.replace(is_leader) != Some(is_leader) {
            say_plainly(if is_leader {
                "This replica records."
            } else {
                "Another replica records; this one takes over if it ends."
            });
        }
    }

    /// The metrics about it.
    pub(super) fn metrics(&self) -> Vec<(&'static str, &'static str, i128)> {
        let recorder = self.recorder.as_ref();
        let written_at = recorder.and_then(Recorder::written_at);
        let written_at = written_at.map(|at| {
            (
                "cronjob_doctor_recorder_last_write_timestamp_seconds",
                "Time when this replica last stored something, about every 10 seconds or more often; absent if it does not store.",
                i128::from(at.as_second()),
            )
        });
        let mut metrics = vec![
            (
                "cronjob_doctor_recorder_up",
                "0 while runs cannot be stored, by this replica or another one; stays 1 while the cluster cannot be reached.",
                i128::from(self.problem.is_none()),
            ),
            (
                "cronjob_doctor_recorder_leader",
                "Whether this replica stores runs.",
                i128::from(recorder.is_some() && self.problem.is_none()),
            ),
            (
                "cronjob_doctor_recorder_clocks_agree",
                "Whether the API server's time, the local time and the recorded times agree within a minute. \
                 Otherwise runs are recorded late.",
                i128::from(!self.is_late),
            ),
        ];
        metrics.extend(written_at);
        metrics
    }
}
