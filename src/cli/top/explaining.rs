//! The explanation on the page: what the board knows, and what is read beside it.

use std::thread;
use std::time::{Duration, Instant};

use tokio::sync::mpsc::UnboundedSender;

use super::message::Message;
use super::talking::Means;
use crate::cli::world::controller_document;
use crate::cluster::Pods;
use crate::diagnose::{Coverage, Explanation, Facts, pods_wanted};
use crate::evidence::Basis;
use crate::model::CronJobEvidence;
use crate::output::explain::{ExplainHeader, text};
use crate::top::{App, ObjectKey};

/// What changes all the time is not read all the time.
const PAUSE: Duration = Duration::from_secs(2);

/// What is known of the one that is explained, beside what the board knows.
#[derive(Default)]
pub(super) struct Explaining {
    /// As the board had it when it was read, and as it was read: with pods and their events.
    read: Option<(ObjectKey, CronJobEvidence, Option<CronJobEvidence>)>,
    /// When something was read last, and whether that is under way.
    asked_at: Option<Instant>,
    is_reading: bool,
}

impl Explaining {
    /// The explanation as it is now, of what is asked to be explained.
    pub(super) fn text(app: &App, basis: &Basis, beside: &Explaining) -> Option<String> {
        let place = app.explained()?;
        let known = app.board().evidence(place)?;
        let read = beside
            .read
            .as_ref()
            .filter(|(of, as_known, _)| of == place && as_known == known);
        let evidence = read.and_then(|(_, _, evidence)| evidence.as_ref());
        Some(written(basis, evidence.unwrap_or(known), app.coverage()))
    }

    /// Whether more has to be read than the board knows, and is not being read.
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

    /// Takes what was read.
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
pub(super) fn read(place: ObjectKey, mut means: Means, sender: &UnboundedSender<Message>) {
    let sender = sender.clone();
    thread::spawn(move || {
        means.live.wanted.pods = Pods::OfUnsettled;
        let found = means.common.read_again(&means.live, means.basis);
        // Without pods the explanation is what it is without the right to read them.
        let evidence = found.ok().and_then(|found| found.into_dossiers().next());
        // If the dashboard is gone there is no one to tell.
        let _ = sender.send(Message::Read(place, Box::new(evidence)));
    });
}
