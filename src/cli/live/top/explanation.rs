//! The explanation of one CronJob, from the watched objects and its pods, which are read for it.

use std::thread;
use std::time::{Duration, Instant};

use tokio::sync::mpsc::UnboundedSender;

use super::change::CronJobAccess;
use super::events::DashboardEvent;
use crate::cli::compared_runs::read_compared_runs;
use crate::cli::live::log_of_job::newest_logs;
use crate::cli::world::document_header;
use crate::evidence::Basis;
use crate::output::explain::{ExplainHeader, wide};
use crate::top::App;
use cronjob_diagnosis::diagnose::Explanation;
use cronjob_text::printable::printable;
use kube_model::{Coverage, CronJobEvidence, ObjectKey, pods_wanted};
use kube_objects::query::PodSelection;

/// The least time between two reads of pods.
const LEAST_READ_INTERVAL: Duration = Duration::from_secs(2);

/// Reads the pods of the explained CronJob.
#[derive(Default)]
pub(super) struct ExplanationReader {
    /// The CronJob, its watched objects at the time of the read, and the result with pods and their events.
    read: Option<(ObjectKey, CronJobEvidence, Option<CronJobEvidence>)>,
    asked_at: Option<Instant>,
    is_reading: bool,
}

impl ExplanationReader {
    pub(super) fn text(&self, app: &App, basis: &Basis) -> Option<String> {
        let object = app.explained_cron_job()?;
        let known = app.survey.evidence(object)?;
        let evidence = self.current(object, known).and_then(Option::as_ref);
        Some(explanation_text(
            basis,
            evidence.unwrap_or(known),
            app.coverage,
        ))
    }

    /// The result of the last read, unless it was of another CronJob or is out of date.
    fn current(
        &self,
        object: &ObjectKey,
        known: &CronJobEvidence,
    ) -> Option<&Option<CronJobEvidence>> {
        let (of, as_known, evidence) = self.read.as_ref()?;
        (of == object && as_known == known).then_some(evidence)
    }

    /// The CronJob whose pods must be read now, if any.
    pub(super) fn next_read(&mut self, app: &App) -> Option<ObjectKey> {
        let object = app.explained_cron_job()?;
        let known = app.survey.evidence(object)?;
        let is_read = self.current(object, known).is_some();
        let too_soon = self
            .asked_at
            .is_some_and(|at| at.elapsed() < LEAST_READ_INTERVAL && self.read.is_some());
        if self.is_reading || is_read || too_soon || pods_wanted(known).is_empty() {
            return None;
        }
        self.is_reading = true;
        self.asked_at = Some(Instant::now());
        Some(object.clone())
    }

    pub(super) fn store(
        &mut self,
        app: &App,
        object: ObjectKey,
        evidence: Option<CronJobEvidence>,
    ) {
        self.is_reading = false;
        if let Some(known) = app.survey.evidence(&object).cloned() {
            self.read = Some((object, known, evidence));
        }
    }
}

fn explanation_text(basis: &Basis, evidence: &CronJobEvidence, coverage: Coverage) -> String {
    let header = ExplainHeader::new(document_header(basis));
    let explanation = Explanation::of(basis.facts(evidence, coverage));
    let mut out = Vec::new();
    match wide(&mut out, &header, &explanation) {
        Ok(()) => String::from_utf8_lossy(&out).into_owned(),
        Err(error) => error.to_string(),
    }
}

/// Reads a CronJob with the pods of its Jobs, as `explain` does.
pub(super) fn read_cron_job(
    object: ObjectKey,
    mut access: CronJobAccess,
    sender: &UnboundedSender<DashboardEvent>,
) {
    let sender = sender.clone();
    thread::spawn(move || {
        access.live.wanted.pods = PodSelection::OfUnsettled;
        let found = access.common.read_again(&access.live, access.basis);
        // If pods cannot be read, the explanation lacks them.
        let evidence = found.ok().and_then(|mut found| {
            read_compared_runs(&access.live, &mut found);
            found.into_evidence().next()
        });
        // The dashboard may have ended.
        let _ = sender.send(DashboardEvent::Read(object, Box::new(evidence)));
    });
}

/// Reads the logs of the newest Job of a CronJob, as `logs` does.
pub(super) fn read_logs(
    object: ObjectKey,
    access: CronJobAccess,
    sender: &UnboundedSender<DashboardEvent>,
) {
    let sender = sender.clone();
    thread::spawn(move || {
        let text = newest_logs(&access.common, &access.live, access.basis);
        let text =
            text.unwrap_or_else(|error| format!("\n error: {}", printable(&error.to_string())));
        // The dashboard may have ended.
        let _ = sender.send(DashboardEvent::Logs(object, text));
    });
}
