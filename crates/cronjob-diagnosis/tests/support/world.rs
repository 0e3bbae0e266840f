//! Answers about a manifest, as documents have them.

use std::sync::Arc;

use cronjob_controller::controller::Controller;
use cronjob_diagnosis::diagnose::{Beside, Explanation, Facts, judge_together};
use cronjob_diagnosis::history::{HistoryWindow, history};
use cronjob_diagnosis::kubectl::PLAIN;
use cronjob_diagnosis::load::LoadWindow;
use cronjob_diagnosis::report::{Report, ReportScope};
use cronjob_diagnosis::survey::{RowSelection, SurveyReport, rows};
use jiff::Timestamp;
use kube_model::{Coverage, CronJobEvidence};
use serde_json::Value;

use super::manifest::read;
use super::model::at;
use super::recorded::controller;

/// Explains the first of the CronJobs in a manifest.
pub(crate) fn explained(manifest: &str, release: &str, now: &str) -> Value {
    with_facts(manifest, None, release, now, document)
}

/// Explains the CronJob of a name in a manifest.
pub(crate) fn explained_by_name(manifest: &str, name: &str, release: &str, now: &str) -> Value {
    with_facts(manifest, Some(name), release, now, document)
}

fn document(facts: Facts<'_>) -> Value {
    serde_json::to_value(Explanation::of(facts)).unwrap()
}

/// The past runs of the first of the CronJobs in a manifest. What happened after `now` is unknown.
pub(crate) fn past(manifest: &str, release: &str, now: &str) -> Value {
    with_facts(manifest, None, release, now, |mut facts| {
        facts.input.coverage.as_of = facts.input.now;
        serde_json::to_value(history(&facts, &HistoryWindow::default())).unwrap()
    })
}

/// Asks about the CronJob of a name in a manifest, or about the first one.
pub(crate) fn with_facts<T>(
    manifest: &str,
    name: Option<&str>,
    release: &str,
    now: &str,
    ask: impl FnOnce(Facts<'_>) -> T,
) -> T {
    let world = World::of(manifest, release, now);
    let mut asked = world.all_evidence.iter();
    let asked = asked.find(|one| name.is_none_or(|name| one.cron_job.name == name));
    let (controller, coverage) = (&world.controller, world.coverage);
    ask(Facts::of(
        controller,
        &PLAIN,
        asked.unwrap(),
        coverage,
        world.now,
    ))
}

/// The rows of the CronJobs in a manifest.
pub(crate) fn scanned(manifest: &str, release: &str, now: &str) -> Value {
    let world = World::of(manifest, release, now);
    let (controller, coverage) = (&world.controller, world.coverage);
    let rows = rows(controller, &PLAIN, &world.all_evidence, coverage, world.now);
    serde_json::to_value(SurveyReport::new(rows, RowSelection::default())).unwrap()
}

/// The report about the CronJobs in a manifest, with their runs from a minute to another one.
pub(crate) fn reported(manifest: &str, release: &str, now: &str, ahead: [&str; 2]) -> Report {
    let world = World::of(manifest, release, now);
    let [from, to] = ahead.map(at);
    let scope = ReportScope {
        now: world.now,
        coverage: world.coverage,
        history_coverage: Coverage {
            as_of: world.now,
            ..world.coverage
        },
        ahead: LoadWindow::new(from, to, 60).unwrap(),
        past: HistoryWindow::default(),
        recorded: None,
    };
    let all_evidence = world.all_evidence.into_iter().map(Arc::new);
    Report::of(
        world.controller,
        PLAIN.clone(),
        all_evidence,
        Vec::new(),
        &scope,
    )
}

/// What a manifest shows, as it is read from files.
struct World {
    controller: Controller,
    all_evidence: Vec<CronJobEvidence>,
    coverage: Coverage,
    now: Timestamp,
}

impl World {
    fn of(manifest: &str, release: &str, now: &str) -> Self {
        let (controller, now) = (controller(release), at(now));
        let (mut all_evidence, coverage) = read(manifest, now);
        let beside = Beside::of_files(Vec::new());
        let mut judged: Vec<&mut CronJobEvidence> = all_evidence.iter_mut().collect();
        judge_together(&controller, &mut judged, &beside, coverage, now);
        World {
            controller,
            all_evidence,
            coverage,
            now,
        }
    }
}
