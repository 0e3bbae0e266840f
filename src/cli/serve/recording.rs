//! `--record`: stores what happened to runs while the cluster is followed, and answers from what is stored.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::Timestamp;

use super::status::ExporterStatus;
use crate::cli::{complain, say_plainly};
use crate::evidence::Basis;
use crate::model::Coverage;
use crate::recorder::{Recorder, RecordingBasis, StoreError};
use crate::survey::LiveSurvey;

/// Runs are stored at most so often.
const STORE_EVERY: Duration = Duration::from_secs(1);

/// Stores runs, and reports whether that works.
pub(super) struct Recording {
    recorder: Recorder,
    stored_at: Option<Instant>,
    status: Arc<ExporterStatus>,
    /// Why nothing is stored, if it was reported.
    problem: Option<String>,
}

impl Recording {
    pub(super) fn open(
        path: &Path,
        keep: i64,
        status: &Arc<ExporterStatus>,
    ) -> Result<Self, StoreError> {
        Ok(Recording {
            recorder: Recorder::open(path, keep)?,
            stored_at: None,
            status: Arc::clone(status),
            problem: None,
        })
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
            self.recorder.interrupt();
            return;
        }
        if self.stored_at.is_some_and(|at| at.elapsed() < STORE_EVERY) {
            return;
        }
        self.stored_at = Some(Instant::now());
        let (recorder, basis) = (&mut self.recorder, basis());
        let now = basis.now;
        let changed = survey.take_unrecorded(|cron_job| recorder.is_due(cron_job, now));
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
        let result = recorder.step(&recording, changed, exists);
        let problem = result.err().map(|error| error.to_string());
        match (&problem, &self.problem) {
            (Some(problem), None) => complain(&format!("cannot record: {problem}")),
            (None, Some(_)) => say_plainly("Recording again."),
            _ => {}
        }
        if problem.is_some() {
            // What happens until it works again may be missed.
            recorder.interrupt();
        }
        self.status.set_recording(problem.clone(), Instant::now());
        self.problem = problem;
    }

    /// The metrics about it.
    pub(super) fn metrics(&self) -> [(&'static str, &'static str, i128); 2] {
        let written_at = self.recorder.written_at().map_or(0, Timestamp::as_second);
        [
            (
                "cronjob_doctor_recorder_up",
                "Whether runs are stored.",
                i128::from(self.problem.is_none()),
            ),
            (
                "cronjob_doctor_recorder_last_write_timestamp_seconds",
                "Time when the recorder stored something last, at least every 10 seconds.",
                i128::from(written_at),
            ),
        ]
    }
}
