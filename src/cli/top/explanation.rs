//! The explanation of one CronJob: from what the watches show, and pods that are read for it.

use std::thread;
use std::time::{Duration, Instant};

use tokio::sync::mpsc::UnboundedSender;

use super::change::CronJobAccess;
use super::events::DashboardEvent;
use crate::cli::world::controller_document;
use crate::cluster::Pods;
use crate::diagnose::{Coverage, Explanation, Facts, pods_wanted};
use crate::evidence::Basis;
use crate::model::CronJobEvidence;
use crate::output::explain::{ExplainHeader, text};
use crate::top::{App, ObjectKey};

/// X
const PAUSE: Duration = Duration::from_secs(2);

/// What was read about the CronJob that is explained.
#[derive(Default)]
pub(super) struct ExplanationReader {
    /// As the watches showed it when it was read, and as it was read: with pods and their events.
    read: Option<(ObjectKey, CronJobEvidence, Option<CronJobEvidence>)>,
    asked_at: Option<Instant>,
    is_reading: bool,
}

impl ExplanationReader {
    /// The explanation of the CronJob that the user has chosen.
    pub(super) fn text(&self, app: &App, basis: &Basis) -> Option<String> {
        let place = app.explained()?;
        let known = app.board().evidence(place)?;
        let read = self
            .read
            .as_ref()
            .filter(|(of, as_known, _)| of == place && as_known == known);
        let evidence = read.and_then(|(_, _, evidence)| evidence.as_ref());
        Some(written(basis, evidence.unwrap_or(known), app.coverage()))
    }

    /// The CronJob whose pods have to be read, unless they are being read.
    pub(super) fn wants(&mut self, app: &App) -> Option<ObjectKey> {
        let place = app.explained()?;
        let known = app.board().evidence(place)?;
        let is_read = self
            .read
            .as_ref()
            .is_some_and(|(of, as_known, _)| of == place && as_known == known);
        let too_soon = self
            .asked_at
            .is_some_and(|at| at.elapsed() < PAUSE && self.read.is_some());
        if self.is_reading || is_read || too_soon || pods_wanted(known).is_empty() {
            return None;
        }
        self.is_reading = true;
        self.asked_at = Some(Instant::now());
        Some(place.clone())
    }

    /// Keeps what was read.
    pub(super) fn take(&mut self, app: &App, place: ObjectKey, evidence: Option<CronJobEvidence>) {
        self.is_reading = false;
        if let Some(known) = app.board().evidence(&place).cloned() {
            self.read = Some((place, known, evidence));
        }
    }
}

fn written(basis: &Basis, evidence: &CronJobEvidence, coverage: Coverage) -> String {
    let controller = basis.controller();
    let header = ExplainHeader {
        controller: controller_document(basis),
        now: basis.now,
    };
    let facts = Facts::of(&controller, evidence, coverage, basis.now);
    let explanation = Explanation::of(facts);
    let mut out = Vec::new();
    match text(&mut out, &header, &explanation, false) {
        Ok(()) => String::from_utf8_lossy(&out).into_owned(),
        Err(error) => error.to_string(),
    }
}

/// Reads a CronJob with the pods of its Jobs, as `explain` does.
pub(super) fn read(
    place: ObjectKey,
    mut access: CronJobAccess,
    sender: &UnboundedSender<DashboardEvent>,
) {
    let sender = sender.clone();
    thread::spawn(move || {
        access.live.wanted.pods = Pods::OfUnsettled;
        let found = access.common.read_again(&access.live, access.basis);
        // If pods cannot be read, the explanation does without them.
        let evidence = found.ok().and_then(|found| found.into_dossiers().next());
        // The dashboard may have ended.
        let _ = sender.send(DashboardEvent::Read(place, Box::new(evidence)));
    });
}
