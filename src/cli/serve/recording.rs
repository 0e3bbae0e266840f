//! `--record`: stores what happened to runs while the cluster is followed, and answers from what is stored.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::Timestamp;

use super::status::ExporterStatus;
use crate::cli::{complain, say_plainly};
use crate::evidence::Basis;
use crate::model::Coverage;
use crate::recorder::{Recorder, RecordingBasis, StoreError, StoreLocation};
use crate::survey::LiveSurvey;

/// Runs are stored at most so often.
const STORE_EVERY: Duration = Duration::from_secs(1);
/// So often it is tried again while nothing can be stored, or another replica stores.
const RETRY_EVERY: Duration = Duration::from_secs(5);

/// Stores runs, and reports whether that works.
pub(super) struct Recording {
    location: StoreLocation,
    keep: i64,
    /// `None` while another replica stores.
    recorder: Option<Recorder>,
    /// When something is stored next.
    next: Instant,
    status: Arc<ExporterStatus>,
    /// Why nothing is stored, if it was reported.
    problem: Option<String>,
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
            next: Instant::now(),
            status: Arc::clone(status),
            problem: None,
        };
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

    /// Stores what is new, if it is time for that. While the connection is lost, nothing is known.
    pub(super) fn step(
        &mut self,
        survey: &mut LiveSurvey,
        basis: impl FnOnce() -> Basis,
        coverage: Coverage,
        is_lost: bool,
    ) {
        if is_lost {
            self.recorder.iter_mut().for_each(Recorder::interrupt);
            return;
        }
        if Instant::now() < self.next {
            return;
        }
        let result = self.store(survey, &basis(), coverage);
        let problem = result.err().map(|error| error.to_string());
        match (&problem, &self.problem) {
            (Some(problem), None) => complain(&format!("cannot record: {problem}")),
            (None, Some(_)) => say_plainly("Recording again."),
            _ => {}
        }
        let is_storing = problem.is_none() && self.recorder.is_some();
        let pause = if is_storing { STORE_EVERY } else { RETRY_EVERY };
        self.next = Instant::now() + pause;
        self.status.set_recording(problem.clone(), Instant::now());
        self.problem = problem;
    }

    /// What cannot be stored is tried again, with what is new by then.
    fn store(
        &mut self,
        survey: &mut LiveSurvey,
        basis: &Basis,
        coverage: Coverage,
    ) -> Result<(), StoreError> {
        if self.recorder.is_none() {
            self.open_recorder()?;
        }
        let Some(recorder) = &mut self.recorder else {
            return Ok(());
        };
        if survey.forgot_jobs() {
            recorder.interrupt();
        }
        let now = basis.now;
        let changed = survey.unrecorded(|cron_job| recorder.is_due(cron_job, now));
        let is_same = changed.is_empty() && survey.all_evidence().count() == recorder.count();
        let uids = (!is_same).then(|| {
            let all = survey.all_evidence();
            all.map(|one| one.cron_job.uid.as_str())
                .collect::<HashSet<_>>()
        });
        let controller = basis.controller();
        let recording = RecordingBasis {
            controller: &controller,
            kubectl: &basis.kubectl,
            coverage: Coverage {
                as_of: now,
                ..coverage
            },
            now,
        };
        let changed = changed.iter().map(|one| &**one);
        let exists = |uid: &str| uids.as_ref().is_none_or(|uids| uids.contains(uid));
        match recorder.step(&recording, changed, exists) {
            Err(StoreError::Locked(_)) if self.location.is_shared() => self.recorder = None,
            result => {
                result?;
                survey.set_recorded();
            }
        }
        Ok(())
    }

    /// The metrics about it.
    pub(super) fn metrics(&self) -> [(&'static str, &'static str, i128); 3] {
        let recorder = self.recorder.as_ref();
        let written_at = recorder.and_then(Recorder::written_at);
        let written_at = written_at.map_or(0, Timestamp::as_second);
        [
            (
                "cronjob_doctor_recorder_up",
                "Whether runs are stored, by this replica or another one.",
                i128::from(self.problem.is_none()),
            ),
            (
                "cronjob_doctor_recorder_leader",
                "Whether this replica stores runs.",
                i128::from(recorder.is_some()),
            ),
            (
                "cronjob_doctor_recorder_last_write_timestamp_seconds",
                "Time when this replica stored something last, at least every 10 seconds.",
                i128::from(written_at),
            ),
        ]
    }
}
